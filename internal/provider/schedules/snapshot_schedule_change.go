package schedules

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// scheduleChange is a change of a schedule.
type scheduleChange struct {
	configured, planned snapshotScheduleModel
	prior               opsmanager.SnapshotSchedule // the state before
	live                opsmanager.SnapshotSchedule // what Ops Manager has before the change
	wanted              opsmanager.SnapshotSchedule // the known planned values
	changed             opsmanager.SnapshotSchedule // the wanted values that differ from the state

	isGuarded bool // a loss is an error
}

// newChange returns the change of a live schedule to the wanted values that differ from the prior state.
// If a part of the time of day changes, the other parts are the live ones.
func newChange(configured, planned snapshotScheduleModel, wanted, prior, live opsmanager.SnapshotSchedule) scheduleChange {
	changed := scheduleFields.Changed(wanted, prior)
	changed.ReferenceTimeZoneOffset = nil
	if timeOf(changed) != (timeOfDay{}) {
		changed.ReferenceHourOfDay = cmp.Or(changed.ReferenceHourOfDay, live.ReferenceHourOfDay, wanted.ReferenceHourOfDay)
		changed.ReferenceMinuteOfHour = cmp.Or(changed.ReferenceMinuteOfHour, live.ReferenceMinuteOfHour, wanted.ReferenceMinuteOfHour)
		changed.ReferenceTimeZoneOffset = live.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	return scheduleChange{configured: configured, planned: planned, prior: prior, live: live, wanted: wanted, changed: changed}
}

func (c scheduleChange) cluster() string { return c.planned.ClusterID.ValueString() }

func (c scheduleChange) isEmpty() bool { return c.changed == opsmanager.SnapshotSchedule{} }

// toSend returns the change with the fields that must be sent together. With a new interval, that is
// a configured retention of recent snapshots even if it is unchanged: otherwise Ops Manager may
// shorten it instead of rejecting the interval.
func (c scheduleChange) toSend() opsmanager.SnapshotSchedule {
	sent, recent := c.changed, c.wanted.SnapshotRetentionDays
	if sent.SnapshotIntervalHours != nil && isSet(c.configured.Values, recentRetentionDays) && isSame(recent, c.live.SnapshotRetentionDays) {
		sent.SnapshotRetentionDays = recent
	}
	return sent
}

// shortensRecent reports whether Ops Manager shortens the retention of recent snapshots, if it is
// long, because of the new interval.
func (c scheduleChange) shortensRecent() bool {
	return isShort(c.changed.SnapshotIntervalHours) && c.changed.SnapshotRetentionDays == nil && !c.configured.Values[recentRetentionDays].IsUnknown()
}

// differences compares the wanted values with the live ones. The time of day is one value.
func differences(wanted, live opsmanager.SnapshotSchedule) []tfmodel.Difference {
	found := scheduleFields.Differences(scheduleFields.Only(wanted, func(f scheduleField) bool { return !isTime(f.Attribute) }), live)
	was, is := timeOf(live), timeOf(scheduleFields.Complete(wanted, live))
	was.offset, is.offset = nil, nil
	switch {
	case was.String() == is.String():
		return found
	case was == timeOfDay{}:
		return append(found, tfmodel.Difference{Attribute: timeAttribute, Wanted: is.String()})
	}
	return append(found, tfmodel.Difference{Attribute: timeAttribute, Held: was.String(), Wanted: is.String()})
}

// pathOf returns the path of what a difference is about.
func pathOf(attribute string) path.Path {
	if attribute == timeAttribute {
		return path.Root(hourOfDay)
	}
	return path.Root(attribute)
}

// unsentChanges returns the fields that changed in an update without being sent.
func unsentChanges(sent, before, after opsmanager.SnapshotSchedule) []tfmodel.Difference {
	was, is := scheduleOf(valuesOf(before, nil)), scheduleOf(valuesOf(after, nil))
	sendsTime := timeOf(sent) != timeOfDay{}
	return differences(scheduleFields.Only(is, func(f scheduleField) bool {
		return f.IsMissing(sent) && !f.IsMissing(was) && (!sendsTime || !isTime(f.Attribute))
	}), was)
}

// appliedOf returns the configured values that a plan applies. It leaves out those that
// are not applied because of ignore_changes.
func appliedOf(configured, planned opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	others := differences(configured, planned)
	return scheduleFields.Only(configured, func(f scheduleField) bool {
		return !slices.ContainsFunc(others, func(d tfmodel.Difference) bool {
			return d.Attribute == f.Attribute || d.Attribute == timeAttribute && isTime(f.Attribute)
		})
	})
}
