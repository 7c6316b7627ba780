package restores

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type restoreJobAction struct{ connection.Action }

// NewRestoreJobAction returns the action opsmanager_restore_job. It restores only into a cluster:
// an action has no state that could store a download link, which is a secret.
func NewRestoreJobAction() action.Action {
	return &restoreJobAction{connection.Action{TypeName: "restore_job"}}
}

type restoreJobActionModel struct {
	restoreModel
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

func (a *restoreJobAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	number := func(description string, least int64, validators ...validator.Int64) schema.Int64Attribute {
		return schema.Int64Attribute{
			Optional:            true,
			CustomType:          tf.WholeNumberType{},
			Validators:          append(validators, int64validator.AtLeast(least)),
			MarkdownDescription: description,
		}
	}
	root := path.MatchRoot
	resp.Schema = schema.Schema{
		MarkdownDescription: "Restores a snapshot or a point in time of a cluster into a cluster, and waits until the restore has ended.\n\n" +
			"!> **A restore replaces all data of its target.** `target_cluster_name` must be its name, which the provider checks right before the request.\n\n" +
			"-> Requires the role `Project Backup Admin` in the projects of both clusters.\n\n" +
			"Each invocation requests one restore, and never repeats the request. The action fails if the restore does not finish within the timeout, or if the outcome of its request is not known. " +
			"Look at the restore in Ops Manager, or with the data source `opsmanager_restore_jobs`, before you invoke the action again: **each invocation starts a new restore.**\n\n" +
			"To restore to a download link, use the resource `opsmanager_restore_job`.",
		Attributes: map[string]schema.Attribute{
			"project_id": tf.ActionObjectID("ID of the project of the cluster whose backup is restored."),
			"cluster_id": tf.ActionObjectID("ID of the replica set or of the whole sharded cluster whose backup is restored."),

			"snapshot_id": schema.StringAttribute{
				Optional: true,
				Validators: append(tf.ObjectIDValidators(),
					stringvalidator.ConflictsWith(root("point_in_time"), root("oplog_ts")),
				),
				MarkdownDescription: "ID of the snapshot to restore.",
			},
			"point_in_time": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{tf.ATime, stringvalidator.ConflictsWith(root("oplog_ts"))},
				MarkdownDescription: "Point in time to restore, ISO 8601 to the millisecond, such as `2026-11-22T12:05:00.250+02:00`.",
			},
			"oplog_ts":  number("Time of the last oplog entry to restore, in seconds since 1970, UTC. Requires `oplog_inc`.", 0, atMost32Bits, int64validator.AlsoRequires(root("oplog_inc"))),
			"oplog_inc": number("Order of the oplog entry within its second, `1` or more. Requires `oplog_ts`.", 1, atMost32Bits, int64validator.AlsoRequires(root("oplog_ts"))),

			"target_project_id": tf.ActionObjectID("ID of the project of the cluster to restore into."),
			"target_cluster_id": tf.ActionObjectID("ID of the cluster to restore into."),
			"target_cluster_name": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Exact name of the cluster to restore into, which confirms that it may be overwritten.",
			},
			"overwrite_source": schema.BoolAttribute{Optional: true, MarkdownDescription: overwriteSourceDescription},
			"timeouts":         tf.ActionTimeouts(ctx, "Defaults to `6h`."),
		},
	}
}

// restore returns the restore of an action, and the resource whose code starts it.
func (a *restoreJobAction) restore(config restoreJobActionModel) (*restoreJobResource, restoreJobModel) {
	return &restoreJobResource{connection.Resource(a.Action)}, restoreJobModel{restoreModel: config.restoreModel}
}

// ModifyPlan fails if a restore is certain to fail, and warns about what it overwrites.
func (a *restoreJobAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	config := tf.Read[restoreJobActionModel](ctx, req.Config, diags)
	if diags.HasError() {
		return
	}
	r, m := a.restore(config)
	r.planRestore(ctx, m, invoked, nil, diags)
}

// Invoke starts a restore, and waits until it is FINISHED. Any other end is an error, because
// there is no state that could record it.
func (a *restoreJobAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	diags := &resp.Diagnostics
	config := tf.Read[restoreJobActionModel](ctx, req.Config, diags)
	timeout, problems := config.Timeouts.Invoke(ctx, defaultTimeout)
	diags.Append(problems...)
	if diags.HasError() || !a.Ready(startSummary, diags) {
		return
	}
	r, m := a.restore(config)
	if m.checkRules(diags); diags.HasError() {
		return
	}
	ctx = a.WithProgress(ctx, resp)
	connection.Progress(ctx, fmt.Sprintf("Restoring %s into %s, which replaces all its data", m.source(), m.target()))
	jobs, lost := r.start(ctx, m, timeout, diags)
	switch {
	case diags.HasError():
		return
	case lost != nil:
		unknown := fmt.Sprintf("It is not known whether Ops Manager started to restore %s into %s. ", m.source(), m.target())
		newest := cmp.Or(r.newest(ctx, m, nil), noneListed)
		diags.AddError(undecidedSummary(m), unknown+tf.Sentence(lost)+"\n\n"+newest+"\n\n"+again)
		return
	}
	if left := r.follow(ctx, &m, jobs, timeout); left != "" {
		summary, detail := m.unfinished(left)
		diags.AddError(summary, detail+again)
	} else if summary, detail := m.badEnd(); summary != "" {
		diags.AddError(summary, detail+"\n\n"+again)
	}
}

// checkRules applies the rules of the schema again. Terraform validates an action only in the plan,
// when values may be unknown.
func (m restoreJobModel) checkRules(diags *diag.Diagnostics) {
	m.checkComplete(diags)
	sources := slices.DeleteFunc([]attr.Value{m.SnapshotID, m.PointInTime, m.OplogTs}, attr.Value.IsNull)
	if len(sources) > 1 {
		diags.AddError("Restore With Several Sources", "A restore has one source. Set only one of snapshot_id, point_in_time, and oplog_ts with oplog_inc. No restore was started.")
	}
	if m.OplogTs.IsNull() != m.OplogInc.IsNull() {
		diags.AddAttributeError(path.Root("oplog_ts"), "Incomplete Oplog Entry", "oplog_ts and oplog_inc require each other. No restore was started.")
	}
	if m.OplogTs.ValueInt64() > math.MaxUint32 || m.OplogInc.ValueInt64() > math.MaxUint32 {
		diags.AddAttributeError(path.Root("oplog_ts"), "Invalid Oplog Entry", fmt.Sprintf("oplog_ts and oplog_inc must be at most %d. No restore was started.", uint32(math.MaxUint32)))
	}
	problem := tf.InvalidTime(m.PointInTime.ValueString())
	if !m.PointInTime.IsNull() && problem != "" {
		diags.AddAttributeError(path.Root("point_in_time"), "Invalid Time", problem+" No restore was started.")
	}
}

// again says what to do before the action is invoked again.
const again = "The provider did not send the request again. Look at the restore in Ops Manager, or read it with the data source opsmanager_restore_jobs, before you invoke the action again. That would start another restore, which overwrites the target again."
