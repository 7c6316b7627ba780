package regions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
)

// NewDeploymentRegionList returns the list resource opsmanager_deployment_region.
var NewDeploymentRegionList = listresources.List[opsmanager.DeploymentRegion]{
	Name: "deployment_region", Title: "Deployment Regions",
	Description: "Lists the backup deployment regions of Ops Manager, sorted by ID.",
	Requires:    "Ops Manager 7.0.4 or later, and the role `Global Backup Admin`",
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.DeploymentRegion], error) {
		return q.Client.ListDeploymentRegions(ctx)
	},
	Sort: sortedRegions,
	Object: func(_ context.Context, _ listresources.Query, live opsmanager.DeploymentRegion) (*listresources.Object, diag.Diagnostic) {
		return regionType.Listed(live, live.ID), nil
	},
}.Constructor()
