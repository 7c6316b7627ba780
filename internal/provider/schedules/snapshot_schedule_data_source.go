package schedules

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewSnapshotScheduleDataSource returns the data source opsmanager_snapshot_schedule.
var NewSnapshotScheduleDataSource = datasources.DataSource{
	Name: "snapshot_schedule", Summary: "Unable to Read Snapshot Schedule", Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes, Codes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the current snapshot schedule of one cluster. The time of day is in UTC, as Ops Manager stores it.\n\n" +
			"-> Requires the role `Project Read Only`.\n\n" +
			"Values that Ops Manager does not return are null.",
		Attributes: datasources.Merge(liveAttributes, map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster, not of a shard"),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config, _ *diag.Diagnostics) (map[string]attr.Value, error) {
		s, err := client.SnapshotSchedule(ctx, config.String("project_id").ValueString(), config.String("cluster_id").ValueString())
		if err != nil {
			return nil, err
		}
		return liveValues(*s), nil
	},
}.Constructor()

// Object is a schedule as Ops Manager returns it, without its IDs.
var Object = datasources.NewObject(liveAttributes, liveValues)

var liveAttributes = func() map[string]schema.Attribute {
	all := map[string]schema.Attribute{zoneOffset: datasources.String(offsetText + " Ops Manager stores `+0000`."), fullSnapshotDay: datasources.String(dayText)}
	for _, f := range numberFields {
		all[f.attribute] = datasources.Int64(f.is)
	}
	return all
}()

func liveValues(s opsmanager.SnapshotSchedule) map[string]attr.Value {
	values := scheduleFields.FromAPI(tfmodel.Values{}, s)
	if hasNoCheckpoints(s) {
		values[checkpointInterval] = types.Int64Null()
	}
	return values
}
