package projects

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ClusterIdentity identifies a resource that exists once per cluster.
type ClusterIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

// IDs returns both IDs, each empty while it is unknown.
func (c ClusterIdentity) IDs() (project, cluster string) {
	return c.ProjectID.ValueString(), c.ClusterID.ValueString()
}

// HasUnknownID reports whether one of the IDs is unknown.
func (c ClusterIdentity) HasUnknownID() bool {
	return c.ProjectID.IsUnknown() || c.ClusterID.IsUnknown()
}

// ClusterIdentityOf returns the identity with two IDs.
func ClusterIdentityOf(project, cluster string) ClusterIdentity {
	return ClusterIdentity{types.StringValue(project), types.StringValue(cluster)}
}

// DriftNotShown is the title of warnings that hundreds of clusters may have. Terraform combines them, because it names none.
const DriftNotShown = "Drift Will Not Be Shown"

// WarnUnread warns about values that Ops Manager no longer returns, so a plan can't show their
// drift.
func WarnUnread(cluster string, unread []string, diags *diag.Diagnostics) {
	if len(unread) > 0 {
		diags.AddWarning(DriftNotShown,
			fmt.Sprintf("Ops Manager did not return %s of cluster %s, so the plan does not show drift of it.", strings.Join(unread, ", "), cluster))
	}
}

// ClusterResource is embedded by resources that exist once per cluster.
type ClusterResource struct {
	connection.Resource
	Kind string // names the resource in an error
}

// ClusterID is the ID of such a resource.
var ClusterID = tf.ImportID{
	Attributes: []string{"project_id", "cluster_id"},
	Separator:  "/",
	Texts:      []string{"ID of the project: 24 hexadecimal digits.", "ID of the cluster: 24 hexadecimal digits."},
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *ClusterResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = ClusterID.Schema()
}

// ImportedKey is the key of the private state that marks an imported resource until its first read.
const ImportedKey = "imported"

// OrUnknown returns the cluster, and what it may be the cluster of while an ID is unknown, for the claims of what ends something of it.
func (c ClusterIdentity) OrUnknown() []ClusterIdentity {
	unknown := types.StringUnknown()
	return []ClusterIdentity{c, {c.ProjectID, unknown}, {unknown, c.ClusterID}, {unknown, unknown}}
}

// SnapshotsOf names the snapshots of a cluster for their claims: a termination of its backup deletes them.
func SnapshotsOf(cluster ClusterIdentity) string { return "all snapshots" + cluster.suffix() }

// Snapshot names a snapshot for its claims.
func Snapshot(cluster ClusterIdentity, id string) string {
	return "snapshot " + strings.ToLower(id) + cluster.suffix()
}

func (c ClusterIdentity) suffix() string {
	project, id := c.IDs()
	return strings.ToLower(ofCluster + id + ofProject + project)
}

const (
	ofCluster = " of cluster "
	ofProject = " of project "
)

// ClusterIn returns the cluster in the name of a snapshot.
func ClusterIn(snapshot string) ClusterIdentity {
	_, suffix, _ := strings.Cut(snapshot, ofCluster)
	cluster, project, _ := strings.Cut(suffix, ofProject)
	return ClusterIdentityOf(project, cluster)
}

// RestoredSnapshot names a snapshot for the claims of its restores. They may know only its ID.
func RestoredSnapshot(snapshot string) string {
	id, _, _ := strings.Cut(snapshot, ofCluster)
	return "restored " + id
}

// RestoredUnknown names a snapshot of a cluster that is not known yet for the claims of its restore.
func RestoredUnknown(cluster ClusterIdentity) string {
	return "restored snapshot that is not known yet" + cluster.suffix()
}

// RestoredPoint names the points in time of a cluster for the claims of what restores one, and so may need a snapshot.
func RestoredPoint(cluster ClusterIdentity) string {
	return "restored point in time" + cluster.suffix()
}

// AppliedKey is the key of the private state with what the last apply left of an object, such as the status of a backup,
// where a refresh has found something else that a plan has to show until an apply records it.
const AppliedKey = "applied"

// ImportState imports a resource by 'project_id/cluster_id' or by its ClusterIdentity.
func (r *ClusterResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := ClusterID
	id.Advice = fmt.Sprintf("Import a %s by project_id/cluster_id, or by an identity with both IDs.", r.Kind)
	if id.Set(ctx, req, resp) != nil {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, ImportedKey, []byte("true"))...)
	}
}
