package schedules

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// fleetKey is the key of the private state that stores the clusters as last read. The last
// plan before an apply must show what the first one showed, so both are made from it.
const fleetKey = "fleet"

// fleet holds the clusters that a policy selects, sorted by project and name.
type fleet []member

// member is a selected cluster. Its JSON is short, because a policy can have thousands.
type member struct {
	ProjectID    string         `json:"p"`
	ClusterID    string         `json:"c"`
	Name         string         `json:"n"`
	Project      string         `json:"g,omitempty"` // the name of the project, if the policy has several
	IsReplicaSet bool           `json:"r,omitempty"`
	Skipped      string         `json:"s,omitempty"` // why it has no schedule; empty if it has one
	Stored       storedSchedule `json:"v"`
	Unread       []string       `json:"u,omitempty"` // the attributes that the last response left out
	Starts       bool           `json:"b,omitempty"` // at the refresh, this run was to start its backup

	readAt time.Time // when the values were read, if that was a moment ago
	isNew  bool      // this run has started the backup, so there is no snapshot yet
}

func (m member) String() string {
	label := projects.ClusterLabel(m.Name, m.ClusterID)
	if m.Project != "" {
		label += " of " + m.Project
	}
	return label
}

// configuration returns the schedule of a policy as it applies to the cluster.
func (m member) configuration(schedule tfmodel.Values) snapshotScheduleModel {
	if m.IsReplicaSet && schedule != nil {
		schedule = maps.Clone(schedule)
		schedule[checkpointInterval] = types.Int64Null()
	}
	return snapshotScheduleModel{ProjectID: types.StringValue(m.ProjectID), ClusterID: types.StringValue(m.ClusterID), Values: schedule}
}

// lines returns the clusters with their live values of the fields that a policy sets.
func (f fleet) lines(schedule tfmodel.Values) types.Map {
	lines := map[string]attr.Value{}
	for _, m := range f {
		if m.Skipped == "" {
			lines[m.ClusterID] = types.StringValue(m.line(m.configuration(schedule).Values, m.Stored.schedule(), m.Unread))
		}
	}
	return types.MapValueMust(types.StringType, lines)
}

// protect records whether a policy protects the schedules of its clusters.
func (f fleet) protect(data *connection.Data, state snapshotPolicyModel, diags *diag.Diagnostics) {
	for _, m := range f {
		one := m.configuration(nil)
		one.RetentionProtection = state.RetentionProtection
		one.protect(data, diags)
	}
}

// hasSkipped reports whether a cluster can't have a schedule now.
func (f fleet) hasSkipped() bool {
	return slices.ContainsFunc(f, func(m member) bool { return m.Skipped != "" })
}

// grows reports whether the run that refreshed the policy starts the backup of a cluster that has no
// schedule. Both plans of the run must agree on that, so it is stored.
func (f fleet) grows() bool {
	return slices.ContainsFunc(f, func(m member) bool { return m.Starts })
}

// skipped returns the clusters that can't have a schedule now, with the reasons.
func (f fleet) skipped() types.Map {
	lines := map[string]attr.Value{}
	for _, m := range f {
		if m.Skipped != "" {
			lines[m.ClusterID] = types.StringValue(m.Name + ": " + m.Skipped)
		}
	}
	return types.MapValueMust(types.StringType, lines)
}

// byID returns the members by the ID of their cluster.
func (f fleet) byID() map[string]member {
	members := make(map[string]member, len(f))
	for _, m := range f {
		members[m.ClusterID] = m
	}
	return members
}

// freshen sets when clusters were read a moment ago, if their values have not changed since the
// plan.
func (f fleet) freshen(recent fleet) {
	read := recent.byID()
	for i, m := range f {
		if last := read[m.ClusterID]; reflect.DeepEqual(last.Stored, m.Stored) {
			f[i].readAt, f[i].isNew = last.readAt, last.isNew
		}
	}
}

// read lists the clusters that a policy selects, and reads their schedules. A field that a
// response leaves out has its known value. A refresh reads all schedules, and a project that is
// gone is a warning: it has no clusters. Otherwise that is an error, and only schedules that
// are not known yet are read.
func (f *fleet) read(ctx context.Context, data *connection.Data, policy snapshotPolicyModel, known fleet, refreshes bool) (diags diag.Diagnostics) {
	const summary = "Unable to Read Snapshot Schedules"
	if diags = f.list(ctx, data, policy, refreshes); diags.HasError() {
		return diags
	}
	knownByID, failures := known.byID(), make([]error, len(*f))
	forEach(ctx, len(*f), policy.concurrency(), func(i int) {
		m := &(*f)[i]
		failures[i] = m.read(ctx, data, knownByID[m.ClusterID], refreshes)
	})
	var failed []memberFailure
	for i, m := range *f {
		(*f)[i].Starts = refreshes && m.Skipped != "" && projects.MayStartHere(data, m.ProjectID, m.ClusterID)
		if failures[i] != nil {
			failed = append(failed, memberFailure{m, diagnostics.Explain(failures[i], diagnostics.Concurrent)})
		}
	}
	if len(failed) > 0 {
		diags.AddError(summary, fmt.Sprintf("The schedules of %d of %s could not be read:%s", len(failed), count(len(*f), "cluster"), listed(failed)))
	} else if err := context.Cause(ctx); err != nil {
		diags.AddError(summary, diagnostics.Sentence(err))
	}
	return diags
}

// list lists the clusters that a policy selects.
func (f *fleet) list(ctx context.Context, data *connection.Data, policy snapshotPolicyModel, refreshes bool) (diags diag.Diagnostics) {
	s, _ := policy.selection()
	backups, errs, names := make([][]projects.Backup, len(s.Projects)), make([]error, len(s.Projects)), make([]string, len(s.Projects))
	forEach(ctx, len(s.Projects), policy.concurrency(), func(i int) {
		backups[i], errs[i] = projects.ListWhole(ctx, data.Client, s.Projects[i])
		if len(s.Projects) > 1 && len(backups[i]) > 0 {
			names[i] = projects.NameOf(ctx, data, s.Projects[i])
		}
	})
	*f = nil
	whole, complete := map[string]bool{}, true // the clusters of the projects
	for i, project := range s.Projects {
		complete = complete && errs[i] == nil
		switch err := errs[i]; {
		case refreshes && opsmanager.IsGone(err):
			diags.AddWarning(fmt.Sprintf("Project %s Not Found", project), "The policy selects no cluster of this project. Remove its ID from project_ids if the project was deleted. "+diagnostics.Explain(err))
		case err != nil:
			diags.Append(diagnostics.Failure("Unable to List Clusters", err, policyCodes, diagnostics.Concurrent))
		}
		for _, backup := range backups[i] {
			whole[strings.ToLower(*backup.Cluster.ID)] = true
			if s.selects(backup.Cluster) {
				m := newMember(project, backup)
				m.Project = names[i]
				*f = append(*f, m)
			}
		}
	}
	if complete {
		warnUnmatched(s, whole, &diags)
	}
	return diags
}

// lacks reports whether a policy lists the ID of a cluster that is not among those that the prior policy
// selects, and that it does not list. The cluster may have been added since they were read.
func (f fleet) lacks(policy, prior snapshotPolicyModel) bool {
	s, _ := policy.selection()
	before, _ := prior.selection()
	byID := f.byID()
	return slices.ContainsFunc(s.ClusterIDs, func(id string) bool { return byID[id].ClusterID == "" && !slices.Contains(before.ClusterIDs, id) })
}

// narrow removes the clusters that a policy no longer selects, and warns about newly excluded IDs that no
// cluster has. It lists the clusters only if such an ID is not that of a cluster that the prior policy
// selects.
func (f *fleet) narrow(ctx context.Context, data *connection.Data, policy, prior snapshotPolicyModel) (diags diag.Diagnostics) {
	s, _ := policy.selection()
	before, _ := prior.selection()
	byID := f.byID()
	isOther := func(id string) bool { return byID[id].ClusterID == "" && !slices.Contains(before.Excluded, id) }
	if slices.ContainsFunc(s.Excluded, isOther) && data.Client != nil {
		diags = new(fleet).list(ctx, data, policy, false)
	}
	*f = slices.DeleteFunc(*f, func(m member) bool { return !s.selectsID(m.ClusterID) || !slices.Contains(s.Projects, m.ProjectID) })
	return diags
}

// read reads the schedule of a cluster, unless it can have none, or it is known and this is not a refresh.
// last is the cluster as it was last read, or empty.
func (m *member) read(ctx context.Context, data *connection.Data, last member, refreshes bool) error {
	switch {
	case m.Skipped != "" && m.Skipped != opsmanager.StatusProvisioning:
		return nil
	case last.ClusterID != "" && last.Skipped == "" && !refreshes:
		m.Skipped, m.Stored, m.Unread = "", last.Stored, last.Unread
		return nil
	}
	begin, known := time.Now(), last.Stored.schedule()
	live, err := data.Client.SnapshotSchedule(ctx, m.ProjectID, m.ClusterID)
	switch {
	case err == nil:
		m.Skipped, m.Stored, m.Unread = "", stored(withLater(known, *live)), unreadIn(*live, known)
		m.readAt, m.isNew = begin, projects.HasFirstStart(data, m.ProjectID, m.ClusterID)
	case m.Skipped != "" && isNotReady(err):
	case opsmanager.IsGone(err):
		m.Skipped = "no snapshot schedule"
	default:
		return err
	}
	return nil
}

// newMember returns a selected cluster whose schedule has not been read.
func newMember(project string, backup projects.Backup) member {
	m := member{
		ProjectID: project, ClusterID: *backup.Cluster.ID, IsReplicaSet: isReplicaSet(backup.Cluster),
		Name: opsmanager.Sanitize(*backup.Cluster.NameOrID()),
	}
	switch {
	case backup.Config == nil:
		m.Skipped = "no backup configuration"
	case backup.Config.StatusName == nil:
	default:
		switch status := *backup.Config.StatusName; status {
		case opsmanager.StatusInactive, opsmanager.StatusTerminating, opsmanager.StatusProvisioning:
			m.Skipped = status
		}
	}
	return m
}

// policyCodes are the codes about projects, on the attribute of a policy.
var policyCodes = diagnostics.Codes{
	Attributes: map[string]string{
		"GROUP_NOT_FOUND": "project_ids", "NOT_IN_GROUP": "project_ids", "INVALID_GROUP_ID": "project_ids", "USER_UNAUTHORIZED": "project_ids",
	},
}

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

// memberFailure is a cluster whose schedule could not be read or changed.
type memberFailure struct {
	member
	why string
}

// mostListed is the maximum number of clusters, or groups of them, that a diagnostic lists.
const mostListed = 20

// listed lists the first failures, and counts the others.
func listed(failed []memberFailure) string {
	var text strings.Builder
	for _, f := range failed[:min(len(failed), mostListed)] {
		fmt.Fprintf(&text, "\n\n%s: %s", f.member, f.why)
	}
	if more := len(failed) - mostListed; more > 0 {
		fmt.Fprintf(&text, "\n\nAnd %s.", count(more, "more cluster"))
	}
	return text.String()
}

// recentFleets holds the clusters that plans read a moment ago, by the selection. Terraform plans again
// right before an apply, and the apply uses the values that this plan read.
var recentFleets connection.Shared[sync.Map]

type recentFleet struct {
	at    time.Time
	fleet fleet
}

// longestRecent is the maximum age of a recent fleet.
const longestRecent = time.Minute

// keepRecent keeps the clusters that a plan has read for the apply that follows.
func (r *snapshotPolicyResource) keepRecent(policy snapshotPolicyModel, found fleet) {
	recentFleets.Of(r.Data).Store(policy.selectionKey(), recentFleet{time.Now(), found})
}

// takeRecent returns and removes the clusters that a plan of the policy read a moment ago.
func (r *snapshotPolicyResource) takeRecent(policy snapshotPolicyModel) (found fleet, ok bool) {
	value, _ := recentFleets.Of(r.Data).LoadAndDelete(policy.selectionKey())
	recent, ok := value.(recentFleet)
	return recent.fleet, ok && time.Since(recent.at) < longestRecent
}
