package regions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// deploymentRegionIdentity identifies a region.
type deploymentRegionIdentity struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
}

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
		if opsmanager.IsInvalidID(live.ID) || opsmanager.Sanitize(live.ID) != live.ID {
			return nil, nil // it can't be imported, or its ID is not safe to print
		}
		id := tfmodel.Values{deploymentID: types.StringValue(live.ID)}
		return &listresources.Object{Name: live.ID, Identity: deploymentRegionIdentity{types.StringValue(live.ID)}, Resource: regionFields.FromAPI(id, live)}, nil
	},
}.Constructor()
