package wholeobject

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// In these functions, the name is that of the object in messages.

// WarnOverwritten warns about the values that creating a resource overwrites.
func WarnOverwritten(name string, overwritten []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(overwritten) > 0 {
		diags.AddWarning("Overwritten Values of "+name, "Creating this resource adopts what exists, and changes:"+tfmodel.Bulleted(overwritten))
	}
}

// WarnChangedSincePlan warns about values that changed after the plan was made.
func WarnChangedSincePlan(name string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning(name+" Changed Since the Plan", "These values differ from the Terraform state that the plan is based on:"+tfmodel.Bulleted(changed)+
			"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
	}
}

// WarnNotReturned warns about values that are sent although Ops Manager does not return them.
func WarnNotReturned(name string, sent []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(sent) > 0 {
		diags.AddWarning("Values of "+name+" Not Returned",
			"Ops Manager does not return these values. A request without them would reset them, so this one sends those of the Terraform state:"+tfmodel.Bulleted(sent))
	}
}

// WarnChangedAlong warns about values that Ops Manager changed along with others.
func WarnChangedAlong(name string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning("Other Values of "+name+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
}

// Gone is the error of updating an object that no longer exists.
func Gone(idAttribute, summary, name string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(idAttribute), summary,
		fmt.Sprintf("%s no longer exists, so nothing was changed: %s\n\nPlan again. The next plan creates it.", name, diagnostics.Sentence(err)))
}

// ManagedTwice is the warning about an object that two resources of a plan manage. The effect says what
// follows from that, and what to do.
func ManagedTwice(idAttribute, name, effect string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(idAttribute), name+" in Two Resources", "Two resources of this plan manage the same object, and "+effect)
}
