package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// If Ops Manager takes snapshots more often than once a day, it keeps recent ones for at
// most this many days. No other documented rule lets a change of one field change another.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
const (
	maxRecentRetentionDays = 5
	hoursPerDay            = 24
)

// isShort reports whether an interval is below a day.
func isShort(interval *int64) bool { return interval != nil && *interval < hoursPerDay }

// isLong reports whether recent snapshots are kept for too long for a short interval.
func isLong(retention *int64) bool { return retention != nil && *retention > maxRecentRetentionDays }

// loss is a change of a value that leaves fewer recovery points: a shorter retention, or a longer
// interval.
type loss struct {
	guardedField
	before, after int64
	cause         string // the attribute whose change changes this one; empty if it is this attribute
}

func (l loss) String() string {
	text := fmt.Sprintf("%s: %d -> %d. ", l.attribute, l.before, l.after)
	unit := l.unit
	if l.after == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	switch {
	case l.takes != "":
		text += fmt.Sprintf("Ops Manager %s every %d %s instead of every %d.", l.takes, l.after, unit, l.before)
	case l.after == 0:
		text += fmt.Sprintf("The rule is turned off, and Ops Manager no longer keeps %s.", l.keeps)
	default:
		text += fmt.Sprintf("Ops Manager keeps %s for %d %s instead of %d.", l.keeps, l.after, unit, l.before)
	}
	if l.cause == intervalHours {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

func (l loss) equal(other loss) bool {
	return l.attribute == other.attribute && l.before == other.before && l.after == other.after
}

// losses returns what a change loses, including the retention that Ops Manager is documented to
// shorten because of a new interval.
func (c scheduleChange) losses() []loss {
	found := lossesBetween(c.live, c.changed)
	if recent := c.live.SnapshotRetentionDays; c.shortensRecent() && isLong(recent) {
		found = append(found, loss{guardedField: guardedFields[1], before: *recent, after: maxRecentRetentionDays, cause: intervalHours})
	}
	return found
}

// lossesBetween returns the values that leave fewer recovery points than those of an earlier
// schedule.
func lossesBetween(before, after opsmanager.SnapshotSchedule) []loss {
	var found []loss
	for _, f := range guardedFields {
		was, is := *f.at(&before), *f.at(&after)
		if was != nil && is != nil && f.loses(*was, *is) {
			found = append(found, loss{guardedField: f, before: *was, after: *is})
		}
	}
	return found
}

// guardedValues returns a line for each value of a schedule that recovery points depend on, each
// after a line feed.
func guardedValues(live opsmanager.SnapshotSchedule) string {
	var text strings.Builder
	for _, f := range guardedFields {
		if value := *f.at(&live); value != nil && (f.keeps != "" || *value > 0) {
			fmt.Fprintf(&text, "\n  - %s: %d", f.attribute, *value)
		}
	}
	return text.String()
}

// without returns the losses that are not among others.
func without(found, others []loss) []loss {
	return slices.DeleteFunc(slices.Clone(found), func(l loss) bool { return slices.ContainsFunc(others, l.equal) })
}

func isAmong(found []loss, attribute string) bool {
	return slices.ContainsFunc(found, func(l loss) bool { return l.attribute == attribute })
}

// reportLosses warns about what a change loses. With prevent_fewer_recovery_points, each loss is an
// error.
func reportLosses(planned snapshotScheduleModel, found []loss, diags *diag.Diagnostics) {
	const meaning = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."
	if planned.PreventFewerRecoveryPoints.ValueBool() {
		for _, l := range found {
			diags.AddAttributeError(path.Root(cmp.Or(l.cause, l.attribute)), "Fewer Recovery Points Prevented",
				fmt.Sprintf("%s\n\n%s prevent_fewer_recovery_points is set for cluster %s. Configure a value that keeps as much, or set prevent_fewer_recovery_points = false.",
					l, meaning, planned.ClusterID.ValueString()))
		}
		return
	}
	if len(found) > 0 {
		diags.AddWarning(
			fmt.Sprintf("Fewer Recovery Points of Cluster %s", planned.ClusterID.ValueString()),
			"The apply changes:"+tfmodel.Bulleted(found)+"\n\n"+meaning+" Set prevent_fewer_recovery_points = true to make this an error.")
	}
}

// warnHidden warns about changes that prevent_fewer_recovery_points can't judge, because Ops
// Manager did not return the current value.
func (c scheduleChange) warnHidden(diags *diag.Diagnostics) {
	if !c.planned.PreventFewerRecoveryPoints.ValueBool() {
		return
	}
	hidden := slices.DeleteFunc(differences(c.changed, c.live), func(d tfmodel.Difference) bool { return d.Held != "" || !isGuarded(d.Attribute) })
	if c.shortensRecent() && c.live.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Current Values of Cluster %s Not Returned", c.cluster()),
			"Ops Manager did not return the values that these replace, so prevent_fewer_recovery_points can't tell whether they leave fewer recovery points:"+tfmodel.Bulleted(hidden))
	}
}

func isGuarded(attribute string) bool {
	return slices.ContainsFunc(guardedFields, func(f guardedField) bool { return f.attribute == attribute })
}

// reportUnplanned warns about losses that the plan did not show. With prevent_fewer_recovery_points,
// each is an error.
func reportUnplanned(planned snapshotScheduleModel, lost []loss, diags *diag.Diagnostics) {
	if planned.PreventFewerRecoveryPoints.ValueBool() {
		for _, l := range lost {
			diags.AddAttributeError(path.Root(l.attribute), "Fewer Recovery Points Than Planned",
				fmt.Sprintf("This value of cluster %s changed during the apply, and the plan did not show that:%s\n\n%s", planned.ClusterID.ValueString(), tfmodel.Bulleted([]loss{l}), howToRestore))
		}
		return
	}
	warnLost(planned, "Than Planned", "These values changed during the apply, and the plan did not show that:", lost, diags)
}

const howToRestore = "Existing snapshots stay until they expire, so nothing is lost yet. To restore the old value, configure it, or set it in Ops Manager."

// warnUnanswered warns with the values before a change whose response was lost.
func (c scheduleChange) warnUnanswered(diags *diag.Diagnostics) {
	diags.AddWarning(fmt.Sprintf("Schedule of Cluster %s Before an Unanswered Change", c.cluster()),
		"The response to the change was lost. Before the change, Ops Manager had:"+guardedValues(c.live)+"\n\nCompare these values with the live ones that the next plan shows.")
}

// warnLost warns about losses that have been made. which continues the summary.
func warnLost(schedule snapshotScheduleModel, which, intro string, lost []loss, diags *diag.Diagnostics) {
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s %s", schedule.ClusterID.ValueString(), which), intro+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

// warnUnread warns about values that Ops Manager no longer returns, so a plan can't show their
// drift.
func warnUnread(cluster string, unread []string, diags *diag.Diagnostics) {
	if len(unread) > 0 {
		diags.AddWarning("Snapshot Schedule Not Returned Completely",
			fmt.Sprintf("Ops Manager did not return %s of cluster %s. The state keeps the last known value, and the plan does not show drift.", strings.Join(unread, ", "), cluster))
	}
}

// unreadIn returns the guarded attributes that a response leaves out although their value is known.
func unreadIn(response, known opsmanager.SnapshotSchedule) (unread []string) {
	for _, f := range guardedFields {
		if *f.at(&known) != nil && *f.at(&response) == nil {
			unread = append(unread, f.attribute)
		}
	}
	return unread
}

// storedSchedule has the values of a schedule in the private state. Its JSON is short, because
// Terraform writes the whole state for each change, and a policy can have thousands of clusters.
type storedSchedule struct {
	Numbers []*int64 `json:"q"` // in the order of guardedFields
	Hour    *int64   `json:"h,omitempty"`
	Minute  *int64   `json:"m,omitempty"`
	Offset  *string  `json:"o,omitempty"`
	Day     *string  `json:"d,omitempty"`
}

func stored(s opsmanager.SnapshotSchedule) storedSchedule {
	to := storedSchedule{Hour: s.ReferenceHourOfDay, Minute: s.ReferenceMinuteOfHour, Offset: s.ReferenceTimeZoneOffset, Day: s.FullIncrementalDayOfWeek}
	for _, f := range guardedFields {
		to.Numbers = append(to.Numbers, *f.at(&s))
	}
	return to
}

func (from storedSchedule) isKnown() bool { return len(from.Numbers) == len(guardedFields) }

func (from storedSchedule) schedule() opsmanager.SnapshotSchedule {
	s := opsmanager.SnapshotSchedule{ReferenceHourOfDay: from.Hour, ReferenceMinuteOfHour: from.Minute, ReferenceTimeZoneOffset: from.Offset, FullIncrementalDayOfWeek: from.Day}
	if from.isKnown() {
		for i, f := range guardedFields {
			*f.at(&s) = from.Numbers[i]
		}
	}
	return s
}

// baselineOf returns the values of a schedule that was applied or first read, with the configured
// offset. The private state keeps them, because a state alone doesn't distinguish drift from a changed
// configuration. If prevent_fewer_recovery_points keeps a longer value than the configured one, the
// configured one still counts as applied.
func baselineOf(configured, state opsmanager.SnapshotSchedule, before storedSchedule) storedSchedule {
	applied, last := opsmanager.SnapshotSchedule{ReferenceTimeZoneOffset: configured.ReferenceTimeZoneOffset}, before.schedule()
	for _, f := range guardedFields {
		*f.at(&applied) = *f.at(&state)
		if wanted := *f.at(&configured); isSame(wanted, *f.at(&last)) {
			*f.at(&applied) = wanted
		}
	}
	return stored(applied)
}

// isSame reports whether two values exist and are the same.
func isSame(a, b *int64) bool { return a != nil && b != nil && *a == *b }
