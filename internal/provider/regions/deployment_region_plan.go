package regions

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
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
	prior, guess := regionModel(tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)), isGuess(ctx, req.Private, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, guess, &resp.Diagnostics)
		return
	}
	config, plan := regionModel(tfmodel.ValuesFrom(ctx, req.Config, &resp.Diagnostics)), regionModel(tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics))
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.CreatedKey, config.id(), &resp.Diagnostics)
		var replaced replacedRegion
		if tfmodel.ReadPrivate(ctx, req.Private, wholeobject.ReplacedKey, &replaced, &resp.Diagnostics) {
			planReplacement(replaced, config, &resp.Diagnostics)
			return
		}
		if tainted := r.planCreation(ctx, config, &resp.Diagnostics); tainted != nil {
			tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, *tainted, &resp.Diagnostics)
		}
		return
	}
	tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, prior.replaced(guess), &resp.Diagnostics)
	if !plan[deploymentID].Equal(prior[deploymentID]) {
		r.planDestroy(prior, guess, &resp.Diagnostics)
		if plan[deploymentID].IsUnknown() && config.mayFailIfExists() && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(unknownReplacement(prior.id()))
			return
		}
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	r.planUpdate(config, prior, plan, &resp.Diagnostics)
	if guess && !plan[adoptExisting].IsUnknown() && !plan.flag(adoptExisting).ValueBool() && !regionFields.AreMissing(plan.changesFrom(prior)) {
		resp.Diagnostics.Append(guessNotChanged(prior.id()))
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
}

// planUpdate plans the update of a region, or no change.
func (r *deploymentRegionResource) planUpdate(config, prior, plan regionModel, diags *diag.Diagnostics) {
	id := prior.id()
	before := r.registry().Plan(id, func(p *plannedRegion) {
		p.Managed = true
		p.set = p.set || config.hasField()
	})
	switch {
	case before.Ended:
		diags.Append(destroyedAndManaged(id))
	case before.Managed:
		diags.Append(managedTwice(id, before.set && config.hasField()))
	}
	keepState(config, prior, plan)
	warnFormats(plan, prior.toAPI(), diags)
}

// keepState plans the value of the state for each field that is not configured. If the state has no
// value and a request is sent, the value is known after apply.
func keepState(config, prior, plan regionModel) {
	sends := slices.ContainsFunc(regionFields, func(f regionField) bool {
		return !config[f.Attribute].IsNull() && !config[f.Attribute].Equal(prior[f.Attribute])
	})
	for _, f := range regionFields {
		if config[f.Attribute].IsNull() && (!sends || !prior[f.Attribute].IsNull()) {
			plan[f.Attribute] = prior[f.Attribute]
		}
	}
}

// planDestroy reports how a destroy affects the region of a state.
func (r *deploymentRegionResource) planDestroy(prior regionModel, guess bool, diags *diag.Diagnostics) {
	id := prior.id()
	switch {
	case r.registry().HasAdopted(id): // the old object of a replacement, which Delete keeps
		return
	case prior.flag(deletionProtection).ValueBool():
		diags.Append(protected(id))
		return
	case prior.flag(skipDestroy).ValueBool():
		diags.AddWarning(regionName(id)+" Removed Only From the State",
			"skip_destroy is set, so destroying this resource does not call Ops Manager, and Ops Manager keeps the region.")
		return
	case guess:
		diags.Append(guessNotDeleted(id))
		return
	}
	if before := r.registry().Plan(id, func(p *plannedRegion) { p.Ended = true }); before.Managed {
		diags.Append(destroyedAndManaged(id))
		return
	}
	if before := r.registry().Plan(unknownID, func(p *plannedRegion) { p.Ended = true }); before.Managed {
		diags.Append(unknownAdoption())
		return
	}
	diags.Append(deletion(id))
}

// planReplacement fails if replacing a region under its own ID would delete it for good,
// or if creating it would fail.
func planReplacement(replaced replacedRegion, config regionModel, diags *diag.Diagnostics) {
	if config.id() != replaced.ID {
		return // the first plan has reported it
	}
	switch id := replaced.ID; {
	case replaced.Protected:
		diags.Append(protected(id))
	case config.mayFailIfExists():
		// With create_before_destroy or skip_destroy, the region still exists when it is
		// created. Terraform then plans the creation once more, and if that plan failed,
		// only the old object would be left.
		diags.AddAttributeError(path.Root(adoptExisting), "Unable to Replace Deployment Region",
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
func (r *deploymentRegionResource) planCreation(ctx context.Context, config regionModel, diags *diag.Diagnostics) (tainted *replacedRegion) {
	if config.hasRequiredField() {
		for _, attribute := range config.missingFields(opsmanager.DeploymentRegion{}) {
			diags.AddAttributeError(path.Root(attribute), "Incomplete Deployment Region",
				fmt.Sprintf("%s is missing. Creating a region requires %s. Configure all of them, or none of them to adopt an existing region.", attribute, namesOfRequired))
		}
	}
	if diags.HasError() {
		return nil
	}
	if config[deploymentID].IsUnknown() {
		if before := r.registry().Plan(unknownID, func(p *plannedRegion) { p.Managed = true }); before.Ended {
			diags.Append(unknownAdoption())
		}
		return nil
	}
	id := config.id()
	before := r.registry().Plan(id, func(p *plannedRegion) {
		p.Managed = true
		p.described = p.described || config.mayBeComplete()
		p.set = p.set || config.hasField()
	})
	switch {
	case before.Ended:
		diags.Append(destroyedAndManaged(id))
	case before.Managed:
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
		diags.Append(alreadyExists(id))
	default:
		overwritten := regionFields.Differences(config.toAPI(), *live)
		if len(overwritten) > 0 && len(config.missingFields(*live)) > 0 {
			diags.Append(incompleteWrite(config.createSummary(), regionFields.Complete(config.toAPI(), *live)))
			return nil
		}
		wholeobject.WarnOverwritten(regionName(id), overwritten, diags)
		warnFormats(config, *live, diags)
		return nil
	}
	warnFormats(config, opsmanager.DeploymentRegion{}, diags)
	return nil
}

// failsIfExists reports whether creating a region is certain to fail if it exists: the
// configuration has the required fields, and does not allow adoption.
func (m regionModel) failsIfExists() bool {
	return m.mayBeComplete() && m.hasRequiredField() && !m[adoptExisting].IsUnknown() && !m.flag(adoptExisting).ValueBool()
}

// mayFailIfExists reports whether creating a region may fail if it exists, because unknown values
// may become known.
func (m regionModel) mayFailIfExists() bool {
	return m.mayBeComplete() && !m.flag(adoptExisting).ValueBool()
}

// warnFormats warns about each known field that differs from the live one and doesn't
// have the documented format.
func warnFormats(wanted regionModel, live opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	for _, d := range regionFields.Differences(wanted.toAPI(), live) {
		expects, known := documented[d.Attribute]
		if !known {
			continue
		}
		if format := expects(tfmodel.As[types.String](wanted, d.Attribute).ValueString()); format != "" {
			diags.AddAttributeWarning(path.Root(d.Attribute), fmt.Sprintf("Unusual %s of %s", d.Attribute, regionName(wanted.id())),
				fmt.Sprintf("Ops Manager documents %s, but %s is configured. The provider sends it anyway, and Ops Manager may reject it.", format, d.Wanted))
		}
	}
}
