package regions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type deploymentRegionsDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*deploymentRegionsDataSource)(nil)

// NewDeploymentRegionsDataSource returns the data source opsmanager_deployment_regions.
func NewDeploymentRegionsDataSource() datasource.DataSource { return &deploymentRegionsDataSource{} }

func (d *deploymentRegionsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_regions"
}

func (d *deploymentRegionsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the backup deployment regions of Ops Manager, and changes nothing. Regions belong to the whole installation, so this takes a global API key.\n\n" +
			"Every page of the list is read. What the service leaves out is null.",
		Attributes: map[string]schema.Attribute{
			"results": tfmodel.ComputedObjects("The regions, sorted by `deployment_id`.", deploymentRegionType, map[string]schema.Attribute{
				"deployment_id":          tfmodel.ComputedString("Id of the region, such as `NY_NJ`."),
				"deployment_description": tfmodel.ComputedString("What the region is for."),
				"ingestion_endpoint":     tfmodel.ComputedString("URL of the server that agents send snapshots and oplogs to."),
				"restore_endpoint":       tfmodel.ComputedString("Address of the server that restores are read from."),
				"bq_proxy_endpoint":      tfmodel.ComputedString("Address of the proxy for queryable backups, as `domain:port`."),
				"assignment_enabled":     tfmodel.ComputedBool("Whether new resources may be given to the region."),
				"links":                  tfmodel.LinksAttribute("the region"),
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
	diagnostics.WarnWithoutID(&resp.Diagnostics, regions.Results, "Deployment Regions Without an ID", "deployment region", "deployment_id",
		func(r opsmanager.DeploymentRegion) (id, label *string) { return &r.ID, r.DeploymentDescription })
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, deploymentRegionsModel{Results: deploymentRegionsFromAPI(regions.Results)})...)
}
