package regions

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// deploymentRegionList lists the regions for terraform query.
type deploymentRegionList struct {
	deploymentRegionResource
}

var _ list.ListResourceWithConfigure = (*deploymentRegionList)(nil)

// NewDeploymentRegionList returns the list resource opsmanager_deployment_region.
func NewDeploymentRegionList() list.ListResource { return &deploymentRegionList{} }

func (l *deploymentRegionList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the backup deployment regions of Ops Manager, sorted by ID. " + tfmodel.ListLimit,
	}
}

func (l *deploymentRegionList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Deployment Regions"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	all, err := l.Client.ListDeploymentRegions(ctx)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{diagnostics.Failure(summary, err)})
		return
	}
	regions := sortedRegions(slices.DeleteFunc(all.Results, func(r opsmanager.DeploymentRegion) bool {
		// Such a region can't be imported, or its ID is not safe to print.
		return opsmanager.IsInvalidID(r.ID) || opsmanager.Sanitize(r.ID) != r.ID
	}))
	if req.Limit > 0 {
		regions = regions[:min(int64(len(regions)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, live := range regions {
			result := req.NewListResult(ctx)
			result.DisplayName = live.ID
			region := deploymentRegionModel{DeploymentID: types.StringValue(live.ID)}
			region.fromAPI(live)
			result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, region.identity())...)
			if req.IncludeResource {
				result.Diagnostics.Append(tfmodel.Write(ctx, result.Resource, region)...)
			}
			if !push(result) {
				return
			}
		}
	}
}
