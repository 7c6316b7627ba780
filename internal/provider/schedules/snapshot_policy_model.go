package schedules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
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
	return protectionOf(m.RetentionProtection, state.RetentionProtection, keepsSchedules)
}

// concurrency returns the number of requests to send in parallel.
func (m snapshotPolicyModel) concurrency() int {
	if limit := tfmodel.Int64Pointer(m.Concurrency); limit != nil {
		return int(*limit)
	}
	return 10
}

// selection selects clusters of projects.
type selection struct {
	Projects   []string // sorted
	ClusterIDs []string // sorted; nil selects all
	Excluded   []string // sorted
	name       *regexp.Regexp
}

// selection returns the selection of a policy, and false if it is not known yet.
func (m snapshotPolicyModel) selection() (s selection, known bool) {
	for _, set := range []struct {
		of types.Set
		to *[]string
	}{{m.ProjectIDs, &s.Projects}, {m.ClusterIDs, &s.ClusterIDs}, {m.ExcludedClusterIDs, &s.Excluded}} {
		if set.of.IsUnknown() || slices.ContainsFunc(set.of.Elements(), attr.Value.IsUnknown) || m.ClusterNameRegex.IsUnknown() {
			return s, false
		}
		for _, element := range set.of.Elements() {
			id, _ := element.(types.String)
			*set.to = append(*set.to, strings.ToLower(id.ValueString())) // as Ops Manager returns it
		}
		slices.Sort(*set.to)
		*set.to = slices.Compact(*set.to) // the set may have an ID in two spellings
	}
	if !m.ClusterIDs.IsNull() && s.ClusterIDs == nil { // selects none
		s.ClusterIDs = []string{}
	}
	expression, err := regexp.Compile(m.ClusterNameRegex.ValueString())
	s.name = expression
	return s, err == nil
}

// selects reports whether a whole cluster is selected.
func (s selection) selects(projectID, clusterID, name string) bool {
	has := func(ids []string, id string) bool { return slices.Contains(ids, strings.ToLower(id)) }
	return has(s.Projects, projectID) && !has(s.Excluded, clusterID) && (s.ClusterIDs == nil || has(s.ClusterIDs, clusterID)) && s.name.MatchString(name)
}

// skips reports whether a policy selects a cluster that has no schedule.
func (m snapshotPolicyModel) skips(clusterID string) bool {
	return m.Skipped.Elements()[clusterID] != nil
}

// selectsLike reports whether the selection of a policy is that of its state.
func (m snapshotPolicyModel) selectsLike(state snapshotPolicyModel) bool {
	return m.ProjectIDs.Equal(state.ProjectIDs) && m.ClusterIDs.Equal(state.ClusterIDs) &&
		m.ClusterNameRegex.Equal(state.ClusterNameRegex) && m.ExcludedClusterIDs.Equal(state.ExcludedClusterIDs)
}

// line returns the text of a cluster in two versions of its schedule: its name, the values of the fields
// that the policy sets for it, and the values before of those that change.
func (m member) line(policy snapshotPolicyModel, before, after schedule) string {
	if m.Skipped != "" {
		return m.Name + ": " + m.Skipped
	}
	configured := m.configuration(policy.Schedule.Attributes()).Values
	set := scheduleOf(configured)
	changed := set
	if policy.raises() {
		changed = withoutKept(set, after, after)
	}
	var parts []string
	for _, s := range []*schedule{&before, &after} {
		setTime(s, timeOf(*s).at(offsetOf(configured)))
	}
	for _, f := range scheduleFields {
		was, is := cmp.Or(fieldText(f, before), tfmodel.NotReturned), cmp.Or(fieldText(f, after), tfmodel.NotReturned)
		isTakenAlong := f.Attribute == recentRetentionDays && !isSet(configured, f.Attribute)
		switch {
		case isTakenAlong && was == tfmodel.NotReturned && is != was:
			parts = append(parts, fmt.Sprintf("%s at most %s (was %s)", f.Attribute, is, was))
		case was != is:
			parts = append(parts, fmt.Sprintf("%s %s (was %s)", f.Attribute, is, was))
		case is != tfmodel.NotReturned && !f.IsMissing(set) && f.IsMissing(changed):
			parts = append(parts, fmt.Sprintf("%s %s (kept, more than %s)", f.Attribute, is, configured[f.Attribute]))
		case isSet(configured, f.Attribute):
			parts = append(parts, f.Attribute+" "+is)
		}
	}
	if len(parts) == 0 {
		parts = []string{"no field of the policy applies"}
	}
	return m.Name + ": " + strings.Join(parts, ", ")
}
