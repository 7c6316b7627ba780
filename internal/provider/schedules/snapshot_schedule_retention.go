package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
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
	causeBefore   int64
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
		found = append(found, loss{guardedField: guardedFields[1], before: *recent, after: maxRecentRetentionDays, cause: intervalHours, causeBefore: *cmp.Or(c.live.SnapshotIntervalHours, new(int64(hoursPerDay)))})
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

// without returns the losses that are not among others.
func without(found, others []loss) []loss {
	return slices.DeleteFunc(slices.Clone(found), func(l loss) bool { return slices.ContainsFunc(others, l.equal) })
}

func isAmong(found []loss, attribute string) bool {
	return slices.ContainsFunc(found, func(l loss) bool { return l.attribute == attribute })
}

// reportLosses warns about what a change loses. Under the guard, each loss is an error.
func (c scheduleChange) reportLosses(diags *diag.Diagnostics) {
	found := c.losses()
	switch {
	case c.isGuarded:
		refuse(c.planned, found, diags)
	case len(found) > 0:
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s", c.cluster()),
			"The apply changes:"+tfmodel.Bulleted(found)+"\n\n"+fewerPoints+" Set retention_protection = true to make this an error.")
	}
}

const fewerPoints = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."

// refuse adds an error for each loss, with the whole way to either value.
func refuse(schedule snapshotScheduleModel, lost []loss, diags *diag.Diagnostics) {
	for _, l := range lost {
		attribute, before := l.attribute, l.before
		if l.cause != "" {
			attribute, before = l.cause, l.causeBefore
		}
		diags.AddAttributeError(path.Root(attribute), "Fewer Recovery Points Prevented",
			fmt.Sprintf("%s To keep %d, configure %s = %d.\n\n%s The schedule of cluster %s is protected: by retention_protection in the configuration or in the state of a resource, or by the environment variable %s. "+
				"To accept fewer, unset the variable, and apply twice: first retention_protection = false with the values that Ops Manager has now, and then the new values.",
				l, l.before, attribute, before, fewerPoints, schedule.ClusterID.ValueString(), connection.RetentionProtectionVariable))
	}
}

// warnHidden warns about changes that retention_protection can't judge, because Ops
// Manager did not return the current value.
func (c scheduleChange) warnHidden(diags *diag.Diagnostics) {
	if !c.isGuarded {
		return
	}
	hidden := slices.DeleteFunc(differences(c.changed, c.live), func(d tfmodel.Difference) bool {
		return d.Held != "" || !slices.ContainsFunc(guardedFields, func(f guardedField) bool { return f.attribute == d.Attribute })
	})
	if c.shortensRecent() && c.live.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Current Values of Cluster %s Not Returned", c.cluster()),
			"Ops Manager did not return the values that these replace, so retention_protection can't tell whether they leave fewer recovery points:"+tfmodel.Bulleted(hidden))
	}
}

// reportUnplanned warns about losses that the plan did not show. Under the guard, each is an error.
func (c scheduleChange) reportUnplanned(lost []loss, diags *diag.Diagnostics) {
	if c.isGuarded {
		for _, l := range lost {
			diags.AddAttributeError(path.Root(l.attribute), "Fewer Recovery Points Than Planned",
				fmt.Sprintf("This value of cluster %s changed during the apply, and the plan did not show that:%s\n\n%s", c.cluster(), tfmodel.Bulleted([]loss{l}), howToRestore))
		}
		return
	}
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s Than Planned", c.cluster()),
			"These values changed during the apply, and the plan did not show that:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

const howToRestore = "Existing snapshots stay until they expire, so nothing is lost yet. To restore the old value, configure it, or set it in Ops Manager."

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

func (from storedSchedule) schedule() opsmanager.SnapshotSchedule {
	s := opsmanager.SnapshotSchedule{ReferenceHourOfDay: from.Hour, ReferenceMinuteOfHour: from.Minute, ReferenceTimeZoneOffset: from.Offset, FullIncrementalDayOfWeek: from.Day}
	if len(from.Numbers) == len(guardedFields) {
		for i, f := range guardedFields {
			*f.at(&s) = from.Numbers[i]
		}
	}
	return s
}

// isSame reports whether two values exist and are the same.
func isSame(a, b *int64) bool { return a != nil && b != nil && *a == *b }
