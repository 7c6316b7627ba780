// Package projects implements the data sources of projects and clusters.
package projects

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

// fromAPI takes over what the service shows. A configured id or name stays as it
// is.
func (m *projectModel) fromAPI(p opsmanager.Project) {
	if m.ProjectID.IsNull() {
		m.ProjectID = types.StringPointerValue(p.ID)
	}
	if m.Name.IsNull() {
		m.Name = types.StringPointerValue(tfmodel.Normalized(p.Name))
	}
	m.OrgID = types.StringPointerValue(p.OrgID)
	m.ReplicaSetCount = types.Int64PointerValue(p.ReplicaSetCount)
	m.ShardCount = types.Int64PointerValue(p.ShardCount)
	m.Tags = tfmodel.StringsFromAPI(p.Tags)
	m.Links = tfmodel.LinksFromAPI(p.Links)
}
