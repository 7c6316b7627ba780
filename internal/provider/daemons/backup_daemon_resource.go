// Package daemons implements the resources of backup daemons, and of the job configurations
// that assign the backups of projects to daemons and stores.
package daemons

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

type backupDaemonResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = (*backupDaemonResource)(nil)
	_ resource.ResourceWithIdentity    = (*backupDaemonResource)(nil)
	_ resource.ResourceWithImportState = (*backupDaemonResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*backupDaemonResource)(nil)
)

// NewBackupDaemonResource returns the resource opsmanager_backup_daemon.
func NewBackupDaemonResource() resource.Resource { return &backupDaemonResource{} }

func (r *backupDaemonResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_backup_daemon"
}

// The values of on_destroy.
const (
	onDestroy       = "on_destroy"
	keepOnDestroy   = "keep"
	deleteOnDestroy = "delete"
)

func (r *backupDaemonResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the configuration of a backup daemon, the process of Ops Manager that takes backups.\n\n" +
			"Ops Manager has no request that starts a daemon, so install and start the process first. Creating this resource waits until the process has registered, and then configures it. " +
			"If the daemon is already configured, creating this resource **adopts** it: the provider changes only the configured fields that differ, and the plan warns about the live values that the apply will overwrite.\n\n" +
			"Destroying this resource only removes the daemon from the state, unless you set `on_destroy`.\n\n" +
			"-> Requires the role `Global Backup Admin`, because daemons are shared by all projects.\n\n" +
			"An update replaces the whole configuration, so it sends the current values of all other fields, too, including those that this version of the provider does not know.",
		Attributes: map[string]schema.Attribute{
			"machine": schema.StringAttribute{
				Required: true, PlanModifiers: replaced, Validators: attributes.PathSegmentValidators(),
				MarkdownDescription: "Host name of the machine that the daemon runs on, as the daemon registers it. Changing it forces replacement.",
			},
			"head_root_directory": schema.StringAttribute{
				Required: true, PlanModifiers: replaced, Validators: []validator.String{directoryValidator{}},
				MarkdownDescription: "Absolute path of the head directory on that machine, with a final slash, such as `/data/backup/`. Changing it forces replacement.",
			},
			"configured": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether the daemon is configured. Ops Manager uses a daemon only if this is `true`. Creating the resource sets it to `true` if it is unset. Later, the current value is kept and exported.",
			},
			"assignment_enabled":             attributes.Bool("Whether new backups can be assigned to the daemon." + attributes.Kept),
			"backup_jobs_enabled":            attributes.Bool("Whether the daemon takes backups." + attributes.Kept),
			"garbage_collection_enabled":     attributes.Bool("Whether the daemon deletes expired data from snapshot stores." + attributes.Kept),
			"resource_usage_enabled":         attributes.Bool("Whether the daemon collects information about the usage of stores." + attributes.Kept),
			"restore_queryable_jobs_enabled": attributes.Bool("Whether the daemon serves queryable restores." + attributes.Kept),
			"head_disk_type":                 attributes.Text("Type of the disk with the head directory: `HDD` or `SSD`."+attributes.Kept, stringvalidator.OneOf("HDD", "SSD")),
			"num_workers":                    attributes.Number("Number of backups that the daemon works on at the same time, `1` or more."+attributes.Kept, int64validator.AtLeast(1)),
			"labels": attributes.Texts("Assignment labels. A daemon with labels serves only projects whose `label_filter` matches, and one without labels only projects without a filter. " +
				"`[]` removes all labels." + attributes.Kept),
			onDestroy: schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf(keepOnDestroy, deleteOnDestroy)},
				MarkdownDescription: "What a destroy does: `keep` leaves the daemon as it is, and `delete` deletes its configuration, which Ops Manager refuses while backups are bound to it. " +
					"The process continues to run and registers again, so stop it, too. A destroy uses the value in the state: set it and apply before you destroy. Defaults to `keep`.",
			},
			"timeouts": attributes.Timeouts(ctx, timeouts.Opts{
				Create: true, Update: true, Delete: true,
				CreateDescription: "How long to wait until the process has registered, as a duration such as `30s` or `10m`. Defaults to `10m`.",
				UpdateDescription: "How long an update may take. Defaults to `10m`.",
				DeleteDescription: "How long a deletion may take. Defaults to `5m`.",
			}),
		},
	}
}

// directoryValidator rejects a head directory that Ops Manager does not accept or that
// can't be part of a request's path.
type directoryValidator struct{}

func (directoryValidator) Description(context.Context) string {
	return "must end with a slash, and " + attributes.PathSegmentRule + " otherwise"
}

func (v directoryValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (v directoryValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	text := req.ConfigValue.ValueString()
	switch {
	case req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown():
	case secrets.IsContent(text):
		secrets.NoContent.ValidateString(ctx, req, resp)
	case text != strings.TrimSpace(text), !strings.HasPrefix(text, "/"):
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Head Directory", fmt.Sprintf("%q must be the absolute path of a directory on Linux: it begins and ends with a slash, such as \"/data/backup/\".", text))
	case !strings.HasSuffix(text, "/"):
		resp.Diagnostics.AddAttributeError(req.Path, "Head Directory Without a Final Slash",
			fmt.Sprintf("%q must end with a slash: a daemon does not work with any other head directory. Write %q.", text, text+"/"))
	case opsmanager.IsInvalidDirectory(text):
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Head Directory", fmt.Sprintf("%q %s.", text, v.Description(ctx)))
	}
}

// daemonCodes are the fields of a daemon that an error may name.
var daemonCodes = diagnostics.Codes{
	Attributes: map[string]string{
		"configured": "configured", "assignmentEnabled": "assignment_enabled", "backupJobsEnabled": "backup_jobs_enabled",
		"garbageCollectionEnabled": "garbage_collection_enabled", "resourceUsageEnabled": "resource_usage_enabled",
		"restoreQueryableJobsEnabled": "restore_queryable_jobs_enabled", "headDiskType": "head_disk_type", "numWorkers": "num_workers",
		"headRootDirectory": "head_root_directory",
	},
}

func (r *backupDaemonResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"machine":             identityschema.StringAttribute{RequiredForImport: true, Description: "Host name of the machine that the daemon runs on."},
			"head_root_directory": identityschema.StringAttribute{RequiredForImport: true, Description: "Absolute path of the head directory, with a final slash."},
		},
	}
}

const (
	adoptDaemon  = "Unable to Configure Backup Daemon"
	updateDaemon = "Unable to Update Backup Daemon"
	readDaemon   = "Unable to Read Backup Daemon"
	deleteDaemon = "Unable to Delete Backup Daemon"
	importDaemon = "Unable to Import Backup Daemon"
)

var daemonRegistry connection.Shared[connection.Registry[daemonID, planned]]

func (r *backupDaemonResource) registry() *connection.Registry[daemonID, planned] {
	return daemonRegistry.Of(r.Data)
}

func (r *backupDaemonResource) read(ctx context.Context, id daemonID) (*opsmanager.BackupDaemon, error) {
	return r.Client.BackupDaemon(ctx, id.machine, id.directory)
}

// Create configures a daemon, or adopts one that is configured. If anything fails, it
// stores no state, and the next apply adopts the daemon.
func (r *backupDaemonResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	timeout, diags := attributes.TimeoutsOf(plan).Create(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(adoptDaemon, &resp.Diagnostics) {
		return
	}
	id := daemonIDOf(plan)
	r.registry().StartApply()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := wholeobject.TakeTurn(limited, r.Data, id.name(), adoptDaemon, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, configured, err := r.awaitRegistration(limited, plan)
	change := wholeobject.Change[opsmanager.BackupDaemon]{Fields: daemonFields, Wanted: daemonToAPI(plan), Planned: daemonToAPI(plan)}
	var settled opsmanager.BackupDaemon
	switch {
	case err != nil && limited.Err() != nil:
		resp.Diagnostics.Append(notRegistered(id, timeout.String(), ctx.Err() != nil, err))
	case err != nil:
		resp.Diagnostics.Append(daemonFailure(adoptDaemon, err))
	case configured:
		p := r.put(id, adoptDaemon, &change)
		settled, _ = wholeobject.ReadUntilAgrees(limited, r.Data, live, p.Read, func(held opsmanager.BackupDaemon) bool { return p.Agrees(change.Wanted, held) })
	default:
		change.Live = *live
		settled = r.replace(limited, id, adoptDaemon, &change, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if change.CheckSettled(limited, id.name(), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	r.registry().Adopt(id)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	wholeobject.NoteReturned(ctx, resp.Private, optionalDaemonFields, settled, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, daemonFields.Applied(plan, settled))...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, daemonIdentityOf(plan))...)
}

// awaitRegistration waits until the process of a planned daemon has registered. It
// configures the daemon if it has never been configured for this directory. It returns the
// daemon, and whether it configured it.
func (r *backupDaemonResource) awaitRegistration(ctx context.Context, plan tfmodel.Values) (live *opsmanager.BackupDaemon, configured bool, err error) {
	id := daemonIDOf(plan)
	var missing error
	err = r.Wait(ctx, func() (bool, error) {
		daemon, err := r.read(ctx, id)
		if err == nil && daemon.Machine.HeadRootDirectory != nil {
			live = daemon
			return true, nil
		}
		if err != nil && !isNotRegistered(err) {
			return false, err
		}
		switch registered, listErr := r.isRegistered(ctx, id); {
		case listErr != nil:
			return false, listErr
		case err != nil && !opsmanager.IsGone(err) && registered:
			return false, err // not from Ops Manager, because the list has the machine
		}
		live, err = r.configure(ctx, id, daemonToAPI(plan))
		if isNotRegistered(err) || errors.Is(err, opsmanager.ErrEmptyResponse) {
			missing = err
			return false, nil // the next read shows whether it is configured
		}
		configured = err == nil
		return configured, err
	})
	if errors.Is(err, context.DeadlineExceeded) && missing != nil {
		err = missing
	}
	return live, configured, err
}

// configure configures a daemon for the first time, unless that happens elsewhere meanwhile.
func (r *backupDaemonResource) configure(ctx context.Context, id daemonID, wanted opsmanager.BackupDaemon) (*opsmanager.BackupDaemon, error) {
	return tfmodel.Request[opsmanager.BackupDaemon]{
		Name: id.name(),
		Read: func(ctx context.Context) (*opsmanager.BackupDaemon, error) {
			live, err := r.read(ctx, id)
			if isNotRegistered(err) {
				return new(opsmanager.BackupDaemon), nil
			}
			return live, err
		},
		Differences: func(live opsmanager.BackupDaemon) []tfmodel.Difference { return daemonFields.Differences(wanted, live) },
		Send: func(ctx context.Context, _ opsmanager.BackupDaemon) (*opsmanager.BackupDaemon, error) {
			return r.Client.ConfigureBackupDaemon(ctx, wanted)
		},
	}.Do(ctx, r.Client)
}

// isNotRegistered reports whether an error can mean that no daemon is registered on a machine. Ops
// Manager sometimes returns such a 404 without a document.
func isNotRegistered(err error) bool {
	var e *opsmanager.Error
	return opsmanager.IsGone(err) || opsmanager.IsBareNotFound(err) && errors.As(err, &e) && e.Detail == ""
}

// replace sends a live daemon with its change, and returns what Ops Manager holds afterwards. If
// nothing differs, it sends nothing.
func (r *backupDaemonResource) replace(ctx context.Context, id daemonID, summary string, change *wholeobject.Change[opsmanager.BackupDaemon], diags *diag.Diagnostics) (settled opsmanager.BackupDaemon) {
	if len(daemonFields.Differences(change.Wanted, change.Live)) == 0 {
		return change.Live
	}
	p := r.put(id, summary, change)
	for _, attribute := range daemonSwitches.Missing(p.Whole) {
		diags.AddAttributeError(path.Root(attribute), summary,
			fmt.Sprintf("An update replaces the whole configuration, and Ops Manager did not return %s, so the provider can't keep it. Configure it. Nothing was changed.", attribute))
	}
	if diags.HasError() {
		return change.Live
	}
	wholeobject.WarnNotReturned(id.name(), change.NotReturned(), diags)
	_, settled = p.Do(ctx, r.Data, diags)
	return settled
}

func (r *backupDaemonResource) put(id daemonID, summary string, change *wholeobject.Change[opsmanager.BackupDaemon]) wholeobject.Put[opsmanager.BackupDaemon] {
	merge := func(live opsmanager.BackupDaemon, _ *diag.Diagnostics) opsmanager.BackupDaemon {
		change.Live = live
		whole := change.Whole()
		whole.Machine = id.toAPI()
		whole.Unknown, whole.Machine.Unknown = live.Unknown, live.Machine.Unknown
		return whole
	}
	return wholeobject.Put[opsmanager.BackupDaemon]{
		Name: id.name(), IDAttribute: "machine", Live: change.Live, Whole: merge(change.Live, nil), Merge: merge,
		Differences: func(_, live opsmanager.BackupDaemon) []tfmodel.Difference {
			return daemonFields.Differences(change.Wanted, live)
		},
		Failure: func(err error) diag.Diagnostic { return diagnostics.Failure(summary, err, daemonCodes) },
		Send:    r.Client.UpdateBackupDaemon,
		Read:    func(ctx context.Context) (*opsmanager.BackupDaemon, error) { return r.read(ctx, id) },
		Agrees: func(_, held opsmanager.BackupDaemon) bool {
			return len(daemonFields.Differences(change.Kept(), held)) == 0
		},
	}
}

func (r *backupDaemonResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := daemonIDOf(state)
	// Also set if the daemon is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, daemonIdentityOf(state))...)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	r.registry().Plan(id, func(p *planned) { p.ends = p.ends || deletes(state) })
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	live, err := r.read(ctx, id)
	switch {
	case opsmanager.IsGone(err), err == nil && live.Machine.HeadRootDirectory == nil && live.Configured != nil && !*live.Configured:
		r.registry().Plan(id, func(p *planned) { p.ends = false })
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(readDaemon, err))
	default:
		for _, attribute := range wholeobject.NoteReturned(ctx, resp.Private, optionalDaemonFields, *live, &resp.Diagnostics) {
			delete(state, attribute) // not kept
		}
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, daemonFields.FromAPI(state, *live))...)
	}
}

// Update sends what the plan changes, together with the other live values.
func (r *backupDaemonResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, prior := tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics), tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(plan).Update, defaultWriteTimeout, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() || !r.Ready(updateDaemon, &resp.Diagnostics) {
		return
	}
	id := daemonIDOf(plan)
	r.registry().StartApply()
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, daemonIdentityOf(plan))...)
	change := wholeobject.Change[opsmanager.BackupDaemon]{Fields: daemonFields, Planned: daemonToAPI(plan), Prior: daemonToAPI(prior)}
	if daemonFields.SetChanges(&change.Wanted, plan, prior); daemonFields.AreMissing(change.Wanted) { // only settings of the resource change
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
		return
	}
	done := wholeobject.TakeTurn(ctx, r.Data, id.name(), updateDaemon, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.read(ctx, id)
	switch {
	case opsmanager.IsGone(err):
		resp.Diagnostics.Append(wholeobject.Gone("machine", updateDaemon, id.name(), err))
		return
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(updateDaemon, err))
		return
	}
	change.Live, change.Removed = *live, wholeobject.NoteReturned(ctx, resp.Private, optionalDaemonFields, *live, &resp.Diagnostics)
	settled := r.replace(ctx, id, updateDaemon, &change, &resp.Diagnostics)
	wholeobject.WarnChangedSincePlan(id.name(), change.SincePlan(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	updated := daemonFields.Applied(plan, settled)
	if change.CheckSettled(ctx, id.name(), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		updated = daemonFields.FromAPI(plan, settled)
	}
	wholeobject.NoteReturned(ctx, resp.Private, optionalDaemonFields, settled, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
}

// Delete does what on_destroy in the state says. It keeps a daemon that this process
// adopted: with create_before_destroy, that is the daemon of the new object.
func (r *backupDaemonResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	ctx, cancel := attributes.Within(ctx, attributes.TimeoutsOf(state).Delete, defaultDeleteTimeout, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() || !deletes(state) {
		return
	}
	id := daemonIDOf(state)
	r.registry().StartApply()
	done := wholeobject.TakeTurn(ctx, r.Data, id.name(), deleteDaemon, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	kept := wholeobject.KeptTainted(ctx, req.Private, id.text(), id.name(), &resp.Diagnostics)
	wholeobject.ForgetPlan(ctx, resp.Private, &resp.Diagnostics)
	switch {
	case r.registry().HasAdopted(id):
		return
	case kept != nil:
		resp.Diagnostics.Append(kept)
		return
	case !r.Ready(deleteDaemon, &resp.Diagnostics):
		return
	}
	live, err := r.read(ctx, id)
	if err == nil {
		_, err = tfmodel.Request[opsmanager.BackupDaemon]{
			Name: id.name(), Before: *live,
			Read:        func(ctx context.Context) (*opsmanager.BackupDaemon, error) { return r.read(ctx, id) },
			Differences: func(now opsmanager.BackupDaemon) []tfmodel.Difference { return daemonFields.Differences(*live, now) },
			Send: func(ctx context.Context, _ opsmanager.BackupDaemon) (*opsmanager.BackupDaemon, error) {
				return nil, r.Client.DeleteBackupDaemon(ctx, id.machine, id.directory)
			},
		}.Do(ctx, r.Client)
	}
	if err != nil && !opsmanager.IsGone(err) {
		resp.Diagnostics.Append(daemonDeletionFailure(err))
	}
}

// ImportState imports a daemon by 'machine|head_root_directory' or by its identity, and
// reports why a daemon can't be read: Terraform only says that it doesn't exist.
func (r *backupDaemonResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	given := imports.ID{
		Attributes: []string{"machine", "head_root_directory"}, Separator: "|",
		IsValid: func(values []string) bool { return daemonID{values[0], values[1]}.isValid() },
		Advice:  "Import a daemon by machine|head_root_directory, such as om-1.example.com|/data/backup/, or by an identity with both. The head directory ends with a slash.",
	}.Set(ctx, req, resp)
	if given == nil || r.Client == nil {
		return
	}
	id := daemonID{given[0], given[1]}
	switch _, err := r.read(ctx, id); {
	case opsmanager.IsGone(err):
		resp.Diagnostics.AddError(importDaemon, fmt.Sprintf("There is no configured daemon on %s with head directory %s: %s\n\nCheck both. To configure a daemon that is running, remove the import and apply.", id.machine, id.directory, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(importDaemon, err))
	}
}

// isValid reports whether an ID could be that of a daemon.
func (id daemonID) isValid() bool {
	return !opsmanager.IsInvalidID(id.machine) && strings.HasSuffix(id.directory, "/") && !opsmanager.IsInvalidDirectory(id.directory)
}
