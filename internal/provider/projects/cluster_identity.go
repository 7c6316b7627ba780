package projects

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

// ImportByCluster imports a resource by 'project_id/cluster_id' or by its ClusterIdentity. The
// state has IDs in lower case, as Ops Manager does. The noun names the resource in an error.
func ImportByCluster(ctx context.Context, noun string, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	given := req.ID
	project, cluster, _ := strings.Cut(given, "/")
	id := ClusterIdentity{types.StringValue(project), types.StringValue(cluster)}
	if given == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &id)...)
		given = id.ProjectID.ValueString() + "/" + id.ClusterID.ValueString()
	}
	if !attributes.IsObjectID(id.ProjectID.ValueString()) || !attributes.IsObjectID(id.ClusterID.ValueString()) {
		resp.Diagnostics.AddError("Invalid Import ID",
			fmt.Sprintf("Import a %s by project_id/cluster_id, or by an identity with both IDs. Each ID must be 24 hexadecimal digits; got %q.", noun, given))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	id.ProjectID = types.StringValue(strings.ToLower(id.ProjectID.ValueString()))
	id.ClusterID = types.StringValue(strings.ToLower(id.ClusterID.ValueString()))
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("project_id"), id.ProjectID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster_id"), id.ClusterID)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, id)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, ImportedKey, []byte("true"))...)
}
