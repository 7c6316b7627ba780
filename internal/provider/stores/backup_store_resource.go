package stores

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// backupStoreResource is the resource of one kind of stores.
type backupStoreResource struct {
	connection.Resource
	*storeKind
}

var (
	_ resource.ResourceWithConfigure      = (*backupStoreResource)(nil)
	_ resource.ResourceWithIdentity       = (*backupStoreResource)(nil)
	_ resource.ResourceWithImportState    = (*backupStoreResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*backupStoreResource)(nil)
	_ resource.ResourceWithValidateConfig = (*backupStoreResource)(nil)
)

// Resources returns the constructors of the resources of all kinds of stores.
func Resources() []func() resource.Resource {
	var all []func() resource.Resource
	for _, kind := range storeKinds {
		all = append(all, func() resource.Resource { return &backupStoreResource{storeKind: kind} })
	}
	return all
}

func (r *backupStoreResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.noun
}

// Attributes that Ops Manager does not have.
const (
	adoptExisting      = "adopt_existing"
	deletionProtection = "deletion_protection"
)

const (
	defaultWriteTimeout  = 5 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)

// storeIdentity identifies a store of one kind.
type storeIdentity struct {
	ID types.String `tfsdk:"id"`
}

func (m storeModel) identity() storeIdentity { return storeIdentity{m.text("id")} }

func (r *backupStoreResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the store."},
		},
	}
}

func (r *backupStoreResource) registry() *connection.Registry[storeKey, plannedStore] {
	return storeRegistry.Of(r.Data)
}

func (r *backupStoreResource) key(id string) storeKey { return storeKey{r.api, id} }

// values returns the attributes of a configuration, a plan or a state. From then on, the
// client hides the secrets among them.
func (r *backupStoreResource) values(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) storeModel {
	model := storeModel(tfmodel.ValuesFrom(ctx, from, diags))
	r.Hide(model.secret(clientSecret).Texts()...)
	for _, s := range r.secrets {
		r.Hide(model.secret(s.attribute).Texts()...)
	}
	return model
}

// Create creates the store, or adopts the one that exists.
func (r *backupStoreResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	timeout, diags := attributes.TimeoutsOf(plan).Create(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Create"), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	done := wholeobject.TakeTurn(ctx, r.Data, r.name(plan.id()), r.summary("Create"), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	var sent, held opsmanager.BackupStore
	isGuess := false
	live, err := r.Client.BackupStore(ctx, r.api, plan.id())
	ctx, cancel := r.writing(ctx, timeout)
	defer cancel()
	switch {
	case opsmanager.IsGone(err):
		sent, held, isGuess = r.create(ctx, config, plan, &resp.Diagnostics)
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Create"), err))
	case !plan.flag(adoptExisting).ValueBool():
		resp.Diagnostics.Append(r.alreadyExists(plan.id()))
	default:
		// A value may have been unknown when the adoption was planned.
		if r.checkFixed(plan, r.convertible().FromAPI(storeModel{}, *live), &resp.Diagnostics); resp.Diagnostics.HasError() {
			return
		}
		sent, held = r.adopt(ctx, config, plan, *live, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.registry().Adopt(r.key(plan.id()))
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	if isGuess {
		tfmodel.WritePrivate(ctx, resp.Private, guessKey, true, &resp.Diagnostics)
	}
	r.store(ctx, storeModel(r.convertible().Applied(plan, held)), sent, held, returned{}, &resp.State, resp.Identity, resp.Private, &resp.Diagnostics)
}

// writing returns a context for a write with a timeout, and for the reads that follow it.
func (r *backupStoreResource) writing(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(opsmanager.WithWriteTimeout(ctx, timeout), timeout+r.SettleTime)
}

// store writes the state after an apply.
func (r *backupStoreResource) store(ctx context.Context, m storeModel, sent, held opsmanager.BackupStore, before returned, state, identity interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	diags.Append(tfmodel.WriteValues(ctx, state, m)...)
	diags.Append(tfmodel.Write(ctx, identity, m.identity())...)
	tfmodel.WritePrivate(ctx, private, secrets.ReadBackKey, secrets.NewReadBack(r.shownSecrets(held), r.shownSecrets(sent)), diags)
	tfmodel.WritePrivate(ctx, private, returnedKey, before.and(r.storeKind, held), diags)
}

// create creates a store, and returns what it sent, what Ops Manager holds afterwards, and whether it
// is a guess that the store is the one that was sent.
func (r *backupStoreResource) create(ctx context.Context, config, plan storeModel, diags *diag.Diagnostics) (sent, held opsmanager.BackupStore, isGuess bool) {
	wanted := r.toAPI(plan)
	omitLock(&wanted)
	r.setSecrets(&wanted, config, plan)
	if r.incomplete(plan.withSecretsOf(config), diags); diags.HasError() {
		return wanted, wanted, false
	}
	response, err := r.Client.CreateBackupStore(ctx, r.api, wanted)
	switch {
	case err == nil:
		p := r.put(r.summary("Create"), wanted, &update{})
		held, _ := wholeobject.ReadUntilAgrees(ctx, r.Data, response, p.Read, func(held opsmanager.BackupStore) bool { return p.Agrees(wanted, held) })
		if adjusted := tfmodel.Returned(r.differences(wanted, held)); len(adjusted) > 0 {
			diags.AddWarning("Ops Manager Adjusted "+r.name(wanted.ID), "Ops Manager created the store with other values:"+tfmodel.Bulleted(adjusted)+
				"\n\nThe Terraform state has the planned values. The next plan shows the difference. Configure values that Ops Manager keeps.")
		}
		return wanted, held, false
	case !opsmanager.IsUnclear(err):
		d := failure(r.summary("Create"), err)
		if e := new(opsmanager.Error); errors.As(err, &e) && e.Status == 409 && e.Code == "" {
			d = onID(d.Summary(), d.Detail()+"\n\nIf the store already exists: "+r.howToAdopt(wanted.ID))
		}
		diags.Append(d)
		return wanted, wanted, false
	}
	live := r.lookFor(ctx, wanted, err, diags)
	switch {
	case live == nil:
		return wanted, wanted, false
	case !plan.flag(adoptExisting).ValueBool():
		diags.Append(r.guessed(wanted.ID, err))
		return wanted, *live, true
	}
	// It may have the secrets of someone else, behind masks.
	diags.Append(r.adoptedGuess(wanted.ID, err))
	sent, held = r.adopt(ctx, config, plan, *live, diags)
	return sent, held, false
}

// adopt changes a live store to the planned values, and returns what it sent and what Ops Manager
// holds afterwards.
func (r *backupStoreResource) adopt(ctx context.Context, config, plan storeModel, live opsmanager.BackupStore, diags *diag.Diagnostics) (sent, held opsmanager.BackupStore) {
	wanted := r.toAPI(plan)
	sent, held = r.replace(ctx, r.summary("Adopt"), &update{config: config, plan: plan, live: live, wanted: wanted}, diags)
	if !diags.HasError() {
		r.addAdjusted(ctx, wanted, held, diags)
	}
	return sent, held
}

func (r *backupStoreResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the store is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	live, err := r.Client.BackupStore(ctx, r.api, state.id())
	var known secrets.ReadBack
	tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &known, &resp.Diagnostics)
	if err == nil {
		live, err = r.readAgain(ctx, live, &known, resp.Private, &resp.Diagnostics)
	}
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Read"), err))
		return
	}
	before := readReturned(ctx, req.Private, &resp.Diagnostics)
	tfmodel.WritePrivate(ctx, resp.Private, returnedKey, before.and(r.storeKind, *live), &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.fromAPI(state, *live, known, before))...)
	replaced := state.replaced(isGuess(ctx, req.Private, &resp.Diagnostics))
	r.registry().Plan(r.key(state.id()), func(p *plannedStore) { p.refreshed = &replaced })
}

// readAgain reads a store once more if a secret seems to have been changed elsewhere. If it has yet
// a different form then, Ops Manager returns a different mask each time, which says nothing about the
// secret. What was known of it is forgotten until the next write.
func (r *backupStoreResource) readAgain(ctx context.Context, live *opsmanager.BackupStore, known *secrets.ReadBack, private tfmodel.PrivateState, diags *diag.Diagnostics) (*opsmanager.BackupStore, error) {
	first := r.shownSecrets(*live)
	isChanged := func(attribute string) bool { return known.Differs(attribute, first[attribute]) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(first)), isChanged) {
		return live, nil
	}
	live, err := r.Client.BackupStore(ctx, r.api, live.ID)
	if err != nil {
		return live, err
	}
	for attribute, shown := range r.shownSecrets(*live) {
		if isChanged(attribute) && shown != first[attribute] && known.Differs(attribute, shown) {
			delete(known.Fingerprints, attribute)
			tfmodel.WritePrivate(ctx, private, secrets.ReadBackKey, known, diags)
		}
	}
	return live, nil
}

// Update sends what the plan changes, together with the other live values and every
// secret.
func (r *backupStoreResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config, plan, prior := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics), r.values(ctx, req.State, &resp.Diagnostics)
	timeout, diags := attributes.TimeoutsOf(plan).Update(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Update"), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	confirms := plan.flag(adoptExisting).ValueBool() && isGuess(ctx, req.Private, &resp.Diagnostics)
	if confirms {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, guessKey, nil)...)
	}
	if !r.sends(plan, prior) && (!confirms || len(r.secrets) == 0) {
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
		resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, plan.identity())...)
		return
	}
	done := wholeobject.TakeTurn(ctx, r.Data, r.name(plan.id()), r.summary("Update"), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.Client.BackupStore(ctx, r.api, plan.id())
	ctx, cancel := r.writing(ctx, timeout)
	defer cancel()
	switch {
	case opsmanager.IsGone(err):
		resp.Diagnostics.Append(wholeobject.Gone("id", r.summary("Update"), r.name(plan.id()), err))
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Update"), err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	u := update{
		config: config, plan: plan, live: *live, wanted: r.changes(plan, prior), prior: prior,
		returned: readReturned(ctx, req.Private, &resp.Diagnostics),
	}
	tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &u.known, &resp.Diagnostics)
	sent, held := r.replace(ctx, r.summary("Update"), &u, &resp.Diagnostics)
	wholeobject.WarnChangedSincePlan(r.name(plan.id()), r.sincePlan(u), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	updated := storeModel(r.convertible().Applied(plan, held))
	if r.addAdjusted(ctx, u.wanted, held, &resp.Diagnostics); resp.Diagnostics.HasError() {
		updated = r.fromAPI(plan, held, secrets.ReadBack{}, returned{})
	} else {
		planned := r.toAPI(plan)
		wholeobject.WarnChangedAlong(r.name(plan.id()), append(r.convertible().Unplanned(u.wanted, planned, sent, held), unplannedOIDC(u.wanted, planned, sent, held)...), &resp.Diagnostics)
	}
	r.store(ctx, updated, sent, held, u.returned, &resp.State, resp.Identity, resp.Private, &resp.Diagnostics)
}

// storeImport is the ID of an imported store.
var storeImport = imports.ID{
	Attributes: []string{"id"}, IsValid: func(values []string) bool { return !opsmanager.IsInvalidID(values[0]) },
	Advice: "Import a store by its id. It must not be empty and " + attributes.PathSegmentRule + ".",
}

// ImportState imports a store by its ID or identity, and reports why a store can't be read:
// Terraform only says that it doesn't exist.
func (r *backupStoreResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	values := storeImport.Set(ctx, req, resp)
	if values == nil || r.Client == nil {
		return
	}
	id := values[0]
	switch _, err := r.Client.BackupStore(ctx, r.api, id); {
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(r.summary("Import"), fmt.Sprintf("There is no store %q: %s\n\nCheck the ID. To create the store, remove the import and apply.", id, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Import"), err))
	}
}

// withSecretsOf returns a model with the write-only secrets of a configuration.
func (m storeModel) withSecretsOf(config storeModel) storeModel {
	whole := maps.Clone(m)
	for attribute, value := range config {
		if planned, ok := whole[attribute]; ok && planned.IsNull() || attribute == "oidc" {
			whole[attribute] = value
		}
	}
	return whole
}
