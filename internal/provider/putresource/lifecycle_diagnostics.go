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

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// onAttribute returns an error on an attribute.
func onAttribute(attribute, summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, fmt.Sprintf(format, args...))
}

// onID returns an error on the attribute that identifies an object.
func (t *Type[T]) onID(summary, format string, args ...any) diag.Diagnostic {
	return onAttribute(t.ID.Attributes[0], summary, format, args...)
}

// label returns the ID of an object as it is imported.
func (t *Type[T]) label(id []string) string { return strings.Join(id, t.ID.Separator) }

// name returns the name of the object for the titles of messages.
func (t *target[T]) name() string { return t.Title + t.Of + " " + t.label(t.id) }

// quoted returns the name of the object for sentences.
func (t *target[T]) quoted() string {
	if t.Of != "" {
		return t.Word + strings.ToLower(t.Of) + " " + t.label(t.id)
	}
	return fmt.Sprintf("%s %q", t.Word, t.label(t.id))
}

func (t *Type[T]) summary(verb string) string { return "Unable to " + verb + " " + t.Title }

// failed returns the diagnostic of a failed call.
func (t *Type[T]) failed(verb string, err error) diag.Diagnostic {
	return tf.Failure(t.summary(verb), err, t.Codes...)
}

// Plans.

var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a text for a POSIX shell if it needs quotes.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// unseen warns that a plan can't show what an adoption overwrites, in all fields or in some.
func (t *target[T]) unseen() diag.Diagnostic {
	what := slices.DeleteFunc(t.all().Attributes(), func(attribute string) bool { return !t.plannedOverwrite(attribute).IsUnknown() })
	slices.Sort(what)
	return diag.NewAttributeWarningDiagnostic(path.Root(t.ID.Attributes[0]), "Overwritten Values of "+t.Title+" Will Not Be Shown",
		fmt.Sprintf("What this plan needs to know is known only during the apply, so it can't show what it overwrites in %s if the %[2]s exists. Use values that are known when you plan, or import the %[2]s.", cmp.Or(strings.Join(what, ", "), "the "+t.Word), t.Word))
}

// managedTwice is the error of a second resource that keeps or adopts an object in one run.
func (t *target[T]) managedTwice() diag.Diagnostic {
	return t.onID(t.Title+" in Two Resources", "Two resources of this run manage the %s, and each would overwrite the values of the other. "+tf.KeepOne, t.quoted())
}

// released returns what a destroy sets before it deletes an object, as a configuration has it.
func (t *target[T]) released() string {
	var values []string
	for _, d := range t.values().Differences(*t.Release, *new(T)) {
		values = append(values, d.Attribute+" = "+d.Wanted)
	}
	return strings.Join(values, ", ")
}

// instead returns how to rename a resource, or how to move to an object with a new ID.
func (t *Type[T]) instead(isReplacement bool) string {
	if !isReplacement || t.Calls.Add != nil {
		return tf.Renamed
	}
	return fmt.Sprintf("The ID of a %[1]s can't be changed: a replacement deletes this one, manages another, and moves nothing. "+
		"If it is in use, keep this block and add one with the new ID. Then move what uses the old %[1]s, and remove its block last.", t.Word)
}

func (t *target[T]) protected(isReplacement bool) diag.Diagnostic {
	return onAttribute(deletionProtection, t.Title+" Is Protected", "deletion_protection of %s is true in the Terraform state, so it was not destroyed, and no request was sent. "+
		"%s Otherwise, set deletion_protection = false and apply, then destroy or replace it. "+tf.Deposed, t.quoted(), t.instead(isReplacement))
}

// unreadable is the error of writing an object that Ops Manager does not return.
func (t *target[T]) unreadable(err error) diag.Diagnostic {
	return t.onID(t.summary(t.verb()), "%s\n\nThe provider creates or changes a %[2]s only after it has read it, so no change was sent. "+
		"If the API of this Ops Manager can't return a %[2]s, you can still import it and delete it:\n\n  terraform import ADDRESS %[3]s", tf.Explain(err, t.Codes...), t.Word, shellWord(t.label(t.id)))
}

// Creations.

// exists is the error of creating an object that exists and that is not adopted.
func (t *target[T]) exists() diag.Diagnostic {
	return t.onID(t.name()+" Already Exists", "The configuration would create the %[1]s, but it exists.\n\n%[2]s\n\n"+
		"If you renamed the resource that manages it, add a moved block. If the resource is tainted, run 'terraform untaint ADDRESS'. "+
		"A replacement can't create a %[1]s under the same ID while it exists, and changing the configuration requires none. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", t.Word, t.howToAdopt())
}

// howToAdopt explains how to manage an object that exists.
func (t *target[T]) howToAdopt() string {
	if t.Adopts {
		return fmt.Sprintf("To manage it as it is, import it with an import block, or run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
			"To change it to the configured values, plan again: the plan shows in overwrites what that changes.", shellWord(t.label(t.id)))
	}
	return fmt.Sprintf("To manage it, add this import block, with the name of this resource in place of NAME:\n\n"+
		"  import {\n    to = opsmanager_%s.NAME\n    id = %s\n  }\n\nThe plan then shows what the configuration changes.", t.Name, tf.HCLString(t.label(t.id)))
}

// notCreated is the error of a failed creation.
func (t *target[T]) notCreated(err error) diag.Diagnostic {
	d := t.failed("Create", err)
	e, _ := errors.AsType[*opsmanager.Error](err)
	explains := func(c tf.Codes) bool { return c.Advice[opsmanager.CodeOf(err)] != "" }
	switch {
	case opsmanager.MayHaveChanged(err):
		next := "says how to import it"
		if t.Adopts {
			next = "adopts it"
		}
		return tf.WithMore(d, fmt.Sprintf(" Nothing was stored: if the %s exists then, the plan %s.", t.Word, next))
	case e != nil && e.Status == http.StatusConflict && !slices.ContainsFunc(t.Codes, explains):
		return tf.WithMore(d, fmt.Sprintf("\n\nIf the %s already exists: %s", t.Word, t.howToAdopt()))
	}
	return d
}

// Writes.

// notTaken returns the error of a value that Ops Manager did not take.
func (t *target[T]) notTaken(d tf.Difference, done result[T]) diag.Diagnostic {
	f := t.field(d.Attribute)
	if f == nil {
		return t.onID(t.summary(t.verb()), "Ops Manager accepted the new %s of %s, and still returns the one before. If it returns what you configured in another form, configure that form.", d.Attribute, t.quoted())
	}
	d.Wanted = t.literal(*f, done.Request)
	d.Held = t.literal(*f, done.Returned)
	if f.IsUnsaid(done.Returned, t.known.Returned) && !f.IsMasked(done.Returned) {
		d.Held = ""
		if t.known.wasReturned(f.Attribute) {
			return onAttribute(d.Attribute, "Value Not Returned", "The provider sent %s for %s. Ops Manager accepted the request, and no longer returns the value, so the provider can't tell whether it took effect. Look it up in Ops Manager, and plan again. "+
				"If Ops Manager no longer returns it at all, keep it configured, run 'terraform state rm ADDRESS', and import the %s again.", d.Wanted, d.Attribute, t.Word)
		}
	}
	return d.Adjusted("")
}

// goneSincePlan is the error of changing an object that no longer exists.
func (t *target[T]) goneSincePlan(err error) diag.Diagnostic {
	return t.onID(t.summary(t.verb()), "The %s no longer exists: %s\n\nPlan again. The next plan creates it.", t.quoted(), tf.Sentence(err))
}

// unknownMembers returns the error of a request with masks in place of secrets, or nil if there are none.
func (t *Type[T]) unknownMembers(masked []string) diag.Diagnostic {
	if len(masked) == 0 {
		return nil
	}
	slices.Sort(masked)
	masked = slices.Compact(masked)
	return t.onID("Unknown Secret", "A change replaces the whole %s, and the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
		"Configure them if they are attributes. Otherwise, use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", t.Word, opsmanager.Sanitize(strings.Join(masked, ", ")))
}

// Deletions.

// settings describes a deleted object, so that it can be created again.
func (t *target[T]) settings(live T) string {
	object := t.Fields.Complete(live, t.planned)
	text := "These were its settings. To create it again, use:\n\n" + t.block(object)
	missing := t.lacking(object)
	if t.Hidden != nil && t.Hidden.Text(object) != "" {
		missing = append(missing, t.Hidden.Attribute)
	}
	if len(missing) > 0 {
		text += "\n\nAdd these, which are not shown: " + strings.Join(missing, ", ") + "."
	}
	if unknown := opsmanager.UnknownNames(live); len(unknown) > 0 {
		text += "\n\nIt also had settings that the provider does not know: " + opsmanager.Sanitize(strings.Join(unknown, ", ")) + "."
	}
	return text
}

// notDeleted is the error of a failed deletion. Ops Manager documents neither a status nor a code for an
// object in use.
func (t *target[T]) notDeleted(err error) diag.Diagnostic {
	d := t.failed("Delete", err)
	e, ok := errors.AsType[*opsmanager.Error](err)
	refusals := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity}
	switch {
	case ok && slices.Contains(refusals, e.Status) && !tf.IsNotAPI(e) && (e.Code == "" || tf.AdviceFor(e) == ""):
		return tf.WithMore(d, fmt.Sprintf("\n\n%s To only remove %s from the Terraform state, set on_destroy = \"keep\" and apply that first. "+tf.Deposed, t.InUse, t.quoted()))
	case opsmanager.IsUnclear(err):
		return tf.WithMore(d, " The "+t.Word+" stays in the Terraform state until a plan finds that it is gone.")
	}
	return d
}

// block returns the fields that an object has as an indented resource block.
func (t *target[T]) block(object T) string {
	var width int
	var lines [][2]string
	for i, attribute := range t.ID.Attributes {
		if t.Attributes[attribute].IsRequired() { // not the ID that Ops Manager chose
			width = max(width, len(attribute))
			lines = append(lines, [2]string{attribute, tf.HCLString(t.id[i])})
		}
	}
	for _, f := range t.Fields {
		width = max(width, len(f.Attribute))
		if !f.IsMissing(object) && !f.Value(object).IsNull() && !t.isHidden(f.Attribute) {
			lines = append(lines, [2]string{f.Attribute, tf.TextOf(f.Value(object))})
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "  resource %q \"example\" {\n", "opsmanager_"+t.Name)
	for _, line := range lines {
		fmt.Fprintf(&text, "    %-*s = %s\n", width, line[0], line[1])
	}
	return text.String() + "  }"
}
