package restores

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// tracker records what a provider process reads and plans for restores, so that a plan recognizes a
// restore that it would repeat. Terraform shows a plan neither the state of a tainted resource nor that
// of another address. It starts a process for each plan, each apply, and each configuration of the
// provider.
var tracker connection.Shared[connection.Tracker[string, []planned]]

type planned struct {
	restoreJobModel
	does doing
}

// doing is what a plan does with a restore.
type doing int

const (
	stored  doing = iota // the state has it
	created              // a new resource starts it
	updated              // other triggers start it
	invoked              // an action starts it
)

// add adds a restore to the tracker, and returns those that it had before.
func (r *restoreJobResource) add(m restoreJobModel, does doing) []planned {
	return tracker.Of(r.Data).Plan("", func(all *[]planned) { *all = append(slices.Clip(*all), planned{m, does}) })
}

// mayEqual reports whether two values are equal, as far as they are known.
func mayEqual(a, b attr.Value) bool {
	left, isMap := a.(types.Map)
	right, wasMap := b.(types.Map)
	if isMap && wasMap && !left.IsUnknown() && !right.IsUnknown() {
		return maps.EqualFunc(left.Elements(), right.Elements(), mayEqual)
	}
	return a.IsUnknown() || b.IsUnknown() || sameText(a, b)
}

// repeats reports whether a new restore may be one of the state again, by their clusters and triggers.
// Whatever a restore into a cluster restores, it overwrites the cluster. One whose request was lost repeats
// with another target too: only a change of triggers decides that it may be requested again. A restore to a link overwrites
// nothing, so one that was started is a different one if it has another source.
func (m restoreJobModel) repeats(state restoreJobModel) bool {
	hasSource := mayEqual(m.SnapshotID, state.SnapshotID) && mayEqual(m.PointInTime, state.PointInTime) && mayEqual(m.OplogTs, state.OplogTs) && mayEqual(m.OplogInc, state.OplogInc)
	return mayEqual(m.ProjectID, state.ProjectID) && mayEqual(m.ClusterID, state.ClusterID) && (state.ID.IsNull() || mayEqual(m.TargetClusterID, state.TargetClusterID)) &&
		mayEqual(m.triggers(), state.triggers()) && (hasSource || !m.TargetClusterID.IsNull() || state.ID.IsNull())
}

// addStarted adds a restore that a plan starts. It fails if the plan starts another one into the same
// cluster, or if the state has the restore at an address that is tainted, replaced, renamed or removed.
// A value that is not known yet may turn out to be that of the state. With create_before_destroy, the
// apply would not notice that, because Terraform doesn't show it the previous object before the creation.
func (r *restoreJobResource) addStarted(ctx context.Context, m restoreJobModel, does doing, diags *diag.Diagnostics) {
	for _, other := range r.add(m, does) {
		isSameTarget := tfmodel.StringPointer(m.TargetClusterID) != nil && !other.TargetClusterID.IsUnknown() && sameText(m.TargetClusterID, other.TargetClusterID)
		switch {
		case other.does == stored && does == created && m.repeats(other.restoreJobModel):
			diags.Append(r.repeated(ctx, other.restoreJobModel))
			return
		case other.does != stored && isSameTarget:
			diags.AddAttributeError(path.Root("target_cluster_id"), fmt.Sprintf("Two Restores Into Cluster %s", m.TargetClusterID.ValueString()),
				fmt.Sprintf("The plan starts two restores into cluster %s of project %s. Each replaces all its data, and Terraform applies them in any order. "+
					"Remove one of them, or apply them one after the other with -target. If it is one resource, change triggers without -replace or replace_triggered_by.",
					m.TargetClusterID.ValueString(), m.TargetProjectID.ValueString()))
			return
		}
	}
}

// addStored adds a restore in the state. It returns an error if a new resource would start it again.
func (r *restoreJobResource) addStored(ctx context.Context, m restoreJobModel) (diags diag.Diagnostics) {
	for _, other := range r.add(m, stored) {
		if other.does == created && other.repeats(m) {
			diags.Append(r.repeated(ctx, m))
			break
		}
	}
	return diags
}

// StateRead records a restore in the state, as JSON, that Terraform reads. Terraform refreshes
// neither a resource with -refresh=false nor one that a removed block forgets, and it plans a tainted
// resource like a new one. So this is the only sign of them.
func StateRead(ctx context.Context, data *connection.Data, state []byte) diag.Diagnostics {
	if data == nil {
		return nil
	}
	r := &restoreJobResource{connection.Resource{Data: data}}
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	raw, err := (&tfprotov6.RawState{JSON: state}).UnmarshalWithOpts(described.Schema.Type().TerraformType(ctx), tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	var m restoreJobModel
	if err != nil || tfmodel.Read(ctx, tfsdk.State{Raw: raw, Schema: described.Schema}, &m).HasError() {
		return nil // the framework reports it
	}
	return r.addStored(ctx, m)
}

// repeated returns the error of a plan that would start a restore of the state again.
func (r *restoreJobResource) repeated(ctx context.Context, state restoreJobModel) diag.Diagnostic {
	if state.ID.IsNull() {
		return r.undecided(ctx, state, "")
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), fmt.Sprintf("Restore of Cluster %s Would Be Repeated", state.ClusterID.ValueString()),
		fmt.Sprintf("The Terraform state has restore %s with the same clusters and triggers, as far as they are known yet, and the plan would start it again. "+onlyTriggers+"\n\n"+
			"  - To restore again, change triggers, without -replace or replace_triggered_by.\n"+
			"  - If the resource is tainted, run 'terraform untaint ADDRESS'.\n"+
			"  - If you renamed the resource, add a moved block.\n"+
			"  - If it is a different restore, give it triggers of its own.\n"+
			"  - To destroy the configuration, run 'terraform destroy -refresh=false'.", opsmanager.Sanitize(state.ID.ValueString())))
}
