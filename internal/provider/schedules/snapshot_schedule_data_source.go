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

var liveAttributes = map[string]schema.Attribute{
	"snapshot_interval_hours":           datasources.Int64(fieldTexts["snapshot_interval_hours"]),
	"snapshot_retention_days":           datasources.Int64(fieldTexts["snapshot_retention_days"]),
	"daily_snapshot_retention_days":     datasources.Int64(fieldTexts["daily_snapshot_retention_days"]),
	"weekly_snapshot_retention_weeks":   datasources.Int64(fieldTexts["weekly_snapshot_retention_weeks"]),
	"monthly_snapshot_retention_months": datasources.Int64(fieldTexts["monthly_snapshot_retention_months"]),
	"point_in_time_window_hours":        datasources.Int64(fieldTexts["point_in_time_window_hours"]),
	"cluster_checkpoint_interval_min":   datasources.Int64(fieldTexts["cluster_checkpoint_interval_min"] + " Null if there are none, as for replica sets."),
	"reference_hour_of_day":             datasources.Int64(fieldTexts["reference_hour_of_day"]),
	"reference_minute_of_hour":          datasources.Int64(fieldTexts["reference_minute_of_hour"]),
	"reference_time_zone_offset":        datasources.String(fieldTexts["reference_time_zone_offset"] + " Ops Manager stores `+0000`."),
	"full_incremental_day_of_week":      datasources.String(fieldTexts["full_incremental_day_of_week"]),
}

func liveValues(s opsmanager.SnapshotSchedule) map[string]attr.Value {
	values := scheduleFields.FromAPI(tfmodel.Values{}, s)
	if hasNoCheckpoints(s) {
		values[checkpointInterval] = types.Int64Null()
	}
	return values
}
