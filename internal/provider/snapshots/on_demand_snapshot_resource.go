package snapshots

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type onDemandSnapshotResource struct{ connection.Resource }

// NewOnDemandSnapshotResource returns the resource opsmanager_on_demand_snapshot.
func NewOnDemandSnapshotResource() resource.Resource {
	return &onDemandSnapshotResource{connection.Resource{TypeName: "on_demand_snapshot"}}
}

// The values of on_destroy.
const keepOnDestroy, deleteOnDestroy = "keep", "delete"

const defaultTimeout = 2 * time.Hour

func (r *onDemandSnapshotResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Takes one snapshot of a cluster, and manages when it expires.\n\n" +
			"You can also import any snapshot, for example to keep it from expiring. Creating this resource waits until the cluster has a complete snapshot and none is in progress, which Ops Manager requires. It then requests one snapshot, and waits until it is complete. " +
			"**Only a change of `triggers`, `project_id` or `cluster_id` takes a new snapshot.**\n\n" +
			"Destroying this resource only removes the snapshot from the state, unless you set `on_destroy`.\n\n" +
			"-> Taking a snapshot requires Ops Manager 7.0.12 or later, and the role `Global Backup Admin`. Changing the expiry of a snapshot or deleting it requires the role `Project Backup Admin`, and deleting one within the point-in-time window `Global Backup Admin`. " +
			"If Ops Manager refuses `expires` or `do_not_delete` of a new snapshot, the apply only warns, because Terraform replaces what it stores with an error. The next plan shows the change that is left.\n\n" +
			"The provider requests a snapshot once. The response contains no ID, so the provider recognizes the snapshot by its retention: exactly one new snapshot must be kept for `retention_days`. " +
			"Each refresh in the following hour checks that again. The apply succeeds only if the snapshot is recognized and complete:\n\n" +
			"- If the schedule keeps some of its snapshots for `retention_days`, or may do so because Ops Manager does not return one of its retentions, the plan fails. Use another number, or set that retention.\n" +
			"- The apply fails if the response is lost, if several new snapshots match or none appears within 20 minutes, if another client holds a new one before it is recognized, or if you interrupt the apply or its timeout ends. It then stores nothing, and lists the new snapshots with the commands that import them. **The next apply requests another snapshot**, so check these first.\n" +
			"- If a refresh finds another match that was created within an hour of the request, each plan fails and lists both until you decide: run `terraform state rm`, and import one. Another run or resource may have requested that one, " +
			"so use a different `retention_days` for each snapshot of a cluster that you take within an hour.\n\n" +
			"This resource never deletes a snapshot that is held. The termination of the backup of its cluster does, such as by destroying an `opsmanager_backup_config` with `on_destroy = \"terminate\"`. A plan that does so fails as long as the configuration has this resource with the same provider alias.\n\n" +
			"If the snapshot expires, a refresh sets `gone` to true. If it is deleted before that, or while it is held, the plan shows that change, and the apply sends no request for it. " +
			"In both cases, the resource stays in the state, and no other snapshot is taken. A `check` can watch `gone`. A `postcondition` would fail each plan and apply.",
		Attributes: map[string]schema.Attribute{
			"project_id": tf.ObjectIDAttribute(tf.ProjectIDText + " Changing it takes a new snapshot."),
			"cluster_id": tf.ObjectIDAttribute(tf.ClusterIDText + " Changing it takes a new snapshot."),
			"retention_days": schema.Int64Attribute{
				Optional:            true,
				CustomType:          tf.WholeNumberType{},
				Validators:          retention(),
				MarkdownDescription: "Days to keep the snapshot, `1` to `2900000`. Required to take a snapshot, and must then differ from each retention of the schedule. Changing it sets `expires` to that many days after `created`, unless you set `expires` or `do_not_delete`. If another client brings the expiry forward, also by ending a hold, the next plan sets it back. A later one stays.",
			},
			"triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Map of any values. Changing it takes a new snapshot. Adding it to a resource that was just imported does not.",
			},
			"expires": schema.StringAttribute{
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{tf.ATime},
				MarkdownDescription: "Time after which Ops Manager may delete the snapshot, ISO 8601, such as `2027-01-31T00:00:00Z` or `2027-01-31`, in UTC by default. " +
					"Computed. Conflicts with `do_not_delete = true`. Can't be changed after the snapshot has expired.",
			},
			"do_not_delete": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				MarkdownDescription: "Whether to hold the snapshot, so that it doesn't expire. A termination of the backup deletes it nevertheless. Computed. " +
					"To release it, also set `expires` or `retention_days`: otherwise Ops Manager decides when it expires.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(keepOnDestroy, deleteOnDestroy)},
				MarkdownDescription: "What happens to the snapshot when you destroy: `keep` leaves it until it expires. `delete` deletes it, but fails unless the cluster has a later complete snapshot. " +
					"With `delete`, a change of `triggers` or `-replace` deletes the previous one: use `create_before_destroy`. " +
					"The provider can't see a resource with another provider alias that keeps the same snapshot. " +
					"Apply a change before you destroy. Defaults to `keep`.",
			},
			"timeouts": tf.TimeoutsAttribute(ctx, timeouts.Opts{
				Create: true, CreateDescription: "Defaults to `2h`.",
			}),

			"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the snapshot."},
			"created":  schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the snapshot was taken, ISO 8601 in UTC."},
			"complete": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the snapshot is complete and lacks no shard."},
			"gone": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the snapshot has expired or was deleted. The other attributes then keep their last values, or those of the configuration.",
			},
		},
	}
}

// snapshotID is the ID of a snapshot.
var snapshotID = tf.ImportID{
	Attributes: append(projects.ClusterID.Attributes, "id"),
	Separator:  "/",
	Texts:      append(projects.ClusterID.Texts, "ID of the snapshot: 24 hexadecimal digits."),
	Advice:     "Import a snapshot by project_id/cluster_id/id, or by an identity with these IDs.",
}

func (r *onDemandSnapshotResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = snapshotID.Schema()
}

// ValidateConfig rejects a snapshot that is held and expires.
func (r *onDemandSnapshotResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	diags := &resp.Diagnostics
	config := tf.Read[onDemandSnapshotModel](ctx, req.Config, diags)
	if config.DoNotDelete.ValueBool() && !config.Expires.IsNull() {
		diags.AddAttributeError(path.Root("expires"), "Held Snapshot With an Expiry",
			"A snapshot with do_not_delete = true does not expire. Remove expires, or set do_not_delete to false.")
	}
}

const (
	createSummary = "Unable to Take Snapshot"
	readSummary   = "Unable to Read Snapshot"
	updateSummary = "Unable to Change the Expiry of the Snapshot"
	deleteSummary = "Unable to Delete Snapshot"
)

// Create requests a snapshot once, and waits until it is complete. If it fails, the state has
// nothing: Terraform would replace what it stores.
func (r *onDemandSnapshotResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	plan := tf.Read[onDemandSnapshotModel](ctx, req.Plan, diags)
	ctx, cancel := tf.Within(ctx, plan.Timeouts.Create, defaultTimeout, diags)
	defer cancel()
	if diags.HasError() || !r.Ready(createSummary, diags) {
		return
	}
	q := snapshotsOf(r.Data, plan.ClusterIdentity).take(ctx, plan.RetentionDays.ValueInt64(), applyAgain, diags)
	if diags.HasError() {
		return
	}
	state := plan
	state.ID = types.StringValue(strings.ToLower(tf.Text(q.found.ID)))
	state.fromAPI(*q.found)
	isConfigured := !plan.DoNotDelete.IsUnknown() || !plan.Expires.IsUnknown()
	if isConfigured && len(expiryValues.Differences(plan.expiry().object(), *q.found)) > 0 {
		if !plan.DoNotDelete.IsUnknown() { // which Terraform requires
			state.DoNotDelete = plan.DoNotDelete
		}
		if !plan.Expires.IsUnknown() {
			state.Expires = plan.Expires
		}
		changed, failed := q.setExpiry(ctx, state.ID.ValueString(), q.saw, plan.expiry())
		if failed == nil {
			state.fromAPI(*changed)
		} else {
			diags.AddWarning(fmt.Sprintf("Expiry of Snapshot %s Not Changed", state.ID.ValueString()),
				failed.Detail()+"\n\nThe snapshot is complete. The next plan shows what is left to change.")
		}
		state.settle()
	}
	tf.Write(ctx, &resp.State, state, diags)
	tf.Write(ctx, resp.Identity, state.snapshotIdentity, diags)
	tf.WritePrivate(ctx, resp.Private, requestKey, q.request, diags)
	tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, appliedOf(state.expiry()), diags)
}

// Read reads a snapshot. One that is gone stays in the state: otherwise, Terraform would take another one.
// It fails if the snapshot is no longer known to be the requested one, until a person decides.
func (r *onDemandSnapshotResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := tf.Read[onDemandSnapshotModel](ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	tf.Write(ctx, resp.Identity, state.snapshotIdentity, diags)
	if isRequested := tf.ReadPrivate(ctx, req.Private, requestKey, new(request), new(diag.Diagnostics)); isRequested {
		r.Claim(state.object(), connection.Applied)
	}
	if r.KeepsState(diags) {
		r.claimRefreshed(state, diags)
		return
	}
	snapshots := snapshotsOf(r.Data, state.ClusterIdentity)
	id := state.ID.ValueString()
	live, err := snapshots.read(ctx, id)
	isParentMissing := opsmanager.IsMissing(err, opsmanager.ObjectCluster) || opsmanager.IsMissing(err, opsmanager.ObjectProject)
	switch {
	// A snapshot that was seen to be gone needs no cluster: the state stays as it is, and a destroy sends nothing.
	case state.Gone.ValueBool() && isParentMissing:
		return
	case err != nil:
	case live == nil && state.Complete.IsNull(): // just imported
		diags.AddAttributeError(path.Root("id"), readSummary,
			fmt.Sprintf("Cluster %s has no snapshot %s. Check both IDs. The data source opsmanager_cluster_snapshots lists the snapshots of a cluster.", state.ClusterID.ValueString(), id))
		return
	case live == nil:
		was := readApplied(ctx, resp.Private, state.expiry())
		state.noteMissing(&was)
		tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, was, diags)
	default:
		state.fromAPI(*live)
		was := readApplied(ctx, resp.Private, state.expiry())
		was.Missing = false
		tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, was, diags)
		err = snapshots.refuseIfDoubted(ctx, id, resp.Private)
		r.claimRefreshed(state, diags)
	}
	if err != nil {
		diags.Append(snapshotFailure(readSummary, err))
		return
	}
	tf.Write(ctx, &resp.State, state, diags)
}

// Update changes the expiry as planned, and records it. A snapshot that is gone is only recorded.
func (r *onDemandSnapshotResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	config := tf.Read[onDemandSnapshotModel](ctx, req.Config, diags)
	plan := tf.Read[onDemandSnapshotModel](ctx, req.Plan, diags)
	prior := tf.Read[onDemandSnapshotModel](ctx, req.State, diags)
	tf.TakePlan(ctx, resp.Private, diags)
	if diags.HasError() {
		return
	}
	if plan.Expires.IsUnknown() { // because a configured value was unknown when it was planned
		plan = plannedSnapshot(config, prior, plan, readApplied(ctx, req.Private, prior.expiry()))
	}
	changes := plan.expiry() != prior.expiry() && !plan.Gone.ValueBool()
	if changes {
		if !r.Ready(updateSummary, diags) {
			return
		}
		snapshots := snapshotsOf(r.Data, plan.ClusterIdentity)
		id := plan.ID.ValueString()
		if err := snapshots.refuseIfDoubted(ctx, id, resp.Private); err != nil {
			diags.Append(snapshotFailure(updateSummary, err))
			return
		}
		live, failed := snapshots.setExpiry(ctx, id, prior.expiry(), plan.expiry())
		if failed != nil {
			diags.Append(failed)
			return // the state stays, and the next refresh shows what Ops Manager has
		}
		if plan.Expires.IsUnknown() {
			plan.Expires = liveExpiry(*live).expires
		}
	}
	if changes || !plan.RetentionDays.Equal(prior.RetentionDays) {
		tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, appliedOf(plan.expiry()), diags)
	}
	tf.Write(ctx, &resp.State, plan, diags)
	tf.Write(ctx, resp.Identity, plan.snapshotIdentity, diags)
}

// Delete deletes the snapshot if on_destroy says so in the state, and the cluster has a later one.
func (r *onDemandSnapshotResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	diags := &resp.Diagnostics
	state := tf.Read[onDemandSnapshotModel](ctx, req.State, diags)
	planned := tf.TakePlan(ctx, resp.Private, diags)
	wasMissing := readApplied(ctx, resp.Private, state.expiry()).Missing // so the plan has shown no request
	if diags.HasError() || wasMissing || !state.deletes() || !r.Ready(deleteSummary, diags) {
		return
	}
	if planned.IsTainted() {
		diags.Append(tf.UnplannedEnd(state.title()))
		return
	}
	snapshots := snapshotsOf(r.Data, state.ClusterIdentity)
	id := state.ID.ValueString()
	err := snapshots.refuseIfDoubted(ctx, id, resp.Private)
	if err == nil {
		err = snapshots.delete(ctx, id, state.expiry())
	}
	if err != nil && !opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) {
		diags.Append(snapshotFailure(deleteSummary, err))
	}
}

func (r *onDemandSnapshotResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	snapshotID.Set(ctx, req, resp)
}

// NewOnDemandSnapshotList returns the list resource opsmanager_on_demand_snapshot.
var NewOnDemandSnapshotList = sources.ListResource[opsmanager.ClusterSnapshot]{
	Name:        "on_demand_snapshot",
	Title:       "Snapshots",
	Codes:       []tf.Codes{Codes, projects.Codes, projects.ClusterCodes},
	Description: "Lists the complete snapshots of a cluster, on demand or scheduled, from the newest to the oldest.",
	Requires:    "the role `Project Read Only`",
	Attributes: map[string]listschema.Attribute{
		"project_id": sources.QueryID("ID of the project"),
		"cluster_id": sources.QueryID("ID of the replica set or of the whole sharded cluster"),
	},
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[opsmanager.ClusterSnapshot], error) {
		return q.Client.ListClusterSnapshots(ctx, q.ID("project_id"), q.ID("cluster_id"), "", opsmanager.Page{})
	},
	Sort: func(all []opsmanager.ClusterSnapshot) []opsmanager.ClusterSnapshot {
		return newestFirst(all, base)
	},
	Object: func(_ context.Context, q sources.Query, live opsmanager.ClusterSnapshot) sources.Listed {
		id := tf.Text(live.ID)
		switch {
		case !tf.IsObjectID(id):
			return sources.LeftOut(id, "A snapshot can be imported only by an ID of 24 hexadecimal digits.")
		case live.Complete == nil:
			return sources.LeftOut(id, "It does not say whether it is complete.")
		case mayBeRunning(live):
			return sources.LeftOut(id, "It is not complete.")
		}
		identity := snapshotIdentity{
			ClusterIdentity: projects.ClusterIdentityOf(q.ID("project_id"), q.ID("cluster_id")),
			ID:              types.StringValue(strings.ToLower(id)),
		}
		m := onDemandSnapshotModel{snapshotIdentity: identity}
		m.fromAPI(live)
		name := strings.TrimSpace(tf.Text(live.ClusterName) + " " + m.Created.ValueString())
		return sources.Listed{
			Name:     name,
			Identity: tf.ValuesOf(m.snapshotIdentity),
			Resource: tf.ValuesOf(m),
		}
	},
}.Constructor()
