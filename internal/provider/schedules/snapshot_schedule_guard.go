package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
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
// interval. If Ops Manager did not return the value, the change may be one.
type loss struct {
	numberField
	before, after int64

	cause  string // the attribute that makes it
	keep   string // what to configure to keep the value
	hidden string // the change of a value that Ops Manager did not return
}

func (l loss) isHidden() bool { return l.hidden != "" }

func (l loss) String() string {
	if l.isHidden() {
		return l.hidden + ". So the provider can't tell whether there would be fewer."
	}
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
	if l.cause != l.attribute {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

// losses returns what a step loses, including the retention that Ops Manager is documented to shorten because of a new
// interval. If this run has started the backup, the schedule has its defaults, and there is no snapshot to lose.
func (t target) losses(of step) (found []loss) {
	if t.isNew() {
		return nil
	}
	isLimited := isShort(of.Request.SnapshotIntervalHours)
	for _, d := range changesOf(of) {
		l, ok := lossIn(d)
		isNotRaised := t.raises && l.isHidden() && l.keeps != "" && *l.at(&of.Request) != nil // an error whether guarded or not
		if !ok || isNotRaised {
			continue
		}
		switch isRecent := l.attribute == recentRetentionDays && isLimited; {
		case isRecent && l.isHidden() && of.Request.SnapshotRetentionDays == nil:
			l.cause = intervalHours
		case isRecent && isLong(&l.before): // with any configured retention
			l.cause = intervalHours
			l.keep = fmt.Sprintf("%s = %d and %s", intervalHours, *cmp.Or(of.Live.SnapshotIntervalHours, new(int64(hoursPerDay))), l.keep)
		}
		found = append(found, l)
	}
	return found
}

// lossIn returns what a difference loses, and whether it loses anything.
func lossIn(d tfmodel.Difference) (loss, bool) {
	before, _ := strconv.ParseInt(d.Held, 10, 64)
	after, _ := strconv.ParseInt(d.Wanted, 10, 64)
	for _, f := range guardedFields {
		switch {
		case f.attribute != d.Attribute:
		case d.Held == "":
			isUsuallyMissing := f.attribute == checkpointInterval // a replica set has none
			return loss{numberField: f, cause: f.attribute, hidden: d.String()}, !isUsuallyMissing
		default:
			found := loss{f, before, after, f.attribute, fmt.Sprintf("%s = %d", f.attribute, before), ""}
			return found, f.keeps != "" && after < before || f.takes != "" && after > before
		}
	}
	return loss{}, false
}

// isNew reports whether this run has started the backup.
func (t target) isNew() bool { return projects.HasFirstStart(t.Data, t.projectID, t.clusterID) }

const fewerPoints = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."

// reportedLosses returns the losses that people read of. What may be one counts only under the guard.
func (t *target) reportedLosses(of step) []loss {
	lost := t.losses(of)
	if t.protection == "" {
		lost = slices.DeleteFunc(lost, loss.isHidden)
	}
	return lost
}

// reportLosses warns about what a step loses. Under the guard, that is an error.
func (t *target) reportLosses(of step, diags *diag.Diagnostics) {
	switch lost := t.reportedLosses(of); {
	case len(lost) == 0:
	case t.protection != "":
		diags.Append(t.lossError("The apply", lost))
	default:
		diags.AddWarning(fmt.Sprintf("Recovery Points of Cluster %s Will Be Reduced", t.clusterID),
			"The apply changes:"+tfmodel.Bulleted(lost)+"\n\n"+fewerPoints+" Set retention_protection = true to make this an error.")
	}
}

// lossError returns the error about losses under the guard, with the way to either value. who makes them.
func (t *target) lossError(who string, lost []loss) diag.Diagnostic {
	text := who + " would change:"
	for _, l := range lost {
		if l.isHidden() {
			text += fmt.Sprintf("\n  - %s To keep what Ops Manager has, don't configure %s.", l, l.cause)
			continue
		}
		text += fmt.Sprintf("\n  - %s To keep %d, configure %s.", l, l.before, l.keep)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(lost[0].cause), fmt.Sprintf("Recovery Points of Cluster %s %s", t.clusterID, reduction(lost)),
		text+"\n\n"+fewerPoints+" "+t.protection)
}

// reduction says in a title whether there would be fewer recovery points.
func reduction(lost []loss) string {
	if slices.ContainsFunc(lost, func(l loss) bool { return !l.isHidden() }) {
		return "Would Be Reduced"
	}
	return "May Be Reduced"
}

// What a first apply keeps, so that the second one can leave fewer recovery points.
const (
	keepsSchedule  = "the values that Ops Manager has now, with retention_protection = false"
	keepsSchedules = "the values that the clusters have now, with these in excluded_cluster_ids or with retention_protection = false"
)

// protectionOf says what protects a schedule and how to accept a loss nevertheless, or nothing if nothing protects
// it. The value in the state counts: a guard that is turned off is gone with the next plan.
func protectionOf(data *connection.Data, configured, state types.Bool, keeps string) (text string) {
	if data != nil && data.RetentionProtection {
		text = "The environment variable " + connection.RetentionProtectionVariable + " protects all schedules. To accept fewer, unset it. "
	}
	switch {
	case state.ValueBool():
		text += "retention_protection is true in the state. To accept fewer, apply twice: first " + keeps + ", and then what you want. To destroy this resource, use terraform destroy -refresh=false, which keeps the schedule."
	case configured.ValueBool():
		text += "retention_protection is true. To accept fewer, set it to false."
	}
	return strings.TrimSpace(text)
}

// protectedByAnother is the protection by another resource, or by the state of a tainted one.
const protectedByAnother = "Another resource, or the state of this one, protects the schedule. To accept fewer, apply twice: first with the values that Ops Manager has now, and with retention_protection = false or, in a policy, with the cluster in excluded_cluster_ids, and then what you want. To destroy this resource, use terraform destroy -refresh=false, which keeps the schedule."

// unknown returns the attributes whose effect on recovery points is known only during the apply.
func (t *target) unknown() (attributes []string) {
	for _, f := range guardedFields {
		if isUnknown(t.configured, f.attribute) {
			attributes = append(attributes, f.attribute)
		}
	}
	return attributes
}

// warnUnknown announces values that are known only during the apply.
func (t *target) warnUnknown(diags *diag.Diagnostics) {
	if unknown := t.unknown(); len(unknown) > 0 {
		diags.AddWarning("Recovery Points Will Be Known Only During the Apply",
			fmt.Sprintf("This plan can't show whether these values of cluster %s leave fewer recovery points: %s. Under retention_protection, the apply refuses a loss.", t.clusterID, strings.Join(unknown, ", ")))
	}
}

// plan records a change of a plan, and reports what forbids it. Terraform may plan it
// twice. A change that can't be compared with the live schedule loses nothing that is known.
func (t *target) plan(of step, isSecond, isComparable bool, diags *diag.Diagnostics) {
	if t.isUnnamed() {
		t.guardUnnamed(diags)
		return
	}
	t.register(connection.Adoption(isSecond), diags)
	if isComparable && !t.isNew() {
		t.guard(t.losses(of), diags)
	}
}

// scheduleOfCluster names a schedule for its claims. An unknown ID is empty.
func scheduleOfCluster(project, cluster string) string {
	return strings.ToLower("schedule of cluster " + cluster + " of project " + project)
}

// isUnnamed reports whether the cluster is known only during the apply.
func (t *target) isUnnamed() bool { return t.projectID == "" || t.clusterID == "" }

// register adds a claim to those of the schedule. If another resource manages it, each would overwrite what the plan of the
// other one saw.
func (t *target) register(claim connection.Claim, diags *diag.Diagnostics) {
	if t.Claim(scheduleOfCluster(t.projectID, t.clusterID), claim) == connection.Twice {
		diags.AddAttributeError(path.Root("cluster_id"), fmt.Sprintf("Snapshot Schedule of Cluster %s in Two Resources", t.clusterID),
			fmt.Sprintf("Two resources manage the snapshot schedule of cluster %s, and each would overwrite the values of the other. "+
				"To leave the cluster out of a policy, add its ID to excluded_cluster_ids. %s", t.clusterID, diagnostics.KeepOne))
	}
}

// guard records what a change loses, and whether its resource protects the schedule, and sets whether any
// resource of the run does. So a new address for the same cluster does not leave the guard, whichever of the
// resources Terraform plans first. It adds an error about what the resources before lose, and about what the
// guard of another resource can't judge.
func (t *target) guard(lost []loss, diags *diag.Diagnostics) {
	unknown, isGuarded := t.unknown(), t.protection != ""
	if isGuarded { // the apply refuses a loss
		unknown = nil
	}
	before := t.note(t.projectID, t.clusterID, func(s *sets) { s.add(lost, unknown, isGuarded) })
	if before.isGuarded {
		t.protection = cmp.Or(t.protection, protectedByAnother)
	}
	if t.protection != "" && len(before.lost) > 0 {
		diags.Append(t.lossError("Another resource of this configuration", before.lost))
	}
	if unknown = union(before.unknown, unknown); t.protection != "" && len(unknown) > 0 {
		diags.Append(unknownError(t.clusterID, unknown))
	}
	if !isGuarded {
		return
	}
	for _, of := range [][2]string{{t.projectID, ""}, {"", t.clusterID}, {"", ""}} { // of resources that may set the same schedule
		unnamed := t.note(of[0], of[1], func(s *sets) { s.guarded, s.unknown = t.clusterID, nil }).unknown
		if len(unnamed) > 0 {
			diags.Append(unknownError(t.clusterID, unnamed))
		}
	}
}

// sets is what the resources of a run note of a schedule that they set.
type sets struct {
	isGuarded bool     // one of them guards it, in its configuration or in its state
	lost      []loss   // what they lose, until a guard reports it
	unknown   []string // what those that don't guard it set, and what is known only during the apply
	guarded   string   // a cluster that one of them guards, if they may set the schedule of any cluster
}

// note changes what is noted of a schedule, and returns what that was before.
func (t *target) note(project, cluster string, change func(*sets)) (before sets) {
	return connection.Note(t.Data, scheduleOfCluster(project, cluster), change)
}

// add adds what a resource loses and sets. A replacement is planned twice. Under a guard, the resource reports
// its own losses, and the guard those before.
func (s *sets) add(lost []loss, unknown []string, isGuarded bool) {
	for _, l := range lost {
		if !slices.ContainsFunc(s.lost, func(other loss) bool { return other.attribute == l.attribute }) {
			s.lost = append(s.lost, l)
		}
	}
	s.unknown = union(s.unknown, unknown)
	s.isGuarded = s.isGuarded || isGuarded
	if s.isGuarded {
		s.lost, s.unknown = nil, nil
	}
}

// union returns the elements of two lists, sorted.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// unknownError returns the error about values that the guard can't judge.
func unknownError(cluster string, unknown []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Recovery Points of Cluster %s Would Not Be Protected", cluster),
		fmt.Sprintf("A resource protects the schedule of cluster %s, and another one sets values that can be compared only during the apply: %s. Set retention_protection = true on both, so that the apply refuses a loss.", cluster, strings.Join(unknown, ", ")))
}

// guardState records whether a resource protects its schedule in its state. Read calls it as well, because
// Terraform does not plan what it keeps or forgets.
func (m snapshotScheduleModel) guardState(data *connection.Data, keeps string, diags *diag.Diagnostics) {
	m.Values = nil
	t := adoptionOf(data, m)
	t.protection = protectionOf(data, types.BoolNull(), m.RetentionProtection, keeps)
	t.guard(nil, diags)
}

// guardUnnamed records what a resource sets of a schedule whose cluster is known only during the apply. It may be
// one that another resource guards.
func (t *target) guardUnnamed(diags *diag.Diagnostics) {
	var set []string
	for _, f := range guardedFields {
		isOnlyRaised := t.raises && f.keeps != ""
		if isSet(t.configured, f.attribute) && !isOnlyRaised {
			set = append(set, f.attribute)
		}
	}
	if len(set) == 0 || t.protection != "" {
		return
	}
	before := t.note(t.projectID, t.clusterID, func(s *sets) { s.unknown = union(s.unknown, set) })
	if before.guarded != "" {
		diags.Append(unknownError(before.guarded, set))
	}
}
