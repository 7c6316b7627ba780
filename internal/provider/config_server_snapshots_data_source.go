package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type configServerSnapshotsDataSource struct{ serviceReader }

var _ datasource.DataSourceWithConfigure = (*configServerSnapshotsDataSource)(nil)

func newConfigServerSnapshotsDataSource() datasource.DataSource {
	return &configServerSnapshotsDataSource{}
}

func (d *configServerSnapshotsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_config_server_snapshots"
}

func (d *configServerSnapshotsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "**Deprecated.** Reads the snapshots of a mirrored config server, and changes nothing.\n\n" +
			"Mirrored config servers ended with MongoDB 3.4, so a service with none answers `NOT_CONFIG_SERVER`. " +
			"What the service leaves out is null, and values that nobody documented are shown as they are.",
		DeprecationMessage: "This listing works for mirrored config servers only, which MongoDB 3.4 did away with. " +
			"Config servers that are a replica set are part of their cluster's snapshots: use opsmanager_cluster_snapshots.",
		Attributes: map[string]schema.Attribute{
			"project_id": projectIDAttribute(),
			"host_id": schema.StringAttribute{
				Required: true, Validators: pathSegmentValidators(),
				MarkdownDescription: "Id of the config server's host, not empty. Ops Manager documents 24 and 32 hexadecimal digits.",
			},
			"page_num":       pageNumAttribute(),
			"items_per_page": itemsPerPageAttribute(),
			"results":        shownObjects("The snapshots, newest first.", configServerSnapshotType, snapshotAttributes()),
			"total_count":    totalCountAttribute(),
			"links":          linksAttribute("the page, or of the first one where every page was read,"),
		},
	}
}

// snapshotAttributes are what is shown of a snapshot, whatever it was taken of.
func snapshotAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                           shownText("Id of the snapshot."),
		"group_id":                     shownText("Id of the project (group) that owns the snapshot."),
		"cluster_id":                   shownText("Id of the cluster that the snapshot represents."),
		"cluster_name":                 shownText("Name of that cluster."),
		"complete":                     shownFlag("Whether the snapshot is finished; `false` while it is being taken."),
		"created":                      timestampAttribute("When the snapshot was taken."),
		"do_not_delete":                shownFlag("Whether the snapshot is kept for good, so that `expires` does not count."),
		"expires":                      shownText("When the snapshot may be deleted, ISO 8601 in UTC. Null where `do_not_delete` is true."),
		"last_oplog_applied_timestamp": timestampAttribute("The last operation that the snapshot holds."),
		"links":                        linksAttribute("the snapshot"),
		"namespace_filter_list": shownObject("Which databases and collections the snapshot holds. Null where the service leaves it out.", namespaceFilterType, map[string]schema.Attribute{
			"filter_list": shownTexts("Databases (`database`) and collections (`database.collection`); empty for none."),
			"filter_type": shownText("`denyList` where those are left out, `accessList` where the snapshot holds nothing else. " +
				"Versions of the service name and spell this differently, such as `blacklist` and `denylist`. Null where left out, which stands for `denyList`."),
		}),
		"parts": shownObjects("Parts of the snapshot: of a sharded cluster one for each shard and one for the config servers, else one. Null where the service leaves them out.", snapshotPartType, map[string]schema.Attribute{
			"cluster_id":          shownText("Id of the cluster."),
			"completed_time":      shownText("When the part was finished, ISO 8601 in UTC."),
			"compression_setting": shownText("Compression, such as `GZIP`."),
			"data_size_bytes":     shownNumber("Size of the data in bytes."),
			"encryption_enabled":  shownFlag("Whether the part is encrypted."),
			"fcv":                 shownText("Feature compatibility version when the snapshot was taken."),
			"file_size_bytes":     shownNumber("Size of the data files in bytes."),
			"host_id":             shownText("Id of the host, of a mirrored config server."),
			"machine_id":          shownText("Host name and port of the node where the snapshot was taken."),
			"master_key_uuid":     shownText("Id of the master key that the part is encrypted with. Null where it is not encrypted."),
			"mongod_version":      shownText("Version of the database server."),
			"replica_set_name":    shownText("Name of the replica set."),
			"replica_state":       shownText("Role of the node when the snapshot began, such as `PRIMARY`."),
			"storage_size_bytes":  shownNumber("Space allocated for documents, in bytes."),
			"type_name":           shownText("Type of what the part was taken of, such as `REPLICA_SET`, `CONFIG_SERVER_REPLICA_SET` or `CONFIG_SERVER`."),
		}),
	}
}

// timestampAttribute is a moment and the order of operations within it.
func timestampAttribute(description string) schema.Attribute {
	return shownObject(description+" Null where the service leaves it out.", timestampType, map[string]schema.Attribute{
		"date":      shownText("Moment, ISO 8601 in UTC, to the second."),
		"increment": shownNumber("Order of the operation within that second, from `1`."),
	})
}

// The attribute for each of the service's codes.
var hostCodes = map[string]string{
	"HOST_NOT_FOUND": "host_id", "NOT_CONFIG_SERVER": "host_id", "INVALID_HOST_ID": "host_id",
}

func (d *configServerSnapshotsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Config Server Snapshots"
	var data configServerSnapshotsModel
	resp.Diagnostics.Append(readModel(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.service.usable(summary, &resp.Diagnostics) {
		return
	}
	list, err := d.service.client.ListConfigServerSnapshots(ctx, data.ProjectID.ValueString(), data.HostID.ValueString(), pageOf(data.PageNum, data.ItemsPerPage))
	if err != nil {
		resp.Diagnostics.Append(failure(summary, err, projectCodes, hostCodes))
		return
	}
	data.Results = configServerSnapshotsFromAPI(list.Results)
	data.TotalCount = types.Int64PointerValue(list.TotalCount)
	data.Links = linksFromAPI(list.Links)
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, data)...)
}
