// Package schedules implements the resources and the data source of snapshot schedules.
package schedules

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// schedule is a schedule as the client has it.
type schedule = opsmanager.SnapshotSchedule

// snapshotScheduleModel is a schedule in a configuration, a plan or a state.
type snapshotScheduleModel struct {
	projects.ClusterIdentity
	RetentionProtection types.Bool   `tfsdk:"retention_protection"`
	Overwrites          types.Object `tfsdk:"overwrites"`
	Values              tf.Values    `tfsdk:"*"`
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

// numberField is a field that is a number.
type numberField struct {
	attribute string
	at        func(*schedule) **int64
	accepts   validator.Int64
	is        string // describes it
	further   string // describes it in a resource

	// isDocumented reports whether all documented versions accept a value, with snapshots more often than
	// once a day or not. Nil if nothing is documented.
	//
	// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
	isDocumented func(value int64, isOften bool) bool

	unit  string
	keeps string // what a retention keeps; otherwise empty
	takes string // what Ops Manager does at an interval; otherwise empty
}

// numberFields are the fields that are numbers. The guardedFields come first: an interval, the retentions, and another interval.
var numberFields = []numberField{
	{
		attribute: intervalHours,
		at:        func(s *schedule) **int64 { return &s.SnapshotIntervalHours },
		accepts:   int64validator.OneOf(6, 8, 12, 24),
		is:        "Hours between snapshots: `6`, `8`, `12` or `24`.",
		further:   "Below `24`, Ops Manager keeps recent snapshots for at most 5 days.",
		unit:      "hours",
		takes:     "takes a snapshot",
	},
	{
		attribute: recentRetentionDays,
		at:        func(s *schedule) **int64 { return &s.SnapshotRetentionDays },
		accepts:   int64validator.AtLeast(1),
		is:        "Days to keep recent snapshots.",
		further:   "At least `1`. Ops Manager documents `2` to `5`, and up to `30` if the interval is 24 hours.",
		isDocumented: func(days int64, isOften bool) bool {
			return days >= 2 && days <= 30 && (days <= maxRecentRetentionDays || !isOften)
		},
		unit:  "days",
		keeps: "recent snapshots",
	},
	{
		attribute: "daily_snapshot_retention_days",
		at:        func(s *schedule) **int64 { return &s.DailySnapshotRetentionDays },
		accepts:   int64validator.AtLeast(0),
		is:        "Days to keep daily snapshots. `0` turns the rule off.",
		further:   "The documentation lists `0`, `3` to `7`, `15`, `30`, `60`, `90`, `120`, `180` and `360`. Some versions accept any number up to `365`.",
		isDocumented: func(days int64, _ bool) bool {
			return slices.Contains([]int64{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}, days)
		},
		unit:  "days",
		keeps: "daily snapshots",
	},
	{
		attribute:    "weekly_snapshot_retention_weeks",
		at:           func(s *schedule) **int64 { return &s.WeeklySnapshotRetentionWeeks },
		accepts:      int64validator.AtLeast(0),
		is:           "Weeks to keep weekly snapshots. `0` turns the rule off.",
		further:      "Ops Manager documents up to `52`.",
		isDocumented: func(weeks int64, _ bool) bool { return weeks <= 52 },
		unit:         "weeks",
		keeps:        "weekly snapshots",
	},
	{
		attribute:    "monthly_snapshot_retention_months",
		at:           func(s *schedule) **int64 { return &s.MonthlySnapshotRetentionMonths },
		accepts:      int64validator.AtLeast(0),
		is:           "Months to keep monthly snapshots. `0` turns the rule off.",
		further:      "Ops Manager documents up to `36`. Some versions accept up to `84`.",
		isDocumented: func(months int64, _ bool) bool { return months <= 36 },
		unit:         "months",
		keeps:        "monthly snapshots",
	},
	{
		attribute: "point_in_time_window_hours",
		at:        func(s *schedule) **int64 { return &s.PointInTimeWindowHours },
		accepts:   int64validator.AtLeast(0),
		is:        "Hours into the past for which you can restore to any point in time. The newest documentation of restores allows only the last 24.",
		further:   "`0` or more. Ops Manager documents no upper limit.",
		unit:      "hours",
		keeps:     "points in time",
	},
	{
		attribute: checkpointInterval,
		at:        func(s *schedule) **int64 { return &s.ClusterCheckpointIntervalMin },
		accepts:   int64validator.OneOf(15, 30, 60),
		is:        "Minutes between checkpoints, to which a sharded cluster can be restored: `15`, `30` or `60`. Null for a replica set.",
		further:   "Documented up to feature compatibility version 4.0.",
		unit:      "minutes",
		takes:     "creates a checkpoint",
	},
	{
		attribute: hourOfDay,
		at:        func(s *schedule) **int64 { return &s.ReferenceHourOfDay },
		accepts:   int64validator.Between(0, 23),
		is:        "Hour of the day at which snapshots are taken, `0` to `23`, at `reference_time_zone_offset`. With an interval below 24 hours, some are taken at other hours.",
		further:   "In UTC by default.",
	},
	{
		attribute: minuteOfHour,
		at:        func(s *schedule) **int64 { return &s.ReferenceMinuteOfHour },
		accepts:   int64validator.Between(0, 59),
		is:        "Minute of the hour at which snapshots are taken, `0` to `59`.",
		further:   "Required if the offset is not a whole number of hours.",
	},
}

// guardedFields are those that the number of recovery points depends on.
var guardedFields = numberFields[:7]

// retentions are the guardedFields that say how long recovery points are kept.
var retentions = guardedFields[1:6]

type scheduleField = tf.Field[schedule]

// scheduleFields are all fields of a schedule.
var scheduleFields = func() (all tf.Fields[schedule]) {
	for _, f := range numberFields {
		all = append(all, tf.NumberField(f.attribute, f.at))
	}
	return append(all,
		tf.TextField(zoneOffset, func(s *schedule) **string { return &s.ReferenceTimeZoneOffset }).Unquoted(),
		tf.TextField(fullSnapshotDay, func(s *schedule) **string { return &s.FullIncrementalDayOfWeek }).Unquoted(),
	)
}()

// Descriptions of the fields that are texts.
const (
	offsetText = "Offset of the hour and the minute from UTC in ISO 8601 format, such as `+02:00`."
	dayText    = "Day of the week on which a full snapshot is taken: `SUNDAY`, `MONDAY`, and so on."
)

// timeParts are the attributes of the time of day, which changes as a whole.
var timeParts = []string{hourOfDay, minuteOfHour, zoneOffset}

// scheduleValues are the values of a schedule: its fields, and before the last one the time of day, which documented
// responses may lack.
var scheduleValues = func() (values change.Values[schedule]) {
	time := change.Value[schedule]{
		Name:             timeAttribute,
		Text:             timeText,
		ReadsMayLack:     true,
		ResponsesMayLack: true,
	}
	for _, f := range scheduleFields {
		if slices.Contains(timeParts, f.Attribute) {
			time.Fields = append(time.Fields, f)
			continue
		}
		values = append(values, change.Value[schedule]{
			Name:   f.Attribute,
			Fields: tf.Fields[schedule]{f},
			Text:   func(s schedule) string { return fieldText(f, withNull(s)) },
		})
	}
	return slices.Insert(values, len(values)-1, time)
}()

// timeText returns the time of day of a schedule as messages show it, in UTC, or "" if it has none.
func timeText(s schedule) string {
	if s.ReferenceHourOfDay == nil && s.ReferenceMinuteOfHour == nil {
		return ""
	}
	return timeOf(s).String()
}

// fieldText returns a field of a schedule as messages show it, or "" if it is missing.
func fieldText(f scheduleField, of schedule) string {
	return opsmanager.Sanitize(tf.Text(f.Literal(&of)))
}

// pathOf returns the path of what a difference is about.
func pathOf(name string) path.Path {
	if name == timeAttribute {
		return path.Root(hourOfDay)
	}
	return path.Root(name)
}

// isSet reports whether values have one for an attribute, which may be unknown.
func isSet(values tf.Values, attribute string) bool {
	return values[attribute] != nil && !values[attribute].IsNull()
}

// isUnknown reports whether a value is not known yet.
func isUnknown(values tf.Values, attribute string) bool {
	return values[attribute] != nil && values[attribute].IsUnknown()
}

// timeIsUnknown reports whether a part of a time is not known yet.
func timeIsUnknown(values tf.Values) bool {
	return slices.ContainsFunc(timeParts, func(part string) bool { return isUnknown(values, part) })
}

// scheduleOf returns the known values of a configuration, a plan or a state as Ops Manager holds them,
// with the time of day in UTC. While a part of the time is unknown, all of it is.
func scheduleOf(values tf.Values) (s schedule) {
	scheduleFields.Set(&s, values)
	if timeIsUnknown(values) {
		setTime(&s, timeOfDay{})
	}
	return inUTC(s)
}

// shownAt returns a schedule as a state shows it, with the time of day at an offset. No offset is that of UTC.
func shownAt(offset *string, s schedule) schedule {
	setTime(&s, timeOf(s).at(cmp.Or(offset, new(utcOffset))))
	if s.ReferenceHourOfDay == nil {
		s.ReferenceTimeZoneOffset = nil
	}
	return withNull(s)
}

// offsetOf returns the known offset of the time of day, or nil.
func offsetOf(values tf.Values) *string {
	return tf.StringPointer(tf.As[types.String](values, zoneOffset))
}

// refreshed returns the state with the fields of a response. A missing field keeps its value, and the
// time of day keeps its offset.
func (m snapshotScheduleModel) refreshed(response schedule) snapshotScheduleModel {
	m.Values = scheduleFields.FromAPI(tf.Values{}, shownAt(offsetOf(m.Values), withLater(scheduleOf(m.Values), response)))
	return m
}

// applied returns a plan whose unknown values are taken from the live schedule.
func (m snapshotScheduleModel) applied(live schedule) snapshotScheduleModel {
	m.Values = scheduleFields.Applied(m.Values, shownAt(offsetOf(m.Values), live))
	return m
}

// withNull returns a schedule without an interval of checkpoints that is 0, with which Ops Manager says that there are none.
func withNull(s schedule) schedule {
	if interval := s.ClusterCheckpointIntervalMin; interval != nil && *interval == 0 {
		s.ClusterCheckpointIntervalMin = nil
	}
	return s
}

// withLater returns a schedule with the fields of a later response, in UTC.
func withLater(earlier, later schedule) schedule {
	return scheduleFields.Complete(inUTC(later), earlier)
}

// inUTC returns a schedule with its time of day in UTC, as it is sent. So nothing depends on the
// conversion by Ops Manager, which is hardly documented.
func inUTC(s schedule) schedule {
	setTime(&s, timeOf(s).utc())
	return s
}

// responseInUTC returns the schedule of a response in UTC.
func responseInUTC(response *schedule, err error) (*schedule, error) {
	if err != nil {
		return nil, err
	}
	return new(inUTC(*response)), nil
}

func timeOf(s schedule) timeOfDay {
	return timeOfDay{s.ReferenceHourOfDay, s.ReferenceMinuteOfHour, s.ReferenceTimeZoneOffset}
}

func setTime(s *schedule, t timeOfDay) {
	s.ReferenceHourOfDay = t.hour
	s.ReferenceMinuteOfHour = t.minute
	s.ReferenceTimeZoneOffset = t.offset
}
