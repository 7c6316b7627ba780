package schedules

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
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

	PreventFewerRecoveryPoints types.Bool  `tfsdk:"prevent_fewer_recovery_points"`
	Concurrency                types.Int64 `tfsdk:"concurrency"`

	Clusters types.Map `tfsdk:"clusters"`
	Skipped  types.Map `tfsdk:"skipped"`
}

// schedule returns the fields that the policy sets.
func (m snapshotPolicyModel) schedule() (scheduleFields, diag.Diagnostics) {
	var fields scheduleFields
	return fields, tfmodel.ReadObject(m.Schedule, path.Root("schedule"), &fields)
}

// baseline returns the values that the policy applies.
func (m snapshotPolicyModel) baseline() baseline {
	var applied snapshotScheduleModel
	applied.scheduleFields, _ = m.schedule()
	return baselineOf(applied, applied, baseline{})
}

// readBaseline returns the values that were last applied to all clusters.
func readBaseline(ctx context.Context, private tfmodel.PrivateState, state snapshotPolicyModel, diags *diag.Diagnostics) baseline {
	var applied baseline
	tfmodel.ReadPrivate(ctx, private, baselineKey, &applied, diags)
	if !applied.known() {
		return state.baseline()
	}
	return applied
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
	id := strings.ToLower(*cluster.ID)
	_, excluded := slices.BinarySearch(s.Excluded, id)
	_, listed := slices.BinarySearch(s.ClusterIDs, id)
	return !excluded && (listed || s.ClusterIDs == nil) && s.name.MatchString(*cluster.NameOrID())
}

// selectsLike reports whether two policies have the same known selection. The other one is
// nil if there is none.
func (m snapshotPolicyModel) selectsLike(other *snapshotPolicyModel) bool {
	if other == nil {
		return false
	}
	_, known := m.selection()
	_, otherKnown := other.selection()
	return known && otherKnown && m.selectionKey() == other.selectionKey()
}

// withSpellings returns a policy whose IDs are spelled as in another policy, if they are the
// same IDs.
func (m snapshotPolicyModel) withSpellings(of snapshotPolicyModel) snapshotPolicyModel {
	for _, set := range []struct{ mine, theirs *types.Set }{
		{&m.ProjectIDs, &of.ProjectIDs}, {&m.ClusterIDs, &of.ClusterIDs}, {&m.ExcludedClusterIDs, &of.ExcludedClusterIDs},
	} {
		one, other := snapshotPolicyModel{ProjectIDs: *set.mine}, snapshotPolicyModel{ProjectIDs: *set.theirs}
		if !set.mine.IsNull() && !set.theirs.IsNull() && one.selectsLike(&other) {
			*set.mine = *set.theirs
		}
	}
	return m
}

// line returns the text of a cluster: its name, and the values of the fields that the policy
// sets for it. The unread ones are not returned by Ops Manager.
func (m member) line(config snapshotScheduleModel, values opsmanager.SnapshotSchedule, unread []string) string {
	var parts []string
	add := func(attribute, value string) { parts = append(parts, attribute+" "+value) }
	addInteger := func(attribute string, configured types.Int64, value *int64) {
		switch {
		case configured.IsNull():
		case value == nil || slices.Contains(unread, attribute):
			add(attribute, "not returned")
		default:
			add(attribute, strconv.FormatInt(*value, 10))
		}
	}
	for _, f := range integerFields {
		addInteger(f.attribute, *f.model(&config), *f.api(&values))
	}
	time := timeAt(values, tfmodel.StringPointer(config.ReferenceTimeZoneOffset))
	addInteger("reference_hour_of_day", config.ReferenceHourOfDay, time.hour)
	addInteger("reference_minute_of_hour", config.ReferenceMinuteOfHour, time.minute)
	if !config.ReferenceTimeZoneOffset.IsNull() {
		add("reference_time_zone_offset", config.ReferenceTimeZoneOffset.ValueString())
	}
	switch day := values.FullIncrementalDayOfWeek; {
	case config.FullIncrementalDayOfWeek.IsNull():
	case day == nil:
		add("full_incremental_day_of_week", "not returned")
	default:
		add("full_incremental_day_of_week", opsmanager.Sanitize(*day))
	}
	if len(parts) == 0 {
		parts = []string{"no field of the policy applies"}
	}
	return m.Name + ": " + strings.Join(parts, ", ")
}

// storedSchedule has the values of a schedule in the private state. Its JSON is short,
// because a policy can have thousands of clusters.
type storedSchedule struct {
	Integers []*int64 `json:"q"` // in the order of integerFields
	Hour     *int64   `json:"h"` // in UTC
	Minute   *int64   `json:"m"`
	Day      *string  `json:"d"`
}

func stored(s opsmanager.SnapshotSchedule) storedSchedule {
	time := apiTime(s).utc()
	to := storedSchedule{Hour: time.hour, Minute: time.minute, Day: s.FullIncrementalDayOfWeek}
	for _, f := range integerFields {
		to.Integers = append(to.Integers, *f.api(&s))
	}
	return to
}

func (from storedSchedule) schedule() opsmanager.SnapshotSchedule {
	s := opsmanager.SnapshotSchedule{ReferenceHourOfDay: from.Hour, ReferenceMinuteOfHour: from.Minute, FullIncrementalDayOfWeek: from.Day}
	if len(from.Integers) == len(integerFields) {
		for i, f := range integerFields {
			*f.api(&s) = from.Integers[i]
		}
	}
	return s
}
