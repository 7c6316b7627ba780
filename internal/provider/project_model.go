package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// projectModel is one project, found by its name or by its id.
type projectModel struct {
	ProjectID       types.String `tfsdk:"project_id"`
	Name            types.String `tfsdk:"name"`
	OrgID           types.String `tfsdk:"org_id"`
	ReplicaSetCount types.Int64  `tfsdk:"replica_set_count"`
	ShardCount      types.Int64  `tfsdk:"shard_count"`
	Tags            types.List   `tfsdk:"tags"`
	Links           types.List   `tfsdk:"links"`
}

func projectFromAPI(p opsmanager.Project) projectModel {
	return projectModel{
		ProjectID:       types.StringPointerValue(p.ID),
		Name:            types.StringPointerValue(p.Name),
		OrgID:           types.StringPointerValue(p.OrgID),
		ReplicaSetCount: types.Int64PointerValue(p.ReplicaSetCount),
		ShardCount:      types.Int64PointerValue(p.ShardCount),
		Tags:            textsFromAPI(p.Tags),
		Links:           linksFromAPI(p.Links),
	}
}
