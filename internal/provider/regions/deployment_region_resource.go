package regions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type deploymentRegionResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithIdentity    = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithImportState = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*deploymentRegionResource)(nil)
)

// NewDeploymentRegionResource returns the resource opsmanager_deployment_region.
func NewDeploymentRegionResource() resource.Resource { return &deploymentRegionResource{} }

func (r *deploymentRegionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_region"
}

func (r *deploymentRegionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	required := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: description + " Required to create a region. If unset, the current value is kept and exported; null if Ops Manager does not return it.",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a backup deployment region, which binds snapshot stores, oplog stores, sync stores and daemons to the endpoints of one location.\n\n" +
			"If the description and the three endpoints are set, creating this resource **creates** the region, and fails if the region exists, unless `adopt_existing` is set. " +
			"If none of them is set, it **adopts** the existing region without changing them.\n\n" +
			"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.\n\n" +
			"!> Destroying this resource **deletes** the region in Ops Manager, even if it was adopted, and so does replacing it. To keep the region, set `deletion_protection = true`. " +
			"To only remove it from the state on destroy, set `skip_destroy = true`.\n\n" +
			"Ops Manager refuses to delete a region while anything is bound to it.\n\n" +
			"A replacement also happens with `-replace` and if the resource is tainted. If you rename the resource, add a `moved` block. " +
			"The plan can't detect the replacement of a tainted resource with `-refresh=false`, or a rename that also changes the provider, so rely on `deletion_protection` and a `moved` block.",
		Attributes: map[string]schema.Attribute{
			"deployment_id": schema.StringAttribute{
				Required: true, Validators: connection.PathSegmentValidators(),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "ID of the region, such as `NY_NJ`: any non-empty text, chosen by the administrator. " +
					"Changing it forces replacement: this region is destroyed, and the other one is created or adopted.",
			},
			"deployment_description": required("Purpose of the region."),
			"ingestion_endpoint":     required("URL that agents write snapshots and oplogs to, such as `https://opsmanager-ny.example.com:8443`."),
			"restore_endpoint":       required("URL that restores are read from, such as `https://opsmanager-ny.example.com:8443`."),
			"bq_proxy_endpoint":      required("Address for queryable backups, as `domain:port`, not a URL."),
			"assignment_enabled": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether new resources may be assigned to the region. " +
					"If unset, the current value is kept and exported. For a new region, Ops Manager chooses the value; no default is documented.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether creating this resource with a description and endpoints adopts a region that exists, and changes it to the configured values. " +
					"If `false`, creating it fails if the region exists. Without a description and endpoints, an existing region is always adopted. Defaults to `false`.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to refuse to destroy or replace the region, without calling Ops Manager. The value in the state counts: set it to `false` and apply before you destroy. " +
					"Defaults to `false`.",
			},
			"skip_destroy": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether destroying this resource only removes the region from the Terraform state, without calling Ops Manager. The value in the state counts: change it and apply before you destroy. " +
					"`deletion_protection` takes precedence. Defaults to `false`.",
			},
		},
	}
}

// deploymentRegionIdentity identifies a region.
type deploymentRegionIdentity struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func (m *deploymentRegionModel) identity() deploymentRegionIdentity {
	return deploymentRegionIdentity{m.DeploymentID}
}

func (r *deploymentRegionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"deployment_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the region."},
		},
	}
}

// Keys of the private data.
const (
	replacedKey = "replaced_region" // of a plan: the region that a replacement destroys
	createdKey  = "created_region"  // of a plan without a state: the region that it creates or adopts
	readableKey = "shown"           // of a state: whether the last refresh could read the region
)

// isUnreadable reports whether a read failed because Ops Manager may not have the
// operation. The region may exist nevertheless.
func isUnreadable(err error) bool {
	return opsmanager.IsUnsupported(err) || opsmanager.IsBareNotFound(err)
}

func (m *deploymentRegionModel) createSummary() string {
	if m.hasRequiredField() {
		return "Unable to Create Deployment Region"
	}
	return "Unable to Adopt Deployment Region"
}

// Create creates the region, or adopts the one that exists. If anything fails, it stores
// no state: a stored state would be tainted, and the next apply would delete the region.
func (r *deploymentRegionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(plan.createSummary(), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	held := r.createOrAdopt(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if addAdjusted(ctx, plan.toAPI(), held, &resp.Diagnostics); resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(plan.createSummary(), "The region now exists in Ops Manager. It was left out of the Terraform state, because the next apply would otherwise delete it. "+
			"Configure the values that Ops Manager keeps. "+howToAdopt(plan.DeploymentID.ValueString()))
		return
	}
	r.registry().Adopt(plan.DeploymentID.ValueString())
	created := plan.applied(held)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, created.identity())...)
}

// createOrAdopt returns the region that Ops Manager holds afterwards. It reads the region
// first, because the effect of creating a region that exists is not documented.
func (r *deploymentRegionResource) createOrAdopt(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	live, err := r.Client.DeploymentRegion(ctx, plan.DeploymentID.ValueString())
	switch {
	case isUnreadable(err):
		return r.createOrAdoptUnread(ctx, plan, err, diags)
	case opsmanager.IsGone(err) && plan.isComplete():
		return r.create(ctx, plan, true, diags)
	case opsmanager.IsGone(err):
		diags.Append(nothingToAdopt(plan, err))
	case err != nil:
		diags.Append(diagnostics.Failure(plan.createSummary(), err, regionCodes))
	case plan.isComplete() && !plan.AdoptExisting.ValueBool():
		diags.Append(alreadyExists(plan))
	default:
		_, held = r.change(ctx, plan.createSummary(), plan.toAPI(), *live, plan, diags)
	}
	return held
}

// createOrAdoptUnread creates or adopts a region that can't be read. The plan has warned
// that an adoption is unverified.
func (r *deploymentRegionResource) createOrAdoptUnread(ctx context.Context, plan deploymentRegionModel, err error, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	switch {
	case plan.isComplete() && opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(plan.createSummary(), err))
	case plan.isComplete() && plan.AdoptExisting.ValueBool():
		return r.put(ctx, plan.createSummary(), plan.toAPI(), diags) // creates a region that doesn't exist
	case plan.isComplete():
		return r.create(ctx, plan, false, diags)
	case tfmodel.BoolPointer(plan.AssignmentEnabled) != nil:
		diags.Append(incompleteWrite(plan.createSummary(), plan.toAPI()))
	}
	return held
}

// create creates a region. If the response is lost, a region that did not exist before and
// now has the wanted values counts as the one that was created.
func (r *deploymentRegionResource) create(ctx context.Context, plan deploymentRegionModel, wasGone bool, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	wanted := plan.toAPI()
	response, err := r.Client.CreateDeploymentRegion(ctx, wanted)
	if err == nil {
		return r.settled(ctx, wanted, *response)
	}
	if opsmanager.IsUnclear(err) {
		live, readErr := r.readDespiteInterrupt(ctx, wanted.ID)
		switch {
		case readErr == nil && wasGone && len(differences(wanted, *live)) == 0:
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Unanswered Creation of Deployment Region %s", wanted.ID),
				"The response to the create request was lost. A region with this ID and these values exists now and did not exist before, so the provider treats it as created by this request. "+diagnostics.Sentence(err))
			return *live
		case !opsmanager.IsGone(readErr):
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s May Have Been Created", wanted.ID),
				"The response to the create request was lost, so the provider can't tell whether it created the region. The next plan shows whether the region exists. "+howToAdopt(wanted.ID))
		}
	}
	if e := new(opsmanager.Error); errors.As(err, &e) && e.Status == http.StatusConflict {
		diags.Append(onID(plan.createSummary(), diagnostics.Sentence(err)+"\n\nIf the region already exists: "+howToAdopt(wanted.ID)))
		return held
	}
	diags.Append(writeFailure(plan.createSummary(), err))
	return held
}

// readDespiteInterrupt reads a region, even if the run was interrupted, within a short
// time.
func (r *deploymentRegionResource) readDespiteInterrupt(ctx context.Context, id string) (*opsmanager.DeploymentRegion, error) {
	if ctx.Err() != nil {
		moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		defer cancel()
		ctx = moment
	}
	return r.Client.DeploymentRegion(ctx, id)
}

// change changes a live region to the wanted values, and returns what was sent and what
// Ops Manager holds afterwards. A PUT replaces the whole region, so it sends the live
// values as well. A required field that the live region lacks is taken from the plan.
func (r *deploymentRegionResource) change(ctx context.Context, summary string, wanted, live opsmanager.DeploymentRegion, plan deploymentRegionModel, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if len(differences(wanted, live)) == 0 {
		return live, live
	}
	whole := merged(merged(wanted, live), plan.toAPI())
	if len(missingFields(whole)) > 0 {
		diags.Append(incompleteWrite(summary, whole))
		return live, live
	}
	return whole, r.put(ctx, summary, whole, diags)
}

// put replaces a region, and returns what Ops Manager holds afterwards.
func (r *deploymentRegionResource) put(ctx context.Context, summary string, whole opsmanager.DeploymentRegion, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	response, err := r.Client.UpdateDeploymentRegion(ctx, whole)
	if err != nil {
		diags.Append(writeFailure(summary, err))
		return held
	}
	return r.settled(ctx, whole, *response)
}

// settled returns what Ops Manager holds after a write. A server may return old values for
// a while, so it reads until the values agree or the settle time is over.
func (r *deploymentRegionResource) settled(ctx context.Context, sent, response opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	held := merged(response, sent)
	agrees := func() bool { return len(differences(sent, held)) == 0 }
	if !agrees() {
		r.Settle(ctx, func() bool {
			live, err := r.Client.DeploymentRegion(ctx, sent.ID)
			if err == nil {
				held = merged(*live, sent)
			}
			return agrees() || isUnreadable(err)
		})
	}
	return held
}

func (r *deploymentRegionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the region is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, replaced := state.DeploymentID.ValueString(), state.replaced()
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		// Terraform keeps the private data, and the next plan would mistake the creation
		// for a replacement.
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, nil)...)
		return
	case isUnreadable(err):
		resp.Diagnostics.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s Not Refreshed", id),
			"Ops Manager did not return this region, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. "+diagnostics.Sentence(err))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
		return
	default:
		state.fromAPI(*live)
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
	}
	tfmodel.WritePrivate(ctx, resp.Private, readableKey, err == nil, &resp.Diagnostics)
	r.registry().Plan(id, func(p *plannedRegion) { p.refreshed = &replaced })
}

// Update sends what the plan changes, together with the other live values.
func (r *deploymentRegionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	const summary = "Unable to Update Deployment Region"
	var plan, prior deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(summary, &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, nil)...)
	var wasReadable bool
	tfmodel.ReadPrivate(ctx, req.Private, readableKey, &wasReadable, &resp.Diagnostics)
	updated, wanted := prior, plan.changesFrom(prior)
	if sent, held := r.update(ctx, summary, wanted, prior, plan, wasReadable, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		if addAdjusted(ctx, wanted, held, &resp.Diagnostics); resp.Diagnostics.HasError() {
			updated.fromAPI(held)
		} else {
			if changed := unplannedChanges(plan, wanted, sent, held); len(changed) > 0 {
				resp.Diagnostics.AddWarning(fmt.Sprintf("Other Values of Deployment Region %s Changed", wanted.ID),
					"Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
						"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
			}
			updated = plan.applied(held)
		}
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, updated.identity())...)
}

// update changes a region to the wanted values, and returns what was sent and what Ops
// Manager holds afterwards. It reads the region first: otherwise a PUT would create a
// region that is gone, or undo changes since the plan. It sends the state instead of the
// live values only if Ops Manager could not return the region before, either.
func (r *deploymentRegionResource) update(ctx context.Context, summary string, wanted opsmanager.DeploymentRegion, prior, plan deploymentRegionModel, wasReadable bool, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if len(differences(wanted, opsmanager.DeploymentRegion{})) == 0 {
		return prior.toAPI(), prior.toAPI()
	}
	live, err := r.Client.DeploymentRegion(ctx, wanted.ID)
	switch {
	case err == nil:
		if changed := unplannedChanges(plan, wanted, prior.toAPI(), *live); len(changed) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment Region %s Changed Since the Plan", wanted.ID),
				"These values differ from the Terraform state that the plan is based on:"+tfmodel.Bulleted(changed)+
					"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
		}
		return r.change(ctx, summary, wanted, *live, plan, diags)
	case opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(summary, err))
	case opsmanager.IsUnsupported(err) && wasReadable:
		diags.AddError(summary, diagnostics.Sentence(err)+"\n\nOps Manager returned the region in the last refresh, but not now. "+
			"An update must send the whole region, so without reading it first it could undo changes that the plan did not show. Nothing was changed. Plan again.")
	case opsmanager.IsUnsupported(err):
		whole := merged(plan.toAPI(), prior.toAPI())
		if len(missingFields(whole)) > 0 {
			diags.Append(incompleteWrite(summary, whole))
			return sent, held
		}
		unread := slices.DeleteFunc(differences(whole, opsmanager.DeploymentRegion{}), func(d tfmodel.Difference) bool { return hasValue(wanted, d.Attribute) })
		if len(unread) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment Region %s Updated Without Reading It First", wanted.ID),
				"Ops Manager did not return the region, and an update must send the whole region. These values come from the Terraform state, and overwrite any changes made since:"+
					tfmodel.Bulleted(unread)+"\n\n"+diagnostics.Sentence(err))
		}
		return whole, r.put(ctx, summary, whole, diags)
	case opsmanager.IsGone(err):
		diags.Append(onID(summary, fmt.Sprintf("Region %q no longer exists, so nothing was changed: %s\n\nPlan again. The next plan creates the region.", wanted.ID, diagnostics.Sentence(err))))
	default:
		diags.Append(diagnostics.Failure(summary, err, regionCodes))
	}
	return sent, held
}

// unplannedChanges returns the differences between two versions of a region, in the fields
// that the plan has a value for and does not change.
func unplannedChanges(plan deploymentRegionModel, wanted, from, to opsmanager.DeploymentRegion) []tfmodel.Difference {
	planned := plan.toAPI()
	changed := slices.DeleteFunc(tfmodel.Returned(differences(from, to)), func(d tfmodel.Difference) bool {
		return hasValue(wanted, d.Attribute) || !hasValue(planned, d.Attribute)
	})
	for i, d := range changed {
		changed[i].Held, changed[i].Wanted = d.Wanted, d.Held
	}
	return changed
}

// Delete deletes the region, and reports its settings. It keeps a region that this process
// created or adopted: with create_before_destroy, Terraform destroys the old object after
// it created the new one, and both are the same region.
func (r *deploymentRegionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	const summary = "Unable to Delete Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.DeploymentID.ValueString()
	r.registry().StartApply()
	var created createdRegion
	var replaced replacedRegion
	isTainted := tfmodel.ReadPrivate(ctx, req.Private, createdKey, &created, &resp.Diagnostics) &&
		!tfmodel.ReadPrivate(ctx, req.Private, replacedKey, &replaced, &resp.Diagnostics)
	for _, key := range []string{createdKey, replacedKey} { // a state that is kept would have them
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, key, nil)...)
	}
	switch {
	case r.registry().HasAdopted(id):
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Not Deleted", id),
			"This apply created or adopted the region before it destroyed the old object of the resource, because of create_before_destroy. Both are the same region, so the old object was only removed from the Terraform state.")
		return
	case state.DeletionProtection.ValueBool():
		resp.Diagnostics.Append(protected(id))
		return
	case state.SkipDestroy.ValueBool():
		return
	case isTainted && created.ID != id:
		resp.Diagnostics.Append(replacedByOther(id))
		return
	case isTainted && !created.Complete:
		resp.Diagnostics.Append(replacedWithoutFields(id))
		return
	case !r.Ready(summary, &resp.Diagnostics):
		return
	}
	settings := "These were its settings"
	live, readErr := r.Client.DeploymentRegion(ctx, id)
	switch {
	case ctx.Err() != nil:
		resp.Diagnostics.AddError(summary, "The run was interrupted before the request to delete the region was sent, so nothing was deleted.")
		return
	case errors.Is(readErr, opsmanager.ErrOtherObject):
		resp.Diagnostics.AddError(summary, diagnostics.Explain(readErr)+"\n\nNothing was deleted.")
		return
	case readErr != nil:
		settings = "Ops Manager did not return the region before the deletion. These were its settings in the Terraform state"
	default:
		state.fromAPI(*live)
	}
	settings += ". To create the region again, use:\n\n" + state.hcl()
	if missing := missingFields(state.toAPI()); len(missing) > 0 {
		settings += "\n\nThese are required too, but unknown: " + strings.Join(missing, ", ") + "."
	}
	switch err := r.Client.DeleteDeploymentRegion(ctx, id); {
	case err == nil:
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Deleted", id), settings)
	case opsmanager.IsGone(err) && readErr == nil:
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Deleted", id),
			"The region existed just before the request, and is gone now. An earlier attempt, whose response was lost, may have deleted it. "+settings)
	case opsmanager.IsGone(err):
	default:
		if opsmanager.IsUnclear(err) {
			resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s May Have Been Deleted", id),
				"The response to the delete request was lost. The region stays in the Terraform state, and the next plan shows whether it still exists. "+settings)
		}
		resp.Diagnostics.Append(deletionFailure(summary, err))
	}
}

// ImportState imports a region by its ID or identity, and reports why a region can't be
// read: Terraform only says that it doesn't exist.
func (r *deploymentRegionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	const summary = "Unable to Import Deployment Region"
	identity := deploymentRegionIdentity{types.StringValue(req.ID)}
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &identity)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	id := identity.DeploymentID.ValueString()
	if opsmanager.IsInvalidID(id) {
		resp.Diagnostics.AddError("Invalid Import ID", "Import a deployment region by its deployment_id, such as NY_NJ. It must not be empty and "+connection.PathSegmentRule+".")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("deployment_id"), id)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, identity)...)
	if r.Client == nil {
		return
	}
	switch _, err := r.Client.DeploymentRegion(ctx, id); {
	case isUnreadable(err):
		resp.Diagnostics.Append(unverified(id, err))
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(summary, fmt.Sprintf("There is no region %q: %s\n\nCheck the ID. To create the region, remove the import and apply.", id, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
	}
}
