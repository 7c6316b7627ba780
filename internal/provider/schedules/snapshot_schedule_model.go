// Package schedules implements the resources and the data source of snapshot schedules.
package schedules

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotScheduleModel is the resource in a configuration, a plan or a state.
type snapshotScheduleModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`

	SnapshotIntervalHours          types.Int64  `tfsdk:"snapshot_interval_hours"`
	SnapshotRetentionDays          types.Int64  `tfsdk:"snapshot_retention_days"`
	DailySnapshotRetentionDays     types.Int64  `tfsdk:"daily_snapshot_retention_days"`
	WeeklySnapshotRetentionWeeks   types.Int64  `tfsdk:"weekly_snapshot_retention_weeks"`
	MonthlySnapshotRetentionMonths types.Int64  `tfsdk:"monthly_snapshot_retention_months"`
	PointInTimeWindowHours         types.Int64  `tfsdk:"point_in_time_window_hours"`
	ClusterCheckpointIntervalMin   types.Int64  `tfsdk:"cluster_checkpoint_interval_min"`
	ReferenceHourOfDay             types.Int64  `tfsdk:"reference_hour_of_day"`
	ReferenceMinuteOfHour          types.Int64  `tfsdk:"reference_minute_of_hour"`
	ReferenceTimeZoneOffset        types.String `tfsdk:"reference_time_zone_offset"`
	FullIncrementalDayOfWeek       types.String `tfsdk:"full_incremental_day_of_week"`

	PreventRetentionDecrease types.Bool `tfsdk:"prevent_retention_decrease"`
}

// integerField is a whole number of the schedule that means something by itself. The
// parts of the time of day don't.
type integerField struct {
	attribute string
	unit      string
	keeps     string // of a retention: what it keeps
	model     func(*snapshotScheduleModel) *types.Int64
	api       func(*opsmanager.SnapshotSchedule) **int64
}

var (
	intervalHours = integerField{
		attribute: "snapshot_interval_hours", unit: "hours",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.SnapshotIntervalHours },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.SnapshotIntervalHours },
	}
	recentRetentionDays = integerField{
		attribute: "snapshot_retention_days", unit: "days", keeps: "recent snapshots",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.SnapshotRetentionDays },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.SnapshotRetentionDays },
	}
)

var integerFields = []integerField{
	intervalHours,
	recentRetentionDays,
	{
		attribute: "daily_snapshot_retention_days", unit: "days", keeps: "daily snapshots",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.DailySnapshotRetentionDays },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.DailySnapshotRetentionDays },
	},
	{
		attribute: "weekly_snapshot_retention_weeks", unit: "weeks", keeps: "weekly snapshots",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.WeeklySnapshotRetentionWeeks },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.WeeklySnapshotRetentionWeeks },
	},
	{
		attribute: "monthly_snapshot_retention_months", unit: "months", keeps: "monthly snapshots",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.MonthlySnapshotRetentionMonths },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.MonthlySnapshotRetentionMonths },
	},
	{
		attribute: "point_in_time_window_hours", unit: "hours", keeps: "points in time",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.PointInTimeWindowHours },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.PointInTimeWindowHours },
	},
	{
		attribute: "cluster_checkpoint_interval_min", unit: "minutes",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.ClusterCheckpointIntervalMin },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.ClusterCheckpointIntervalMin },
	},
}

// time returns the time of day that the model holds. What is unknown is not there.
func (m *snapshotScheduleModel) time() timeOfDay {
	return timeOfDay{tfmodel.Int64Pointer(m.ReferenceHourOfDay), tfmodel.Int64Pointer(m.ReferenceMinuteOfHour), tfmodel.StringPointer(m.ReferenceTimeZoneOffset)}
}

// toAPI returns the fields that the model holds, as they are sent: the time
// of day in UTC, so that no conversion of the service's is relied on.
func (m *snapshotScheduleModel) toAPI() opsmanager.SnapshotSchedule {
	var s opsmanager.SnapshotSchedule
	for _, f := range integerFields {
		*f.api(&s) = tfmodel.Int64Pointer(*f.model(m))
	}
	setTime(&s, m.time().utc())
	s.FullIncrementalDayOfWeek = tfmodel.StringPointer(m.FullIncrementalDayOfWeek)
	return s
}

// fromAPI takes over what the service shows. What an answer leaves out keeps
// its value, and the time of day its offset.
func (m *snapshotScheduleModel) fromAPI(shown opsmanager.SnapshotSchedule) {
	for _, f := range integerFields {
		if value := *f.api(&shown); value != nil {
			*f.model(m) = types.Int64Value(*value)
		}
	}
	if m.ClusterCheckpointIntervalMin.ValueInt64() == 0 {
		m.ClusterCheckpointIntervalMin = types.Int64Null() // the service's way to say 'none'
	}
	if shown.FullIncrementalDayOfWeek != nil {
		m.FullIncrementalDayOfWeek = types.StringValue(*shown.FullIncrementalDayOfWeek)
	}
	held := m.time()
	seen := apiTime(shown).utc().over(held.utc())
	if held.offset != nil {
		seen = seen.at(held.offset)
	} else if offset := apiTime(shown).offset; !isUTC(offset) {
		seen = seen.at(offset) // nobody has asked for another one
	}
	if seen.hour == nil {
		seen.offset = nil // it would say where nothing is meant
	}
	m.ReferenceHourOfDay = types.Int64PointerValue(seen.hour)
	m.ReferenceMinuteOfHour = types.Int64PointerValue(seen.minute)
	m.ReferenceTimeZoneOffset = types.StringPointerValue(seen.offset)
}

// applied returns the planned model with what was unknown taken from the service.
func (m snapshotScheduleModel) applied(shown opsmanager.SnapshotSchedule) snapshotScheduleModel {
	var seen snapshotScheduleModel
	seen.fromAPI(shown)
	for _, f := range integerFields {
		if f.model(&m).IsUnknown() {
			*f.model(&m) = *f.model(&seen)
		}
	}
	if m.ReferenceHourOfDay.IsUnknown() {
		m.ReferenceHourOfDay = seen.ReferenceHourOfDay
	}
	if m.ReferenceMinuteOfHour.IsUnknown() {
		m.ReferenceMinuteOfHour = seen.ReferenceMinuteOfHour
	}
	if m.ReferenceTimeZoneOffset.IsUnknown() {
		m.ReferenceTimeZoneOffset = seen.ReferenceTimeZoneOffset
	}
	if m.FullIncrementalDayOfWeek.IsUnknown() {
		m.FullIncrementalDayOfWeek = seen.FullIncrementalDayOfWeek
	}
	return m
}

// merged returns a schedule with what a later answer shows of it.
func merged(schedule, later opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	for _, f := range integerFields {
		if value := *f.api(&later); value != nil {
			*f.api(&schedule) = value
		}
	}
	if later.FullIncrementalDayOfWeek != nil {
		schedule.FullIncrementalDayOfWeek = later.FullIncrementalDayOfWeek
	}
	setTime(&schedule, apiTime(later).utc().over(apiTime(schedule).utc()))
	return schedule
}

func apiTime(s opsmanager.SnapshotSchedule) timeOfDay {
	return timeOfDay{s.ReferenceHourOfDay, s.ReferenceMinuteOfHour, s.ReferenceTimeZoneOffset}
}

func setTime(s *opsmanager.SnapshotSchedule, t timeOfDay) {
	s.ReferenceHourOfDay, s.ReferenceMinuteOfHour, s.ReferenceTimeZoneOffset = t.hour, t.minute, t.offset
}
