package daemons

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// deletes reports whether the destroy of a daemon deletes it.
func deletes(m tfmodel.Values) bool {
	return tfmodel.As[types.String](m, onDestroy).ValueString() == deleteOnDestroy
}

// ModifyPlan plans the changes of an apply, and warns about what it overwrites or deletes.
func (r *backupDaemonResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, &resp.Diagnostics)
		return
	}
	config, plan := tfmodel.ValuesFrom(ctx, req.Config, &resp.Diagnostics), tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if prior == nil {
		var replaced string
		if tfmodel.ReadPrivate(ctx, req.Private, wholeobject.ReplacedKey, &replaced, &resp.Diagnostics); replaced == daemonIDOf(plan).text() {
			resp.Diagnostics.Append(daemonReplacement(replaced))
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.CreatedKey, daemonIDOf(plan).text(), &resp.Diagnostics)
		r.planCreation(ctx, config, plan, &resp.Diagnostics)
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
		return
	}
	before := daemonIDOf(prior)
	if !plan["machine"].Equal(prior["machine"]) || !plan["head_root_directory"].Equal(prior["head_root_directory"]) {
		if deletes(prior) && mayBeEqual(plan["machine"], prior["machine"]) && mayBeEqual(plan["head_root_directory"], prior["head_root_directory"]) {
			resp.Diagnostics.Append(daemonReplacement(before.text()))
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, "", &resp.Diagnostics)
		r.planDestroy(prior, &resp.Diagnostics)
		if registered := r.planCreation(ctx, config, plan, &resp.Diagnostics); !registered && deletes(prior) && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(daemonDeletedBeforeRegistration(before, daemonIDOf(plan)))
		}
		return
	}
	replaced := ""
	if deletes(prior) {
		replaced = before.text()
	}
	tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, replaced, &resp.Diagnostics)
	switch already := r.registry().Plan(before, func(p *planned) { p.Managed = true }); {
	case already.Ended:
		resp.Diagnostics.Append(daemonDeletedAndManaged(before))
		return
	case already.Managed:
		resp.Diagnostics.Append(wholeobject.ManagedTwice("machine", before.name(), overwrites))
	}
	daemonFields.Keep(plan, config, prior)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
}

// mayBeEqual reports whether a planned value equals that of the state, or may turn out to equal it.
func mayBeEqual(planned, held attr.Value) bool {
	return planned.IsUnknown() || planned.Equal(held)
}

// planCreation plans the configuration of a daemon, and warns about the values that it overwrites.
// It reports whether the daemon may have registered. It fails if a resource in the state would
// delete the daemon: a tainted one, or one whose address was changed without a moved block. Terraform
// plans a replacement twice, and drops the warnings of the second plan.
func (r *backupDaemonResource) planCreation(ctx context.Context, config, plan tfmodel.Values, diags *diag.Diagnostics) (registered bool) {
	if config["configured"].IsNull() {
		plan["configured"] = types.BoolValue(true)
	}
	if config["machine"].IsUnknown() || config["head_root_directory"].IsUnknown() || r.Client == nil {
		return true
	}
	id := daemonIDOf(config)
	switch before := r.registry().Plan(id, func(p *planned) { p.Managed = true }); {
	case before.Ended, before.ends:
		diags.Append(daemonDeletedAndManaged(id))
		return true
	case before.Managed:
		diags.Append(wholeobject.ManagedTwice("machine", id.name(), overwrites))
	}
	switch live, err := r.read(ctx, id); {
	case isNotRegistered(err), err == nil && live.Machine.HeadRootDirectory == nil:
		registered, listErr := r.isRegistered(ctx, id) // if not, the apply waits for it
		if listErr == nil && registered && opsmanager.IsBareNotFound(err) {
			listErr = err
		}
		if listErr != nil {
			diags.Append(daemonFailure("Unable to Preview Backup Daemon", listErr))
		}
		return registered
	case err != nil:
		diags.Append(diagnostics.Failure("Unable to Preview Backup Daemon", err))
	default:
		wholeobject.WarnOverwritten(id.name(), daemonFields.Differences(daemonToAPI(plan), *live), diags)
	}
	return true
}

// isRegistered reports whether the process on the machine of a daemon has registered and can be
// configured. It fails with otherDirectories if the machine is configured already, for other
// head directories.
func (r *backupDaemonResource) isRegistered(ctx context.Context, id daemonID) (bool, error) {
	all, err := r.Client.ListBackupDaemons(ctx)
	if err != nil {
		return false, err
	}
	var others otherDirectories
	for _, live := range all.Results {
		if !strings.EqualFold(live.Machine.Machine, id.machine) {
			continue
		}
		directory := live.Machine.HeadRootDirectory
		if directory == nil || *directory == "" || *directory == id.directory {
			return true, nil
		}
		others = append(others, *directory)
	}
	if len(others) > 0 {
		return true, others
	}
	return false, nil
}

// otherDirectories is the error of configuring a machine that is configured for other head
// directories only. A request without a head directory could change their configuration.
type otherDirectories []string

func (o otherDirectories) Error() string {
	return fmt.Sprintf("the machine is configured with %s", opsmanager.Sanitize(strings.Join(o, ", ")))
}

// daemonFailure is the error of configuring a daemon.
func daemonFailure(summary string, err error) diag.Diagnostic {
	var others otherDirectories
	if !errors.As(err, &others) {
		return diagnostics.Failure(summary, err, daemonCodes)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("head_root_directory"), "Machine Has a Different Head Directory",
		fmt.Sprintf("Ops Manager has no daemon with this head directory, and %s. Configuring the machine once more could change that configuration, so nothing was changed. "+
			"Correct head_root_directory. To use a second head directory, add it in the console of Ops Manager first.", others))
}

func daemonDeletedBeforeRegistration(deleted, id daemonID) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("machine"), "Backup Daemon Not Registered",
		fmt.Sprintf("This plan would delete daemon %s, because of on_destroy, and the daemon on %s has not registered. Start it first.", deleted.text(), id.machine))
}

// planDestroy warns how destroying a resource affects its daemon.
func (r *backupDaemonResource) planDestroy(prior tfmodel.Values, diags *diag.Diagnostics) {
	id := daemonIDOf(prior)
	if !deletes(prior) {
		diags.AddWarning(id.name()+" Removed Only From the State", "Destroying this resource sends no request. Ops Manager keeps the configuration of the daemon.")
		return
	}
	if r.registry().HasAdopted(id) { // the old object of a replacement, which Delete keeps
		return
	}
	if r.registry().Plan(id, func(p *planned) { p.Ended = true }).Managed {
		diags.Append(daemonDeletedAndManaged(id))
		return
	}
	diags.AddAttributeWarning(path.Root(onDestroy), "Deletion of "+id.name(),
		"Destroying this resource deletes the configuration of the daemon, because of on_destroy. Ops Manager refuses that while backups are bound to the daemon. The process registers again if it is still running.")
}

func daemonDeletedAndManaged(id daemonID) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root(onDestroy), "Daemon Deleted and Managed in One Plan", "backup_daemon",
		fmt.Sprintf("deletes daemon %s, because of on_destroy", id.text()), "daemon")
}

func daemonReplacement(id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(onDestroy), "Replacement Would Delete the Daemon",
		fmt.Sprintf("Replacing this resource destroys it, which deletes daemon %[2]s because of on_destroy = %[1]q in the Terraform state. Changing the configuration does not require a replacement. "+
			"To replace the resource anyway, set on_destroy = %[3]q and apply first.\n\n"+
			"Terraform also plans a replacement if the machine or the head directory is not known yet, even if it turns out to be the same. Use values that are known when you plan.", deleteOnDestroy, id, keepOnDestroy))
}

// notRegistered is the error for a daemon that did not register.
func notRegistered(id daemonID, timeout string, interrupted bool, err error) diag.Diagnostic {
	if interrupted {
		return diag.NewErrorDiagnostic(adoptDaemon, fmt.Sprintf("The run was interrupted before the daemon on %s had registered and was configured. Apply again. %s", id.machine, diagnostics.Explain(err)))
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("machine"), "Backup Daemon Not Registered",
		fmt.Sprintf("The daemon on %s was not registered and configured within %s. %s\n\n"+
			"Check that the backup daemon runs on that machine, that it uses the application database of this Ops Manager, and that machine is the host name that it registers with: "+
			"the list of daemons in the console of Ops Manager has it. If the daemon needs more time, set timeouts.create.", id.machine, timeout, diagnostics.Sentence(err)))
}

// InUse is the advice about a daemon that Ops Manager refuses to delete.
const InUse = "Ops Manager deletes a daemon only if no backup is bound to it. Move its backups to another daemon in the console of Ops Manager, or terminate them, and destroy again."

// daemonDeletionFailure is the error of a failed deletion.
func daemonDeletionFailure(err error) diag.Diagnostic {
	d := diagnostics.Failure(deleteDaemon, err)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Status != http.StatusConflict {
		return d
	}
	return diag.NewErrorDiagnostic(d.Summary(), d.Detail()+"\n\n"+InUse+" "+
		"To only remove the daemon from the state, set on_destroy = \"keep\" and apply first.")
}
