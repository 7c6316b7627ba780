package restores

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// NewRestorableTimeRangesDataSource returns the data source opsmanager_restorable_time_ranges.
var NewRestorableTimeRangesDataSource = datasources.List[opsmanager.RestorableTimeRange]{
	Name: "restorable_time_ranges", Title: "Restorable Time Ranges",
	Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the ranges of time that a cluster can be restored to.\n\nEvery point in a range can be restored.\n\n" +
		"-> Requires a recent Ops Manager (8.0.6 is the first whose release notes mention ranges), and the role `Project Backup Admin`, `Global Backup Admin` or `Global Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster"),
	},
	Results: "The ranges, sorted from the earliest to the latest. Empty if no point in time can be restored.",
	Items: datasources.Columns[opsmanager.RestorableTimeRange]{
		datasources.Nested("start", "Earliest oplog entry of the range. Its `date` can be a `point_in_time`.", datasources.Timestamp, func(r opsmanager.RestorableTimeRange) *opsmanager.Timestamp { return r.Start }),
		datasources.Nested("end", "Latest oplog entry of the range. Its `date` can be a `point_in_time`.", datasources.Timestamp, func(r opsmanager.RestorableTimeRange) *opsmanager.Timestamp { return r.End }),
		datasources.String("snapshot_id", "ID of the snapshot that a restore starts from.", func(r opsmanager.RestorableTimeRange) *string { return r.SnapshotID }),
		datasources.Int64("shard_count", "Number of shards. Null for a replica set.", func(r opsmanager.RestorableTimeRange) *int64 { return r.ShardCount }),
		datasources.String("config_server_type", "Type of the config servers of a sharded cluster, such as `DEDICATED`. Null for a replica set.", func(r opsmanager.RestorableTimeRange) *string { return r.ConfigServerType }),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.RestorableTimeRange], error) {
		ranges, err := client.RestorableTimeRanges(ctx, config.Text("project_id"), config.Text("cluster_id"))
		return &opsmanager.List[opsmanager.RestorableTimeRange]{Results: ranges}, err
	},
}.Constructor()
