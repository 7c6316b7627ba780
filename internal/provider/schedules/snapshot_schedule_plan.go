package schedules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans what an adoption overwrites, or what an update changes, and warns about what that loses.
// It is an adoption if there is no state, or if the state is that of another cluster.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var configured, planned, prior snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.Plan.Raw.IsNull() {
		prior.guardState(r.Data, keepsSchedule, &resp.Diagnostics)
		resp.Diagnostics.Append(diagnostics.ForgottenOnce(r.Data, "Snapshot Schedule",
			fmt.Sprintf("Ops Manager keeps the schedule of cluster %s until the backup is terminated.", prior.ClusterID.ValueString()))...)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &configured)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var plans target
	live, isComparable := scheduleOf(prior.Values), true
	if planned.ClusterIdentity != prior.ClusterIdentity {
		if !req.State.Raw.IsNull() { // it leaves the cluster of the state
			prior.guardState(r.Data, keepsSchedule, &resp.Diagnostics)
		}
		plans = adoptionOf(r.Data, configured)
		live, isComparable = r.planAdoption(ctx, plans, configured, &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
		planned.Overwrites = types.ObjectUnknown(overwritesTypes)
		if isComparable {
			planned.Overwrites = plans.overwrites(live)
		}
	} else {
		planned.Overwrites, planned.Values = prior.Overwrites, plannedUpdate(configured.Values, planned.Values, prior.Values)
		plans = updateOf(r.Data, configured, planned, prior)
	}
	if !plans.isUnnamed() {
		has := scheduleFields.FromAPI(tfmodel.Values{}, live)
		attributes.CheckNew(ctx, scheduleAttributes(true), configured.Values, has, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !plans.isUnnamed() && !plans.isEmpty() {
		if err := projects.Guard(ctx, r.Data, plans.projectID, plans.clusterID, projects.InPlan); err != nil {
			resp.Diagnostics.Append(plans.failure(err))
			return
		}
	}
	object := scheduleOfCluster(plans.projectID, plans.clusterID)
	isSecond := tfmodel.NotePlan(ctx, req, resp, object) == object
	next := plans.stepOn(live)
	lost := plans.losses(next)
	plans.plan(lost, isSecond, isComparable, &resp.Diagnostics)
	if isComparable {
		plans.reportLosses(lost, &resp.Diagnostics)
	}
	plans.warnUnknown(&resp.Diagnostics)
	plans.warnUndocumented(next, &resp.Diagnostics)
	r.checkCheckpoints(ctx, plans, next, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
}

// planAdoption returns the live schedule, and whether an adoption can be compared with it. It fails if the apply is
// certain to fail. A schedule that can't be read or changed yet is a warning, because the same apply may start the backup
// of its cluster.
func (r *snapshotScheduleResource) planAdoption(
	ctx context.Context, adoption target, configured snapshotScheduleModel, diags *diag.Diagnostics,
) (live schedule, isComparable bool) {
	if r.Client == nil || adoption.isUnnamed() {
		diags.AddWarning("Overwritten Values Will Be Known Only During the Apply",
			"The cluster or the connection is known only during the apply, so this plan can't show what it overwrites."+applyGuards)
		return live, false
	}
	found, err := adoption.read(ctx)
	isWaiting := isNotReady(err) || r.statusWithoutSchedule(ctx, configured, err) != ""
	if err == nil {
		overwritesAny := len(adoption.stepOn(*found).Changes) > 0
		isWaiting = overwritesAny && !adoption.isNew() && r.backupStatus(ctx, configured) == opsmanager.StatusInactive
		if !isWaiting {
			return *found, true
		}
	}
	switch {
	case isWaiting:
		diags.AddWarning("Snapshot Schedule Will Be Compared Only During the Apply", // one title for all clusters, because Terraform combines these warnings
			fmt.Sprintf("Cluster %s has a schedule once its backup is started, which this apply may do. After it, overwrites shows what it changed.", adoption.clusterID))
	case err != nil:
		diags.Append(failure(adoptionWording.summary, err))
	}
	return live, false
}

// isNotReady reports whether a schedule can't be read because the backup configuration of its
// cluster doesn't exist yet, or isn't ready. A missing project or cluster is a wrong ID: its ID would not be known
// yet if the same apply created it.
func isNotReady(err error) bool {
	return opsmanager.IsMissing(err, opsmanager.ObjectSchedule) || opsmanager.IsNotReady(err)
}

// statusWithoutSchedule returns the status of a backup if that explains why its schedule can't be read:
// INACTIVE, or one on the way to a different status. It returns "" if there is another reason.
func (r *snapshotScheduleResource) statusWithoutSchedule(ctx context.Context, of snapshotScheduleModel, failure error) string {
	if !opsmanager.MayBeMissing(failure, opsmanager.ObjectSchedule) {
		return ""
	}
	if status := r.backupStatus(ctx, of); status != opsmanager.StatusStarted && status != opsmanager.StatusStopped {
		return status
	}
	return ""
}

// backupStatus returns the status of the backup, or "" if it can't be read.
func (r *snapshotScheduleResource) backupStatus(ctx context.Context, of snapshotScheduleModel) string {
	config, err := r.Client.BackupConfig(ctx, of.ProjectID.ValueString(), of.ClusterID.ValueString())
	if err != nil {
		return ""
	}
	return tfmodel.Text(config.StatusName)
}

// checkCheckpoints rejects checkpoints if Ops Manager says that the cluster is a replica set.
func (r *snapshotScheduleResource) checkCheckpoints(ctx context.Context, of target, next step, diags *diag.Diagnostics) {
	setsCheckpoints := next.Request.ClusterCheckpointIntervalMin != nil || isUnknown(of.configured, checkpointInterval)
	if !setsCheckpoints || of.isUnnamed() || r.Client == nil {
		return
	}
	cluster, err := r.Client.Cluster(ctx, of.projectID, of.clusterID)
	if err == nil && isReplicaSet(*cluster) {
		diags.AddAttributeError(path.Root(checkpointInterval), "Checkpoints of a Replica Set",
			fmt.Sprintf("Cluster %s is a replica set. Only sharded clusters have checkpoints, and Ops Manager rejects the interval. Remove cluster_checkpoint_interval_min.", of.clusterID))
	}
}

// isReplicaSet reports whether Ops Manager says that a cluster is a replica set.
func isReplicaSet(cluster opsmanager.Cluster) bool {
	return tfmodel.Text(cluster.TypeName) == "REPLICA_SET"
}

// plannedUpdate returns the plan of an update: the configured values, and those of the
// state for the other attributes. The retention of recent snapshots is unknown if a new
// interval may shorten it.
func plannedUpdate(configured, planned, prior tfmodel.Values) tfmodel.Values {
	planned = maps.Clone(planned)
	scheduleFields.Keep(planned, configured, prior)
	interval, recent := scheduleOf(planned).SnapshotIntervalHours, scheduleOf(prior).SnapshotRetentionDays
	if configured[recentRetentionDays].IsNull() && !planned[intervalHours].Equal(prior[intervalHours]) && (interval == nil || isShort(interval)) && (recent == nil || isLong(recent)) {
		planned[recentRetentionDays] = types.Int64Unknown()
	}
	maps.Copy(planned, plannedTime(configured, prior))
	return planned
}

// warnUndocumented warns about values that some documented versions of Ops Manager reject.
func (t *target) warnUndocumented(next step, diags *diag.Diagnostics) {
	sent, of := next.Request, ""
	if t.clusterID != "" {
		of = " for cluster " + t.clusterID
	}
	isOften := isShort(cmp.Or(t.wanted.SnapshotIntervalHours, scheduleOf(t.configured).SnapshotIntervalHours, next.Live.SnapshotIntervalHours))
	for _, f := range guardedFields {
		if value := *f.at(&sent); value != nil && f.isDocumented != nil && !f.isDocumented(*value, isOften) {
			higher := ""
			const highest = 360
			for next := *value; next < highest && higher == ""; {
				next++ // not before it is known to be less: the value may be the largest number there is
				if f.isDocumented(next, isOften) {
					higher = fmt.Sprintf("The next higher documented value is %d. ", next)
				}
			}
			diags.AddAttributeWarning(path.Root(f.attribute), fmt.Sprintf("Undocumented Value of %s Will Be Sent", f.attribute),
				fmt.Sprintf("%d is configured%s, and Ops Manager may reject it. %s%s", *value, of, higher, strings.ReplaceAll(f.further, "`", "")))
		}
	}
}

// overwritesTypes are the types of overwrites.
var overwritesTypes = tfmodel.OverwritesOf(valueNames)

// overwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func (t *target) overwrites(live schedule) types.Object {
	return overwritesTypes.Object(t.overwritten(live), func(name string) bool {
		return isUnknown(t.configured, name) || name == timeAttribute && timeIsUnknown(t.configured) ||
			name == recentRetentionDays && isUnknown(t.configured, intervalHours) && !isSet(t.configured, recentRetentionDays)
	})
}
