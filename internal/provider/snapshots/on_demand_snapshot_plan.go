package snapshots

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans a snapshot, another one if the triggers change, or a change of the
// expiry.
func (r *onDemandSnapshotResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior onDemandSnapshotModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	}
	own := readClaim(ctx, req.Private, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		warnDestroy(prior, own, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.OnDestroy.ValueString() == deleteOnDestroy && prior.OnDestroy.ValueString() != deleteOnDestroy {
		resp.Diagnostics.AddAttributeWarning(path.Root("on_destroy"), fmt.Sprintf("Destroy Deletes the Snapshot of Cluster %s", plan.ClusterID.ValueString()),
			"With on_destroy = \"delete\", destroying this resource, removing it from the configuration, or replacing it deletes the snapshot if the cluster has a later one that is complete. It can't be recovered.")
	}
	if !req.State.Raw.IsNull() {
		planChange(ctx, config, plan, prior, own, resp)
		return
	}
	if hidden, diags := req.Private.GetKey(ctx, hiddenDeletionKey); len(hidden) > 0 || diags.HasError() {
		resp.Diagnostics.AddAttributeError(path.Root("on_destroy"), fmt.Sprintf("Replacement Deletes the Snapshot of Cluster %s", plan.ClusterID.ValueString()),
			"The plan replaces this resource because of -replace or replace_triggered_by. With on_destroy = \"delete\", that deletes the previous snapshot, and Terraform does not show the provider's warnings about it. "+
				"Change triggers instead, or set on_destroy = \"keep\" and apply that first, without -replace or replace_triggered_by.")
		return
	}
	r.planCreation(ctx, config, &plan, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// planChange plans another snapshot if the triggers or the cluster change, or else a change of the
// expiry.
func planChange(ctx context.Context, config, plan, prior onDemandSnapshotModel, own claim, resp *resource.ModifyPlanResponse) {
	adoptsTriggers := own.Imported && prior.Triggers.IsNull()
	replaces := !plan.ProjectID.Equal(prior.ProjectID) || !plan.ClusterID.Equal(prior.ClusterID)
	if !plan.Triggers.Equal(prior.Triggers) && !adoptsTriggers {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("triggers"))
		replaces = true
	}
	deletes := prior.OnDestroy.ValueString() == deleteOnDestroy && own.mayDelete() && !prior.Gone.ValueBool()
	if replaces {
		if deletes {
			warnDestroy(prior, own, &resp.Diagnostics)
		}
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, hiddenDeletionKey, nil)...)
		return
	}
	// Terraform plans the creation of a replacement without the state. The private data tells
	// that plan what it replaces.
	var hidden []byte
	if deletes {
		hidden = []byte("true")
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, hiddenDeletionKey, hidden)...)
	plan = plannedSnapshot(config, prior, plan)
	if own.Guess && changesExpiry(plan, prior) && !prior.Gone.ValueBool() {
		resp.Diagnostics.Append(plan.notChanged())
		return
	}
	warnExpiry(plan, prior, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// hiddenDeletionKey is the key of the private data of a plan that records that a replacement
// would delete a snapshot without a warning.
const hiddenDeletionKey = "hidden_deletion"

// planCreation plans a new snapshot, whose expiry Ops Manager computes unless it is
// configured. It fails if the creation is certain to fail.
func (r *onDemandSnapshotResource) planCreation(ctx context.Context, config onDemandSnapshotModel, plan *onDemandSnapshotModel, diags *diag.Diagnostics) {
	if config.RetentionDays.IsNull() {
		diags.AddAttributeError(path.Root("retention_days"), "Missing Retention of the Snapshot",
			"Ops Manager requires the days to keep a snapshot. Set retention_days. To manage an existing snapshot instead, import it.")
	}
	if config.DoNotDelete.ValueBool() {
		plan.Expires = types.StringNull()
	}
	warnExpiry(*plan, onDemandSnapshotModel{}, diags)
	if r.Data != nil && r.Client != nil && !diags.HasError() && !plan.ProjectID.IsUnknown() && !plan.ClusterID.IsUnknown() {
		plan.snapshots(r.Data).checkCluster(ctx, previewSummary, diags)
	}
}

// plannedSnapshot returns the planned model of an update: the configured values, and the
// state for the rest.
func plannedSnapshot(config, prior, plan onDemandSnapshotModel) onDemandSnapshotModel {
	plan.ID, plan.Created, plan.Complete, plan.Gone = prior.ID, prior.Created, prior.Complete, prior.Gone
	plan.DoNotDelete = tfmodel.ConfiguredOrPrior(config.DoNotDelete, prior.DoNotDelete)
	plan.Expires = tfmodel.ConfiguredOrPrior(config.Expires, prior.Expires)
	if prior.Gone.ValueBool() {
		return plan // nothing is sent
	}
	retained := !config.RetentionDays.IsNull() && !config.RetentionDays.Equal(prior.RetentionDays)
	released := prior.DoNotDelete.ValueBool() && !plan.DoNotDelete.ValueBool()
	switch {
	case plan.DoNotDelete.ValueBool() && config.Expires.IsNull():
		plan.Expires = types.StringNull()
	case !config.Expires.IsNull():
		if config.DoNotDelete.IsNull() {
			plan.DoNotDelete = types.BoolValue(false) // someone else set it
		}
	case plan.DoNotDelete.IsUnknown():
		plan.Expires = types.StringUnknown()
	case retained || released:
		plan.Expires = expiryAfter(prior.Created, config.RetentionDays)
	}
	if isSameTime(plan.Expires, prior.Expires) {
		plan.Expires = prior.Expires
	}
	if changesExpiry(plan, prior) {
		plan.readsMissing(prior)
	}
	return plan
}

// readsMissing makes the values unknown that the state lacks, because an apply that changes the
// expiry reads them.
func (m *onDemandSnapshotModel) readsMissing(prior onDemandSnapshotModel) {
	if prior.ID.IsNull() {
		m.ID = types.StringUnknown()
	}
	if m.Expires.IsNull() && !m.DoNotDelete.ValueBool() {
		m.Expires = types.StringUnknown()
	}
	if m.DoNotDelete.IsNull() {
		m.DoNotDelete = types.BoolUnknown()
	}
	if prior.Created.IsNull() {
		m.Created = types.StringUnknown()
	}
	if !prior.Complete.ValueBool() {
		m.Complete = types.BoolUnknown()
	}
	if prior.Gone.IsNull() {
		m.Gone = types.BoolUnknown()
	}
}

// warnExpiry warns if Ops Manager may delete a snapshot at once.
func warnExpiry(plan, prior onDemandSnapshotModel, diags *diag.Diagnostics) {
	at := tfmodel.ParseTime(tfmodel.StringPointer(plan.Expires))
	if at != nil && at.Before(time.Now()) && !plan.Expires.Equal(prior.Expires) && !prior.Gone.ValueBool() {
		diags.AddAttributeWarning(path.Root("expires"), fmt.Sprintf("Expiry of the Snapshot of Cluster %s in the Past", plan.ClusterID.ValueString()),
			fmt.Sprintf("%s is in the past, so Ops Manager deletes the snapshot at the next opportunity, and then rejects a new expiry.", plan.Expires.ValueString()))
	}
}

// warnDestroy warns how destroying a resource affects its snapshot. It fails if Ops Manager
// would refuse to delete the snapshot.
func warnDestroy(prior onDemandSnapshotModel, own claim, diags *diag.Diagnostics) {
	snapshot := prior.title()
	deletes := prior.OnDestroy.ValueString() == deleteOnDestroy
	switch {
	case prior.Gone.ValueBool():
	case deletes && (!own.mayDelete() || prior.ID.IsNull()):
		diags.Append(prior.notDeleted())
	case deletes && prior.DoNotDelete.ValueBool():
		diags.AddAttributeError(path.Root("on_destroy"), "Snapshot Is Held",
			"do_not_delete is true in the Terraform state, and on_destroy is \"delete\": Ops Manager does not delete a snapshot that is held. Set do_not_delete = false, or on_destroy = \"keep\", and apply that before you destroy the resource or change triggers.")
	case deletes:
		diags.AddAttributeWarning(path.Root("on_destroy"), "Deletion of "+snapshot,
			"Destroying this resource deletes the snapshot, because on_destroy is \"delete\" in the Terraform state. It can't be recovered. "+
				"The apply fails unless the cluster has a later complete snapshot. "+
				"The next snapshot may be a full one, and points in time that start at the snapshot can no longer be restored. To keep it, set on_destroy = \"keep\" and apply that first.")
	default:
		diags.AddWarning(snapshot+" Removed Only From the State",
			"Destroying this resource sends no request. Ops Manager keeps the snapshot until it expires.")
	}
}

// mayDelete reports whether the snapshot is known, or will be when it is complete.
func (c claim) mayDelete() bool { return c.Known || c.Request != nil }

// notDeleted warns that a snapshot is not deleted, because the provider only guesses that it is
// the requested one, or has not found it.
func (m onDemandSnapshotModel) notDeleted() diag.Diagnostic {
	reason := "The provider does not know for certain that this snapshot is the one that the resource requested. Delete it in Ops Manager if it is. Ops Manager keeps it until it expires."
	if m.ID.IsNull() {
		reason = "The provider has not found the snapshot that the resource requested. If it appears, Ops Manager keeps it until it expires."
	}
	return diag.NewWarningDiagnostic(m.title()+" Removed Only From the State", "Destroying this resource deletes nothing, although on_destroy is \"delete\". "+reason)
}

// title names a snapshot in the summary of a warning.
func (m onDemandSnapshotModel) title() string {
	if m.ID.IsNull() {
		return fmt.Sprintf("Requested Snapshot of Cluster %s", m.ClusterID.ValueString())
	}
	return fmt.Sprintf("Snapshot %s of Cluster %s", m.ID.ValueString(), m.ClusterID.ValueString())
}
