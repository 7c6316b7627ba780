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

// decrease is a retention that gets shorter.
type decrease struct {
	integerField
	before, after int64
	cause         string // the attribute whose change shortens this one; empty if it is this attribute
}

func (d decrease) String() string {
	text := fmt.Sprintf("%s: %d -> %d. ", d.attribute, d.before, d.after)
	if d.after == 0 {
		text += fmt.Sprintf("The rule is turned off, and Ops Manager no longer keeps %s.", d.keeps)
	} else {
		unit := d.unit
		if d.after == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		text += fmt.Sprintf("Ops Manager keeps %s for %d %s instead of %d.", d.keeps, d.after, unit, d.before)
	}
	if d.cause == intervalHours.attribute {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

func (d decrease) equal(other decrease) bool {
	return d.attribute == other.attribute && d.before == other.before && d.after == other.after
}

// decreases returns the retentions that a change shortens, including the one that Ops
// Manager is documented to shorten because of a new interval.
func decreases(change snapshotScheduleModel, current opsmanager.SnapshotSchedule) []decrease {
	found := shortened(change.toAPI(), current)
	interval, recent := tfmodel.Int64Pointer(change.SnapshotIntervalHours), current.SnapshotRetentionDays
	if interval != nil && *interval < hoursPerDay && change.SnapshotRetentionDays.IsNull() && recent != nil && *recent > maxRecentRetentionDays {
		found = append(found, decrease{integerField: recentRetentionDays, before: *recent, after: maxRecentRetentionDays, cause: intervalHours.attribute})
	}
	return found
}

// shortened returns the retentions that are shorter in one schedule than in another.
func shortened(after, before opsmanager.SnapshotSchedule) []decrease {
	var found []decrease
	for _, f := range integerFields {
		now, was := *f.api(&after), *f.api(&before)
		if f.keeps != "" && now != nil && was != nil && *now < *was {
			found = append(found, decrease{integerField: f, before: *was, after: *now})
		}
	}
	return found
}

// retentionsOf returns a line for each retention of a schedule, each after a line feed.
func retentionsOf(live opsmanager.SnapshotSchedule) string {
	var text strings.Builder
	for _, f := range integerFields {
		if value := *f.api(&live); f.keeps != "" && value != nil {
			fmt.Fprintf(&text, "\n  - %s: %d", f.attribute, *value)
		}
	}
	return text.String()
}

// without returns the decreases that are not among others.
func without(found, others []decrease) []decrease {
	return slices.DeleteFunc(slices.Clone(found), func(d decrease) bool { return slices.ContainsFunc(others, d.equal) })
}

func isAmong(found []decrease, attribute string) bool {
	return slices.ContainsFunc(found, func(d decrease) bool { return d.attribute == attribute })
}

// reportDecreases warns of retentions that a change shortens. With
// prevent_fewer_recovery_points, they are errors.
func reportDecreases(plan snapshotScheduleModel, found []decrease, diags *diag.Diagnostics) {
	const meaning = "Ops Manager keeps fewer snapshots from now on. Existing ones stay until they expire."
	if plan.PreventFewerRecoveryPoints.ValueBool() {
		for _, d := range found {
			diags.AddAttributeError(path.Root(cmp.Or(d.cause, d.attribute)), "Shorter Retention Prevented",
				fmt.Sprintf("%s\n\n%s prevent_fewer_recovery_points is set for cluster %s. Configure a value that keeps as much, or set prevent_fewer_recovery_points = false.",
					d, meaning, plan.ClusterID.ValueString()))
		}
		return
	}
	if len(found) > 0 {
		diags.AddWarning(
			fmt.Sprintf("Shorter Retention of Cluster %s", plan.ClusterID.ValueString()),
			"The change shortens:"+tfmodel.Bulleted(found)+"\n\n"+meaning+" Set prevent_fewer_recovery_points = true to make this an error.")
	}
}

// warnHiddenRetentions warns of retentions whose decrease can't be prevented, because Ops
// Manager did not return their current value.
func warnHiddenRetentions(plan, changed snapshotScheduleModel, current opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	if !plan.PreventFewerRecoveryPoints.ValueBool() {
		return
	}
	var hidden []tfmodel.Difference
	for _, d := range differences(changed, current) {
		if d.Held == "" && isRetention(d.Attribute) {
			hidden = append(hidden, d)
		}
	}
	if interval := tfmodel.Int64Pointer(changed.SnapshotIntervalHours); interval != nil && *interval < hoursPerDay &&
		changed.SnapshotRetentionDays.IsNull() && current.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays.attribute, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Retention of Cluster %s Not Returned", plan.ClusterID.ValueString()),
			"Ops Manager did not return the values that these replace, so prevent_fewer_recovery_points can't tell whether they are shorter:"+tfmodel.Bulleted(hidden))
	}
}

func isRetention(attribute string) bool {
	return slices.ContainsFunc(integerFields, func(f integerField) bool { return f.keeps != "" && f.attribute == attribute })
}

// reportLost warns of retentions that an apply shortened without its plan showing that. With
// prevent_fewer_recovery_points, they are errors.
func reportLost(plan snapshotScheduleModel, lost []decrease, diags *diag.Diagnostics) {
	if plan.PreventFewerRecoveryPoints.ValueBool() {
		for _, d := range lost {
			diags.AddAttributeError(path.Root(d.attribute), "Retention Shortened",
				fmt.Sprintf("Ops Manager shortened this retention along with the values that the provider sent to cluster %s:%s\n\n%s", plan.ClusterID.ValueString(), tfmodel.Bulleted([]decrease{d}), howToRestore))
		}
		return
	}
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Shorter Retention of Cluster %s Than Planned", plan.ClusterID.ValueString()),
			"The apply shortened retentions that the plan did not show:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

const howToRestore = "Existing snapshots stay until they expire, so nothing is lost yet. To restore the retention, configure it, or set it in Ops Manager."

// warnUnanswered warns with the retentions before a change whose response was lost.
func warnUnanswered(plan snapshotScheduleModel, before opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	diags.AddWarning(fmt.Sprintf("Retention of Cluster %s Before an Unanswered Change", plan.ClusterID.ValueString()),
		"The response to the change was lost. Before the change, Ops Manager had:"+retentionsOf(before)+"\n\nCompare these values with the live ones that the next plan shows.")
}

// warnShortened warns of retentions that are shorter than before a change whose response was
// lost.
func warnShortened(state snapshotScheduleModel, lost []decrease, diags *diag.Diagnostics) {
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Shorter Retention of Cluster %s Since an Unanswered Change", state.ClusterID.ValueString()),
			"The response to the last change was lost. These retentions are shorter now than before it:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

// warnUnread warns of retentions that Ops Manager no longer returns, so a plan can't show
// their drift.
func warnUnread(state snapshotScheduleModel, before baseline, live opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	var unread []string
	for _, f := range integerFields {
		if before.of(f) != nil && f.keeps != "" && *f.api(&live) == nil {
			unread = append(unread, f.attribute)
		}
	}
	if len(unread) > 0 {
		diags.AddWarning(fmt.Sprintf("Retention of Cluster %s Not Returned", state.ClusterID.ValueString()),
			"Ops Manager did not return "+strings.Join(unread, ", ")+". The state keeps the last known value, and the plan does not show drift.")
	}
}

// baseline holds the values of a schedule when it was last applied or first read. The
// private state keeps it, because a state alone doesn't distinguish drift from a changed
// configuration. Its JSON is short, because Terraform writes the whole state for each
// change.
type baseline struct {
	Integers []*int64 `json:"q"` // in the order of integerFields
	Offset   *string  `json:"o"` // as configured
}

func (b baseline) known() bool { return len(b.Integers) == len(integerFields) }

// of returns the applied value of a field, or nil.
func (b baseline) of(f integerField) *int64 {
	i := slices.IndexFunc(integerFields, func(other integerField) bool { return other.attribute == f.attribute })
	if !b.known() || i < 0 {
		return nil
	}
	return b.Integers[i]
}

// isDrift reports whether a configured value differs from the state only because
// the state has changed since the value was applied.
func (b baseline) isDrift(f integerField, wanted int64) bool {
	applied := b.of(f)
	return applied != nil && *applied == wanted
}

// baselineOf returns the baseline of a state. If prevent_fewer_recovery_points keeps a longer
// value than the configured one, the configured one still counts as applied.
func baselineOf(config, state snapshotScheduleModel, before baseline) baseline {
	b := baseline{Offset: tfmodel.StringPointer(config.ReferenceTimeZoneOffset)}
	for _, f := range integerFields {
		applied := f.value(&state)
		if wanted := f.value(&config); wanted != nil && before.isDrift(f, *wanted) {
			applied = wanted
		}
		b.Integers = append(b.Integers, applied)
	}
	return b
}
