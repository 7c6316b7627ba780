package stores

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// Delete deletes the store, and reports its settings. It keeps a store that this process
// created or adopted: with create_before_destroy, Terraform destroys the old object after
// it created the new one, and both are the same store.
func (r *backupStoreResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(state).Delete, defaultDeleteTimeout, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.id()
	r.registry().StartApply()
	kept, guess := wholeobject.KeptTainted(ctx, req.Private, id, r.name(id), &resp.Diagnostics), isGuess(ctx, req.Private, &resp.Diagnostics)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics) // if the deletion fails, the state keeps the private data of its plan
	if kept != nil && !state.flag(adoptExisting).ValueBool() {
		// It may have been a guess: the plan of a tainted resource has no private data of the state.
		tfmodel.WritePrivate(ctx, resp.Private, guessKey, true, &resp.Diagnostics)
	}
	switch {
	case r.registry().HasAdopted(r.key(id)):
		resp.Diagnostics.AddWarning(r.name(id)+" Not Deleted",
			"This apply created or adopted the store before it destroyed the old object of the resource, because of create_before_destroy. Both are the same store, so the old object was only removed from the Terraform state.")
		return
	case state.flag(deletionProtection).ValueBool():
		resp.Diagnostics.Append(r.protected(id))
		return
	case kept != nil:
		resp.Diagnostics.Append(kept)
		return
	case guess:
		resp.Diagnostics.Append(r.guessKept(id))
		return
	case !r.Ready(r.summary("Delete"), &resp.Diagnostics):
		return
	}
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
	r.delete(ctx, update{config: state, plan: state, prior: state, live: *live, known: known, returned: readReturned(ctx, req.Private, &resp.Diagnostics)}, &resp.Diagnostics)
}

// delete deletes a live store. Ops Manager refuses that while the store is in use, which may end
// soon, because the same destroy ends the backups just before. So it waits until the timeout. The
// update, which changes nothing, has what another request needs.
func (r *backupStoreResource) delete(ctx context.Context, u update, diags *diag.Diagnostics) {
	live, id := u.live, u.live.ID
	settings := "These were its settings. To create the store again, use this block with its secrets:\n\n" + wholeobject.Block("opsmanager_"+r.noun, "id", id, r.convertible(), live)
	unassign, problem := r.withAssignment(ctx, u, false)
	var note string
	var err error
	switch {
	case isAssignable(live) && r.deletesWhenUnassignable && problem == "":
		if _, err = r.deletion(live).Do(ctx, r.Client); isRefused(err) {
			note, err = r.deleteUnassignable(ctx, u, unassign, err)
		}
	default:
		if err = r.deleteUnused(ctx, live); isRefused(err) && isAssignable(live) {
			note = endAssignment
			if problem != "" {
				note += " The provider can't do that: " + problem
			}
		}
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

func isAssignable(live opsmanager.BackupStore) bool {
	return live.AssignmentEnabled == nil || *live.AssignmentEnabled
}

// endAssignment is the advice if the deletion of a store may have been refused because
// backups can be assigned to it.
const endAssignment = "Ops Manager may refuse it because backups can be assigned to the store. Set assignment_enabled = false and apply, then destroy again."

// deletion returns the request that deletes a live store.
func (r *backupStoreResource) deletion(live opsmanager.BackupStore) tfmodel.Request[opsmanager.BackupStore] {
	return tfmodel.Request[opsmanager.BackupStore]{
		Name: r.name(live.ID), Before: live, Read: r.reader(live.ID),
		Differences: func(now opsmanager.BackupStore) []tfmodel.Difference { return r.differences(live, now) },
		Send: func(ctx context.Context, _ opsmanager.BackupStore) (*opsmanager.BackupStore, error) {
			return nil, r.Client.DeleteBackupStore(ctx, r.api, live.ID)
		},
	}
}

// deleteUnused deletes a live store as soon as Ops Manager no longer refuses that, until the context ends.
// Then it returns the refusal, which says what to do.
func (r *backupStoreResource) deleteUnused(ctx context.Context, live opsmanager.BackupStore) (err error) {
	var refusal error
	deletion := r.deletion(live)
	_ = r.Wait(ctx, func() (bool, error) {
		if refusal != nil {
			_, err = deletion.Again(ctx, r.Client)
		} else {
			_, err = deletion.Do(ctx, r.Client)
		}
		if isRefused(err) {
			refusal = err
		}
		return !isRefused(err), nil
	})
	if err != nil && !opsmanager.IsGone(err) && refusal != nil && ctx.Err() != nil && !isRefused(err) {
		return errors.Join(refusal, err)
	}
	return err
}

// withAssignment returns the PUT that only sets the assignment of the live store. The problem is not
// empty if the request would lose a part of the store.
func (r *backupStoreResource) withAssignment(ctx context.Context, u update, assignable bool) (p wholeobject.Put[opsmanager.BackupStore], problem string) {
	var diags diag.Diagnostics
	u.wanted = opsmanager.BackupStore{ID: u.live.ID, AssignmentEnabled: &assignable}
	p = r.put(r.summary("Delete"), r.whole(u, &diags), &u)
	if p.RejectUnknownSecrets(ctx, &diags); diags.HasError() {
		return p, diags.Errors()[0].Detail()
	}
	return p, ""
}

// deleteUnassignable deletes a store that Ops Manager refuses to delete, perhaps because
// backups can be assigned to it. It turns the assignment off first, and on again if the
// deletion is refused until the timeout. It returns a note for the error.
func (r *backupStoreResource) deleteUnassignable(ctx context.Context, u update, unassign wholeobject.Put[opsmanager.BackupStore], refusal error) (note string, err error) {
	deadline, _ := ctx.Deadline()
	switch _, _, err := unassign.Request(opsmanager.WithWriteTimeout(ctx, time.Until(deadline)), r.Client); {
	case err == nil:
		live := u.live
		live.AssignmentEnabled = nil // a read may still return the old one
		err = r.deleteUnused(ctx, live)
		if err == nil || opsmanager.IsGone(err) {
			return "", err
		}
		refusal = err
	case !opsmanager.IsUnclear(err):
		return endAssignment + " The provider tried that, too: " + diagnostics.Sentence(err), refusal
	default:
		refusal = errors.Join(refusal, err)
	}
	limit := defaultWriteTimeout
	if errors.Is(ctx.Err(), context.Canceled) {
		limit = 30 * time.Second // Terraform was interrupted, and waits
	}
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if problem := r.makeAssignable(opsmanager.WithWriteTimeout(moment, limit), u); problem != "" {
		return "The provider set assignment_enabled to false for the deletion, but could not set it to true again. Apply the resource to do that. " + problem, refusal
	}
	return "The provider set assignment_enabled to false for the deletion, and to true again.", refusal
}

// makeAssignable turns the assignment of a store on again, and keeps what others have changed since it
// was turned off. It returns why it failed, or an empty text, also if the store is gone.
func (r *backupStoreResource) makeAssignable(ctx context.Context, u update) (problem string) {
	before, read := r.shownSecrets(u.live), r.reader(u.live.ID)
	live, err := read(ctx)
	if err == nil {
		u.live, _ = wholeobject.ReadUntilAgrees(ctx, r.Data, live, read, func(held opsmanager.BackupStore) bool { return !isAssignable(held) })
		for attribute, shown := range r.shownSecrets(u.live) {
			if attribute != customCertificates && shown != before[attribute] && u.known.Differs(attribute, shown) {
				return attribute + " was changed meanwhile, and the request would change it back."
			}
		}
		assign, problem := r.withAssignment(ctx, u, true)
		if problem != "" {
			return problem
		}
		_, _, err = assign.Request(ctx, r.Client)
	}
	if err == nil || opsmanager.IsGone(err) {
		return ""
	}
	return diagnostics.Sentence(err)
}
