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

func (c *scheduleChange) key() string { return strings.ToLower(c.projectID + "/" + c.clusterID) }

// guard records what a change loses, and whether its resource protects the schedule, and sets whether any
// resource of the run does. So a new address for the same cluster does not leave the guard. It adds errors
// for what other resources lose, unless diags is nil.
func (c *scheduleChange) guard(data *connection.Data, protects bool, diags *diag.Diagnostics) {
	lost := c.losses()
	before := scheduleRegistry.Of(data).Plan(c.key(), func(p *plannedSchedule) {
		p.isGuarded, p.lost = p.isGuarded || protects, slices.Concat(p.lost, lost)
	})
	if protects && diags != nil {
		refuse(c.clusterID, before.lost, diags)
	}
	c.isGuarded = protects || before.isGuarded
}

// isGuarded reports whether a resource guards its schedule. The value in the state counts: a guard that is
// turned off is gone with the next plan.
func isGuarded(data *connection.Data, configured, state types.Bool) bool {
	return data != nil && data.RetentionProtection || configured.ValueBool() || state.ValueBool()
}

// protect records whether a resource protects its schedule in its state.
func (m snapshotScheduleModel) protect(data *connection.Data, diags *diag.Diagnostics) {
	c := scheduleChange{projectID: m.ProjectID.ValueString(), clusterID: m.ClusterID.ValueString()}
	c.guard(data, isGuarded(data, types.BoolNull(), m.RetentionProtection), diags)
}

// register records that a resource of a plan manages the schedule of a cluster. If another one sets the
// same attributes, that is an error: each would overwrite what the plan of the other one saw.
func (c *scheduleChange) register(data *connection.Data, diags *diag.Diagnostics) {
	if c.projectID == "" || c.clusterID == "" { // not known yet
		return
	}
	mine := configuredAttributes(c.configured)
	before := scheduleRegistry.Of(data).Plan(c.key(), func(p *plannedSchedule) {
		p.set = slices.Concat(p.set, mine)
	}).set
	both := slices.DeleteFunc(mine, func(attribute string) bool { return !slices.Contains(before, attribute) })
	if len(both) > 0 {
		diags.AddError(fmt.Sprintf("Snapshot Schedule of Cluster %s Set Twice", c.clusterID),
			fmt.Sprintf("Another resource of this configuration sets the same attributes of cluster %s: %s. Set them in one resource only.",
				c.clusterID, strings.Join(both, ", ")))
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
