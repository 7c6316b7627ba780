package backups

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type backupConfigResource struct{ projects.ClusterResource }

// NewBackupConfigResource returns the resource opsmanager_backup_config.
func NewBackupConfigResource() resource.Resource {
	return &backupConfigResource{projects.ClusterResource{
		Resource: connection.Resource{TypeName: "backup_config"},
		Kind:     "backup configuration",
	}}
}

// The values of on_destroy.
const (
	keepOnDestroy      = "keep"
	stopOnDestroy      = "stop"
	terminateOnDestroy = "terminate"
)

// lastStatus has the status in which the destroy of a resource leaves its backup, by on_destroy, if that ends the backup.
var lastStatus = map[string]string{stopOnDestroy: opsmanager.StatusStopped, terminateOnDestroy: opsmanager.StatusInactive}

const (
	defaultUpdateTimeout = 20 * time.Minute
	defaultDeleteTimeout = 30 * time.Minute
)

func (r *backupConfigResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	const unreturned = " Not returned, so the provider can't detect drift."
	resp.Schema = schema.Schema{
		MarkdownDescription: "Starts and stops the backup of one cluster, and manages its backup configuration.\n\n" +
			"Ops Manager has a backup configuration for each cluster that it monitors, so creating this resource **adopts** it. " +
			"The plan shows in `overwrites` what changes, and warns if a change triggers a resync or may cost snapshots. An apply waits until the backup has the configured status.\n\n" +
			"Destroying this resource only removes the backup configuration from the state, unless you set `on_destroy`.\n\n" +
			"If another product backs up the cluster, or may do so because the state of that backup is not documented, the plan fails. If the API key can't read that, the apply fails. Neither changes anything.\n\n" +
			"-> Requires the role `Project Backup Admin`. To plan, `Project Read Only` is enough.\n\n" +
			"!> With `on_destroy = \"terminate\"`, destroying this resource **deletes all snapshots** of the cluster, also those that are held. The plan names these, and the apply does not terminate the backup if others are held. The plan fails if another resource of the run keeps, takes or restores a snapshot of the cluster. " +
			"A replacement would terminate the backup as well, so the provider rejects it, even for a tainted resource. If you rename the resource, add a `moved` block: without one, the provider can't recognize a rename that also changes the provider configuration. Nor can it see that a resource with another provider alias still manages the backup. " +
			"Keep the default until you want to end the backup.\n\n" +
			"If a backup is still `PROVISIONING` when the timeout ends, the apply fails. Ops Manager continues to start the backup: apply again to wait for it. The guide \"Start and end backups\" lists what to check, and what each change costs.",
		Attributes: map[string]schema.Attribute{
			"project_id":          tf.ObjectIDAttribute(tf.ProjectIDText + " Forces replacement."),
			"cluster_id":          tf.ObjectIDAttribute(tf.ClusterIDText + " Forces replacement."),
			"status_name":         tf.TextAttribute(fieldTexts["status_name"] + " You can set `STARTED`, whose requirements are in the guide \"Start and end backups\", or `STOPPED`. If a generated configuration has another status, delete that line." + tf.Kept),
			"storage_engine_name": tf.TextAttribute(fieldTexts["storage_engine_name"] + " Changing it triggers a resync. Starting a backup sends `WIRED_TIGER` if no value is known." + tf.Kept),
			"sync_source": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Member to sync from when a backup starts or resyncs: `PRIMARY` (the default), `SECONDARY` or a host. Sent only with a change that does that; until then, a new value is only in the state, and the plan says so. For snapshots, set `preferred_member`." + unreturned,
			},
			"ssl_enabled": tf.BoolAttribute(fieldTexts["ssl_enabled"] + tf.Kept),
			"disable_certificate_revocation_check": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether the backup skips the revocation check of certificates. Requires Ops Manager 8.0.27 or later." + unreturned,
			},
			"auth_mechanism_name": tf.TextAttribute(fieldTexts["auth_mechanism_name"] + " Rejected for clusters that Automation manages." + tf.Kept),
			"username": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "User of the backup. Requires `MONGODB_CR` or `PLAIN`, and `password` or `password_wo`." + unreturned,
			},
			"password": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Password of `username`. Stored in the state." + unreturned,
			},
			"password_wo": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				WriteOnly:           true,
				MarkdownDescription: "Write-only `password`. Requires `password_wo_version`.",
			},
			"password_wo_version": schema.Int64Attribute{
				Optional:            true,
				CustomType:          tf.WholeNumberType{},
				MarkdownDescription: "Any whole number. Change it to send a new `password_wo`. First starting the backup and changing `username` also send it.",
			},
			"encryption_enabled": tf.BoolAttribute(fieldTexts["encryption_enabled"] + " Turning it on triggers a resync." + tf.Kept),
			"preferred_member":   tf.TextAttribute(fieldTexts["preferred_member"] + tf.Kept),
			excludedNamespaces:   namespaceAttributes[excludedNamespaces],
			includedNamespaces:   namespaceAttributes[includedNamespaces],
			"snapshot_store": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "Store for new snapshots. Existing ones stay in theirs. Requires Ops Manager 8.0.6 or later." + unreturned,
				Attributes: map[string]schema.Attribute{
					"snapshot_store_type": schema.StringAttribute{
						Required:            true,
						MarkdownDescription: "Type of the store: only `s3blockstore` is documented.",
					},
					"snapshot_store_id": schema.StringAttribute{Required: true, MarkdownDescription: "ID of the store."},
				},
			},
			"multi_region_backup_enabled": tf.BoolAttribute(fieldTexts["multi_region_backup_enabled"] + " Defaults to `true` if you set `deployment_configs`. Requires Ops Manager 7.0.4 or later." + tf.Kept),
			"deployment_configs": schema.SetNestedAttribute{
				Optional: true,
				MarkdownDescription: "Deployment regions of the shards. To move a shard to a different one, you have to terminate the backup first, which deletes its snapshots. " +
					"Requires Ops Manager 7.0.4 or later." + unreturned,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"rs_id":         schema.StringAttribute{Required: true, MarkdownDescription: "Name of the shard's replica set."},
					"deployment_id": schema.StringAttribute{Required: true, MarkdownDescription: "ID of the deployment region."},
				}},
			},
			"provisioned": schema.BoolAttribute{Computed: true, MarkdownDescription: fieldTexts["provisioned"]},
			"multi_region_misconfigured": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: fieldTexts["multi_region_misconfigured"],
			},
			"on_destroy": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{stringvalidator.OneOf(keepOnDestroy, stopOnDestroy, terminateOnDestroy)},
				MarkdownDescription: "What happens to the backup when you destroy: `keep` leaves it as it is, `stop` stops it, and `terminate` stops and terminates it, which **deletes all snapshots** of the cluster. Apply a change before you destroy. Defaults to `keep`.",
			},
			"overwrites": overwritesTypes.Attribute("What creating this resource overwrites. In it, `status_name` is the live status, or the one that the backup is changing to."),
			"timeouts": tf.TimeoutsAttribute(ctx, timeouts.Opts{
				Create:            true,
				Update:            true,
				Delete:            true,
				CreateDescription: "Defaults to `20m`.",
				UpdateDescription: "Defaults to `20m`.",
				DeleteDescription: "Defaults to `30m`.",
			}),
		},
	}
}

var namespaceAttributes = map[string]schema.Attribute{
	excludedNamespaces: namespaces(fieldTexts[excludedNamespaces] + " Removing one triggers a resync. Conflicts with `included_namespaces`. Some versions of Ops Manager ignore namespaces, and the apply then fails."),
	includedNamespaces: namespaces(fieldTexts[includedNamespaces] + " Adding one triggers a resync. Conflicts with `excluded_namespaces`."),
}

func namespaces(description string) schema.SetAttribute {
	return schema.SetAttribute{
		Optional:            true,
		Computed:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description + tf.Kept,
		Validators:          []validator.Set{setvalidator.NoNullValues(), tf.NewValue(aNamespace)},
	}
}

// aNamespace rejects a namespace that cannot be filtered.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
var aNamespace = tf.TextRule("Invalid Namespace", "must be a database or database.collection without control characters, and with no blank in the database, and not in the databases admin and local", func(namespace string) bool {
	database, collection, hasCollection := strings.Cut(namespace, ".")
	isPrintable := !strings.ContainsFunc(namespace, unicode.IsControl) && !strings.ContainsFunc(database, unicode.IsSpace)
	return isPrintable && database != "" && database != "admin" && database != "local" && (!hasCollection || collection != "")
})

// backupConfigCodes are the codes about a backup configuration. No attribute is a
// password, because Terraform prints the line of the attribute.
var backupConfigCodes = tf.Codes{
	Attributes: map[string]string{
		"CANNOT_MODIFY_SHARD_BACKUP_CONFIG": "cluster_id",

		"CANNOT_START_BACKUP_INVALID_STATE":     "status_name",
		"CANNOT_STOP_BACKUP_INVALID_STATE":      "status_name",
		"CANNOT_TERMINATE_BACKUP_INVALID_STATE": "status_name",
		"UNSUPPORTED_SET_BACKUP_STATE":          "status_name",
		"MISSING_SYNC_SOURCE":                   "sync_source",
		"INVALID_FILTERLIST":                    "excluded_namespaces",
		"UPGRADE_FOR_EXCLUDED_NAMESPACES":       "excluded_namespaces",
		"UPGRADE_FOR_INCLUDED_NAMESPACES":       "included_namespaces",
		"INVALID_AUTH_MECHANISM":                "auth_mechanism_name",
		"AUTH_MECHANISM_REQUIRES_SSL":           "ssl_enabled",
		"MISSING_PASSWORD":                      "username",

		"CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER": "auth_mechanism_name",
		"CANNOT_SET_CREDENTIALS_FOR_AUTH_MECHANISM":  "username",
		"CANNOT_SET_PASSWORD_FOR_AUTH_MECHANISM":     "username",
		"MISSING_CREDENTIALS_FOR_AUTH_MECHANISM":     "username",
		"BACKUP_DEPLOYMENT_NOT_FOUND":                "deployment_configs",
		"BACKUP_ACTIVE_BACKUP_JOBS":                  "deployment_configs",
	},
	Advice: map[string]string{
		"MISSING_OR_INVALID_ATTRIBUTE": "Configure a value that Ops Manager accepts. For preferred_member, the data source opsmanager_backup_config returns those as available_members.",
	},
	Fields: append(settableFields.Attributes(),
		"sync_source",
		"snapshot_store",
		"deployment_configs",
		"disable_certificate_revocation_check",
	),
}

// notMonitored is the advice on the cluster of a resource that Ops Manager does not monitor.
var notMonitored = tf.Codes{Advice: map[string]string{
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "Ops Manager does not monitor the cluster now, or not yet, so it does not say whether its backup runs. If the cluster is permanently gone, " + tf.ForgetUnread + ".",
}}

// ValidateConfig rejects two lists of namespaces, and incomplete credentials.
func (r *backupConfigResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	diags := &resp.Diagnostics
	configured := r.read(ctx, req.Config, diags)
	if len(configured.list(excludedNamespaces).Elements()) > 0 && len(configured.list(includedNamespaces).Elements()) > 0 {
		diags.AddAttributeError(path.Root("included_namespaces"), "Both Included and Excluded Namespaces",
			"A backup has either excluded_namespaces or included_namespaces. Remove one of them.")
	}
	// No error names a password attribute, because Terraform prints the line of the attribute.
	password := tf.SecretOf(configured.Values, "password")
	password.Validate(path.Root("password_wo_version"), "password", diags)
	switch {
	case !configured.Username.IsNull() && !password.IsSet():
		diags.AddAttributeError(path.Root("username"), "User Without a Password",
			"Ops Manager requires the password together with the user name. Set password or password_wo.")
	case configured.Username.IsNull() && password.IsSet():
		diags.AddAttributeError(path.Root("username"), "Password Without a User",
			"Ops Manager requires the user name together with the password. Set username.")
	}
}

const (
	adoptSummary  = "Unable to Adopt Backup Configuration"
	updateSummary = "Unable to Update Backup Configuration"
	deleteSummary = "Unable to End the Backup"
)

// read reads a configuration, a plan or a state. From then on, the client hides the
// password in it.
func (r *backupConfigResource) read(ctx context.Context, from tf.Source, diags *diag.Diagnostics) backupConfigModel {
	m := tf.Read[backupConfigModel](ctx, from, diags)
	r.Hide(m.Password.ValueString(), m.PasswordWO.ValueString())
	return m
}

// Create adopts the existing backup configuration: it sends the configured fields that
// differ from the live ones. If anything fails, it stores no state. A stored state would
// be tainted and planned for replacement. Without a state, the next plan adopts the
// backup configuration again.
func (r *backupConfigResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	configured := r.read(ctx, req.Config, diags)
	planned := r.read(ctx, req.Plan, diags)
	ctx, cancel := tf.Within(ctx, planned.Timeouts.Create, defaultUpdateTimeout, diags)
	defer cancel()
	if diags.HasError() || !r.Ready(adoptSummary, diags) {
		return
	}
	a, err := r.adoptionOf(ctx, configured, planned)
	if err != nil {
		diags.Append(backupConfigFailure(adoptSummary, err))
		return
	}
	a.noteFirstStart(ctx)
	if planned.Overwrites.IsUnknown() { // the plan has said that it can't show this
		a.planned.Overwrites = a.previewedOverwrites()
	}
	if a.run(ctx, diags); diags.HasError() {
		a.reportStop(diags)
		return
	}
	r.Claim(planned.object(), connection.Applied)
	r.Claim(anyBackup, connection.Applied)
	created := a.planned.applied(*a.live)
	tf.Write(ctx, &resp.State, created, diags)
	tf.Write(ctx, resp.Identity, created.ClusterIdentity, diags)
}

func (r *backupConfigResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := r.read(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	// Also set if the configuration is gone: Terraform before 1.12 requires it for a
	// removal.
	tf.Write(ctx, resp.Identity, state.ClusterIdentity, diags)
	if !r.claim(state, connection.HasIt(endsBackup(state)), diags) || r.KeepsState(diags) {
		return
	}
	isImported := tf.ReadPrivate(ctx, req.Private, projects.ImportedKey, new(bool), diags)
	project, cluster := state.IDs()
	live, err := read(r.Client.BackupConfig(ctx, project, cluster))
	switch {
	case opsmanager.IsMissing(err, opsmanager.ObjectBackupConfig) && !isImported:
		r.Claim(state.object(), connection.Gone)
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diags.Append(backupConfigFailure("Unable to Read Backup Configuration", err))
		return
	}
	if isImported {
		if r.refusePart(ctx, "Unable to Import Backup Configuration", state, diags) {
			return
		}
		diags.Append(resp.Private.SetKey(ctx, projects.ImportedKey, nil)...)
	}
	// A plan shows that another client has ended the backup, or that a destroy has begun to, until an apply records it: Terraform
	// prints no change of a refresh.
	var before ending
	now := tf.Text(live.StatusName)
	isNoted := tf.ReadPrivate(ctx, req.Private, projects.AppliedKey, &before, diags)
	switch was := state.StatusName.ValueString(); {
	case isNoted && !before.IsDestroy && !before.isSeen(now):
		diags.Append(resp.Private.SetKey(ctx, projects.AppliedKey, nil)...)
	case !isNoted && was != "" && now == opsmanager.StatusInactive && state.settledStatus() != now:
		tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, ending{Was: was}, diags)
	}
	projects.WarnUnread(state.ClusterID.ValueString(), state.unread(*live), diags)
	tf.Write(ctx, &resp.State, state.refreshed(*live), diags)
}

// Update sends what the plan changes, and nothing else.
func (r *backupConfigResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	configured := r.read(ctx, req.Config, diags)
	planned := r.read(ctx, req.Plan, diags)
	prior := r.read(ctx, req.State, diags)
	ctx, cancel := tf.Within(ctx, planned.Timeouts.Update, defaultUpdateTimeout, diags)
	defer cancel()
	if diags.HasError() || !r.Ready(updateSummary, diags) {
		return
	}
	tf.TakePlan(ctx, resp.Private, diags)
	a := r.applyOf(updateSummary, configured, planned, prior)
	a.run(ctx, diags)
	updated := planned
	switch {
	case diags.HasError():
		a.reportStop(diags)
		updated = a.stateAfterFailure()
	case a.live != nil:
		updated = planned.applied(*a.live)
	case planned.isUnknown(provisioned): // nothing was sent, and the apply records that the backup has ended
		updated.Values[provisioned] = prior.Values[provisioned]
	}
	// A read may still return the status before a destroy that failed, so only what the plan has shown, or what this apply has
	// requested, ends the note.
	var noted ending
	tf.ReadPrivate(ctx, resp.Private, projects.AppliedKey, &noted, diags)
	isShown := noted.isSeen(prior.settledStatus())
	if isRequested := a.changes.StatusName != nil; !diags.HasError() && (isShown || isRequested) {
		diags.Append(resp.Private.SetKey(ctx, projects.AppliedKey, nil)...)
	}
	tf.Write(ctx, &resp.State, updated, diags)
	tf.Write(ctx, resp.Identity, updated.ClusterIdentity, diags)
}

// Delete does what on_destroy in the state says. It keeps a backup that this process
// adopted: with create_before_destroy, that is the backup of the new object. It ends no backup of a
// resource that is replaced, or that has gone back since the plan, such as one that was started again.
func (r *backupConfigResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	diags := &resp.Diagnostics
	state := r.read(ctx, req.State, diags)
	ctx, cancel := tf.Within(ctx, state.Timeouts.Delete, defaultDeleteTimeout, diags)
	defer cancel()
	if diags.HasError() || !endsBackup(state) {
		return
	}
	noted := tf.TakePlan(ctx, resp.Private, diags)
	if noted.Creates != "" {
		diags.Append(tf.WithMore(replacementWouldEndBackup(state), "\n\n"+tf.NotesLost))
		return
	}
	if r.HasClaim(state.object(), connection.Applied) || !r.Ready(deleteSummary, diags) {
		return
	}
	wanted := lastStatus[state.OnDestroy.ValueString()]
	planned := state
	planned.StatusName = types.StringValue(wanted)
	a := r.applyOf(deleteSummary, state, planned, state)
	a.isDestroy = true
	if isReplanned := r.HasClaim(state.object(), connection.Ends); !isReplanned {
		a.shown = noted.Shown
	} // otherwise, this apply has planned the end of a deposed object again, and what its plan has shown is not known
	if err := a.refuseTermination(ctx); err != nil { // before the backup is stopped
		diags.Append(backupConfigFailure(deleteSummary, err))
		return
	}
	failed := a.reachStatus(ctx, wanted)
	switch {
	case failed == nil, failed.hasEnded() && state.settledStatus() == opsmanager.StatusInactive: // as the plan said
	case !failed.missing.IsZero() && opsmanager.IsMissing(failed.err, opsmanager.ObjectBackupConfig):
	case failed.hasEnded():
		diags.AddWarning(fmt.Sprintf("Backup of Cluster %s Has Ended", a.cluster),
			fmt.Sprintf("The backup is %s, so the provider could not stop it. A termination deletes all snapshots.", failed.status))
	default:
		diags.Append(failed.diagnostic(deleteSummary, a.cluster, "Destroy"))
		a.noteBegun(ctx, failed, resp)
	}
}

// noteBegun records what a destroy that failed has requested, so that the next plan shows it, whether the block is back or not.
func (a *backupApply) noteBegun(ctx context.Context, failed *statusError, resp *resource.DeleteResponse) {
	diags := &resp.Diagnostics
	var earlier ending
	if !failed.isRequested || a.live == nil {
		return
	}
	if !tf.ReadPrivate(ctx, resp.Private, projects.AppliedKey, &earlier, diags) {
		tf.WritePrivate(ctx, resp.Private, projects.AppliedKey, ending{Was: a.prior.StatusName.ValueString(), IsDestroy: true}, diags)
	}
	a.reportStop(diags)
	tf.Write(ctx, &resp.State, a.prior.refreshed(*a.live), diags)
}

// reportStop adds an error if what failed has stopped the backup before.
func (a *backupApply) reportStop(diags *diag.Diagnostics) {
	if !a.stops || a.live.status() != opsmanager.StatusStopped {
		return
	}
	diags.AddError(fmt.Sprintf("Backup of Cluster %s Is Stopped", a.cluster), fmt.Sprintf("Before this run failed, it stopped the backup, which was %s and takes no snapshots now. "+
		"To use it again, keep its block with on_destroy = \"keep\" and status_name = \"STARTED\", and apply.", a.prior.StatusName.ValueString()))
}

// NewBackupConfigList returns the list resource opsmanager_backup_config.
var NewBackupConfigList = sources.ListResource[projects.Backup]{
	Name:        "backup_config",
	Title:       "Backup Configurations",
	Codes:       []tf.Codes{projects.Codes},
	Description: "Lists the backup configurations of a project: those of its replica sets and whole sharded clusters, sorted by cluster name.",
	Requires:    "the role `Project Read Only`",
	Attributes:  map[string]listschema.Attribute{"project_id": sources.QueryID("ID of the project")},
	Read:        projects.ListBackups,
	Object: projects.ListedBackup(func(_ context.Context, q sources.Query, b projects.Backup) sources.Listed {
		m := adoptedBackupConfig(settingsOf(*b.Config))
		m.ClusterIdentity = projects.ClusterIdentityOf(q.ID("project_id"), *b.Cluster.ID)
		return sources.Listed{
			Name:     *b.Cluster.NameOrID(),
			Identity: tf.ValuesOf(m.ClusterIdentity),
			Resource: tf.ValuesOf(m),
		}
	}),
}.Constructor()
