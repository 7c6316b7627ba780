package putresource

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

func codeOf(err error) string {
	if e, ok := errors.AsType[*opsmanager.Error](err); ok {
		return e.Code
	}
	return ""
}

// onID returns an error on the attribute that identifies an object.
func (t *Type[T]) onID(summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(t.ID.Attributes[0]), summary, fmt.Sprintf(format, args...))
}

func (t *Type[T]) warningOnID(summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(t.ID.Attributes[0]), summary, fmt.Sprintf(format, args...))
}

// Plans.

func (t *Type[T]) alreadyExists(id []string) diag.Diagnostic {
	return t.onID(t.name(id)+" Already Exists", "This plan would create the %[1]s, but it exists.\n\n%[2]s\n\n"+
		"If you renamed the resource that manages it, add a moved block. If the resource is tainted, run 'terraform untaint ADDRESS'. "+
		"A replacement can't create a %[1]s under the same ID while it exists, and changing the configuration requires none. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", t.Word, t.howToAdopt(id))
}

// howToAdopt explains how to manage an object that exists.
func (t *Type[T]) howToAdopt(id []string) string {
	adopts := "set adopt_existing = true: the plan then shows in overwrites what that changes."
	if t.Adopts {
		adopts = "plan again: the plan shows in overwrites what that changes."
	}
	return fmt.Sprintf("To manage it as it is, import it with an import block, or run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
		"To change it to the configured values, %s", shellWord(t.label(id)), adopts)
}

var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a text for a POSIX shell if it needs quotes.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// nothingToAdopt is the error of a creation that lacks what Ops Manager requires.
func (t *Type[T]) nothingToAdopt(id, missing []string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0]), t.summary("Create"), fmt.Sprintf("There is no %s, and creating it requires %s as well. Configure that, or check the ID. %s",
		t.quoted(id), strings.Join(missing, ", "), diagnostics.Sentence(err)))
}

// unseen warns that a plan can't show what an adoption overwrites, in all fields or in some.
func (t *Type[T]) unseen(shown types.Object) diag.Diagnostic {
	what := []string{}
	for attribute, text := range shown.Attributes() {
		if text.IsUnknown() {
			what = append(what, attribute)
		}
	}
	slices.Sort(what)
	return t.warningOnID("Overwritten Values of "+t.Title+" Not Shown",
		"What this plan needs to know is known only during the apply, so it can't show what it overwrites in %s if the %[2]s exists. Use values that are known when you plan, or import the %[2]s.", cmp.Or(strings.Join(what, ", "), "the "+t.Word), t.Word)
}

// managedTwice is the error of a second resource that keeps or adopts an object in one run.
func (t *Type[T]) managedTwice(id []string) diag.Diagnostic {
	return t.onID(t.Title+" in Two Resources", "Two resources of this run manage %s, and each would overwrite the values of the other. Keep only one of them: remove the other from the Terraform state only, with a removed block or 'terraform state rm ADDRESS'. If you renamed the resource, add a moved block.", t.quoted(id))
}

// deletedAndManaged is the error of a plan that deletes what it also adopts or keeps.
func (t *Type[T]) deletedAndManaged(id []string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root(t.ID.Attributes[0]), t.Title+" Destroyed and Managed in One Plan", t.Name, t.ends()+"s "+t.quoted(id), t.Word)
}

// unknownReplacement is the error of a replacement by an ID that the plan doesn't know. If it turned out to
// be the same, create_before_destroy would leave only a deposed object.
func (t *Type[T]) unknownReplacement(prior tfmodel.Values) diag.Diagnostic {
	id, _ := t.id(prior)
	return t.onID("Unable to Replace "+t.Title, "%s is only known after apply, so Terraform replaces this resource, even if the ID turns out to be %q again. "+
		"Use an ID that is known when you plan: write the ID itself, or first apply what it depends on with -target. Then plan again. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", strings.Join(t.ID.Attributes, " or "), t.label(id))
}

func (t *Type[T]) deletion(id []string) diag.Diagnostic {
	if t.Reset != nil {
		return diag.NewWarningDiagnostic("Reset of "+t.name(id), fmt.Sprintf("on_destroy is %q in the Terraform state, so destroying this resource %s. To keep the %s as it is, set on_destroy = %q and apply that first.", resetOnDestroy, t.Deletion, t.Word, keepOnDestroy))
	}
	return diag.NewWarningDiagnostic("Deletion of "+t.name(id), fmt.Sprintf("Destroying this resource deletes the %s in Ops Manager, even if it was imported or adopted. %s "+
		"To keep it, and only remove it from the Terraform state, set on_destroy = \"keep\" and apply that first. "+
		"The provider can't see whether a resource with a different provider alias still manages it. If you renamed the resource, add a moved block.", t.Word, t.Deletion))
}

func (t *Type[T]) forgotten(id []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(t.name(id)+" Removed Only From the State",
		fmt.Sprintf("on_destroy is not %q in the Terraform state, so destroying this resource does not call Ops Manager, and Ops Manager keeps the %s as it is.", t.ends(), t.Word))
}

// ending is the summary of a failed deletion or reset.
func (t *Type[T]) ending() string {
	if t.Reset != nil {
		return t.summary("Reset")
	}
	return t.summary("Delete")
}

// sendsWriteOnly warns about secrets that an update sends although its plan can't show whether they change.
func (t *Type[T]) sendsWriteOnly(id, attributes []string) diag.Diagnostic {
	names := strings.Join(attributes, ", ")
	return diag.NewWarningDiagnostic(t.name(id)+" Gets Its Write-Only Secrets", fmt.Sprintf("An update replaces the whole %s, so this one also sends the configured %s. "+
		"The plan can't compare that with what Ops Manager has. Check that this run has the real value.", t.Word, names))
}

// notReleased is the error of a deletion that Ops Manager refused, and that the provider can't prepare.
func (t *Type[T]) notReleased(id []string, refusal error, problem diag.Diagnostic) diag.Diagnostic {
	d := t.notDeleted(id, refusal)
	return diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\nOps Manager may accept it after a change that the provider could not make: %s To make it yourself, set %s and apply, then destroy again.",
		d.Detail(), problem.Detail(), t.released()))
}

// released returns what a destroy sets before it deletes an object, as a configuration has it.
func (t *Type[T]) released() string {
	var values []string
	for _, f := range t.Fields {
		if !f.IsMissing(*t.Release) {
			values = append(values, f.Attribute+" = "+*f.Literal(t.Release))
		}
	}
	return strings.Join(values, ", ")
}

func (t *Type[T]) protected(id []string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(deletionProtection), t.Title+" Is Protected", fmt.Sprintf("deletion_protection of %s is true in the Terraform state, so it was not destroyed, and no request was sent. "+
		"Set deletion_protection = false and apply, then destroy or replace it.", t.quoted(id)))
}

// Reads.

func (t *Type[T]) notRefreshed(id []string, err error) diag.Diagnostic {
	return t.warningOnID(t.name(id)+" Not Refreshed", "Ops Manager did not return this %s, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. %s", t.Word, diagnostics.Sentence(err))
}

func (t *Type[T]) unverified(id []string, err error) diag.Diagnostic {
	return t.warningOnID("Unverified "+t.name(id), "Ops Manager did not return this %s, so the provider can't tell whether it exists. Check its ID in the administration console. %s", t.Word, diagnostics.Sentence(err))
}

// unreadable is the error of writing an object that Ops Manager does not return.
func (t *Type[T]) unreadable(verb string, id []string, err error) diag.Diagnostic {
	return t.onID(t.summary(verb), "%s\n\nThe provider creates or changes a %[2]s only after it has read it, so no change was sent. "+
		"If the API of this Ops Manager can't return a %[2]s, you can still import it and delete it:\n\n  terraform import ADDRESS %[3]s", diagnostics.Explain(err, t.Codes...), t.Word, shellWord(t.label(id)))
}

// Writes.

// changedSincePlan returns an error if a value that a change sets or ends is no longer what the plan saw.
func (t *Type[T]) changedSincePlan(c *change[T], live T) error {
	var texts []string
	for _, d := range t.sincePlan(c, live) {
		texts = append(texts, d.String())
	}
	if texts == nil {
		return nil
	}
	again := "Plan again."
	if c.verb == "Delete" || c.verb == "Reset" {
		again = diagnostics.RefreshFirst
	}
	return diagnostics.Explained{Diagnostic: t.onID(t.summary(c.verb), "%s changed since the plan: %s. The provider left it as it is. %s", t.name(c.id), strings.Join(texts, "; "), again)}
}

// goneSincePlan is the error of changing an object that no longer exists.
func (t *Type[T]) goneSincePlan(verb string, id []string, err error) diag.Diagnostic {
	return t.onID(t.summary(verb), "%s no longer exists: %s\n\nPlan again. The next plan creates it.", t.quoted(id), diagnostics.Sentence(err))
}

// warnNotReturned warns about values that are sent although Ops Manager does not return them.
func (t *Type[T]) warnNotReturned(id []string, sent []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(sent) > 0 {
		diags.AddWarning("Values of "+t.name(id)+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tfmodel.Bulleted(sent))
	}
}

// warnChangedAlong warns about values that Ops Manager changed along with others.
func (t *Type[T]) warnChangedAlong(id []string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning("Other Values of "+t.name(id)+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
}

func (t *Type[T]) incomplete(verb string, missing []string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0]), t.summary(verb), fmt.Sprintf("A change must send the whole %[1]s, and Ops Manager did not return its %[2]s. "+
		"Nothing was changed. Configure %[2]s as well, or do not change the %[1]s.", t.Word, strings.Join(missing, ", ")))
}

func (t *Type[T]) unknownSecret(masked []string) diag.Diagnostic {
	return t.onID("Unknown Secret", "A change replaces the whole %s, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
		"Use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", t.Word, opsmanager.Sanitize(strings.Join(masked, ", ")))
}

// notCreated is the error of a failed creation.
func (t *Type[T]) notCreated(id []string, err error) diag.Diagnostic {
	d := diagnostics.Failure(t.summary("Create"), err, t.Codes...)
	e, _ := errors.AsType[*opsmanager.Error](err)
	switch {
	case opsmanager.MayHaveChanged(err):
		next := "says how to import or adopt it"
		if t.Adopts {
			next = "adopts it"
		}
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+fmt.Sprintf(" Nothing was stored: if the %s exists then, the plan %s.", t.Word, next))
	case e != nil && e.Status == http.StatusConflict:
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+fmt.Sprintf("\n\nIf the %s already exists: %s", t.Word, t.howToAdopt(id)))
	}
	return d
}

// notReadAgain warns that a creation was not confirmed. It is no error, because the response had the values.
func (t *Type[T]) notReadAgain(id []string, err error) diag.Diagnostic {
	return t.warningOnID(t.name(id)+" Not Read Again", "Ops Manager created this %s with the planned values, and did not return it afterwards. So the provider can't tell whether another run created it at the same time, with other values or secrets. "+
		"The next plan shows other values. %s", t.Word, diagnostics.Sentence(err))
}

// createdTwice is the error of a creation whose values were replaced right afterwards.
func (t *Type[T]) createdTwice(id, changed []string) diag.Diagnostic {
	return t.onID(t.name(id)+" Has Other Values", "The provider created the %[1]s, but after a while it had other values:\n  - %[2]s\n\n"+
		"Another run may have created it at the same time. It was left out of the Terraform state. %[3]s", t.Word, strings.Join(changed, "\n  - "), t.howToAdopt(id))
}

// existsNow says that an object was created or adopted and not stored.
func (t *Type[T]) existsNow(id []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(t.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
		"Configure the values that Ops Manager keeps. %s", t.Word, t.howToAdopt(id)))
}

// Deletions.

func (t *Type[T]) keptForNew(id []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(t.name(id)+" Not Deleted", fmt.Sprintf("This apply creates or adopts the %s that it also destroys as the old object of the resource. "+
		"Both are the same %[1]s, so the old object was only removed from the Terraform state.", t.Word))
}

// settings describes a deleted object, so that it can be created again.
func (t *Type[T]) settings(id []string, known, live T) string {
	object := t.Fields.Complete(live, known)
	text := "These were its settings. To create it again, use:\n\n" + block("opsmanager_"+t.Name, t.ID.Attributes, id, t.Fields, object)
	missing := slices.DeleteFunc(t.Fields.Missing(object), func(attribute string) bool { return !slices.Contains(t.Required, attribute) })
	if len(missing) > 0 {
		text += "\n\nThese are required too, but unknown: " + strings.Join(missing, ", ") + "."
	}
	if unknown := opsmanager.UnknownNames(live); len(unknown) > 0 {
		text += "\n\nIt also had settings that the provider does not know: " + opsmanager.Sanitize(strings.Join(unknown, ", ")) + "."
	}
	return text
}

// notDeleted is the error of a failed deletion. Ops Manager documents neither a status nor a code for an
// object in use.
func (t *Type[T]) notDeleted(id []string, err error) diag.Diagnostic {
	d := diagnostics.Failure(t.summary("Delete"), err)
	e, ok := errors.AsType[*opsmanager.Error](err)
	refusals := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity}
	switch {
	case ok && slices.Contains(refusals, e.Status) && !diagnostics.IsNotAPI(e) && (e.Code == "" || diagnostics.AdviceFor(e) == ""):
		return diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\n%s To only remove %s from the Terraform state, set on_destroy = \"keep\" and apply that first.", d.Detail(), t.InUse, t.quoted(id)))
	case opsmanager.IsUnclear(err):
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+" The "+t.Word+" stays in the Terraform state until a plan finds that it is gone.")
	}
	return d
}
