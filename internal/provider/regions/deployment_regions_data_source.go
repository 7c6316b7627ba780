package regions

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewDeploymentRegionsDataSource returns the data source opsmanager_deployment_regions.
var NewDeploymentRegionsDataSource = datasources.List[opsmanager.DeploymentRegion]{
	Name: "deployment_regions", Title: "Deployment Regions",
	Description: "Reads the backup deployment regions of Ops Manager.\n\n" +
		"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`, because regions are shared by all projects.\n\n" +
		"Every page of the list is read. Values that Ops Manager does not return are null. A region without an ID produces a warning.",
	Results: "The regions, sorted by `deployment_id`.",
	Items: datasources.NewObject(map[string]schema.Attribute{
		"deployment_id":          datasources.String("ID of the region, such as `NY_NJ`."),
		"deployment_description": datasources.String("Description of the region."),
		"ingestion_endpoint":     datasources.String("URL of the server that agents send snapshots and oplogs to."),
		"restore_endpoint":       datasources.String("Address of the server that restores are read from, such as `https://opsmanager.example.com:8443`."),
		"bq_proxy_endpoint":      datasources.String("Address of the proxy for queryable backups, as `domain:port`."),
		"assignment_enabled":     datasources.Bool("Whether new resources can be assigned to the region."),
	}, func(r opsmanager.DeploymentRegion) map[string]attr.Value {
		return map[string]attr.Value{
			"deployment_id":          types.StringPointerValue(tfmodel.NonEmpty(&r.ID)),
			"deployment_description": types.StringPointerValue(r.DeploymentDescription),
			"ingestion_endpoint":     types.StringPointerValue(r.IngestionEndpoint),
			"restore_endpoint":       types.StringPointerValue(r.RestoreEndpoint),
			"bq_proxy_endpoint":      types.StringPointerValue(r.BQProxyEndpoint),
			"assignment_enabled":     types.BoolPointerValue(r.AssignmentEnabled),
		}
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[opsmanager.DeploymentRegion], error) {
		return client.ListDeploymentRegions(ctx)
	},
	Sort: sortedRegions,
	Noun: "deployment region", IDAttribute: "deployment_id",
	Identify: func(r opsmanager.DeploymentRegion) (id, label *string) { return &r.ID, r.DeploymentDescription },
}.Constructor()

// sortedRegions returns regions sorted by ID. A region without an ID comes last.
func sortedRegions(regions []opsmanager.DeploymentRegion) []opsmanager.DeploymentRegion {
	slices.SortStableFunc(regions, func(a, b opsmanager.DeploymentRegion) int {
		return tfmodel.CompareAbsentLast(tfmodel.NonEmpty(&a.ID), tfmodel.NonEmpty(&b.ID), cmp.Compare)
	})
	return regions
}
