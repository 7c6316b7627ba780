package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

type deploymentRegionsDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*deploymentRegionsDataSource)(nil)

func newDeploymentRegionsDataSource() datasource.DataSource { return &deploymentRegionsDataSource{} }

func (d *deploymentRegionsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_regions"
}

func (d *deploymentRegionsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the backup deployment regions of Ops Manager, and changes nothing. Regions belong to the whole installation, so this takes a global API key.\n\n" +
			"Every page of the list is read. What the service leaves out is null.",
		Attributes: map[string]schema.Attribute{
			"results": shownObjects("The regions, sorted by `deployment_id`.", shownRegionType, map[string]schema.Attribute{
				"deployment_id":          shownText("Id of the region, such as `NY_NJ`."),
				"deployment_description": shownText("What the region is for."),
				"ingestion_endpoint":     shownText("URL of the server that agents send snapshots and oplogs to."),
				"restore_endpoint":       shownText("Address of the server that restores are read from."),
				"bq_proxy_endpoint":      shownText("Address of the proxy for queryable backups, as `domain:port`."),
				"assignment_enabled":     shownFlag("Whether new resources may be given to the region."),
				"links":                  linksAttribute("the region"),
			}),
		},
	}
}

func (d *deploymentRegionsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Deployment Regions"
	if !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	regions, err := d.Client.ListDeploymentRegions(ctx)
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err))
		return
	}
	diagnostics.WarnWithoutID(&resp.Diagnostics, regions, "Deployment Regions Without an ID", "deployment region", "deployment_id",
		func(r opsmanager.DeploymentRegion) (id, label *string) { return &r.ID, r.DeploymentDescription })
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, deploymentRegionsModel{Results: deploymentRegionsFromAPI(regions)})...)
}
