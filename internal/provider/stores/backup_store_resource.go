package stores

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

func (r *backupStoreResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Required: true, Validators: connection.PathSegmentValidators(), PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			MarkdownDescription: "ID of the store: any non-empty text, chosen by the administrator. Changing it forces replacement: this store is destroyed, and the other one is created or adopted.",
		},
		adoptExisting: schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether creating this resource adopts a store that exists, and changes it to the configured values. " +
				"If `false`, creating it fails if the store exists. Defaults to `false`.",
		},
		deletionProtection: schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to refuse to destroy or replace the store, without calling Ops Manager. The value in the state counts: set it to `false` and apply before you destroy. " +
				"Defaults to `false`.",
		},
		"timeouts": timeoutsAttribute(ctx),
	}
	for _, f := range r.fields {
		attributes[f.attribute] = f.schema()
	}
	for _, s := range r.secrets {
		description := s.description
		if s.required {
			description += " Required, here or in `" + s.attribute + writeOnly + "`."
		}
		addSecret(attributes, s.attribute, description)
	}
	if r.oidc {
		attributes["oidc"] = oidcAttribute()
	}
	if r.s3 {
		attributes[customCertificates] = schema.SetNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Certificates of authorities that Ops Manager trusts when it connects to the bucket. If you remove them, the next apply removes them from the store. Requires Ops Manager 5.0 or later.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"filename":    schema.StringAttribute{Required: true, MarkdownDescription: "Name of the certificate's file."},
				"cert_string": schema.StringAttribute{Required: true, MarkdownDescription: "Certificate in PEM format."},
			}},
		}
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.overview(), Attributes: attributes}
}

// overview returns the description of the resource.
func (k *storeKind) overview() string {
	text := "Manages a backup store " + k.description + ". Stores belong to the whole Ops Manager, so the API key needs the role `Global Backup Admin`.\n\n" +
		"Creating this resource **creates** the store, and fails if the store exists, unless `adopt_existing` is set. " +
		"An attribute that is unset keeps its current value, so removing an attribute from the configuration doesn't change the store.\n\n"
	if len(k.secrets) > 0 {
		text += "Set each secret either in a sensitive attribute, which is stored in the state, or in its write-only twin, which is not. " +
			"An update replaces the whole store, so it sends every secret, also one that you changed without a new version. " +
			"The provider never stores a secret that it reads. If Ops Manager returns another one than after the last apply, the next plan sets the configured secret again. " +
			"After an import, the first apply sends the secrets. " +
			"`terraform plan -generate-config-out` writes a configuration without the secrets, and then reports that they are missing: add them.\n\n"
	}
	if k.s3 {
		text += "Ops Manager tests the bucket each time it saves the store. The provider repeats a request that fails this test some times.\n\n"
	}
	return text + "~> Destroying this resource **deletes** the store in Ops Manager, even if it was adopted. So does replacing it. " + k.deletion +
		" To keep the store, set `deletion_protection = true`. If you rename the resource, add a `moved` block."
}

// addSecret adds the attributes of a secret. Their validators only reject empty texts: an
// error on a secret would make Terraform print it.
func addSecret(attributes map[string]schema.Attribute, attribute, description string) {
	attributes[attribute] = schema.StringAttribute{
		Optional: true, Sensitive: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		MarkdownDescription: description + " It is stored in the state. Conflicts with `" + attribute + writeOnly + "`, which is not.",
	}
	attributes[attribute+writeOnly] = schema.StringAttribute{
		Optional: true, Sensitive: true, WriteOnly: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		MarkdownDescription: "Write-only `" + attribute + "`: it is not stored in the state. Requires `" + attribute + version + "`, and Terraform or OpenTofu 1.11 or later.",
	}
	attributes[attribute+version] = schema.Int64Attribute{
		Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AlsoRequires(path.MatchRelative().AtParent().AtName(attribute + writeOnly))},
		MarkdownDescription: "Version of `" + attribute + writeOnly + "`: any whole number. Change it to send a new value, because Terraform can't see that a write-only value changed. " +
			"An update that changes something else sends the current value, too.",
	}
}

func oidcAttribute() schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, f := range oidcFields {
		attributes[f.attribute] = schema.StringAttribute{Optional: true, MarkdownDescription: f.description}
		if f.text == nil {
			attributes[f.attribute] = schema.BoolAttribute{Optional: true, MarkdownDescription: f.description}
		}
	}
	addSecret(attributes, clientSecret, "Secret of the client. Required with `callback`. If unset, an update keeps the current one.")
	return schema.SingleNestedAttribute{
		Optional: true, Attributes: attributes,
		MarkdownDescription: "OpenID Connect, for the connection to the database. If you remove it, the next apply removes it from the store. Requires Ops Manager 8.0.26 or later.",
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return connection.TimeoutsAttribute(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long creating the store may take, including the tests of its database and its bucket, as a duration such as `30s` or `10m`. Defaults to `5m`.",
		UpdateDescription: "How long an update may take. Defaults to `5m`.",
		DeleteDescription: "How long to wait until Ops Manager no longer refuses to delete the store. Defaults to `5m`.",
	})
}

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

// ValidateConfig rejects a configuration without the secrets that Ops Manager requires, or
// with values that it never accepts.
func (r *backupStoreResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config, diags := tfmodel.ReadValues(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.validate(config, &resp.Diagnostics)
}

// validateTwins rejects a secret that is configured twice, and a write-only one without a
// version. The error is on the version, because Terraform prints the line that it is on.
func validateTwins(at path.Path, attribute string, secret secretValue, diags *diag.Diagnostics) {
	switch {
	case !secret.text.IsNull() && !secret.writeOnly.IsNull():
		diags.AddAttributeError(at, "Secret Configured Twice", fmt.Sprintf("Set either %[1]s or %[1]s_wo.", attribute))
	case !secret.writeOnly.IsNull() && secret.version.IsNull():
		diags.AddAttributeError(at, "Secret Without a Version", fmt.Sprintf("Terraform can't see that %[1]s_wo changed. Set %[1]s_wo_version to any whole number, and change it with the secret.", attribute))
	}
}

func (k *storeKind) validate(config storeModel, diags *diag.Diagnostics) {
	if k.oidc {
		validateTwins(path.Root("id"), clientSecret, config.secret(clientSecret), diags)
	}
	for _, s := range k.secrets {
		validateTwins(path.Root(s.attribute+version), s.attribute, config.secret(s.attribute), diags)
		if s.required && !config.secret(s.attribute).isSet() {
			diags.AddAttributeError(path.Root(s.attribute), "Missing Secret", fmt.Sprintf("Set %[1]s or %[1]s_wo. Ops Manager requires it in every change of the store.", s.attribute))
		}
	}
	if !k.s3 {
		return
	}
	method := config.text("s3_auth_method")
	for _, s := range keys {
		isSet := config.secret(s.attribute).isSet()
		switch {
		case method.ValueString() == authRole && isSet:
			diags.AddAttributeError(path.Root("s3_auth_method"), "Key With an IAM Role", fmt.Sprintf("Ops Manager ignores %s if s3_auth_method is %s. Remove one of them.", s.attribute, authRole))
		case !method.IsUnknown() && method.ValueString() != authRole && !isSet:
			diags.AddAttributeError(path.Root(s.attribute), "Missing Secret", fmt.Sprintf("Set %[1]s or %[1]s_wo, or set s3_auth_method = %[2]q.", s.attribute, authRole))
		}
	}
	if accepted := config.flag("accepted_tos"); !accepted.IsNull() && !accepted.IsUnknown() && !accepted.ValueBool() {
		diags.AddAttributeError(path.Root("accepted_tos"), "Terms of Service Not Accepted", "Ops Manager saves S3 stores only if you accept its terms of service for them. Set accepted_tos = true.")
	}
	mode, days, lock := config["object_retention_mode"], config["object_retention_days"], config.flag("object_lock_enabled")
	switch {
	case !mode.IsNull() && days.IsNull():
		diags.AddAttributeError(path.Root("object_retention_days"), "Incomplete Retention", "object_retention_mode requires object_retention_days.")
	case mode.IsNull() && !days.IsNull():
		diags.AddAttributeError(path.Root("object_retention_mode"), "Incomplete Retention", "object_retention_days requires object_retention_mode.")
	case !mode.IsNull() && !lock.IsUnknown() && !lock.ValueBool():
		diags.AddAttributeError(path.Root("object_lock_enabled"), "Retention Without Object Lock", "object_retention_mode requires object_lock_enabled = true.")
	}
}

func (r *backupStoreResource) registry() *storeRegistry {
	return connection.Shared[storeRegistry](r.Data)
}

func (r *backupStoreResource) key(id string) storeKey { return storeKey{r.api, id} }

// values returns the attributes of a configuration, a plan or a state.
func values(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) storeModel {
	read, found := tfmodel.ReadValues(ctx, from)
	diags.Append(found...)
	return read
}

// Create creates the store, or adopts the one that exists. If Ops Manager may have created
// it, the state has it: without a state, the next apply would fail because the store exists.
func (r *backupStoreResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config, plan := values(ctx, req.Config, &resp.Diagnostics), values(ctx, req.Plan, &resp.Diagnostics)
	timeout, diags := timeoutsOf(plan).Create(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Create"), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var held opsmanager.BackupStore
	switch live, err := r.Client.BackupStore(ctx, r.api, plan.id()); {
	case opsmanager.IsGone(err):
		held = r.create(ctx, config, plan, &resp.Diagnostics)
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Create"), err))
	case !plan.flag(adoptExisting).ValueBool():
		resp.Diagnostics.Append(r.alreadyExists(plan.id()))
	default:
		held = r.replace(ctx, r.summary("Adopt"), update{config: config, plan: plan, live: *live, wanted: r.toAPI(plan)}, &resp.Diagnostics)
		if !resp.Diagnostics.HasError() {
			r.addAdjusted(ctx, r.toAPI(plan), held, &resp.Diagnostics)
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.registry().Adopt(r.key(plan.id()))
	r.store(ctx, r.applied(plan, held), held, &resp.State, resp.Identity, resp.Private, &resp.Diagnostics)
}

// store writes what an apply leaves behind.
func (r *backupStoreResource) store(ctx context.Context, m storeModel, held opsmanager.BackupStore, state, identity interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, private tfmodel.PrivateState, diags *diag.Diagnostics) {
	diags.Append(tfmodel.WriteValues(ctx, state, m)...)
	diags.Append(tfmodel.Write(ctx, identity, m.identity())...)
	tfmodel.WritePrivate(ctx, private, readBackKey, newReadBack(r.shownSecrets(held)), diags)
}

// create creates a store, and returns what Ops Manager holds afterwards.
func (r *backupStoreResource) create(ctx context.Context, config, plan storeModel, diags *diag.Diagnostics) opsmanager.BackupStore {
	wanted := r.toAPI(plan)
	omitLock(&wanted)
	r.setSecrets(&wanted, config, plan)
	if r.incomplete(plan.withSecretsOf(config), diags); diags.HasError() {
		return wanted
	}
	response, err := r.Client.CreateBackupStore(ctx, r.api, wanted)
	switch {
	case err == nil:
		held := r.settled(ctx, wanted, opsmanager.BackupStore{}, *response)
		if adjusted := tfmodel.Returned(r.differences(wanted, held)); len(adjusted) > 0 {
			diags.AddWarning("Ops Manager Adjusted "+r.name(wanted.ID), "Ops Manager created the store with other values:"+tfmodel.Bulleted(adjusted)+
				"\n\nThe Terraform state has the planned values. The next plan shows the difference. Configure values that Ops Manager keeps.")
		}
		return held
	case !opsmanager.IsUnclear(err):
		d := failure(r.summary("Create"), err)
		if e := new(opsmanager.Error); errors.As(err, &e) && e.Status == 409 && e.Code == "" {
			d = onID(d.Summary(), d.Detail()+"\n\nIf the store already exists: "+r.howToAdopt(wanted.ID))
		}
		diags.Append(d)
		return wanted
	}
	live, readErr := r.readDespiteInterrupt(ctx, wanted.ID)
	switch {
	case readErr == nil:
		diags.AddAttributeWarning(path.Root("id"), "Unanswered Creation of "+r.name(wanted.ID),
			"The response to the create request was lost. A store with this ID exists now and did not exist before, so the provider treats it as created by this request. "+diagnostics.Sentence(err))
		return *live
	case opsmanager.IsGone(readErr):
		diags.Append(failure(r.summary("Create"), err))
	default:
		diags.AddAttributeWarning(path.Root("id"), r.name(wanted.ID)+" May Have Been Created",
			"The response to the create request was lost, and the store can't be read. The Terraform state has it. If it does not exist, the next plan creates it. "+diagnostics.Sentence(err))
	}
	return wanted
}

// readDespiteInterrupt reads a store, and takes a moment for that even if the run was
// interrupted.
func (r *backupStoreResource) readDespiteInterrupt(ctx context.Context, id string) (*opsmanager.BackupStore, error) {
	if ctx.Err() != nil {
		moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		defer cancel()
		ctx = moment
	}
	return r.Client.BackupStore(ctx, r.api, id)
}

// update is a change of a live store.
type update struct {
	config, plan storeModel
	live         opsmanager.BackupStore
	wanted       opsmanager.BackupStore // the fields that change
	prior        storeModel             // nil for an adoption
}

// replace sends the live store with the wanted fields and every secret, and returns what
// Ops Manager holds afterwards. A field that the live store lacks is taken from the plan,
// except for Object Lock, which can't be changed.
func (r *backupStoreResource) replace(ctx context.Context, summary string, u update, diags *diag.Diagnostics) opsmanager.BackupStore {
	planned := r.toAPI(u.plan)
	planned.ObjectLockEnabled, planned.ObjectRetentionMode, planned.ObjectRetentionDays = nil, nil, nil
	whole := r.merged(r.merged(u.wanted, u.live), planned)
	whole.ID = u.plan.id()
	omitLock(&whole)
	r.setOIDC(&whole, u)
	r.setCertificates(&whole, u, diags)
	r.setSecrets(&whole, u.config, u.plan)
	r.keepSecrets(&whole, u.live, diags)
	if whole.AssignmentEnabled == nil {
		diags.AddAttributeError(path.Root(assignmentEnabled.attribute), summary,
			"An update replaces the whole store, and Ops Manager did not return assignment_enabled, so the provider can't keep it. Configure it. Nothing was changed.")
	}
	if diags.HasError() {
		return u.live
	}
	if len(r.secrets) == 0 && u.prior == nil && len(r.differences(whole, u.live)) == 0 {
		return u.live
	}
	response, err := r.Client.UpdateBackupStore(ctx, r.api, whole)
	if err != nil {
		diags.Append(failure(summary, err))
		return u.live
	}
	return r.settled(ctx, whole, u.live, *response)
}

// omitLock leaves Object Lock out of a request for a store that is not locked, because
// older versions reject the field.
func omitLock(request *opsmanager.BackupStore) {
	if request.ObjectLockEnabled != nil && !*request.ObjectLockEnabled {
		request.ObjectLockEnabled = nil
	}
}

// setOIDC sets what a replacement sends for oidc: the planned one if the plan changes it,
// or else the live one.
func (r *backupStoreResource) setOIDC(whole *opsmanager.BackupStore, u update) {
	planned := oidcToAPI(u.plan.oidc())
	switch changed := r.oidc && (u.prior == nil && planned != nil || u.prior != nil && !u.plan["oidc"].Equal(u.prior["oidc"])); {
	case changed, u.live.OIDC == nil:
		whole.OIDC = planned
	default:
		live := *u.live.OIDC
		if live.ClientSecret != nil && isMasked(*live.ClientSecret) {
			live.ClientSecret = nil // which keeps it
		}
		whole.OIDC = &live
	}
}

// setCertificates sets what a replacement sends for the certificates: the planned ones if
// the plan changes them, or else the live ones.
func (r *backupStoreResource) setCertificates(whole *opsmanager.BackupStore, u update, diags *diag.Diagnostics) {
	planned := certificatesToAPI(u.plan[customCertificates])
	changed := r.s3 && (u.prior == nil && planned != nil || u.prior != nil && !u.plan[customCertificates].Equal(u.prior[customCertificates]))
	switch {
	case changed, planned != nil && hasMask(u.live.CustomCertificates):
		whole.CustomCertificates = planned
	case hasMask(u.live.CustomCertificates):
		diags.AddAttributeError(path.Root(customCertificates), "Unknown Certificates",
			"An update replaces the whole store, and Ops Manager returns its certificates without their text. Configure custom_certificates. Nothing was changed.")
	default:
		whole.CustomCertificates = u.live.CustomCertificates
	}
}

// setSecrets sets the secrets of a request to the configured ones.
func (k *storeKind) setSecrets(request *opsmanager.BackupStore, config, plan storeModel) {
	for _, s := range k.secrets {
		*s.api(request) = plan.secret(s.attribute).toSend(config.secret(s.attribute))
	}
	if request.OIDC != nil {
		if secret := plan.secret(clientSecret).toSend(config.secret(clientSecret)); secret != nil {
			request.OIDC.ClientSecret = secret
		}
	}
}

// keepSecrets sets the secrets that a replacement lacks to those of the live store, if the
// response has them. It is an error if the replacement requires one that it doesn't have.
func (k *storeKind) keepSecrets(request *opsmanager.BackupStore, live opsmanager.BackupStore, diags *diag.Diagnostics) {
	needsKeys := request.S3AuthMethod == nil || *request.S3AuthMethod != authRole
	for _, s := range k.secrets {
		switch secret := *s.api(&live); {
		case *s.api(request) != nil:
		case secret != nil && !isMasked(*secret):
			*s.api(request) = secret
		case s.required || needsKeys:
			diags.Append(onID("Unknown Secret",
				fmt.Sprintf("An update replaces the whole store, and Ops Manager doesn't return %s in clear, so the provider can't keep it. Configure it, and don't ignore its changes. Nothing was changed.", s.attribute)))
		}
	}
}

// settled returns what Ops Manager holds after a write. A server may return old values for
// a while, so it reads until the values agree or the settle time is over.
func (r *backupStoreResource) settled(ctx context.Context, sent, before, response opsmanager.BackupStore) opsmanager.BackupStore {
	held := response
	agrees := func() bool { return len(r.differences(sent, held)) == 0 && r.showsSecrets(sent, before, held) }
	if !agrees() {
		r.Settle(ctx, func() bool {
			if live, err := r.Client.BackupStore(ctx, r.api, sent.ID); err == nil {
				held = *live
			}
			return agrees()
		})
	}
	return held
}

// showsSecrets reports whether each secret of a response can be the one that was sent: it
// shows that one, or another one than before.
func (r *backupStoreResource) showsSecrets(sent, before, held opsmanager.BackupStore) bool {
	was, is := r.shownSecrets(before), r.shownSecrets(held)
	for attribute, secret := range r.shownSecrets(sent) {
		if shown, ok := is[attribute]; ok && shown == was[attribute] && !couldShow(shown, secret) {
			return false
		}
	}
	return true
}

func (r *backupStoreResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the store is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	live, err := r.Client.BackupStore(ctx, r.api, state.id())
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Read"), err))
		return
	}
	var known readBack
	tfmodel.ReadPrivate(ctx, req.Private, readBackKey, &known, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.fromAPI(state, *live, known))...)
	replaced := state.replaced()
	r.registry().Plan(r.key(state.id()), func(p *plannedStore) { p.refreshed = &replaced })
}

// Update sends what the plan changes, together with the other live values and every
// secret.
func (r *backupStoreResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config, plan, prior := values(ctx, req.Config, &resp.Diagnostics), values(ctx, req.Plan, &resp.Diagnostics), values(ctx, req.State, &resp.Diagnostics)
	timeout, diags := timeoutsOf(plan).Update(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Update"), &resp.Diagnostics) {
		return
	}
	r.registry().StartApply()
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, replacedKey, nil)...)
	if !r.sends(plan, prior) {
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
		resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, plan.identity())...)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	live, err := r.Client.BackupStore(ctx, r.api, plan.id())
	switch {
	case opsmanager.IsGone(err):
		resp.Diagnostics.Append(onID(r.summary("Update"), fmt.Sprintf("Store %q no longer exists, so nothing was changed: %s\n\nPlan again. The next plan creates the store.", plan.id(), diagnostics.Sentence(err))))
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Update"), err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	u := update{config: config, plan: plan, live: *live, wanted: r.changes(plan, prior), prior: prior}
	if changed := r.unplanned(u, r.toAPI(prior), *live); len(changed) > 0 {
		resp.Diagnostics.AddWarning(r.name(plan.id())+" Changed Since the Plan", "These values differ from the Terraform state that the plan is based on:"+tfmodel.Bulleted(changed)+
			"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
	}
	held := r.replace(ctx, r.summary("Update"), u, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	updated := r.applied(plan, held)
	if r.addAdjusted(ctx, u.wanted, held, &resp.Diagnostics); resp.Diagnostics.HasError() {
		updated = r.fromAPI(plan, held, readBack{})
	} else if changed := r.unplanned(u, r.merged(u.wanted, *live), held); len(changed) > 0 {
		resp.Diagnostics.AddWarning("Other Values of "+r.name(plan.id())+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(changed)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
	r.store(ctx, updated, held, &resp.State, resp.Identity, resp.Private, &resp.Diagnostics)
}

// unplanned returns the differences between two versions of a store, in the fields that the
// plan has a value for and does not change.
func (r *backupStoreResource) unplanned(u update, from, to opsmanager.BackupStore) []tfmodel.Difference {
	var changed []tfmodel.Difference
	planned := r.toAPI(u.plan)
	for _, f := range r.fields {
		if f.isMissing(u.wanted) && !f.isMissing(planned) {
			changed = tfmodel.AppendDifference(changed, f.attribute, f.literal(to), f.literal(from), "")
		}
	}
	return tfmodel.Returned(changed)
}

// Delete deletes the store, and reports its settings. It keeps a store that this process
// created or adopted: with create_before_destroy, Terraform destroys the old object after
// it created the new one, and both are the same store.
func (r *backupStoreResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := values(ctx, req.State, &resp.Diagnostics)
	timeout, diags := timeoutsOf(state).Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.id()
	r.registry().StartApply()
	switch {
	case r.registry().HasAdopted(r.key(id)):
		resp.Diagnostics.AddWarning(r.name(id)+" Not Deleted",
			"This apply created or adopted the store before it destroyed the old object of the resource, because of create_before_destroy. Both are the same store, so the old object was only removed from the Terraform state.")
		return
	case state.flag(deletionProtection).ValueBool():
		resp.Diagnostics.Append(r.protected(id))
		return
	case !r.Ready(r.summary("Delete"), &resp.Diagnostics):
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	live, err := r.Client.BackupStore(ctx, r.api, id)
	switch {
	case opsmanager.IsGone(err):
		return
	case err != nil:
		resp.Diagnostics.Append(r.deletionFailure(err, "Nothing was deleted."))
		return
	}
	r.delete(ctx, state, *live, &resp.Diagnostics)
}

// delete deletes a live store.
func (r *backupStoreResource) delete(ctx context.Context, state storeModel, live opsmanager.BackupStore, diags *diag.Diagnostics) {
	id := live.ID
	settings := "These were its settings. To create the store again, use this block with its secrets:\n\n" + r.hcl(live)
	err, note := r.Client.DeleteBackupStore(ctx, r.api, id), ""
	assignable := live.AssignmentEnabled == nil || *live.AssignmentEnabled
	switch {
	case isRefused(err) && r.deletesWhenUnassignable && assignable:
		note, err = r.deleteUnassignable(ctx, state, live, err)
	case isRefused(err) && assignable:
		note = endAssignment
	}
	switch {
	case err == nil, opsmanager.IsGone(err):
		diags.AddWarning(r.name(id)+" Deleted", settings)
	default:
		if opsmanager.IsUnclear(err) {
			diags.AddWarning(r.name(id)+" May Have Been Deleted",
				"The response to the delete request was lost. The store stays in the Terraform state, and the next plan shows whether it still exists. "+settings)
		}
		diags.Append(r.deletionFailure(err, note))
	}
}

// endAssignment says how to delete a store that is refused because backups can be assigned
// to it.
const endAssignment = "Ops Manager may also refuse it because backups can be assigned to the store. Set assignment_enabled = false and apply, then destroy again."

// deleteUnassignable deletes a store that Ops Manager refuses to delete, perhaps because
// backups can be assigned to it. It ends that first, and allows it again if the deletion
// is refused until the timeout. It returns a note for the error.
func (r *backupStoreResource) deleteUnassignable(ctx context.Context, state storeModel, live opsmanager.BackupStore, refusal error) (note string, err error) {
	var diags diag.Diagnostics
	u := update{config: state, plan: state, live: live, prior: state}
	r.setOIDC(&live, u)
	r.setCertificates(&live, u, &diags)
	r.setSecrets(&live, state, state)
	r.keepSecrets(&live, u.live, &diags)
	if diags.HasError() {
		return endAssignment, refusal
	}
	live.UsedSize, live.ObjectLockEnabledAt = nil, nil
	omitLock(&live)
	assign := func(ctx context.Context, enabled bool) error {
		live.AssignmentEnabled = new(enabled)
		_, err := r.Client.UpdateBackupStore(ctx, r.api, live)
		return err
	}
	if err := assign(ctx, false); err != nil {
		if !opsmanager.IsUnclear(err) {
			return endAssignment + " The provider tried that, too: " + diagnostics.Sentence(err), refusal
		}
		refusal = errors.Join(refusal, err)
	} else {
		refusal = nil
	}
	if refusal == nil {
		waited := r.Wait(ctx, func() (bool, error) {
			refusal = r.Client.DeleteBackupStore(ctx, r.api, live.ID)
			if isRefused(refusal) && ctx.Err() == nil {
				return false, nil
			}
			return true, nil
		})
		if waited == nil && (refusal == nil || opsmanager.IsGone(refusal)) {
			return "", refusal
		}
	}
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := assign(moment, true); err != nil && !opsmanager.IsGone(err) {
		return "The provider set assignment_enabled to false before, and could not set it to true again. Apply the resource to do that. " + diagnostics.Sentence(err), refusal
	}
	return "The provider set assignment_enabled to false for the deletion, and to true again.", refusal
}

// ImportState imports a store by its ID or identity, and reports why a store can't be read:
// Terraform only says that it doesn't exist.
func (r *backupStoreResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	identity := storeIdentity{types.StringValue(req.ID)}
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &identity)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	id := identity.ID.ValueString()
	if opsmanager.IsInvalidID(id) {
		resp.Diagnostics.AddError("Invalid Import ID", "Import a store by its id. It must not be empty and "+connection.PathSegmentRule+".")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, identity)...)
	if r.Client == nil {
		return
	}
	switch _, err := r.Client.BackupStore(ctx, r.api, id); {
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(r.summary("Import"), fmt.Sprintf("There is no store %q: %s\n\nCheck the ID. To create the store, remove the import and apply.", id, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(failure(r.summary("Import"), err))
	}
}

// timeoutsOf returns the timeouts of a plan or a state.
func timeoutsOf(m storeModel) timeouts.Value {
	value, _ := m["timeouts"].(timeouts.Value)
	return value
}

// withSecretsOf returns a model with the write-only secrets of a configuration.
func (m storeModel) withSecretsOf(config storeModel) storeModel {
	whole := maps.Clone(m)
	for attribute, value := range config {
		if planned, ok := whole[attribute]; ok && planned.IsNull() {
			whole[attribute] = value
		}
	}
	return whole
}
