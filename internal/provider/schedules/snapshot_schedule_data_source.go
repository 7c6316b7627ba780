package schedules

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// NewSnapshotScheduleDataSource returns the data source opsmanager_snapshot_schedule.
var NewSnapshotScheduleDataSource = datasources.DataSource{
	Name: "snapshot_schedule", Summary: "Unable to Read Snapshot Schedule", Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes, Codes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the current snapshot schedule of one cluster. The time of day is in UTC, as Ops Manager stores it.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: datasources.Merge(liveColumns.Attributes(), map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster, not of a shard"),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config, _ *diag.Diagnostics) (map[string]attr.Value, error) {
		s, err := read(ctx, &connection.Data{Client: client}, config.Text("project_id"), config.Text("cluster_id"))
		if err != nil {
			return nil, err
		}
		return liveColumns.Values(*s), nil
	},
}.Constructor()

// Object is a schedule as Ops Manager returns it, without its IDs.
var Object = datasources.ObjectOf(liveColumns...)

var liveColumns = func() datasources.Columns[opsmanager.SnapshotSchedule] {
	texts := map[string]string{zoneOffset: offsetText + " Ops Manager stores `+0000`.", fullSnapshotDay: dayText}
	for _, f := range numberFields {
		texts[f.attribute] = f.is
	}
	return datasources.Of(datasources.Fields(scheduleFields, texts), func(s opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
		if hasNoCheckpoints(s) {
			s.ClusterCheckpointIntervalMin = nil
		}
		return s
	})
}()
