package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	interval      *int64 // the live one, if a new interval is the cause
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
	if l.interval != nil {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

// losses returns what a change loses, including the retention that Ops Manager is documented to
// shorten because of a new interval.
func (c *scheduleChange) losses() (found []loss) {
	for _, d := range c.effects(c.live) {
		if l, ok := lossIn(d); ok {
			if l.attribute == recentRetentionDays && c.wanted.SnapshotRetentionDays == nil {
				l.interval = cmp.Or(c.live.SnapshotIntervalHours, new(int64(hoursPerDay)))
			}
			found = append(found, l)
		}
	}
	return found
}

// lossIn returns what a difference loses, and whether it loses anything.
func lossIn(d tfmodel.Difference) (loss, bool) {
	before, _ := strconv.ParseInt(d.Held, 10, 64)
	after, _ := strconv.ParseInt(d.Wanted, 10, 64)
	for _, f := range guardedFields {
		if f.attribute == d.Attribute && d.Held != "" {
			return loss{guardedField: f, before: before, after: after}, f.keeps != "" && after < before || f.takes != "" && after > before
		}
	}
	return loss{}, false
}

// reportLosses warns about what a change loses. Under the guard, each loss is an error.
func (c *scheduleChange) reportLosses(diags *diag.Diagnostics) {
	found := c.losses()
	switch {
	case c.isGuarded:
		refuse(c.clusterID, found, diags)
	case len(found) > 0:
		diags.AddWarning(fmt.Sprintf("Fewer Recovery Points of Cluster %s", c.clusterID),
			"The apply changes:"+tfmodel.Bulleted(found)+"\n\n"+fewerPoints+" Set retention_protection = true to make this an error.")
	}
}

const fewerPoints = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."

// refuse adds an error for each loss, with the whole way to either value.
func refuse(cluster string, lost []loss, diags *diag.Diagnostics) {
	for _, l := range lost {
		attribute, before := l.attribute, l.before
		if l.interval != nil {
			attribute, before = intervalHours, *l.interval
		}
		diags.AddAttributeError(path.Root(attribute), "Fewer Recovery Points Prevented",
			fmt.Sprintf("%s To keep %d, configure %s = %d.\n\n%s The schedule of cluster %s is protected: by retention_protection in the configuration or in the state of a resource, or by the environment variable %s. "+
				"To accept fewer, unset the variable, and apply twice: first retention_protection = false with the values that Ops Manager has now, and then the new values.",
				l, l.before, attribute, before, fewerPoints, cluster, connection.RetentionProtectionVariable))
	}
}

// warnHidden warns about changes that retention_protection can't judge, because Ops
// Manager did not return the current value.
func (c *scheduleChange) warnHidden(diags *diag.Diagnostics) {
	if !c.isGuarded {
		return
	}
	hidden := slices.DeleteFunc(differences(c.wanted, c.live), func(d tfmodel.Difference) bool {
		return d.Held != "" || d.Attribute == checkpointInterval || !slices.ContainsFunc(guardedFields, func(f guardedField) bool { return f.attribute == d.Attribute })
	})
	if c.shortensRecent(c.live) && c.live.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Current Values of Cluster %s Not Returned", c.clusterID),
			"Ops Manager did not return the values that these replace, so retention_protection can't tell whether they leave fewer recovery points:"+tfmodel.Bulleted(hidden))
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
