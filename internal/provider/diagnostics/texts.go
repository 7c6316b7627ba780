package diagnostics

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// First returns the first of the items of a list, and how many more there are as the last element.
func First(items []string, most int) []string {
	if len(items) <= most {
		return items
	}
	return append(slices.Clone(items[:most]), fmt.Sprintf("and %d more", len(items)-most))
}

// WithTexts returns a diagnostic with another summary and detail.
func WithTexts(of diag.Diagnostic, summary, detail string) diag.Diagnostic {
	at, hasPath := of.(diag.DiagnosticWithPath)
	switch isError := of.Severity() == diag.SeverityError; {
	case isError && hasPath:
		return diag.NewAttributeErrorDiagnostic(at.Path(), summary, detail)
	case isError:
		return diag.NewErrorDiagnostic(summary, detail)
	case hasPath:
		return diag.NewAttributeWarningDiagnostic(at.Path(), summary, detail)
	}
	return diag.NewWarningDiagnostic(summary, detail)
}

// Forget says how to remove a resource from the state only.
const Forget = "use a removed block with destroy = false, or run 'terraform state rm ADDRESS'"

// ForgetUnread says how to remove a resource from the state only, if it can't be read. OpenTofu reads what a removed
// block names.
const ForgetUnread = "run 'terraform state rm ADDRESS', or, with Terraform, use a removed block with destroy = false. " +
	"'terraform destroy -refresh=false' is enough for what a destroy only removes from the state"

// Renamed says how to keep the object of a resource that has a new address.
const Renamed = "If you renamed the resource, add a moved block."

// KeepOne says what to do about two resources that manage one object.
const KeepOne = "Keep only one of them. If you have just added one, delete its block. Otherwise, " + Forget + ". " + Renamed +
	" If this error stops 'terraform destroy', run it with -refresh=false."

// Forgotten returns the warning about a destroy that only removes a resource from the state.
func Forgotten(what, rest string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(what+" Will Be Removed Only From the State", "Destroying this resource sends no request. "+rest)
}

// EndedAndManaged returns the error for a plan that manages what the destroy of an object in the state
// ends. The effect says what the destroy does, such as "deletes store s1", and the object names what
// the resource manages, such as "store".
func EndedAndManaged(at path.Path, title, resource, effect, object string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, title, fmt.Sprintf(
		"The Terraform state has an object whose destroy %[1]s, and this plan creates, adopts or keeps the same %[2]s at a different address, or for a different object.\n\n"+
			"If the resource is tainted, run 'terraform untaint ADDRESS'.\n\n"+
			"If you renamed the resource, add a moved block:\n\n  moved {\n    from = opsmanager_%[3]s.OLD\n    to   = opsmanager_%[3]s.NEW\n  }\n\n"+
			"If two addresses manage the %[2]s, remove one of them from the Terraform state only: "+Forget+".\n\n"+
			"If the plan shows a deposed object, run 'terraform state rm ADDRESS', which removes both objects from the state, and then import the %[2]s.\n\n"+
			"To destroy everything instead, run 'terraform destroy -refresh=false'.", effect, object, resource))
}
