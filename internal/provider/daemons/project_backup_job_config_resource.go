package daemons

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

type jobConfigResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure      = (*jobConfigResource)(nil)
	_ resource.ResourceWithIdentity       = (*jobConfigResource)(nil)
	_ resource.ResourceWithImportState    = (*jobConfigResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*jobConfigResource)(nil)
	_ resource.ResourceWithValidateConfig = (*jobConfigResource)(nil)
)

// NewJobConfigResource returns the resource opsmanager_project_backup_job_config.
func NewJobConfigResource() resource.Resource { return &jobConfigResource{} }

func (r *jobConfigResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_backup_job_config"
}

func (r *jobConfigResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	const kept = " `[]` removes the filter." + attributes.Kept
	stores := func(description string, kinds ...string) schema.SetNestedAttribute {
		return schema.SetNestedAttribute{
			Optional: true, Computed: true, MarkdownDescription: description + kept,
			Validators: []validator.Set{setvalidator.NoNullValues()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"id": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}, MarkdownDescription: "ID of the store."},
				"type": schema.StringAttribute{
					Required: true, Validators: []validator.String{stringvalidator.OneOf(kinds...)},
					MarkdownDescription: "Type of the store: `" + strings.Join(kinds[:len(kinds)-1], "`, `") + "` or `" + kinds[len(kinds)-1] + "`.",
				},
			}},
		}
	}
	all := map[string]schema.Attribute{
		"project_id":   attributes.ObjectID("ID of the project (group): 24 hexadecimal digits. Changing it forces replacement."),
		"label_filter": attributes.Texts("Labels that daemons and snapshot stores must have. Without a filter, only daemons and stores without labels serve the project." + kept),
		"daemon_filter": schema.SetNestedAttribute{
			Optional: true, Computed: true, MarkdownDescription: "Daemons that backups can be assigned to. Without a filter, all daemons that match `label_filter`." + kept,
			Validators: []validator.Set{setvalidator.NoNullValues()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"machine": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}, MarkdownDescription: "Host name of the machine that the daemon runs on."},
				"head_root_directory": schema.StringAttribute{
					Optional: true, Validators: []validator.String{directoryValidator{}},
					MarkdownDescription: "Head directory of the daemon, with a final slash. If unset, all head directories of the machine.",
				},
			}},
		},
		"snapshot_store_filter": stores("Snapshot stores that backups can be assigned to. Without a filter, all stores that match `label_filter`.", "s3blockstore", "blockstore", "fileSystemStore"),
		"oplog_store_filter":    stores("Oplog stores that backups can be assigned to. Without a filter, all oplog stores whose assignment is enabled.", "oplogStore", "s3OplogStore", "thirdPartyOplogStore"),
		"sync_store_filter":     attributes.Texts("IDs of the sync stores that backups can be assigned to. Without a filter, all sync stores whose assignment is enabled." + kept),
		kmipPath: schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1), secrets.NoContent},
			MarkdownDescription: kmipPathText + " If unset, the provider keeps the current path and password. If you remove it, the next apply removes both.",
		},
		"timeouts": attributes.Timeouts(ctx, timeouts.Opts{
			Create: true, Update: true, Delete: true,
			CreateDescription: "How long creating the job configuration may take, as a duration such as `30s` or `10m`. Defaults to `10m`.",
			UpdateDescription: "How long an update may take. Defaults to `10m`.",
			DeleteDescription: "How long removing the filters may take. Defaults to `5m`.",
		}),
	}
	secrets.AddAttributes(all, kmipPassword, "Password of the client certificate for KMIP. Requires `"+kmipPath+"`.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the backup job configuration of a project: the daemons and stores that its backups can be assigned to.\n\n" +
			"The first change creates the job configuration of a project. If there is one, creating this resource **adopts** it: " +
			"the provider changes only the configured fields that differ, and the plan warns about the live values that the apply will overwrite. " +
			"The filters apply when a backup starts: a running backup keeps its daemon and its stores. " +
			"In a filter, Ops Manager accepts a store or a daemon that does not exist, and a wrong `type`, so the plan warns about both.\n\n" +
			"-> Requires the role `Global Backup Admin`, because only administrators of Ops Manager can change job configurations.\n\n" +
			"!> Destroying this resource **removes all filters**, because Ops Manager can't delete a job configuration. Every daemon and store without labels then serves the project. " +
			"It also removes the client certificate for KMIP if `kmip_client_cert_path` is set. To keep the job configuration, use a `removed` block with `destroy = false`.\n\n" +
			"Since 8.0.27, Ops Manager refuses to delete a store that a job configuration names. Refer to the IDs of your store and daemon resources, instead of repeating them, so that a destroy resets the job configuration before it deletes the stores. " +
			"Also set `create_before_destroy = true` in the `lifecycle` block of each store. Without it, Terraform deletes a store that you remove before it updates the filter that names it.\n\n" +
			"An update replaces the whole job configuration, so it sends the current values of all other fields, too, including those that this version of the provider does not know.",
		Attributes: all,
	}
}

// jobConfigCodes are the codes about a job configuration and its fields. Errors about the
// password are on the path, because Terraform prints the line of the attribute.
var jobConfigCodes = diagnostics.Codes{
	Attributes: map[string]string{
		"BACKUP_KMIP_CERTIFICATE_PATH_REQUIRED": kmipPath, "GROUP_NOT_FOUND": "project_id",

		"labelFilter": "label_filter", "daemonFilter": "daemon_filter", "snapshotStoreFilter": "snapshot_store_filter", "oplogStoreFilter": "oplog_store_filter",
		"syncStoreFilter": "sync_store_filter", "kmipClientCertPath": kmipPath, "kmipClientCertPassword": kmipPath,
	},
	Advice: projects.Codes.Advice,
}

func (r *jobConfigResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"project_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the project: 24 hexadecimal digits."},
		},
	}
}

// ValidateConfig rejects a password without a path, and one that is configured twice.
func (r *jobConfigResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := r.values(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	secret := secrets.Of(config, kmipPassword)
	secret.Validate(path.Root(kmipPassword+secrets.Version), kmipPassword, &resp.Diagnostics)
	if secret.IsSet() && config[kmipPath].IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root(kmipPath), "Password Without a Certificate", kmipPassword+" is the password of a client certificate. Set "+kmipPath+", too.")
	}
}

// values returns the attributes of a configuration, a plan or a state. From then on, the
// client hides the password among them.
func (r *jobConfigResource) values(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) tfmodel.Values {
	read := tfmodel.ValuesFrom(ctx, from, diags)
	r.Hide(secrets.Of(read, kmipPassword).Texts()...)
	return read
}

const (
	createJobConfig = "Unable to Create Backup Job Configuration"
	updateJobConfig = "Unable to Update Backup Job Configuration"
	readJobConfig   = "Unable to Read Backup Job Configuration"
	resetJobConfig  = "Unable to Reset Backup Job Configuration"
	importJobConfig = "Unable to Import Backup Job Configuration"
)

var jobConfigRegistry connection.Shared[connection.Registry[string, planned]]

func (r *jobConfigResource) registry() *connection.Registry[string, planned] {
	return jobConfigRegistry.Of(r.Data)
}

// jobConfigName returns the name of a job configuration for messages.
func jobConfigName(project string) string { return "Job Configuration of Project " + project }

// nameProject adds the name of the project to its ID in diagnostics.
func (r *jobConfigResource) nameProject(ctx context.Context, m tfmodel.Values, isApply bool, diags *diag.Diagnostics) {
	projects.NameProject(ctx, r.Data, projectOf(m), isApply, diags)
}

// existing returns the job configuration of a project, or nil if it has none. If there is
// none, Ops Manager 6.0 returns 401, as it does for a key that lacks the role. But such a
// key can't list job configurations either.
func (r *jobConfigResource) existing(ctx context.Context, project string) (*opsmanager.JobConfig, error) {
	live, err := r.Client.JobConfig(ctx, project)
	var e *opsmanager.Error
	switch {
	case err == nil:
		return live, nil
	case opsmanager.IsGone(err):
		return nil, nil
	case !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.Code == "": // a key that is rejected gets no code
		return nil, err
	}
	all, listErr := r.Client.ListJobConfigs(ctx)
	if listErr != nil || slices.ContainsFunc(all.Results, func(j opsmanager.JobConfig) bool { return strings.EqualFold(j.ID, project) }) {
		return nil, err
	}
	return nil, nil
}

// Create creates or adopts the job configuration. If anything fails, it stores no state,
// and the next apply adopts the job configuration.
func (r *jobConfigResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(plan).Create, defaultWriteTimeout, &resp.Diagnostics)
	defer cancel()
	defer r.nameProject(ctx, plan, true, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(createJobConfig, &resp.Diagnostics) {
		return
	}
	project := projectOf(plan)
	r.registry().StartApply()
	done := wholeobject.TakeTurn(ctx, r.Data, jobConfigName(project), createJobConfig, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.existing(ctx, project)
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(createJobConfig, err, jobConfigCodes))
		return
	}
	u := jobConfigUpdate{config: config, plan: plan, change: jobConfigChange{Fields: jobConfigFields, Wanted: jobConfigToAPI(plan), Planned: jobConfigToAPI(plan)}}
	if live != nil {
		u.change.Live = *live
	}
	sent, settled := opsmanager.JobConfig{}, u.change.Live
	if live == nil || len(jobConfigFields.Differences(u.change.Wanted, *live)) > 0 || secrets.Of(config, kmipPassword).IsSet() {
		sent, settled = r.replace(ctx, createJobConfig, &u, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if u.change.CheckSettled(ctx, jobConfigName(project), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	r.registry().Adopt(project)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	wholeobject.NoteReturned(ctx, resp.Private, optionalJobConfigFields, settled, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, jobConfigFilters.Applied(plan, settled))...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, jobConfigIdentityOf(plan))...)
	r.writeReadBack(ctx, resp.Private, sent, settled, &resp.Diagnostics)
}

// jobConfigUpdate is a change of a job configuration. Without values, the certificate is not managed.
type jobConfigUpdate struct {
	config, plan, prior tfmodel.Values // without a prior, for a creation
	change              jobConfigChange
	known               secrets.ReadBack // of the last write
}

type jobConfigChange = wholeobject.Change[opsmanager.JobConfig]

// replace sends a live job configuration with its change and the certificate, and returns what it
// sent and what Ops Manager holds afterwards.
func (r *jobConfigResource) replace(ctx context.Context, summary string, u *jobConfigUpdate, diags *diag.Diagnostics) (sent, settled opsmanager.JobConfig) {
	live := u.change.Live
	whole := u.merge(live, diags)
	if diags.HasError() {
		return sent, live
	}
	wholeobject.WarnNotReturned(jobConfigName(whole.ID), u.change.NotReturned(), diags)
	p := r.put(summary, whole, u)
	if u.prior == nil {
		p.Read = func(ctx context.Context) (*opsmanager.JobConfig, error) {
			live, err := r.existing(ctx, whole.ID)
			if live == nil && err == nil {
				live = new(opsmanager.JobConfig)
			}
			return live, err
		}
	}
	return p.Do(ctx, r.Data, diags)
}

// merge returns what a request sends if the job configuration is this one.
func (u *jobConfigUpdate) merge(live opsmanager.JobConfig, diags *diag.Diagnostics) opsmanager.JobConfig {
	u.change.Live = live
	whole := withUnknown(u.change.Whole(), live)
	whole.ID = projectOf(u.plan)
	if u.removesCertificate() {
		whole.KMIPClientCertPath = nil
	} else {
		u.setPassword(&whole, diags)
	}
	return whole
}

// differences compares the values that change with those of a job configuration, which was then.
func (u jobConfigUpdate) differences(whole, live, then opsmanager.JobConfig) []tfmodel.Difference {
	found := jobConfigFields.Differences(u.change.Wanted, live)
	if live.KMIPClientCertPath != nil && u.removesCertificate() {
		found = append(found, tfmodel.Difference{Attribute: kmipPath, Held: opsmanager.Sanitize(*live.KMIPClientCertPath), Wanted: "not set"})
	}
	return append(found, u.known.Differences(passwordOf(whole), passwordOf(live), passwordOf(then))...)
}

// showsPassword reports whether the password in a response could be the one that was sent:
// it is the same, or it differs from the one before.
func showsPassword(sent, before, held opsmanager.JobConfig) bool {
	was, is := before.KMIPClientCertPassword, held.KMIPClientCertPassword
	return sent.KMIPClientCertPassword == nil || is == nil || was == nil || *is != *was || secrets.CouldShow(*is, *sent.KMIPClientCertPassword)
}

// put returns the PUT of a job configuration.
func (r *jobConfigResource) put(summary string, whole opsmanager.JobConfig, u *jobConfigUpdate) wholeobject.Put[opsmanager.JobConfig] {
	before := u.change.Live
	return wholeobject.Put[opsmanager.JobConfig]{
		Name: jobConfigName(whole.ID), IDAttribute: "project_id", Live: before, Whole: whole, Merge: u.merge,
		Differences: func(whole, live opsmanager.JobConfig) []tfmodel.Difference { return u.differences(whole, live, before) },
		Failure:     func(err error) diag.Diagnostic { return diagnostics.Failure(summary, err, jobConfigCodes) },
		Send: func(ctx context.Context, whole opsmanager.JobConfig) (*opsmanager.JobConfig, error) {
			return r.Client.UpdateJobConfig(ctx, withoutEmptyLists(whole))
		},
		Read: func(ctx context.Context) (*opsmanager.JobConfig, error) { return r.Client.JobConfig(ctx, whole.ID) },
		Agrees: func(sent, held opsmanager.JobConfig) bool {
			return len(jobConfigFields.Differences(sent, held)) == 0 && showsPassword(sent, before, held)
		},
	}
}

// removesCertificate reports whether a plan ends the management of the certificate, which removes it.
func (u jobConfigUpdate) removesCertificate() bool {
	return !tfmodel.As[types.String](u.prior, kmipPath).IsNull() && u.plan[kmipPath].IsNull()
}

// setPassword sets the password that a request sends: the planned one, or else the live one.
func (u jobConfigUpdate) setPassword(request *opsmanager.JobConfig, diags *diag.Diagnostics) {
	planned, configured := secrets.Of(u.plan, kmipPassword), secrets.Of(u.config, kmipPassword)
	if !slices.Contains(u.change.Removed, kmipPath) || u.change.Wanted.KMIPClientCertPath != nil {
		request.KMIPClientCertPassword = planned.ToSend(configured)
		isRemoved := planned == (secrets.Value{}) && secrets.Of(u.prior, kmipPassword).IsManaged() && !configured.IsSet()
		if request.KMIPClientCertPassword != nil || isRemoved {
			return
		}
	}
	request.KMIPClientCertPassword = u.change.Live.KMIPClientCertPassword
	if shown := request.KMIPClientCertPassword; shown != nil && !u.known.IsClear(kmipPassword, *shown) {
		diags.AddAttributeError(path.Root(kmipPath), "Unknown Secret",
			fmt.Sprintf("A change replaces the whole job configuration, and Ops Manager may return %s with a mask, so the provider can't keep it. Configure it with its %s, and don't ignore its changes. To destroy the resource without that, run 'terraform state rm ADDRESS', which keeps the job configuration. Nothing was changed.", kmipPassword, kmipPath))
	}
}

// writeReadBack stores how Ops Manager returned the password after a write. It stores nothing about a
// mask that the next read returns in a different form, because that does not show a change.
func (r *jobConfigResource) writeReadBack(ctx context.Context, private tfmodel.PrivateState, sent, held opsmanager.JobConfig, diags *diag.Diagnostics) {
	if shown := held.KMIPClientCertPassword; shown != nil && sent.KMIPClientCertPassword != nil && *shown != *sent.KMIPClientCertPassword {
		if again, err := r.Client.JobConfig(ctx, sent.ID); err == nil && again.KMIPClientCertPassword != nil && *again.KMIPClientCertPassword != *shown {
			held.KMIPClientCertPassword = nil
		}
	}
	tfmodel.WritePrivate(ctx, private, secrets.ReadBackKey, secrets.NewReadBack(passwordOf(held), passwordOf(sent)), diags)
}

// passwordOf returns the password of a job configuration, by attribute.
func passwordOf(config opsmanager.JobConfig) map[string]string {
	if config.KMIPClientCertPassword == nil {
		return nil
	}
	return map[string]string{kmipPassword: *config.KMIPClientCertPassword}
}

// Read reads the job configuration. A 401 is always an error, even in versions that return
// it for a missing job configuration: the key may have lost its role, and the state must
// survive that.
func (r *jobConfigResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	project := projectOf(state)
	// Also set if it is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, jobConfigIdentityOf(state))...)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	r.registry().Plan(project, func(p *planned) { p.ends = true })
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	live, err := r.Client.JobConfig(ctx, project)
	switch {
	case opsmanager.IsGone(err):
		r.registry().Plan(project, func(p *planned) { p.ends = false })
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.Append(unreadable(readJobConfig, err))
	default:
		var known secrets.ReadBack
		tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &known, &resp.Diagnostics)
		var wasRemoved bool
		tfmodel.ReadPrivate(ctx, req.Private, removedPathKey, &wasRemoved, &resp.Diagnostics)
		isRemoved := len(wholeobject.NoteReturned(ctx, resp.Private, optionalJobConfigFields, *live, &resp.Diagnostics)) > 0
		tfmodel.WritePrivate(ctx, resp.Private, removedPathKey, isRemoved && (wasRemoved || !state[kmipPath].IsNull()), &resp.Diagnostics)
		switch {
		case isRemoved:
			state[kmipPath] = types.StringNull()
		case wasRemoved && state[kmipPath].IsNull():
			state[kmipPath] = types.StringPointerValue(live.KMIPClientCertPath)
		}
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, jobConfigFromAPI(state, *live, known))...)
	}
}

// removedPathKey is the key of the private state that says whether the path of the certificate is null
// in the state because Ops Manager no longer returns it, and not because it is not managed.
const removedPathKey = "removed_path"

// unreadable is the error of a failed read.
func unreadable(summary string, err error) diag.Diagnostic {
	d := diagnostics.Failure(summary, err, jobConfigCodes)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.Code == "" {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\nOps Manager 6.0 also returns 401 if the project has no job configuration. "+
		"If it was removed on purpose, run 'terraform state rm ADDRESS'. The next apply creates it again.")
}

// Update sends what the plan changes, together with the other live values.
func (r *jobConfigResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config, plan, prior := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics), r.values(ctx, req.State, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(plan).Update, defaultWriteTimeout, &resp.Diagnostics)
	defer cancel()
	defer r.nameProject(ctx, plan, true, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(updateJobConfig, &resp.Diagnostics) {
		return
	}
	project := projectOf(plan)
	r.registry().StartApply()
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, jobConfigIdentityOf(plan))...)
	u := jobConfigUpdate{config: config, plan: plan, prior: prior, change: jobConfigChange{Fields: jobConfigFields, Planned: jobConfigToAPI(plan), Prior: jobConfigToAPI(prior)}}
	jobConfigFields.SetChanges(&u.change.Wanted, plan, prior)
	if jobConfigFields.AreMissing(u.change.Wanted) && !u.removesCertificate() && secrets.Of(plan, kmipPassword) == secrets.Of(prior, kmipPassword) { // only the timeouts change
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
		return
	}
	done := wholeobject.TakeTurn(ctx, r.Data, jobConfigName(project), updateJobConfig, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.Client.JobConfig(ctx, project)
	switch {
	case opsmanager.IsGone(err):
		resp.Diagnostics.Append(wholeobject.Gone("project_id", updateJobConfig, jobConfigName(project), err))
		return
	case err != nil:
		resp.Diagnostics.Append(unreadable(updateJobConfig, err))
		return
	}
	tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &u.known, &resp.Diagnostics)
	u.change.Live, u.change.Removed = *live, wholeobject.NoteReturned(ctx, resp.Private, optionalJobConfigFields, *live, &resp.Diagnostics)
	sent, settled := r.replace(ctx, updateJobConfig, &u, &resp.Diagnostics)
	wholeobject.WarnChangedSincePlan(jobConfigName(project), u.change.SincePlan(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	updated := jobConfigFilters.Applied(plan, settled)
	if u.change.CheckSettled(ctx, jobConfigName(project), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		updated = jobConfigFromAPI(plan, settled, secrets.ReadBack{})
	}
	wholeobject.NoteReturned(ctx, resp.Private, optionalJobConfigFields, settled, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	r.writeReadBack(ctx, resp.Private, sent, settled, &resp.Diagnostics)
}

// Delete removes the filters, and the certificate for KMIP if it is managed. It keeps them
// if this process created or adopted the job configuration: with create_before_destroy, it
// is the one that replaces the old object.
func (r *jobConfigResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(state).Delete, defaultDeleteTimeout, &resp.Diagnostics)
	defer cancel()
	defer r.nameProject(ctx, state, true, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	project := projectOf(state)
	r.registry().StartApply()
	done := wholeobject.TakeTurn(ctx, r.Data, jobConfigName(project), resetJobConfig, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	kept := wholeobject.KeptTainted(ctx, req.Private, project, jobConfigName(project), &resp.Diagnostics)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	switch {
	case r.registry().HasAdopted(project):
		return
	case kept != nil:
		resp.Diagnostics.Append(kept)
		return
	case !r.Ready(resetJobConfig, &resp.Diagnostics):
		return
	}
	live, err := r.Client.JobConfig(ctx, project)
	switch {
	case opsmanager.IsGone(err):
		return
	case err != nil:
		resp.Diagnostics.Append(unreadable(resetJobConfig, err))
		return
	}
	u := jobConfigUpdate{
		plan: tfmodel.Values{"project_id": state["project_id"], kmipPath: types.StringNull()}, prior: state,
		change: jobConfigChange{Fields: jobConfigFields, Wanted: emptyFilters(), Live: *live},
	}
	reset := u.merge(*live, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	p := r.put(resetJobConfig, reset, &u)
	p.Read = func(ctx context.Context) (*opsmanager.JobConfig, error) {
		live, err := r.Client.JobConfig(ctx, project)
		if opsmanager.IsGone(err) {
			return &reset, nil
		}
		return live, err
	}
	p.Send = func(ctx context.Context, reset opsmanager.JobConfig) (*opsmanager.JobConfig, error) {
		response, err := r.Client.UpdateJobConfig(ctx, withoutEmptyLists(reset))
		if opsmanager.IsGone(err) {
			return &reset, nil
		}
		return response, err
	}
	p.Do(ctx, r.Data, &resp.Diagnostics)
}

// ImportState imports a job configuration by the ID of its project or by its identity, and
// reports why it can't be read: Terraform only says that it doesn't exist.
func (r *jobConfigResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	given := imports.ID{Attributes: []string{"project_id"}, Advice: "Import a job configuration by its project_id."}.Set(ctx, req, resp)
	if given == nil || r.Client == nil {
		return
	}
	switch _, err := r.Client.JobConfig(ctx, given[0]); {
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(importJobConfig, fmt.Sprintf("Project %s has no job configuration: %s\n\nCheck the ID. To create the job configuration, remove the import and apply.", given[0], diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(unreadable(importJobConfig, err))
	}
}
