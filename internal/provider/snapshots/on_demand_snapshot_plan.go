package snapshots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan plans a snapshot, another one if the triggers or the cluster change, or a change of the
// expiry.
func (r *onDemandSnapshotResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	var prior onDemandSnapshotModel
	var was applied
	isNew := req.State.Raw.IsNull()
	if !isNew {
		prior = tf.Read[onDemandSnapshotModel](ctx, req.State, diags)
		was = readApplied(ctx, req.Private, prior.expiry())
		if !prior.Gone.ValueBool() && was.Missing {
			diags.Append(prior.deletedByOthers())
			prior.Gone = types.BoolValue(true)
		}
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, false, diags)
		return
	}
	config := tf.Read[onDemandSnapshotModel](ctx, req.Config, diags)
	plan := tf.Read[onDemandSnapshotModel](ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	r.checkRequests(ctx, req, resp, plan, prior)
	// Terraform shows no other warning of the plan for a tainted resource, or with -replace.
	if plan.OnDestroy.ValueString() == deleteOnDestroy && prior.OnDestroy.ValueString() != deleteOnDestroy {
		diags.AddAttributeWarning(path.Root("on_destroy"), fmt.Sprintf("Snapshot of Cluster %s Will Be Deleted on Destroy", plan.ClusterID.ValueString()),
			"With on_destroy = \"delete\", destroying this resource, removing it from the configuration, or replacing it deletes the snapshot if the cluster has a later one that is complete. It can't be recovered.")
	}
	switch {
	case isNew:
		r.planCreation(ctx, config, &plan, diags)
	case takesAnother(plan, prior):
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("triggers"))
		isRoutine := !prior.deletes() && !prior.DoNotDelete.ValueBool() && plan.ClusterIdentity == prior.ClusterIdentity
		if !isRoutine {
			r.planDestroy(prior, true, diags)
		}
		return
	default:
		r.claim(prior, connection.Keeps, diags)
		plan = plannedSnapshot(config, prior, plan, was)
		isMoved := !prior.Gone.ValueBool() && !isSameTime(plan.Expires, prior.Expires)
		mayExpireAtOnce := config.Expires.IsUnknown() || plan.expiresAtOnce()
		if isMoved && mayExpireAtOnce && r.isRestored(prior.object()) {
			diags.AddAttributeError(path.Root("expires"), prior.title()+" Deleted and Restored in One Plan",
				"This plan lets the snapshot expire at once, or may do so if expires is not known yet. "+restoredAsWell)
		}
		warnExpiry(config, plan, prior, diags)
		warnInProgress(plan, prior, diags)
	}
	if !plan.Gone.ValueBool() {
		diags.Append(keep(r.Data, plan.ClusterIdentity, plan.title()))
	}
	tf.Write(ctx, &resp.Plan, plan, diags)
}

// keep records that a plan keeps or takes a snapshot. It returns an error if the plan terminates the backup of the cluster, or nil.
func keep(data *connection.Data, cluster projects.ClusterIdentity, title string) diag.Diagnostic {
	switch isEnded := data.Claim(projects.SnapshotsOf(cluster), connection.Keeps) == connection.Ended; {
	case !isEnded:
		return nil
	case cluster.HasUnknownID():
		return tf.EndedAndUnknown(path.Root("cluster_id"), "Cluster of the Snapshot Is Not Known Yet",
			"terminates a backup, because of on_destroy, which deletes its snapshots, and takes one of a cluster whose project or ID", "cluster")
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("cluster_id"), title+" Kept and Deleted in One Plan",
		"This plan keeps or takes the snapshot, and terminates the backup of its cluster, which deletes it. To keep it, set on_destroy = \"keep\" on the opsmanager_backup_config, apply that, and then remove its block. "+
			"To delete it, remove the block of the snapshot as well, after do_not_delete = false is applied if it is held. If this error stops 'terraform destroy', run it with -refresh=false.")
}

// takesAnother reports whether a plan takes another snapshot. The triggers of a resource without a retention,
// such as one that was just imported, are adopted. An empty map equals no triggers.
func takesAnother(plan, prior onDemandSnapshotModel) bool {
	hadTriggers := len(prior.Triggers.Elements()) > 0
	hasTriggers := len(plan.Triggers.Elements()) > 0 || plan.Triggers.IsUnknown()
	adopts := !hadTriggers && prior.RetentionDays.IsNull()
	changed := (hadTriggers || hasTriggers) && !plan.Triggers.Equal(prior.Triggers)
	return !plan.ProjectID.Equal(prior.ProjectID) || !plan.ClusterID.Equal(prior.ClusterID) || changed && !adopts
}

// planCreation plans a new snapshot, whose expiry Ops Manager computes unless it is
// configured. It fails if the creation is certain to fail.
func (r *onDemandSnapshotResource) planCreation(
	ctx context.Context, config onDemandSnapshotModel, plan *onDemandSnapshotModel, diags *diag.Diagnostics,
) {
	if config.RetentionDays.IsNull() {
		diags.AddAttributeError(path.Root("retention_days"), "Missing Retention of the Snapshot",
			"Ops Manager requires the days to keep a snapshot. Set retention_days. To manage an existing snapshot instead, import it.")
	}
	if config.DoNotDelete.ValueBool() {
		plan.Expires = types.StringNull()
	}
	warnExpiry(config, *plan, onDemandSnapshotModel{}, diags)
	isNeeded := func(object string) bool { return r.IsKept(object) || r.isRestored(object) }
	tf.CheckTainted(r.Unplanned(ctx, "snapshot"), isNeeded, diags)
	if r.HasClient() && !diags.HasError() && !plan.HasUnknownID() {
		snapshotsOf(r.Data, plan.ClusterIdentity).preview(ctx, plan.RetentionDays, diags)
	}
}

// checkRequests fails if the plan takes a snapshot of the cluster that is kept for as many days as another one that it takes,
// or that was taken a short time ago: nothing would tell the two apart.
func (r *onDemandSnapshotResource) checkRequests(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, prior onDemandSnapshotModel,
) {
	of := prior
	claim := connection.Keeps
	isNew := req.State.Raw.IsNull()
	days, isPending := pendingRetention(ctx, req.Private)
	if isNew {
		of = plan
		days = plan.RetentionDays.ValueInt64()
		isPending = !plan.ClusterID.IsUnknown() && !plan.RetentionDays.IsUnknown()
	}
	request := of.object()
	if isPending {
		request = fmt.Sprintf("snapshot of cluster %s, kept for %d days", strings.ToLower(of.ClusterID.ValueString()), days)
	}
	var ended []string // by the replacement of what does not change, such as with -replace
	if !isNew && prior.deletes() && !takesAnother(plan, prior) {
		ended = []string{prior.object()}
		if prior.DoNotDelete.ValueBool() {
			ended = append(ended, "held")
		}
	}
	first := tf.NotePlan(ctx, req, resp, request, ended...)
	if isNew {
		claim = connection.Adoption(first.First == request)
	}
	if isNew && len(first.Shown) > 0 && r.isRestored(first.Shown[0]) {
		resp.Diagnostics.AddAttributeError(path.Root("on_destroy"), "Replaced Snapshot Deleted and Restored in One Plan",
			"This plan deletes the "+first.Shown[0]+" with the replacement of its resource. "+restoredAsWell)
	}
	if isNew && len(first.Shown) > 1 {
		resp.Diagnostics.Append(heldSnapshot("Replaced "+first.Shown[0], "the Terraform state"))
	}
	if isPending && r.Claim(request, claim) == connection.Twice {
		resp.Diagnostics.AddAttributeError(path.Root("retention_days"), fmt.Sprintf("Two Snapshots of Cluster %s With the Same Retention", of.ClusterID.ValueString()),
			fmt.Sprintf("Two resources of this configuration take a snapshot of the cluster with retention_days = %d, or one of them took it within the last hour. The response to a request for a snapshot has no ID, "+
				"so the provider could not tell their snapshots apart. No snapshot was requested. Set another number for the new one, or wait an hour.", days))
	}
}

// preview adds an error if a request for a snapshot is certain to fail. A schedule that can't be read may
// belong to a backup that this run starts, so that is only a warning.
func (c clusterSnapshots) preview(ctx context.Context, days types.Int64, diags *diag.Diagnostics) {
	_, err := c.checkCluster(ctx, projects.InPlan)
	if err == nil && !days.IsUnknown() {
		failed := c.checkRetention(ctx, days.ValueInt64())
		if refused, ok := errors.AsType[tf.Explained](failed); ok {
			err = refused
		} else if failed != nil {
			c.warnMayFail(diags, "The snapshot schedule of cluster %s can't be read. If its backup is not started, the snapshot fails, unless this run starts the backup first. %s", c.cluster, tf.Sentence(failed))
		}
	}
	if err == nil && !projects.MayStartHere(c.Data, c.project, c.cluster) {
		live, unread := c.Client.BackupConfig(ctx, c.project, c.cluster)
		if unread == nil && tf.Text(live.StatusName) == opsmanager.StatusStopped {
			c.warnMayFail(diags, "The backup of cluster %s is stopped, and takes no snapshots. So the snapshot fails, unless this run starts the backup first.", c.cluster)
		}
	}
	if err != nil {
		diags.Append(tf.OfNew(diag.Diagnostics{snapshotFailure(createSummary, err)})...)
		return
	}
	tf.WarnOfVersion(c.Client, opsmanager.Version{7, 0, 12}, "cluster_id", "Snapshots on Demand", diags)
}

func (c clusterSnapshots) warnMayFail(diags *diag.Diagnostics, format string, args ...any) {
	summary := fmt.Sprintf("Snapshot of Cluster %s May Fail", c.cluster)
	diags.AddAttributeWarning(path.Root("cluster_id"), summary, fmt.Sprintf(format, args...))
}

// plannedSnapshot returns the planned model of an update: the configured values, and the
// state for the rest. An expiry that follows from retention_days, and that another client has brought forward, is set back.
func plannedSnapshot(config, prior, plan onDemandSnapshotModel, was applied) onDemandSnapshotModel {
	plan.ID = prior.ID
	plan.Created = prior.Created
	plan.Complete = prior.Complete
	plan.Gone = prior.Gone
	plan.DoNotDelete = tf.ConfiguredOrPrior(config.DoNotDelete, prior.DoNotDelete)
	plan.Expires = tf.ConfiguredOrPrior(config.Expires, prior.Expires)
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
			plan.DoNotDelete = types.BoolValue(false) // another client set it
		}
	case plan.DoNotDelete.IsUnknown():
		plan.Expires = types.StringUnknown()
	case retained || released:
		plan.Expires = expiryAfter(prior.Created, config.RetentionDays)
	case !config.RetentionDays.IsNull():
		if least := was.least(prior.Created, config.RetentionDays); isEarlier(prior.Expires, least) {
			plan.Expires = least
		}
	}
	if isSameTime(plan.Expires, prior.Expires) {
		plan.Expires = prior.Expires
	}
	return plan
}

// warnExpiry warns if a snapshot will expire earlier than before, or may do so.
func warnExpiry(config, plan, prior onDemandSnapshotModel, diags *diag.Diagnostics) {
	before := tf.ParseTime(tf.StringPointer(prior.Expires))
	after := tf.ParseTime(tf.StringPointer(plan.Expires))
	released := prior.DoNotDelete.ValueBool() && !plan.DoNotDelete.ValueBool()
	to := plan.Expires.ValueString()
	word := "Will"
	if after == nil {
		to = "a time that is known only after the apply"
		word = "May"
	}
	change := fmt.Sprintf("This plan changes when the snapshot expires from %s to %s.", prior.Expires.ValueString(), to)
	if released {
		change = fmt.Sprintf("The snapshot is held now. This plan makes it expire at %s.", to)
	}
	isUnknown := before != nil && plan.Expires.IsUnknown()
	switch {
	case prior.Gone.ValueBool() || isSameTime(plan.Expires, prior.Expires) && !released:
	case plan.expiresAtOnce():
		diags.AddAttributeWarning(path.Root("expires"), plan.title()+" Will Expire at Once",
			fmt.Sprintf("%s is in the past, so Ops Manager deletes the snapshot at the next opportunity, and then rejects a new expiry.", to))
	case released || isUnknown || isEarlier(plan.Expires, prior.Expires):
		diags.AddAttributeWarning(path.Root("expires"), fmt.Sprintf("%s %s Expire Earlier", plan.title(), word),
			change+" Ops Manager then deletes it, and it can't be recovered. To keep it for as long as now, remove "+strings.Join(expiring(config, plan, prior), " and ")+" from the configuration.")
	}
}

// expiresAtOnce reports whether a snapshot expires in the past.
func (m onDemandSnapshotModel) expiresAtOnce() bool {
	at := tf.ParseTime(tf.StringPointer(m.Expires))
	return at != nil && at.Before(time.Now())
}

// warnInProgress warns of a change of a snapshot that is still being taken.
func warnInProgress(plan, prior onDemandSnapshotModel, diags *diag.Diagnostics) {
	isChanged := plan.expiry() != prior.expiry() && !plan.Gone.ValueBool()
	if isChanged && !prior.Complete.ValueBool() {
		diags.AddAttributeWarning(path.Root("complete"), plan.title()+" May Be in Progress",
			"Ops Manager did not return the snapshot as complete, and it may refuse to change the expiry of a snapshot that is in progress. If the apply fails, plan again after the snapshot is complete.")
	}
}

// expiring returns the configured attributes that change when a snapshot expires.
func expiring(config, plan, prior onDemandSnapshotModel) (all []string) {
	if !config.Expires.IsNull() {
		all = append(all, "expires")
	}
	if !config.DoNotDelete.IsNull() && !plan.DoNotDelete.Equal(prior.DoNotDelete) {
		all = append(all, "do_not_delete")
	}
	if !prior.DoNotDelete.ValueBool() && !config.RetentionDays.IsNull() && !config.RetentionDays.Equal(prior.RetentionDays) {
		all = append(all, "retention_days")
	}
	return all
}

// claim adds a claim to a snapshot. It adds an error, and returns false, if that conflicts with another claim.
func (r *onDemandSnapshotResource) claim(m onDemandSnapshotModel, claim connection.Claim, diags *diag.Diagnostics) bool {
	conflict := r.Claim(m.object(), claim)
	switch conflict {
	case connection.Ended:
		diags.Append(tf.EndedAndManaged(path.Root("on_destroy"), "Snapshot Deleted and Managed in One Plan", "on_demand_snapshot",
			fmt.Sprintf("deletes snapshot %s of cluster %s", m.ID.ValueString(), m.ClusterID.ValueString()), "snapshot"))
	case connection.Twice: // and -replace would delete it, which Terraform plans as an update first
		diags.AddAttributeError(path.Root("cluster_id"), m.title()+" in Two Resources",
			"Two resources manage the snapshot, and each could change its expiry, or delete it. "+tf.KeepOne)
	}
	return conflict == connection.None
}

// claimRefreshed claims the snapshot of a state whose refresh is over.
func (r *onDemandSnapshotResource) claimRefreshed(m onDemandSnapshotModel, diags *diag.Diagnostics) {
	isHeld := m.DoNotDelete.ValueBool()
	r.claim(m, connection.HasIt(m.deletes())|connection.Refreshed|connection.Refuses.If(isHeld), diags)
}

// planDestroy warns how destroying a resource affects its snapshot. It fails if the snapshot would be deleted
// and is held, or another resource manages it. A restore beside a replacement may wait for the ID of the new snapshot.
func (r *onDemandSnapshotResource) planDestroy(prior onDemandSnapshotModel, isReplacement bool, diags *diag.Diagnostics) {
	if !prior.deletes() {
		r.claim(prior, connection.Forgets, diags)
	}
	switch {
	case prior.Gone.ValueBool():
	case prior.deletes() && prior.DoNotDelete.ValueBool():
		diags.Append(heldSnapshot(prior.title(), "the Terraform state"))
	case prior.deletes() && !r.claim(prior, connection.Ends, diags):
	case prior.deletes() && r.isRestored(prior.object()):
		diags.AddAttributeError(path.Root("on_destroy"), prior.title()+" Deleted and Restored in One Plan",
			"This plan deletes the snapshot, because of on_destroy in the Terraform state. "+restoredAsWell)
	case prior.deletes():
		mayBeRestored := ""
		if !isReplacement && r.mayBeRestored(prior.ClusterIdentity) {
			mayBeRestored = "The same plan restores a snapshot that is not known yet. If it is this one, the restore fails. "
		}
		diags.AddAttributeWarning(path.Root("on_destroy"), prior.title()+" Will Be Deleted",
			"Destroying this resource deletes the snapshot, because on_destroy is \"delete\" in the Terraform state. It can't be recovered. "+mayBeRestored+
				"The apply fails unless the cluster has a later complete snapshot. "+
				"The next snapshot may be a full one, and points in time that start at the snapshot can no longer be restored. To keep it, "+tf.KeepFirst)
	case prior.DoNotDelete.ValueBool():
		diags.Append(tf.Forgotten(prior.title(), "The snapshot is held, so it does not expire. A termination of the backup of its cluster deletes it nevertheless. To release it, first apply do_not_delete = false with expires or retention_days."))
	default:
		diags.Append(tf.Forgotten(prior.title(), "Ops Manager keeps the snapshot until it expires."))
	}
}

const restoredAsWell = "An opsmanager_restore_job or an action of the same run restores it, or may need it to restore a point in time. " +
	"Let the restore end, and delete the snapshot in a later apply. If this error stops 'terraform destroy', run it with -refresh=false."

// isRestored records that a plan deletes a snapshot, and reports whether a restore reads it, or may do so.
func (r *onDemandSnapshotResource) isRestored(object string) bool {
	isRestored := r.Claim(projects.RestoredSnapshot(object), connection.Ends) == connection.Ended
	for _, of := range projects.ClusterIn(object).OrUnknown() {
		isRestored = r.Claim(projects.RestoredPoint(of), connection.Ends) == connection.Ended || isRestored
	}
	return isRestored
}

// mayBeRestored records that a plan deletes a snapshot of a cluster, and reports whether a restore reads one that is not known yet.
func (r *onDemandSnapshotResource) mayBeRestored(cluster projects.ClusterIdentity) (is bool) {
	for _, of := range cluster.OrUnknown() {
		is = r.Claim(projects.RestoredUnknown(of), connection.Ends) == connection.Ended || is
	}
	return is
}

// object names a snapshot for its claims.
func (m onDemandSnapshotModel) object() string {
	return projects.Snapshot(m.ClusterIdentity, m.ID.ValueString())
}

// title names a snapshot in the summary of a warning.
func (m onDemandSnapshotModel) title() string {
	if m.ID.ValueString() == "" {
		return fmt.Sprintf("Snapshot of Cluster %s", m.ClusterID.ValueString())
	}
	return fmt.Sprintf("Snapshot %s of Cluster %s", m.ID.ValueString(), m.ClusterID.ValueString())
}
