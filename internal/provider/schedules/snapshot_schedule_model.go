// Package schedules implements the resources and the data source of snapshot schedules.
package schedules

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotScheduleModel is a schedule in a configuration, a plan or a state.
type snapshotScheduleModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`

	scheduleFields

	PreventFewerRecoveryPoints types.Bool `tfsdk:"prevent_fewer_recovery_points"`
}

// scheduleFields are the fields of a schedule.
type scheduleFields struct {
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
}

// integerField is an integer field of a schedule, other than a part of the time of day.
type integerField struct {
	attribute string
	unit      string
	keeps     string // what a retention keeps; empty for other fields
	takes     string // what Ops Manager does at an interval; empty for other fields
	model     func(*snapshotScheduleModel) *types.Int64
	api       func(*opsmanager.SnapshotSchedule) **int64
}

// guarded reports whether the number of recovery points depends on the field.
func (f integerField) guarded() bool { return f.keeps != "" || f.takes != "" }

// loses reports whether a change of the field leaves fewer recovery points. An interval of 0
// is none.
func (f integerField) loses(before, after int64) bool {
	return f.keeps != "" && after < before || f.takes != "" && before > 0 && after > before
}

// value returns the value of the field, or nil if it is null or unknown.
func (f integerField) value(m *snapshotScheduleModel) *int64 {
	return tfmodel.Int64Pointer(*f.model(m))
}

var (
	intervalHours = integerField{
		attribute: "snapshot_interval_hours", unit: "hours", takes: "takes a snapshot",
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
		attribute: "cluster_checkpoint_interval_min", unit: "minutes", takes: "creates a checkpoint",
		model: func(m *snapshotScheduleModel) *types.Int64 { return &m.ClusterCheckpointIntervalMin },
		api:   func(s *opsmanager.SnapshotSchedule) **int64 { return &s.ClusterCheckpointIntervalMin },
	},
}

// time returns the time of day. Its unknown parts are nil.
func (m *snapshotScheduleModel) time() timeOfDay {
	return timeOfDay{tfmodel.Int64Pointer(m.ReferenceHourOfDay), tfmodel.Int64Pointer(m.ReferenceMinuteOfHour), tfmodel.StringPointer(m.ReferenceTimeZoneOffset)}
}

// toAPI returns the fields that are known, with the time of day in UTC. So nothing depends
// on the conversion by Ops Manager, which is hardly documented.
func (m *snapshotScheduleModel) toAPI() opsmanager.SnapshotSchedule {
	var s opsmanager.SnapshotSchedule
	for _, f := range integerFields {
		*f.api(&s) = f.value(m)
	}
	setTime(&s, m.time().utc())
	s.FullIncrementalDayOfWeek = tfmodel.StringPointer(m.FullIncrementalDayOfWeek)
	return s
}

// fromAPI takes over the fields that a response has. A missing field keeps its value, and
// the time of day keeps its offset.
func (m *snapshotScheduleModel) fromAPI(response opsmanager.SnapshotSchedule) {
	for _, f := range integerFields {
		if value := *f.api(&response); value != nil {
			*f.model(m) = types.Int64Value(*value)
		}
	}
	if m.ClusterCheckpointIntervalMin.ValueInt64() == 0 {
		m.ClusterCheckpointIntervalMin = types.Int64Null() // Ops Manager returns 0 for none
	}
	if response.FullIncrementalDayOfWeek != nil {
		m.FullIncrementalDayOfWeek = types.StringValue(*response.FullIncrementalDayOfWeek)
	}
	time := apiTime(response).utc().over(m.time().utc())
	if offset := m.time().offset; offset != nil {
		time = time.at(offset)
	} else if offset := apiTime(response).offset; !isUTC(offset) {
		time = time.at(offset)
	}
	if time.hour == nil {
		time.offset = nil
	}
	m.ReferenceHourOfDay = types.Int64PointerValue(time.hour)
	m.ReferenceMinuteOfHour = types.Int64PointerValue(time.minute)
	m.ReferenceTimeZoneOffset = types.StringPointerValue(time.offset)
}

// modelOf returns a model with the fields of a response.
func modelOf(response opsmanager.SnapshotSchedule) snapshotScheduleModel {
	var m snapshotScheduleModel
	m.fromAPI(response)
	return m
}

// applied returns a planned model whose unknown values are taken from a response.
func (m snapshotScheduleModel) applied(response opsmanager.SnapshotSchedule) snapshotScheduleModel {
	live := modelOf(response)
	for _, f := range integerFields {
		if f.model(&m).IsUnknown() {
			*f.model(&m) = *f.model(&live)
		}
	}
	if m.ReferenceHourOfDay.IsUnknown() {
		m.ReferenceHourOfDay = live.ReferenceHourOfDay
	}
	if m.ReferenceMinuteOfHour.IsUnknown() {
		m.ReferenceMinuteOfHour = live.ReferenceMinuteOfHour
	}
	if m.ReferenceTimeZoneOffset.IsUnknown() {
		m.ReferenceTimeZoneOffset = live.ReferenceTimeZoneOffset
	}
	if m.FullIncrementalDayOfWeek.IsUnknown() {
		m.FullIncrementalDayOfWeek = live.FullIncrementalDayOfWeek
	}
	return m
}

// merged returns a schedule with the fields of a later response.
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
