package schedules

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// changes returns the fields to send: those whose planned value differs from the state. If
// a part of the time of day changes, the other parts are the live ones.
func changes(config, plan, prior snapshotScheduleModel, live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	var changed snapshotScheduleModel
	for _, f := range integerFields {
		planned, before := f.value(&plan), f.value(&prior)
		unknown := planned == nil && !f.model(&config).IsNull()
		if unknown || planned != nil && (before == nil || *before != *planned) {
			*f.model(&changed) = *f.model(&plan)
		}
	}
	if day := tfmodel.StringPointer(plan.FullIncrementalDayOfWeek); day != nil && !plan.FullIncrementalDayOfWeek.Equal(prior.FullIncrementalDayOfWeek) {
		changed.FullIncrementalDayOfWeek = plan.FullIncrementalDayOfWeek
	}
	var time timeOfDay
	if !config.ReferenceTimeZoneOffset.IsUnknown() {
		time = changedTime(plan.time(), prior.toAPI(), live)
	}
	changed.ReferenceHourOfDay = types.Int64PointerValue(time.hour)
	changed.ReferenceMinuteOfHour = types.Int64PointerValue(time.minute)
	if time != (timeOfDay{}) && (!config.ReferenceTimeZoneOffset.IsNull() || !isUTC(time.offset) || !isUTC(live.ReferenceTimeZoneOffset)) {
		offset := utcOffset
		if time.offset != nil {
			offset = *time.offset
		}
		changed.ReferenceTimeZoneOffset = types.StringValue(offset)
	}
	return changed
}

// withCompanions returns a change with the fields that must be sent together. With a new
// interval, it sends a configured retention of recent snapshots even if that is unchanged:
// otherwise Ops Manager may shorten it instead of rejecting the interval.
func withCompanions(changed, config, plan snapshotScheduleModel, live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	recent := tfmodel.Int64Pointer(plan.SnapshotRetentionDays)
	if !changed.SnapshotIntervalHours.IsNull() && !config.SnapshotRetentionDays.IsNull() &&
		recent != nil && live.SnapshotRetentionDays != nil && *recent == *live.SnapshotRetentionDays {
		changed.SnapshotRetentionDays = plan.SnapshotRetentionDays
	}
	return changed
}

// changedTime returns the time of day to send, at the planned offset: the parts that a plan
// changes, and the live values of the others. It is zero if the plan doesn't change the
// time.
func changedTime(planned timeOfDay, prior, live opsmanager.SnapshotSchedule) timeOfDay {
	before, now := timeAt(prior, planned.offset), timeAt(live, planned.offset)
	differs := func(planned, before *int64) bool { return planned != nil && (before == nil || *before != *planned) }
	hourChanges, minuteChanges := differs(planned.hour, before.hour), differs(planned.minute, before.minute)
	if !hourChanges && !minuteChanges {
		return timeOfDay{}
	}
	if !hourChanges && now.hour != nil {
		planned.hour = now.hour
	}
	if !minuteChanges && now.minute != nil {
		planned.minute = now.minute
	}
	return planned
}

// isEmpty reports whether there is nothing to send.
func (m *snapshotScheduleModel) isEmpty() bool {
	return len(differences(*m, opsmanager.SnapshotSchedule{})) == 0
}

// differences compares the known wanted values with the live ones.
func differences(wanted snapshotScheduleModel, live opsmanager.SnapshotSchedule) []tfmodel.Difference {
	var found []tfmodel.Difference
	for _, f := range integerFields {
		found = tfmodel.AppendDifference(found, f.attribute, f.value(&wanted), *f.api(&live), "")
	}
	found = append(found, timeDifferences(wanted, live)...)
	return tfmodel.AppendDifference(found, "full_incremental_day_of_week", tfmodel.StringPointer(wanted.FullIncrementalDayOfWeek), live.FullIncrementalDayOfWeek, "")
}

// timeDifferences compares the time of day, at the wanted offset. There are none while the offset is
// unknown.
func timeDifferences(config snapshotScheduleModel, live opsmanager.SnapshotSchedule) []tfmodel.Difference {
	if config.ReferenceTimeZoneOffset.IsUnknown() {
		return nil
	}
	wanted := config.time()
	there := timeAt(live, wanted.offset)
	zone := " UTC"
	if !isUTC(wanted.offset) {
		zone = " at " + *wanted.offset
	}
	found := tfmodel.AppendDifference(nil, "reference_hour_of_day", wanted.hour, there.hour, zone)
	return tfmodel.AppendDifference(found, "reference_minute_of_hour", wanted.minute, there.minute, "")
}

// timeAt returns the time of day of a schedule at an offset. If that is not a whole number
// of hours, both the hour and the minute are needed.
func timeAt(s opsmanager.SnapshotSchedule, offset *string) timeOfDay {
	t := apiTime(s).utc()
	if !isUTC(offset) && minutesEast(*offset)%minutesPerHour != 0 && (t.hour == nil || t.minute == nil) {
		return timeOfDay{}
	}
	return t.at(offset)
}

// unsentChanges returns the fields that changed in an update without being sent.
func unsentChanges(sent snapshotScheduleModel, before, after opsmanager.SnapshotSchedule) []tfmodel.Difference {
	var found []tfmodel.Difference
	was, is := modelOf(before), modelOf(after)
	for _, f := range integerFields {
		if f.model(&sent).IsNull() && !f.model(&was).IsNull() && !f.model(&is).IsNull() {
			found = tfmodel.AppendDifference(found, f.attribute, f.value(&is), f.value(&was), "")
		}
	}
	if sent.FullIncrementalDayOfWeek.IsNull() && !was.FullIncrementalDayOfWeek.IsNull() {
		found = tfmodel.AppendDifference(found, "full_incremental_day_of_week", tfmodel.StringPointer(is.FullIncrementalDayOfWeek), tfmodel.StringPointer(was.FullIncrementalDayOfWeek), "")
	}
	if sent.time() == (timeOfDay{}) {
		was, is := apiTime(before).utc(), apiTime(after).utc()
		if was.hour != nil {
			found = tfmodel.AppendDifference(found, "reference_hour_of_day", is.hour, was.hour, " UTC")
		}
		if was.minute != nil {
			found = tfmodel.AppendDifference(found, "reference_minute_of_hour", is.minute, was.minute, "")
		}
	}
	return found
}

// appliedOf returns the configured values that a plan applies. It leaves out those that
// are not applied because of ignore_changes or prevent_fewer_recovery_points.
func appliedOf(config, plan snapshotScheduleModel) snapshotScheduleModel {
	for _, f := range integerFields {
		if !f.model(&config).Equal(*f.model(&plan)) {
			*f.model(&config) = types.Int64Null()
		}
	}
	if movesTime(config, plan) {
		config.ReferenceHourOfDay, config.ReferenceMinuteOfHour = types.Int64Null(), types.Int64Null()
	}
	if !config.FullIncrementalDayOfWeek.Equal(plan.FullIncrementalDayOfWeek) {
		config.FullIncrementalDayOfWeek = types.StringNull()
	}
	return config
}
