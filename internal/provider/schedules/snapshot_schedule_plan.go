package schedules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan plans what an adoption overwrites, or what an update changes, and warns about what that loses.
// It is an adoption if there is no state, or if the state is that of another cluster.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	prior := tf.Read[snapshotScheduleModel](ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	of := clusterOf(r.Data, prior.ClusterIdentity)
	if req.Plan.Raw.IsNull() {
		of.guardState(prior.RetentionProtection, keepsSchedule, diags)
		diags.Append(tf.ForgottenOnce(r.Data, "Snapshot Schedule",
			"Ops Manager keeps the schedule of cluster "+of.clusterID+" until the backup is terminated.")...)
		return
	}
	configured := tf.Read[snapshotScheduleModel](ctx, req.Config, diags)
	planned := tf.Read[snapshotScheduleModel](ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	var plans target
	live := scheduleOf(prior.Values)
	isComparable := true
	if planned.ClusterIdentity != prior.ClusterIdentity {
		if !req.State.Raw.IsNull() { // it leaves the cluster of the state
			of.guardState(prior.RetentionProtection, keepsSchedule, diags)
		}
		plans = adoptionOf(r.Data, configured)
		live, isComparable = plans.planAdoption(ctx, diags)
		planned.Overwrites = types.ObjectUnknown(overwritesTypes)
		if isComparable {
			planned.Overwrites = plans.overwrites(live)
		}
	} else {
		planned.Overwrites = prior.Overwrites
		planned.Values = plannedUpdate(configured.Values, planned.Values, prior.Values)
		plans = updateOf(r.Data, configured, planned, prior)
	}
	plans.check(ctx, live, diags)
	if diags.HasError() {
		return
	}
	isSecond := tf.NotePlan(ctx, req, resp, plans.name()).First == plans.name()
	next := plans.write().Step(live)
	lost := plans.losses(next)
	plans.plan(lost, isSecond, isComparable, diags)
	if isComparable {
		plans.reportLosses(lost, diags)
	}
	plans.warnUnknown(diags)
	plans.warnUndocumented(path.Empty(), next, diags)
	plans.checkCheckpoints(ctx, next, diags)
	tf.Write(ctx, &resp.Plan, planned, diags)
}

// check adds an error if the cluster is one that another product backs up, or if the configuration has a new value that no
// version accepts.
func (t target) check(ctx context.Context, live schedule, diags *diag.Diagnostics) {
	if diags.HasError() || t.isUnnamed() {
		return
	}
	has := scheduleFields.FromAPI(tf.Values{}, live)
	tf.CheckNew(ctx, scheduleAttributes(true), t.configured, has, diags)
	if diags.HasError() || t.isEmpty() {
		return
	}
	err := projects.Guard(ctx, t.Data, t.projectID, t.clusterID, projects.InPlan)
	if err != nil {
		diags.Append(t.failure(err))
	}
}

// planAdoption returns the live schedule, and whether an adoption can be compared with it. It fails if the apply is
// certain to fail. A schedule that can't be read or changed yet is a warning, because the same apply may start the backup
// of its cluster.
func (t target) planAdoption(ctx context.Context, diags *diag.Diagnostics) (live schedule, isComparable bool) {
	if t.Client == nil || t.isUnnamed() {
		diags.AddWarning("Overwritten Values Will Be Known Only During the Apply",
			"The cluster or the connection is known only during the apply, so this plan can't show what it overwrites."+applyGuards)
		return live, false
	}
	found, err := t.read(ctx)
	isWaiting := isNotReady(err) || t.statusWithoutSchedule(ctx, err) != ""
	if err == nil {
		overwritesAny := len(t.write().Step(*found).Changes) > 0
		isWaiting = overwritesAny && !t.isNew() && t.backupStatus(ctx) == opsmanager.StatusInactive
		if !isWaiting {
			return *found, true
		}
	}
	if isWaiting {
		diags.AddWarning("Snapshot Schedule Will Be Compared Only During the Apply", // one title for all clusters, because Terraform combines these warnings
			"Cluster "+t.clusterID+" has a schedule once its backup is started, which this apply may do. After it, overwrites shows what it changed.")
		return live, false
	}
	diags.Append(t.failure(err))
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
func (c cluster) statusWithoutSchedule(ctx context.Context, failure error) string {
	if !opsmanager.MayBeMissing(failure, opsmanager.ObjectSchedule) {
		return ""
	}
	switch status := c.backupStatus(ctx); status {
	case opsmanager.StatusStarted, opsmanager.StatusStopped:
		return ""
	default:
		return status
	}
}

// backupStatus returns the status of the backup, or "" if it can't be read.
func (c cluster) backupStatus(ctx context.Context) string {
	config, err := c.Client.BackupConfig(ctx, c.projectID, c.clusterID)
	if err != nil {
		return ""
	}
	return tf.Text(config.StatusName)
}

// checkCheckpoints rejects checkpoints if Ops Manager says that the cluster is a replica set.
func (t target) checkCheckpoints(ctx context.Context, next step, diags *diag.Diagnostics) {
	setsCheckpoints := next.Request.ClusterCheckpointIntervalMin != nil || isUnknown(t.configured, checkpointInterval)
	if !setsCheckpoints || t.isUnnamed() || t.Client == nil {
		return
	}
	found, err := t.Client.Cluster(ctx, t.projectID, t.clusterID)
	if err == nil && isReplicaSet(*found) {
		diags.AddAttributeError(path.Root(checkpointInterval), "Checkpoints of a Replica Set",
			"Cluster "+t.clusterID+" is a replica set. Only sharded clusters have checkpoints, and Ops Manager rejects the interval. "+
				"Remove cluster_checkpoint_interval_min.")
	}
}

// isReplicaSet reports whether Ops Manager says that a cluster is a replica set.
func isReplicaSet(cluster opsmanager.Cluster) bool {
	return tf.Text(cluster.TypeName) == "REPLICA_SET"
}

// plannedUpdate returns the plan of an update: the configured values, and those of the
// state for the other attributes. The retention of recent snapshots is unknown if a new
// interval may shorten it.
func plannedUpdate(configured, planned, prior tf.Values) tf.Values {
	planned = maps.Clone(planned)
	scheduleFields.Keep(planned, configured, prior)
	interval := scheduleOf(planned).SnapshotIntervalHours
	recent := scheduleOf(prior).SnapshotRetentionDays
	isNewInterval := !planned[intervalHours].Equal(prior[intervalHours])
	mayBeTooLong := (interval == nil || isShort(interval)) && (recent == nil || isLong(recent))
	if configured[recentRetentionDays].IsNull() && isNewInterval && mayBeTooLong {
		planned[recentRetentionDays] = types.Int64Unknown()
	}
	maps.Copy(planned, plannedTime(configured, prior))
	return planned
}

// warnUndocumented warns about values that some documented versions of Ops Manager reject.
func (t target) warnUndocumented(at path.Path, next step, diags *diag.Diagnostics) {
	isOften := isShort(next.After.SnapshotIntervalHours)
	of := ""
	if t.clusterID != "" {
		of = " for cluster " + t.clusterID
	}
	for _, f := range guardedFields {
		value := *f.at(&next.Request)
		if value == nil || f.isDocumented == nil || f.isDocumented(*value, isOften) {
			continue
		}
		higher := ""
		for next := range int64(361) {
			if next > *value && f.isDocumented(next, isOften) {
				higher = fmt.Sprintf("The next higher documented value is %d. ", next)
				break
			}
		}
		diags.AddAttributeWarning(at.AtName(f.attribute), "Undocumented Value of "+f.attribute+" Will Be Sent",
			fmt.Sprintf("%d is configured%s, and Ops Manager may reject it. %s%s", *value, of, higher, strings.ReplaceAll(f.further, "`", "")))
	}
}

// overwritesTypes are the types of overwrites.
var overwritesTypes = tf.OverwritesOf(append(
	slices.DeleteFunc(scheduleFields.Attributes(), func(attribute string) bool {
		return slices.Contains(timeParts, attribute)
	}),
	timeAttribute,
))

// overwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func (t target) overwrites(live schedule) types.Object {
	return overwritesTypes.Object(t.overwritten(live), func(name string) bool {
		return isUnknown(t.configured, name) || name == timeAttribute && timeIsUnknown(t.configured) ||
			name == recentRetentionDays && isUnknown(t.configured, intervalHours) && !isSet(t.configured, recentRetentionDays)
	})
}
