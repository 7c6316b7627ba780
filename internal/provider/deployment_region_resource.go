package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
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
)

type deploymentRegionResource struct {
	service *service
}

var (
	_ resource.ResourceWithConfigure      = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithIdentity       = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithImportState    = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*deploymentRegionResource)(nil)
	_ resource.ResourceWithValidateConfig = (*deploymentRegionResource)(nil)
)

func newDeploymentRegionResource() resource.Resource { return &deploymentRegionResource{} }

func (r *deploymentRegionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_deployment_region"
}

func (r *deploymentRegionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: description + " All four of these texts are configured, or none. Not configured: left as it is on the service, and shown; null where the service does not show it.",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A backup deployment region: the endpoints of one place, for the snapshot stores, oplog stores, sync stores and daemons that are bound to it.\n\n" +
			"With its description and its three endpoints configured, creating this resource **creates** the region and refuses one that exists, unless `adopt_existing` is set; " +
			"with none of them it **adopts** the region that exists, as it is. " +
			"Destroying this resource **deletes** the region on the service, adopted or not, unless `skip_destroy` or `deletion_protection` says otherwise. " +
			"Ops Manager refuses to delete a region that something is bound to.",
		Attributes: map[string]schema.Attribute{
			"deployment_id": schema.StringAttribute{
				Required: true, Validators: pathSegmentValidators(),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Id of the region, such as `NY_NJ`: any text that is not empty, chosen by the administrator. " +
					"Changing it destroys this region and creates or adopts the other one.",
			},
			"deployment_description": text("What the region is for."),
			"ingestion_endpoint":     text("Address that agents write snapshots and oplogs to, a URL such as `https://opsmanager-ny.example.com:8443`."),
			"restore_endpoint":       text("Address that restores are read from, a URL such as `https://opsmanager-ny.example.com:8443`."),
			"bq_proxy_endpoint":      text("Address for queryable backups, as `domain:port`, not a URL."),
			"assignment_enabled": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether the region may be given to new resources. " +
					"Not configured: left as it is on the service, and shown; for a new region the service decides, which documents no default.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether creating this resource with its texts takes over a region that exists, and changes it to what is configured. " +
					"Default `false`: it refuses. Without the texts an existing region is adopted anyway.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a destroy is refused, before anything is called. It acts as the state has it: setting it to `false` takes an apply of its own before the destroy. " +
					"Default `false`.",
			},
			"skip_destroy": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a destroy only forgets the region, calling nothing. It acts as the state has it: changing it takes an apply of its own before the destroy. " +
					"`deletion_protection` goes first. Default `false`.",
			},
		},
	}
}

// The attribute for each field that the service may name. It documents no codes
// for regions.
var regionCodes = map[string]string{
	"deploymentDescription": "deployment_description",
	"ingestionEndpoint":     "ingestion_endpoint",
	"restoreEndpoint":       "restore_endpoint",
	"bqProxyEndpoint":       "bq_proxy_endpoint",
	"assignmentEnabled":     "assignment_enabled",
}

// deploymentRegionIdentity is what a region is called by.
type deploymentRegionIdentity struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func (m *deploymentRegionModel) identity() deploymentRegionIdentity {
	return deploymentRegionIdentity{m.DeploymentID}
}

func (r *deploymentRegionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"deployment_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the region, any text."},
		},
	}
}

func (r *deploymentRegionResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.service, _ = req.ProviderData.(*service)
}

// ValidateConfig rejects a region that is described in part.
func (r *deploymentRegionResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config deploymentRegionModel
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, attribute := range config.missingTexts() {
		resp.Diagnostics.AddAttributeError(path.Root(attribute), "Incomplete Deployment Region",
			attribute+" is missing. A region is written as a whole: configure all of deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint, "+
				"or none of them to adopt a region as it is.")
	}
}

// ModifyPlan says what the plan may promise, and warns of what an apply will
// delete, overwrite or refuse.
func (r *deploymentRegionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior deploymentRegionModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(readModel(ctx, req.State, &prior)...)
	}
	if req.Plan.Raw.IsNull() {
		tellDestroy(prior, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	switch {
	case resp.Diagnostics.HasError():
	case req.State.Raw.IsNull():
		r.previewCreation(ctx, config, &resp.Diagnostics)
	case !plan.DeploymentID.Equal(prior.DeploymentID):
		tellDestroy(prior, &resp.Diagnostics) // a replacement, whose creation is planned by itself
	default:
		resp.Diagnostics.Append(writeModel(ctx, &resp.Plan, plannedRegion(config, prior, plan))...)
	}
}

// tellDestroy says what a destroy does with the region of a state.
func tellDestroy(prior deploymentRegionModel, diags *diag.Diagnostics) {
	id := prior.DeploymentID.ValueString()
	switch {
	case prior.DeletionProtection.ValueBool():
		diags.Append(protected(prior))
	case prior.SkipDestroy.ValueBool():
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Stays on the Service", id),
			"skip_destroy is set: the region is removed from the Terraform state, nothing is called, and Ops Manager keeps it.")
	default:
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Will Be Deleted on the Service", id),
			"Destroying this resource deletes the region in Ops Manager, also one that was adopted; Ops Manager refuses that as long as stores or daemons are bound to it. "+
				"To forget it only, set skip_destroy = true and apply that first.")
	}
}

// protected is the refusal to destroy a region.
func protected(prior deploymentRegionModel) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "Deployment Region Is Protected",
		fmt.Sprintf("deletion_protection of region %q is true in the Terraform state, so it is not destroyed and nothing was called. "+
			"Set deletion_protection = false and apply first, then destroy.", prior.DeploymentID.ValueString()))
}

// previewCreation warns of a region that exists although it is to be created,
// or doesn't although it is to be adopted. Neither is an error yet: the apply
// may delete or create it in time. Nor is a service that cannot tell.
func (r *deploymentRegionResource) previewCreation(ctx context.Context, config deploymentRegionModel, diags *diag.Diagnostics) {
	if r.service == nil || r.service.client == nil || config.DeploymentID.IsUnknown() {
		return
	}
	id := config.DeploymentID.ValueString()
	live, err := r.service.client.DeploymentRegion(ctx, id)
	switch {
	case opsmanager.IsUnsupported(err):
	case opsmanager.IsGone(err) && !config.maybeDescribes():
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Does Not Exist", id),
			"None of its description and endpoints is configured, so it is to be adopted, and there is none: unless something creates it first, the apply fails. "+
				"To create it, configure deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint.")
	case opsmanager.IsGone(err):
	case err != nil:
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Could Not Be Previewed", id),
			"The plan does not show whether the region exists. "+explained(err))
	case config.describes() && !config.AdoptExisting.ValueBool() && !config.AdoptExisting.IsUnknown():
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Exists Already", id), "Unless something deletes it first, the apply fails. "+howToTakeOver(id))
	default:
		if overwritten := shown(regionDifferences(config.request(), *live)); len(overwritten) > 0 {
			diags.AddWarning(fmt.Sprintf("The Live Deployment Region %s Will Be Overwritten", id),
				"Creating this resource adopts the region that is there, and changes:"+bulleted(overwritten))
		}
	}
}

// howToTakeOver says how a region that exists gets into the state.
func howToTakeOver(id string) string {
	return fmt.Sprintf("To take it over as it is, run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is that of this resource. "+
		"To overwrite it with what is configured, set adopt_existing = true.", shellWord(id))
}

var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a text for a POSIX shell, where it has to be.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Create creates the region that is described, or adopts the one that exists.
// Whatever fails, nothing is stored: a stored state would be tainted, and the
// next apply would delete the region, with what it may hold by then.
func (r *deploymentRegionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan deploymentRegionModel
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.service.usable(plan.createSummary(), &resp.Diagnostics) {
		return
	}
	held := r.createOrAdopt(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	tellAdjusted(plan, held, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(plan.createSummary(), "The region exists on the service now, and was left out of the Terraform state, from where it would be deleted by the next apply. "+
			"Configure the values that the service keeps. "+howToTakeOver(plan.DeploymentID.ValueString()))
		return
	}
	plan.observe(held)
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, plan)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, plan.identity())...)
}

func (m *deploymentRegionModel) createSummary() string {
	if m.describes() {
		return "Unable to Create Deployment Region"
	}
	return "Unable to Adopt Deployment Region"
}

// createOrAdopt returns the region as the service holds it in the end. It looks
// first: what a creation does to a region that exists is not documented.
func (r *deploymentRegionResource) createOrAdopt(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	id := plan.DeploymentID.ValueString()
	live, err := r.service.client.DeploymentRegion(ctx, id)
	switch {
	case opsmanager.IsUnsupported(err):
		return r.createOrAdoptUnseen(ctx, plan, diags)
	case opsmanager.IsGone(err) && plan.describes():
		return r.create(ctx, plan, diags)
	case opsmanager.IsGone(err):
		diags.AddAttributeError(path.Root("deployment_id"), plan.createSummary(),
			fmt.Sprintf("There is no region %q to adopt: %s\n\nCheck the id, or configure deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint to create it.", id, sentence(err)))
	case err != nil:
		diags.Append(failure(plan.createSummary(), err, regionCodes))
	case plan.describes() && !plan.AdoptExisting.ValueBool():
		diags.AddAttributeError(path.Root("deployment_id"), plan.createSummary(),
			fmt.Sprintf("Region %q exists already, so nothing was changed. %s", id, howToTakeOver(id)))
	default:
		return r.replace(ctx, plan.createSummary(), plan.request(), *live, diags)
	}
	return opsmanager.DeploymentRegion{}
}

// createOrAdoptUnseen works on a service that cannot show regions.
func (r *deploymentRegionResource) createOrAdoptUnseen(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	wanted := plan.request()
	switch {
	case plan.describes() && plan.AdoptExisting.ValueBool():
		// A replacement creates what does not exist, so both are served by it.
		answer, err := r.service.client.UpdateDeploymentRegion(ctx, wanted)
		return r.written(plan.createSummary(), answer, err, diags)
	case plan.describes():
		return r.create(ctx, plan, diags)
	case wanted.AssignmentEnabled != nil:
		diags.Append(cannotComplete(plan.createSummary()))
	default:
		diags.Append(unverified(wanted.ID))
	}
	return opsmanager.DeploymentRegion{}
}

// unverified is for a region that is taken into the state unseen.
func unverified(id string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s Was Adopted Unverified", id),
		"This version of Ops Manager does not show regions through its API, so it is not known whether this one exists. Check its id in the administration console.")
}

// create creates a region that is not known to exist.
func (r *deploymentRegionResource) create(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	wanted := plan.request()
	answer, err := r.service.client.CreateDeploymentRegion(ctx, wanted)
	if opsmanager.IsUnclear(err) {
		// The answer may have been lost, and not the creation: what was not there
		// before, and is now just as it was asked for, is ours.
		live, lookErr := r.look(ctx, wanted.ID)
		switch {
		case lookErr == nil && len(regionDifferences(wanted, *live)) == 0:
			return *live
		case lookErr != nil && !opsmanager.IsGone(lookErr):
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s May Have Been Created", wanted.ID),
				"The answer to its creation is missing, and whether it exists could not be found out: the next plan tells. "+howToTakeOver(wanted.ID))
		}
	}
	var e *opsmanager.Error
	if errors.As(err, &e) && e.Status == http.StatusConflict {
		diags.AddAttributeError(path.Root("deployment_id"), plan.createSummary(),
			sentence(err)+"\n\nIf the region exists already: "+howToTakeOver(wanted.ID))
		return opsmanager.DeploymentRegion{}
	}
	return r.written(plan.createSummary(), answer, err, diags)
}

// look reads a region, and takes a moment for that even where the run has been
// interrupted.
func (r *deploymentRegionResource) look(ctx context.Context, id string) (*opsmanager.DeploymentRegion, error) {
	if ctx.Err() != nil {
		moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		defer cancel()
		ctx = moment
	}
	return r.service.client.DeploymentRegion(ctx, id)
}

// replace makes the service hold what is wanted of a region, if it does not
// already, and returns what it holds then. A replacement resets what it does
// not name, so that it is sent with everything that is held.
func (r *deploymentRegionResource) replace(ctx context.Context, summary string, wanted, held opsmanager.DeploymentRegion, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	if len(regionDifferences(wanted, held)) == 0 {
		return held
	}
	whole := filled(wanted, held)
	if !isWhole(whole) {
		diags.Append(cannotComplete(summary))
		return held
	}
	answer, err := r.service.client.UpdateDeploymentRegion(ctx, whole)
	if err != nil {
		return filled(r.written(summary, answer, err, diags), held)
	}
	return filled(*answer, whole)
}

// cannotComplete is for a change of one field where the others, which have to be
// sent along, are not known.
func cannotComplete(summary string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("assignment_enabled"), summary,
		"A region can only be written as a whole, and this version of Ops Manager does not show the rest of it. "+
			"Configure deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint too, or leave assignment_enabled out.")
}

// written returns the answer to a creation or a replacement, or reports its
// failure.
func (r *deploymentRegionResource) written(summary string, answer *opsmanager.DeploymentRegion, err error, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	switch {
	case opsmanager.IsUnsupported(err):
		diags.AddError(summary, sentence(err)+"\n\nThis version of Ops Manager does not create or change regions through its API. "+
			"Make the region in its administration console, then leave out deployment_description, ingestion_endpoint, restore_endpoint, bq_proxy_endpoint and assignment_enabled, to adopt it as it is.")
		return opsmanager.DeploymentRegion{}
	case err != nil:
		diags.Append(failure(summary, err, regionCodes))
		return opsmanager.DeploymentRegion{}
	}
	return *answer
}

// tellAdjusted reports each planned value that the service holds otherwise.
func tellAdjusted(plan deploymentRegionModel, held opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	for _, d := range shown(regionDifferences(plan.request(), held)) {
		diags.AddAttributeError(path.Root(d.attribute), "Ops Manager Adjusted the Value",
			fmt.Sprintf("%s was asked for, and the service holds %s. Configure the value that it keeps.", d.wanted, d.held))
	}
}

func (r *deploymentRegionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(readModel(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set for a region that is gone too: Terraform before 1.12 refuses a removal
	// without it.
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, state.identity())...)
	if r.service.keepsState(&resp.Diagnostics) {
		return
	}
	live, err := r.service.client.DeploymentRegion(ctx, state.DeploymentID.ValueString())
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
	case opsmanager.IsUnsupported(err):
		// What the service cannot show, it cannot contradict.
	case err != nil:
		resp.Diagnostics.Append(failure(summary, err, regionCodes))
	default:
		state.observe(*live)
		resp.Diagnostics.Append(writeModel(ctx, &resp.State, state)...)
	}
}

func (r *deploymentRegionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	const summary = "Unable to Update Deployment Region"
	var plan, prior deploymentRegionModel
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(readModel(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !r.service.usable(summary, &resp.Diagnostics) {
		return
	}
	held := r.update(ctx, summary, plan.request(), prior.request(), &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		tellAdjusted(plan, held, &resp.Diagnostics)
	}
	updated := plan
	if resp.Diagnostics.HasError() {
		updated = prior
	}
	updated.observe(held)
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, updated.identity())...)
}

// update makes the service hold what is wanted. Where the state lacks what has
// to be sent along, the service is asked for it.
func (r *deploymentRegionResource) update(ctx context.Context, summary string, wanted, prior opsmanager.DeploymentRegion, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	if len(regionDifferences(wanted, prior)) > 0 && !isWhole(filled(wanted, prior)) {
		live, err := r.service.client.DeploymentRegion(ctx, wanted.ID)
		switch {
		case opsmanager.IsUnsupported(err): // replace says what that means
		case err != nil:
			diags.Append(failure(summary, err, regionCodes))
			return prior
		default:
			prior = *live
		}
	}
	return r.replace(ctx, summary, wanted, prior, diags)
}

func (r *deploymentRegionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	const summary = "Unable to Delete Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(readModel(ctx, req.State, &state)...)
	switch {
	case resp.Diagnostics.HasError():
		return
	case state.DeletionProtection.ValueBool():
		resp.Diagnostics.Append(protected(state))
		return
	case state.SkipDestroy.ValueBool(), !r.service.usable(summary, &resp.Diagnostics):
		return
	}
	if err := r.service.client.DeleteDeploymentRegion(ctx, state.DeploymentID.ValueString()); err != nil && !opsmanager.IsGone(err) {
		resp.Diagnostics.Append(refusedDeletion(summary, err))
	}
}

// refusedDeletion says what to do about a region in use. The service documents
// neither a status nor a code for that.
func refusedDeletion(summary string, err error) diag.Diagnostic {
	d := failure(summary, err)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Code != "" && adviceFor(e) != "" || topic(e) == "not the API" {
		return d
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity:
	default:
		return d
	}
	return diag.NewErrorDiagnostic(summary, d.Detail()+"\n\n"+
		"Ops Manager deletes a region only when nothing is bound to it. In the administration console, unbind the snapshot stores, oplog stores, sync stores and daemons of this region, "+
		"and release the clusters that are assigned to it (stop and terminate their backup), then destroy again. To forget the region only, set skip_destroy = true and apply that first.")
}

func (r *deploymentRegionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := deploymentRegionIdentity{types.StringValue(req.ID)}
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(readModel(ctx, req.Identity, &id)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if id.DeploymentID.ValueString() == "" {
		resp.Diagnostics.AddError("Invalid Import ID", "A deployment region is imported by its deployment_id, such as NY_NJ; it must not be empty.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("deployment_id"), id.DeploymentID)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, id)...)
	if r.service.client == nil {
		return
	}
	if _, err := r.service.client.DeploymentRegion(ctx, id.DeploymentID.ValueString()); opsmanager.IsUnsupported(err) {
		resp.Diagnostics.Append(unverified(id.DeploymentID.ValueString()))
	}
}
