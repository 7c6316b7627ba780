package schedules

import (
	"context"

	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewSnapshotScheduleDataSource returns the data source opsmanager_snapshot_schedule.
var NewSnapshotScheduleDataSource = sources.DataSource{
	Name:    "snapshot_schedule",
	Summary: readWording.summary,
	Codes:   []tf.Codes{projects.Codes, projects.ClusterCodes, Codes},
	Schema: datasourceschema.Schema{
		MarkdownDescription: "Reads the current snapshot schedule of one cluster. The time of day is in UTC, as Ops Manager stores it.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: sources.Merge(liveColumns.Attributes(), map[string]datasourceschema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster, not of a shard"),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config, _ *diag.Diagnostics) (tf.Values, error) {
		s, err := projects.SnapshotSchedule(ctx, &connection.Data{Client: client}, config.Text("project_id"), config.Text("cluster_id"))
		if err != nil {
			return nil, err
		}
		return liveColumns.Values(*s), nil
	},
}.Constructor()

// Object is a schedule as Ops Manager returns it, without its IDs.
var Object = sources.ObjectOf(liveColumns...)

var liveColumns = func() sources.Columns[schedule] {
	texts := map[string]string{zoneOffset: offsetText + " Ops Manager stores `+0000`.", fullSnapshotDay: dayText}
	for _, f := range numberFields {
		texts[f.attribute] = f.is
	}
	return sources.Of(sources.Fields(scheduleFields, texts), withNull)
}()

// NewSnapshotScheduleList returns the list resource opsmanager_snapshot_schedule.
var NewSnapshotScheduleList = sources.ListResource[projects.Backup]{
	Name:  "snapshot_schedule",
	Title: "Snapshot Schedules",
	Codes: []tf.Codes{projects.Codes},
	Description: "Lists the snapshot schedules of a project, sorted by cluster name.\n\n" +
		"`include_resource = true` reads each schedule. A schedule that can't be read is left out with a warning.",
	Requires:   "the role `Project Read Only`",
	Attributes: map[string]listschema.Attribute{"project_id": sources.QueryID("ID of the project")},
	Read:       projects.ListBackups,
	Object: projects.ListedBackup(func(ctx context.Context, q sources.Query, b projects.Backup) sources.Listed {
		if tf.Text(b.Config.StatusName) == opsmanager.StatusInactive {
			return sources.LeftOut(b.Label(), "The backup has ended, or was never started, so there is no schedule.")
		}
		listed := snapshotScheduleModel{
			ClusterIdentity: projects.ClusterIdentityOf(q.ID("project_id"), *b.Cluster.ID),
			Overwrites:      types.ObjectNull(overwritesTypes),
		}
		if q.IncludesResource {
			live, err := clusterOf(q.Data, listed.ClusterIdentity).read(ctx)
			if err != nil { // an error would end the query because of one cluster
				return sources.LeftOut(b.Label(), tf.Explain(err, projects.ClusterCodes, Codes, tf.MissingForRead))
			}
			listed = listed.refreshed(*live)
		}
		return sources.Listed{
			Name:     *b.Cluster.NameOrID(),
			Identity: tf.ValuesOf(listed.ClusterIdentity),
			Resource: tf.ValuesOf(listed),
		}
	}),
	AtOnce: 8,
}.Constructor()
