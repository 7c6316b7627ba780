package regions

import (
	"context"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewDeploymentRegionsDataSource returns the data source opsmanager_deployment_regions.
var NewDeploymentRegionsDataSource = datasources.List[opsmanager.DeploymentRegion]{
	Name: "deployment_regions", Title: "Deployment Regions",
	Description: "Reads the backup deployment regions of Ops Manager.\n\n" +
		"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.",
	Results: "The regions, sorted by `deployment_id`.",
	Items: datasources.Fields(regionFields, map[string]string{
		"deployment_description": "Description of the region.",
		"ingestion_endpoint":     "URL of the server that agents send snapshots and oplogs to.",
		"restore_endpoint":       "Address of the server that restores are read from, such as `https://opsmanager.example.com:8443`.",
		"bq_proxy_endpoint":      "Address of the proxy for queryable backups, as `domain:port`.",
		"assignment_enabled":     "Whether new resources can be assigned to the region.",
	}).And(datasources.ID(deploymentID, "ID of the region, such as `NY_NJ`.", idOf)),
	Read: func(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[opsmanager.DeploymentRegion], error) {
		return client.ListDeploymentRegions(ctx)
	},
	Sort:     sortedRegions,
	Singular: "deployment region", IDAttribute: deploymentID,
	Identify: func(r opsmanager.DeploymentRegion) (id, label *string) { return &r.ID, r.DeploymentDescription },
}.Constructor()

func idOf(r opsmanager.DeploymentRegion) *string { return tfmodel.NonEmpty(&r.ID) }

// sortedRegions returns regions sorted by ID. A region without an ID comes last.
func sortedRegions(regions []opsmanager.DeploymentRegion) []opsmanager.DeploymentRegion {
	return tfmodel.Sorted(regions, tfmodel.By(idOf))
}
