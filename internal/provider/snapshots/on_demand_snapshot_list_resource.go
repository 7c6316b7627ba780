package snapshots

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewOnDemandSnapshotList returns the list resource opsmanager_on_demand_snapshot.
var NewOnDemandSnapshotList = listresources.List[opsmanager.ClusterSnapshot]{
	Name: "on_demand_snapshot", Title: "Snapshots", Codes: []diagnostics.Codes{Codes, projects.Codes, projects.ClusterCodes},
	Description: "Lists the complete snapshots of a cluster, on demand or scheduled, from the newest to the oldest.",
	Requires:    "the role `Project Read Only`",
	Attributes: map[string]schema.Attribute{
		"project_id": listresources.ID("ID of the project"),
		"cluster_id": listresources.ID("ID of the replica set or of the whole sharded cluster"),
	},
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.ClusterSnapshot], error) {
		return q.Client.ListClusterSnapshots(ctx, q.ID("project_id"), q.ID("cluster_id"), "", opsmanager.Page{})
	},
	Sort: func(all []opsmanager.ClusterSnapshot) []opsmanager.ClusterSnapshot {
		return newestFirst(withCompleteness(all, "true"), base)
	},
	Object: func(_ context.Context, q listresources.Query, live opsmanager.ClusterSnapshot) (*listresources.Object, diag.Diagnostic) {
		if tfmodel.Text(live.ID) == "" {
			return nil, nil // it can't be imported
		}
		m := onDemandSnapshotModel{snapshotIdentity: snapshotIdentity{ClusterIdentity: projects.ClusterIdentityOf(q.ID("project_id"), q.ID("cluster_id"))}}
		m.fromAPI(live)
		name := strings.TrimSpace(tfmodel.Text(live.ClusterName) + " " + m.Created.ValueString())
		return &listresources.Object{Name: name, Identity: tfmodel.ValuesOf(m.snapshotIdentity), Resource: tfmodel.ValuesOf(m)}, nil
	},
}.Constructor()
