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

// loss is a change of a value that leaves fewer recovery points: a shorter retention, or a longer
// interval.
type loss struct {
	integerField
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
	if l.cause == intervalHours.attribute {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

func (l loss) equal(other loss) bool {
	return l.attribute == other.attribute && l.before == other.before && l.after == other.after
}

// losses returns what a change loses, including the retention that Ops Manager is documented to
// shorten because of a new interval.
func losses(change snapshotScheduleModel, current opsmanager.SnapshotSchedule) []loss {
	found := lossesBetween(current, change.toAPI())
	interval, recent := tfmodel.Int64Pointer(change.SnapshotIntervalHours), current.SnapshotRetentionDays
	if interval != nil && *interval < hoursPerDay && change.SnapshotRetentionDays.IsNull() && recent != nil && *recent > maxRecentRetentionDays {
		found = append(found, loss{integerField: recentRetentionDays, before: *recent, after: maxRecentRetentionDays, cause: intervalHours.attribute})
	}
	return found
}

// lossesBetween returns the values that leave fewer recovery points than those of an earlier
// schedule.
func lossesBetween(before, after opsmanager.SnapshotSchedule) []loss {
	var found []loss
	for _, f := range integerFields {
		was, is := *f.api(&before), *f.api(&after)
		if was != nil && is != nil && f.loses(*was, *is) {
			found = append(found, loss{integerField: f, before: *was, after: *is})
		}
	}
	return found
}

// guardedValues returns a line for each value of a schedule that recovery points depend on, each
// after a line feed.
func guardedValues(live opsmanager.SnapshotSchedule) string {
	var text strings.Builder
	for _, f := range integerFields {
		if value := *f.api(&live); f.guarded() && value != nil && (f.keeps != "" || *value > 0) {
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
func reportLosses(plan snapshotScheduleModel, found []loss, diags *diag.Diagnostics) {
	const meaning = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."
	if plan.PreventFewerRecoveryPoints.ValueBool() {
		for _, l := range found {
			diags.AddAttributeError(path.Root(cmp.Or(l.cause, l.attribute)), "Fewer Recovery Points Prevented",
				fmt.Sprintf("%s\n\n%s prevent_fewer_recovery_points is set for cluster %s. Configure a value that keeps as much, or set prevent_fewer_recovery_points = false.",
					l, meaning, plan.ClusterID.ValueString()))
		}
		return
	}
	if len(found) > 0 {
		diags.AddWarning(
			fmt.Sprintf("Fewer Recovery Points of Cluster %s", plan.ClusterID.ValueString()),
			"The apply changes:"+tfmodel.Bulleted(found)+"\n\n"+meaning+" Set prevent_fewer_recovery_points = true to make this an error.")
	}
}

// warnHidden warns about changes that prevent_fewer_recovery_points can't judge, because Ops
// Manager did not return the current value.
func warnHidden(plan, changed snapshotScheduleModel, current opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	if !plan.PreventFewerRecoveryPoints.ValueBool() {
		return
	}
	var hidden []tfmodel.Difference
	for _, d := range differences(changed, current) {
		if d.Held == "" && isGuarded(d.Attribute) {
			hidden = append(hidden, d)
		}
	}
	if interval := tfmodel.Int64Pointer(changed.SnapshotIntervalHours); interval != nil && *interval < hoursPerDay &&
		changed.SnapshotRetentionDays.IsNull() && current.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays.attribute, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Current Values of Cluster %s Not Returned", plan.ClusterID.ValueString()),
			"Ops Manager did not return the values that these replace, so prevent_fewer_recovery_points can't tell whether they leave fewer recovery points:"+tfmodel.Bulleted(hidden))
	}
}

func isGuarded(attribute string) bool {
	return slices.ContainsFunc(integerFields, func(f integerField) bool { return f.guarded() && f.attribute == attribute })
}

// reportUnplanned warns about losses that the plan did not show. With prevent_fewer_recovery_points,
// each is an error.
func reportUnplanned(plan snapshotScheduleModel, lost []loss, diags *diag.Diagnostics) {
	if plan.PreventFewerRecoveryPoints.ValueBool() {
		for _, l := range lost {
			diags.AddAttributeError(path.Root(l.attribute), "Fewer Recovery Points Than Planned",
				fmt.Sprintf("This value of cluster %s changed during the apply, and the plan did not show that:%s\n\n%s", plan.ClusterID.ValueString(), tfmodel.Bulleted([]loss{l}), howToRestore))
		}
		return
	}
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s Than Planned", plan.ClusterID.ValueString()),
			"These values changed during the apply, and the plan did not show that:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

const howToRestore = "Existing snapshots stay until they expire, so nothing is lost yet. To restore the old value, configure it, or set it in Ops Manager."

// warnUnanswered warns with the values before a change whose response was lost.
func warnUnanswered(plan snapshotScheduleModel, before opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	diags.AddWarning(fmt.Sprintf("Schedule of Cluster %s Before an Unanswered Change", plan.ClusterID.ValueString()),
		"The response to the change was lost. Before the change, Ops Manager had:"+guardedValues(before)+"\n\nCompare these values with the live ones that the next plan shows.")
}

// warnLost warns about what was lost since a change whose response was lost.
func warnLost(state snapshotScheduleModel, lost []loss, diags *diag.Diagnostics) {
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s Since an Unanswered Change", state.ClusterID.ValueString()),
			"The response to the last change was lost. These values have changed since before it:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

// warnUnread warns about values that Ops Manager no longer returns, so a plan can't show their
// drift.
func warnUnread(state snapshotScheduleModel, before baseline, live opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	var unread []string
	for _, f := range integerFields {
		if before.of(f) != nil && f.guarded() && *f.api(&live) == nil {
			unread = append(unread, f.attribute)
		}
	}
	if len(unread) > 0 {
		diags.Append(valuesNotReturned(state.ClusterID.ValueString(), unread))
	}
}

func valuesNotReturned(cluster string, unread []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Snapshot Schedule Not Returned Completely",
		fmt.Sprintf("Ops Manager did not return %s of cluster %s. The state keeps the last known value, and the plan does not show drift.", strings.Join(unread, ", "), cluster))
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
