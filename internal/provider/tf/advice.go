package tf

import (
	"fmt"
	"slices"
	"strings"

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

// FirstLines returns them with a line for each.
func FirstLines(items []string, most int) string {
	return "\n  - " + strings.Join(First(items, most), "\n  - ")
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

// WithMore returns a diagnostic with more text.
func WithMore(d diag.Diagnostic, more string) diag.Diagnostic {
	return WithTexts(d, d.Summary(), d.Detail()+more)
}

// Forget says how to remove a resource from the state only.
const Forget = "use a removed block with destroy = false, or run 'terraform state rm ADDRESS'"

// ForgetUnread says how to remove a resource from the state only, if it can't be read. OpenTofu reads what a removed
// block names.
const ForgetUnread = "run 'terraform state rm ADDRESS', or, with Terraform, use a removed block with destroy = false. " +
	"'terraform destroy -refresh=false' is enough for what a destroy only removes from the state"

// MissingObjects returns the advice on a project, a cluster or a host that Ops Manager does not return. What is in it may exist
// nevertheless, so only a person can say that it was removed, and what to do then.
func MissingObjects(ifRemoved string) Codes {
	project := "Ops Manager returns no {project}. It does not exist, or the API key has no role in it, or has lost it; Ops Manager does not say which. " +
		"Check the project ID, and the projects on the API key's page. If the project was deleted, " + ifRemoved
	return Codes{Advice: map[string]string{
		"GROUP_NOT_FOUND": project,
		"NOT_IN_GROUP":    project,
		"CLUSTER_NOT_FOUND": "Ops Manager returns no {cluster}. It does not exist in this project, or the project does not monitor it, or the API key has lost its role. " +
			"Check the cluster ID, the clusters of the project, and the projects on the API key's page. If the cluster was removed, " + ifRemoved,
		"HOST_NOT_FOUND": "Ops Manager returns no {host}. It does not exist in this project, or the API key has lost its role. " +
			"Check the host ID, and the projects on the API key's page. If the host was removed, " + ifRemoved,
	}}
}

// MissingCodes is the advice on what is missing for a resource.
var MissingCodes = MissingObjects("remove this resource from the configuration. If it is in the Terraform state, " + ForgetUnread + ".")

// MissingForRead is the advice on what is missing for a data source or a query, and on an object that it can't read. No state
// has that object because of it.
var MissingForRead = func() Codes {
	codes := MissingObjects("remove it from the configuration.")
	codes.Advice[nullInAList] = removeNull
	return codes
}()

// Renamed says how to keep the object of a resource that has a new address.
const Renamed = "If you renamed the resource, add a moved block."

// KeepOne says what to do about two resources that manage one object.
const KeepOne = "Keep only one of them. If you have just added one, delete its block. Otherwise, " + Forget + ". " + Renamed +
	" If this error stops 'terraform destroy', run it with -refresh=false."

// Forgotten returns the warning about a destroy that only removes a resource from the state.
func Forgotten(what, rest string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(what+" Will Be Removed Only From the State", "Destroying this resource sends no request. "+rest)
}

// ForgottenOnce returns the warning of Forgotten for the first of the resources of a plan, or nothing. The rest is equal for
// all of them, and Terraform doesn't combine the warnings of resources whose blocks were deleted.
func ForgottenOnce(process interface{ IsReported(string) bool }, what, rest string) diag.Diagnostics {
	if process.IsReported(what) {
		return nil
	}
	others := " The same holds for each other " + strings.ToLower(what) + " that this plan destroys."
	return diag.Diagnostics{Forgotten(what, rest+" "+Renamed+others)}
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
			"To destroy everything instead, run 'terraform destroy -refresh=false'. It does to the %[2]s what on_destroy in the state says.", effect, object, resource))
}

// EndedAndUnknown returns the error for a plan that ends an object, and manages one that is not known yet. The effect says what
// the plan ends and what it manages, such as "deletes a store, because of on_destroy, and adopts one whose ID", and the object
// names both, such as "store".
func EndedAndUnknown(at path.Path, title, effect, object string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, title, fmt.Sprintf(
		"This plan %[1]s is only known after apply. If both are the same %[2]s, the configuration still manages what the plan ends.\n\n"+
			Renamed+"\n\n"+
			"Otherwise use what is known when you plan: write the value itself, or first apply what it depends on with -target. Or make the two changes one after the other. "+
			"To keep the %[2]s, set on_destroy = \"keep\" and apply that first. If this error stops 'terraform destroy', run it with -refresh=false.", effect, object))
}
