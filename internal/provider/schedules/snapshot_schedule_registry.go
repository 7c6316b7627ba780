package schedules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// scheduleRegistry holds the attributes that the resources of a plan set for each cluster, by
// project and cluster.
var scheduleRegistry connection.Shared[connection.Registry[string, []string]]

// register records that a resource of a plan manages the schedule of a cluster. It warns if another
// one sets the same attributes.
func register(data *connection.Data, configured snapshotScheduleModel, diags *diag.Diagnostics) {
	if configured.ProjectID.IsUnknown() || configured.ClusterID.IsUnknown() {
		return
	}
	cluster, mine := configured.ClusterID.ValueString(), configuredAttributes(configured.Values)
	before := scheduleRegistry.Of(data).Plan(strings.ToLower(configured.ProjectID.ValueString()+"/"+cluster), func(set *[]string) {
		*set = append(slices.Clip(*set), mine...)
	})
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
