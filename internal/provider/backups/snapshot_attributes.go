package backups

import (
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

import "github.com/hashicorp/terraform-plugin-framework/datasource/schema"

// snapshotAttributes returns the attributes that every snapshot has, whatever it was taken of.
func snapshotAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                           tfmodel.ComputedString("Id of the snapshot."),
		"group_id":                     tfmodel.ComputedString("Id of the project (group) that owns the snapshot."),
		"cluster_id":                   tfmodel.ComputedString("Id of the cluster that the snapshot represents."),
		"cluster_name":                 tfmodel.ComputedString("Name of that cluster."),
		"complete":                     tfmodel.ComputedBool("Whether the snapshot is finished; `false` while it is being taken."),
		"created":                      timestampAttribute("When the snapshot was taken."),
		"do_not_delete":                tfmodel.ComputedBool("Whether the snapshot is kept for good, so that `expires` does not count."),
		"expires":                      tfmodel.ComputedString("When the snapshot may be deleted, ISO 8601 in UTC. Null where `do_not_delete` is true."),
		"last_oplog_applied_timestamp": timestampAttribute("The last operation that the snapshot holds."),
		"links":                        tfmodel.LinksAttribute("the snapshot"),
		"namespace_filter_list": tfmodel.ComputedObject("Which databases and collections the snapshot holds. Null where the service leaves it out.", namespaceFilterType, map[string]schema.Attribute{
			"filter_list": tfmodel.ComputedStrings("Databases (`database`) and collections (`database.collection`); empty for none."),
			"filter_type": tfmodel.ComputedString("`denyList` where those are left out, `accessList` where the snapshot holds nothing else. " +
				"Versions of the service name and spell this differently, such as `blacklist` and `denylist`. Null where left out, which stands for `denyList`."),
		}),
		"parts": tfmodel.ComputedObjects("Parts of the snapshot: of a sharded cluster one for each shard and one for the config servers, else one. Null where the service leaves them out.", snapshotPartType, map[string]schema.Attribute{
			"cluster_id":          tfmodel.ComputedString("Id of the cluster."),
			"completed_time":      tfmodel.ComputedString("When the part was finished, ISO 8601 in UTC."),
			"compression_setting": tfmodel.ComputedString("Compression, such as `GZIP`."),
			"data_size_bytes":     tfmodel.ComputedInt64("Size of the data in bytes."),
			"encryption_enabled":  tfmodel.ComputedBool("Whether the part is encrypted."),
			"fcv":                 tfmodel.ComputedString("Feature compatibility version when the snapshot was taken."),
			"file_size_bytes":     tfmodel.ComputedInt64("Size of the data files in bytes."),
			"host_id":             tfmodel.ComputedString("Id of the host, of a mirrored config server."),
			"machine_id":          tfmodel.ComputedString("Host name and port of the node where the snapshot was taken."),
			"master_key_uuid":     tfmodel.ComputedString("Id of the master key that the part is encrypted with. Null where it is not encrypted."),
			"mongod_version":      tfmodel.ComputedString("Version of the database server."),
			"replica_set_name":    tfmodel.ComputedString("Name of the replica set."),
			"replica_state":       tfmodel.ComputedString("Role of the node when the snapshot began, such as `PRIMARY`."),
			"storage_size_bytes":  tfmodel.ComputedInt64("Space allocated for documents, in bytes."),
			"type_name":           tfmodel.ComputedString("Type of what the part was taken of, such as `REPLICA_SET`, `CONFIG_SERVER_REPLICA_SET` or `CONFIG_SERVER`."),
		}),
	}
}

// timestampAttribute is a moment and the order of operations within it.
func timestampAttribute(description string) schema.Attribute {
	return tfmodel.ComputedObject(description+" Null where the service leaves it out.", timestampType, map[string]schema.Attribute{
		"date":      tfmodel.ComputedString("Moment, ISO 8601 in UTC, to the second."),
		"increment": tfmodel.ComputedInt64("Order of the operation within that second, from `1`."),
	})
}
