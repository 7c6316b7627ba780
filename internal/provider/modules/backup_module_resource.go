// Package modules implements the resource of the backup modules of MongoDB Agents.
package modules

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)

type backupModuleResource struct{ connection.Resource }

// NewBackupModuleResource returns the resource opsmanager_backup_module.
func NewBackupModuleResource() resource.Resource {
	return &backupModuleResource{connection.Resource{TypeName: "backup_module"}}
}

// Attributes, and the values of on_destroy.
const (
	projectID = "project_id"
	hostnames = "hostnames"
	onDestroy = "on_destroy"

	keepOnDestroy       = "keep"
	deactivateOnDestroy = "deactivate"
)

func (r *backupModuleResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Activates the backup module of the MongoDB Agent on hosts of a project.\n\n" +
			"A backup stays in `PROVISIONING` until its hosts have the module. Creating this resource adds the hosts to the list of backup modules in the project's automation configuration, and waits until their modules report to Ops Manager. " +
			"A module that is active already is **adopted**: no request is sent for it. Modules of other hosts stay as they are.\n\n" +
			"Destroying this resource, or removing a host from `hostnames`, only removes hosts from the state, unless you set `on_destroy`.\n\n" +
			"-> Requires the role `Project Automation Admin`, even to plan.\n\n" +
			"!> The automation configuration contains the passwords and keys of the whole project. The provider sends it back as it was read, except for the list of backup modules, and stores only the host names. " +
			"If an external system, such as MongoDB's Kubernetes operator, manages the project, let that system activate the modules.\n\n" +
			"Activate the module on each host with a `mongod` that holds data, in all shards and in the config server replica set. Hosts with only a `mongos` or an arbiter don't need one.\n\n" +
			"Each change replaces the whole automation configuration. The provider reads it again before each request, and starts over if another client has changed it. " +
			"If that happened during the request, the provider warns, because the other change may be lost.\n\n" +
			"A host whose agent does not run is not drift. If a change activates some modules and deactivates others, the deactivation follows once the new ones run. " +
			"If a creation fails, the next apply adopts the modules that it has activated.\n\n" +
			"Two resources can't list the same host. The provider doesn't see resources of a different provider alias, workspace or configuration: one with `on_destroy = \"deactivate\"` also deactivates modules that others keep.\n\n" +
			"A plan that deactivates a module can't also activate one whose host or project is only known after apply, or start a backup that needs the module, or may need it because an ID is only known after apply.\n\n" +
			"An import reads all hosts of the project whose module is active, whoever activated it. List all of them in `hostnames`. Or list only yours, without `on_destroy`: then the plan removes the others from the state, and they stay active. " +
			"With `on_destroy = \"deactivate\"`, that plan fails, so apply before you set it.",
		Attributes: map[string]schema.Attribute{
			projectID: tf.ObjectIDAttribute("ID of the project. Forces replacement."),
			hostnames: schema.SetAttribute{
				Required:    true,
				ElementType: types.StringType,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1),
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
				MarkdownDescription: "Host names without a port, as the MongoDB Agent has registered them: usually what `hostname -f` prints, and what the page *Servers* of Ops Manager shows.",
			},
			onDestroy: schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(keepOnDestroy, deactivateOnDestroy)},
				MarkdownDescription: "What happens when you destroy, and to a host that you remove from `hostnames`: `keep` leaves the module active, and `deactivate` deactivates it, even if it was active before. " +
					"A running backup needs the modules of its hosts. With `deactivate`, the plan of a destroy names the backups that still run, and no host of such a backup can leave `hostnames`: stop the backup first, or set `keep`. " +
					"Apply a change before you destroy. Defaults to `keep`.",
			},
			"timeouts": tf.TimeoutsAttribute(ctx, timeouts.Opts{
				Create:            true,
				Update:            true,
				Delete:            true,
				CreateDescription: "Defaults to `10m`.",
				UpdateDescription: "Defaults to `10m`.",
				DeleteDescription: "Defaults to `5m`.",
			}),
		},
	}
}

// importID is that of the backup modules of a project.
var importID = tf.ImportID{
	Attributes: []string{projectID},
	Texts:      []string{"ID of the project: 24 hexadecimal digits."},
	Advice:     "Import the backup modules of a project by its project_id.",
}

func (r *backupModuleResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = importID.Schema()
}

// projectOf returns the ID of a project in lower case. It is empty if it is not known.
func projectOf(m tf.Values) string {
	return strings.ToLower(tf.As[types.String](m, projectID).ValueString())
}

// hostsOf returns the known hosts, sorted, and whether that is all of them.
func hostsOf(m tf.Values) (hosts []string, all bool) {
	hosts, all = tf.Texts(tf.As[types.Set](m, hostnames))
	slices.Sort(hosts)
	return hosts, all
}

// except returns the hosts that are none of a kind.
func except(hosts []string, isOne func(host string) bool) []string {
	return slices.DeleteFunc(slices.Clone(hosts), isOne)
}

// without returns the hosts that are not among others. Case does not matter.
func without(hosts, others []string) []string {
	return except(hosts, func(host string) bool { return contains(others, host) })
}

func contains(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(other string) bool {
		return strings.EqualFold(other, host)
	})
}

// distinct returns the hosts without those that only differ in case from an earlier one.
func distinct(hosts []string) (found []string) {
	for _, host := range hosts {
		if !contains(found, host) {
			found = append(found, host)
		}
	}
	return found
}

func deactivates(m tf.Values) bool {
	return tf.As[types.String](m, onDestroy).ValueString() == deactivateOnDestroy
}

// modulesName returns the name of the backup modules of a project for messages.
func modulesName(project string) string { return "Backup Modules of Project " + project }

// managedBy names the modules that a resource manages, with their hosts.
func managedBy(m tf.Values) string {
	hosts, _ := hostsOf(m)
	return modulesName(projectOf(m)) + ": " + strings.ToLower(strings.Join(distinct(hosts), ", "))
}

const (
	activateSummary   = "Unable to Activate Backup Modules"
	updateSummary     = "Unable to Change Backup Modules"
	deactivateSummary = "Unable to Deactivate Backup Modules"
	readSummary       = "Unable to Read Backup Modules"
	previewSummary    = "Unable to Preview Backup Modules"
	importSummary     = "Unable to Import Backup Modules"
)

// Codes are the codes about an automation configuration.
var Codes = tf.Codes{
	Attributes: map[string]string{"AUTOMATION_CONFIG_NOT_FOUND": projectID},
	Advice: map[string]string{
		"AUTOMATION_CONFIG_NOT_FOUND":               "The project has no automation configuration yet. Install the MongoDB Agent on its hosts first.",
		"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION": "Another client has changed the automation configuration, or Ops Manager returned an old one. Apply again.",
		"UNSUPPORTED_AUTOMATION_AGENT_VERSION":      "The agents of the project are too old for this version of Ops Manager. Update them first.",
	},
}

// failure returns the error of a failed call.
func failure(summary string, err error) diag.Diagnostic {
	return tf.Failure(summary, err, projects.Codes, Codes)
}

// Create activates the modules that are not active yet. If anything fails, it stores no state, and the
// next apply adopts what is active then.
func (r *backupModuleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	plan := tf.ReadValues(ctx, req.Plan, diags)
	ctx, cancel := tf.Within(ctx, tf.TimeoutsOf(plan).Create, defaultWriteTimeout, diags)
	defer cancel()
	if diags.HasError() || !r.Ready(activateSummary, diags) {
		return
	}
	c := r.changeOf(activateSummary, nil, plan)
	if c.run(ctx, diags); diags.HasError() {
		return
	}
	r.Claim(anyModuleOf(c.project), connection.Applied)
	tf.WriteValues(ctx, &resp.State, plan, diags)
	tf.WriteValues(ctx, resp.Identity, importID.Of(plan), diags)
}

// Read keeps the hosts whose modules are in the automation configuration. Only an import reads the hosts
// of others.
func (r *backupModuleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := tf.ReadValues(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	c := r.changeOf(readSummary, state, nil)
	hosts := c.held
	// Also set if the modules are gone: Terraform before 1.12 requires it for a removal.
	tf.WriteValues(ctx, resp.Identity, importID.Of(state), diags)
	if r.KeepsState(diags) {
		c.claimAll(hosts, connection.HasIt(deactivates(state)), diags)
		return
	}
	// Not after the first refresh.
	isImported := tf.ReadPrivate(ctx, req.Private, projects.ImportedKey, new(bool), diags) && len(hosts) == 0
	live, err := r.Client.AutomationConfig(ctx, c.project)
	switch {
	case opsmanager.IsMissing(err, opsmanager.ObjectAutomationConfig) && !isImported:
		c.claimAll(hosts, connection.Gone, diags)
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diags.Append(failure(readSummary, err))
		return
	}
	if len(hosts) > 0 && !live.ListsBackupModules() {
		diags.Append(c.notListed(""))
		return
	}
	if isImported {
		hosts = distinct(live.BackupModules())
	}
	lost := except(hosts, live.HasBackupModule)
	kept := without(hosts, lost)
	c.claimAll(lost, connection.Gone, diags)
	if !c.claimAll(kept, connection.HasIt(deactivates(state)), diags) {
		return
	}
	if len(kept) == 0 {
		resp.State.RemoveResource(ctx)
		return
	}
	state[hostnames], _ = types.SetValueFrom(ctx, types.StringType, kept) // fails for no text
	tf.WriteValues(ctx, &resp.State, state, diags)
}

// Update activates the modules of new hosts. A host that is no longer configured follows the planned
// on_destroy.
func (r *backupModuleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	plan := tf.ReadValues(ctx, req.Plan, diags)
	prior := tf.ReadValues(ctx, req.State, diags)
	ctx, cancel := tf.Within(ctx, tf.TimeoutsOf(plan).Update, defaultWriteTimeout, diags)
	defer cancel()
	if diags.HasError() || !r.Ready(updateSummary, diags) {
		return
	}
	tf.WriteValues(ctx, resp.Identity, importID.Of(plan), diags)
	c := r.changeOf(updateSummary, prior, plan)
	c.noted = tf.TakePlan(ctx, resp.Private, diags)
	updated := plan
	if c.run(ctx, diags); diags.HasError() {
		updated = prior
		if !deactivates(plan) {
			updated[onDestroy] = plan[onDestroy]
		}
	} else {
		diags.Append(resp.Private.SetKey(ctx, projects.ImportedKey, nil)...)
	}
	tf.WriteValues(ctx, &resp.State, updated, diags)
}

// Delete does what on_destroy in the state says. It keeps the modules that this process activated or
// adopted: with create_before_destroy, they are those of the object that replaces the old one. It also keeps those of a
// tainted resource, because no plan has shown what its destroy does.
func (r *backupModuleResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	diags := &resp.Diagnostics
	state := tf.ReadValues(ctx, req.State, diags)
	ctx, cancel := tf.Within(ctx, tf.TimeoutsOf(state).Delete, defaultDeleteTimeout, diags)
	defer cancel()
	if diags.HasError() || !deactivates(state) {
		return
	}
	c := r.changeOf(deactivateSummary, state, nil)
	c.noted = tf.TakePlan(ctx, resp.Private, diags)
	switch name := modulesName(c.project); {
	case !c.noted.IsTainted():
	case c.noted.Creates == managedBy(state):
		diags.AddWarning(name+" Kept", "The resource is tainted, and this apply manages the same hosts again. So the tainted one was only removed from the Terraform state, and its backup modules stay as they are.")
		return
	default:
		diags.Append(tf.UnplannedEnd("the " + name))
		return
	}
	// This apply plans the end of a module only for a deposed object. What the plan of that has shown is not known.
	isPlannedAgain := func(host string) bool { return r.HasClaim(moduleOf(c.project, host), connection.Ends) }
	c.isDeposed = slices.ContainsFunc(c.ended, isPlannedAgain)
	if len(c.notAdopted(c.ended)) > 0 && r.Ready(c.summary, diags) {
		c.run(ctx, diags)
	}
}

// ImportState imports the modules of all hosts of a project, by its ID or by an identity.
func (r *backupModuleResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	diags := &resp.Diagnostics
	given := importID.Set(ctx, req, resp)
	if given == nil {
		return
	}
	diags.Append(resp.Private.SetKey(ctx, projects.ImportedKey, []byte("true"))...)
	if r.Client == nil {
		return
	}
	switch live, err := r.Client.AutomationConfig(ctx, given[0]); {
	case err != nil:
		diags.Append(failure(importSummary, err))
	case len(live.BackupModules()) == 0:
		diags.AddError(importSummary, "Project "+given[0]+" has no host whose backup module is active, so there is nothing to import. To activate modules, remove the import and apply.")
	}
}

// NewBackupModuleList returns the list resource opsmanager_backup_module.
var NewBackupModuleList = sources.ListResource[opsmanager.Project]{
	Name:        "backup_module",
	Title:       "Backup Modules",
	Description: "Lists the projects that have hosts with an active backup module, sorted by name, and these hosts.\n\nA project whose automation configuration can't be read is left out with a warning.",
	Requires:    "the role `Project Automation Admin` in each project",
	AtOnce:      4,
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[opsmanager.Project], error) {
		return q.Client.ListProjects(ctx)
	},
	Sort: func(all []opsmanager.Project) []opsmanager.Project {
		return tf.Sorted(all, tf.By(func(p opsmanager.Project) *string { return p.Name }))
	},
	Object: func(ctx context.Context, q sources.Query, project opsmanager.Project) sources.Listed {
		id := tf.Text(project.ID)
		name := "of Project " + cmp.Or(tf.Text(project.Name), tf.Text(project.ID))
		if !tf.IsObjectID(id) {
			return sources.LeftOut(name, "Ops Manager lists the project without an ID of 24 hexadecimal digits, so its hosts can't be read.")
		}
		live, err := q.Client.AutomationConfig(ctx, id)
		switch {
		case err != nil && !opsmanager.IsMissing(err, opsmanager.ObjectAutomationConfig):
			return sources.LeftOut(name, tf.Explain(err, Codes, tf.MissingForRead))
		case err != nil, len(live.BackupModules()) == 0:
			return sources.LeftOut(name, "No host has an active backup module.")
		}
		resource := tf.Values{projectID: types.StringValue(id)}
		resource[hostnames], _ = types.SetValueFrom(ctx, types.StringType, distinct(live.BackupModules()))
		return sources.Listed{
			Name:     cmp.Or(tf.Text(project.Name), id),
			Identity: importID.Of(resource),
			Resource: resource,
		}
	},
}.Constructor()
