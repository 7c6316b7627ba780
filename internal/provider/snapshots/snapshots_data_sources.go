// Package snapshots implements the data sources of snapshots, and the resource and the action that
// take a snapshot.
package snapshots

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// snapshotColumns are the attributes that snapshots of clusters and of mirrored config servers share.
var snapshotColumns = sources.Columns[opsmanager.Snapshot]{
	sources.String("id", "ID of the snapshot.", func(s opsmanager.Snapshot) *string { return s.ID }),
	sources.String("project_id", "ID of the project.", func(s opsmanager.Snapshot) *string { return s.GroupID }),
	sources.String("cluster_id", "ID of the cluster.", func(s opsmanager.Snapshot) *string { return s.ClusterID }),
	sources.String("cluster_name", "Name of the cluster.", func(s opsmanager.Snapshot) *string { return s.ClusterName }),
	sources.Bool("complete", "Whether the snapshot is complete. `false` while it is in progress.", func(s opsmanager.Snapshot) *bool { return s.Complete }),
	sources.Nested("created", "Time when the snapshot was taken.", sources.Timestamp,
		func(s opsmanager.Snapshot) *opsmanager.Timestamp { return s.Created }),
	sources.Bool("do_not_delete", "Whether the snapshot is held. If so, it does not expire. A termination of the backup deletes it nevertheless.", func(s opsmanager.Snapshot) *bool { return s.DoNotDelete }),
	sources.String("expires", "Time after which the snapshot may be deleted, ISO 8601 in UTC. Null if it does not expire.", func(s opsmanager.Snapshot) *string { return s.Expires }),
	sources.Nested("last_oplog_applied_timestamp", "Last oplog entry in the snapshot.", sources.Timestamp,
		func(s opsmanager.Snapshot) *opsmanager.Timestamp { return s.LastOplogAppliedTime }),
	sources.Nested("namespace_filter_list", "Databases and collections in the snapshot.", namespaceFilter, func(s opsmanager.Snapshot) *opsmanager.NamespaceFilter { return s.NamespaceFilterList }),
	sources.NestedList("parts", "Parts of the snapshot: one for each shard and one for the config servers, or one for a replica set.", snapshotPart, func(s opsmanager.Snapshot) []opsmanager.SnapshotPart { return s.Parts }),
}

var namespaceFilter = sources.ObjectOf(
	// The list is documented to default to an empty one.
	sources.Strings("filter_list", "Databases (`database`) and collections (`database.collection`).", func(f opsmanager.NamespaceFilter) []string { return append([]string{}, f.FilterList...) }),
	sources.String("filter_type", "`denyList` or null if the listed ones are excluded, `accessList` if only they are included. Other spellings exist, such as `blacklist`.", func(f opsmanager.NamespaceFilter) *string { return f.FilterType }),
)

var snapshotPart = sources.ObjectOf(
	sources.String("cluster_id", "ID of the cluster.", func(p opsmanager.SnapshotPart) *string { return p.ClusterID }),
	sources.String("completed_time", "Time when the part was completed, ISO 8601 in UTC.", func(p opsmanager.SnapshotPart) *string { return p.CompletedTime }),
	sources.String("compression_setting", "Compression, such as `GZIP`.", func(p opsmanager.SnapshotPart) *string {
		return p.CompressionSetting
	}),
	sources.Int64("data_size_bytes", "Size of the data in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.DataSizeBytes }),
	sources.Bool("encryption_enabled", "Whether the part is encrypted.", func(p opsmanager.SnapshotPart) *bool {
		return p.EncryptionEnabled
	}),
	sources.String("fcv", "Feature compatibility version.", func(p opsmanager.SnapshotPart) *string { return p.FCV }),
	sources.Int64("file_size_bytes", "Size of the data files in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.FileSizeBytes }),
	sources.String("host_id", "ID of the host of a mirrored config server.", func(p opsmanager.SnapshotPart) *string { return p.HostID }),
	sources.String("machine_id", "Host name and port of the process that the part is from.", func(p opsmanager.SnapshotPart) *string { return p.MachineID }),
	sources.String("master_key_uuid", "ID of the master key that encrypts the part.", func(p opsmanager.SnapshotPart) *string { return p.MasterKeyUUID }),
	sources.String("mongod_version", "Version of the database server.", func(p opsmanager.SnapshotPart) *string { return p.MongodVersion }),
	sources.String("replica_set_name", "Name of the replica set.", func(p opsmanager.SnapshotPart) *string { return p.ReplicaSetName }),
	sources.String("replica_state", "State of the member when the snapshot was started, such as `PRIMARY`.", func(p opsmanager.SnapshotPart) *string { return p.ReplicaState }),
	sources.Int64("storage_size_bytes", "Space allocated for documents, in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.StorageSizeBytes }),
	sources.String("type_name", "Type of the process, such as `REPLICA_SET`.", func(p opsmanager.SnapshotPart) *string { return p.TypeName }),
)

// newestFirst sorts snapshots by the time when they were taken, from the newest to the
// oldest, and then by increment and ID. Snapshots without a time come last. base returns
// the fields that all kinds of snapshots share.
func newestFirst[T any](snapshots []T, base func(T) opsmanager.Snapshot) []T {
	return tf.Sorted(snapshots, func(x, y T) int {
		a, b, undated := base(x), base(y), new(opsmanager.Timestamp)
		return cmp.Or(
			tf.CompareAbsentLast(createdTime(a), createdTime(b), func(a, b time.Time) int {
				return b.Compare(a)
			}),
			tf.CompareAbsentLast(cmp.Or(a.Created, undated).Increment, cmp.Or(b.Created, undated).Increment, descending),
			tf.CompareAbsentLast(a.ID, b.ID, descending),
		)
	})
}

func descending[T cmp.Ordered](a, b T) int { return cmp.Compare(b, a) }

// NewClusterSnapshotsDataSource returns the data source opsmanager_cluster_snapshots.
var NewClusterSnapshotsDataSource = sources.List[opsmanager.ClusterSnapshot]{
	Name:  "cluster_snapshots",
	Title: "Cluster Snapshots",
	Codes: []tf.Codes{
		projects.Codes,
		projects.ClusterCodes,
		{Attributes: map[string]string{"completed": "completed"}}, // which a version may reject
	},
	Description: "Reads the snapshots of a replica set or a whole sharded cluster. A cluster that was never backed up has none.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Ops Manager does not document the order of its pages: one page may lack the newest snapshots. Its API does not tell snapshots on demand from scheduled ones.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster"),
		"completed": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf("true", "false", "all")},
			MarkdownDescription: "Which snapshots to read: `true`, the default, for complete ones, `false` for incomplete ones, `all` for both. " +
				"Older versions may return no incomplete ones, or also others: these are left out, but count in `total_count` and `items_per_page`.",
		},
		"newest_complete": NewestObject.Attribute("Newest complete snapshot that lacks no shard. Null if the cluster has none, if `completed` is `false`, or if you select a page."),
	},
	Paged:   true,
	Results: "The snapshots, sorted from the newest to the oldest.",
	Items: sources.Of(snapshotColumns, base).And(
		sources.Bool("is_possibly_inconsistent", "Whether the snapshot may be inconsistent because the balancer could not be stopped. Null for a replica set.", func(s opsmanager.ClusterSnapshot) *bool { return s.IsPossiblyInconsistent }),
		sources.NestedList("missing_shards", "Shards and config servers that the snapshot lacks, without `has_schedule` and `third_party_backup`. Null for a replica set.", projects.Cluster, func(s opsmanager.ClusterSnapshot) []opsmanager.Cluster { return s.MissingShards }),
	),
	Read: func(
		ctx context.Context, client *opsmanager.Client, config sources.Config,
	) (*opsmanager.List[opsmanager.ClusterSnapshot], error) {
		completed := config.Text("completed")
		list, err := client.ListClusterSnapshots(ctx, config.Text("project_id"), config.Text("cluster_id"), completed, config.Page())
		if err != nil {
			return nil, err
		}
		list.Results = withCompleteness(list.Results, completed)
		return list, nil
	},
	Sort: func(snapshots []opsmanager.ClusterSnapshot) []opsmanager.ClusterSnapshot {
		return newestFirst(snapshots, base)
	},
	Singular:    "snapshot",
	IDAttribute: "id",
	Identify:    func(s opsmanager.ClusterSnapshot) (id, label *string) { return identified(s.Snapshot) },
	Values: func(config sources.Config, snapshots []opsmanager.ClusterSnapshot) map[string]attr.Value {
		var newest *Newest
		if config.Page() == (opsmanager.Page{}) {
			points := make([]opsmanager.RestorePoint, len(snapshots))
			for i, s := range snapshots {
				points[i] = s.RestorePoint()
			}
			newest = NewestComplete(points)
		}
		return map[string]attr.Value{"newest_complete": NewestObject.Value(newest)}
	},
}.Constructor()

// withCompleteness returns the snapshots that completed selects, because some versions of Ops Manager
// ignore it. A snapshot that does not say whether it is complete stays.
func withCompleteness(snapshots []opsmanager.ClusterSnapshot, completed string) []opsmanager.ClusterSnapshot {
	if completed == "all" {
		return snapshots
	}
	return slices.DeleteFunc(snapshots, func(s opsmanager.ClusterSnapshot) bool {
		return s.Complete != nil && *s.Complete == (completed == "false")
	})
}

// base returns the fields that a snapshot of a cluster shares with other snapshots.
func base(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot }

// Newest is the newest complete snapshot of a cluster.
type Newest struct {
	ID      *string
	Created time.Time
	Expires *string
}

// NewestComplete returns the newest complete snapshot of a list, or nil if there is none. A snapshot
// that lacks a shard is not complete, because Ops Manager does not restore it.
func NewestComplete(points []opsmanager.RestorePoint) (newest *Newest) {
	for _, p := range points {
		if !isRestorable(p) {
			continue
		}
		at := timeOf(&opsmanager.Timestamp{Date: p.Created.Date, Time: p.Created.Time})
		if at != nil && (newest == nil || at.After(newest.Created)) {
			newest = &Newest{tf.NonEmpty(&p.ID), *at, tf.NonEmpty(&p.Expires)}
		}
	}
	return newest
}

// NewestObject has the attributes of a snapshot that a restore or a check of its age needs.
var NewestObject = sources.ObjectOf(
	sources.String("id", "ID of the snapshot.", func(n Newest) *string { return n.ID }),
	sources.String("created", "Time when the snapshot was taken, RFC 3339 in UTC.", func(n Newest) *string { return new(n.Created.UTC().Format(time.RFC3339)) }),
	sources.String("expires", "Time after which the snapshot may be deleted, ISO 8601 in UTC. Null if it does not expire.", func(n Newest) *string { return n.Expires }),
)

// NewConfigServerSnapshotsDataSource returns the data source opsmanager_config_server_snapshots.
var NewConfigServerSnapshotsDataSource = sources.List[opsmanager.Snapshot]{
	Name:  "config_server_snapshots",
	Title: "Config Server Snapshots",
	Codes: []tf.Codes{projects.Codes, hostCodes},
	Description: "Reads the snapshots of a mirrored config server.\n\n" +
		"~> **Deprecated.** MongoDB 3.4 removed mirrored config servers, and for any other host, `results` is empty. Snapshots of sharded clusters contain their config servers: use `opsmanager_cluster_snapshots`.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Deprecation: "Only mirrored config servers have these snapshots, and MongoDB 3.4 removed mirrored config servers. " +
		"Snapshots of sharded clusters contain their config servers: use opsmanager_cluster_snapshots.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"host_id": schema.StringAttribute{
			Required:            true,
			Validators:          tf.PathSegmentValidators(),
			MarkdownDescription: "ID of the host of the config server.",
		},
	},
	Paged:   true,
	Linked:  true,
	Results: "The snapshots, sorted from the newest to the oldest.",
	Items:   snapshotColumns.And(sources.Links("Links to resources related to the snapshot.", func(s opsmanager.Snapshot) []opsmanager.Link { return s.Links })),
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.List[opsmanager.Snapshot], error) {
		found, err := client.ListConfigServerSnapshots(ctx, config.Text("project_id"), config.Text("host_id"), config.Page())
		if opsmanager.IsMissing(err, opsmanager.ObjectConfigServer) {
			return &opsmanager.List[opsmanager.Snapshot]{TotalCount: new(int64(0))}, nil
		}
		return found, err
	},
	Sort: func(snapshots []opsmanager.Snapshot) []opsmanager.Snapshot {
		return newestFirst(snapshots, func(s opsmanager.Snapshot) opsmanager.Snapshot { return s })
	},
	Singular:    "snapshot",
	IDAttribute: "id",
	Identify:    identified,
}.Constructor()

// identified returns the ID of a snapshot, and when it was created.
func identified(s opsmanager.Snapshot) (id, label *string) {
	if s.Created != nil {
		label = s.Created.Date
	}
	return s.ID, label
}

// hostCodes are the codes about the ID of a host.
var hostCodes = tf.Codes{
	Attributes: map[string]string{"HOST_NOT_FOUND": "host_id", "INVALID_HOST_ID": "host_id"},
}
