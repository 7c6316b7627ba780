package snapshots

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type onDemandSnapshotAction struct{ connection.Action }

// NewOnDemandSnapshotAction returns the action opsmanager_on_demand_snapshot.
func NewOnDemandSnapshotAction() action.Action {
	return &onDemandSnapshotAction{connection.Action{TypeName: "on_demand_snapshot"}}
}

type onDemandSnapshotActionModel struct {
	projects.ClusterIdentity
	RetentionDays types.Int64    `tfsdk:"retention_days"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
}

func (a *onDemandSnapshotAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Takes one snapshot of a cluster, and waits until it is complete.\n\n" +
			"The action first waits until the cluster has a complete snapshot and none is in progress, which Ops Manager requires.\n\n" +
			"-> Requires Ops Manager 7.0.12 or later, and the role `Global Backup Admin`.\n\n" +
			"Each invocation requests one snapshot, and never repeats the request. The action fails unless the requested snapshot is complete and known. Look at the snapshots in Ops Manager, or with the data source `opsmanager_cluster_snapshots`, before you invoke the action again: **each invocation takes another snapshot.**\n\n" +
			"To hold the snapshot or to change its expiry, import it as the resource `opsmanager_on_demand_snapshot`.",
		Attributes: map[string]schema.Attribute{
			"project_id": tf.ActionObjectID(tf.ProjectIDText),
			"cluster_id": tf.ActionObjectID(tf.ClusterIDText),
			"retention_days": schema.Int64Attribute{
				Required:            true,
				CustomType:          tf.WholeNumberType{},
				Validators:          retention(),
				MarkdownDescription: "Days to keep the snapshot, `1` to `2900000`, and not a number of days for which the schedule keeps snapshots.",
			},
			"timeouts": tf.ActionTimeouts(ctx, "Defaults to `2h`."),
		},
	}
}

// ModifyPlan fails if the action is certain to fail.
func (a *onDemandSnapshotAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	config := tf.Read[onDemandSnapshotActionModel](ctx, req.Config, diags)
	diags.Append(keep(a.Data, config.ClusterIdentity, "Snapshot of Cluster "+config.ClusterID.ValueString()))
	if diags.HasError() || config.HasUnknownID() || !a.HasClient() {
		return
	}
	snapshotsOf(a.Data, config.ClusterIdentity).preview(ctx, config.RetentionDays, diags)
}

// Invoke takes a snapshot, and waits until it is complete. Any other end is an error, because
// there is no state that could record it. So is a snapshot that may be another one.
func (a *onDemandSnapshotAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	diags := &resp.Diagnostics
	config := tf.Read[onDemandSnapshotActionModel](ctx, req.Config, diags)
	ctx, cancel := tf.Within(a.WithProgress(ctx, resp), config.Timeouts.Invoke, defaultTimeout, diags)
	defer cancel()
	if diags.HasError() || !a.Ready(createSummary, diags) {
		return
	}
	// Terraform validates an action only in the plan, when values may be unknown.
	if days := config.RetentionDays.ValueInt64(); days < 1 || days > maxRetentionDays {
		diags.AddAttributeError(path.Root("retention_days"), createSummary, fmt.Sprintf("retention_days must be from 1 to %d. No snapshot was requested.", maxRetentionDays))
		return
	}
	snapshotsOf(a.Data, config.ClusterIdentity).take(ctx, config.RetentionDays.ValueInt64(), invokeAgain, diags)
}
