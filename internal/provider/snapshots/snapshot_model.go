// Package snapshots implements the data sources of snapshots, and the resource and the action that
// take a snapshot.
package snapshots

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotAttributes are the attributes that snapshots of clusters and of mirrored config
// servers share.
var snapshotAttributes = map[string]schema.Attribute{
	"id":                           datasources.String("ID of the snapshot."),
	"group_id":                     datasources.String("ID of the project."),
	"cluster_id":                   datasources.String("ID of the cluster."),
	"cluster_name":                 datasources.String("Name of the cluster."),
	"complete":                     datasources.Bool("Whether the snapshot is complete. `false` while it is in progress."),
	"created":                      datasources.Timestamp.Attribute("Time when the snapshot was taken. Null if Ops Manager does not return it."),
	"do_not_delete":                datasources.Bool("Whether the snapshot cannot be deleted. If so, `expires` has no effect."),
	"expires":                      datasources.String("Time after which the snapshot may be deleted, ISO 8601 in UTC. Null if `do_not_delete` is true."),
	"last_oplog_applied_timestamp": datasources.Timestamp.Attribute("Last oplog entry that the snapshot contains. Null if Ops Manager does not return it."),
	"namespace_filter_list":        namespaceFilter.Attribute("Databases and collections that the snapshot contains. Null if Ops Manager does not return them."),
	"parts":                        snapshotPart.ListAttribute("Parts of the snapshot: one for a replica set, or one for each shard and one for the config servers of a sharded cluster. Null if Ops Manager does not return them."),
}

func snapshotFromAPI(s opsmanager.Snapshot) map[string]attr.Value {
	return map[string]attr.Value{
		"id":                           types.StringPointerValue(s.ID),
		"group_id":                     types.StringPointerValue(s.GroupID),
		"cluster_id":                   types.StringPointerValue(s.ClusterID),
		"cluster_name":                 types.StringPointerValue(s.ClusterName),
		"complete":                     types.BoolPointerValue(s.Complete),
		"created":                      datasources.Timestamp.Value(s.Created),
		"do_not_delete":                types.BoolPointerValue(s.DoNotDelete),
		"expires":                      types.StringPointerValue(s.Expires),
		"last_oplog_applied_timestamp": datasources.Timestamp.Value(s.LastOplogAppliedTime),
		"namespace_filter_list":        namespaceFilter.Value(s.NamespaceFilterList),
		"parts":                        snapshotPart.List(s.Parts),
	}
}

var namespaceFilter = datasources.NewObject(map[string]schema.Attribute{
	"filter_list": datasources.Strings("Databases (`database`) and collections (`database.collection`). Empty if nothing is filtered."),
	"filter_type": datasources.String("`denyList` if the listed ones are excluded, `accessList` if only they are included. " +
		"Versions of Ops Manager use other spellings, such as `blacklist` and `denylist`. Null, if Ops Manager does not return it, means `denyList`."),
}, func(f opsmanager.NamespaceFilter) map[string]attr.Value {
	return map[string]attr.Value{
		"filter_list": tfmodel.StringsFromAPI(append([]string{}, f.FilterList...)), // documented to default to an empty list
		"filter_type": types.StringPointerValue(f.FilterType),
	}
})

var snapshotPart = datasources.NewObject(map[string]schema.Attribute{
	"cluster_id":          datasources.String("ID of the cluster."),
	"completed_time":      datasources.String("Time when the part was completed, ISO 8601 in UTC."),
	"compression_setting": datasources.String("Compression, such as `GZIP`."),
	"data_size_bytes":     datasources.Int64("Size of the data in bytes."),
	"encryption_enabled":  datasources.Bool("Whether the part is encrypted."),
	"fcv":                 datasources.String("Feature compatibility version when the snapshot was taken."),
	"file_size_bytes":     datasources.Int64("Size of the data files in bytes."),
	"host_id":             datasources.String("ID of the host of a mirrored config server."),
	"machine_id":          datasources.String("Host name and port of the process that the part was taken from."),
	"master_key_uuid":     datasources.String("ID of the master key that the part is encrypted with. Null if it is not encrypted."),
	"mongod_version":      datasources.String("Version of the database server."),
	"replica_set_name":    datasources.String("Name of the replica set."),
	"replica_state":       datasources.String("State of the member when the snapshot was started, such as `PRIMARY`."),
	"storage_size_bytes":  datasources.Int64("Space allocated for documents, in bytes."),
	"type_name":           datasources.String("Type of the process that the part was taken from, such as `REPLICA_SET`, `CONFIG_SERVER_REPLICA_SET` or `CONFIG_SERVER`."),
}, func(p opsmanager.SnapshotPart) map[string]attr.Value {
	return map[string]attr.Value{
		"cluster_id":          types.StringPointerValue(p.ClusterID),
		"completed_time":      types.StringPointerValue(p.CompletedTime),
		"compression_setting": types.StringPointerValue(p.CompressionSetting),
		"data_size_bytes":     types.Int64PointerValue(p.DataSizeBytes),
		"encryption_enabled":  types.BoolPointerValue(p.EncryptionEnabled),
		"fcv":                 types.StringPointerValue(p.FCV),
		"file_size_bytes":     types.Int64PointerValue(p.FileSizeBytes),
		"host_id":             types.StringPointerValue(p.HostID),
		"machine_id":          types.StringPointerValue(p.MachineID),
		"master_key_uuid":     types.StringPointerValue(p.MasterKeyUUID),
		"mongod_version":      types.StringPointerValue(p.MongodVersion),
		"replica_set_name":    types.StringPointerValue(p.ReplicaSetName),
		"replica_state":       types.StringPointerValue(p.ReplicaState),
		"storage_size_bytes":  types.Int64PointerValue(p.StorageSizeBytes),
		"type_name":           types.StringPointerValue(p.TypeName),
	}
})

// newestFirst sorts snapshots by the time when they were taken, from the newest to the
// oldest, and then by increment and ID. Snapshots without a time come last. base returns
// the fields that all kinds of snapshots share.
func newestFirst[T any](snapshots []T, base func(T) opsmanager.Snapshot) []T {
	slices.SortStableFunc(snapshots, func(x, y T) int {
		a, b, undated := base(x), base(y), new(opsmanager.Timestamp)
		return cmp.Or(
			tfmodel.CompareAbsentLast(createdTime(a), createdTime(b), func(a, b time.Time) int { return b.Compare(a) }),
			tfmodel.CompareAbsentLast(cmp.Or(a.Created, undated).Increment, cmp.Or(b.Created, undated).Increment, descending),
			tfmodel.CompareAbsentLast(a.ID, b.ID, descending),
		)
	})
	return snapshots
}

func descending[T cmp.Ordered](a, b T) int { return cmp.Compare(b, a) }
