package snapshots

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// onDemandSnapshotList lists the snapshots of a cluster, for terraform query.
type onDemandSnapshotList struct{ onDemandSnapshotResource }

var _ list.ListResourceWithConfigure = (*onDemandSnapshotList)(nil)

// NewOnDemandSnapshotList returns the list resource opsmanager_on_demand_snapshot.
func NewOnDemandSnapshotList() list.ListResource { return &onDemandSnapshotList{} }

func (l *onDemandSnapshotList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	id := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Required: true, Validators: connection.ObjectIDValidators(), MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the complete snapshots of a cluster, on demand or scheduled, from the newest to the oldest. " + tfmodel.ListLimit,
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
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	project, cluster := strings.ToLower(config.ProjectID.ValueString()), strings.ToLower(config.ClusterID.ValueString()) // as Ops Manager spells them
	complete, err := l.Client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{})
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{snapshotFailure(summary, err)})
		return
	}
	found := newestFirst(complete.Results, func(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot })
	found = slices.DeleteFunc(found, func(s opsmanager.ClusterSnapshot) bool { return tfmodel.Text(s.ID) == "" })
	if req.Limit > 0 {
		found = found[:min(int64(len(found)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, snapshot := range found {
			result := req.NewListResult(ctx)
			item := importedSnapshot(ctx, project, cluster)
			item.fromAPI(snapshot)
			result.DisplayName = strings.TrimSpace(tfmodel.Text(snapshot.ClusterName) + " " + item.Created.ValueString())
			result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, item.identity())...)
			if req.IncludeResource {
				result.Diagnostics.Append(tfmodel.Write(ctx, result.Resource, item)...)
			}
			if !push(result) {
				return
			}
		}
	}
}

// importedSnapshot returns the model of a snapshot that nothing was configured for, and
// that was not read yet.
func importedSnapshot(ctx context.Context, project, cluster string) onDemandSnapshotModel {
	return onDemandSnapshotModel{
		ProjectID: types.StringValue(project), ClusterID: types.StringValue(cluster),
		Triggers: types.MapNull(types.StringType), Timeouts: connection.NullTimeouts(timeoutsAttribute(ctx)),
	}
}
