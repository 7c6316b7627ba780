package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// plannedUpdate says what an update may promise of a schedule. Where something
// that belongs together changes, what nobody configured of it is the service's
// to say; everything else keeps its state.
func plannedUpdate(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	couplingTouched := slices.ContainsFunc(quantities, func(q quantity) bool {
		wanted := *q.model(&config)
		return q.coupled && !wanted.IsNull() && !wanted.Equal(*q.model(&prior))
	})
	for _, q := range quantities {
		switch wanted := *q.model(&config); {
		case !wanted.IsNull():
			*q.model(&plan) = wanted
		case q.coupled && couplingTouched:
			*q.model(&plan) = types.Int64Unknown()
		default:
			*q.model(&plan) = *q.model(&prior)
		}
	}
	if config.FullIncrementalDayOfWeek.IsNull() {
		plan.FullIncrementalDayOfWeek = prior.FullIncrementalDayOfWeek
	}
	return withPlannedTime(config, prior, plan)
}

// withPlannedTime plans the time of day of an update. A time that is only
// spelled differently is no change, but its new spelling is taken along with
// another time. Changes of other fields don't count: one that is still unknown
// may turn out to be none, and Terraform holds the last plan to the first.
func withPlannedTime(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	plan.ReferenceHourOfDay = prior.ReferenceHourOfDay
	plan.ReferenceMinuteOfHour = prior.ReferenceMinuteOfHour
	plan.ReferenceTimeZoneOffset = prior.ReferenceTimeZoneOffset
	// Terraform lets a state's spelling stand for a configured one, but not none.
	unspelled := !config.ReferenceTimeZoneOffset.IsNull() && prior.ReferenceTimeZoneOffset.IsNull()
	if !configuresTime(config) || !unspelled && !movesTime(config, prior) {
		return plan
	}

	// In another zone than the state's, parts that nobody configured read otherwise.
	sameZone := !config.ReferenceTimeZoneOffset.IsUnknown() &&
		minutesEast(config.ReferenceTimeZoneOffset.ValueString()) == minutesEast(prior.ReferenceTimeZoneOffset.ValueString())
	if !sameZone {
		plan.ReferenceHourOfDay = types.Int64Unknown()
		plan.ReferenceMinuteOfHour = types.Int64Unknown()
		plan.ReferenceTimeZoneOffset = types.StringUnknown()
	}
	if !config.ReferenceHourOfDay.IsNull() {
		plan.ReferenceHourOfDay = config.ReferenceHourOfDay
	}
	if !config.ReferenceMinuteOfHour.IsNull() {
		plan.ReferenceMinuteOfHour = config.ReferenceMinuteOfHour
	}
	if !config.ReferenceTimeZoneOffset.IsNull() {
		plan.ReferenceTimeZoneOffset = config.ReferenceTimeZoneOffset
	}
	return plan
}

func configuresTime(config snapshotScheduleModel) bool {
	return !config.ReferenceHourOfDay.IsNull() || !config.ReferenceMinuteOfHour.IsNull() || !config.ReferenceTimeZoneOffset.IsNull()
}

// movesTime reports whether the configured time of day is another moment than
// the state's, or may be.
func movesTime(config, prior snapshotScheduleModel) bool {
	if config.ReferenceHourOfDay.IsUnknown() || config.ReferenceMinuteOfHour.IsUnknown() || config.ReferenceTimeZoneOffset.IsUnknown() {
		return true
	}
	return len(timeDifferences(config, prior.request())) > 0
}

// dropsOffset reports whether an update moves the time of day just because its
// offset is no longer configured.
func dropsOffset(config, prior snapshotScheduleModel) bool {
	return config.ReferenceTimeZoneOffset.IsNull() && configuresTime(config) &&
		!isUTC(stringPointer(prior.ReferenceTimeZoneOffset)) && movesTime(config, prior)
}

// difference is a configured field that the service holds another value of.
type difference struct {
	attribute string
	held      string // empty where the service did not show the field
	wanted    string
}

func (d difference) String() string {
	if d.held == "" {
		return fmt.Sprintf("%s = %s (not shown by the service)", d.attribute, d.wanted)
	}
	return fmt.Sprintf("%s: %s -> %s", d.attribute, d.held, d.wanted)
}

// shown keeps the differences in fields that the service showed.
func shown(differences []difference) []difference {
	return slices.DeleteFunc(slices.Clone(differences), func(d difference) bool { return d.held == "" })
}

// differences compares what is configured and known with what the service holds.
func differences(config snapshotScheduleModel, held opsmanager.SnapshotSchedule) []difference {
	var found []difference
	for _, q := range quantities {
		found = appendDifference(found, q.attribute, intPointer(*q.model(&config)), *q.api(&held), "")
	}
	found = append(found, timeDifferences(config, held)...)
	return appendDifference(found, "full_incremental_day_of_week", stringPointer(config.FullIncrementalDayOfWeek), held.FullIncrementalDayOfWeek, "")
}

// timeDifferences compares the time of day, in the configured zone.
func timeDifferences(config snapshotScheduleModel, held opsmanager.SnapshotSchedule) []difference {
	wanted := config.time()
	there := apiTime(held).utc()
	if wholeHours := isUTC(wanted.offset) || minutesEast(*wanted.offset)%minutesPerHour == 0; !wholeHours && (there.hour == nil || there.minute == nil) {
		there = timeOfDay{} // by half a time nobody can tell the other half elsewhere
	}
	there = there.at(wanted.offset)
	zone := " UTC"
	if !isUTC(wanted.offset) {
		zone = " at " + *wanted.offset
	}
	found := appendDifference(nil, "reference_hour_of_day", wanted.hour, there.hour, zone)
	return appendDifference(found, "reference_minute_of_hour", wanted.minute, there.minute, "")
}

func appendDifference[T comparable](to []difference, attribute string, wanted, held *T, suffix string) []difference {
	switch {
	case wanted == nil || held != nil && *held == *wanted:
		return to
	case held == nil:
		return append(to, difference{attribute: attribute, wanted: fmt.Sprint(*wanted) + suffix})
	}
	return append(to, difference{attribute: attribute, held: fmt.Sprint(*held) + suffix, wanted: fmt.Sprint(*wanted) + suffix})
}

// decrease is a retention that is configured shorter than the service has it.
type decrease struct {
	quantity
	held, wanted int64
}

func (d decrease) String() string {
	if d.wanted == 0 {
		return fmt.Sprintf("%s: %d -> 0. The rule is switched off: no %s are kept by it any more.", d.attribute, d.held, d.keeps)
	}
	return fmt.Sprintf("%s: %d -> %d. Instead of %d %s, %s are kept for %d.", d.attribute, d.held, d.wanted, d.held, d.unit, d.keeps, d.wanted)
}

// decreases finds the retentions that are configured shorter than they are held.
func decreases(config snapshotScheduleModel, held opsmanager.SnapshotSchedule) []decrease {
	var found []decrease
	for _, q := range quantities {
		wanted, there := intPointer(*q.model(&config)), *q.api(&held)
		if q.keeps != "" && wanted != nil && there != nil && *wanted < *there {
			found = append(found, decrease{q, *there, *wanted})
		}
	}
	return found
}

// bulleted writes a line for each item.
func bulleted[T fmt.Stringer](items []T) string {
	var text strings.Builder
	for _, item := range items {
		text.WriteString("\n  - " + item.String())
	}
	return text.String()
}
