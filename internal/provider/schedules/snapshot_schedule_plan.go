package schedules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans what an adoption overwrites, or what an update changes, and warns about what that loses.
// Terraform plans a replacement twice: first an update, whose warnings are shown, and then a creation.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var configured, planned, prior snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if req.Plan.Raw.IsNull() {
		prior.protect(r.Data, &resp.Diagnostics)
		resp.Diagnostics.AddWarning("Snapshot Schedule Removed Only From the State",
			fmt.Sprintf("Destroying this resource sends no request. Ops Manager keeps the schedule of cluster %s until the backup is terminated, and takes snapshots while the backup is STARTED.", prior.ClusterID.ValueString()))
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &configured)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	defer r.nameCluster(ctx, planned, false, &resp.Diagnostics)
	var isSecond bool
	if !tfmodel.ReadPrivate(ctx, req.Private, plannedKey, &isSecond, &resp.Diagnostics) || !req.State.Raw.IsNull() {
		change := adoptionOf(configured, opsmanager.SnapshotSchedule{})
		change.register(r.Data, &resp.Diagnostics)
	}
	tfmodel.WritePrivate(ctx, resp.Private, plannedKey, true, &resp.Diagnostics)
	protects := isGuarded(r.Data, planned.RetentionProtection, prior.RetentionProtection)
	if planned.identity() != prior.identity() {
		planned.Overwrites = r.previewAdoption(ctx, configured, protects, &resp.Diagnostics)
	} else {
		planned.Overwrites = prior.Overwrites
		planned.Values = plannedUpdate(configured.Values, planned.Values, prior.Values)
		change := updateOf(configured, planned, prior)
		change.guard(r.Data, protects, &resp.Diagnostics)
		change.warn(&resp.Diagnostics)
		r.checkCheckpoints(ctx, change, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
}

// previewAdoption returns what creating the resource overwrites, and fails if the apply is certain to
// fail. A schedule that doesn't exist yet is a warning, because the same apply may start the backup of its
// cluster.
func (r *snapshotScheduleResource) previewAdoption(ctx context.Context, configured snapshotScheduleModel, protects bool, diags *diag.Diagnostics) types.Object {
	unknown := types.ObjectUnknown(overwritesTypes)
	cluster := configured.ClusterID.ValueString()
	if r.Client == nil || configured.ProjectID.IsUnknown() || configured.ClusterID.IsUnknown() {
		diags.AddWarning("No Preview of a Snapshot Schedule",
			"The cluster or the connection is known only during the apply, so this plan can't show what it overwrites. Under retention_protection, the apply refuses a loss.")
		warnUndocumented(configured, diags)
		return unknown
	}
	live, err := r.Client.SnapshotSchedule(ctx, configured.ProjectID.ValueString(), cluster)
	switch {
	case isNotReady(err), r.statusWithoutSchedule(ctx, configured, err) != "":
		diags.AddWarning("No Preview of a Snapshot Schedule",
			fmt.Sprintf("The schedule of cluster %s can't be read yet. It can be once its backup has been started, which the same apply may do.", cluster))
		warnUndocumented(configured, diags)
		return unknown
	case err != nil:
		diags.Append(failure(adoptionWording.summary, err))
		return unknown
	}
	change := adoptionOf(configured, inUTC(*live))
	switch {
	case r.isNew(configured):
	case len(change.effects(change.live)) > 0 && r.isInactive(ctx, configured):
		diags.AddWarning("Snapshot Schedule Without a Started Backup",
			fmt.Sprintf("The backup of cluster %s is INACTIVE, so Ops Manager rejects a change of its schedule. The same apply may start the backup first.", cluster))
		warnUndocumented(configured, diags)
		return unknown
	default:
		change.guard(r.Data, protects, diags)
		change.warn(diags)
	}
	r.checkCheckpoints(ctx, change, diags)
	return change.overwrites()
}

// isInactive reports whether the backup is INACTIVE. Ops Manager doesn't document whether it returns
// a schedule then, but it doesn't accept changes.
func (r *snapshotScheduleResource) isInactive(ctx context.Context, schedule snapshotScheduleModel) bool {
	config, err := r.Client.BackupConfig(ctx, schedule.ProjectID.ValueString(), schedule.ClusterID.ValueString())
	return err == nil && tfmodel.Text(config.StatusName) == opsmanager.StatusInactive
}

// isNew reports whether this run has started the backup. The schedule then has its defaults, and
// there is no snapshot that could be lost.
func (r *snapshotScheduleResource) isNew(schedule snapshotScheduleModel) bool {
	return projects.HasFirstStart(r.Data, schedule.ProjectID.ValueString(), schedule.ClusterID.ValueString())
}

// isNotReady reports whether a schedule can't be read because the backup configuration of its
// cluster doesn't exist yet, or isn't ready. Ops Manager doesn't document its response for a backup
// that has not been started. A missing project or cluster is a wrong ID: its ID would not be known
// yet if the same apply created it.
func isNotReady(err error) bool {
	var e *opsmanager.Error
	if !errors.As(err, &e) || !e.Document {
		return false
	}
	switch e.Code {
	case "GROUP_NOT_FOUND", "CLUSTER_NOT_FOUND", "CANNOT_MODIFY_SHARD_BACKUP_CONFIG", "NOT_SHARDED":
		return false
	}
	return opsmanager.IsGone(err) || e.Status == http.StatusConflict
}

// statusWithoutSchedule returns the status of a backup if that explains why its schedule
// can't be read: INACTIVE, or one on the way to a different status. It returns "" if there is
// another reason. Ops Manager doesn't document its response for the schedule then; 404 and
// 409 are expected.
func (r *snapshotScheduleResource) statusWithoutSchedule(ctx context.Context, m snapshotScheduleModel, failure error) string {
	var e *opsmanager.Error
	if !errors.As(failure, &e) || !e.Document || e.Status != http.StatusNotFound && e.Status != http.StatusConflict {
		return ""
	}
	config, err := r.Client.BackupConfig(ctx, m.ProjectID.ValueString(), m.ClusterID.ValueString())
	if err != nil || config.StatusName == nil || *config.StatusName == opsmanager.StatusStarted || *config.StatusName == opsmanager.StatusStopped {
		return ""
	}
	return *config.StatusName
}

// warn warns about what a change loses, and about values that may not have the intended effect. Under the
// guard, a loss is an error.
func (c *scheduleChange) warn(diags *diag.Diagnostics) {
	c.reportLosses(diags)
	c.warnHidden(diags)
	c.warnUndocumented(diags)
	if sent := c.toSend(); timeOf(sent) == (timeOfDay{}) && sent.FullIncrementalDayOfWeek == nil {
		return
	}
	wanted, configured := scheduleOf(c.configured), timeIn(c.configured)
	if days := configured.daysToUTC(); wanted.FullIncrementalDayOfWeek != nil && days != 0 {
		which := map[int64]string{-1: "day before", 1: "day after"}[days]
		diags.AddAttributeWarning(path.Root(fullSnapshotDay), "Day of the Full Snapshot Not Converted",
			fmt.Sprintf("In UTC, the configured time of day at %s is on the %s, and the provider does not convert %s. Ops Manager does not document whether it is the day in UTC. Check the day of the next full snapshot of cluster %s.",
				*configured.offset, which, *wanted.FullIncrementalDayOfWeek, c.clusterID))
	}
}

// checkCheckpoints rejects checkpoints if Ops Manager says that the cluster is a replica set.
func (r *snapshotScheduleResource) checkCheckpoints(ctx context.Context, change scheduleChange, diags *diag.Diagnostics) {
	if change.toSend().ClusterCheckpointIntervalMin == nil && !isUnknown(change.configured, checkpointInterval) || r.Client == nil {
		return
	}
	cluster, err := r.Client.Cluster(ctx, change.projectID, change.clusterID)
	if err == nil && isReplicaSet(*cluster) {
		diags.AddAttributeError(path.Root(checkpointInterval), "Checkpoints of a Replica Set",
			fmt.Sprintf("Cluster %s is a replica set. Only sharded clusters have checkpoints, and Ops Manager rejects the interval. Remove cluster_checkpoint_interval_min.", change.clusterID))
	}
}

// isReplicaSet reports whether Ops Manager says that a cluster is a replica set.
func isReplicaSet(cluster opsmanager.Cluster) bool {
	return cluster.TypeName != nil && *cluster.TypeName == "REPLICA_SET"
}

// plannedUpdate returns the plan of an update: the configured values, and those of the
// state for the other attributes. The retention of recent snapshots is unknown if a new
// interval may shorten it.
func plannedUpdate(configured, planned, prior tfmodel.Values) tfmodel.Values {
	planned = maps.Clone(planned)
	scheduleFields.Keep(planned, configured, prior)
	if configured[recentRetentionDays].IsNull() && mayShortenRecent(planned, prior) {
		planned[recentRetentionDays] = types.Int64Unknown()
	}
	maps.Copy(planned, plannedTime(configured, prior))
	return planned
}

func mayShortenRecent(planned, prior tfmodel.Values) bool {
	if planned[intervalHours].Equal(prior[intervalHours]) {
		return false
	}
	interval, recent := scheduleOf(planned).SnapshotIntervalHours, scheduleOf(prior).SnapshotRetentionDays
	return (interval == nil || isShort(interval)) && (recent == nil || isLong(recent))
}

// dailyRetentions are the values that newer versions of Ops Manager accept.
var dailyRetentions = []int64{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// warnUndocumented warns about values of a configuration without a live schedule.
func warnUndocumented(configured snapshotScheduleModel, diags *diag.Diagnostics) {
	change := adoptionOf(configured, opsmanager.SnapshotSchedule{})
	change.warnUndocumented(diags)
}

// warnUndocumented warns about values that some documented versions of Ops Manager reject.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
func (c *scheduleChange) warnUndocumented(diags *diag.Diagnostics) {
	of := ""
	if c.clusterID != "" {
		of = " for cluster " + c.clusterID
	}
	warn := func(attribute, reason string, value int64) {
		diags.AddAttributeWarning(path.Root(attribute), "Undocumented Value of "+attribute,
			fmt.Sprintf("%s, but %d is configured%s. The provider sends it anyway, and Ops Manager may reject it.", reason, value, of))
	}
	changed, configured := differences(c.wanted, c.live), scheduleOf(c.configured)
	changes := func(attribute string) bool {
		return slices.ContainsFunc(changed, func(d tfmodel.Difference) bool { return d.Attribute == attribute })
	}
	interval, recent := cmp.Or(c.wanted.SnapshotIntervalHours, configured.SnapshotIntervalHours), cmp.Or(c.wanted.SnapshotRetentionDays, configured.SnapshotRetentionDays)
	switch recentChanges, intervalChanges := changes(recentRetentionDays), changes(intervalHours); {
	case recent == nil || !recentChanges && !intervalChanges:
	case recentChanges && *recent < 2:
		warn(recentRetentionDays, "Most versions of Ops Manager keep recent snapshots for at least 2 days", *recent)
	case recentChanges && *recent > 30:
		warn(recentRetentionDays, "Ops Manager documents at most 30 days, or 5 if the interval is below 24 hours", *recent)
	case isLong(recent) && isShort(interval):
		warn(recentRetentionDays, "Ops Manager documents at most 5 days if the interval is below 24 hours", *recent)
	}
	if daily := c.wanted.DailySnapshotRetentionDays; changes("daily_snapshot_retention_days") && !slices.Contains(dailyRetentions, *daily) {
		warn("daily_snapshot_retention_days", "Newer versions of Ops Manager accept only 0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180 and 360 days", *daily)
	}
	if weekly := c.wanted.WeeklySnapshotRetentionWeeks; changes("weekly_snapshot_retention_weeks") && *weekly > 52 {
		warn("weekly_snapshot_retention_weeks", "Ops Manager documents at most 52 weeks", *weekly)
	}
	if monthly := c.wanted.MonthlySnapshotRetentionMonths; changes("monthly_snapshot_retention_months") && *monthly > 36 {
		warn("monthly_snapshot_retention_months", "Ops Manager documents at most 36 months, some versions 84", *monthly)
	}
}
