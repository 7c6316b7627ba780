package snapshots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type onDemandSnapshotResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure      = (*onDemandSnapshotResource)(nil)
	_ resource.ResourceWithIdentity       = (*onDemandSnapshotResource)(nil)
	_ resource.ResourceWithImportState    = (*onDemandSnapshotResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*onDemandSnapshotResource)(nil)
	_ resource.ResourceWithValidateConfig = (*onDemandSnapshotResource)(nil)
)

// NewOnDemandSnapshotResource returns the resource opsmanager_on_demand_snapshot.
func NewOnDemandSnapshotResource() resource.Resource { return &onDemandSnapshotResource{} }

// Metadata implements [resource.Resource]. The identity changes once if a snapshot is
// found only after its creation.
func (r *onDemandSnapshotResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_on_demand_snapshot"
	resp.ResourceBehavior.MutableIdentity = true
}

// The values of on_destroy.
const (
	keepOnDestroy   = "keep"
	deleteOnDestroy = "delete"
)

const defaultTimeout = 2 * time.Hour

func (r *onDemandSnapshotResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Takes one snapshot of a cluster, and manages when it expires. You can also import any other snapshot, for example to hold it.\n\n" +
			"Creating this resource waits until the cluster has a complete snapshot and none is in progress, because Ops Manager rejects the request until then. It then requests one snapshot, and waits until it is complete. " +
			"**Only a change of `triggers`, `project_id` or `cluster_id` takes a new snapshot.**\n\n" +
			"Destroying this resource only removes the snapshot from the state, unless you set `on_destroy`.\n\n" +
			"-> Taking a snapshot requires Ops Manager 7.0.12 or later, and the role `Global Backup Admin`. Changing the expiry of a snapshot requires the role `Project Backup Admin`.\n\n" +
			"The provider requests a snapshot once, and the apply succeeds only if it is complete:\n\n" +
			"- If Ops Manager refuses the request, the apply fails at once.\n" +
			"- If the outcome is unknown, because the response is lost or reports a failure, the provider looks for the snapshot for up to five minutes. If an accepted snapshot does not appear, it looks for 20 minutes. " +
			"If it finds none, the apply fails, lists the new snapshots, and stores nothing. **The next apply takes a new snapshot**, so look first. You can also import the right one.\n" +
			"- If the apply is interrupted, the next refresh continues to look for the snapshot. Check `complete` in a `postcondition`, as the examples do, so that nothing that depends on the snapshot goes on without it.\n\n" +
			"The response to a request has no ID. The provider is sure of a snapshot that was imported, and of a new one if Ops Manager accepted the request and no other new snapshot fits it. " +
			"Any other one is a guess: the apply warns, and the resource neither changes nor deletes the snapshot until you import it.\n\n" +
			"If the snapshot expires or is deleted, the resource stays in the state with `gone = true`, and no other snapshot is taken.",
		Attributes: map[string]schema.Attribute{
			"project_id": attributes.ObjectID(attributes.ProjectIDText + " Changing it takes a snapshot of the new cluster."),
			"cluster_id": attributes.ObjectID(attributes.ClusterIDText + " Changing it takes a snapshot of the new cluster."),
			"retention_days": schema.Int64Attribute{
				Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Days to keep the snapshot, `1` or more. Required to take a snapshot. Changing it sets `expires` to that many days after `created`, unless you set `expires` or `do_not_delete`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Map of any values. Changing it takes a new snapshot. Adding it to an imported snapshot does not.",
			},
			"expires": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{tfmodel.TimeValidator{}},
				MarkdownDescription: "Time after which Ops Manager may delete the snapshot, ISO 8601, such as `2027-01-31T00:00:00Z` or `2027-01-31`. In UTC if it has no offset. " +
					"If unset, the current value is kept and exported. Null if `do_not_delete` is true. Conflicts with `do_not_delete = true`. Ops Manager rejects a change after the snapshot has expired.",
			},
			"do_not_delete": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether to hold the snapshot: Ops Manager then neither lets it expire nor deletes it. If unset, the current value is kept and exported. " +
					"When you set it to `false` again, also set `expires` or `retention_days`: otherwise Ops Manager decides when the snapshot expires.",
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf(keepOnDestroy, deleteOnDestroy)},
				MarkdownDescription: "What a destroy does to the snapshot: `keep` leaves it to Ops Manager, which deletes it after it expires, and `delete` deletes it. " +
					"`delete` fails unless the cluster has a later snapshot that is complete, so that no cluster loses its last backup. A change of `triggers` destroys the previous snapshot too: use it with `create_before_destroy`. " +
					"`-replace` and `replace_triggered_by` are errors with `delete`, because Terraform does not show the provider's warnings about them. " +
					"A destroy uses the value in the state: set it and apply before you destroy. Defaults to `keep`.",
			},
			"timeouts": timeoutsAttribute(ctx),

			"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the snapshot. Null while the provider looks for the snapshot that it requested."},
			"created":  schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the snapshot was taken, ISO 8601 in UTC."},
			"complete": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the snapshot is complete, so that it can be restored."},
			"gone":     schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether Ops Manager no longer has the snapshot, because it expired or was deleted. The other attributes keep their last values."},
		},
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return attributes.Timeouts(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long to wait until a snapshot can be taken and is complete, as a duration such as `30m` or `6h`. Defaults to `2h`.",
		UpdateDescription: "How long to wait until a snapshot in progress is complete, before its expiry is changed. Defaults to `2h`.",
		DeleteDescription: "How long to wait until a snapshot in progress is complete, before it is deleted. Defaults to `2h`.",
	})
}

func (r *onDemandSnapshotResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = projects.ClusterIdentitySchema()
	resp.IdentitySchema.Attributes["id"] = identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the snapshot: 24 hexadecimal digits."}
}

// ValidateConfig rejects a snapshot that is held and expires.
func (r *onDemandSnapshotResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	if config.DoNotDelete.ValueBool() && !config.Expires.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("expires"), "Held Snapshot With an Expiry",
			"A snapshot with do_not_delete = true does not expire. Remove expires, or set do_not_delete to false.")
	}
}

const (
	createSummary = "Unable to Take Snapshot"
	readSummary   = "Unable to Read Snapshot"
	updateSummary = "Unable to Change the Expiry of the Snapshot"
	deleteSummary = "Unable to Delete Snapshot"

	previewSummary = "Unable to Preview Snapshot"
)

// Create requests a snapshot once, and waits until it is complete. If it fails, the state has
// nothing: Terraform would replace what it stores. Only an interrupted creation is stored before
// the snapshot is complete, so that the next refresh continues to look for it.
func (r *onDemandSnapshotResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	ctx, cancel := attributes.Within(ctx, plan.Timeouts.Create, defaultTimeout, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() || !r.Ready(createSummary, &resp.Diagnostics) {
		return
	}
	created, own := r.take(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	created.settle()
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, created.identity())...)
	tfmodel.WritePrivate(ctx, resp.Private, claimKey, own, &resp.Diagnostics)
}

// take takes a snapshot with the planned expiry, and returns its state and its claim. If it adds
// an error, the provider does not know the snapshot.
func (r *onDemandSnapshotResource) take(ctx context.Context, plan onDemandSnapshotModel, diags *diag.Diagnostics) (onDemandSnapshotModel, claim) {
	q := plan.snapshots(r.Data).request(ctx, plan.RetentionDays.ValueInt64(), diags)
	if diags.HasError() {
		return plan, claim{}
	}
	snapshot := plan
	if q.found != nil {
		snapshot.fromAPI(*q.found)
		plan.ID = snapshot.ID
	}
	interrupted := errors.Is(q.err, context.Canceled)
	change, changes := opsmanager.SnapshotExpiry{}, false
	if q.found != nil && !interrupted {
		change, changes = expiryChange(plan, readSnapshot(plan, *q.found))
	}
	switch {
	case interrupted:
		diags.Append(q.interrupted())
		return snapshot.asPlanned(plan), claim{Request: &q.snapshotRequest}
	case q.err != nil, q.found == nil, !q.known && changes: // a guess is not changed
		diags.Append(q.failure(applyAgain))
		return plan, claim{}
	case !q.known:
		diags.Append(q.guess())
	case changes:
		if changed, failed := q.changeExpiry(ctx, *q.found, change); failed != nil {
			diags.AddWarning(fmt.Sprintf("Expiry of Snapshot %s Not Changed", snapshot.ID.ValueString()),
				failed.Detail()+"\n\nThe snapshot is complete. The next plan shows what is left to change.")
		} else {
			snapshot.fromAPI(*changed)
		}
	}
	return snapshot.asPlanned(plan), q.settled()
}

// asPlanned returns a new state with the planned expiry, which Terraform requires. The next refresh
// reads the live one.
func (m onDemandSnapshotModel) asPlanned(plan onDemandSnapshotModel) onDemandSnapshotModel {
	if !plan.Expires.IsUnknown() {
		m.Expires = plan.Expires
	}
	if !plan.DoNotDelete.IsUnknown() {
		m.DoNotDelete = plan.DoNotDelete
	}
	return m
}

// readSnapshot returns a model with the live expiry.
func readSnapshot(m onDemandSnapshotModel, live opsmanager.ClusterSnapshot) onDemandSnapshotModel {
	m.Expires, m.DoNotDelete = types.StringNull(), types.BoolValue(false)
	m.fromAPI(live)
	return m
}

// Read reads a snapshot, or looks for it if it has not been found yet. A snapshot that is
// gone stays in the state. Otherwise, Terraform would take another one.
func (r *onDemandSnapshotResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	own := readClaim(ctx, req.Private, &resp.Diagnostics)
	switch {
	case own.Request == nil && state.ID.IsNull():
		resp.Diagnostics.Append(state.notRecorded())
		return
	case own.Request != nil:
		var failed diag.Diagnostic
		if own, failed = r.resume(ctx, &state, own, &resp.Diagnostics); failed != nil {
			resp.Diagnostics.Append(failed)
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, claimKey, own, &resp.Diagnostics)
		if state.ID.IsNull() {
			if own.Request == nil {
				resp.State.RemoveResource(ctx)
				// Terraform passes the private data to the plan that follows, which would mistake its
				// creation for a replacement.
				resp.Diagnostics.Append(resp.Private.SetKey(ctx, hiddenDeletionKey, nil)...)
			}
			return
		}
	}
	live, err := state.snapshots(r.Data).read(ctx, state.ID.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.Append(snapshotFailure(readSummary, err))
		return
	case live == nil && state.Complete.IsNull(): // just imported
		resp.Diagnostics.AddAttributeError(path.Root("id"), readSummary,
			fmt.Sprintf("Cluster %s has no snapshot %s. Check both IDs. The data source opsmanager_cluster_snapshots lists the snapshots of a cluster.", state.ClusterID.ValueString(), state.ID.ValueString()))
		return
	case live == nil:
		state.Gone = types.BoolValue(true)
	default:
		state.fromAPI(*live)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
}

// resume continues the search of an interrupted run. It sets the ID of the snapshot once it is
// found, and decides when the snapshot is complete whether it is known. If the search is over
// and has not found it, the claim has no request.
func (r *onDemandSnapshotResource) resume(ctx context.Context, state *onDemandSnapshotModel, own claim, diags *diag.Diagnostics) (claim, diag.Diagnostic) {
	q := requested{snapshotRequest: *own.Request, clusterSnapshots: state.snapshots(r.Data)}
	all, err := q.list(ctx)
	if err != nil && !opsmanager.IsGone(err) {
		return own, snapshotFailure(readSummary, err)
	}
	q.match = q.snapshotRequest.match(all)
	id := state.ID.ValueString()
	switch {
	case q.found != nil && (id == "" || strings.EqualFold(q.id(), id)):
		state.ID = types.StringValue(q.id())
		if isRunning(*q.found) {
			return own, nil
		}
		if !q.known {
			diags.Append(q.guess())
		}
		return q.settled(), nil
	case id != "": // another one fits better, or none
		return claim{Guess: true}, nil
	case !q.isOver():
		diags.Append(q.searching())
		return own, nil
	}
	failure := q.failure("The resource was removed from the state. " + applyAgain)
	diags.AddWarning(failure.Summary(), failure.Detail())
	return claim{}, nil
}

// Update changes the expiry as planned, and nothing else.
func (r *onDemandSnapshotResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	updated := plan
	if changesExpiry(plan, prior) && !prior.Gone.ValueBool() {
		if !r.Ready(updateSummary, &resp.Diagnostics) {
			return
		}
		own := readClaim(ctx, req.Private, &resp.Diagnostics)
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if own.Request != nil {
			r.finish(ctx, updateSummary, &plan, *own.Request, &resp.Diagnostics)
			own = claim{Known: true}
		}
		if own.Guess {
			resp.Diagnostics.Append(plan.notChanged())
		}
		if resp.Diagnostics.HasError() {
			return
		}
		var failed diag.Diagnostic
		if updated, failed = r.update(ctx, plan, prior); failed != nil {
			resp.Diagnostics.Append(failed)
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, claimKey, own, &resp.Diagnostics)
	}
	updated.settle()
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, updated.identity())...)
}

// finish follows the request of an interrupted run until its snapshot is complete, and sets the
// ID of the snapshot. It fails unless the snapshot is known.
func (r *onDemandSnapshotResource) finish(ctx context.Context, summary string, m *onDemandSnapshotModel, request snapshotRequest, diags *diag.Diagnostics) {
	q := requested{snapshotRequest: request, clusterSnapshots: m.snapshots(r.Data)}
	q.match, q.err = q.follow(ctx, request)
	if q.err != nil || !q.known || m.ID.ValueString() != "" && !strings.EqualFold(m.ID.ValueString(), q.id()) {
		diags.AddError(summary, q.failure("Run terraform plan to see what the next refresh finds.").Detail())
		return
	}
	m.fromFound(*q.found)
}

// update changes the expiry of a snapshot, as soon as it is complete. It returns the new
// state.
func (r *onDemandSnapshotResource) update(ctx context.Context, plan, prior onDemandSnapshotModel) (onDemandSnapshotModel, diag.Diagnostic) {
	snapshots := plan.snapshots(r.Data)
	live, err := snapshots.waitUntilComplete(ctx, plan.ID.ValueString())
	switch {
	case err != nil:
		return prior, waitFailure(ctx, updateSummary, plan, err)
	case live == nil:
		return prior, diag.NewErrorDiagnostic(updateSummary, fmt.Sprintf("Ops Manager no longer has snapshot %s: it was deleted, or it expired. Apply again.", plan.ID.ValueString()))
	}
	plan.fromFound(*live)
	change, _ := expiryChange(plan, prior)
	changed, failed := snapshots.changeExpiry(ctx, *live, change)
	if failed != nil {
		return prior, failed
	}
	plan.fromAPI(*changed)
	return plan, nil
}

// Delete deletes the snapshot if on_destroy says so in the state, the provider knows that it is
// the requested or imported one, and the cluster has a later one.
func (r *onDemandSnapshotResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	ctx, cancel := attributes.Within(ctx, state.Timeouts.Delete, defaultTimeout, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() != deleteOnDestroy || state.Gone.ValueBool() || !r.Ready(deleteSummary, &resp.Diagnostics) {
		return
	}
	own := readClaim(ctx, req.Private, &resp.Diagnostics)
	switch {
	case own.Request != nil && !state.ID.IsNull():
		if r.finish(ctx, deleteSummary, &state, *own.Request, &resp.Diagnostics); resp.Diagnostics.HasError() {
			return
		}
	case !own.Known:
		resp.Diagnostics.Append(state.notDeleted())
		return
	}
	snapshots := state.snapshots(r.Data)
	live, err := snapshots.waitUntilComplete(ctx, state.ID.ValueString()) // which Ops Manager requires
	switch {
	case err != nil:
		resp.Diagnostics.Append(waitFailure(ctx, deleteSummary, state, err))
		return
	case live == nil:
		return
	}
	all, err := snapshots.list(ctx)
	switch {
	case err != nil:
		resp.Diagnostics.Append(snapshotFailure(deleteSummary, err))
		return
	case !hasSuccessor(*live, all):
		resp.Diagnostics.AddError(deleteSummary, fmt.Sprintf("Cluster %s has no later snapshot that is complete, so deleting snapshot %s could leave the cluster without a recent backup. "+
			"The snapshot stays in the Terraform state. Apply again after a later snapshot is complete. To replace a snapshot, set create_before_destroy = true in its lifecycle block. "+
			"To keep the snapshot, set on_destroy = \"keep\" and apply that without a change of triggers. To keep that of a deposed object, run 'terraform state rm ADDRESS', and import the current snapshot again.", state.ClusterID.ValueString(), state.ID.ValueString()))
		return
	}
	if err := snapshots.delete(ctx, *live); err != nil && !opsmanager.IsGone(err) {
		resp.Diagnostics.Append(snapshotFailure(deleteSummary, err))
	}
}

func (r *onDemandSnapshotResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := imports.ID{
		Attributes: []string{"project_id", "cluster_id", "id"}, Separator: "/",
		Advice: "Import a snapshot by project_id/cluster_id/id, or by an identity with these IDs.",
	}
	if id.Set(ctx, req, resp) != nil {
		tfmodel.WritePrivate(ctx, resp.Private, claimKey, claim{Known: true, Imported: true}, &resp.Diagnostics)
	}
}
