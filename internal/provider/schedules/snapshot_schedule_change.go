package schedules

import (
	"cmp"

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
}

// newChange returns the change of a live schedule to the planned values that differ from the prior
// state. If a part of the time of day changes, the other parts are the live ones.
func newChange(configured, planned snapshotScheduleModel, prior, live opsmanager.SnapshotSchedule) scheduleChange {
	wanted := knownOf(planned.Values, configured.Values)
	changed := scheduleFields.Changed(wanted, atOffset(prior, wanted.ReferenceTimeZoneOffset))
	changed.ReferenceTimeZoneOffset = nil
	if timeOf(changed) != (timeOfDay{}) {
		now := atOffset(live, wanted.ReferenceTimeZoneOffset)
		changed.ReferenceHourOfDay = cmp.Or(changed.ReferenceHourOfDay, now.ReferenceHourOfDay, wanted.ReferenceHourOfDay)
		changed.ReferenceMinuteOfHour = cmp.Or(changed.ReferenceMinuteOfHour, now.ReferenceMinuteOfHour, wanted.ReferenceMinuteOfHour)
		if isSet(configured.Values, zoneOffset) || !isUTC(wanted.ReferenceTimeZoneOffset) || !isUTC(live.ReferenceTimeZoneOffset) {
			changed.ReferenceTimeZoneOffset = cmp.Or(wanted.ReferenceTimeZoneOffset, new(utcOffset))
		}
	}
	return scheduleChange{configured, planned, prior, live, wanted, changed}
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

// differences compares the wanted values with the live ones. The time of day is at the wanted offset.
func differences(wanted, live opsmanager.SnapshotSchedule) []tfmodel.Difference {
	zone := " UTC"
	if offset := wanted.ReferenceTimeZoneOffset; !isUTC(offset) {
		zone = " at " + *offset
	}
	found := scheduleFields.Differences(wanted, atOffset(live, wanted.ReferenceTimeZoneOffset))
	for i, d := range found {
		if d.Attribute == hourOfDay {
			found[i].Wanted += zone
			if d.Held != "" {
				found[i].Held += zone
			}
		}
	}
	return found
}

// timeDifferences compares the time of day only.
func timeDifferences(wanted, live opsmanager.SnapshotSchedule) []tfmodel.Difference {
	return differences(scheduleFields.Only(wanted, func(f scheduleField) bool { return isTime(f.Attribute) }), live)
}

// movesTime reports whether the known parts of a wanted time of day differ from those of a schedule.
func movesTime(wanted, from opsmanager.SnapshotSchedule) bool {
	return len(timeDifferences(wanted, from)) > 0
}

// unsentChanges returns the fields that changed in an update without being sent.
func unsentChanges(sent, before, after opsmanager.SnapshotSchedule) []tfmodel.Difference {
	was, is := inUTC(stateOf(opsmanager.SnapshotSchedule{}, before)), inUTC(stateOf(opsmanager.SnapshotSchedule{}, after))
	sendsTime := timeOf(sent) != timeOfDay{}
	return differences(scheduleFields.Only(is, func(f scheduleField) bool {
		return f.IsMissing(sent) && !f.IsMissing(was) && (!sendsTime || !isTime(f.Attribute))
	}), was)
}

// appliedOf returns the configured values that a plan applies. It leaves out those that
// are not applied because of ignore_changes or prevent_fewer_recovery_points.
func appliedOf(configured, planned opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	moves := movesTime(configured, planned)
	return scheduleFields.Only(configured, func(f scheduleField) bool {
		if isTime(f.Attribute) {
			return !moves
		}
		return f.Value(configured).Equal(f.Value(planned))
	})
}
