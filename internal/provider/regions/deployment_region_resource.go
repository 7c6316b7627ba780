package regions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
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
		return attributes.Text(description + " Required to create a region. If unset, the current value is kept and exported; null if Ops Manager does not return it.")
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a backup deployment region, which binds snapshot stores, oplog stores, sync stores and daemons to the endpoints of one location.\n\n" +
			"If the description and the three endpoints are set, creating this resource **creates** the region, and fails if the region exists, unless `adopt_existing` is set. " +
			"If none of them is set, it **adopts** the existing region without changing them.\n\n" +
			"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.\n\n" +
			"!> Destroying this resource **deletes** the region in Ops Manager, even if it was adopted, and so does replacing it. To keep the region, set `deletion_protection = true`. " +
			"To only remove it from the state on destroy, set `skip_destroy = true`.\n\n" +
			"Ops Manager refuses to delete a region while anything is bound to it.\n\n" +
			"If the response to the create request is lost, and a region with the configured values exists afterwards, it may still be someone else's. " +
			"The provider adds it to the state with a warning, and neither changes nor deletes it until you set `adopt_existing = true`, or remove it from the state and import it.\n\n" +
			"A replacement also happens with `-replace` and if the resource is tainted. If you rename the resource, add a `moved` block. " +
			"The plan can't detect the replacement of a tainted resource with `-refresh=false`, or a rename that also changes the provider, so rely on `deletion_protection` and a `moved` block.",
		Attributes: map[string]schema.Attribute{
			"deployment_id": schema.StringAttribute{
				Required: true, Validators: attributes.PathSegmentValidators(),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "ID of the region, such as `NY_NJ`: any non-empty text, chosen by the administrator. " +
					"Changing it forces replacement: this region is destroyed, and the other one is created or adopted.",
			},
			"deployment_description": required("Purpose of the region."),
			"ingestion_endpoint":     required("URL that agents write snapshots and oplogs to, such as `https://opsmanager-ny.example.com:8443`."),
			"restore_endpoint":       required("URL that restores are read from, such as `https://opsmanager-ny.example.com:8443`."),
			"bq_proxy_endpoint":      required("Address for queryable backups, as `domain:port`, not a URL."),
			"assignment_enabled": attributes.Bool("Whether new resources may be assigned to the region." + attributes.Kept +
				" For a new region, Ops Manager chooses the value; no default is documented."),
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether creating this resource with a description and endpoints adopts a region that exists, and changes it to the configured values. " +
					"If `false`, creating it fails if the region exists. Without a description and endpoints, an existing region is always adopted. Defaults to `false`.",
			},
			"deletion_protection": attributes.DeletionProtection("region"),
			"skip_destroy": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether destroying this resource only removes the region from the Terraform state, without calling Ops Manager. A destroy uses the value in the state: change it and apply before you destroy. " +
					"`deletion_protection` takes precedence. Defaults to `false`.",
			},
		},
	}
}

// Attributes that are no fields of a region.
const (
	deploymentID       = "deployment_id"
	adoptExisting      = "adopt_existing"
	deletionProtection = "deletion_protection"
	skipDestroy        = "skip_destroy"
)

// deploymentRegionIdentity identifies a region.
type deploymentRegionIdentity struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func (m regionModel) identity() deploymentRegionIdentity {
	return deploymentRegionIdentity{tfmodel.As[types.String](m, deploymentID)}
}

func (r *deploymentRegionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"deployment_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the region."},
		},
	}
}

// Keys of the private state.
const (
	readableKey = "shown" // whether the last refresh could read the region
	guessKey    = "guess" // the provider only guesses that it created the region
)

// isGuess reports whether the provider only guesses that it created the region: it got no response,
// and then found a region with the same values, or its record of that is lost. It does not delete or
// change such a region.
func isGuess(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (guess bool) {
	tfmodel.ReadPrivate(ctx, private, guessKey, &guess, diags)
	return guess
}

func (m regionModel) createSummary() string {
	if m.hasRequiredField() {
		return "Unable to Create Deployment Region"
	}
	return "Unable to Adopt Deployment Region"
}

// Create creates the region, or adopts the one that exists. If anything fails, it stores
// no state: a stored state would be tainted, and the next apply would delete the region.
func (r *deploymentRegionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := regionModel(tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics))
	if resp.Diagnostics.HasError() || !r.Ready(plan.createSummary(), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	id, sets := plan.id(), !regionFields.AreMissing(plan.toAPI())
	done := wholeobject.TakeTurn(ctx, r.Data, regionName(id), plan.createSummary(), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	if sets && r.registry().set.HasAdopted(id) {
		resp.Diagnostics.Append(managedTwice(id, true)) // the IDs were unknown in the plan
		return
	}
	settled, guess := r.createOrAdopt(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if sets {
		r.registry().set.Adopt(id)
	}
	change := regionChange{Fields: regionFields, Wanted: plan.toAPI()}
	if change.CheckSettled(ctx, regionName(id), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(plan.createSummary(), "The region now exists in Ops Manager. It was left out of the Terraform state, because the next apply would otherwise delete it. "+
			"Configure the values that Ops Manager keeps. "+howToAdopt(id))
		return
	}
	r.registry().Adopt(id)
	if guess {
		tfmodel.WritePrivate(ctx, resp.Private, guessKey, true, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, regionFields.Applied(plan, settled))...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, plan.identity())...)
}

func (r *deploymentRegionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Deployment Region"
	state := regionModel(tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics))
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the region is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, replaced := state.id(), state.replaced(isGuess(ctx, req.Private, &resp.Diagnostics))
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		// Terraform keeps the private data, and the next plan would mistake the creation
		// for a replacement.
		wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, guessKey, nil)...)
		return
	case isUnreadable(err):
		resp.Diagnostics.Append(notRefreshed(id, err))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
		return
	default:
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, regionFields.FromAPI(state, *live))...)
	}
	tfmodel.WritePrivate(ctx, resp.Private, readableKey, err == nil, &resp.Diagnostics)
	r.registry().Plan(id, func(p *plannedRegion) { p.refreshed = &replaced })
}

// Update sends what the plan changes, together with the other live values.
func (r *deploymentRegionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	const summary = "Unable to Update Deployment Region"
	plan, prior := regionModel(tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)), regionModel(tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics))
	if resp.Diagnostics.HasError() || !r.Ready(summary, &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	change := regionChange{Fields: regionFields, Wanted: plan.changesFrom(prior), Planned: plan.toAPI(), Prior: prior.toAPI()}
	mayAdopt, updated := plan.flag(adoptExisting).ValueBool(), prior
	switch {
	case regionFields.AreMissing(change.Wanted): // only settings of the resource change
		updated = regionFields.Applied(plan, change.Prior)
	case isGuess(ctx, req.Private, &resp.Diagnostics) && !mayAdopt:
		resp.Diagnostics.Append(guessNotChanged(plan.id()))
		return
	default:
		done := wholeobject.TakeTurn(ctx, r.Data, regionName(plan.id()), summary, &resp.Diagnostics)
		if done == nil {
			return
		}
		defer done()
		settled := r.update(ctx, summary, &change, req.Private, &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			break
		}
		updated = regionFields.Applied(plan, settled)
		if change.CheckSettled(ctx, regionName(plan.id()), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
			updated = regionFields.FromAPI(prior, settled)
		}
	}
	if mayAdopt && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, guessKey, nil)...)
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, plan.identity())...)
}

// Delete deletes the region, and reports its settings. It keeps a region that this process
// created or adopted: with create_before_destroy, Terraform destroys the old object after
// it created the new one, and both are the same region.
func (r *deploymentRegionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	const summary = "Unable to Delete Deployment Region"
	state := regionModel(tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics))
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.id()
	r.registry().StartApply()
	var replaced replacedRegion
	tfmodel.ReadPrivate(ctx, req.Private, wholeobject.ReplacedKey, &replaced, &resp.Diagnostics)
	_, isUnseen := wholeobject.TaintedUnseen(ctx, req.Private, &resp.Diagnostics)
	guess := replaced.Guess || isGuess(ctx, req.Private, &resp.Diagnostics)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics) // a state that is kept would have it
	if guess || isUnseen && !state.flag(adoptExisting).ValueBool() {
		// A state that is kept has no other private data, because the plan of a tainted resource had none.
		tfmodel.WritePrivate(ctx, resp.Private, guessKey, true, &resp.Diagnostics)
	}
	switch {
	case r.registry().HasAdopted(id):
		resp.Diagnostics.AddWarning(regionName(id)+" Not Deleted",
			"This apply created or adopted the region before it destroyed the old object of the resource, because of create_before_destroy. Both are the same region, so the old object was only removed from the Terraform state.")
		return
	case state.flag(deletionProtection).ValueBool():
		resp.Diagnostics.Append(protected(id))
		return
	case state.flag(skipDestroy).ValueBool():
		return
	case isUnseen:
		resp.Diagnostics.Append(replacedUnseen(id))
		return
	case guess:
		resp.Diagnostics.Append(guessNotDeleted(id))
		return
	case !r.Ready(summary, &resp.Diagnostics):
		return
	}
	live, readErr := r.Client.DeploymentRegion(ctx, id)
	switch {
	case ctx.Err() != nil:
		resp.Diagnostics.AddError(summary, "The run was interrupted before the request to delete the region was sent, so nothing was deleted.")
		return
	case errors.Is(readErr, opsmanager.ErrOtherObject):
		resp.Diagnostics.AddError(summary, diagnostics.Explain(readErr)+"\n\nNothing was deleted.")
		return
	}
	settings := deletedSettings(state.toAPI(), live)
	deletion := tfmodel.Request[opsmanager.DeploymentRegion]{
		Name: regionName(id),
		Read: func(ctx context.Context) (*opsmanager.DeploymentRegion, error) {
			return r.Client.DeploymentRegion(ctx, id)
		},
		Send: func(ctx context.Context, _ opsmanager.DeploymentRegion) (*opsmanager.DeploymentRegion, error) {
			return nil, r.Client.DeleteDeploymentRegion(ctx, id)
		},
	}
	if live != nil {
		deletion.Before = *live
	}
	deletion.Differences = func(live opsmanager.DeploymentRegion) []tfmodel.Difference {
		return regionFields.Differences(deletion.Before, live)
	}
	switch _, err := deletion.Do(ctx, r.Client); {
	case err == nil:
		resp.Diagnostics.AddWarning(regionName(id)+" Deleted", settings)
	case opsmanager.IsGone(err) && readErr == nil:
		resp.Diagnostics.AddWarning(regionName(id)+" Deleted",
			"The region existed just before the request, and is gone now. An earlier attempt, whose response was lost, may have deleted it. "+settings)
	case opsmanager.IsGone(err):
	default:
		if opsmanager.IsUnclear(err) {
			resp.Diagnostics.AddWarning(regionName(id)+" May Have Been Deleted",
				"The response to the delete request was lost. The region stays in the Terraform state, and the next plan shows whether it still exists. "+settings)
		}
		resp.Diagnostics.Append(deletionFailure(summary, err))
	}
}

// ImportState imports a region by its ID or identity, and reports why a region can't be
// read: Terraform only says that it doesn't exist.
func (r *deploymentRegionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	const summary = "Unable to Import Deployment Region"
	given := imports.ID{
		Attributes: []string{deploymentID}, IsValid: func(values []string) bool { return !opsmanager.IsInvalidID(values[0]) },
		Advice: "Import a deployment region by its deployment_id, such as NY_NJ. It must not be empty and " + attributes.PathSegmentRule + ".",
	}.Set(ctx, req, resp)
	if given == nil || r.Client == nil {
		return
	}
	id := given[0]
	switch _, err := r.Client.DeploymentRegion(ctx, id); {
	case isUnreadable(err):
		resp.Diagnostics.Append(unverified(id, err))
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(summary, fmt.Sprintf("There is no region %q: %s\n\nCheck the ID. To create the region, remove the import and apply.", id, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
	}
}
