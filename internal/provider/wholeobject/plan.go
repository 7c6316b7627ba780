package wholeobject

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Planned holds what the plans of one process do with an object.
type Planned struct {
	Managed bool // a plan keeps, creates or adopts it
	Ended   bool // a plan destroys a resource that ends it
}

// Keys of the private data of a plan. Terraform plans the creation half of a replacement without the
// state, but passes on the private data of its first plan. It plans a tainted resource only once, as
// a creation, and passes the private data of that plan to Delete.
const (
	ReplacedKey = "replaced" // of a plan with a state: what a replacement would end
	CreatedKey  = "created"  // of a plan without: the ID of the object, as far as it is known
)

// TaintedUnseen reports whether Delete has the private data of a tainted resource whose plan did not
// show what its destroy does, and returns the ID of the object that the same plan creates.
func TaintedUnseen(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (created string, yes bool) {
	var replaced any
	yes = tfmodel.ReadPrivate(ctx, private, CreatedKey, &created, diags) && !tfmodel.ReadPrivate(ctx, private, ReplacedKey, &replaced, diags)
	return created, yes
}

// KeptTainted returns why Delete must not end an object, or nil. It must not if the resource is tainted
// and no plan has shown what its destroy does. If the same apply configures the object again, it stays
// as it is, and otherwise that is an error. The name is that of the object in messages.
func KeptTainted(ctx context.Context, private tfmodel.PrivateState, id, name string, diags *diag.Diagnostics) diag.Diagnostic {
	switch created, yes := TaintedUnseen(ctx, private, diags); {
	case !yes:
		return nil
	case created == id:
		return diag.NewWarningDiagnostic(name+" Kept", "The resource is tainted, and this apply manages the same object again. So the tainted one was only removed from the Terraform state.")
	}
	return diag.NewErrorDiagnostic("Tainted Resource Not Destroyed", fmt.Sprintf("Destroying the tainted resource changes %s, and the plan did not show that, because Terraform plans a tainted resource like a new one. Nothing was changed. "+
		"Run 'terraform untaint ADDRESS' and plan again.", name))
}

// ForgetPlan removes the private data of a plan from that of a state.
func ForgetPlan(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	for _, key := range []string{ReplacedKey, CreatedKey} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}
}
