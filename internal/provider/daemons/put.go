package daemons

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// planned holds what the states and the plans of one process do with an object.
type planned struct {
	ends    bool // a state that was read would end it on destroy
	managed bool // a plan keeps, creates or adopts it
	ended   bool // a plan destroys a resource that ends it
}

// Keys of the private data of a plan, which hold import IDs. Terraform plans the creation half of a
// replacement without the state, but passes on the private data of its first plan. It plans a
// tainted resource only once, as a creation, and passes the private data of that plan to Delete.
const (
	replacedKey = "replaced" // the object that a replacement would end; empty if it ends none
	createdKey  = "created"  // the object that a creation configures; empty if it is not known yet
)

// forgetPlan removes the private data of a plan from that of a state.
func forgetPlan(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	for _, key := range []string{replacedKey, createdKey} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}
}

// endsTainted reports whether Delete may end an object. It may not if the resource is tainted: no
// plan has shown what its destroy does. If the same apply configures the object again, it stays as it
// is, and otherwise that is an error. planned is the private data of the plan, and kept that of a state
// that stays. The name is that of the object in messages.
func endsTainted(ctx context.Context, planned, kept tfmodel.PrivateState, id, name string, diags *diag.Diagnostics) bool {
	var created, replaced string
	isTainted := tfmodel.ReadPrivate(ctx, planned, createdKey, &created, diags) && !tfmodel.ReadPrivate(ctx, planned, replacedKey, &replaced, diags)
	forgetPlan(ctx, kept, diags)
	switch {
	case !isTainted:
		return true
	case created == id:
		diags.AddWarning(name+" Kept", "The resource is tainted, and this apply manages the same object again. So the tainted one was only removed from the Terraform state.")
	default:
		diags.AddError("Tainted Resource Not Destroyed", fmt.Sprintf("Destroying the tainted resource changes %s, and the plan did not show that, because Terraform plans a tainted resource like a new one. Nothing was changed. "+
			"Run 'terraform untaint ADDRESS' and plan again.", name))
	}
	return false
}

// managedTwice is the warning about an object that two resources of a plan manage.
func managedTwice(at, name string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(at), name+" in Two Resources",
		"Two resources of this plan manage the same object. Applying one overwrites the values of the other. Keep only one of them.")
}

// put is a PUT, which replaces a whole object.
type put[T any] struct {
	name    string // of the object, in messages
	summary string // of the error if it fails
	codes   map[string]string

	live   T
	whole  T // with the members of the live object that the provider does not know
	send   func(T) (*T, error)
	read   func() (*T, error)
	agrees func(T) bool // whether Ops Manager may hold what was sent
}

// do sends the object, and returns what Ops Manager holds afterwards. If Ops Manager rejects unknown
// members, it sends the rest and adds a warning. An empty response is a success only if a read
// confirms it.
func (p put[T]) do(ctx context.Context, d *connection.Data, diags *diag.Diagnostics) (held T, ok bool) {
	if p.checkUnknown(diags); diags.HasError() {
		return held, false
	}
	response, rejected, err := opsmanager.Replace(p.whole, p.send)
	isEmpty := errors.Is(err, opsmanager.ErrEmptyResponse)
	if err != nil && !isEmpty {
		diags.Append(diagnostics.Failure(p.summary, err, p.codes))
		return held, false
	}
	held, agrees := p.settled(ctx, d, response)
	if isEmpty && !agrees {
		diags.Append(diagnostics.Failure(p.summary, err, p.codes))
		return held, false
	}
	if len(rejected) > 0 {
		diags.Append(diagnostics.NotKept(p.name, rejected))
	}
	return held, true
}

// checkUnknown adds an error if a member that is sent, and that the provider does not know, may have a
// mask in place of a secret. A request with the member may store the mask, and one without it may
// remove the secret.
func (p put[T]) checkUnknown(diags *diag.Diagnostics) {
	sent := opsmanager.UnknownNames(p.whole)
	if len(sent) == 0 {
		return
	}
	again, err := p.read()
	if err != nil {
		diags.Append(diagnostics.Failure(p.summary, err, p.codes))
		return
	}
	masked := slices.DeleteFunc(opsmanager.UnknownSecrets(p.live, *again), func(name string) bool { return !slices.Contains(sent, name) })
	if len(masked) > 0 {
		diags.AddError("Unknown Secret", fmt.Sprintf("A change replaces the whole object, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
			"Use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", opsmanager.Sanitize(strings.Join(masked, ", "))))
	}
}

// settled returns what Ops Manager holds after a write with a response, which is nil if it was empty,
// and whether that agrees with what was sent. A server may return old values for a while, so it reads
// until they agree or the settle time is over.
func (p put[T]) settled(ctx context.Context, d *connection.Data, response *T) (held T, agrees bool) {
	if response != nil {
		held, agrees = *response, p.agrees(*response)
	}
	if !agrees {
		d.Settle(ctx, func() bool {
			if live, err := p.read(); err == nil {
				held, agrees = *live, p.agrees(*live)
			}
			return agrees
		})
	}
	return held, agrees
}

// addAdjusted adds an error for each value that Ops Manager changed when it was written.
func addAdjusted(ctx context.Context, differences []tfmodel.Difference, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(differences) {
		diags.Append(d.Adjusted(ctx, ""))
	}
}

// warnStale warns about values that changed after the plan was made. The name is that of
// the object in messages.
func warnStale(name string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning(name+" Changed Since the Plan", "These values differ from the Terraform state that the plan is based on:"+tfmodel.Bulleted(changed)+
			"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
	}
}

// warnCoupled warns about values that changed along with others.
func warnCoupled(name string, changed []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(changed) > 0 {
		diags.AddWarning("Other Values of "+name+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
}

// warnOverwritten warns which values creating a resource overwrites.
func warnOverwritten(name string, overwritten []tfmodel.Difference, diags *diag.Diagnostics) {
	if len(overwritten) > 0 {
		diags.AddWarning("Overwritten Values of "+name, "Creating this resource adopts what exists, and changes:"+tfmodel.Bulleted(overwritten))
	}
}

// gone is the error of updating an object that no longer exists.
func gone(at, summary, name string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(at), summary, fmt.Sprintf("%s no longer exists, so nothing was changed: %s\n\nPlan again. The next plan creates it.", name, diagnostics.Sentence(err)))
}

// values returns the attributes of a configuration, a plan or a state.
func values(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) tfmodel.Values {
	read, found := tfmodel.ReadValues(ctx, from)
	diags.Append(found...)
	return read
}

// isInterrupted reports whether a run was interrupted, as opposed to timed out.
func isInterrupted(run context.Context) bool { return run.Err() != nil }

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)
