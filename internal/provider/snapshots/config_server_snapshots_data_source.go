package snapshots

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// NewConfigServerSnapshotsDataSource returns the data source opsmanager_config_server_snapshots.
var NewConfigServerSnapshotsDataSource = datasources.List[opsmanager.Snapshot]{
	Name: "config_server_snapshots", Title: "Config Server Snapshots",
	Codes: []diagnostics.Codes{projects.Codes, HostCodes},
	Description: "Reads the snapshots of a mirrored config server.\n\n" +
		"~> **Deprecated.** MongoDB 3.4 removed mirrored config servers, and for any other host, `results` is empty. Snapshots of sharded clusters contain their config servers: use `opsmanager_cluster_snapshots`.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Deprecation: "Only mirrored config servers have these snapshots, and MongoDB 3.4 removed mirrored config servers. " +
		"Snapshots of sharded clusters contain their config servers: use opsmanager_cluster_snapshots.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"host_id": schema.StringAttribute{
			Required: true, Validators: attributes.PathSegmentValidators(),
			MarkdownDescription: "ID of the host of the config server.",
		},
	},
	Paged: true, Linked: true,
	Results: "The snapshots, sorted from the newest to the oldest.",
	Items:   snapshotColumns.And(datasources.Links("Links to resources related to the snapshot.", func(s opsmanager.Snapshot) []opsmanager.Link { return s.Links })),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.Snapshot], error) {
		found, err := client.ListConfigServerSnapshots(ctx, config.Text("project_id"), config.Text("host_id"), config.Page())
		if opsmanager.CodeOf(err) == "NOT_CONFIG_SERVER" && opsmanager.IsGone(err) {
			return &opsmanager.List[opsmanager.Snapshot]{TotalCount: new(int64(0))}, nil
		}
		return found, err
	},
	Sort: func(snapshots []opsmanager.Snapshot) []opsmanager.Snapshot {
		return newestFirst(snapshots, func(s opsmanager.Snapshot) opsmanager.Snapshot { return s })
	},
}.Constructor()

// HostCodes are the codes about the ID of a host.
var HostCodes = diagnostics.Codes{
	Attributes: map[string]string{"HOST_NOT_FOUND": "host_id", "INVALID_HOST_ID": "host_id"},
	Advice: map[string]string{
		"HOST_NOT_FOUND": "The project has no host with this ID. Check the host ID.",
	},
}
