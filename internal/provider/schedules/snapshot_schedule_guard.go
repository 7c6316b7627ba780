package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
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
func isLong(retention *int64) bool {
	return retention != nil && *retention > maxRecentRetentionDays
}

// atMostRecent is the text of a retention that Ops Manager limits, and did not return before.
var atMostRecent = fmt.Sprintf("at most %d", maxRecentRetentionDays)

// loss is a change of a value that leaves fewer recovery points: a shorter retention, or a longer interval. If Ops Manager
// did not return the value, the change may be one.
type loss struct {
	numberField
	before *int64 // nil if Ops Manager did not return it
	after  int64

	cause string // the attribute that makes it
	with  string // what to configure with the value to keep that
}

func (l loss) isHidden() bool { return l.before == nil }

func (l loss) String() string {
	if l.isHidden() {
		hidden := tf.Difference{Attribute: l.attribute, Wanted: fmt.Sprint(l.after)}
		if l.cause != l.attribute {
			hidden.Wanted = atMostRecent
		}
		return hidden.String() + ". So the provider can't tell whether there would be fewer."
	}
	text := fmt.Sprintf("%s: %d -> %d. ", l.attribute, *l.before, l.after)
	unit := l.unit
	if l.after == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	switch {
	case l.takes != "":
		text += fmt.Sprintf("Ops Manager %s every %d %s instead of every %d.", l.takes, l.after, unit, *l.before)
	case l.after == 0:
		text += "The rule is turned off, and Ops Manager no longer keeps " + l.keeps + "."
	default:
		text += fmt.Sprintf("Ops Manager keeps %s for %d %s instead of %d.", l.keeps, l.after, unit, *l.before)
	}
	if l.cause != l.attribute {
		text += fmt.Sprintf(" It keeps them for %s days if the interval is below %d hours.", atMostRecent, hoursPerDay)
	}
	return text
}

// leavesFewer reports whether a change of the field leaves fewer recovery points.
func (f numberField) leavesFewer(was, is int64) bool {
	return f.keeps != "" && is < was || f.takes != "" && is > was
}

// losses returns what a step loses, including the retention that Ops Manager is documented to shorten because of a new
// interval. If this run has started the backup, the schedule has its defaults, and there is no snapshot to lose.
func (t target) losses(of step) (found []loss) {
	if t.isNew() {
		return nil
	}
	live := withNull(of.Live)
	after := withNull(of.After)
	isLimited := isShort(of.Request.SnapshotIntervalHours)
	for _, f := range guardedFields {
		was := *f.at(&live)
		is := *f.at(&after)
		isUsuallyMissing := f.attribute == checkpointInterval // a replica set has none
		if is == nil || was == nil && isUsuallyMissing {
			continue
		}
		if was != nil && !f.leavesFewer(*was, *is) { // one that is not known may be longer
			continue
		}
		l := loss{
			numberField: f,
			before:      was,
			after:       *is,
			cause:       f.attribute,
		}
		isRecent := f.attribute == recentRetentionDays
		if isRecent && isLimited && (takesUnknownAlong(of) || isLong(was)) {
			l.cause = intervalHours // whatever retention is configured
			l.with = fmt.Sprintf("%s = %d and ", intervalHours, *cmp.Or(live.SnapshotIntervalHours, new(int64(hoursPerDay))))
		}
		found = append(found, l)
	}
	return found
}

// isNew reports whether this run has started the backup.
func (c cluster) isNew() bool { return projects.HasFirstStart(c.Data, c.projectID, c.clusterID) }

const (
	fewerPoints = "From now on, there are fewer points to restore to. Existing snapshots stay until they expire."
	applyGuards = " Under retention_protection, the apply refuses a loss."
)

// reported returns the losses that people read of. What may be one counts only under the guard.
func (t target) reported(lost []loss) []loss {
	if !t.isGuarded() {
		return slices.DeleteFunc(lost, loss.isHidden)
	}
	return lost
}

// reportLosses warns about losses. Under the guard, they are an error.
func (t target) reportLosses(lost []loss, diags *diag.Diagnostics) {
	switch lost = t.reported(lost); {
	case len(lost) == 0:
	case t.isGuarded():
		diags.Append(t.lossError("The apply", lost))
	default:
		diags.Append(lossWarning("Cluster "+t.clusterID, tf.Bulleted(lost)))
	}
}

// lossWarning returns the warning about losses of clusters.
func lossWarning(clusters, lost string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Recovery Points of "+clusters+" Will Be Reduced",
		"The apply changes:"+lost+"\n\n"+fewerPoints+" Set retention_protection = true to make this an error.")
}

// lossError returns the error about losses under the guard, with the way to either value. who makes them.
func (t target) lossError(who string, lost []loss) diag.Diagnostic {
	text := who + " would change:"
	for _, l := range lost {
		keep := "what Ops Manager has, don't configure " + l.cause
		if !l.isHidden() {
			keep = fmt.Sprintf("%d, configure %s%s = %[1]d", *l.before, l.with, l.attribute)
		}
		text += fmt.Sprintf("\n  - %s To keep %s.", l, keep)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(lost[0].cause), "Recovery Points of Cluster "+t.clusterID+" "+reduction(lost),
		text+"\n\n"+fewerPoints+" "+t.howToAccept())
}

// reduction says in a title whether there would be fewer recovery points.
func reduction(lost []loss) string {
	for _, l := range lost {
		if !l.isHidden() {
			return "Would Be Reduced"
		}
	}
	return "May Be Reduced"
}

// protection says what protects a schedule against a loss of recovery points, which is an error then.
type protection struct {
	isConfigured bool
	isInState    bool // which counts as well: a guard that is turned off is gone with the next plan
	isByAnother  bool // another resource of this run protects it, as far as plans and refreshes have noted

	keeps string // what a first apply keeps, so that the second one can leave fewer recovery points
}

const (
	keepsSchedule  = "the values that Ops Manager has now, with retention_protection = false"
	keepsSchedules = "retention_protection = false, with these clusters in excluded_cluster_ids"
)

// isGuarded reports whether a loss is an error.
func (t target) isGuarded() bool {
	return t.isConfigured || t.isInState || t.isByAnother || t.Data.RetentionProtection
}

// howToAccept says what protects a schedule, and how to accept a loss nevertheless.
func (t target) howToAccept() string {
	const keepsState = "To destroy this resource, use terraform destroy -refresh=false, which keeps the schedule."
	var texts []string
	if t.Data.RetentionProtection {
		texts = append(texts, "The environment variable "+connection.RetentionProtectionVariable+" protects all schedules. To accept fewer, unset it.")
	}
	switch {
	case t.isInState:
		texts = append(texts, "retention_protection is true in the state. To accept fewer, apply twice: first "+t.keeps+", and then what you want.", keepsState)
	case t.isConfigured:
		texts = append(texts, "retention_protection is true. To accept fewer, set it to false.")
	case texts == nil: // the state may be that of this resource, if it is tainted
		texts = append(texts, "Another resource, or the state of this one, protects the schedule. To accept fewer, apply twice: first with the values that "+
			"Ops Manager has now, and with retention_protection = false, or in a policy with retention_protection = false and the cluster in excluded_cluster_ids, "+
			"and then what you want.", keepsState)
	}
	return strings.Join(texts, " ")
}

// recoveryAttributes returns the attributes that recovery points depend on and whose configured values are of a kind.
func (t target) recoveryAttributes(is func(values tf.Values, attribute string) bool) (attributes []string) {
	for _, f := range guardedFields {
		if is(t.configured, f.attribute) {
			attributes = append(attributes, f.attribute)
		}
	}
	return attributes
}

// warnUnknown announces values whose effect on recovery points is known only during the apply.
func (t target) warnUnknown(diags *diag.Diagnostics) {
	if unknown := t.recoveryAttributes(isUnknown); unknown != nil {
		diags.AddWarning("Recovery Points of Cluster "+t.clusterID+" Will Be Known Only During the Apply", "This plan can't show whether these values "+
			"leave fewer recovery points: "+strings.Join(unknown, ", ")+"."+applyGuards)
	}
}

// plan records a change of a plan and what it loses, and reports what forbids it. Terraform may plan it twice. A change
// that can't be compared with the live schedule loses nothing that is known. If another resource manages the schedule, each
// would overwrite what the plan of the other one saw.
func (t *target) plan(lost []loss, isSecond, isComparable bool, diags *diag.Diagnostics) {
	if t.isUnnamed() {
		t.guardUnnamed(diags)
		return
	}
	if t.Claim(t.name(), connection.Adoption(isSecond)) == connection.Twice {
		diags.AddAttributeError(path.Root("cluster_id"), "Snapshot Schedule of Cluster "+t.clusterID+" in Two Resources",
			"Two resources manage the snapshot schedule of cluster "+t.clusterID+", and each would overwrite the values of the other. "+
				"To leave the cluster out of a policy, add its ID to excluded_cluster_ids. "+tf.KeepOne)
	}
	switch {
	case t.isNew():
	case isComparable:
		t.noteLosses(lost, t.recoveryAttributes(isUnknown), diags)
	case t.Client == nil:
		t.noteLosses(nil, union(t.recoveryAttributes(isSet), t.recoveryAttributes(isUnknown)), diags)
	}
}

// name names the schedule for its claims.
func (c cluster) name() string {
	return strings.ToLower("schedule of cluster " + c.clusterID + " of project " + c.projectID)
}

// note changes what is noted of the schedule, and returns what that was before.
func (c cluster) note(change func(*sets)) (before sets) {
	return connection.Note(c.Data, c.name(), change)
}

// isUnnamed reports whether the cluster is known only during the apply.
func (c cluster) isUnnamed() bool { return c.projectID == "" || c.clusterID == "" }

// noteLosses records what a change loses, and whether its resource protects the schedule, and sets whether any
// resource of the run does. So a new address for the same cluster does not leave the guard, whichever of the
// resources Terraform plans first. It adds an error about what the resources before lose, and about the unknown values
// that the guard of another resource can't judge.
func (t *target) noteLosses(lost []loss, unknown []string, diags *diag.Diagnostics) {
	isGuardedHere := t.isGuarded()
	if isGuardedHere { // the apply refuses a loss
		unknown = nil
	}
	before := t.note(func(s *sets) { s.add(lost, unknown, isGuardedHere) })
	t.isByAnother = before.isGuarded
	if t.isGuarded() {
		if before.lost != nil {
			diags.Append(t.lossError("Another resource of this configuration", before.lost))
		}
		refuseUnknown(t.clusterID, union(before.unknown, unknown), diags)
	}
	if isGuardedHere {
		t.refuseUnnamed(diags)
	}
}

// refuseUnnamed adds an error about what resources set whose project or cluster is not known. They may set the same schedule.
func (t *target) refuseUnnamed(diags *diag.Diagnostics) {
	partlyKnown := []cluster{
		{Data: t.Data, projectID: t.projectID},
		{Data: t.Data, clusterID: t.clusterID},
		{Data: t.Data},
	}
	for _, of := range partlyKnown {
		unnamed := of.note(func(s *sets) {
			s.guardedCluster = t.clusterID
			s.unknown = nil
		})
		refuseUnknown(t.clusterID, unnamed.unknown, diags)
	}
}

// sets is what the resources of a run note of a schedule that they set.
type sets struct {
	isGuarded      bool     // one of them guards it, in its configuration or in its state
	lost           []loss   // what they lose, until a guard reports it
	unknown        []string // what those that don't guard it set, and what is known only during the apply
	guardedCluster string   // a cluster that one of them guards, if they may set the schedule of any cluster
}

// add adds what a resource loses and sets. A replacement is planned twice. Under a guard, the resource reports
// its own losses, and the guard those before.
func (s *sets) add(lost []loss, unknown []string, isGuarded bool) {
	for _, l := range lost {
		isSame := func(other loss) bool { return other.attribute == l.attribute }
		if !slices.ContainsFunc(s.lost, isSame) {
			s.lost = append(s.lost, l)
		}
	}
	s.unknown = union(s.unknown, unknown)
	s.isGuarded = s.isGuarded || isGuarded
	if s.isGuarded {
		s.lost = nil
		s.unknown = nil
	}
}

// union returns the elements of two lists, sorted.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// refuseUnknown adds an error about values that the guard can't judge.
func refuseUnknown(cluster string, unknown []string, diags *diag.Diagnostics) {
	if len(unknown) > 0 {
		diags.AddError("Recovery Points of Cluster "+cluster+" Would Not Be Protected", "A resource protects the schedule of cluster "+cluster+
			", and another one sets values that can be compared only during the apply: "+strings.Join(unknown, ", ")+
			". Set retention_protection = true on both, so that the apply refuses a loss.")
	}
}

// guardState records whether a resource protects its schedule in its state. Read calls it as well, because
// Terraform does not plan what it keeps or forgets.
func (c cluster) guardState(state types.Bool, keeps string, diags *diag.Diagnostics) {
	t := target{cluster: c, protection: protection{isInState: state.ValueBool(), keeps: keeps}}
	t.noteLosses(nil, nil, diags)
}

// guardUnnamed records what a resource sets of a schedule whose cluster is known only during the apply. It may be
// one that another resource guards.
func (t target) guardUnnamed(diags *diag.Diagnostics) {
	set := t.recoveryAttributes(isSet)
	if set == nil || t.isGuarded() {
		return
	}
	before := t.note(func(s *sets) { s.unknown = union(s.unknown, set) })
	if before.guardedCluster != "" {
		refuseUnknown(before.guardedCluster, set, diags)
	}
}
