package regions

import (
	"context"
	"encoding/json"
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
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: description + " A region is created with all four of these texts. If unset, the current value is kept and exported; null if Ops Manager doesn't show it.",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages a backup deployment region: the endpoints of one place, for the snapshot stores, oplog stores, sync stores and daemons that are bound to it.\n\n" +
			"If its description and its three endpoints are set, creating this resource **creates** the region, and fails if the region exists, unless `adopt_existing` is set. " +
			"If none of them is set, it **adopts** the existing region as it is.\n\n" +
			"~> Destroying this resource **deletes** the region in Ops Manager, even if it was adopted, and so does replacing it, also with `-replace` or because it is tainted. " +
			"Set `deletion_protection = true` for a region that you want to keep, or `skip_destroy = true` to remove it from the Terraform state only. " +
			"Use a `moved` block when you rename the resource. " +
			"The plan doesn't notice the replacement of a tainted resource with `-refresh=false`, nor a rename that also changes the provider: use `deletion_protection` and a `moved` block. " +
			"Ops Manager refuses to delete a region that anything is bound to.",
		Attributes: map[string]schema.Attribute{
			"deployment_id": schema.StringAttribute{
				Required: true, Validators: connection.PathSegmentValidators(),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "ID of the region, such as `NY_NJ`: any text that is not empty, chosen by the administrator. " +
					"Changing it forces replacement: it destroys this region, and creates or adopts the other one.",
			},
			"deployment_description": text("Purpose of the region."),
			"ingestion_endpoint":     text("Address that agents write snapshots and oplogs to, a URL such as `https://opsmanager-ny.example.com:8443`."),
			"restore_endpoint":       text("Address that restores are read from, a URL such as `https://opsmanager-ny.example.com:8443`."),
			"bq_proxy_endpoint":      text("Address for queryable backups, as `domain:port`, not a URL."),
			"assignment_enabled": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether the region may be given to new resources. " +
					"If unset, the current value is kept and exported. For a new region Ops Manager decides; no default is documented.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether creating this resource with its texts takes over a region that exists, and changes it to what is configured. " +
					"If `false`, it fails instead. Without the texts an existing region is adopted in any case. Defaults to `false`.",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to refuse to destroy or replace the region, before anything is called. The value in the state counts: set it to `false` and apply before you destroy. " +
					"Defaults to `false`.",
			},
			"skip_destroy": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a destroy only removes the region from the Terraform state and calls nothing. The value in the state counts: change it and apply before you destroy. " +
					"`deletion_protection` takes precedence. Defaults to `false`.",
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

// memory is what the regions of this process know about each other.
func (r *deploymentRegionResource) memory() *regionMemory {
	return connection.Shared[regionMemory](r.Data)
}

// replacedKey is where the private data of a plan has the region that a
// replacement replaces. No state keeps it.
const replacedKey = "replaced_region"

// shownKey is where the private state has whether the last refresh was shown the
// region.
const shownKey = "shown"

// ModifyPlan narrows the plan to what an apply can keep. It warns about what an
// apply deletes or overwrites, and fails if the apply is certain to fail.
//
// Terraform plans a replacement twice. The first plan has the state; its warnings
// are shown. The second one has no state, but the private data of the first; its
// warnings are dropped. A -replace shows only in the second one. A tainted region
// is planned once, without its state.
func (r *deploymentRegionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior deploymentRegionModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	document, diags := req.Private.GetKey(ctx, replacedKey)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		var replaced replacedRegion
		if json.Unmarshal(document, &replaced) == nil {
			planReplacement(replaced, config, &resp.Diagnostics)
			return
		}
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	document, err := json.Marshal(prior.replaced())
	if err != nil {
		resp.Diagnostics.AddError("Unable to Plan Deployment Region", diagnostics.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, document)...)
	if !plan.DeploymentID.Equal(prior.DeploymentID) {
		r.planDestroy(prior, &resp.Diagnostics)
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	r.planUpdate(config, prior, &plan, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// planUpdate plans the update of a region, or that it stays as it is.
func (r *deploymentRegionResource) planUpdate(config, prior deploymentRegionModel, plan *deploymentRegionModel, diags *diag.Diagnostics) {
	id := prior.DeploymentID.ValueString()
	before := r.memory().note(id, func(use *regionUse) {
		use.kept = true
		use.set = use.set || config.sets()
	})
	switch {
	case before.destroyed:
		diags.Append(movedRegion(id))
	case before.claimed, before.kept:
		diags.Append(sharedRegion(id, before.set && config.sets()))
	}
	*plan = plannedRegion(config, prior, *plan)
	warnFormats(*plan, prior.toAPI(), diags)
}

// planDestroy says what a destroy does with the region of a state.
func (r *deploymentRegionResource) planDestroy(prior deploymentRegionModel, diags *diag.Diagnostics) {
	id := prior.DeploymentID.ValueString()
	switch {
	case r.memory().hasMade(id): // an old object of this region, which Delete keeps
		return
	case prior.DeletionProtection.ValueBool():
		diags.Append(protected(id))
		return
	case prior.SkipDestroy.ValueBool():
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Stays on the Service", id),
			"skip_destroy is set: the region is removed from the Terraform state, nothing is called, and Ops Manager keeps it.")
		return
	}
	if before := r.memory().note(id, func(use *regionUse) { use.destroyed = true }); before.claimed || before.kept {
		diags.Append(movedRegion(id))
		return
	}
	if before := r.memory().note(someRegion, func(use *regionUse) { use.destroyed = true }); before.claimed {
		diags.Append(unknownAdoption())
		return
	}
	diags.Append(deletion(id))
}

func deletion(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Deletion of Deployment Region %s", id),
		"Destroying this resource deletes the region in Ops Manager, even if it was adopted. Ops Manager refuses that as long as stores or daemons are bound to the region. "+
			"To keep the region and only remove it from the Terraform state, set skip_destroy = true and apply that first.")
}

// protected is the refusal to destroy a region.
func protected(id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "Deployment Region Is Protected",
		fmt.Sprintf("deletion_protection of region %q is true in the Terraform state, so it is not destroyed and nothing was called. "+
			"Set deletion_protection = false and apply first, then destroy or replace it.", id))
}

// movedRegion is for a region that one plan destroys, and that it creates, adopts
// or keeps for another object.
func movedRegion(id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), "Deployment Region Destroyed and Managed in One Plan",
		fmt.Sprintf("This plan destroys region %[1]q at one address, and creates, adopts or keeps it at another one. The region, or the resource that stays, would be lost.\n\n"+
			"If you renamed the resource, add a moved block:\n\n  moved {\n    from = opsmanager_deployment_region.OLD\n    to   = opsmanager_deployment_region.NEW\n  }\n\n"+
			"If two addresses manage the region, remove one of them from the Terraform state without deleting the region: use a removed block with destroy = false, or run 'terraform state rm ADDRESS'.\n\n"+
			"If the plan calls one of the objects deposed, run 'terraform state rm ADDRESS', which forgets both, then import the region.", id))
}

// unknownAdoption is for a plan that deletes a region and adopts one whose id is
// not known.
func unknownAdoption() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), "Unknown ID of a Deployment Region to Adopt",
		"This plan deletes a region, and adopts one whose deployment_id is only known after the apply. If that is the same region, it would be deleted, and then there would be none to adopt. "+
			"The deployment_id must be known when you plan: write it out, or first apply what it depends on with -target. Then plan again.")
}

// sharedRegion is for a region that two resources of a plan manage.
func sharedRegion(id string, overwritten bool) diag.Diagnostic {
	if overwritten {
		return diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), "Deployment Region in Two Resources",
			fmt.Sprintf("Two resources of this plan set values of region %q. Each apply of one would overwrite the other's. "+
				"Keep one of them. If you renamed it, add a moved block; to refer to the region elsewhere, use the data source opsmanager_deployment_regions.", id))
	}
	return diag.NewAttributeWarningDiagnostic(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s in Two Resources", id),
		"Two resources of this plan manage this region. Destroying either one deletes it for both. Keep one of them. "+
			"If one of them creates the region, the other one has to refer to its deployment_id, so that Terraform creates it first.")
}

// planReplacement fails if a region that is replaced under its own id would be
// lost, or stay.
func planReplacement(replaced replacedRegion, config deploymentRegionModel, diags *diag.Diagnostics) {
	if config.DeploymentID.ValueString() != replaced.ID {
		return // the first plan has seen to it
	}
	switch id := replaced.ID; {
	case replaced.Protected:
		diags.Append(protected(id))
	case config.refuses():
		// With create_before_destroy the region still exists when it is created, and
		// so it does with skip_destroy. Terraform then plans the creation once more,
		// and a failure of that plan would leave nothing but the old object.
		diags.AddAttributeError(path.Root("adopt_existing"), "Unable to Replace Deployment Region",
			fmt.Sprintf("Replacing this resource creates region %q under the ID that it has already, which fails if create_before_destroy or skip_destroy keeps it until then. "+
				"A change of the configuration needs no replacement. To replace the region all the same, set adopt_existing = true. "+
				"If the resource is tainted, 'terraform untaint ADDRESS' keeps it as it is.", id))
	case !replaced.SkipDestroy && !config.maybeDescribes():
		diags.AddAttributeError(path.Root("deployment_id"), "Unable to Replace Deployment Region",
			fmt.Sprintf("Replacing this resource would delete region %q, and then couldn't create it again: that takes all of deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint. "+
				"Configure them, or don't replace it; if it is tainted, run 'terraform untaint ADDRESS'. If another address managed the region before, add a moved block.", id))
	case !replaced.SkipDestroy:
		diags.Append(deletion(id)) // shown for a tainted region only
	}
}

// incomplete returns an error for each text that a configuration lacks although
// it has others: a region can only be created with all of them.
func incomplete(config deploymentRegionModel) (diags diag.Diagnostics) {
	for _, attribute := range config.missingTexts() {
		diags.AddAttributeError(path.Root(attribute), "Incomplete Deployment Region",
			attribute+" is missing. A region is created with all of deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint. "+
				"Configure all of them, or none of them to adopt an existing region as it is.")
	}
	return diags
}

// planCreation looks at the region that is to be created or adopted. It fails if
// the apply is certain to fail: the region exists and is to be created, it doesn't
// exist and is to be adopted, or it can't be read.
func (r *deploymentRegionResource) planCreation(ctx context.Context, config deploymentRegionModel, diags *diag.Diagnostics) {
	diags.Append(incomplete(config)...)
	if diags.HasError() {
		return
	}
	if config.DeploymentID.IsUnknown() {
		if config.maybeDescribes() {
			return
		}
		if before := r.memory().note(someRegion, func(use *regionUse) { use.claimed = true }); before.destroyed {
			diags.Append(unknownAdoption())
		}
		return
	}
	id := config.DeploymentID.ValueString()
	before := r.memory().note(id, func(use *regionUse) {
		use.claimed = true
		use.described = use.described || config.maybeDescribes()
		use.set = use.set || config.sets()
	})
	switch {
	case before.destroyed:
		diags.Append(movedRegion(id))
	case before.claimed, before.kept:
		diags.Append(sharedRegion(id, before.set && config.sets()))
	case before.refreshed != nil:
		// The state has the region, and the plan doesn't see it: it is tainted.
		planReplacement(*before.refreshed, config, diags)
		return
	}
	if diags.HasError() || r.Client == nil {
		return
	}
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case cannotShow(err):
		r.planUnseen(config, err, diags)
	case opsmanager.IsGone(err):
		if !config.maybeDescribes() && !before.described {
			diags.Append(nothingToAdopt(config, err))
		}
	case err != nil:
		diags.Append(diagnostics.Failure("Unable to Preview Deployment Region", err, regionCodes))
	case config.refuses():
		diags.Append(existing(config))
	default:
		if overwritten := regionDifferences(config.toAPI(), *live); len(overwritten) > 0 {
			if config.lacksFor(*live) {
				diags.Append(cannotComplete(config.createSummary(), filled(config.toAPI(), *live)))
				return
			}
			diags.AddWarning(fmt.Sprintf("Overwritten Values of Deployment Region %s", id),
				"Creating this resource adopts the existing region and changes:"+tfmodel.Bulleted(overwritten))
		}
		warnFormats(config, *live, diags)
		return
	}
	warnFormats(config, opsmanager.DeploymentRegion{}, diags)
}

// refuses reports whether a configuration is certain to refuse a region that
// exists: it describes one, and doesn't say that it may be taken over.
func (m *deploymentRegionModel) refuses() bool {
	return m.maybeDescribes() && m.knowsText() && !m.AdoptExisting.IsUnknown() && !m.AdoptExisting.ValueBool()
}

// cannotShow reports whether a failed read says nothing about the region, because
// the service may not serve the operation.
func cannotShow(err error) bool {
	return opsmanager.IsUnsupported(err) || opsmanager.IsBareNotFound(err)
}

// planUnseen plans a creation or an adoption on a service that can't show regions.
func (r *deploymentRegionResource) planUnseen(config deploymentRegionModel, err error, diags *diag.Diagnostics) {
	switch {
	case !config.sets():
		diags.Append(unverified(config.DeploymentID.ValueString(), err))
	case !config.maybeDescribes() && !config.AssignmentEnabled.IsUnknown():
		diags.Append(cannotComplete(config.createSummary(), config.toAPI()))
	case opsmanager.IsBareNotFound(err) && config.knowsText():
		diags.Append(notOnAGuess(config.createSummary(), err))
	}
}

// nothingToAdopt is for a region that is to be adopted and doesn't exist.
func nothingToAdopt(config deploymentRegionModel, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), config.createSummary(),
		fmt.Sprintf("There is no region %q to adopt: %s\n\nCheck the ID. To create the region, configure deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint.",
			config.DeploymentID.ValueString(), diagnostics.Sentence(err)))
}

// existing is for a region that is to be created and exists.
func existing(config deploymentRegionModel) diag.Diagnostic {
	id := config.DeploymentID.ValueString()
	return diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s Exists Already", id),
		"Creating this resource would fail, because the region exists. "+howToTakeOver(id)+
			" If you renamed the resource that manages it, add a moved block instead.")
}

// notOnAGuess is for a region that can't be written because a 404 came from
// something that may be a proxy.
func notOnAGuess(summary string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, diagnostics.Explain(err)+"\n\n"+
		"Nothing was sent, because it is not known whether the region exists. If this Ops Manager doesn't serve regions through its API except to delete them, "+
		"leave out deployment_description, ingestion_endpoint, restore_endpoint, bq_proxy_endpoint and assignment_enabled, to adopt the region as it is.")
}

// warnFormats warns about each known endpoint that differs from what is held and
// doesn't have the documented form. The service decides what it takes.
func warnFormats(wanted deploymentRegionModel, held opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	request := wanted.toAPI()
	for _, t := range regionTexts {
		value, current := *t.api(&request), *t.api(&held)
		if t.format == nil || value == nil || current != nil && *current == *value {
			continue
		}
		if fault := t.format(*value); fault != "" {
			diags.AddAttributeWarning(path.Root(t.attribute), fmt.Sprintf("Unusual %s of Deployment Region %s", t.attribute, wanted.DeploymentID.ValueString()),
				fmt.Sprintf("%q %s, as Ops Manager documents it. The value is sent as it is.", *value, fault))
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
// If anything fails, nothing is stored: a stored state would be tainted, and the
// next apply would delete the region, with what it may hold by then.
func (r *deploymentRegionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(plan.createSummary(), &resp.Diagnostics) {
		return
	}
	r.memory().apply()
	held := r.createOrAdopt(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	reportAdjusted(plan.toAPI(), held, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(plan.createSummary(), "The region exists on the service now, and was left out of the Terraform state, from where it would be deleted by the next apply. "+
			"Configure the values that the service keeps. "+howToTakeOver(plan.DeploymentID.ValueString()))
		return
	}
	r.memory().make(plan.DeploymentID.ValueString())
	created := plan.applied(held)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, created.identity())...)
}

func (m *deploymentRegionModel) createSummary() string {
	if m.knowsText() {
		return "Unable to Create Deployment Region"
	}
	return "Unable to Adopt Deployment Region"
}

// createOrAdopt returns the region as the service holds it in the end. It looks
// first: what a creation does to a region that exists is not documented.
func (r *deploymentRegionResource) createOrAdopt(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	live, err := r.Client.DeploymentRegion(ctx, plan.DeploymentID.ValueString())
	switch {
	case cannotShow(err):
		return r.createOrAdoptUnseen(ctx, plan, err, diags)
	case opsmanager.IsGone(err) && plan.describes():
		return r.create(ctx, plan, true, diags)
	case opsmanager.IsGone(err):
		diags.Append(nothingToAdopt(plan, err))
	case err != nil:
		diags.Append(diagnostics.Failure(plan.createSummary(), err, regionCodes))
	case plan.describes() && !plan.AdoptExisting.ValueBool():
		diags.Append(existing(plan))
	default:
		_, held := r.change(ctx, plan.createSummary(), plan.toAPI(), *live, plan, diags)
		return held
	}
	return opsmanager.DeploymentRegion{}
}

// createOrAdoptUnseen works on a service that can't show regions. The plan has
// warned that an adoption is unverified.
func (r *deploymentRegionResource) createOrAdoptUnseen(ctx context.Context, plan deploymentRegionModel, err error, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	wanted := plan.toAPI()
	switch {
	case plan.describes() && opsmanager.IsBareNotFound(err):
		diags.Append(notOnAGuess(plan.createSummary(), err))
	case plan.describes() && plan.AdoptExisting.ValueBool():
		// A PUT creates a region that doesn't exist, so it serves both cases.
		return r.put(ctx, plan.createSummary(), wanted, diags)
	case plan.describes():
		return r.create(ctx, plan, false, diags)
	case wanted.AssignmentEnabled != nil:
		diags.Append(cannotComplete(plan.createSummary(), wanted))
	}
	return opsmanager.DeploymentRegion{}
}

// unverified is for a region that gets into the state unseen.
func unverified(id string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("deployment_id"), fmt.Sprintf("Unverified Deployment Region %s", id),
		"Ops Manager doesn't show this region, so it is not known whether it exists. Check its ID in the administration console. "+diagnostics.Sentence(err))
}

// create creates a region. If its answer is lost, a region that was not there
// before, and is now as it was asked for, is taken for the one that was created.
func (r *deploymentRegionResource) create(ctx context.Context, plan deploymentRegionModel, wasGone bool, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	wanted := plan.toAPI()
	answer, err := r.Client.CreateDeploymentRegion(ctx, wanted)
	if opsmanager.IsUnclear(err) {
		live, lookErr := r.look(ctx, wanted.ID)
		switch {
		case lookErr == nil && wasGone && len(regionDifferences(wanted, *live)) == 0:
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Unanswered Creation of Deployment Region %s", wanted.ID),
				"The answer to the creation was lost. A region with this ID and these values exists now and did not exist right before, so it was taken for the one that was created. "+diagnostics.Sentence(err))
			return *live
		case !opsmanager.IsGone(lookErr):
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s May Have Been Created", wanted.ID),
				"The answer to the creation was lost, and it is not known whether this run created the region. The next plan shows whether it exists. "+howToTakeOver(wanted.ID))
		}
	}
	var e *opsmanager.Error
	if errors.As(err, &e) && e.Status == http.StatusConflict {
		diags.AddAttributeError(path.Root("deployment_id"), plan.createSummary(),
			diagnostics.Sentence(err)+"\n\nIf the region exists already: "+howToTakeOver(wanted.ID))
		return opsmanager.DeploymentRegion{}
	}
	if err != nil {
		diags.Append(notWritten(plan.createSummary(), err))
		return opsmanager.DeploymentRegion{}
	}
	return r.settled(ctx, wanted, *answer)
}

// look reads a region, and takes a moment for that even if the run has been
// interrupted.
func (r *deploymentRegionResource) look(ctx context.Context, id string) (*opsmanager.DeploymentRegion, error) {
	if ctx.Err() != nil {
		moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		defer cancel()
		ctx = moment
	}
	return r.Client.DeploymentRegion(ctx, id)
}

// change makes the service hold what is asked for, unless it does already, and
// returns what was sent and what the service holds then. A PUT replaces the whole
// region, so it carries what the service has, overlaid with what is asked for; a
// text that the service doesn't show is taken from the plan.
func (r *deploymentRegionResource) change(ctx context.Context, summary string, asked, live opsmanager.DeploymentRegion, plan deploymentRegionModel, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if len(regionDifferences(asked, live)) == 0 {
		return live, live
	}
	whole := filled(filled(asked, live), plan.toAPI())
	if !isComplete(whole) {
		diags.Append(cannotComplete(summary, whole))
		return live, live
	}
	return whole, r.put(ctx, summary, whole, diags)
}

// put replaces a region, and returns what the service holds then.
func (r *deploymentRegionResource) put(ctx context.Context, summary string, whole opsmanager.DeploymentRegion, diags *diag.Diagnostics) opsmanager.DeploymentRegion {
	answer, err := r.Client.UpdateDeploymentRegion(ctx, whole)
	if err != nil {
		diags.Append(notWritten(summary, err))
		return opsmanager.DeploymentRegion{}
	}
	return r.settled(ctx, whole, *answer)
}

// settled returns what the service holds after a write. A server may show old
// values for some reads, so an answer with other values than sent is followed by
// reads until they agree or the time for that is over.
func (r *deploymentRegionResource) settled(ctx context.Context, sent, answer opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	held := filled(answer, sent)
	agrees := func() bool { return len(regionDifferences(sent, held)) == 0 }
	if agrees() {
		return held
	}
	r.Settle(ctx, func() bool {
		live, err := r.Client.DeploymentRegion(ctx, sent.ID)
		if err == nil {
			held = filled(*live, sent)
		}
		return agrees() || cannotShow(err)
	})
	return held
}

// cannotComplete is for a change of a region that lacks texts, which have to be
// sent along.
func cannotComplete(summary string, partial opsmanager.DeploymentRegion) diag.Diagnostic {
	missing := lacking(partial)
	attribute := "assignment_enabled"
	if len(missing) < len(regionTexts) {
		attribute = missing[0]
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary,
		fmt.Sprintf("A region can only be written as a whole, and this Ops Manager doesn't show its %[1]s. "+
			"Nothing was changed. Configure %[1]s too, or leave the region as it is.", strings.Join(missing, ", ")))
}

// notWritten reports a failed creation or replacement.
func notWritten(summary string, err error) diag.Diagnostic {
	if opsmanager.IsUnsupported(err) {
		return diag.NewErrorDiagnostic(summary, diagnostics.Sentence(err)+"\n\nThis version of Ops Manager does not create or change regions through its API. "+
			"Create the region in its administration console, then leave out deployment_description, ingestion_endpoint, restore_endpoint, bq_proxy_endpoint and assignment_enabled, to adopt it as it is.")
	}
	return diagnostics.Failure(summary, err, regionCodes)
}

// reportAdjusted reports each value that was asked for and that the service holds
// otherwise.
func reportAdjusted(asked, held opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(regionDifferences(asked, held)) {
		diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Adjusted the Value",
			fmt.Sprintf("%s was asked for, and the service holds %s. Configure the value that it keeps.", d.Wanted, d.Held))
	}
}

func (r *deploymentRegionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set for a region that is gone too: Terraform before 1.12 refuses a removal
	// without it.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, replaced := state.DeploymentID.ValueString(), state.replaced()
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		// Terraform keeps the private data, and the next plan would take the region
		// for one that is being replaced.
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, nil)...)
		return
	case cannotShow(err):
		resp.Diagnostics.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s Not Refreshed", id),
			"Ops Manager didn't show this region, so the Terraform state was kept as it is. Changes made outside Terraform don't show in the plan, nor does a deletion. "+diagnostics.Sentence(err))
		tfmodel.WritePrivate(ctx, resp.Private, shownKey, false, &resp.Diagnostics)
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
		return
	default:
		state.fromAPI(*live)
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
		tfmodel.WritePrivate(ctx, resp.Private, shownKey, true, &resp.Diagnostics)
	}
	r.memory().note(id, func(use *regionUse) { use.refreshed = &replaced })
}

// Update sends what the plan changes, with what the service has besides.
func (r *deploymentRegionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	const summary = "Unable to Update Deployment Region"
	var plan, prior deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(summary, &resp.Diagnostics) {
		return
	}
	r.memory().apply()
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, nil)...)
	updated := prior
	asked := plan.changesFrom(prior)
	var mustShow bool
	tfmodel.ReadPrivate(ctx, req.Private, shownKey, &mustShow, &resp.Diagnostics)
	if sent, held := r.update(ctx, summary, asked, prior, plan, mustShow, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		if reportAdjusted(asked, held, &resp.Diagnostics); resp.Diagnostics.HasError() {
			updated.fromAPI(held)
		} else {
			warnChangedAlong(plan, asked, sent, held, &resp.Diagnostics)
			updated = plan.applied(held)
		}
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, updated.identity())...)
}

// update makes the service hold what is asked for, and returns what was sent and
// what the service holds then. It reads the region first: a PUT would create one
// that is gone, and undo what changed since the plan. It does without only on a
// service that can't show regions at all, unless the region must be shown.
func (r *deploymentRegionResource) update(ctx context.Context, summary string, asked opsmanager.DeploymentRegion, prior, plan deploymentRegionModel, mustShow bool, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if len(regionDifferences(asked, opsmanager.DeploymentRegion{})) == 0 {
		return prior.toAPI(), prior.toAPI()
	}
	live, err := r.Client.DeploymentRegion(ctx, asked.ID)
	switch {
	case err == nil:
		if changed := keptChanges(plan, asked, prior.toAPI(), *live); len(changed) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment Region %s Changed Since the Plan", asked.ID),
				"These values differ from the Terraform state that was planned with:"+tfmodel.Bulleted(changed)+
					"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
		}
		return r.change(ctx, summary, asked, *live, plan, diags)
	case opsmanager.IsBareNotFound(err):
		diags.Append(notOnAGuess(summary, err))
	case opsmanager.IsUnsupported(err) && mustShow:
		diags.AddError(summary, diagnostics.Sentence(err)+"\n\nOps Manager showed the region when it was refreshed, and doesn't now. "+
			"An update has to send all of the region, so without reading it first it could undo changes that the plan didn't show. Nothing was changed. Plan again.")
	case opsmanager.IsUnsupported(err):
		// All that is known is in the plan and the state.
		whole := filled(plan.toAPI(), prior.toAPI())
		if isComplete(whole) {
			if along := regionDifferences(withoutFields(whole, asked), opsmanager.DeploymentRegion{}); len(along) > 0 {
				diags.AddWarning(fmt.Sprintf("Deployment Region %s Updated Without Reading It First", asked.ID),
					"Ops Manager didn't show the region, and an update has to send all of it. These values of the Terraform state were sent along, and replace whatever they have been changed to since:"+
						tfmodel.Bulleted(along)+"\n\n"+diagnostics.Sentence(err))
			}
			return whole, r.put(ctx, summary, whole, diags)
		}
		diags.Append(cannotComplete(summary, whole))
	case opsmanager.IsGone(err):
		diags.AddAttributeError(path.Root("deployment_id"), summary,
			fmt.Sprintf("Region %q no longer exists, so nothing was changed: %s\n\nPlan again: the next plan creates the region.", asked.ID, diagnostics.Sentence(err)))
	default:
		diags.Append(diagnostics.Failure(summary, err, regionCodes))
	}
	return sent, held
}

// withoutFields returns a region without the fields that another one has.
func withoutFields(r, other opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	for _, t := range regionTexts {
		if *t.api(&other) != nil {
			*t.api(&r) = nil
		}
	}
	if other.AssignmentEnabled != nil {
		r.AssignmentEnabled = nil
	}
	return r
}

// warnChangedAlong warns about values that the plan keeps and that the service
// changed along with others. The state has to have what was planned.
func warnChangedAlong(plan deploymentRegionModel, asked, sent, held opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	changed := keptChanges(plan, asked, sent, held)
	if len(changed) > 0 {
		diags.AddWarning(fmt.Sprintf("Other Values of Deployment Region %s Changed", plan.DeploymentID.ValueString()),
			"Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
				"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
}

// keptChanges returns the differences between two versions of a region, in the
// fields that the plan keeps.
func keptChanges(plan deploymentRegionModel, asked, from, to opsmanager.DeploymentRegion) []tfmodel.Difference {
	planned := plan.toAPI()
	for _, t := range regionTexts {
		if *t.api(&asked) != nil || *t.api(&planned) == nil {
			*t.api(&from) = nil
		}
	}
	if asked.AssignmentEnabled != nil || planned.AssignmentEnabled == nil {
		from.AssignmentEnabled = nil
	}
	changed := tfmodel.Returned(regionDifferences(from, to))
	for i, d := range changed {
		changed[i].Held, changed[i].Wanted = d.Wanted, d.Held
	}
	return changed
}

// Delete deletes the region and reports what it was. A region that this process
// created or adopted is kept: with create_before_destroy, Terraform destroys the
// old object after it created the new one, and both are the same region.
func (r *deploymentRegionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	const summary = "Unable to Delete Deployment Region"
	var state deploymentRegionModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.DeploymentID.ValueString()
	r.memory().apply()
	switch {
	case r.memory().hasMade(id):
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Not Deleted", id),
			"This apply created or adopted the region before it destroyed the resource's old object, as create_before_destroy asks. Both are the same region, so the old object was only removed from the Terraform state.")
		return
	case state.DeletionProtection.ValueBool():
		resp.Diagnostics.Append(protected(id))
		return
	case state.SkipDestroy.ValueBool(), !r.Ready(summary, &resp.Diagnostics):
		return
	}
	settings := "These were its settings"
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case ctx.Err() != nil:
		resp.Diagnostics.AddError(summary, "The run was interrupted before the request to delete the region was sent, so nothing was deleted.")
		return
	case errors.Is(err, opsmanager.ErrOtherObject):
		resp.Diagnostics.AddError(summary, diagnostics.Explain(err)+"\n\nNothing was deleted.")
		return
	case err != nil:
		settings = "Ops Manager didn't show the region right before. These were its settings in the Terraform state"
	default:
		state.fromAPI(*live)
	}
	settings += ". To create the region again, use:\n\n" + state.hcl()
	if missing := lacking(state.toAPI()); len(missing) > 0 {
		settings += "\n\nNot known, and needed too: " + strings.Join(missing, ", ") + "."
	}
	seen := err == nil
	switch err := r.Client.DeleteDeploymentRegion(ctx, id); {
	case err == nil:
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Deleted", id), settings)
	case opsmanager.IsGone(err) && seen:
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s Deleted", id),
			"The region existed right before, and is gone now. An earlier attempt of the request, whose answer was lost, may have deleted it. "+settings)
	case opsmanager.IsGone(err):
	case opsmanager.IsUnclear(err):
		resp.Diagnostics.AddWarning(fmt.Sprintf("Deployment Region %s May Have Been Deleted", id),
			"The answer to the deletion was lost. The region stays in the Terraform state; the next plan shows whether it still exists. "+settings)
		resp.Diagnostics.Append(refusedDeletion(summary, err))
	default:
		resp.Diagnostics.Append(refusedDeletion(summary, err))
	}
}

// refusedDeletion says what to do about a region in use. The service documents
// neither a status nor a code for that.
func refusedDeletion(summary string, err error) diag.Diagnostic {
	d := diagnostics.Failure(summary, err)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Code != "" && diagnostics.AdviceFor(e) != "" || diagnostics.IsNotAPI(e) {
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
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &id)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if opsmanager.IsInvalidID(id.DeploymentID.ValueString()) {
		resp.Diagnostics.AddError("Invalid Import ID", "A deployment region is imported by its deployment_id, such as NY_NJ; it must not be empty, and must not have '.', '..' or nothing between slashes.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("deployment_id"), id.DeploymentID)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, id)...)
	if r.Client == nil {
		return
	}
	// Terraform says no more about a missing region than that it doesn't exist.
	const summary = "Unable to Import Deployment Region"
	switch _, err := r.Client.DeploymentRegion(ctx, id.DeploymentID.ValueString()); {
	case cannotShow(err):
		resp.Diagnostics.Append(unverified(id.DeploymentID.ValueString(), err))
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(summary, fmt.Sprintf("There is no region %q: %s\n\nCheck the ID. To create the region, remove the import and apply.", id.DeploymentID.ValueString(), diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, regionCodes))
	}
}
