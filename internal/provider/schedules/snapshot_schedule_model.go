// Package schedules implements the resources and the data source of snapshot schedules.
package schedules

import (
	"cmp"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotScheduleModel is a schedule in a configuration, a plan or a state.
type snapshotScheduleModel struct {
	ProjectID           types.String   `tfsdk:"project_id"`
	ClusterID           types.String   `tfsdk:"cluster_id"`
	RetentionProtection types.Bool     `tfsdk:"retention_protection"`
	Overwrites          types.Object   `tfsdk:"overwrites"`
	Values              tfmodel.Values `tfsdk:"*"`
}

func (m snapshotScheduleModel) identity() projects.ClusterIdentity {
	return projects.ClusterIdentity{ProjectID: m.ProjectID, ClusterID: m.ClusterID}
}

// The attributes that have rules of their own.
const (
	intervalHours       = "snapshot_interval_hours"
	recentRetentionDays = "snapshot_retention_days"
	checkpointInterval  = "cluster_checkpoint_interval_min"
	hourOfDay           = "reference_hour_of_day"
	minuteOfHour        = "reference_minute_of_hour"
	zoneOffset          = "reference_time_zone_offset"
	fullSnapshotDay     = "full_incremental_day_of_week"

	timeAttribute = "reference_time_of_day" // what messages call the three parts of the time of day
)

// guardedField is a field that the number of recovery points depends on: a retention, or an
// interval.
type guardedField struct {
	attribute string
	at        func(*opsmanager.SnapshotSchedule) **int64
	unit      string
	keeps     string // what a retention keeps; empty for an interval
	takes     string // what Ops Manager does at an interval; empty for a retention
}

var guardedFields = []guardedField{
	{intervalHours, func(s *opsmanager.SnapshotSchedule) **int64 { return &s.SnapshotIntervalHours }, "hours", "", "takes a snapshot"},
	{recentRetentionDays, func(s *opsmanager.SnapshotSchedule) **int64 { return &s.SnapshotRetentionDays }, "days", "recent snapshots", ""},
	{"daily_snapshot_retention_days", func(s *opsmanager.SnapshotSchedule) **int64 { return &s.DailySnapshotRetentionDays }, "days", "daily snapshots", ""},
	{"weekly_snapshot_retention_weeks", func(s *opsmanager.SnapshotSchedule) **int64 { return &s.WeeklySnapshotRetentionWeeks }, "weeks", "weekly snapshots", ""},
	{"monthly_snapshot_retention_months", func(s *opsmanager.SnapshotSchedule) **int64 { return &s.MonthlySnapshotRetentionMonths }, "months", "monthly snapshots", ""},
	{"point_in_time_window_hours", func(s *opsmanager.SnapshotSchedule) **int64 { return &s.PointInTimeWindowHours }, "hours", "points in time", ""},
	{checkpointInterval, func(s *opsmanager.SnapshotSchedule) **int64 { return &s.ClusterCheckpointIntervalMin }, "minutes", "", "creates a checkpoint"},
}

type scheduleField = tfmodel.Field[opsmanager.SnapshotSchedule]

// scheduleFields are all fields of a schedule.
var scheduleFields = func() (all tfmodel.Fields[opsmanager.SnapshotSchedule]) {
	for _, f := range guardedFields {
		all = append(all, tfmodel.NumberField(f.attribute, f.at))
	}
	return append(all,
		tfmodel.NumberField(hourOfDay, func(s *opsmanager.SnapshotSchedule) **int64 { return &s.ReferenceHourOfDay }),
		tfmodel.NumberField(minuteOfHour, func(s *opsmanager.SnapshotSchedule) **int64 { return &s.ReferenceMinuteOfHour }),
		tfmodel.TextField(zoneOffset, func(s *opsmanager.SnapshotSchedule) **string { return &s.ReferenceTimeZoneOffset }).Unquoted(),
		tfmodel.TextField(fullSnapshotDay, func(s *opsmanager.SnapshotSchedule) **string { return &s.FullIncrementalDayOfWeek }).Unquoted(),
	)
}()

// isTime reports whether an attribute is a part of the time of day, which changes as a whole.
func isTime(attribute string) bool {
	return attribute == hourOfDay || attribute == minuteOfHour || attribute == zoneOffset
}

// isSet reports whether values have one for an attribute, which may be unknown.
func isSet(values tfmodel.Values, attribute string) bool {
	return values[attribute] != nil && !values[attribute].IsNull()
}

// isUnknown reports whether a value is not known yet.
func isUnknown(values tfmodel.Values, attribute string) bool {
	return values[attribute] != nil && values[attribute].IsUnknown()
}

// configuresTime reports whether a configuration has a part of the time of day.
func configuresTime(configured tfmodel.Values) bool {
	return isSet(configured, hourOfDay) || isSet(configured, minuteOfHour) || isSet(configured, zoneOffset)
}

// scheduleOf returns the known values of a configuration, a plan or a state as Ops Manager holds them,
// with the time of day in UTC. While a part of the time is unknown, all of it is.
func scheduleOf(values tfmodel.Values) (s opsmanager.SnapshotSchedule) {
	scheduleFields.Set(&s, values)
	if isLate(values) {
		setTime(&s, timeOfDay{})
	}
	return inUTC(s)
}

// valuesOf returns the values of a schedule with the time of day at an offset. No offset is that of UTC.
func valuesOf(s opsmanager.SnapshotSchedule, offset *string) tfmodel.Values {
	setTime(&s, timeOf(s).at(cmp.Or(offset, new(utcOffset))))
	if s.ReferenceHourOfDay == nil {
		s.ReferenceTimeZoneOffset = nil
	}
	if hasNoCheckpoints(s) {
		s.ClusterCheckpointIntervalMin = nil
	}
	return scheduleFields.FromAPI(tfmodel.Values{}, s)
}

// offsetOf returns the known offset of the time of day, or nil.
func offsetOf(values tfmodel.Values) *string {
	offset, _ := values[zoneOffset].(types.String)
	return tfmodel.StringPointer(offset)
}

// refreshed returns the state with the fields of a response. A missing field keeps its value, and the
// time of day keeps its offset.
func (m snapshotScheduleModel) refreshed(response opsmanager.SnapshotSchedule) snapshotScheduleModel {
	m.Values = valuesOf(withLater(scheduleOf(m.Values), response), offsetOf(m.Values))
	return m
}

// applied returns a plan whose unknown values are taken from the live schedule.
func (m snapshotScheduleModel) applied(live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	m.Values = maps.Clone(m.Values)
	for attribute, value := range valuesOf(live, offsetOf(m.Values)) {
		if m.Values[attribute].IsUnknown() {
			m.Values[attribute] = value
		}
	}
	return m
}

// hasNoCheckpoints reports whether Ops Manager returned that there are no checkpoints, which is 0.
func hasNoCheckpoints(s opsmanager.SnapshotSchedule) bool {
	return s.ClusterCheckpointIntervalMin != nil && *s.ClusterCheckpointIntervalMin == 0
}

// withLater returns a schedule with the fields of a later response, in UTC.
func withLater(schedule, later opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	return scheduleFields.Complete(inUTC(later), schedule)
}

// inUTC returns a schedule with its time of day in UTC, as it is sent. So nothing depends on the
// conversion by Ops Manager, which is hardly documented.
func inUTC(s opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	setTime(&s, timeOf(s).utc())
	return s
}

func timeOf(s opsmanager.SnapshotSchedule) timeOfDay {
	return timeOfDay{s.ReferenceHourOfDay, s.ReferenceMinuteOfHour, s.ReferenceTimeZoneOffset}
}

func setTime(s *opsmanager.SnapshotSchedule, t timeOfDay) {
	s.ReferenceHourOfDay, s.ReferenceMinuteOfHour, s.ReferenceTimeZoneOffset = t.hour, t.minute, t.offset
}
