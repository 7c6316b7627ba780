package regions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// registry is shared by all regions of this process.
func (r *deploymentRegionResource) registry() *regionRegistry {
	return registry.Of(r.Data)
}

// ModifyPlan plans values that the apply is able to set. It warns about what the apply
// deletes or overwrites, and fails if the apply is certain to fail.
//
// Terraform plans a replacement twice. The first plan has the state, and its warnings
// are shown. The second one has no state, but the private data of the first, and its
// warnings are dropped. A -replace is visible only in the second one. A tainted region
// is planned once, without its state.
func (r *deploymentRegionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior deploymentRegionModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	}
	guess := isGuess(ctx, req.Private, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, guess, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		tfmodel.WritePrivate(ctx, resp.Private, createdKey, true, &resp.Diagnostics)
		var replaced replacedRegion
		if tfmodel.ReadPrivate(ctx, req.Private, replacedKey, &replaced, &resp.Diagnostics) {
			planReplacement(replaced, config, &resp.Diagnostics)
			return
		}
		if tainted := r.planCreation(ctx, config, &resp.Diagnostics); tainted != nil {
			tfmodel.WritePrivate(ctx, resp.Private, replacedKey, *tainted, &resp.Diagnostics)
		}
		return
	}
	tfmodel.WritePrivate(ctx, resp.Private, replacedKey, prior.replaced(guess), &resp.Diagnostics)
	if !plan.DeploymentID.Equal(prior.DeploymentID) {
		r.planDestroy(prior, guess, &resp.Diagnostics)
		if plan.DeploymentID.IsUnknown() && config.mayFailIfExists() && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(unknownReplacement(prior.DeploymentID.ValueString()))
			return
		}
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	r.planUpdate(config, prior, &plan, &resp.Diagnostics)
	if guess && !plan.AdoptExisting.IsUnknown() && !plan.AdoptExisting.ValueBool() && hasFields(plan.changesFrom(prior)) {
		resp.Diagnostics.Append(guessNotChanged(prior.DeploymentID.ValueString()))
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// planUpdate plans the update of a region, or no change.
func (r *deploymentRegionResource) planUpdate(config, prior deploymentRegionModel, plan *deploymentRegionModel, diags *diag.Diagnostics) {
	id := prior.DeploymentID.ValueString()
	before := r.registry().Plan(id, func(p *plannedRegion) {
		p.kept = true
		p.set = p.set || config.hasField()
	})
	switch {
	case before.destroyed:
		diags.Append(destroyedAndManaged(id))
	case before.claimed, before.kept:
		diags.Append(managedTwice(id, before.set && config.hasField()))
	}
	*plan = plannedUpdate(config, prior, *plan)
	warnFormats(*plan, prior.toAPI(), diags)
}

// plannedUpdate returns the plan of an update. A field that is not configured keeps its
// value in the state. If the state has no value and a request is sent, the value is known
// after apply.
func plannedUpdate(config, prior, plan deploymentRegionModel) deploymentRegionModel {
	var sends bool
	for _, f := range regionFields {
		wanted := f.value(&config)
		sends = sends || !wanted.IsNull() && !wanted.Equal(f.value(&prior))
	}
	for _, f := range regionFields {
		if f.value(&config).IsNull() && (!sends || !f.value(&prior).IsNull()) {
			f.copy(&plan, &prior)
		}
	}
	return plan
}

// planDestroy reports how a destroy affects the region of a state.
func (r *deploymentRegionResource) planDestroy(prior deploymentRegionModel, guess bool, diags *diag.Diagnostics) {
	id := prior.DeploymentID.ValueString()
	switch {
	case r.registry().HasAdopted(id): // the old object of a replacement, which Delete keeps
		return
	case prior.DeletionProtection.ValueBool():
		diags.Append(protected(id))
		return
	case prior.SkipDestroy.ValueBool():
		diags.AddWarning(fmt.Sprintf("Deployment Region %s Only Removed From the State", id),
			"skip_destroy is set, so destroying this resource does not call Ops Manager, and Ops Manager keeps the region.")
		return
	case guess:
		diags.Append(guessNotDeleted(id))
		return
	}
	if before := r.registry().Plan(id, func(p *plannedRegion) { p.destroyed = true }); before.claimed || before.kept {
		diags.Append(destroyedAndManaged(id))
		return
	}
	if before := r.registry().Plan(unknownID, func(p *plannedRegion) { p.destroyed = true }); before.claimed {
		diags.Append(unknownAdoption())
		return
	}
	diags.Append(deletion(id))
}

// planReplacement fails if replacing a region under its own ID would delete it for good,
// or if creating it would fail.
func planReplacement(replaced replacedRegion, config deploymentRegionModel, diags *diag.Diagnostics) {
	if config.DeploymentID.ValueString() != replaced.ID {
		return // the first plan has reported it
	}
	switch id := replaced.ID; {
	case replaced.Protected:
		diags.Append(protected(id))
	case config.mayFailIfExists():
		// With create_before_destroy or skip_destroy, the region still exists when it is
		// created. Terraform then plans the creation once more, and if that plan failed,
		// only the old object would be left.
		diags.AddAttributeError(path.Root("adopt_existing"), "Unable to Replace Deployment Region",
			fmt.Sprintf("Replacing this resource creates region %q again under the same ID, which fails if create_before_destroy or skip_destroy keeps the region until then. "+
				"Changing the configuration does not require a replacement. To replace the region anyway, set adopt_existing = true. "+
				"If the resource is tainted, run 'terraform untaint ADDRESS' to keep it.", id))
	case replaced.Guess:
		diags.Append(guessNotDeleted(id))
	case !replaced.SkipDestroy && !config.isComplete():
		diags.Append(replacedWithoutFields(id))
	case !replaced.SkipDestroy:
		diags.Append(deletion(id)) // Terraform shows it for a tainted region only
	}
}

// planCreation previews the creation or adoption of a region. It fails if the apply is
// certain to fail, because the region to create exists, the region to adopt doesn't, or
// the region can't be read. It returns the region in the state if the resource is tainted.
func (r *deploymentRegionResource) planCreation(ctx context.Context, config deploymentRegionModel, diags *diag.Diagnostics) (tainted *replacedRegion) {
	if config.hasRequiredField() {
		for _, attribute := range config.missingFields(opsmanager.DeploymentRegion{}) {
			diags.AddAttributeError(path.Root(attribute), "Incomplete Deployment Region",
				fmt.Sprintf("%s is missing. Creating a region requires %s. Configure all of them, or none of them to adopt an existing region.", attribute, requiredFields))
		}
	}
	if diags.HasError() {
		return nil
	}
	if config.DeploymentID.IsUnknown() {
		if before := r.registry().Plan(unknownID, func(p *plannedRegion) { p.claimed = true }); before.destroyed {
			diags.Append(unknownAdoption())
		}
		return nil
	}
	id := config.DeploymentID.ValueString()
	before := r.registry().Plan(id, func(p *plannedRegion) {
		p.claimed = true
		p.described = p.described || config.mayBeComplete()
		p.set = p.set || config.hasField()
	})
	switch {
	case before.destroyed:
		diags.Append(destroyedAndManaged(id))
	case before.claimed, before.kept:
		diags.Append(managedTwice(id, before.set && config.hasField()))
	case before.refreshed != nil:
		// The state has the region and the plan doesn't, so the region is tainted.
		planReplacement(*before.refreshed, config, diags)
		return before.refreshed
	}
	if diags.HasError() || r.Client == nil {
		return nil
	}
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case isUnreadable(err):
		planUnreadable(config, err, diags)
	case opsmanager.IsGone(err):
		if !config.mayBeComplete() && !before.described {
			diags.Append(nothingToAdopt(config, err))
		}
	case err != nil:
		diags.Append(diagnostics.Failure("Unable to Preview Deployment Region", err, regionCodes))
	case config.failsIfExists():
		diags.Append(alreadyExists(config))
	default:
		if overwritten := differences(config.toAPI(), *live); len(overwritten) > 0 {
			if len(config.missingFields(*live)) > 0 {
				diags.Append(incompleteWrite(config.createSummary(), merged(config.toAPI(), *live)))
				return nil
			}
			diags.AddWarning(fmt.Sprintf("Overwritten Values of Deployment Region %s", id),
				"Creating this resource adopts the existing region and changes:"+tfmodel.Bulleted(overwritten))
		}
		warnFormats(config, *live, diags)
		return nil
	}
	warnFormats(config, opsmanager.DeploymentRegion{}, diags)
	return nil
}

// planUnreadable previews the creation or adoption of a region that can't be read.
func planUnreadable(config deploymentRegionModel, err error, diags *diag.Diagnostics) {
	switch {
	case !config.hasField():
		diags.Append(unverified(config.DeploymentID.ValueString(), err))
	case !config.mayBeComplete() && !config.AssignmentEnabled.IsUnknown():
		diags.Append(incompleteWrite(config.createSummary(), config.toAPI()))
	case opsmanager.IsBareNotFound(err) && config.hasRequiredField():
		diags.Append(unknownExistence(config.createSummary(), err))
	case config.AdoptExisting.IsUnknown() || config.AdoptExisting.ValueBool():
		diags.Append(overwrittenUnseen(config.DeploymentID.ValueString(), err))
	}
}

// failsIfExists reports whether creating a region is certain to fail if it exists: the
// configuration has the required fields, and does not allow adoption.
func (m *deploymentRegionModel) failsIfExists() bool {
	return m.mayBeComplete() && m.hasRequiredField() && !m.AdoptExisting.IsUnknown() && !m.AdoptExisting.ValueBool()
}

// mayFailIfExists reports whether creating a region may fail if it exists, because unknown values
// may become known.
func (m *deploymentRegionModel) mayFailIfExists() bool {
	return m.mayBeComplete() && !m.AdoptExisting.ValueBool()
}

// warnFormats warns about each known field that differs from the live one and doesn't
// have the documented format.
func warnFormats(wanted deploymentRegionModel, live opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	request := wanted.toAPI()
	for _, f := range regionFields {
		value, current := f.literal(&request), f.literal(&live)
		if f.expects == nil || value == nil || current != nil && *current == *value {
			continue
		}
		if documented := f.expects(&wanted); documented != "" {
			diags.AddAttributeWarning(path.Root(f.attribute), fmt.Sprintf("Unusual %s of Deployment Region %s", f.attribute, wanted.DeploymentID.ValueString()),
				fmt.Sprintf("Ops Manager documents %s, but %s is configured. The provider sends it anyway, and Ops Manager may reject it.", documented, *value))
		}
	}
}
