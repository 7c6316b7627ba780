package schedules

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotPolicyModel is a policy in a configuration, a plan or a state.
type snapshotPolicyModel struct {
	ProjectIDs         types.Set    `tfsdk:"project_ids"`
	ClusterIDs         types.Set    `tfsdk:"cluster_ids"`
	ClusterNameRegex   types.String `tfsdk:"cluster_name_regex"`
	ExcludedClusterIDs types.Set    `tfsdk:"excluded_cluster_ids"`

	Schedule types.Object `tfsdk:"schedule"`

	RetentionProtection types.Bool  `tfsdk:"retention_protection"`
	Concurrency         types.Int64 `tfsdk:"concurrency"`

	Clusters types.Map `tfsdk:"clusters"`
	Skipped  types.Map `tfsdk:"skipped"`
}

// schedule returns the values that the policy sets.
func (m snapshotPolicyModel) schedule() (tfmodel.Values, diag.Diagnostics) {
	return tfmodel.ReadObject(m.Schedule, path.Root("schedule"))
}

// knowsSchedule reports whether all fields of the schedule are known.
func (m snapshotPolicyModel) knowsSchedule() bool {
	for _, value := range m.Schedule.Attributes() {
		if value.IsUnknown() {
			return false
		}
	}
	return true
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
	Name       string   // a regular expression
	Excluded   []string // sorted

	name *regexp.Regexp
}

// selection returns the selection of a policy, and false if it is not known yet.
func (m snapshotPolicyModel) selection() (s selection, known bool) {
	for _, set := range []struct {
		of types.Set
		to *[]string
	}{{m.ProjectIDs, &s.Projects}, {m.ClusterIDs, &s.ClusterIDs}, {m.ExcludedClusterIDs, &s.Excluded}} {
		if set.of.IsUnknown() {
			return s, false
		}
		if set.of.IsNull() {
			continue
		}
		*set.to = []string{}
		for _, element := range set.of.Elements() {
			id, ok := element.(types.String)
			if !ok || id.IsUnknown() {
				return s, false
			}
			*set.to = append(*set.to, strings.ToLower(id.ValueString())) // as Ops Manager returns it
		}
		slices.Sort(*set.to)
		*set.to = slices.Compact(*set.to) // the set may have an ID in two spellings
	}
	if m.ClusterNameRegex.IsUnknown() {
		return s, false
	}
	s.Name = m.ClusterNameRegex.ValueString()
	expression, err := regexp.Compile(s.Name)
	s.name = expression
	return s, err == nil
}

// selectionKey identifies the known selection of a policy.
func (m snapshotPolicyModel) selectionKey() string {
	s, _ := m.selection()
	document, _ := json.Marshal(s) // strings can always be encoded
	return string(document)
}

// selects reports whether a whole cluster of the projects is selected.
func (s selection) selects(cluster opsmanager.Cluster) bool {
	return s.selectsID(*cluster.ID) && s.name.MatchString(*cluster.NameOrID())
}

func (s selection) selectsID(clusterID string) bool {
	id := strings.ToLower(clusterID)
	_, excluded := slices.BinarySearch(s.Excluded, id)
	_, listed := slices.BinarySearch(s.ClusterIDs, id)
	return !excluded && (listed || s.ClusterIDs == nil)
}

// isPartOf reports whether each cluster that is selected is selected by another selection, too.
func (s selection) isPartOf(other selection) bool {
	return s.Name == other.Name && isSubset(s.Projects, other.Projects) && isSubset(other.Excluded, s.Excluded) &&
		(other.ClusterIDs == nil || s.ClusterIDs != nil && isSubset(s.ClusterIDs, other.ClusterIDs))
}

// isSubset reports whether a sorted list has all of some IDs.
func isSubset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(id string) bool {
		_, found := slices.BinarySearch(all, id)
		return !found
	})
}

// selectsLike reports whether two policies have the same known selection.
func (m snapshotPolicyModel) selectsLike(other snapshotPolicyModel) bool {
	return m.selectsPartOf(&other) && other.selectsPartOf(&m)
}

// selectsPartOf reports whether two selections are known, and the policy selects no cluster that the other
// one doesn't select. The other one is nil if there is none.
func (m snapshotPolicyModel) selectsPartOf(other *snapshotPolicyModel) bool {
	if other == nil {
		return false
	}
	mine, known := m.selection()
	theirs, otherKnown := other.selection()
	return known && otherKnown && mine.isPartOf(theirs)
}

// withSpellings returns a policy whose IDs are spelled as in another policy, if they are the
// same IDs.
func (m snapshotPolicyModel) withSpellings(of snapshotPolicyModel) snapshotPolicyModel {
	for _, set := range []struct{ mine, theirs *types.Set }{
		{&m.ProjectIDs, &of.ProjectIDs}, {&m.ClusterIDs, &of.ClusterIDs}, {&m.ExcludedClusterIDs, &of.ExcludedClusterIDs},
	} {
		one, other := snapshotPolicyModel{ProjectIDs: *set.mine}, snapshotPolicyModel{ProjectIDs: *set.theirs}
		if !set.mine.IsNull() && !set.theirs.IsNull() && one.selectsLike(other) {
			*set.mine = *set.theirs
		}
	}
	return m
}

// line returns the text of a cluster: its name, and the values of the fields that the policy
// sets for it. The unread ones are not returned by Ops Manager.
func (m member) line(configured tfmodel.Values, schedule opsmanager.SnapshotSchedule, unread []string) string {
	setTime(&schedule, timeOf(schedule).at(offsetOf(configured)))
	var parts []string
	for _, f := range scheduleFields {
		if !isSet(configured, f.Attribute) {
			continue
		}
		value := f.Literal(&schedule)
		switch {
		case value == nil || slices.Contains(unread, f.Attribute):
			value = new("not returned")
		case f.Attribute == fullSnapshotDay:
			*value = opsmanager.Sanitize(*value)
		}
		parts = append(parts, f.Attribute+" "+*value)
	}
	if len(parts) == 0 {
		parts = []string{"no field of the policy applies"}
	}
	return m.Name + ": " + strings.Join(parts, ", ")
}
