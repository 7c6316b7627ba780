package schedules

import (
	"context"
	"errors"
	"fmt"
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

// ModifyPlan plans the changes of an apply, and warns about values that it overwrites.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior snapshotScheduleModel
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
		resp.Diagnostics.AddWarning("Snapshot Schedule Only Removed From the State",
			fmt.Sprintf("Destroying this resource sends no request. Ops Manager keeps the schedule of cluster %s until the backup is terminated, and takes snapshots while the backup is STARTED.", prior.ClusterID.ValueString()))
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	defer r.nameCluster(ctx, config, false, &resp.Diagnostics)
	// Terraform plans a replacement twice, the second time as a creation with private data.
	var before baseline
	if known := tfmodel.ReadPrivate(ctx, req.Private, baselineKey, &before, &resp.Diagnostics); !known || !req.State.Raw.IsNull() {
		register(r.Data, config, &resp.Diagnostics)
	}
	if req.State.Raw.IsNull() {
		r.previewAdoption(ctx, config, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.ProjectID.Equal(prior.ProjectID) || !plan.ClusterID.Equal(prior.ClusterID) {
		// Terraform plans the creation of a replacement again, and drops the warnings of
		// that plan.
		r.previewAdoption(ctx, config, &resp.Diagnostics)
		return
	}
	plan, changed := plannedChange(config, prior, plan, before, &resp.Diagnostics)
	warnChange(config, plan, changed, prior.toAPI(), nil, &resp.Diagnostics)
	r.checkCheckpoints(ctx, config, changed, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// plannedChange returns the plan of a schedule whose configuration or state has changed, and
// the fields that it changes. It warns about drift that the plan keeps.
func plannedChange(config, prior, plan snapshotScheduleModel, before baseline, diags *diag.Diagnostics) (planned, changed snapshotScheduleModel) {
	plan = plannedUpdate(config, prior, plan)
	if guard := plan.PreventFewerRecoveryPoints; guard.IsUnknown() || guard.ValueBool() {
		guarded, kept := withDriftKept(config, prior, plan, before)
		if len(kept) > 0 && guard.IsUnknown() {
			diags.AddAttributeError(path.Root("prevent_fewer_recovery_points"), "Unknown prevent_fewer_recovery_points",
				"Whether the plan changes these values depends on prevent_fewer_recovery_points, which is not known yet:"+tfmodel.Bulleted(kept)+
					"\n\nUse a value that is known when you plan.")
			return plan, changed
		}
		if plan = guarded; len(kept) > 0 {
			diags.AddWarning(
				fmt.Sprintf("More Recovery Points of Cluster %s Kept", plan.ClusterID.ValueString()),
				"These values were changed outside Terraform, and changing them back would leave fewer recovery points, which prevent_fewer_recovery_points prevents:"+tfmodel.Bulleted(kept)+
					"\n\nConfigure the values that you want. To apply the configured ones, set prevent_fewer_recovery_points = false.")
		}
	}
	if offset, dropped := droppedOffset(config, prior, before); dropped {
		diags.AddAttributeWarning(path.Root("reference_time_zone_offset"),
			fmt.Sprintf("Another Time of Day for the Snapshots of Cluster %s", plan.ClusterID.ValueString()),
			fmt.Sprintf("The offset %s is no longer configured, so the configured time of day is in UTC:%s", offset, tfmodel.Bulleted(timeDifferences(config, prior.toAPI()))))
	}
	return plan, changes(config, plan, prior, prior.toAPI())
}

// previewAdoption warns about the values that creating the resource overwrites, and fails if the
// apply is certain to fail. A schedule that doesn't exist yet is a warning, because the same apply
// may start the backup of its cluster.
func (r *snapshotScheduleResource) previewAdoption(ctx context.Context, config snapshotScheduleModel, diags *diag.Diagnostics) {
	if r.Client == nil || config.ProjectID.IsUnknown() || config.ClusterID.IsUnknown() {
		warnUndocumented(config, config, diags)
		return
	}
	cluster := config.ClusterID.ValueString()
	live, err := r.Client.SnapshotSchedule(ctx, config.ProjectID.ValueString(), cluster)
	switch {
	case isNotReady(err), r.statusWithoutSchedule(ctx, config, err) != "":
		diags.AddWarning("No Preview of a Snapshot Schedule",
			fmt.Sprintf("The schedule of cluster %s can't be read yet. It can be once its backup has been started, which the same apply may do.", cluster))
		warnUndocumented(config, config, diags)
		return
	case err != nil:
		diags.Append(failure(adoptionWording.summary, err))
		return
	}
	changed := changes(config, config, modelOf(*live), *live)
	switch {
	case r.isNew(config):
	case !changed.isEmpty() && r.isInactive(ctx, config):
		diags.AddWarning("Snapshot Schedule Without a Started Backup",
			fmt.Sprintf("The backup of cluster %s is INACTIVE, so Ops Manager rejects a change of its schedule. The same apply may start the backup first.", cluster))
		warnUndocumented(config, config, diags)
		return
	default:
		warnChange(config, config, changed, *live, differences(config, *live), diags)
	}
	r.checkCheckpoints(ctx, config, changed, diags)
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
// can't be read: INACTIVE, or one on the way to another status. It returns "" if there is
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

// warnChange warns about what a change loses, about other live values that it overwrites and that the plan
// doesn't show, and about values that may not have the intended effect. With
// prevent_fewer_recovery_points, a loss is an error.
func warnChange(config, plan, changed snapshotScheduleModel, current opsmanager.SnapshotSchedule, overwritten []tfmodel.Difference, diags *diag.Diagnostics) {
	cluster := config.ClusterID.ValueString()
	lost := losses(changed, current)
	reportLosses(plan, lost, diags)
	overwritten = slices.DeleteFunc(slices.Clone(overwritten), func(d tfmodel.Difference) bool { return isAmong(lost, d.Attribute) })
	if len(overwritten) > 0 {
		diags.AddWarning("Live Snapshot Schedule Overwritten",
			fmt.Sprintf("The apply adopts the existing schedule of cluster %s and changes:%s", cluster, tfmodel.Bulleted(overwritten)))
	}
	warnHidden(plan, changed, current, diags)
	warnUndocumented(changed, plan, diags)
	day, time := tfmodel.StringPointer(config.FullIncrementalDayOfWeek), config.time()
	timeOrDayChanges := changed.time() != (timeOfDay{}) || !changed.FullIncrementalDayOfWeek.IsNull()
	if days := time.daysToUTC(); day != nil && days != 0 && timeOrDayChanges {
		which := map[int64]string{-1: "day before", 1: "day after"}[days]
		diags.AddAttributeWarning(path.Root("full_incremental_day_of_week"), "Day of the Full Snapshot Not Converted",
			fmt.Sprintf("In UTC, the configured time of day at %s is on the %s, and the provider does not convert %s. Ops Manager does not document whether it is the day in UTC. Check the day of the next full snapshot of cluster %s.",
				*time.offset, which, *day, cluster))
	}
}

// checkCheckpoints rejects checkpoints if Ops Manager says that the cluster is a replica set.
func (r *snapshotScheduleResource) checkCheckpoints(ctx context.Context, config, changed snapshotScheduleModel, diags *diag.Diagnostics) {
	if changed.ClusterCheckpointIntervalMin.IsNull() || r.Client == nil {
		return
	}
	cluster, err := r.Client.Cluster(ctx, config.ProjectID.ValueString(), config.ClusterID.ValueString())
	if err == nil && isReplicaSet(*cluster) {
		diags.AddAttributeError(path.Root("cluster_checkpoint_interval_min"), "Checkpoints of a Replica Set",
			fmt.Sprintf("Cluster %s is a replica set. Only sharded clusters have checkpoints, and Ops Manager rejects the interval. Remove cluster_checkpoint_interval_min.", config.ClusterID.ValueString()))
	}
}

// isReplicaSet reports whether Ops Manager says that a cluster is a replica set.
func isReplicaSet(cluster opsmanager.Cluster) bool {
	return cluster.TypeName != nil && *cluster.TypeName == "REPLICA_SET"
}

// plannedUpdate returns the plan of an update: the configured values, and those of the
// state for the other attributes. The retention of recent snapshots is unknown if a new
// interval may shorten it.
func plannedUpdate(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	for _, f := range integerFields {
		*f.model(&plan) = *f.model(&prior)
		if wanted := *f.model(&config); !wanted.IsNull() {
			*f.model(&plan) = wanted
		}
	}
	if config.SnapshotRetentionDays.IsNull() && mayShortenRecentRetention(plan, prior) {
		plan.SnapshotRetentionDays = types.Int64Unknown()
	}
	plan.FullIncrementalDayOfWeek = prior.FullIncrementalDayOfWeek
	if !config.FullIncrementalDayOfWeek.IsNull() {
		plan.FullIncrementalDayOfWeek = config.FullIncrementalDayOfWeek
	}
	return withPlannedTime(config, prior, plan)
}

func mayShortenRecentRetention(plan, prior snapshotScheduleModel) bool {
	interval, recent := plan.SnapshotIntervalHours, tfmodel.Int64Pointer(prior.SnapshotRetentionDays)
	return !interval.Equal(prior.SnapshotIntervalHours) && (interval.IsUnknown() || interval.ValueInt64() < hoursPerDay) &&
		(recent == nil || *recent > maxRecentRetentionDays)
}

// withPlannedTime plans the time of day of an update. Another spelling of the same time is
// not a change, and an offset keeps the spelling of the state. Terraform plans again before
// an apply, and that plan must not differ in values that are known in this one. So a part is
// planned without the parts that may still be unknown. That fails for an hour or an offset
// that is unknown at first, and then turns out to be the same time at another offset.
func withPlannedTime(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	plan.ReferenceHourOfDay = prior.ReferenceHourOfDay
	plan.ReferenceMinuteOfHour = prior.ReferenceMinuteOfHour
	plan.ReferenceTimeZoneOffset = prior.ReferenceTimeZoneOffset
	if !configuresTime(config) {
		return plan
	}
	shift := minutesEast(config.ReferenceTimeZoneOffset.ValueString()) - minutesEast(prior.ReferenceTimeZoneOffset.ValueString())
	zoneKnown, wholeHours := !config.ReferenceTimeZoneOffset.IsUnknown(), shift%minutesPerHour == 0
	// Terraform accepts another spelling of a configured value, but not null.
	unspelled := !config.ReferenceTimeZoneOffset.IsNull() && prior.ReferenceTimeZoneOffset.IsNull()

	switch {
	case zoneKnown && shift == 0:
		if unspelled {
			plan.ReferenceTimeZoneOffset = config.ReferenceTimeZoneOffset
		}
		plan.ReferenceHourOfDay = configuredOr(config.ReferenceHourOfDay, prior.ReferenceHourOfDay)
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, prior.ReferenceMinuteOfHour)
	case zoneKnown && wholeHours && !unspelled:
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, prior.ReferenceMinuteOfHour)
		if !config.ReferenceHourOfDay.IsNull() && (config.ReferenceHourOfDay.IsUnknown() || movesTime(withoutMinute(config), prior)) {
			plan.ReferenceHourOfDay = config.ReferenceHourOfDay
			plan.ReferenceTimeZoneOffset = offsetOrUnknown(config)
		}
	case zoneKnown && !unspelled && knowsTime(config) && !movesTime(config, prior):
	default:
		// At another offset, the parts that are not configured change, too.
		plan.ReferenceHourOfDay = configuredOr(config.ReferenceHourOfDay, types.Int64Unknown())
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, types.Int64Unknown())
		plan.ReferenceTimeZoneOffset = offsetOrUnknown(config)
	}
	return plan
}

func configuredOr(config, otherwise types.Int64) types.Int64 {
	if config.IsNull() {
		return otherwise
	}
	return config
}

func offsetOrUnknown(config snapshotScheduleModel) types.String {
	if config.ReferenceTimeZoneOffset.IsNull() {
		return types.StringUnknown()
	}
	return config.ReferenceTimeZoneOffset
}

func withoutMinute(m snapshotScheduleModel) snapshotScheduleModel {
	m.ReferenceMinuteOfHour = types.Int64Null()
	return m
}

func configuresTime(config snapshotScheduleModel) bool {
	return !config.ReferenceHourOfDay.IsNull() || !config.ReferenceMinuteOfHour.IsNull() || !config.ReferenceTimeZoneOffset.IsNull()
}

func knowsTime(config snapshotScheduleModel) bool {
	return !config.ReferenceHourOfDay.IsUnknown() && !config.ReferenceMinuteOfHour.IsUnknown() && !config.ReferenceTimeZoneOffset.IsUnknown()
}

// movesTime reports whether the known parts of the configured time of day differ from the
// state.
func movesTime(config, prior snapshotScheduleModel) bool {
	return len(timeDifferences(config, prior.toAPI())) > 0
}

// droppedOffset returns an offset that is no longer configured, if that changes the time of
// day.
func droppedOffset(config, prior snapshotScheduleModel, before baseline) (offset string, dropped bool) {
	was := tfmodel.StringPointer(prior.ReferenceTimeZoneOffset)
	if before.known() {
		was = before.Offset
	}
	if !config.ReferenceTimeZoneOffset.IsNull() || !configuresTime(config) || isUTC(was) || !movesTime(config, prior) {
		return "", false
	}
	return *was, true
}

// withDriftKept returns a plan that keeps drift if changing it back would leave fewer recovery
// points, and the differences to the configuration. It also keeps an interval if changing it back
// may shorten a retention. If a shorter interval excludes the configured retention, it keeps
// neither: you have to choose.
func withDriftKept(config, prior, plan snapshotScheduleModel, before baseline) (snapshotScheduleModel, []tfmodel.Difference) {
	var kept []tfmodel.Difference
	keep := func(f integerField) {
		kept = tfmodel.AppendDifference(kept, f.attribute, f.value(&prior), f.value(&config), "")
		*f.model(&plan) = *f.model(&prior)
	}
	for _, f := range integerFields {
		wanted, current := f.value(&config), f.value(&prior)
		if wanted == nil || current == nil || !f.loses(*current, *wanted) || !before.isDrift(f, *wanted) {
			continue
		}
		if f.attribute == intervalHours.attribute && *current < hoursPerDay && plan.SnapshotRetentionDays.ValueInt64() > maxRecentRetentionDays {
			continue
		}
		keep(f)
	}
	if interval := tfmodel.Int64Pointer(config.SnapshotIntervalHours); interval != nil && before.isDrift(intervalHours, *interval) && mayShortenRecentRetention(plan, prior) {
		keep(intervalHours)
		if config.SnapshotRetentionDays.IsNull() {
			plan.SnapshotRetentionDays = prior.SnapshotRetentionDays
		}
	}
	return plan, kept
}

// dailyRetentions are the values that newer versions of Ops Manager accept.
var dailyRetentions = []int64{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// warnUndocumented warns of values that some documented versions of Ops Manager reject.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
func warnUndocumented(changed, plan snapshotScheduleModel, diags *diag.Diagnostics) {
	of := ""
	if !plan.ClusterID.IsNull() && !plan.ClusterID.IsUnknown() {
		of = " for cluster " + plan.ClusterID.ValueString()
	}
	warn := func(attribute, reason string, value int64) {
		diags.AddAttributeWarning(path.Root(attribute), "Undocumented Value of "+attribute,
			fmt.Sprintf("%s, but %d is configured%s. The provider sends it anyway, and Ops Manager may reject it.", reason, value, of))
	}
	interval, recent := tfmodel.Int64Pointer(plan.SnapshotIntervalHours), tfmodel.Int64Pointer(plan.SnapshotRetentionDays)
	switch recentChanges, intervalChanges := !changed.SnapshotRetentionDays.IsNull(), !changed.SnapshotIntervalHours.IsNull(); {
	case recent == nil || !recentChanges && !intervalChanges:
	case recentChanges && *recent < 2:
		warn("snapshot_retention_days", "Most versions of Ops Manager keep recent snapshots for at least 2 days", *recent)
	case recentChanges && *recent > 30:
		warn("snapshot_retention_days", "Ops Manager documents at most 30 days, or 5 if the interval is below 24 hours", *recent)
	case *recent > maxRecentRetentionDays && interval != nil && *interval < hoursPerDay:
		warn("snapshot_retention_days", "Ops Manager documents at most 5 days if the interval is below 24 hours", *recent)
	}
	if daily := tfmodel.Int64Pointer(changed.DailySnapshotRetentionDays); daily != nil && !slices.Contains(dailyRetentions, *daily) {
		warn("daily_snapshot_retention_days", "Newer versions of Ops Manager accept only 0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180 and 360 days", *daily)
	}
	if weekly := tfmodel.Int64Pointer(changed.WeeklySnapshotRetentionWeeks); weekly != nil && *weekly > 52 {
		warn("weekly_snapshot_retention_weeks", "Ops Manager documents at most 52 weeks", *weekly)
	}
	if monthly := tfmodel.Int64Pointer(changed.MonthlySnapshotRetentionMonths); monthly != nil && *monthly > 36 {
		warn("monthly_snapshot_retention_months", "Ops Manager documents at most 36 months, some versions 84", *monthly)
	}
}
