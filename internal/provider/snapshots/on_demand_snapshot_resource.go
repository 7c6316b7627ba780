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
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
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
	id := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Required: true, PlanModifiers: []planmodifier.String{connection.ObjectIDModifier{}}, Validators: connection.ObjectIDValidators(),
			MarkdownDescription: description,
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Takes one snapshot of a cluster, and manages when it expires. You can also import any other snapshot, for example to hold it.\n\n" +
			"Creating this resource waits until the cluster has a complete snapshot and none is in progress, because Ops Manager rejects the request until then. It then requests one snapshot, and waits until it is complete. " +
			"**Only a change of `triggers`, `project_id` or `cluster_id` takes another snapshot.**\n\n" +
			"Destroying this resource only removes the snapshot from the state, unless you set `on_destroy`.\n\n" +
			"-> Taking a snapshot requires Ops Manager 7.0.12 or later, and the role `Global Backup Admin`. Changing the expiry of a snapshot requires the role `Project Backup Admin`.\n\n" +
			"The provider requests a snapshot once, whatever happens to the response. If the response is lost, it looks for the snapshot in the cluster's list. " +
			"If the apply ends before the snapshot is found or complete, because of an error, a timeout or Ctrl-C, the apply succeeds with a warning, because a failed creation would make Terraform take another snapshot. " +
			"Each refresh continues to look for the snapshot. To fail the run, check `complete` in a `postcondition`, as the examples do.\n\n" +
			"If the snapshot expires or is deleted, the resource stays in the state with `gone = true`, and no other snapshot is taken.",
		Attributes: map[string]schema.Attribute{
			"project_id": id("ID of the project (group) that the cluster belongs to: 24 hexadecimal digits. Changing it takes a snapshot of the other cluster."),
			"cluster_id": id("ID of the replica set or of the whole sharded cluster, not of a shard: 24 hexadecimal digits. Changing it takes a snapshot of the other cluster."),
			"retention_days": schema.Int64Attribute{
				Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Days to keep the snapshot, `1` or more. Required to take a snapshot. Changing it sets `expires` to that many days after `created`, unless you set `expires` or `do_not_delete`.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Map of any values. Changing it takes another snapshot. Adding it to an imported snapshot does not.",
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
					"A change of `triggers` destroys the previous snapshot too. The value in the state counts: set it and apply before you destroy. Defaults to `keep`.",
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
	return connection.TimeoutsAttribute(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long to wait until a snapshot can be taken and is complete, as a duration such as `30m` or `6h`. Defaults to `2h`.",
		UpdateDescription: "How long to wait until a snapshot in progress is complete, before its expiry is changed. Defaults to `2h`.",
		DeleteDescription: "How long to wait until a snapshot in progress is complete, before it is deleted. Defaults to `2h`.",
	})
}

// snapshotCodes maps the codes and fields of the API to attributes.
var snapshotCodes = map[string]string{
	"BACKUP_JOB_NOT_FOUND":                    "cluster_id",
	"BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID": "retention_days",
	"ALREADY_EXPIRED":                         "expires",

	"retentionDays": "retention_days", "expires": "expires", "doNotDelete": "do_not_delete",
}

func snapshotFailure(summary string, err error) diag.Diagnostic {
	return diagnostics.Failure(summary, err, snapshotCodes, projects.Codes, projects.ClusterCodes)
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
)

// Create requests a snapshot once, and waits until it is complete. After the request, it
// only warns: an error would make Terraform take another snapshot, whether or not this
// one is in the state.
func (r *onDemandSnapshotResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(createSummary, &resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	created, unfound, failed := r.take(ctx, plan, &resp.Diagnostics)
	if failed != nil {
		resp.Diagnostics.Append(failed)
		return
	}
	created.settle()
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, created.identity())...)
	if unfound != nil {
		tfmodel.WritePrivate(ctx, resp.Private, requestKey, unfound, &resp.Diagnostics)
	}
}

// requested is a snapshot that was requested.
type requested struct {
	snapshotRequest
	found      *opsmanager.ClusterSnapshot  // nil if it was not found
	candidates []opsmanager.ClusterSnapshot // snapshots that could be the requested one
	err        error                        // why it was not found, if known
}

// request requests a snapshot as soon as Ops Manager accepts the request, and looks for the
// snapshot. If it returns a diagnostic, no snapshot was taken.
func (r *onDemandSnapshotResource) request(ctx context.Context, project, cluster string, days int64) (q requested, failed diag.Diagnostic) {
	done, err := connection.Shared[turns](r.Data).take(ctx, cluster)
	if err != nil {
		return q, diag.NewErrorDiagnostic(createSummary, notRequested(cluster, err))
	}
	defer done()
	before, err := r.waitUntilReady(ctx, project, cluster)
	switch {
	case errors.Is(err, errNotBackedUp):
		return q, diag.NewAttributeErrorDiagnostic(path.Root("cluster_id"), createSummary,
			fmt.Sprintf("The backup of cluster %s is not started, and the cluster has no snapshots. Start the backup, for example with opsmanager_backup_config, then apply again.", cluster))
	case ctx.Err() != nil && err != nil:
		return q, diag.NewErrorDiagnostic(createSummary, notRequested(cluster, err))
	case err != nil:
		return q, snapshotFailure(createSummary, err)
	}
	q.snapshotRequest = snapshotRequest{At: time.Now(), Days: days}
	for _, s := range before {
		q.Before = append(q.Before, tfmodel.Text(s.ID))
	}
	_, lost := r.Client.TakeSnapshot(ctx, project, cluster, days)
	if lost != nil && !opsmanager.MayHaveChanged(lost) {
		return q, snapshotFailure(createSummary, lost)
	}
	q.Accepted = lost == nil
	q.found, q.candidates, err = r.search(ctx, project, cluster, q.snapshotRequest)
	q.err = errors.Join(lost, err)
	return q, nil
}

// take requests a snapshot, and waits until it is complete. If it returns a diagnostic,
// no snapshot was taken. Otherwise it returns the known values of the snapshot, and also
// the request if it did not find the snapshot. It adds warnings about what went wrong.
func (r *onDemandSnapshotResource) take(ctx context.Context, plan onDemandSnapshotModel, diags *diag.Diagnostics) (onDemandSnapshotModel, *snapshotRequest, diag.Diagnostic) {
	cluster := plan.ClusterID.ValueString()
	q, failed := r.request(ctx, plan.ProjectID.ValueString(), cluster, plan.RetentionDays.ValueInt64())
	if failed != nil {
		return plan, nil, failed
	}
	found := q.found
	if found == nil {
		diags.Append(notFound(cluster, q.snapshotRequest, q.candidates, q.err))
		return plan, &q.snapshotRequest, nil
	}
	plan.ID = types.StringValue(tfmodel.Text(found.ID))
	taken, err := r.waitUntilComplete(ctx, plan)
	if taken == nil {
		taken = found
	}
	snapshot := plan
	snapshot.fromAPI(*taken)
	switch {
	case err != nil:
		diags.Append(notComplete(ctx, snapshot, err))
	case isRunning(*taken): // it is gone
		snapshot.Gone = types.BoolValue(true)
		diags.AddWarning(fmt.Sprintf("Snapshot %s of Cluster %s Is Gone", snapshot.ID.ValueString(), cluster),
			"Ops Manager no longer has the snapshot, which was not complete. It may have failed: check the cluster in Ops Manager. To take another one, change triggers.")
	default:
		if change, changes := expiryChange(plan, readSnapshot(plan, *taken)); changes {
			if changed, failed := r.changeExpiry(ctx, plan, change); failed != nil {
				diags.AddWarning(fmt.Sprintf("Expiry of Snapshot %s Not Changed", snapshot.ID.ValueString()),
					failed.Detail()+"\n\nThe snapshot is complete. The next plan shows what is left to change.")
			} else {
				snapshot.fromAPI(*changed)
			}
		}
	}
	// Terraform requires the planned values. The next refresh reads the live ones.
	if !plan.Expires.IsUnknown() {
		snapshot.Expires = plan.Expires
	}
	if !plan.DoNotDelete.IsUnknown() {
		snapshot.DoNotDelete = plan.DoNotDelete
	}
	return snapshot, nil, nil
}

// readSnapshot returns a model with the live expiry.
func readSnapshot(m onDemandSnapshotModel, live opsmanager.ClusterSnapshot) onDemandSnapshotModel {
	m.Expires, m.DoNotDelete = types.StringNull(), types.BoolValue(false)
	m.fromAPI(live)
	return m
}

// notRequested explains why a creation ended before the request.
func notRequested(cluster string, err error) string {
	if errors.Is(err, context.Canceled) {
		return fmt.Sprintf("The run was interrupted before a snapshot of cluster %s was requested.", cluster)
	}
	return diagnostics.Sentence(err)
}

// notFound warns that the snapshot of a request was not found.
func notFound(cluster string, request snapshotRequest, candidates []opsmanager.ClusterSnapshot, err error) diag.Diagnostic {
	detail := whyNotFound(request, err) + "\n\nEach refresh looks for it again. The provider does not request another one. If no snapshot appears, run 'terraform apply -replace=ADDRESS' to take one."
	if len(candidates) > 0 {
		detail += "\n\nThe provider can't tell whether one of these new snapshots is the requested one. If you know it, run 'terraform state rm ADDRESS' and import it:" + described(candidates)
	}
	return diag.NewWarningDiagnostic(fmt.Sprintf("Requested Snapshot of Cluster %s Not Found", cluster), detail)
}

// whyNotFound says why the snapshot of a request was not found.
func whyNotFound(request snapshotRequest, err error) string {
	text := "Ops Manager accepted the request, but the provider did not find the snapshot."
	if !request.Accepted {
		text = "Ops Manager may have taken a snapshot: the response to the request was lost or unclear. The provider did not find the snapshot."
	}
	if err != nil {
		text += " " + diagnostics.Sentence(err)
	}
	return text
}

// notComplete warns that the wait for a snapshot ended before it was complete.
func notComplete(ctx context.Context, m onDemandSnapshotModel, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Snapshot %s of Cluster %s Not Complete", m.ID.ValueString(), m.ClusterID.ValueString()),
		whyNotComplete(ctx, err)+"\n\nOps Manager continues by itself. Each refresh reads whether the snapshot is complete.")
}

// whyNotComplete says why the wait for a snapshot ended.
func whyNotComplete(ctx context.Context, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "The run was interrupted before the snapshot was complete."
	case ctx.Err() != nil:
		return "The snapshot is still in progress at the end of the timeout. If it only needs more time, set a longer timeout in timeouts."
	}
	return diagnostics.Explain(err)
}

// waitFailure is the error of an operation that waited for a snapshot to be complete.
func waitFailure(ctx context.Context, summary string, m onDemandSnapshotModel, err error) diag.Diagnostic {
	var failed *opsmanager.Error
	if errors.As(err, &failed) && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return snapshotFailure(summary, err)
	}
	return diag.NewErrorDiagnostic(summary, notComplete(ctx, m, err).Detail())
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
	if state.ID.IsNull() {
		var request snapshotRequest
		tfmodel.ReadPrivate(ctx, req.Private, requestKey, &request, &resp.Diagnostics)
		found, warning, err := r.locate(ctx, state, request)
		if err != nil {
			resp.Diagnostics.Append(snapshotFailure(readSummary, err))
			return
		}
		if found == nil {
			resp.Diagnostics.Append(warning)
			return
		}
		state.fromAPI(*found)
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
		resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
		return
	}
	live, err := r.snapshot(ctx, state)
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
}

// locate looks for the snapshot of an earlier request. If there is none, it returns a
// warning.
func (r *onDemandSnapshotResource) locate(ctx context.Context, state onDemandSnapshotModel, request snapshotRequest) (*opsmanager.ClusterSnapshot, diag.Diagnostic, error) {
	cluster := state.ClusterID.ValueString()
	all, err := r.list(ctx, state.ProjectID.ValueString(), cluster)
	if err != nil && !opsmanager.IsGone(err) {
		return nil, nil, err
	}
	found, candidates := request.find(all)
	return found, notFound(cluster, request, candidates, err), nil
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
		var request snapshotRequest
		tfmodel.ReadPrivate(ctx, req.Private, requestKey, &request, &resp.Diagnostics)
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		var failed diag.Diagnostic
		if updated, failed = r.update(ctx, plan, prior, request); failed != nil {
			resp.Diagnostics.Append(failed)
			return
		}
	}
	updated.settle()
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, updated.identity())...)
}

// update changes the expiry of a snapshot, as soon as it is complete. It returns the new
// state.
func (r *onDemandSnapshotResource) update(ctx context.Context, plan, prior onDemandSnapshotModel, request snapshotRequest) (onDemandSnapshotModel, diag.Diagnostic) {
	if prior.ID.IsNull() {
		found, unfound, err := r.locate(ctx, prior, request)
		if err != nil {
			return prior, snapshotFailure(updateSummary, err)
		}
		if found == nil {
			return prior, diag.NewErrorDiagnostic(updateSummary, unfound.Detail())
		}
		plan.fromFound(*found)
	}
	live, err := r.waitUntilComplete(ctx, plan)
	switch {
	case err != nil:
		return prior, waitFailure(ctx, updateSummary, plan, err)
	case live == nil:
		return prior, diag.NewErrorDiagnostic(updateSummary, fmt.Sprintf("Ops Manager no longer has snapshot %s: it was deleted, or it expired. Apply again.", plan.ID.ValueString()))
	}
	plan.fromFound(*live)
	change, _ := expiryChange(plan, prior)
	changed, failed := r.changeExpiry(ctx, plan, change)
	if failed != nil {
		return prior, failed
	}
	plan.fromAPI(*changed)
	return plan, nil
}

// changeExpiry changes the expiry of a snapshot, and fails if Ops Manager then returns
// another expiry.
func (r *onDemandSnapshotResource) changeExpiry(ctx context.Context, m onDemandSnapshotModel, change opsmanager.SnapshotExpiry) (*opsmanager.ClusterSnapshot, diag.Diagnostic) {
	project, cluster, id := m.ProjectID.ValueString(), m.ClusterID.ValueString(), m.ID.ValueString()
	live, err := r.Client.ChangeSnapshotExpiry(ctx, project, cluster, id, change)
	if err != nil {
		return nil, snapshotFailure(updateSummary, err)
	}
	differences := tfmodel.Returned(expiryDifferences(change, *live))
	if len(differences) > 0 {
		r.Settle(ctx, func() bool {
			if read, err := r.Client.ClusterSnapshot(ctx, project, cluster, id); err == nil {
				live, differences = read, tfmodel.Returned(expiryDifferences(change, *read))
			}
			return len(differences) == 0
		})
	}
	for _, d := range differences {
		return nil, d.Adjusted(ctx, "")
	}
	return live, nil
}

// Delete deletes the snapshot if on_destroy says so in the state.
func (r *onDemandSnapshotResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state onDemandSnapshotModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() != deleteOnDestroy || !r.Ready(deleteSummary, &resp.Diagnostics) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if state.ID.IsNull() {
		var request snapshotRequest
		tfmodel.ReadPrivate(ctx, req.Private, requestKey, &request, &resp.Diagnostics)
		found, warning, err := r.locate(ctx, state, request)
		if err != nil {
			resp.Diagnostics.Append(snapshotFailure(deleteSummary, err))
			return
		}
		if found == nil {
			resp.Diagnostics.AddWarning(warning.Summary(), "The provider did not find the snapshot that it requested, so it deleted none.")
			return
		}
		state.fromFound(*found)
	}
	live, err := r.waitUntilComplete(ctx, state) // which Ops Manager requires
	switch {
	case err != nil:
		resp.Diagnostics.Append(waitFailure(ctx, deleteSummary, state, err))
		return
	case live == nil:
		return
	}
	err = r.Client.DeleteClusterSnapshot(ctx, state.ProjectID.ValueString(), state.ClusterID.ValueString(), state.ID.ValueString())
	if err != nil && !opsmanager.IsGone(err) {
		resp.Diagnostics.Append(snapshotFailure(deleteSummary, err))
	}
}

func (r *onDemandSnapshotResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id snapshotIdentity
	given := req.ID
	if parts := strings.Split(given, "/"); len(parts) == 3 {
		id = snapshotIdentity{types.StringValue(parts[0]), types.StringValue(parts[1]), types.StringValue(parts[2])}
	}
	if given == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &id)...)
		given = strings.Join([]string{id.ProjectID.ValueString(), id.ClusterID.ValueString(), id.ID.ValueString()}, "/")
	}
	for name, value := range map[string]*types.String{"project_id": &id.ProjectID, "cluster_id": &id.ClusterID, "id": &id.ID} {
		if !connection.IsObjectID(value.ValueString()) {
			resp.Diagnostics.AddError("Invalid Import ID",
				fmt.Sprintf("Import a snapshot by project_id/cluster_id/id, or by an identity with these IDs. Each ID must be 24 hexadecimal digits; got %q.", given))
			return
		}
		*value = types.StringValue(strings.ToLower(value.ValueString()))
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), *value)...)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, id)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, projects.ImportedKey, []byte("true"))...)
}
