package projects

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/imports"
)

// ClusterIdentity identifies a resource that exists once per cluster.
type ClusterIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

// ClusterIdentitySchema returns the schema of a ClusterIdentity.
func ClusterIdentitySchema() identityschema.Schema {
	return identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"project_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the project: 24 hexadecimal digits."},
			"cluster_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the cluster: 24 hexadecimal digits."},
		},
	}
}

// ImportedKey is the key of the private state that marks an imported resource until its first read.
const ImportedKey = "imported"

// ImportByCluster imports a resource by 'project_id/cluster_id' or by its ClusterIdentity. The kind
// names the resource in an error.
func ImportByCluster(ctx context.Context, kind string, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := imports.ID{
		Attributes: []string{"project_id", "cluster_id"}, Separator: "/",
		Advice: fmt.Sprintf("Import a %s by project_id/cluster_id, or by an identity with both IDs.", kind),
	}
	if id.Set(ctx, req, resp) != nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, ImportedKey, []byte("true"))...)
	}
}
