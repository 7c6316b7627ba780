package restores

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// replacedKey is the key of the private data of a plan that records that the resource has a state.
const replacedKey = "replaced"

// ModifyPlan plans a restore if the resource is new or its triggers change. Otherwise it keeps
// the restore.
func (r *restoreJobResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, prior restoreJobModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	}
	if req.Plan.Raw.IsNull() {
		if r.addStored(prior) {
			resp.Diagnostics.Append(prior.repeated())
		}
		resp.Diagnostics.AddWarning(fmt.Sprintf("Restore of Cluster %s Only Removed From the State", prior.ClusterID.ValueString()),
			"Destroying this resource sends no request. The restored data stays as it is, and a restore in progress continues.")
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		replaced, diags := req.Private.GetKey(ctx, replacedKey)
		resp.Diagnostics.Append(diags...)
		if r.addNew(plan) || len(replaced) > 0 {
			resp.Diagnostics.Append(plan.repeated())
			return
		}
		r.planRestore(ctx, plan, &resp.Diagnostics)
		return
	}
	// Terraform plans the creation of a replacement without the state, and doesn't show the
	// warnings of that plan. The private data tells that plan that it is part of a
	// replacement.
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, []byte("true"))...)
	imported, diags := req.Private.GetKey(ctx, importedKey)
	resp.Diagnostics.Append(diags...)
	if isImported := len(imported) > 0 && prior.Triggers.IsNull(); isImported || sameTriggers(plan.Triggers, prior.Triggers) {
		var lost lostRequest
		if tfmodel.ReadPrivate(ctx, req.Private, lostKey, &lost, &resp.Diagnostics) && len(lost.Candidates) > 0 {
			resp.Diagnostics.AddError(ambiguous(prior, lost))
		}
		plan.keep(prior, isImported, &resp.Diagnostics)
		if r.addStored(plan) {
			resp.Diagnostics.Append(plan.repeated())
		}
		if r.addKept(plan) {
			resp.Diagnostics.Append(plan.belongsToAnother())
		}
	} else {
		plan.ID, plan.BatchID, plan.StatusName = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
		plan.Jobs, plan.DownloadURLs = types.ListUnknown(jobType), types.MapUnknown(types.StringType)
		r.planRestore(ctx, plan, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// sameTriggers reports whether triggers are equal. An empty map equals no triggers.
func sameTriggers(a, b types.Map) bool {
	isEmpty := func(m types.Map) bool { return !m.IsUnknown() && len(m.Elements()) == 0 }
	return a.Equal(b) || isEmpty(a) && isEmpty(b)
}

// keep makes a plan keep the restore of the state. It warns if the configuration has another
// source or target, unless the restore was imported: Ops Manager does not return them.
func (m *restoreJobModel) keep(prior restoreJobModel, isImported bool, diags *diag.Diagnostics) {
	m.ID, m.BatchID, m.StatusName, m.Jobs, m.DownloadURLs = prior.ID, prior.BatchID, prior.StatusName, prior.Jobs, prior.DownloadURLs
	var kept []tfmodel.Difference
	keepValue(&m.ProjectID, prior.ProjectID, "project_id", &kept)
	keepValue(&m.ClusterID, prior.ClusterID, "cluster_id", &kept)
	if !isImported {
		keepValue(&m.SnapshotID, prior.SnapshotID, "snapshot_id", &kept)
		keepValue(&m.PointInTimeUTCMillis, prior.PointInTimeUTCMillis, "point_in_time_utc_millis", &kept)
		keepValue(&m.OplogTs, prior.OplogTs, "oplog_ts", &kept)
		keepValue(&m.OplogInc, prior.OplogInc, "oplog_inc", &kept)
		keepValue(&m.TargetProjectID, prior.TargetProjectID, "target_project_id", &kept)
		keepValue(&m.TargetClusterID, prior.TargetClusterID, "target_cluster_id", &kept)
		keepValue(&m.MaxDownloads, prior.MaxDownloads, "max_downloads", &kept)
		keepValue(&m.Expires, prior.Expires, "expires", &kept)
		keepValue(&m.ExpirationHours, prior.ExpirationHours, "expiration_hours", &kept)
	}
	if len(kept) == 0 {
		return
	}
	const rule = "Only a change of triggers starts another restore."
	for _, d := range kept {
		if d.Held == nullText || d.Wanted == nullText { // Terraform does not let a plan keep them
			diags.AddAttributeError(path.Root(d.Attribute), "Changed Restore Without Changed Triggers",
				fmt.Sprintf("The configuration changes %s. %s Change triggers too, or configure the previous values again.", d, rule))
			return
		}
	}
	diags.AddWarning(fmt.Sprintf("No Other Restore of Cluster %s", prior.ClusterID.ValueString()),
		fmt.Sprintf("The configuration describes another restore:%s\n\n%s So the plan keeps the previous restore.", tfmodel.Bulleted(kept), rule))
}

// nullText is a null value in a Difference.
const nullText = "null"

// keepValue makes a plan keep the value of the state, and records a difference from the
// configuration. The case of an ID is not a difference.
func keepValue[T attr.Value](planned *T, prior T, attribute string, kept *[]tfmodel.Difference) {
	wanted := *planned
	if sameText(wanted, prior) {
		*planned = prior
		return
	}
	if !prior.IsNull() && !wanted.IsNull() {
		*planned = prior
	}
	if !wanted.IsUnknown() {
		*kept = append(*kept, tfmodel.Difference{Attribute: attribute, Held: shown(prior), Wanted: shown(wanted)})
	}
}

func shown(value attr.Value) string {
	if value.IsNull() {
		return nullText
	}
	return value.String()
}

// planRestore fails if a restore is certain to fail, and warns about what it overwrites.
func (r *restoreJobResource) planRestore(ctx context.Context, m restoreJobModel, diags *diag.Diagnostics) {
	if m.checkComplete(diags); diags.HasError() {
		return
	}
	if r.Data == nil || r.Client == nil {
		return
	}
	if !m.ProjectID.IsUnknown() && !m.ClusterID.IsUnknown() {
		r.checkSource(ctx, m, diags)
	}
	if m.TargetProjectID.IsUnknown() || m.TargetClusterID.IsUnknown() {
		return
	}
	if target := r.checkTarget(ctx, m, previewSummary, diags); target != nil {
		name := diagnostics.OrDash(target.Name())
		diags.AddAttributeWarning(path.Root("target_cluster_id"), fmt.Sprintf("Restore Overwrites Cluster %s", name),
			fmt.Sprintf("The apply restores %s into cluster %s, which is called %q. It replaces all data of that cluster.", m.source(), m.TargetClusterID.ValueString(), name))
	}
}

// checkSource fails if the source of a restore can't be restored.
func (r *restoreJobResource) checkSource(ctx context.Context, m restoreJobModel, diags *diag.Diagnostics) {
	switch {
	case tfmodel.StringPointer(m.SnapshotID) != nil:
		r.checkSnapshot(ctx, m, diags)
	case tfmodel.Int64Pointer(m.PointInTimeUTCMillis) != nil:
		r.checkTime(ctx, m, time.UnixMilli(m.PointInTimeUTCMillis.ValueInt64()), diags)
	case tfmodel.Int64Pointer(m.OplogTs) != nil:
		r.checkTime(ctx, m, time.Unix(m.OplogTs.ValueInt64(), 0), diags)
	}
}

// checkComplete fails if a restore has no source or no delivery.
func (m restoreJobModel) checkComplete(diags *diag.Diagnostics) {
	if m.SnapshotID.IsNull() && m.PointInTimeUTCMillis.IsNull() && m.OplogTs.IsNull() {
		diags.AddAttributeError(path.Root("snapshot_id"), "Restore Without a Source",
			"A restore needs a source. Set snapshot_id, point_in_time_utc_millis, or oplog_ts and oplog_inc.")
	}
	if m.TargetClusterID.IsNull() && m.MaxDownloads.IsNull() {
		diags.AddAttributeError(path.Root("target_cluster_id"), "Restore Without a Target",
			"A restore needs a target. Set target_project_id, target_cluster_id and target_cluster_name, or set max_downloads for a link for downloads.")
	}
}

// sourceAttribute returns the attribute that says what is restored.
func (m restoreJobModel) sourceAttribute() string {
	switch {
	case !m.PointInTimeUTCMillis.IsNull():
		return "point_in_time_utc_millis"
	case !m.OplogTs.IsNull():
		return "oplog_ts"
	}
	return "snapshot_id"
}

// source describes what is restored.
func (m restoreJobModel) source() string {
	text := "snapshot " + m.SnapshotID.ValueString()
	switch {
	case m.SnapshotID.IsUnknown():
		text = "a snapshot that is not known yet"
	case m.PointInTimeUTCMillis.IsUnknown(), m.OplogTs.IsUnknown(), m.OplogInc.IsUnknown():
		text = "a point in time that is not known yet"
	case !m.PointInTimeUTCMillis.IsNull():
		text = "the point in time " + time.UnixMilli(m.PointInTimeUTCMillis.ValueInt64()).UTC().Format(time.RFC3339Nano)
	case !m.OplogTs.IsNull():
		text = fmt.Sprintf("the oplog entry %s, %d,", time.Unix(m.OplogTs.ValueInt64(), 0).UTC().Format(time.RFC3339), m.OplogInc.ValueInt64())
	}
	if m.ClusterID.IsUnknown() {
		return text + " of a cluster that is not known yet"
	}
	return text + " of cluster " + m.ClusterID.ValueString()
}

// checkSnapshot fails if the cluster has no such snapshot, or if the snapshot is not complete.
// It only warns if the snapshot has expired: Ops Manager may delete it before the apply, but
// keeps the last snapshot of a cluster.
func (r *restoreJobResource) checkSnapshot(ctx context.Context, m restoreJobModel, diags *diag.Diagnostics) {
	snapshot, err := r.Client.ClusterSnapshot(ctx, m.ProjectID.ValueString(), m.ClusterID.ValueString(), m.SnapshotID.ValueString())
	if err != nil {
		diags.Append(m.failure(previewSummary, err))
		return
	}
	if snapshot.Complete != nil && !*snapshot.Complete {
		diags.AddAttributeError(path.Root("snapshot_id"), previewSummary,
			fmt.Sprintf("Snapshot %s is still being taken. Wait until it is complete, or restore another one.", m.SnapshotID.ValueString()))
		return
	}
	if expires := tfmodel.ParseTime(snapshot.Expires); expires != nil && expires.Before(time.Now()) {
		diags.AddAttributeWarning(path.Root("snapshot_id"), fmt.Sprintf("Snapshot %s Has Expired", m.SnapshotID.ValueString()),
			fmt.Sprintf("Snapshot %s expired at %s. Ops Manager may delete it at any time, and then rejects the restore.", m.SnapshotID.ValueString(), opsmanager.Sanitize(*snapshot.Expires)))
	}
}

// checkTime fails if no restorable time range contains the time. It checks nothing if Ops Manager
// does not offer time ranges.
func (r *restoreJobResource) checkTime(ctx context.Context, m restoreJobModel, at time.Time, diags *diag.Diagnostics) {
	ranges, err := r.Client.RestorableTimeRanges(ctx, m.ProjectID.ValueString(), m.ClusterID.ValueString())
	switch {
	case opsmanager.IsUnsupported(err):
		return
	case err != nil:
		diags.Append(m.failure(previewSummary, err))
		return
	}
	var listed strings.Builder
	for _, one := range ranges {
		if one.Start == nil || one.End == nil {
			return // the ranges are not known
		}
		start, end := tfmodel.ParseTime(one.Start.Date), tfmodel.ParseTime(one.End.Date)
		if start == nil || end == nil || !at.Before(*start) && at.Before(end.Add(time.Second)) {
			return
		}
		fmt.Fprintf(&listed, "\n  - %s to %s (%d to %d milliseconds)", start.Format(time.RFC3339), end.Format(time.RFC3339), start.UnixMilli(), end.UnixMilli())
	}
	detail := fmt.Sprintf("Cluster %s cannot be restored to %s. ", m.ClusterID.ValueString(), at.UTC().Format(time.RFC3339Nano))
	if len(ranges) == 0 {
		detail += "Ops Manager has no point in time that can be restored. Restore a snapshot."
	} else {
		detail += "These ranges can be restored:" + listed.String()
	}
	diags.AddAttributeError(path.Root(m.sourceAttribute()), "Point in Time Not Restorable", detail)
}

// checkTarget returns the target of a restore, or nil if there is none. It fails if the name of
// the target is not the confirmed one, unless that is not known yet.
func (r *restoreJobResource) checkTarget(ctx context.Context, m restoreJobModel, summary string, diags *diag.Diagnostics) *opsmanager.Cluster {
	if m.TargetClusterID.IsNull() {
		return nil
	}
	id := m.TargetClusterID.ValueString()
	target, err := r.Client.Cluster(ctx, m.TargetProjectID.ValueString(), id)
	if err != nil {
		diags.Append(diagnostics.Failure(summary, err, targetCodes))
		return nil
	}
	if !opsmanager.WholeClusters([]opsmanager.Cluster{*target})(*target) {
		diags.AddAttributeError(path.Root("target_cluster_id"), summary,
			fmt.Sprintf("Cluster %s is a part of a sharded cluster, which can only be restored as a whole. Use the ID of the sharded cluster.", id))
		return nil
	}
	if name := target.Name(); !m.TargetClusterName.IsUnknown() && (name == nil || *name != m.TargetClusterName.ValueString()) {
		diags.AddAttributeError(path.Root("target_cluster_name"), "Target Has Another Name",
			fmt.Sprintf("Cluster %s of project %s is called %q, but target_cluster_name is %q. A restore replaces all data of its target. "+
				"Check that target_cluster_id is the cluster to overwrite, then set target_cluster_name to its name.",
				id, m.TargetProjectID.ValueString(), diagnostics.OrDash(name), m.TargetClusterName.ValueString()))
		return nil
	}
	return target
}
