package schedules

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type snapshotScheduleDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*snapshotScheduleDataSource)(nil)

// NewSnapshotScheduleDataSource returns the data source opsmanager_snapshot_schedule.
func NewSnapshotScheduleDataSource() datasource.DataSource { return &snapshotScheduleDataSource{} }

func (d *snapshotScheduleDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_snapshot_schedule"
}

func (d *snapshotScheduleDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the live snapshot schedule of one cluster, and changes nothing.\n\n" +
			"The time of day is shown as Ops Manager stores it, which is UTC. What the service leaves out is null.",
		Attributes: map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("Id of the replica set, or of the whole sharded cluster, never of one shard"),

			"snapshot_interval_hours":           tfmodel.ComputedInt64("Hours between snapshots."),
			"snapshot_retention_days":           tfmodel.ComputedInt64("Days that recent snapshots are kept."),
			"daily_snapshot_retention_days":     tfmodel.ComputedInt64("Days that daily snapshots are kept; `0` where none are."),
			"weekly_snapshot_retention_weeks":   tfmodel.ComputedInt64("Weeks that weekly snapshots are kept; `0` where none are."),
			"monthly_snapshot_retention_months": tfmodel.ComputedInt64("Months that monthly snapshots are kept; `0` where none are."),
			"point_in_time_window_hours":        tfmodel.ComputedInt64("Hours in the past for which a point in time can be restored."),
			"cluster_checkpoint_interval_min":   tfmodel.ComputedInt64("Minutes between checkpoints of a sharded cluster. Null where Ops Manager has none, as for replica sets."),
			"reference_hour_of_day":             tfmodel.ComputedInt64("Hour of the day at which snapshots are scheduled, `0` to `23`, at `reference_time_zone_offset`."),
			"reference_minute_of_hour":          tfmodel.ComputedInt64("Minute of the hour at which snapshots are scheduled, `0` to `59`."),
			"reference_time_zone_offset":        tfmodel.ComputedString("ISO 8601 offset from UTC of the hour and the minute; Ops Manager stores `+0000`."),
			"full_incremental_day_of_week":      tfmodel.ComputedString("Day of the week on which a full snapshot is taken: `SUNDAY`, `MONDAY`, and so on."),
			"links":                             tfmodel.LinksAttribute("the schedule"),
		},
	}
}

func (d *snapshotScheduleDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to Read Snapshot Schedule"
	var data snapshotScheduleDataModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	shown, err := d.Client.SnapshotSchedule(ctx, data.ProjectID.ValueString(), data.ClusterID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
		return
	}
	data.fromAPI(*shown)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}

// snapshotScheduleDataModel is a schedule as the service shows it.
type snapshotScheduleDataModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`

	SnapshotIntervalHours          types.Int64  `tfsdk:"snapshot_interval_hours"`
	SnapshotRetentionDays          types.Int64  `tfsdk:"snapshot_retention_days"`
	DailySnapshotRetentionDays     types.Int64  `tfsdk:"daily_snapshot_retention_days"`
	WeeklySnapshotRetentionWeeks   types.Int64  `tfsdk:"weekly_snapshot_retention_weeks"`
	MonthlySnapshotRetentionMonths types.Int64  `tfsdk:"monthly_snapshot_retention_months"`
	PointInTimeWindowHours         types.Int64  `tfsdk:"point_in_time_window_hours"`
	ClusterCheckpointIntervalMin   types.Int64  `tfsdk:"cluster_checkpoint_interval_min"`
	ReferenceHourOfDay             types.Int64  `tfsdk:"reference_hour_of_day"`
	ReferenceMinuteOfHour          types.Int64  `tfsdk:"reference_minute_of_hour"`
	ReferenceTimeZoneOffset        types.String `tfsdk:"reference_time_zone_offset"`
	FullIncrementalDayOfWeek       types.String `tfsdk:"full_incremental_day_of_week"`
	Links                          types.List   `tfsdk:"links"`
}

func (m *snapshotScheduleDataModel) fromAPI(s opsmanager.SnapshotSchedule) {
	m.SnapshotIntervalHours = types.Int64PointerValue(s.SnapshotIntervalHours)
	m.SnapshotRetentionDays = types.Int64PointerValue(s.SnapshotRetentionDays)
	m.DailySnapshotRetentionDays = types.Int64PointerValue(s.DailySnapshotRetentionDays)
	m.WeeklySnapshotRetentionWeeks = types.Int64PointerValue(s.WeeklySnapshotRetentionWeeks)
	m.MonthlySnapshotRetentionMonths = types.Int64PointerValue(s.MonthlySnapshotRetentionMonths)
	m.PointInTimeWindowHours = types.Int64PointerValue(s.PointInTimeWindowHours)
	m.ClusterCheckpointIntervalMin = types.Int64PointerValue(s.ClusterCheckpointIntervalMin)
	if m.ClusterCheckpointIntervalMin.ValueInt64() == 0 {
		m.ClusterCheckpointIntervalMin = types.Int64Null() // the service's way to say 'none'
	}
	m.ReferenceHourOfDay = types.Int64PointerValue(s.ReferenceHourOfDay)
	m.ReferenceMinuteOfHour = types.Int64PointerValue(s.ReferenceMinuteOfHour)
	m.ReferenceTimeZoneOffset = types.StringPointerValue(s.ReferenceTimeZoneOffset)
	m.FullIncrementalDayOfWeek = types.StringPointerValue(s.FullIncrementalDayOfWeek)
	m.Links = tfmodel.LinksFromAPI(s.Links)
}
