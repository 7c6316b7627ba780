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
			"cluster_id": projects.ClusterIDAttribute("ID of the replica set or the whole sharded cluster, not of a shard"),
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
	"snapshot_interval_hours":           datasources.Int64("Hours between snapshots."),
	"snapshot_retention_days":           datasources.Int64("Days to keep recent snapshots."),
	"daily_snapshot_retention_days":     datasources.Int64("Days to keep daily snapshots. `0` means that none are kept."),
	"weekly_snapshot_retention_weeks":   datasources.Int64("Weeks to keep weekly snapshots. `0` means that none are kept."),
	"monthly_snapshot_retention_months": datasources.Int64("Months to keep monthly snapshots. `0` means that none are kept."),
	"point_in_time_window_hours":        datasources.Int64("Hours in the past to which a point-in-time restore can go back."),
	"cluster_checkpoint_interval_min":   datasources.Int64("Minutes between checkpoints of a sharded cluster. Null if there are none, as for replica sets."),
	"reference_hour_of_day":             datasources.Int64("Hour of the day at which snapshots are scheduled, `0` to `23`, at `reference_time_zone_offset`."),
	"reference_minute_of_hour":          datasources.Int64("Minute of the hour at which snapshots are scheduled, `0` to `59`."),
	"reference_time_zone_offset":        datasources.String("ISO 8601 offset of the hour and the minute from UTC. Ops Manager stores `+0000`."),
	"full_incremental_day_of_week":      datasources.String("Day of the week on which a full snapshot is taken: `SUNDAY`, `MONDAY`, and so on."),
}

func liveValues(s opsmanager.SnapshotSchedule) map[string]attr.Value {
	values := scheduleFields.FromAPI(tfmodel.Values{}, s)
	if interval := s.ClusterCheckpointIntervalMin; interval != nil && *interval == 0 {
		values[checkpointInterval] = types.Int64Null() // there are no checkpoints
	}
	return values
}
