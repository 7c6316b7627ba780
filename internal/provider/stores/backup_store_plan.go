package stores

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/references"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// ModifyPlan plans values that the apply is able to set. It warns about what the apply
// deletes or overwrites, and fails if the apply is certain to fail.
//
// Terraform plans a replacement twice. The first plan has the state, and its warnings are
// shown. The second one has no state, but the private data of the first, and its warnings
// are dropped. A -replace is visible only in the second one. A tainted store is planned
// once, without its state. With -refresh=false, nothing distinguishes that from a creation.
func (r *backupStoreResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior, guess := r.values(ctx, req.State, &resp.Diagnostics), isGuess(ctx, req.Private, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, prior.replaced(guess), &resp.Diagnostics)
		r.planDestroy(ctx, prior, req.Private, &resp.Diagnostics)
		return
	}
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		var replaced replacedStore
		if tfmodel.ReadPrivate(ctx, req.Private, wholeobject.ReplacedKey, &replaced, &resp.Diagnostics) {
			replaced.guess = guess
			r.planReplacement(replaced, config, &resp.Diagnostics)
			return
		}
		r.planCreation(ctx, config, resp.Private, &resp.Diagnostics)
		return
	}
	tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, prior.replaced(guess), &resp.Diagnostics)
	switch id := plan.text("id"); {
	case id.IsUnknown() && !prior.flag(deletionProtection).ValueBool():
		resp.Diagnostics.Append(r.unknownID(prior.id()))
	case !id.Equal(prior["id"]):
		r.planDestroy(ctx, prior, req.Private, &resp.Diagnostics)
		r.planCreation(ctx, config, resp.Private, &resp.Diagnostics)
	default:
		r.planUpdate(ctx, config, prior, plan, req.Private, &resp.Diagnostics)
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
	}
}

// planUpdate plans the update of a store, or no change. A field that is not configured
// keeps its state.
func (r *backupStoreResource) planUpdate(ctx context.Context, config, prior, plan storeModel, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	id := prior.id()
	r.checkFixed(config, prior, diags)
	r.convertible().Keep(plan, config, prior)
	r.manage(id, plan, diags)
	confirms, guess := plan.flag(adoptExisting).ValueBool(), isGuess(ctx, private, diags)
	if guess && confirms && len(r.secrets) > 0 {
		diags.AddWarning("Overwritten Secrets of "+r.name(id), "With adopt_existing, this plan confirms that the store is this resource's, and sets its secrets to the configured ones. A store of someone else would lose its own.")
	}
	if !r.sends(plan, prior) {
		return
	}
	if guess && !confirms {
		diags.Append(r.guessNotChanged(id))
	}
	if before := readReturned(ctx, private, diags); r.oidc && prior["oidc"].IsNull() && !plan["oidc"].IsNull() {
		switch {
		case before.OIDC:
			diags.AddWarning("OpenID Connect of "+r.name(id)+" Overwritten",
				"The store has settings for OpenID Connect that Terraform does not manage. This plan replaces all of them with oidc.")
		case lacksClientSecret(config):
			diags.Append(noClientSecret)
		}
	}
}

// manage records that a plan keeps, creates or adopts a store, reports what other plans of the process
// do with it, and returns that.
func (r *backupStoreResource) manage(id string, plan storeModel, diags *diag.Diagnostics) (before plannedStore) {
	references.PlanStore(r.Data, r.api, id, plan[labels.Attribute])
	before = r.registry().Plan(r.key(id), func(p *plannedStore) { p.Managed = true })
	switch {
	case before.Ended:
		diags.Append(r.destroyedAndManaged(id))
	case before.Managed:
		diags.Append(r.managedTwice(id))
	}
	return before
}

// sends reports whether a plan needs a request: it changes more than attributes that Ops
// Manager does not have.
func (k *storeKind) sends(plan, prior storeModel) bool {
	for attribute, value := range plan {
		switch attribute {
		case adoptExisting, deletionProtection, "timeouts":
		default:
			if !value.Equal(prior[attribute]) {
				return true
			}
		}
	}
	return false
}

// planDestroy reports how a destroy affects the store of a state.
func (r *backupStoreResource) planDestroy(ctx context.Context, prior storeModel, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	id := prior.id()
	guess := isGuess(ctx, private, diags)
	switch {
	case r.registry().HasAdopted(r.key(id)): // the old object of a replacement, which Delete keeps
		return
	case prior.flag(deletionProtection).ValueBool():
		diags.Append(r.protected(id))
		return
	case guess:
		diags.Append(r.guessKept(id))
		return
	}
	if before := r.registry().Plan(r.key(id), func(p *plannedStore) { p.Ended = true }); before.Managed {
		diags.Append(r.destroyedAndManaged(id))
		return
	}
	if before := r.registry().Plan(r.key(unknownID), func(p *plannedStore) { p.Ended = true }); before.Managed {
		diags.Append(r.unknownAdoption())
		return
	}
	diags.Append(r.deletes(id))
	if missing := r.unknownSecrets(ctx, prior, private, diags); r.deletesWhenUnassignable && !isFalse(prior.flag(assignmentEnabled.Attribute)) && len(missing) > 0 {
		diags.Append(r.mayNotBeDeleted(id, missing))
	}
}

func isFalse(flag types.Bool) bool { return !flag.IsNull() && !flag.ValueBool() }

// unknownSecrets returns the attributes of the secrets that a destroy can't send: they are not in the
// state, and Ops Manager did not return them as they were sent.
func (r *backupStoreResource) unknownSecrets(ctx context.Context, prior storeModel, private tfmodel.PrivateState, diags *diag.Diagnostics) []string {
	var known secrets.ReadBack
	tfmodel.ReadPrivate(ctx, private, secrets.ReadBackKey, &known, diags)
	var missing []string
	for _, s := range r.required(prior.text("s3_auth_method").ValueString()) {
		if prior.secret(s.attribute).Text.IsNull() && !known.Clear[s.attribute] {
			missing = append(missing, s.attribute)
		}
	}
	return missing
}

// planReplacement fails if replacing a store under its own ID would delete it for good, or
// if creating it would fail.
func (r *backupStoreResource) planReplacement(replaced replacedStore, config storeModel, diags *diag.Diagnostics) {
	id := replaced.ID
	if config.id() == id {
		r.checkFixed(config, replaced.state, diags)
	}
	if diags.HasError() {
		return
	}
	switch missing := r.missingFields(config); {
	case config.id() != id: // the first plan has reported it
	case replaced.Protected:
		diags.Append(r.protected(id))
	case len(missing) > 0: // the first plan has the values of ignored attributes instead
		r.incomplete(config, diags)
	case !config.flag(adoptExisting).IsUnknown() && !config.flag(adoptExisting).ValueBool():
		// With create_before_destroy, the store still exists when it is created. Terraform then
		// plans the creation once more, and if that plan failed, only the old object would be left.
		diags.AddAttributeError(path.Root(adoptExisting), "Unable to Replace "+r.title,
			"Replacing this resource creates store "+wholeobject.HCLString(id)+" again under the same ID, which fails if create_before_destroy keeps the store until then. "+
				"Changing the configuration does not require a replacement. To replace the store anyway, set adopt_existing = true. "+
				"If the resource is tainted, run 'terraform untaint ADDRESS' to keep it. If another address managed the store before, add a moved block.")
	case replaced.guess:
		diags.Append(r.guessKept(id))
	default:
		diags.Append(r.deletes(id)) // Terraform shows it for a tainted store only
	}
}

// planCreation previews the creation or adoption of a store. It fails if the apply is
// certain to fail, because the store to create exists, or required fields are missing.
func (r *backupStoreResource) planCreation(ctx context.Context, config storeModel, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	mayAdopt := config.flag(adoptExisting).IsUnknown() || config.flag(adoptExisting).ValueBool()
	if config.text("id").IsUnknown() && mayAdopt {
		if before := r.registry().Plan(r.key(unknownID), func(p *plannedStore) { p.Managed = true }); before.Ended {
			diags.Append(r.unknownAdoption())
		}
	}
	if config.text("id").IsUnknown() || r.Client == nil {
		return
	}
	id := config.id()
	if before := r.manage(id, config, diags); before.refreshed != nil && before.Planned == (wholeobject.Planned{}) {
		// The state has the store and no other plan does, so the store is tainted.
		if before.refreshed.guess {
			tfmodel.WritePrivate(ctx, private, guessKey, true, diags) // for the destroy
		}
		r.planReplacement(*before.refreshed, config, diags)
		return
	}
	if diags.HasError() {
		return
	}
	tfmodel.WritePrivate(ctx, private, wholeobject.CreatedKey, id, diags)
	live, err := r.Client.BackupStore(ctx, r.api, id)
	switch {
	case opsmanager.IsGone(err):
		r.incomplete(config, diags)
	case err != nil:
		diags.Append(failure("Unable to Preview "+r.title, err))
	case !mayAdopt:
		diags.Append(r.alreadyExists(id))
	default:
		r.planAdoption(config, *live, diags)
	}
}

// planAdoption warns about what an adoption overwrites, and refuses to change what Ops
// Manager can't change.
func (r *backupStoreResource) planAdoption(config storeModel, live opsmanager.BackupStore, diags *diag.Diagnostics) {
	r.checkFixed(config, r.convertible().FromAPI(storeModel{}, live), diags)
	overwritten := r.differences(r.toAPI(config), live)
	text := "Creating this resource adopts the existing store"
	if len(r.secrets) > 0 {
		text += ", sets its secrets to the configured ones"
	}
	if len(overwritten) > 0 {
		text += ", and changes:" + tfmodel.Bulleted(overwritten)
	} else {
		text += "."
	}
	if len(overwritten) > 0 || len(r.secrets) > 0 {
		diags.AddWarning("Overwritten Values of "+r.name(live.ID), text)
	}
}
