package wholeobject

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
func (n *Noun[T]) onID(summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(n.ID.Attributes[0]), summary, fmt.Sprintf(format, args...))
}

func (n *Noun[T]) warningOnID(summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(n.ID.Attributes[0]), summary, fmt.Sprintf(format, args...))
}

// Plans.

func (n *Noun[T]) alreadyExists(id []string) diag.Diagnostic {
	return n.onID(n.name(id)+" Already Exists", "This plan would create the %[1]s, but it exists.\n\n%[2]s\n\n"+
		"If you renamed the resource that manages it, add a moved block. If the resource is tainted, run 'terraform untaint ADDRESS'. "+
		"A replacement can't create a %[1]s under the same ID while it exists, and changing the configuration requires none. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", n.Word, n.howToAdopt(id))
}

// howToAdopt explains how to manage an object that exists.
func (n *Noun[T]) howToAdopt(id []string) string {
	adopts := "set adopt_existing = true: the plan then shows in overwrites what that changes."
	if n.Adopts {
		adopts = "plan again: the plan shows in overwrites what that changes."
	}
	return fmt.Sprintf("To manage it as it is, import it with an import block, or run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
		"To change it to the configured values, %s", shellWord(n.label(id)), adopts)
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
func (n *Noun[T]) nothingToAdopt(id, missing []string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0]), n.summary("Create"), fmt.Sprintf("There is no %s, and creating it requires %s. Configure %s, or check the ID. %s",
		n.quoted(id), strings.Join(n.Required, ", "), strings.Join(missing, ", "), diagnostics.Sentence(err)))
}

// unseen warns that a plan can't show what an adoption overwrites, in all fields or in some.
func (n *Noun[T]) unseen(shown types.Object) diag.Diagnostic {
	what := []string{}
	for attribute, text := range shown.Attributes() {
		if text.IsUnknown() {
			what = append(what, attribute)
		}
	}
	slices.Sort(what)
	return n.warningOnID("Overwritten Values of "+n.Title+" Not Shown",
		"What this plan needs to know is known only during the apply, so it can't show what it overwrites in %s if the %[2]s exists. Use values that are known when you plan, or import the %[2]s.", cmp.Or(strings.Join(what, ", "), "the "+n.Word), n.Word)
}

// managedTwice is the error of a second adoption in one run.
func (n *Noun[T]) managedTwice(id []string) diag.Diagnostic {
	return n.onID(n.Title+" in Two Resources", "Two resources of this run adopt %s, and each would overwrite the values of the other. Keep only one of them.", n.quoted(id))
}

// deletedAndManaged is the error of a plan that deletes what it also adopts or keeps.
func (n *Noun[T]) deletedAndManaged(id []string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root(n.ID.Attributes[0]), n.Title+" Destroyed and Managed in One Plan", n.Type, n.ends()+"s "+n.quoted(id), n.Word)
}

// unknownReplacement is the error of a replacement by an ID that the plan doesn't know. If it turned out to
// be the same, create_before_destroy would leave only a deposed object.
func (n *Noun[T]) unknownReplacement(prior tfmodel.Values) diag.Diagnostic {
	id, _ := n.id(prior)
	return n.onID("Unable to Replace "+n.Title, "%s is only known after apply, so Terraform replaces this resource, even if the ID turns out to be %q again. "+
		"Use an ID that is known when you plan: write the ID itself, or first apply what it depends on with -target. Then plan again. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", strings.Join(n.ID.Attributes, " or "), n.label(id))
}

func (n *Noun[T]) deletion(id []string) diag.Diagnostic {
	if n.Reset != nil {
		return diag.NewWarningDiagnostic("Reset of "+n.name(id), fmt.Sprintf("on_destroy is %q in the Terraform state, so destroying this resource %s. To keep the %s as it is, set on_destroy = %q and apply that first.", resetOnDestroy, n.Deletion, n.Word, keepOnDestroy))
	}
	return diag.NewWarningDiagnostic("Deletion of "+n.name(id), fmt.Sprintf("Destroying this resource deletes the %s in Ops Manager, even if it was imported or adopted. %s "+
		"To keep it, and only remove it from the Terraform state, set on_destroy = \"keep\" and apply that first. "+
		"The provider can't see whether a resource with a different provider alias still manages it. If you renamed the resource, add a moved block.", n.Word, n.Deletion))
}

func (n *Noun[T]) forgotten(id []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(n.name(id)+" Removed Only From the State",
		fmt.Sprintf("on_destroy is not %q in the Terraform state, so destroying this resource does not call Ops Manager, and Ops Manager keeps the %s as it is.", n.ends(), n.Word))
}

// ending is the summary of a failed deletion or reset.
func (n *Noun[T]) ending() string {
	if n.Reset != nil {
		return n.summary("Reset")
	}
	return n.summary("Delete")
}

// sendsWriteOnly warns about secrets that an update sends although its plan can't show whether they change.
func (n *Noun[T]) sendsWriteOnly(id, attributes []string) diag.Diagnostic {
	names := strings.Join(attributes, ", ")
	return diag.NewWarningDiagnostic(n.name(id)+" Gets Its Write-Only Secrets", fmt.Sprintf("An update replaces the whole %s, so this one also sends the configured %s. "+
		"The plan can't compare that with what Ops Manager has. Check that this run has the real value.", n.Word, names))
}

// notReleased is the error of a deletion that Ops Manager refused, and that the provider can't prepare.
func (n *Noun[T]) notReleased(id []string, refusal error, problem diag.Diagnostic) diag.Diagnostic {
	d := n.notDeleted(id, refusal)
	return diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\nOps Manager may accept it after a change that the provider could not make: %s To make it yourself, set %s and apply, then destroy again.",
		d.Detail(), problem.Detail(), n.released()))
}

// released returns what a destroy sets before it deletes an object, as a configuration has it.
func (n *Noun[T]) released() string {
	var values []string
	for _, f := range n.Fields {
		if !f.IsMissing(*n.Release) {
			values = append(values, f.Attribute+" = "+*f.Literal(n.Release))
		}
	}
	return strings.Join(values, ", ")
}

func (n *Noun[T]) protected(id []string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(deletionProtection), n.Title+" Is Protected", fmt.Sprintf("deletion_protection of %s is true in the Terraform state, so it was not destroyed, and no request was sent. "+
		"Set deletion_protection = false and apply, then destroy or replace it.", n.quoted(id)))
}

// Reads.

func (n *Noun[T]) notRefreshed(id []string, err error) diag.Diagnostic {
	return n.warningOnID(n.name(id)+" Not Refreshed", "Ops Manager did not return this %s, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. %s", n.Word, diagnostics.Sentence(err))
}

func (n *Noun[T]) unverified(id []string, err error) diag.Diagnostic {
	return n.warningOnID("Unverified "+n.name(id), "Ops Manager did not return this %s, so the provider can't tell whether it exists. Check its ID in the administration console. %s", n.Word, diagnostics.Sentence(err))
}

// unreadable is the error of writing an object that Ops Manager does not return.
func (n *Noun[T]) unreadable(verb string, id []string, err error) diag.Diagnostic {
	return n.onID(n.summary(verb), "%s\n\nThe provider creates or changes a %[2]s only after it has read it, so no change was sent. "+
		"If the API of this Ops Manager can't return a %[2]s, you can still import it and delete it:\n\n  terraform import ADDRESS %[3]s", diagnostics.Explain(err, n.Codes), n.Word, shellWord(n.label(id)))
}

// Writes.

func (n *Noun[T]) changedSincePlan(verb string, id, changed []string) diag.Diagnostic {
	return n.onID(n.summary(verb), "%s changed since the plan: %s. The provider left it as it is. Plan again.", n.name(id), strings.Join(changed, "; "))
}

// goneSincePlan is the error of changing an object that no longer exists.
func (n *Noun[T]) goneSincePlan(verb string, id []string, err error) diag.Diagnostic {
	return n.onID(n.summary(verb), "%s no longer exists: %s\n\nPlan again. The next plan creates it.", n.quoted(id), diagnostics.Sentence(err))
}

// warnNotReturned warns about values that are sent although Ops Manager does not return them.
func (n *Noun[T]) warnNotReturned(id []string, sent []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(sent) > 0 {
		diags.AddWarning("Values of "+n.name(id)+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tfmodel.Bulleted(sent))
	}
}

// warnChangedAlong warns about values that Ops Manager changed along with others.
func (n *Noun[T]) warnChangedAlong(id []string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning("Other Values of "+n.name(id)+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
}

func (n *Noun[T]) incomplete(verb string, missing []string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0]), n.summary(verb), fmt.Sprintf("A change must send the whole %[1]s, and Ops Manager did not return its %[2]s. "+
		"Nothing was changed. Configure %[2]s as well, or do not change the %[1]s.", n.Word, strings.Join(missing, ", ")))
}

func (n *Noun[T]) unknownSecret(masked []string) diag.Diagnostic {
	return n.onID("Unknown Secret", "A change replaces the whole %s, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
		"Use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", n.Word, opsmanager.Sanitize(strings.Join(masked, ", ")))
}

// notCreated is the error of a failed creation.
func (n *Noun[T]) notCreated(id []string, err error) diag.Diagnostic {
	d := diagnostics.Failure(n.summary("Create"), err, n.Codes)
	e, _ := errors.AsType[*opsmanager.Error](err)
	switch {
	case opsmanager.MayHaveChanged(err):
		next := "says how to import or adopt it"
		if n.Adopts {
			next = "adopts it"
		}
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+fmt.Sprintf(" Nothing was stored: if the %s exists then, the plan %s.", n.Word, next))
	case e != nil && e.Status == http.StatusConflict:
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+fmt.Sprintf("\n\nIf the %s already exists: %s", n.Word, n.howToAdopt(id)))
	}
	return d
}

// notReadAgain warns that a creation was not confirmed. It is no error, because the response had the values.
func (n *Noun[T]) notReadAgain(id []string, err error) diag.Diagnostic {
	return n.warningOnID(n.name(id)+" Not Read Again", "Ops Manager created this %s with the planned values, and did not return it afterwards. So the provider can't tell whether another run created it at the same time, with other values or secrets. "+
		"The next plan shows other values. %s", n.Word, diagnostics.Sentence(err))
}

// createdTwice is the error of a creation whose values were replaced right afterwards.
func (n *Noun[T]) createdTwice(id, changed []string) diag.Diagnostic {
	return n.onID(n.name(id)+" Has Other Values", "The provider created the %[1]s, but after a while it had other values:\n  - %[2]s\n\n"+
		"Another run may have created it at the same time. It was left out of the Terraform state. %[3]s", n.Word, strings.Join(changed, "\n  - "), n.howToAdopt(id))
}

// existsNow says that an object was created or adopted and not stored.
func (n *Noun[T]) existsNow(id []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(n.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
		"Configure the values that Ops Manager keeps. %s", n.Word, n.howToAdopt(id)))
}

// Deletions.

func (n *Noun[T]) keptForNew(id []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(n.name(id)+" Not Deleted", fmt.Sprintf("This apply creates or adopts the %s that it also destroys as the old object of the resource. "+
		"Both are the same %[1]s, so the old object was only removed from the Terraform state.", n.Word))
}

// settings describes a deleted object, so that it can be created again.
func (n *Noun[T]) settings(id []string, known, live T) string {
	object := n.Fields.Complete(live, known)
	text := "These were its settings. To create it again, use:\n\n" + block("opsmanager_"+n.Type, n.ID.Attributes, id, n.Fields, object)
	missing := slices.DeleteFunc(n.Fields.Missing(object), func(attribute string) bool { return !slices.Contains(n.Required, attribute) })
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
func (n *Noun[T]) notDeleted(id []string, err error) diag.Diagnostic {
	d := diagnostics.Failure(n.summary("Delete"), err)
	e, ok := errors.AsType[*opsmanager.Error](err)
	refusals := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity}
	switch {
	case ok && slices.Contains(refusals, e.Status) && !diagnostics.IsNotAPI(e) && (e.Code == "" || diagnostics.AdviceFor(e) == ""):
		return diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\n%s To only remove %s from the Terraform state, set on_destroy = \"keep\" and apply that first.", d.Detail(), n.InUse, n.quoted(id)))
	case opsmanager.IsUnclear(err):
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+" The "+n.Word+" stays in the Terraform state until a plan finds that it is gone.")
	}
	return d
}
