package backups

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type configServerSnapshotsDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*configServerSnapshotsDataSource)(nil)

// NewConfigServerSnapshotsDataSource returns the data source opsmanager_config_server_snapshots.
func NewConfigServerSnapshotsDataSource() datasource.DataSource {
	return &configServerSnapshotsDataSource{}
}

func (d *configServerSnapshotsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_config_server_snapshots"
}

func (d *configServerSnapshotsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "**Deprecated.** Reads the snapshots of a mirrored config server, and changes nothing.\n\n" +
			"Mirrored config servers ended with MongoDB 3.4, so a service with none answers `NOT_CONFIG_SERVER`. " +
			"What the service leaves out is null, and undocumented values are shown as they are.",
		DeprecationMessage: "This listing works for mirrored config servers only, which MongoDB 3.4 did away with. " +
			"Config servers that are a replica set are part of their cluster's snapshots: use opsmanager_cluster_snapshots.",
		Attributes: map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"host_id": schema.StringAttribute{
				Required: true, Validators: connection.PathSegmentValidators(),
				MarkdownDescription: "Id of the config server's host, not empty. Ops Manager documents 24 and 32 hexadecimal digits.",
			},
			"page_num":       tfmodel.PageNumAttribute(),
			"items_per_page": tfmodel.ItemsPerPageAttribute(),
			"results":        tfmodel.ComputedObjects("The snapshots, newest first.", snapshotType, snapshotAttributes()),
			"total_count":    tfmodel.TotalCountAttribute(),
			"links":          tfmodel.LinksAttribute("the page, or of the first one where every page was read,"),
		},
	}
}

// The attribute for each of the service's codes.
var hostCodes = map[string]string{
	"HOST_NOT_FOUND": "host_id", "NOT_CONFIG_SERVER": "host_id", "INVALID_HOST_ID": "host_id",
}

func (d *configServerSnapshotsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Config Server Snapshots"
	var data configServerSnapshotsModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	list, err := d.Client.ListConfigServerSnapshots(ctx, data.ProjectID.ValueString(), data.HostID.ValueString(), tfmodel.Page(data.PageNum, data.ItemsPerPage))
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes, hostCodes))
		return
	}
	data.Results = configServerSnapshotsFromAPI(list.Results)
	data.TotalCount = types.Int64PointerValue(list.TotalCount)
	data.Links = tfmodel.LinksFromAPI(list.Links)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
