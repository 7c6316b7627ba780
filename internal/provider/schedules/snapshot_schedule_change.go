package schedules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// scheduleChange is a change of the schedule of a cluster. The time of day is in UTC, and one value.
type scheduleChange struct {
	projectID, clusterID string

	configured tfmodel.Values              // what the configuration sets, without what ignore_changes ignores
	prior      []tfmodel.Difference        // the effects that the plan saw
	live       opsmanager.SnapshotSchedule // what Ops Manager has before the change
	wanted     opsmanager.SnapshotSchedule // what the change sets

	isGuarded bool // a loss is an error
}

// adoptionOf returns the change of a live schedule to the configured values.
func adoptionOf(configured snapshotScheduleModel, live opsmanager.SnapshotSchedule) scheduleChange {
	c := scheduleChange{
		projectID: configured.ProjectID.ValueString(), clusterID: configured.ClusterID.ValueString(), configured: configured.Values,
		live: live, wanted: scheduleOf(configured.Values),
	}
	c.prior = c.effects(live)
	return c
}

// updateOf returns the change of a schedule to the planned values that differ from the state. With a new
// interval, it sets a configured retention of recent snapshots even if that is unchanged: otherwise Ops
// Manager may shorten it instead of rejecting the interval.
func updateOf(configured, planned, state snapshotScheduleModel) scheduleChange {
	all, prior := scheduleOf(planned.Values), scheduleOf(state.Values)
	wanted := scheduleFields.Changed(all, prior)
	if wanted.ReferenceTimeZoneOffset = nil; timeOf(wanted) != (timeOfDay{}) {
		setTime(&wanted, timeOf(all))
	}
	c := scheduleChange{projectID: planned.ProjectID.ValueString(), clusterID: planned.ClusterID.ValueString(), configured: tfmodel.Values{}, live: prior, wanted: wanted}
	for attribute, value := range configured.Values {
		if value.Equal(planned.Values[attribute]) {
			c.configured[attribute] = value
		}
	}
	if wanted.SnapshotIntervalHours != nil && isSet(c.configured, recentRetentionDays) {
		c.wanted.SnapshotRetentionDays = all.SnapshotRetentionDays
	}
	c.prior = c.effects(prior)
	return c
}

func (c *scheduleChange) isEmpty() bool { return c.wanted == opsmanager.SnapshotSchedule{} }

// toSend returns the wanted values that differ from the live ones, with what must be sent together.
func (c *scheduleChange) toSend() opsmanager.SnapshotSchedule {
	changes := differences(c.wanted, c.live)
	sent := scheduleFields.Only(c.wanted, func(f scheduleField) bool {
		return slices.ContainsFunc(changes, func(d tfmodel.Difference) bool { return d.Attribute == nameOf(f.Attribute) })
	})
	if timeOf(sent) != (timeOfDay{}) {
		setTime(&sent, timeOf(scheduleFields.Complete(sent, c.live)))
		sent.ReferenceTimeZoneOffset = c.live.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	if sent.SnapshotIntervalHours != nil {
		sent.SnapshotRetentionDays = c.wanted.SnapshotRetentionDays
	}
	return sent
}

// effects returns what the change does to a schedule: what it sets, and what Ops Manager is documented to
// take along.
func (c *scheduleChange) effects(on opsmanager.SnapshotSchedule) []tfmodel.Difference {
	found := differences(c.wanted, on)
	if recent := on.SnapshotRetentionDays; c.shortensRecent(on) && isLong(recent) {
		found = append(found, tfmodel.Difference{Attribute: recentRetentionDays, Held: fmt.Sprint(*recent), Wanted: fmt.Sprint(maxRecentRetentionDays)})
	}
	return found
}

// shortensRecent reports whether Ops Manager shortens the retention of recent snapshots of a schedule, if
// it is long, because of the new interval.
func (c *scheduleChange) shortensRecent(on opsmanager.SnapshotSchedule) bool {
	interval := c.wanted.SnapshotIntervalHours
	return isShort(interval) && !isSame(interval, on.SnapshotIntervalHours) && c.wanted.SnapshotRetentionDays == nil && !isUnknown(c.configured, recentRetentionDays)
}

// sincePlan says which values that the change touches are neither what the plan saw nor what they become.
// What this run itself has made of them is known.
func (c *scheduleChange) sincePlan(ours opsmanager.SnapshotSchedule) (changed []string) {
	known := tfmodel.Returned(c.effects(ours))
	for _, d := range c.effects(c.live) {
		is := func(other tfmodel.Difference) bool { return d.String() == other.String() }
		if slices.ContainsFunc(c.prior, is) || slices.ContainsFunc(known, is) {
			continue
		}
		saw := d.Wanted
		for _, before := range c.prior {
			if before.Attribute == d.Attribute {
				saw = cmp.Or(before.Held, notSet)
			}
		}
		changed = append(changed, fmt.Sprintf("%s is %s, and the plan showed %s", d.Attribute, cmp.Or(d.Held, notSet), saw))
	}
	return changed
}

// notSet is shown for a value that Ops Manager does not return.
const notSet = "not set"

// differences compares the wanted values with those of a schedule. The time of day is one value.
func differences(wanted, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	for _, s := range []*opsmanager.SnapshotSchedule{&wanted, &held} {
		if hasNoCheckpoints(*s) {
			s.ClusterCheckpointIntervalMin = nil
		}
	}
	found := scheduleFields.Differences(scheduleFields.Only(wanted, func(f scheduleField) bool { return !isTime(f.Attribute) }), held)
	was, is := timeOf(held), timeOf(scheduleFields.Complete(wanted, held))
	was.offset, is.offset = nil, nil
	switch {
	case was.String() == is.String():
		return found
	case was == timeOfDay{}:
		return append(found, tfmodel.Difference{Attribute: timeAttribute, Wanted: is.String()})
	}
	return append(found, tfmodel.Difference{Attribute: timeAttribute, Held: was.String(), Wanted: is.String()})
}

// nameOf returns what messages call the value of an attribute.
func nameOf(attribute string) string {
	if isTime(attribute) {
		return timeAttribute
	}
	return attribute
}

// pathOf returns the path of what a difference is about.
func pathOf(name string) path.Path {
	if name == timeAttribute {
		return path.Root(hourOfDay)
	}
	return path.Root(name)
}
