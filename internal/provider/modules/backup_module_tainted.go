package modules

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Keys of the private data of a plan. Terraform plans the creation half of a replacement without the
// state, but passes on the private data of its first plan. It plans a tainted resource only once, as
// a creation, and passes the private data of that plan to Delete.
const (
	replacedKey = "replaced" // of a plan with a state: what a replacement would end
	createdKey  = "created"  // of a plan without: the ID of the object, as far as it is known
)

// taintedUnseen reports whether Delete has the private data of a tainted resource whose plan did not
// show what its destroy does, and returns the ID of the object that the same plan creates.
func taintedUnseen(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (created string, yes bool) {
	var replaced any
	yes = tfmodel.ReadPrivate(ctx, private, createdKey, &created, diags) && !tfmodel.ReadPrivate(ctx, private, replacedKey, &replaced, diags)
	return created, yes
}

// keptTainted returns why Delete must not end an object, or nil. It must not if the resource is tainted
// and no plan has shown what its destroy does. If the same apply configures the object again, it stays
// as it is, and otherwise that is an error. The name is that of the object in messages.
func keptTainted(ctx context.Context, private tfmodel.PrivateState, id, name string, diags *diag.Diagnostics) diag.Diagnostic {
	switch created, yes := taintedUnseen(ctx, private, diags); {
	case !yes:
		return nil
	case created == id:
		return diag.NewWarningDiagnostic(name+" Kept", "The resource is tainted, and this apply manages the same object again. So the tainted one was only removed from the Terraform state.")
	}
	return diag.NewErrorDiagnostic("Tainted Resource Not Destroyed", fmt.Sprintf("Destroying the tainted resource changes %s, and the plan did not show that, because Terraform plans a tainted resource like a new one. Nothing was changed. "+
		"Run 'terraform untaint ADDRESS' and plan again.", name))
}

// forgetPlan removes the private data of a plan from that of a state.
func forgetPlan(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	for _, key := range []string{replacedKey, createdKey} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}
}
