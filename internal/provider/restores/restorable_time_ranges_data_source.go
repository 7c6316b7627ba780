package restores

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// NewRestorableTimeRangesDataSource returns the data source opsmanager_restorable_time_ranges.
var NewRestorableTimeRangesDataSource = datasources.List[opsmanager.RestorableTimeRange]{
	Name: "restorable_time_ranges", Title: "Restorable Time Ranges",
	Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the ranges of time that a cluster can be restored to. A range has no gap in the oplog, so every point in time in it can be restored.\n\n" +
		"-> Requires a recent version of Ops Manager: 8.0.6 is the first whose release notes mention ranges. Requires the role `Project Backup Admin`, `Global Backup Admin` or `Global Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster"),
	},
	Results: "The ranges, sorted from the earliest to the latest. Empty if no point in time can be restored.",
	Items: datasources.NewObject(map[string]schema.Attribute{
		"start":              datasources.Timestamp.Attribute("Earliest oplog entry of the range. Its `date` can be a `point_in_time` of `opsmanager_restore_job`."),
		"end":                datasources.Timestamp.Attribute("Latest oplog entry of the range, which can also be restored. Its `date` can be a `point_in_time`."),
		"snapshot_id":        datasources.String("ID of the snapshot that a restore starts from."),
		"shard_count":        datasources.Int64("Number of shards. Null for a replica set."),
		"config_server_type": datasources.String("Type of the config servers of a sharded cluster, such as `DEDICATED`. Null for a replica set."),
	}, func(r opsmanager.RestorableTimeRange) map[string]attr.Value {
		return map[string]attr.Value{
			"start":              datasources.Timestamp.Value(r.Start),
			"end":                datasources.Timestamp.Value(r.End),
			"snapshot_id":        types.StringPointerValue(r.SnapshotID),
			"shard_count":        types.Int64PointerValue(r.ShardCount),
			"config_server_type": types.StringPointerValue(r.ConfigServerType),
		}
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.RestorableTimeRange], error) {
		ranges, err := client.RestorableTimeRanges(ctx, config.String("project_id").ValueString(), config.String("cluster_id").ValueString())
		return &opsmanager.List[opsmanager.RestorableTimeRange]{Results: ranges}, err
	},
}.Constructor()
