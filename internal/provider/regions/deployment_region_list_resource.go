package regions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
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
		MarkdownDescription: "Lists the backup deployment regions of Ops Manager, sorted by ID. " + listresources.Limit +
			"\n\n-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.",
	}
}

func (l *deploymentRegionList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Deployment Regions"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		listresources.Fail(stream, diags...)
		return
	}
	all, err := l.Client.ListDeploymentRegions(ctx)
	if err != nil {
		listresources.Fail(stream, diagnostics.Failure(summary, err))
		return
	}
	var found []listresources.Object
	for _, live := range sortedRegions(all.Results) {
		if opsmanager.IsInvalidID(live.ID) || opsmanager.Sanitize(live.ID) != live.ID {
			continue // it can't be imported, or its ID is not safe to print
		}
		region := deploymentRegionModel{DeploymentID: types.StringValue(live.ID)}
		region.fromAPI(live)
		found = append(found, listresources.Object{Name: live.ID, Identity: region.identity(), Resource: region})
	}
	listresources.Stream(ctx, req, stream, found)
}
