package restores

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan plans a restore if the resource is new or its triggers change. Otherwise it keeps
// the restore.
func (r *restoreJobResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	var plan, prior restoreJobModel
	if !req.State.Raw.IsNull() {
		prior = tf.Read[restoreJobModel](ctx, req.State, diags)
	}
	if req.Plan.Raw.IsNull() {
		diags.Append(r.addStored(ctx, prior)...)
		diags.Append(tf.Forgotten("Restore of Cluster "+prior.ClusterID.ValueString(),
			"The restored data stays as it is, and a restore in progress continues, unless this plan also deletes what it reads: its snapshot, or the backup of its cluster."))
		return
	}
	plan = tf.Read[restoreJobModel](ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.planRestore(ctx, plan, created, nil, diags)
		return
	}
	var point string // that of an imported restore
	isImported := tf.ReadPrivate(ctx, req.Private, importedKey, &point, diags) && prior.triggers().IsNull()
	if prior.isLost() {
		diags.Append(r.undecided(ctx, prior, ""))
		return
	}
	r.claimSource(prior, diags)
	if !isImported && !plan.triggers().Equal(prior.triggers()) {
		r.planRestore(ctx, plan, updated, prior.known(), diags)
		return
	}
	values := tf.ValuesOf(plan)
	if isImported {
		prior.keepImported(values, plan, point, diags)
	} else {
		prior.keepRestore(values, diags)
	}
	tf.WriteValues(ctx, &resp.Plan, values, diags)
	plan = tf.Read[restoreJobModel](ctx, resp.Plan, diags)
	diags.Append(r.addStored(ctx, plan)...)
}

// keepRestore makes a plan keep the restore of the state. It warns if the configuration has another
// source or target.
func (m restoreJobModel) keepRestore(plan tf.Values, diags *diag.Diagnostics) {
	kept := m.keep(plan, "project_id", "cluster_id", "snapshot_id", "point_in_time", "oplog_ts", "oplog_inc",
		"target_project_id", "target_cluster_id", "max_downloads", "expires", "expiration_hours")
	if len(kept) > 0 && !cannotKeep(kept, diags) {
		diags.AddWarning(fmt.Sprintf("Restore of Cluster %s Will Be Kept", m.ClusterID.ValueString()),
			fmt.Sprintf("The configuration describes a different restore, or may do so:%s\n\n%s So the plan keeps the previous restore.", tf.Bulleted(kept), onlyTriggers))
	}
}

const onlyTriggers = "Only a change of triggers starts a new restore."

// keepImported makes a plan keep the imported restore of the state. Ops Manager returns neither its target nor its
// triggers. It warns if these are configured, because nothing is restored, and if the configuration
// has another source. The point is that of the imported restore, or empty.
func (m restoreJobModel) keepImported(plan tf.Values, configured restoreJobModel, point string, diags *diag.Diagnostics) {
	all := []string{"project_id", "cluster_id", "snapshot_id", "max_downloads", "target_project_id", "target_cluster_id"}
	known := slices.DeleteFunc(all, func(attribute string) bool { return tf.ValuesOf(m)[attribute].IsNull() })
	kept := m.keep(plan, known...)
	at := tf.ParseTime(&point)
	wanted := configured.instant()
	if point != "" && !configured.SnapshotID.IsNull() {
		kept = append(kept, tf.Difference{
			Attribute: "snapshot_id",
			Held:      nullText,
			Wanted:    shown(configured.SnapshotID),
		})
	} else if at != nil && wanted != nil && !at.Truncate(time.Second).Equal(wanted.Truncate(time.Second)) {
		kept = append(kept, tf.Difference{
			Attribute: configured.sourceAttribute(),
			Held:      point,
			Wanted:    wanted.UTC().Format(time.RFC3339Nano),
		})
	}
	if len(kept) == 0 && configured.triggers().IsNull() || cannotKeep(kept, diags) {
		return
	}
	detail := fmt.Sprintf("The resource keeps the imported restore %s, and stores the configured triggers and, if it has none yet, the target. Nothing is restored. To restore again, change triggers in a later apply.", opsmanager.Sanitize(m.ID.ValueString()))
	if len(kept) > 0 {
		detail += "\n\nThe configuration describes a restore other than the imported one:" + tf.Bulleted(kept)
	}
	diags.AddWarning(fmt.Sprintf("Imported Restore of Cluster %s Will Be Kept", m.ClusterID.ValueString()), detail)
}

// keep makes a plan keep the computed values of the state, and those of some attributes, and returns where these differ from the
// configuration. Neither the case of an ID nor the spelling of a time is a difference. A value that is not known yet may be one.
func (m restoreJobModel) keep(plan tf.Values, attributes ...string) (kept []tf.Difference) {
	prior := tf.ValuesOf(m)
	for _, computed := range []string{"id", "batch_id", "status_name", "jobs", "download_urls"} {
		plan[computed] = prior[computed]
	}
	for _, attribute := range attributes {
		was, wanted := prior[attribute], plan[attribute]
		isSame := sameText(wanted, was)
		if isSame || !was.IsNull() && !wanted.IsNull() {
			plan[attribute] = was
		}
		if !isSame {
			kept = append(kept, tf.Difference{
				Attribute: attribute,
				Held:      shown(was),
				Wanted:    shown(wanted),
			})
		}
	}
	return kept
}

// cannotKeep reports whether Terraform does not let a plan keep a value, because the configuration
// adds or removes it. If so, it adds an error.
func cannotKeep(kept []tf.Difference, diags *diag.Diagnostics) bool {
	for _, d := range kept {
		if d.Held == nullText || d.Wanted == nullText {
			diags.AddAttributeError(path.Root(d.Attribute), "Changed Restore Without Changed Triggers",
				fmt.Sprintf("The configuration changes %s. %s Change triggers too, or configure the previous values again.", d, onlyTriggers))
			return true
		}
	}
	return false
}

// nullText is a null value in a Difference.
const nullText = "null"

// shown returns the text of a value in a Difference.
func shown(value attr.Value) string {
	switch {
	case value.IsNull():
		return nullText
	case value.IsUnknown():
		return "a value that is not known yet"
	}
	return value.String()
}

// planRestore fails if a restore is certain to fail, and warns about what it overwrites. The previous
// jobs are those of the state.
func (r *restoreJobResource) planRestore(
	ctx context.Context, m restoreJobModel, does doing, previous []opsmanager.RestoreJob, diags *diag.Diagnostics,
) {
	r.addStarted(ctx, m, does, diags)
	if m.checkComplete(diags); diags.HasError() {
		return
	}
	hasClient := r.HasClient()
	isTargetKnown := hasClient && !m.TargetProjectID.IsUnknown() && !m.TargetClusterID.IsUnknown()
	if !m.TargetClusterID.IsNull() && !isTargetKnown {
		m.warnLateTarget(diags)
	}
	if !hasClient || diags.HasError() {
		return
	}
	var taken, earlier string
	if !m.HasUnknownID() {
		var problems diag.Diagnostics
		taken = r.checkSource(ctx, m, &problems)
		diags.Append(tf.OfNew(problems)...)
		earlier = r.earlier(ctx, m, does, previous)
	}
	var target *opsmanager.Cluster
	if isTargetKnown {
		var refused error
		if target, refused = r.checkTarget(ctx, m, previewSummary); refused != nil {
			diags.Append(tf.Failure(previewSummary, refused))
		}
	}
	switch {
	case target != nil:
		diags.AddAttributeWarning(path.Root("target_cluster_id"), fmt.Sprintf("Restore Will Overwrite Cluster %s of Project %s", m.TargetClusterID.ValueString(), m.TargetProjectID.ValueString()),
			fmt.Sprintf("The apply restores %s into this cluster, and replaces all its data.%s%s", m.source(), taken, earlier))
		r.warnShards(ctx, m, *target, diags)
	case does == updated && !diags.HasError():
		diags.AddAttributeWarning(path.Root("triggers"), fmt.Sprintf("Backup of Cluster %s Will Be Restored Again", m.ClusterID.ValueString()),
			fmt.Sprintf("triggers changed, so the apply restores %s to another download link. The links of the previous restore leave the state.%s", m.source(), earlier))
	case earlier != "" && !diags.HasError():
		diags.AddWarning(fmt.Sprintf("Other Restores of Cluster %s Exist", m.ClusterID.ValueString()), strings.TrimSpace(earlier))
	}
}

// earlier says which restores of the cluster there are already, down to the previous jobs, or returns "". Terraform may have no
// state of them, such as after a run that was killed.
func (r *restoreJobResource) earlier(ctx context.Context, m restoreJobModel, does doing, previous []opsmanager.RestoreJob) string {
	newest := r.newest(ctx, m, previous)
	if newest == "" {
		return ""
	}
	instead := "import"
	if does == invoked {
		instead = "wait for"
	}
	return "\n\n" + newest + "\n\nIf a run that was killed has started this restore, " + instead + " that one instead of starting another."
}

// warnLateTarget warns of a target that can be checked only during the apply. Only a known name confirms it.
func (m restoreJobModel) warnLateTarget(diags *diag.Diagnostics) {
	if m.TargetClusterName.IsUnknown() || m.TargetClusterName.IsNull() {
		diags.AddAttributeError(path.Root("target_cluster_name"), "Target Not Confirmed",
			"target_cluster_name confirms which cluster the restore overwrites, and this plan knows neither the name nor what the cluster is called. Write the name itself.")
		return
	}
	diags.AddAttributeWarning(path.Root("target_cluster_id"), "Restore Will Overwrite Cluster "+m.TargetClusterName.ValueString(),
		fmt.Sprintf("The apply restores %s into the cluster with this name, and replaces all its data. This plan can't check the cluster, because its ID or the connection is known only during the apply. "+
			"The apply fails if the cluster has another name.", m.source()))
}

// checkComplete fails if a restore has no source or no delivery, or overwrites its source although
// overwrite_source does not say so. Terraform plans again in the apply, when all values are known.
func (m restoreJobModel) checkComplete(diags *diag.Diagnostics) {
	if m.SnapshotID.IsNull() && m.PointInTime.IsNull() && m.OplogTs.IsNull() {
		diags.AddAttributeError(path.Root("snapshot_id"), "Restore Without a Source",
			"A restore needs a source. Set snapshot_id, point_in_time, or oplog_ts and oplog_inc.")
	}
	if m.TargetClusterID.IsNull() && m.MaxDownloads.IsNull() {
		diags.AddAttributeError(path.Root("target_cluster_id"), "Restore Without a Target",
			"A restore needs a target. Set target_project_id, target_cluster_id and target_cluster_name, or set max_downloads for a download link.")
	}
	id := tf.StringPointer(m.TargetClusterID) // a cluster has one, whatever its project
	isItself := id != nil && strings.EqualFold(*id, m.ClusterID.ValueString())
	mayOverwrite := m.OverwriteSource.IsUnknown() || m.OverwriteSource.ValueBool()
	if isItself && !mayOverwrite {
		diags.AddAttributeError(path.Root("target_cluster_id"), "Restore Into Its Own Source",
			fmt.Sprintf("The target is cluster %s, whose backup is restored: its data would be replaced by older data of its own. If that is what you want, set overwrite_source = true. Otherwise, set the target to a different cluster. No restore was started.", *id))
	}
}

// sourceAttribute returns the attribute that says what is restored.
func (m restoreJobModel) sourceAttribute() string {
	switch {
	case !m.PointInTime.IsNull():
		return "point_in_time"
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
	case m.PointInTime.IsUnknown(), m.OplogTs.IsUnknown(), m.OplogInc.IsUnknown():
		text = "a point in time that is not known yet"
	case !m.PointInTime.IsNull():
		text = "the point in time " + m.instant().UTC().Format(time.RFC3339Nano)
	case !m.OplogTs.IsNull():
		at := time.Unix(m.OplogTs.ValueInt64(), 0).UTC()
		text = fmt.Sprintf("the oplog entry %s, %d,", at.Format(time.RFC3339), m.OplogInc.ValueInt64())
	}
	if m.ClusterID.IsUnknown() {
		return text + " of a cluster that is not known yet"
	}
	return text + " of cluster " + m.ClusterID.ValueString()
}

// target describes the cluster that a restore overwrites.
func (m restoreModel) target() string {
	name := m.TargetClusterName.ValueString()
	return fmt.Sprintf("cluster %s (%s) of project %s", name, m.TargetClusterID.ValueString(), m.TargetProjectID.ValueString())
}

// checkSource fails if a restore can't start because of what it restores. It returns a text with the time of a snapshot.
func (r *restoreJobResource) checkSource(ctx context.Context, m restoreJobModel, diags *diag.Diagnostics) (taken string) {
	if at := m.instant(); at != nil {
		r.checkTime(ctx, m, *at, diags)
	} else if tf.StringPointer(m.SnapshotID) != nil {
		taken = r.checkSnapshot(ctx, m, diags)
	}
	return taken
}

// checkSnapshot fails if the cluster has no such snapshot, or if the snapshot is not complete.
// It only warns if the snapshot has expired: Ops Manager may delete it before the apply, but
// keeps the last snapshot of a cluster. It returns a text with the time of the snapshot.
func (r *restoreJobResource) checkSnapshot(ctx context.Context, m restoreJobModel, diags *diag.Diagnostics) (taken string) {
	project, cluster := m.IDs()
	snapshot, err := r.Client.ClusterSnapshot(ctx, project, cluster, m.SnapshotID.ValueString())
	if err != nil {
		diags.Append(m.failure(previewSummary, err))
		return ""
	}
	if snapshot.Complete != nil && !*snapshot.Complete {
		diags.AddAttributeError(path.Root("snapshot_id"), previewSummary,
			fmt.Sprintf("Snapshot %s is still being taken. Wait until it is complete, or restore a different one.", m.SnapshotID.ValueString()))
		return ""
	}
	expires := tf.ParseTime(snapshot.Expires)
	if expires != nil && expires.Before(time.Now()) {
		diags.AddAttributeWarning(path.Root("snapshot_id"), fmt.Sprintf("Snapshot %s Has Expired", m.SnapshotID.ValueString()),
			fmt.Sprintf("Snapshot %s expired at %s. Ops Manager may delete it at any time, and then rejects the restore.", m.SnapshotID.ValueString(), opsmanager.Sanitize(*snapshot.Expires)))
	}
	if snapshot.Created != nil && snapshot.Created.Date != nil {
		taken = "\n\nThe snapshot was taken at " + opsmanager.Sanitize(*snapshot.Created.Date) + "."
	}
	return taken
}

// checkTime fails if no restorable time range contains the time. It only warns about a recent time,
// because the apply waits for the oplog. It checks nothing if Ops Manager does not offer time ranges.
func (r *restoreJobResource) checkTime(ctx context.Context, m restoreJobModel, at time.Time, diags *diag.Diagnostics) {
	project, cluster := m.IDs()
	ranges, err := r.Client.RestorableTimeRanges(ctx, project, cluster)
	switch {
	case opsmanager.IsUnsupported(err):
		return
	case err != nil:
		diags.Append(m.failure(previewSummary, err))
		return
	}
	var listed strings.Builder
	isNewer := len(ranges) > 0
	for _, one := range ranges {
		if one.Start == nil || one.End == nil {
			return // the ranges are not known
		}
		start := tf.ParseTime(one.Start.Date)
		end := tf.ParseTime(one.End.Date)
		if start == nil || end == nil || !at.Before(*start) && at.Before(end.Add(time.Second)) {
			return
		}
		isNewer = isNewer && at.After(*end)
		fmt.Fprintf(&listed, "\n  - %s to %s", start.Format(time.RFC3339), end.Format(time.RFC3339))
	}
	attribute := path.Root(m.sourceAttribute())
	detail := fmt.Sprintf("Cluster %s cannot be restored to %s. ", m.ClusterID.ValueString(), at.UTC().Format(time.RFC3339Nano))
	switch {
	case len(ranges) == 0:
		diags.AddAttributeError(attribute, "Point in Time Not Restorable", detail+"Ops Manager has no point in time that can be restored. Restore a snapshot.")
	case isNewer && time.Since(at).Abs() <= recentTime:
		diags.AddAttributeWarning(attribute, "Point in Time Not Restorable Yet", detail+"The oplog up to that time has not arrived. The apply waits for it for at most "+oplogTime.String()+".")
	default:
		diags.AddAttributeError(attribute, "Point in Time Not Restorable", detail+"These ranges can be restored:"+listed.String())
	}
}

// checkTarget returns the target of a restore, or nil if there is none. It fails if the name of
// the target is not the confirmed one, unless that is not known yet.
func (r *restoreJobResource) checkTarget(ctx context.Context, m restoreJobModel, summary string) (*opsmanager.Cluster, error) {
	if m.TargetClusterID.IsNull() {
		return nil, nil
	}
	id := m.TargetClusterID.ValueString()
	target, err := r.Client.Cluster(ctx, m.TargetProjectID.ValueString(), id)
	if err != nil {
		return nil, tf.Explained{Diagnostic: tf.Failure(summary, err, targetCodes, projects.Codes, projects.ClusterCodes)}
	}
	if target.IsPart() {
		return nil, tf.OnAttribute("target_cluster_id", summary,
			"Cluster %s is a part of a sharded cluster, which can only be restored as a whole. Use the ID of the sharded cluster.", id)
	}
	name := target.Name()
	if !m.TargetClusterName.IsUnknown() && (name == nil || *name != m.TargetClusterName.ValueString()) {
		return nil, tf.OnAttribute("target_cluster_name", "Target Has a Different Name",
			"Cluster %s of project %s is called %q, but target_cluster_name is %q. A restore replaces all data of its target. "+
				"Check that target_cluster_id is the cluster to overwrite, then set target_cluster_name to its name.",
			id, m.TargetProjectID.ValueString(), tf.OrDash(name), m.TargetClusterName.ValueString())
	}
	return target, nil
}

// warnShards warns if a sharded target has another number of shards than what is restored. The documentation requires the same
// topology, but does not say how Ops Manager compares it. Nothing follows from a number that can't be read, or is not certain.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/create-one-restore-job/
func (r *restoreJobResource) warnShards(ctx context.Context, m restoreJobModel, target opsmanager.Cluster, diags *diag.Diagnostics) {
	isSourceKnown := !m.HasUnknownID() && (m.instant() != nil || tf.StringPointer(m.SnapshotID) != nil)
	if !isSourceKnown || !r.hasSameKind(ctx, m, target, diags) || !target.IsSharded() {
		return
	}
	parts := r.certainParts(ctx, m.ClusterIdentity)
	targetParts := r.certainParts(ctx, projects.ClusterIdentity{ProjectID: m.TargetProjectID, ClusterID: m.TargetClusterID})
	snapshot, err := r.restoredSnapshot(ctx, m, nil)
	if err != nil || len(parts) == 0 || len(targetParts) == 0 {
		return
	}
	restored := shardsToRestore(snapshot, parts)
	available := shardsToRestore(nil, targetParts)
	if restored != available {
		diags.AddAttributeWarning(path.Root("target_cluster_id"), "Target Has a Different Number of Shards",
			fmt.Sprintf("Ops Manager lists %d for cluster %s, and %d for %s. The target must have the topology of what is restored, "+
				"so Ops Manager may refuse the restore with CANNOT_RESTORE_TO_TARGET.",
				available, m.TargetClusterID.ValueString(), restored, m.source()))
	}
}

// hasSameKind reports whether the source and the target of a restore are both sharded, or both replica sets, or may be. Otherwise it
// warns.
func (r *restoreJobResource) hasSameKind(ctx context.Context, m restoreJobModel, target opsmanager.Cluster, diags *diag.Diagnostics) bool {
	project, cluster := m.IDs()
	source, err := r.Client.Cluster(ctx, project, cluster)
	if err != nil || source.TypeName == nil || target.TypeName == nil {
		return true
	}
	if source.IsSharded() != target.IsSharded() {
		diags.AddAttributeWarning(path.Root("target_cluster_id"), "Target Has a Different Topology",
			fmt.Sprintf("Cluster %s has the type %s, and cluster %s, whose backup is restored, %s. The target must have the topology of what is restored, "+
				"so Ops Manager may refuse the restore with CANNOT_RESTORE_TO_TARGET.",
				m.TargetClusterID.ValueString(), opsmanager.Sanitize(*target.TypeName), cluster, opsmanager.Sanitize(*source.TypeName)))
		return false
	}
	return true
}

// planned is what a plan notes of a restore, so that another one recognizes a restore that it would repeat.
type planned struct {
	restoreJobModel
	does doing
}

// doing is what a plan does with a restore.
type doing int

const (
	stored  doing = iota // the state has it
	created              // a new resource starts it
	updated              // other triggers start it
	invoked              // an action starts it
)

// add notes a restore, and returns those that were noted before.
func (r *restoreJobResource) add(m restoreJobModel, does doing) []planned {
	return connection.Note(r.Data, "restores", func(all *[]planned) {
		*all = append(*all, planned{m, does})
	})
}

// mayEqual reports whether two values are equal, as far as they are known.
func mayEqual(a, b attr.Value) bool {
	left, isMap := a.(types.Map)
	right, wasMap := b.(types.Map)
	if isMap && wasMap && !left.IsUnknown() && !right.IsUnknown() {
		return maps.EqualFunc(left.Elements(), right.Elements(), mayEqual)
	}
	return a.IsUnknown() || b.IsUnknown() || sameText(a, b)
}

// repeats reports whether a new restore may be one of the state again, by their clusters and triggers.
// Whatever a restore into a cluster restores, it overwrites the cluster. A restore to a link overwrites
// nothing, so one that was started is a different one if it has another source.
func (m restoreJobModel) repeats(state restoreJobModel) bool {
	isOfCluster := mayEqual(m.ProjectID, state.ProjectID) && mayEqual(m.ClusterID, state.ClusterID)
	hasSnapshot := mayEqual(m.SnapshotID, state.SnapshotID)
	if state.lacksDelivery() {
		return isOfCluster && hasSnapshot
	}
	hasTime := mayEqual(m.PointInTime, state.PointInTime) && mayEqual(m.OplogTs, state.OplogTs) && mayEqual(m.OplogInc, state.OplogInc)
	isSameRestore := hasSnapshot && hasTime || !m.TargetClusterID.IsNull()
	return isOfCluster && mayEqual(m.TargetClusterID, state.TargetClusterID) && mayEqual(m.triggers(), state.triggers()) && isSameRestore
}

// lacksDelivery reports whether a state says neither where a restore went nor what triggered it: no apply has completed the
// state of an import. Nor does it then have a point in time.
func (m restoreJobModel) lacksDelivery() bool {
	return m.TargetClusterID.IsNull() && m.MaxDownloads.IsNull()
}

// isLost reports whether it is not known if a restore of the state was started.
func (m restoreJobModel) isLost() bool { return m.ID.IsNull() }

// stops reports whether a restore of the state stops a plan from starting another one. A lost one stops each that goes into
// its target, or restores the same cluster. The second counts because Terraform does not show whether a new restore is at the
// same address, whose resource is tainted.
func (m restoreJobModel) stops(other planned) bool {
	switch {
	case other.does == stored:
		return false
	case m.isLost():
		isSameTarget := !m.TargetClusterID.IsNull() && mayEqual(m.TargetClusterID, other.TargetClusterID)
		return isSameTarget || mayEqual(m.ProjectID, other.ProjectID) && mayEqual(m.ClusterID, other.ClusterID)
	}
	return other.does == created && other.repeats(m)
}

// addStarted adds a restore that a plan starts. It fails if the plan starts another one into the same
// cluster, if it deletes the snapshot, or if the state has the restore at an address that is tainted, replaced, renamed or removed.
// A value that is not known yet may turn out to be that of the state. With create_before_destroy, the
// apply would not notice that, because Terraform doesn't show it the previous object before the creation.
func (r *restoreJobResource) addStarted(ctx context.Context, m restoreJobModel, does doing, diags *diag.Diagnostics) {
	others := r.add(m, does)
	repeats := slices.IndexFunc(others, func(other planned) bool {
		return other.does == stored && other.stops(planned{m, does})
	})
	target := tf.StringPointer(m.TargetClusterID)
	isSecond := target != nil && r.Claim("restore into cluster "+strings.ToLower(*target), connection.Adopts) == connection.Twice
	switch {
	case repeats >= 0:
		diags.Append(r.repeated(ctx, others[repeats].restoreJobModel))
	case isSecond:
		diags.AddAttributeError(path.Root("target_cluster_id"), fmt.Sprintf("Two Restores Into Cluster %s", *target),
			fmt.Sprintf("The plan starts two restores into cluster %s of project %s. Each replaces all its data, and Terraform applies them in any order. "+
				"Remove one of them, or apply them one after the other with -target. If it is one resource, change triggers without -replace or replace_triggered_by.",
				*target, m.TargetProjectID.ValueString()))
	}
	r.claimSource(m, diags)
}

// claimSource claims what a restore reads, unless it has ended. It adds an error if the same plan deletes that.
func (r *restoreJobResource) claimSource(m restoreJobModel, diags *diag.Diagnostics) {
	if jobs := m.known(); hasEnded(jobs) && !m.mayTellMore(jobs) {
		return
	}
	snapshot := projects.RestoredSnapshot(projects.Snapshot(m.ClusterIdentity, m.SnapshotID.ValueString()))
	switch {
	case m.SnapshotID.IsNull():
		snapshot = projects.RestoredPoint(m.ClusterIdentity)
	case m.SnapshotID.IsUnknown():
		snapshot = projects.RestoredUnknown(m.ClusterIdentity)
	}
	for _, needed := range []string{projects.SnapshotsOf(m.ClusterIdentity), snapshot} {
		switch isEnded := r.Claim(needed, connection.Keeps) == connection.Ended; {
		case !isEnded:
		case needed == snapshot && m.SnapshotID.IsUnknown():
			diags.AddAttributeWarning(path.Root("snapshot_id"), "Snapshot to Restore Is Not Known Yet",
				"The same plan deletes a snapshot. If it is the one to restore, the restore fails. Use a snapshot_id that is known when you plan, or delete the snapshot in a later apply.")
		case m.HasUnknownID() && (needed != snapshot || m.SnapshotID.IsNull()):
			diags.Append(tf.EndedAndUnknown(path.Root("cluster_id"), "Cluster of the Restore Is Not Known Yet",
				"terminates a backup, or deletes a snapshot, because of on_destroy, and restores one of a cluster whose project or ID", "cluster"))
		default:
			diags.AddAttributeError(path.Root("cluster_id"), "Restore of a Snapshot That the Same Plan Deletes",
				fmt.Sprintf("This plan terminates the backup of cluster %s, or deletes a snapshot of it that the restore needs, or may need. Let the restore end, or remove its block if Ops Manager no longer knows it, and delete the snapshot in a later apply. A restore that has not begun can be applied first: with -target, or, if it refers to the resource of the snapshot, with new triggers of the restore only. "+
					"If this error stops 'terraform destroy', run it with -refresh=false.", cmp.Or(m.ClusterID.ValueString(), "that is not known yet")))
		}
	}
}

// addStored adds a restore in the state. It returns an error if the plan starts another one that it stops. If another restore
// in the state stops that one, too, there is an error already.
func (r *restoreJobResource) addStored(ctx context.Context, m restoreJobModel) (diags diag.Diagnostics) {
	others := r.add(m, stored)
	isUnreported := func(started planned) bool {
		isReported := func(other planned) bool {
			return other.does == stored && !other.ID.Equal(m.ID) && other.stops(started)
		}
		return m.stops(started) && !slices.ContainsFunc(others, isReported)
	}
	if slices.ContainsFunc(others, isUnreported) {
		diags.Append(r.repeated(ctx, m))
	}
	return diags
}

// StateRead records a restore in the state, as JSON, that Terraform reads. Terraform refreshes
// neither a resource with -refresh=false nor one that a removed block forgets, and it plans a tainted
// resource like a new one. So this is the only sign of them.
func StateRead(ctx context.Context, data *connection.Data, state []byte) diag.Diagnostics {
	if data == nil {
		return nil
	}
	r := &restoreJobResource{connection.Resource{Data: data}}
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	raw, err := (&tfprotov6.RawState{JSON: state}).UnmarshalWithOpts(described.Schema.Type().TerraformType(ctx), tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	var problems diag.Diagnostics // which the framework reports
	m := tf.Read[restoreJobModel](ctx, tfsdk.State{Raw: raw, Schema: described.Schema}, &problems)
	if err != nil || problems.HasError() {
		return nil
	}
	return r.addStored(ctx, m)
}

// repeated returns the error of a plan that would start a restore of the state again.
func (r *restoreJobResource) repeated(ctx context.Context, state restoreJobModel) diag.Diagnostic {
	if state.isLost() {
		return r.undecided(ctx, state, "")
	}
	different := "give it triggers of its own"
	if state.lacksDelivery() {
		different = "first apply the import, so that the state has its target and triggers"
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), fmt.Sprintf("Restore of Cluster %s Would Be Repeated", state.ClusterID.ValueString()),
		fmt.Sprintf("A new resource has the clusters and triggers of restore %s of the Terraform state, as far as they are known yet, so the plan would start that restore again. "+onlyTriggers+"\n\n"+
			"  - To restore again, change triggers, without -replace or replace_triggered_by.\n"+
			"  - If the resource is tainted, run 'terraform untaint ADDRESS'.\n"+
			"  - If you renamed the resource, add a moved block.\n"+
			"  - If it is a different restore, %s. Other triggers of a resource in the state restore again.\n"+
			"  - To destroy the configuration, run 'terraform destroy -refresh=false'.", opsmanager.Sanitize(state.ID.ValueString()), different))
}
