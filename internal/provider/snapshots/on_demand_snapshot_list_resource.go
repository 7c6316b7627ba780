package snapshots

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// onDemandSnapshotList lists the snapshots of a cluster, for terraform query.
type onDemandSnapshotList struct{ onDemandSnapshotResource }

var _ list.ListResourceWithConfigure = (*onDemandSnapshotList)(nil)

// NewOnDemandSnapshotList returns the list resource opsmanager_on_demand_snapshot.
func NewOnDemandSnapshotList() list.ListResource { return &onDemandSnapshotList{} }

func (l *onDemandSnapshotList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	id := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Required: true, Validators: attributes.ObjectIDValidators(), MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the complete snapshots of a cluster, on demand or scheduled, from the newest to the oldest. " + listresources.Limit + "\n\n-> Requires the role `Project Read Only`.",
		Attributes: map[string]schema.Attribute{
			"project_id": id("ID of the project (group): 24 hexadecimal digits."),
			"cluster_id": id("ID of the replica set or of the whole sharded cluster: 24 hexadecimal digits."),
		},
	}
}

func (l *onDemandSnapshotList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Snapshots"
	var config struct {
		ProjectID types.String `tfsdk:"project_id"`
		ClusterID types.String `tfsdk:"cluster_id"`
	}
	diags := tfmodel.Read(ctx, req.Config, &config)
	if diags.HasError() || !l.Ready(summary, &diags) {
		listresources.Fail(stream, diags...)
		return
	}
	project, cluster := strings.ToLower(config.ProjectID.ValueString()), strings.ToLower(config.ClusterID.ValueString()) // as Ops Manager spells them
	all, err := l.Client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{})
	if err != nil {
		listresources.Fail(stream, snapshotFailure(summary, err))
		return
	}
	var found []listresources.Object
	for _, snapshot := range newestFirst(withCompleteness(all.Results, "true"), func(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot }) {
		if tfmodel.Text(snapshot.ID) == "" {
			continue // it can't be imported
		}
		item := importedSnapshot(ctx, project, cluster)
		item.fromAPI(snapshot)
		name := strings.TrimSpace(tfmodel.Text(snapshot.ClusterName) + " " + item.Created.ValueString())
		found = append(found, listresources.Object{Name: name, Identity: item.identity(), Resource: item})
	}
	listresources.Stream(ctx, req, stream, found)
}

// importedSnapshot returns the model of a snapshot before its first read, with nothing
// configured.
func importedSnapshot(ctx context.Context, project, cluster string) onDemandSnapshotModel {
	return onDemandSnapshotModel{
		ProjectID: types.StringValue(project), ClusterID: types.StringValue(cluster),
		Triggers: types.MapNull(types.StringType), Timeouts: attributes.NullTimeouts(timeoutsAttribute(ctx)),
	}
}
