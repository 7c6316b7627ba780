package tf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Planned is what the private data of a plan says of it. Terraform plans a replacement twice: first as an update, whose
// warnings are shown, and then as a creation, which gets the private data of the first plan. It plans a tainted resource
// once, as a creation without private data. Delete gets the private data of the last plan.
type Planned struct {
	First   string   `json:"first,omitempty"`   // the object of a plan with a state
	Creates string   `json:"creates,omitempty"` // the object of a plan without a state
	Shown   []string `json:"shown,omitempty"`   // what the first plan has shown of what it ends, or would end if Terraform replaces it
}

const plannedKey = "planned"

// NotePlan stores the object of a plan in its private data, and what the plan shows of what it ends. If the plan is the
// second one of a replacement, it returns what the first one has noted.
func NotePlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, object string, shown ...string,
) (first Planned) {
	of := Planned{First: object, Shown: shown}
	if req.State.Raw.IsNull() {
		ReadPrivate(ctx, req.Private, plannedKey, &first, &resp.Diagnostics)
		of = first
		of.Creates = object
	}
	WritePrivate(ctx, resp.Private, plannedKey, of, &resp.Diagnostics)
	return first
}

// TakePlan returns what the plans have noted, and removes it, so that the state does not keep it.
func TakePlan(ctx context.Context, private PrivateState, diags *diag.Diagnostics) (of Planned) {
	ReadPrivate(ctx, private, plannedKey, &of, diags)
	diags.Append(private.SetKey(ctx, plannedKey, nil)...)
	return of
}

// IsTainted reports whether the resource is tainted, so that there is no first plan.
func (of Planned) IsTainted() bool { return of.Creates != "" && of.First == "" }

// Deposed is the advice on an object that is deposed, whose state no apply of the configuration changes.
const Deposed = "If it is a deposed object, run 'terraform state rm ADDRESS' instead, which removes both objects, and import the current one again."

// KeepFirst ends the advice on how to keep what a plan ends. Nothing tells a plan that it is that of a deposed object.
const KeepFirst = "set on_destroy = \"keep\" and apply that first. " + Deposed

// CheckTainted warns of objects that a plan would end with tainted resources. It shows only a replacement, which with
// create_before_destroy nothing tells from another one during the apply. What another resource keeps is an error.
func CheckTainted(unplanned []string, isKept func(object string) bool, diags *diag.Diagnostics) {
	for _, object := range unplanned {
		add := diags.AddWarning
		if isKept(object) {
			add = diags.AddError
		}
		add("Tainted Resource Would End "+opsmanager.Sanitize(object),
			"The Terraform state has this, a destroy would end it, and no plan but that of a replacement does: Terraform plans a tainted resource like a new one. "+
				"That is an error if another resource needs it, or if it is held or protected, so that its destroy would fail. "+
				"To keep it, run 'terraform untaint ADDRESS' and plan again. If a removed block forgets it, run 'tofu state rm ADDRESS' instead. "+
				"If this is an error and stops 'terraform destroy', run it with -refresh=false.")
	}
}

// NotesLost says what a tainted resource lacks after an apply that has not destroyed it: Terraform gives the destroy no private state,
// and stores that.
const NotesLost = "Terraform has dropped what the provider had noted of a tainted resource. So the next plan may not show what other clients changed before, such as the expiry of a snapshot or the end of a backup: compare both with Ops Manager."

// UnplannedEnd returns the error of ending the object of a tainted resource, which no plan has shown.
func UnplannedEnd(object string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Tainted Resource Not Destroyed", "Destroying the tainted resource would end "+object+", and the plan did not show that, because Terraform plans a tainted resource like a new one. So nothing of it was changed. "+
		"Run 'terraform untaint ADDRESS' and plan again. To replace it nevertheless, add -replace=ADDRESS, which most types refuse. "+NotesLost+"\n\n"+
		"If the resource is not tainted, but replaced, or if the object is deposed now, plan and apply again: the next plan shows what its destroy ends. To keep that, run 'terraform state rm ADDRESS', which removes both objects from the state, and import the current one again.")
}
