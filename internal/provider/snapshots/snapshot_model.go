// Package snapshots implements the data sources of snapshots, and the resource and the action that
// take a snapshot.
package snapshots

import (
	"cmp"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotColumns are the attributes that snapshots of clusters and of mirrored config servers share.
var snapshotColumns = datasources.Columns[opsmanager.Snapshot]{
	datasources.String("id", "ID of the snapshot.", func(s opsmanager.Snapshot) *string { return s.ID }),
	datasources.String("project_id", "ID of the project.", func(s opsmanager.Snapshot) *string { return s.GroupID }),
	datasources.String("cluster_id", "ID of the cluster.", func(s opsmanager.Snapshot) *string { return s.ClusterID }),
	datasources.String("cluster_name", "Name of the cluster.", func(s opsmanager.Snapshot) *string { return s.ClusterName }),
	datasources.Bool("complete", "Whether the snapshot is complete. `false` while it is in progress.", func(s opsmanager.Snapshot) *bool { return s.Complete }),
	datasources.Nested("created", "Time when the snapshot was taken.", datasources.Timestamp, func(s opsmanager.Snapshot) *opsmanager.Timestamp { return s.Created }),
	datasources.Bool("do_not_delete", "Whether the snapshot is held. If so, it does not expire.", func(s opsmanager.Snapshot) *bool { return s.DoNotDelete }),
	datasources.String("expires", "Time after which the snapshot may be deleted, ISO 8601 in UTC.", func(s opsmanager.Snapshot) *string { return s.Expires }),
	datasources.Nested("last_oplog_applied_timestamp", "Last oplog entry in the snapshot.", datasources.Timestamp, func(s opsmanager.Snapshot) *opsmanager.Timestamp { return s.LastOplogAppliedTime }),
	datasources.Nested("namespace_filter_list", "Databases and collections in the snapshot.", namespaceFilter, func(s opsmanager.Snapshot) *opsmanager.NamespaceFilter { return s.NamespaceFilterList }),
	datasources.NestedList("parts", "Parts of the snapshot: one for each shard and one for the config servers, or one for a replica set.", snapshotPart, func(s opsmanager.Snapshot) []opsmanager.SnapshotPart { return s.Parts }),
}

var namespaceFilter = datasources.ObjectOf(
	// The list is documented to default to an empty one.
	datasources.Strings("filter_list", "Databases (`database`) and collections (`database.collection`).", func(f opsmanager.NamespaceFilter) []string { return append([]string{}, f.FilterList...) }),
	datasources.String("filter_type", "`denyList` or null if the listed ones are excluded, `accessList` if only they are included. Other spellings exist, such as `blacklist`.", func(f opsmanager.NamespaceFilter) *string { return f.FilterType }),
)

var snapshotPart = datasources.ObjectOf(
	datasources.String("cluster_id", "ID of the cluster.", func(p opsmanager.SnapshotPart) *string { return p.ClusterID }),
	datasources.String("completed_time", "Time when the part was completed, ISO 8601 in UTC.", func(p opsmanager.SnapshotPart) *string { return p.CompletedTime }),
	datasources.String("compression_setting", "Compression, such as `GZIP`.", func(p opsmanager.SnapshotPart) *string { return p.CompressionSetting }),
	datasources.Int64("data_size_bytes", "Size of the data in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.DataSizeBytes }),
	datasources.Bool("encryption_enabled", "Whether the part is encrypted.", func(p opsmanager.SnapshotPart) *bool { return p.EncryptionEnabled }),
	datasources.String("fcv", "Feature compatibility version.", func(p opsmanager.SnapshotPart) *string { return p.FCV }),
	datasources.Int64("file_size_bytes", "Size of the data files in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.FileSizeBytes }),
	datasources.String("host_id", "ID of the host of a mirrored config server.", func(p opsmanager.SnapshotPart) *string { return p.HostID }),
	datasources.String("machine_id", "Host name and port of the process that the part is from.", func(p opsmanager.SnapshotPart) *string { return p.MachineID }),
	datasources.String("master_key_uuid", "ID of the master key that encrypts the part.", func(p opsmanager.SnapshotPart) *string { return p.MasterKeyUUID }),
	datasources.String("mongod_version", "Version of the database server.", func(p opsmanager.SnapshotPart) *string { return p.MongodVersion }),
	datasources.String("replica_set_name", "Name of the replica set.", func(p opsmanager.SnapshotPart) *string { return p.ReplicaSetName }),
	datasources.String("replica_state", "State of the member when the snapshot was started, such as `PRIMARY`.", func(p opsmanager.SnapshotPart) *string { return p.ReplicaState }),
	datasources.Int64("storage_size_bytes", "Space allocated for documents, in bytes.", func(p opsmanager.SnapshotPart) *int64 { return p.StorageSizeBytes }),
	datasources.String("type_name", "Type of the process, such as `REPLICA_SET`.", func(p opsmanager.SnapshotPart) *string { return p.TypeName }),
)

// newestFirst sorts snapshots by the time when they were taken, from the newest to the
// oldest, and then by increment and ID. Snapshots without a time come last. base returns
// the fields that all kinds of snapshots share.
func newestFirst[T any](snapshots []T, base func(T) opsmanager.Snapshot) []T {
	return tfmodel.Sorted(snapshots, func(x, y T) int {
		a, b, undated := base(x), base(y), new(opsmanager.Timestamp)
		return cmp.Or(
			tfmodel.CompareAbsentLast(createdTime(a), createdTime(b), func(a, b time.Time) int { return b.Compare(a) }),
			tfmodel.CompareAbsentLast(cmp.Or(a.Created, undated).Increment, cmp.Or(b.Created, undated).Increment, descending),
			tfmodel.CompareAbsentLast(a.ID, b.ID, descending),
		)
	})
}

func descending[T cmp.Ordered](a, b T) int { return cmp.Compare(b, a) }
