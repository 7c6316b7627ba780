package schedules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// plannedSchedule is what the resources of a run do with the schedule of a cluster.
type plannedSchedule struct {
	set       []string // the attributes that they set
	isGuarded bool     // one of them guards it, in its configuration or in its state
	lost      []loss   // what they lose
}

// scheduleRegistry holds what the resources of a plan do with each schedule, by project and cluster.
var scheduleRegistry connection.Shared[connection.Registry[string, plannedSchedule]]

func scheduleKey(projectID, clusterID string) string {
	return strings.ToLower(projectID + "/" + clusterID)
}

// guard records what a plan loses, and whether its resource guards the schedule, and reports whether any
// resource of the run does. So a new address for the same cluster does not leave the guard. It adds errors
// for what other resources lose, unless diags is nil.
func guard(data *connection.Data, schedule snapshotScheduleModel, isGuarded bool, lost []loss, diags *diag.Diagnostics) bool {
	before := scheduleRegistry.Of(data).Plan(scheduleKey(schedule.ProjectID.ValueString(), schedule.ClusterID.ValueString()), func(p *plannedSchedule) {
		p.isGuarded, p.lost = p.isGuarded || isGuarded, slices.Concat(p.lost, lost)
	})
	if isGuarded && diags != nil {
		refuse(schedule, before.lost, diags)
	}
	return isGuarded || before.isGuarded
}

// isGuarded reports whether a resource guards its schedule. The value in the state counts: a guard that is
// turned off is gone with the next plan.
func isGuarded(data *connection.Data, configured, state types.Bool) bool {
	return data != nil && data.RetentionProtection || configured.ValueBool() || state.ValueBool()
}

// register records that a resource of a plan manages the schedule of a cluster. It warns if another
// one sets the same attributes.
func register(data *connection.Data, configured snapshotScheduleModel, diags *diag.Diagnostics) {
	if configured.ProjectID.IsUnknown() || configured.ClusterID.IsUnknown() {
		return
	}
	cluster, mine := configured.ClusterID.ValueString(), configuredAttributes(configured.Values)
	before := scheduleRegistry.Of(data).Plan(scheduleKey(configured.ProjectID.ValueString(), cluster), func(p *plannedSchedule) {
		p.set = slices.Concat(p.set, mine)
	}).set
	both := slices.DeleteFunc(mine, func(attribute string) bool { return !slices.Contains(before, attribute) })
	if len(both) > 0 {
		diags.AddWarning(fmt.Sprintf("Snapshot Schedule of Cluster %s Set Twice", cluster),
			fmt.Sprintf("Another resource of this configuration sets the same attributes of cluster %s: %s. With different values, each apply undoes a part of the last one. Set them in one resource only.",
				cluster, strings.Join(both, ", ")))
	}
}

// startApply forgets the plan, because it is being applied.
func startApply(data *connection.Data) { scheduleRegistry.Of(data).StartApply() }

// configuredAttributes returns the configured attributes. Those of the time of day are one.
func configuredAttributes(configured tfmodel.Values) (set []string) {
	for _, f := range scheduleFields {
		switch {
		case !isSet(configured, f.Attribute):
		case isTime(f.Attribute):
			set = append(set, hourOfDay)
		default:
			set = append(set, f.Attribute)
		}
	}
	return slices.Compact(set)
}
