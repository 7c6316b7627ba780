package stores

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Delete deletes the store, and reports its settings. It keeps a store that this process
// created or adopted: with create_before_destroy, Terraform destroys the old object after
// it created the new one, and both are the same store.
func (r *backupStoreResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	timeout, diags := timeoutsOf(state).Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.id()
	r.registry().StartApply()
	switch {
	case r.registry().HasAdopted(r.key(id)):
		resp.Diagnostics.AddWarning(r.name(id)+" Not Deleted",
			"This apply created or adopted the store before it destroyed the old object of the resource, because of create_before_destroy. Both are the same store, so the old object was only removed from the Terraform state.")
		return
	case state.flag(deletionProtection).ValueBool():
		resp.Diagnostics.Append(r.protected(id))
		return
	case !r.Ready(r.summary("Delete"), &resp.Diagnostics):
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	live, err := r.Client.BackupStore(ctx, r.api, id)
	switch {
	case opsmanager.IsGone(err):
		return
	case err != nil:
		resp.Diagnostics.Append(r.deletionFailure(err, "Nothing was deleted."))
		return
	}
	var known secrets.ReadBack
	tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &known, &resp.Diagnostics)
	r.delete(ctx, update{config: state, plan: state, prior: state, live: *live, known: known}, &resp.Diagnostics)
}

// delete deletes a live store. The update, which changes nothing, has what another request needs.
func (r *backupStoreResource) delete(ctx context.Context, u update, diags *diag.Diagnostics) {
	live, id := u.live, u.live.ID
	settings := "These were its settings. To create the store again, use this block with its secrets:\n\n" + r.hcl(live)
	err, note := r.Client.DeleteBackupStore(ctx, r.api, id), ""
	assignable := live.AssignmentEnabled == nil || *live.AssignmentEnabled
	switch {
	case isRefused(err) && r.deletesWhenUnassignable && assignable:
		note, err = r.deleteUnassignable(ctx, u, err)
	case isRefused(err) && assignable:
		note = endAssignment
	}
	switch {
	case err == nil, opsmanager.IsGone(err):
		diags.AddWarning(r.name(id)+" Deleted", settings)
	default:
		if opsmanager.IsUnclear(err) {
			diags.AddWarning(r.name(id)+" May Have Been Deleted",
				"The response to the delete request was lost. The store stays in the Terraform state, and the next plan shows whether it still exists. "+settings)
		}
		diags.Append(r.deletionFailure(err, note))
	}
}

// endAssignment is the advice if the deletion of a store may have been refused because
// backups can be assigned to it.
const endAssignment = "Ops Manager may also refuse it because backups can be assigned to the store. Set assignment_enabled = false and apply, then destroy again."

// deleteUnassignable deletes a store that Ops Manager refuses to delete, perhaps because
// backups can be assigned to it. It turns the assignment off first, and on again if the
// deletion is refused until the timeout. It returns a note for the error.
func (r *backupStoreResource) deleteUnassignable(ctx context.Context, u update, refusal error) (note string, err error) {
	var diags diag.Diagnostics
	live := u.live
	r.setOIDC(&live, u)
	r.setCertificates(&live, u, &diags)
	r.setSecrets(&live, u.config, u.plan)
	r.keepSecrets(&live, u, &diags)
	if diags.HasError() {
		return endAssignment, refusal
	}
	live.UsedSize, live.ObjectLockEnabledAt = nil, nil
	omitLock(&live)
	refused := refusal
	assign := func(ctx context.Context, enabled bool) error {
		live.AssignmentEnabled = new(enabled)
		_, err := r.Client.UpdateBackupStore(ctx, r.api, live)
		return err
	}
	if err := assign(ctx, false); err != nil {
		if !opsmanager.IsUnclear(err) {
			return endAssignment + " The provider tried that, too: " + diagnostics.Sentence(err), refusal
		}
		refusal = errors.Join(refusal, err)
	} else {
		refusal = nil
	}
	if refusal == nil {
		waited := r.Wait(ctx, func() (bool, error) {
			refusal = r.Client.DeleteBackupStore(ctx, r.api, live.ID)
			if isRefused(refusal) {
				refused = refusal
				return ctx.Err() != nil, nil
			}
			return true, nil
		})
		if refusal != nil && !isRefused(refusal) && !opsmanager.IsGone(refusal) && ctx.Err() != nil {
			refusal = errors.Join(refused, refusal) // the refusal says what to do
		}
		if waited == nil && (refusal == nil || opsmanager.IsGone(refusal)) {
			return "", refusal
		}
	}
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := assign(moment, true); err != nil && !opsmanager.IsGone(err) {
		return "The provider set assignment_enabled to false for the deletion, but could not set it to true again. Apply the resource to do that. " + diagnostics.Sentence(err), refusal
	}
	return "The provider set assignment_enabled to false for the deletion, and to true again.", refusal
}
