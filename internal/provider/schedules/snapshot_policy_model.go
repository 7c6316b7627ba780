package schedules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// snapshotPolicyModel is a policy in a configuration, a plan or a state.
type snapshotPolicyModel struct {
	ProjectIDs         types.Set    `tfsdk:"project_ids"`
	ClusterIDs         types.Set    `tfsdk:"cluster_ids"`
	ClusterNameRegex   types.String `tfsdk:"cluster_name_regex"`
	ExcludedClusterIDs types.Set    `tfsdk:"excluded_cluster_ids"`

	Schedule types.Object `tfsdk:"schedule"`

	RetentionMode       types.String `tfsdk:"retention_mode"`
	RetentionProtection types.Bool   `tfsdk:"retention_protection"`
	Concurrency         types.Int64  `tfsdk:"concurrency"`

	Clusters   types.Map   `tfsdk:"clusters"`
	Overwrites types.Int64 `tfsdk:"overwrites"`
	Skipped    types.Map   `tfsdk:"skipped"`
}

// protection returns what protects the schedules of a policy with a state.
func (m snapshotPolicyModel) protection(state snapshotPolicyModel) protection {
	return protection{
		isConfigured: m.RetentionProtection.ValueBool(),
		isInState:    state.RetentionProtection.ValueBool(),
		keeps:        keepsSchedules,
	}
}

// concurrency returns the number of requests to send in parallel.
func (m snapshotPolicyModel) concurrency() int {
	return int(*cmp.Or(tf.Int64Pointer(m.Concurrency), new(int64(10))))
}

// selection selects clusters of projects.
type selection struct {
	Projects   []string // sorted
	ClusterIDs []string // sorted; nil selects all
	Excluded   []string // sorted
	name       *regexp.Regexp
	isByName   bool
}

// selection returns the selection of a policy, and false if it is not known yet.
func (m snapshotPolicyModel) selection() (s selection, isKnown bool) {
	isKnown = !m.ClusterNameRegex.IsUnknown()
	ids := func(set types.Set) []string {
		texts, isWhole := tf.Texts(set)
		isKnown = isKnown && isWhole
		for i, id := range texts {
			texts[i] = strings.ToLower(id) // as Ops Manager returns it
		}
		slices.Sort(texts)
		return slices.Compact(texts) // the set may have an ID in two spellings
	}
	s = selection{Projects: ids(m.ProjectIDs), Excluded: ids(m.ExcludedClusterIDs)}
	if !m.ClusterIDs.IsNull() {
		s.ClusterIDs = ids(m.ClusterIDs)
	}
	expression, err := regexp.Compile(m.ClusterNameRegex.ValueString())
	s.name = expression
	s.isByName = !m.ClusterNameRegex.IsNull()
	return s, isKnown && err == nil
}

// selects reports whether a whole cluster is selected.
func (s selection) selects(projectID, clusterID, name string) bool {
	has := func(ids []string, id string) bool {
		return slices.Contains(ids, strings.ToLower(id))
	}
	isNamed := s.ClusterIDs == nil || has(s.ClusterIDs, clusterID)
	return has(s.Projects, projectID) && isNamed && !has(s.Excluded, clusterID) && s.name.MatchString(name)
}

// managed is what a state has: the lines of the clusters, by ID, and of those that had no schedule to set.
type managed struct{ lines, skipped linesByID }

func (m snapshotPolicyModel) managed() managed {
	return managed{m.Clusters.Elements(), m.Skipped.Elements()}
}

// sets reports whether the policy has set the schedule of a cluster.
func (m managed) sets(clusterID string) bool {
	return m.lines[clusterID] != nil && m.skipped[clusterID] == nil
}

// selectsLike reports whether the selection of a policy is that of its state.
func (m snapshotPolicyModel) selectsLike(state snapshotPolicyModel) bool {
	return m.ProjectIDs.Equal(state.ProjectIDs) && m.ClusterIDs.Equal(state.ClusterIDs) &&
		m.ClusterNameRegex.Equal(state.ClusterNameRegex) && m.ExcludedClusterIDs.Equal(state.ExcludedClusterIDs)
}

// line returns the text of a cluster in two versions of its schedule: its name, the values of the fields
// that the policy sets for it, and the values before of those that change.
func (m member) line(policy snapshotPolicyModel, before, after schedule) string {
	if !m.hasSchedule() {
		return m.Name + ": " + m.Skipped
	}
	configured := m.values(policy)
	set := scheduleOf(configured)
	changed := set
	if policy.raises() {
		changed = withoutKept(set, after, after)
	}
	for _, s := range []*schedule{&before, &after} {
		setTime(s, timeOf(*s).at(offsetOf(configured)))
	}
	var parts []string
	for _, f := range scheduleFields {
		was := cmp.Or(fieldText(f, before), tf.NotReturned)
		is := cmp.Or(fieldText(f, after), tf.NotReturned)
		isConfigured := isSet(configured, f.Attribute)
		isTakenAlong := f.Attribute == recentRetentionDays && !isConfigured
		isKept := is != tf.NotReturned && !f.IsMissing(set) && f.IsMissing(changed)
		switch {
		case isTakenAlong && was == tf.NotReturned && is != was:
			is = fmt.Sprintf("at most %s (was %s)", is, was)
		case was != is:
			is = fmt.Sprintf("%s (was %s)", is, was)
		case isKept:
			is = fmt.Sprintf("%s (kept, more than %s)", is, configured[f.Attribute])
		case !isConfigured:
			continue
		}
		parts = append(parts, f.Attribute+" "+is)
	}
	if len(parts) == 0 {
		parts = []string{"no field of the policy applies"}
	}
	return m.Name + ": " + strings.Join(parts, ", ")
}
