package schedules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// fleetKey is the key of the private state that stores the clusters as last read. The last
// plan before an apply must show what the first one showed, so both are made from it.
const fleetKey = "fleet"

// linesByID has the texts of clusters by their IDs.
type linesByID = map[string]attr.Value

// fleet holds the clusters that a policy selects, sorted by project and name. That of the private state also has
// those in the state that the policy no longer selects.
type fleet []member

// member is a cluster of a policy. Its JSON is short, because a policy can have thousands.
type member struct {
	ProjectID    string         `json:"p"`
	ClusterID    string         `json:"c"`
	Name         string         `json:"n"`
	Project      string         `json:"g,omitempty"` // the name of the project or else its ID, if the policy has several
	IsReplicaSet bool           `json:"r,omitempty"`
	Skipped      string         `json:"s,omitempty"` // why it has no schedule; empty if it has one
	Left         string         `json:"l,omitempty"` // why the policy no longer selects it; empty if it does
	Starts       bool           `json:"b,omitempty"` // it has no schedule, but the plan may start its backup
	Stored       storedSchedule `json:"v"`

	mayBeForeign bool             // this run could not read whether another product backs it up
	diags        diag.Diagnostics // about the cluster, in this run
}

// storedSchedule is a schedule in the private state. Its JSON is short, because Terraform writes the whole
// state for each change, and a policy can have thousands of clusters.
type storedSchedule struct {
	GroupID, ClusterID string `json:"-"`

	SnapshotIntervalHours          *int64  `json:"i,omitempty"`
	SnapshotRetentionDays          *int64  `json:"r,omitempty"`
	DailySnapshotRetentionDays     *int64  `json:"d,omitempty"`
	WeeklySnapshotRetentionWeeks   *int64  `json:"w,omitempty"`
	MonthlySnapshotRetentionMonths *int64  `json:"m,omitempty"`
	PointInTimeWindowHours         *int64  `json:"p,omitempty"`
	ClusterCheckpointIntervalMin   *int64  `json:"c,omitempty"`
	ReferenceHourOfDay             *int64  `json:"h,omitempty"`
	ReferenceMinuteOfHour          *int64  `json:"n,omitempty"`
	ReferenceTimeZoneOffset        *string `json:"o,omitempty"`
	FullIncrementalDayOfWeek       *string `json:"f,omitempty"`
}

// hasSchedule reports whether the cluster has a schedule now.
func (m member) hasSchedule() bool { return m.Skipped == "" }

// isForeign reports whether another product backs up the cluster, or may do so, so that no plan may start its backup.
func (m member) isForeign() bool {
	return m.Skipped == projects.ThirdParty || m.Skipped == projects.PerhapsThirdParty
}

func (m member) String() string {
	label := projects.ClusterLabel(m.Name, m.ClusterID)
	if m.Project != "" {
		label += " of project " + projects.ClusterLabel(m.Project, m.ProjectID)
	}
	return label
}

// values returns the schedule of a policy as it applies to the cluster.
func (m member) values(policy snapshotPolicyModel) tf.Values {
	values := policy.Schedule.Attributes()
	if m.IsReplicaSet {
		values[checkpointInterval] = types.Int64Null()
	}
	return values
}

// liveLine returns the text of a cluster without a change.
func (m member) liveLine(policy snapshotPolicyModel) string {
	live := schedule(m.Stored)
	return m.line(policy, live, live)
}

// lines returns the lines of a refreshed state. Those of clusters whose schedule it had and has follow what Ops
// Manager holds. A plan, and not the refresh, says which clusters come, leave, or lose their schedule. A cluster
// that is as it was keeps its line, which may have the values before the last change.
func (f fleet) lines(state snapshotPolicyModel, known fleet) types.Map {
	last := known.byID()
	before := state.managed()
	lines := state.Clusters.Elements()
	for _, m := range f {
		line := m.liveLine(state)
		if m.hasSchedule() && before.sets(m.ClusterID) && last[m.ClusterID].liveLine(state) != line {
			lines[m.ClusterID] = types.StringValue(line)
		}
	}
	return types.MapValueMust(types.StringType, lines)
}

// without returns the clusters that another fleet does not have.
func (f fleet) without(others fleet) fleet {
	has := others.byID()
	return slices.DeleteFunc(slices.Clone(f), func(m member) bool {
		return has[m.ClusterID].ClusterID != ""
	})
}

// left returns the clusters in a state that the policy no longer selects, with the reasons.
func (f fleet) left(state snapshotPolicyModel, found fleet, unselected map[string]member) (left fleet) {
	last := f.byID()
	now := found.byID()
	lines := state.Clusters.Elements()
	for _, id := range slices.Sorted(maps.Keys(lines)) {
		if _, isSelected := now[id]; isSelected {
			continue
		}
		m := last[id]
		is := unselected[strings.ToLower(id)]
		m.ClusterID = id
		m.Name = nameIn(lines[id])
		if is.Name != "" {
			m.Name += ", now " + is.Name
		}
		m.Left = cmp.Or(is.Left, "Ops Manager no longer lists it as a replica set or whole sharded cluster of the projects.")
		left = append(left, m)
	}
	return left
}

// skipped returns the clusters that can't have a schedule now, with the reasons.
func (f fleet) skipped() types.Map {
	lines := linesByID{}
	for _, m := range f {
		if !m.hasSchedule() {
			lines[m.ClusterID] = types.StringValue(m.Name + ": " + m.Skipped)
		}
	}
	return types.MapValueMust(types.StringType, lines)
}

// guardState records whether a policy protects the schedules of its clusters.
func (f fleet) guardState(data *connection.Data, state snapshotPolicyModel) {
	for i, m := range f {
		cluster{data, m.ProjectID, m.ClusterID}.guardState(state.RetentionProtection, keepsSchedules, &f[i].diags)
	}
}

// byID returns the members by the ID of their cluster.
func (f fleet) byID() map[string]member {
	members := make(map[string]member, len(f))
	for _, m := range f {
		members[m.ClusterID] = m
	}
	return members
}

// read reads the schedules of the clusters that a function returns true for. A field that a response leaves
// out keeps its value.
func (f fleet) read(
	ctx context.Context, data *connection.Data, policy snapshotPolicyModel, reads func(member) bool, diags *diag.Diagnostics,
) {
	const summary = "Unable to Read Snapshot Schedules"
	failures := make([]error, len(f))
	forEach(ctx, len(f), policy.concurrency(), func(i int) {
		if reads(f[i]) {
			failures[i] = f[i].read(ctx, data, policy)
		}
	})
	var failed []finding
	for i, err := range failures {
		if err != nil {
			failed = append(failed, finding{f[i], tf.Explain(err, policyCodes...)})
		}
	}
	switch err := context.Cause(ctx); {
	case failed != nil:
		diags.AddError(summary, fmt.Sprintf("The schedules of %d of %s could not be read:\n\n%s\n\n"+
			"To leave a cluster out, add its ID to excluded_cluster_ids. If it is in the state, apply that with -refresh=false.",
			len(failed), count(len(f), "cluster"), grouped(failed)))
	case err != nil:
		diags.AddError(summary, tf.Sentence(err))
	}
}

// read reads the schedule of a cluster, and warns if the response leaves out values that the policy sets.
func (m *member) read(ctx context.Context, data *connection.Data, policy snapshotPolicyModel) error {
	live, err := projects.SnapshotSchedule(ctx, data, m.ProjectID, m.ClusterID)
	switch {
	case err == nil:
		known := schedule(m.Stored)
		set := m.values(policy)
		m.Skipped = ""
		m.Starts = false
		m.Stored = storedSchedule(withLater(known, *live))
		unread := slices.DeleteFunc(unreadIn(*live, known), func(attribute string) bool {
			return !isSet(set, attribute)
		})
		projects.WarnUnread(m.ClusterID, unread, &m.diags)
	case !m.hasSchedule() && isNotReady(err):
	case opsmanager.IsMissing(err, opsmanager.ObjectSchedule):
		m.Skipped = "no snapshot schedule"
	default:
		return err
	}
	return nil
}

// listing is what the lists of a project say of a policy.
type listing struct {
	found      fleet
	unselected map[string]member
	err        error
}

// list lists the clusters that a policy selects, and says by ID why it does not select the other ones. The lines are those of
// the clusters that it has.
func list(
	ctx context.Context, data *connection.Data, policy snapshotPolicyModel, lines linesByID, diags *diag.Diagnostics,
) (found fleet, unselected map[string]member) {
	s, _ := policy.selection()
	all := make([]listing, len(s.Projects))
	forEach(ctx, len(all), policy.concurrency(), func(i int) {
		all[i] = s.list(ctx, data, s.Projects[i], lines)
	})
	unselected = map[string]member{}
	isComplete := true
	for i, p := range all {
		if p.err != nil {
			isComplete = false
			diags.Append(tf.Failure("Unable to List Clusters of Project "+s.Projects[i], p.err, policyCodes...))
		}
		found = append(found, p.found...)
		maps.Copy(unselected, p.unselected)
	}
	if isComplete {
		warnUnmatched(s, unselected, diags)
	}
	return found, unselected
}

// list lists the clusters of a project.
func (s selection) list(ctx context.Context, data *connection.Data, project string, lines linesByID) listing {
	backups, unlisted, unidentified, err := projects.ListAll(ctx, data.Client, project)
	all := listing{unselected: map[string]member{}, err: cmp.Or(err, unidentified)}
	for _, config := range unlisted {
		all.unselected[strings.ToLower(tf.Text(config.ClusterID))] = member{Left: "Ops Manager lists only its backup configuration."}
	}
	if len(backups) == 0 {
		return all
	}
	owners := projects.OwnersIn(ctx, data, project)
	label := ""
	if len(s.Projects) > 1 {
		label = cmp.Or(projects.ReadName(ctx, data, project, ""), project)
	}
	for _, backup := range backups {
		m := member{
			ProjectID:    project,
			Project:      label,
			ClusterID:    tf.Text(backup.Cluster.ID),
			IsReplicaSet: isReplicaSet(backup.Cluster),
		}
		name := nameOf(backup.Cluster, lines)
		m.Name = opsmanager.Sanitize(name)
		switch {
		case m.ClusterID == "":
		case s.selects(project, m.ClusterID, name):
			if isNameless := name != tf.Text(backup.Cluster.NameOrID()); isNameless && s.isByName {
				m.diags.AddWarning("Name of Cluster "+m.ClusterID+" Was Not Returned",
					"Ops Manager did not return the name of cluster "+m.ClusterID+", so the policy keeps the cluster by the name that it had.")
			}
			m.noteBackup(backup.Config, owners)
			all.found = append(all.found, m)
		default:
			all.unselected[strings.ToLower(m.ClusterID)] = member{Name: m.Name, Left: "The policy does not select the new name."}
		}
	}
	return all
}

// noteBackup notes whether the cluster can have a schedule, which has not been read.
func (m *member) noteBackup(config *opsmanager.BackupConfig, owners projects.Owners) {
	other, unknown := owners.Of(m.ClusterID)
	m.Skipped = other
	m.mayBeForeign = other == "" && unknown != nil
	switch {
	case other != "":
	case config == nil:
		m.Skipped = "no backup configuration"
	default:
		switch status := tf.Text(config.StatusName); status {
		case opsmanager.StatusInactive, opsmanager.StatusTerminating, opsmanager.StatusProvisioning:
			m.Skipped = status
		}
	}
}

// nameOf returns the name of a cluster. A cluster of the policy whose name Ops Manager does not return has that of its line:
// the documentation names no cluster without a name, so a missing one does not say that it is another one.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-one/
func nameOf(cluster opsmanager.Cluster, lines linesByID) string {
	known := ""
	if tf.Text(cluster.ClusterName) == "" {
		known = nameIn(lines[tf.Text(cluster.ID)])
	}
	return cmp.Or(known, tf.Text(cluster.NameOrID()))
}

// nameIn returns the name in the line of a cluster, or "".
func nameIn(line attr.Value) string {
	text, _ := line.(types.String)
	name := text.ValueString()
	return name[:max(strings.LastIndex(name, ": "), 0)]
}

// policyCodes are the codes of a policy: those about projects, on its attribute, and those about parallel requests.
var policyCodes = []tf.Codes{{
	Attributes: map[string]string{
		"GROUP_NOT_FOUND":   "project_ids",
		"NOT_IN_GROUP":      "project_ids",
		"INVALID_GROUP_ID":  "project_ids",
		"USER_UNAUTHORIZED": "project_ids",
	},
	Advice: tf.MissingObjects("remove its ID from project_ids, or exclude the cluster, and apply that with -refresh=false. " +
		"To remove the policy itself, run 'terraform destroy -refresh=false'.").Advice,
}, tf.Concurrent}

// forEach calls do with each index, some in parallel, until ctx ends.
func forEach(ctx context.Context, length, limit int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(limit)
	for i := 0; i < length && ctx.Err() == nil; i++ {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = group.Wait() // do returns no error
}

// finding is what a diagnostic says about a cluster.
type finding struct {
	member
	text string
}

// attempts matches how often the client has sent a request, and for how long.
var attempts = regexp.MustCompile(`\(gave up after [^)]+\)`)

// cause returns the text without what differs between clusters although the cause is the same: their IDs and names, and how
// often a request was sent.
func (f finding) cause() string {
	text := strings.ReplaceAll(f.text, f.ClusterID, "CLUSTER_ID")
	text = attempts.ReplaceAllString(text, "(gave up after several attempts)")
	if f.Name != "" && strings.Contains(text, f.Name) {
		name := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(f.Name) + `(\W|$)`)
		text = name.ReplaceAllString(text, "${1}CLUSTER_NAME$2")
	}
	return text
}

// A diagnostic lists at most mostListed groups of clusters with the same cause, and names at most mostNamed
// clusters of each.
const (
	mostListed = 20
	mostNamed  = 5
)

// grouped returns the texts with their clusters, the rarest first, so that a few unusual clusters are seen.
func grouped(all []finding) string {
	byCause := map[string][]finding{}
	for _, f := range all {
		cause := f.cause()
		byCause[cause] = append(byCause[cause], f)
	}
	causes := slices.SortedFunc(maps.Keys(byCause), func(a, b string) int {
		first := byCause[a]
		second := byCause[b]
		byNumber := cmp.Compare(len(first), len(second))
		byText := strings.Compare(first[0].String(), second[0].String())
		return cmp.Or(byNumber, byText)
	})
	var texts []string
	left := len(all)
	for _, cause := range causes[:min(len(causes), mostListed)] {
		found := byCause[cause]
		left -= len(found)
		var names []string
		for _, f := range found[:min(len(found), mostNamed)] {
			names = append(names, f.String())
		}
		label := strings.Join(names, ", ")
		text := cause
		switch number := len(found); {
		case number > mostNamed:
			label = fmt.Sprintf("%d clusters, such as %s", number, label)
		case number > 1:
			label = fmt.Sprintf("%d clusters: %s", number, label)
		default:
			text = found[0].text
		}
		if !strings.HasPrefix(text, "\n") {
			text = " " + text
		}
		texts = append(texts, label+":"+text)
	}
	if left > 0 {
		texts = append(texts, "And "+count(left, "more cluster")+".")
	}
	return strings.Join(texts, "\n\n")
}

// fold is the diagnostics with one title about some clusters.
type fold struct {
	diag.Diagnostic        // the first one
	title           string // with %s in place of the clusters
	found           []finding
}

// fold adds the diagnostics of the clusters to others: one for each title.
func (f fleet) fold(diags *diag.Diagnostics) {
	var folds []fold
	for _, m := range f {
		said := strings.NewReplacer(" for cluster "+m.ClusterID, "", " of cluster "+m.ClusterID, "")
		for _, d := range m.diags {
			title := strings.Replace(d.Summary(), "Cluster "+m.ClusterID, "%s", 1)
			if title == d.Summary() {
				title += ": %s"
			}
			i := slices.IndexFunc(folds, func(other fold) bool { return other.title == title })
			if i < 0 {
				i = len(folds)
				folds = append(folds, fold{Diagnostic: d, title: title})
			}
			folds[i].found = append(folds[i].found, finding{m, said.Replace(d.Detail())})
		}
	}
	for _, one := range folds {
		if _, hasPath := one.Diagnostic.(diag.DiagnosticWithPath); hasPath {
			one.Diagnostic = diag.WithPath(atSchedule, one.Diagnostic)
		}
		title := strings.Replace(one.title, "%s", clustersOf(one.found), 1)
		diags.Append(tf.WithTexts(one.Diagnostic, title, grouped(one.found)))
	}
}

// clustersOf names the first of some clusters, and counts the other ones. Terraform combines warnings with
// equal summaries, so those of two policies must differ.
func clustersOf(found []finding) string {
	var names []string
	for _, f := range found {
		names = append(names, projects.ClusterLabel(f.Name, f.ClusterID))
	}
	switch names = slices.Compact(names); len(names) {
	case 0:
		return "No Cluster"
	case 1:
		return "Cluster " + names[0]
	}
	return "Cluster " + names[0] + " and " + count(len(names)-1, "Other")
}

// warnUnmatched warns about excluded_cluster_ids that no cluster has. A misspelled one lets the policy
// change the cluster that it should leave alone.
func warnUnmatched(s selection, unselected map[string]member, diags *diag.Diagnostics) {
	var unmatched []finding
	for _, id := range s.Excluded {
		if unselected[id].Left == "" {
			unmatched = append(unmatched, finding{member{
				ClusterID: id,
				Name:      id,
			}, "no replica set or whole sharded cluster of the projects has this ID"})
		}
	}
	if unmatched != nil {
		diags.AddAttributeWarning(path.Root("excluded_cluster_ids"), clustersOf(unmatched)+" Will Not Be Excluded",
			"If you misspelled an ID, the policy changes the cluster that you want to exclude.\n\n"+grouped(unmatched))
	}
}
