package infrastructure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// The process of a daemon registers its machine. Then the list of daemons has it without a head directory,
// until a request configures it for one.

// readDaemon returns a configured daemon. If the response leaves open whether there is one, the list decides.
func readDaemon(ctx context.Context, d *connection.Data, id []string) (*backupDaemon, error) {
	live, err := d.Client.BackupDaemon(ctx, id[0], id[1])
	switch {
	case err == nil && live.Machine.HeadRootDirectory == nil && live.Configured != nil && !*live.Configured:
		return nil, opsmanager.Missing(opsmanager.ObjectDaemon, errors.New("the daemon has registered, and is not configured"))
	case !opsmanager.MayBeMissing(err, opsmanager.ObjectDaemon):
		return live, err
	}
	all, listErr := opsmanager.Identified(d.Client.ListBackupDaemons(ctx))
	if listErr != nil || slices.ContainsFunc(all.Results, isNamed(machineOf(id))) {
		return nil, err
	}
	return nil, opsmanager.Missing(opsmanager.ObjectDaemon, err)
}

// awaitRegistration waits until the process of a daemon has registered, and completes the daemon with what
// Ops Manager has of it.
func awaitRegistration(ctx context.Context, d *connection.Data, daemon backupDaemon) (*backupDaemon, error) {
	var others []string
	err := d.Wait(ctx, func() (bool, error) {
		registered, unconfigured, err := registration(ctx, d, daemon.Machine)
		others = unconfigured
		if err != nil || registered == nil {
			return false, err
		}
		daemon = describedDaemon.Fields.Complete(daemon, *registered)
		mergeDaemon(&daemon, *registered)
		return true, nil
	})
	_, failed := errors.AsType[*opsmanager.Error](err)
	interrupted := errors.Is(ctx.Err(), context.Canceled)
	switch {
	case err == nil, ctx.Err() == nil, interrupted && failed:
		return &daemon, err
	case interrupted:
		return nil, tf.OnAttribute("machine", "Backup Daemon Not Configured", "The run was interrupted before the daemon on %s had registered. Nothing was changed. Apply again.", daemon.Machine.Machine)
	default:
		return nil, tf.OnAttribute("machine", "Backup Daemon Not Registered", "The daemon on %s had not registered when the time was over. Nothing was changed. %s\n\n"+
			"Check that the backup daemon runs on that machine, that it uses the application database of this Ops Manager, and that machine is the host name that it registers with. "+
			"If the daemon needs more time, set timeouts.create.", daemon.Machine.Machine, thatWait(others))
	}
}

// thatWait says which machines have registered and wait to be configured.
func thatWait(machines []string) string {
	if len(machines) == 0 {
		return "No other machine waits to be configured."
	}
	return "These machines have registered, and wait to be configured: " + opsmanager.Sanitize(strings.Join(machines, ", ")) + "."
}

// registration returns what the list has of a daemon that has registered, or nil and the other machines that wait to be
// configured. It fails if the machine is configured already: another request could change that configuration.
func registration(ctx context.Context, d *connection.Data, wanted machine) (found *backupDaemon, others []string, err error) {
	all, err := opsmanager.Identified(d.Client.ListBackupDaemons(ctx))
	if err != nil {
		return nil, nil, err
	}
	var directories []string
	for _, daemon := range all.Results {
		name := daemon.Machine.Machine
		isNew := directoryOf(daemon) == nil
		switch {
		case !strings.EqualFold(name, wanted.Machine) && isNew:
			others = append(others, name)
		case !strings.EqualFold(name, wanted.Machine):
		case name != wanted.Machine:
			return nil, nil, tf.OnAttribute("machine", "Machine Has a Different Spelling", "Ops Manager has this machine as %s. Correct machine. Nothing was changed.", opsmanager.Sanitize(name))
		case isNew:
			return &daemon, nil, nil
		default:
			directories = append(directories, *directoryOf(daemon))
		}
	}
	switch {
	case len(directories) == 0:
		return nil, others, nil
	case slices.Contains(directories, *wanted.HeadRootDirectory):
		return nil, nil, tf.OnAttribute("head_root_directory", "Backup Daemon Is Configured", "The list of daemons has this daemon, so it may just have been configured elsewhere. Nothing was changed. Plan again.")
	default:
		return nil, nil, tf.OnAttribute("head_root_directory", "Machine Has a Different Head Directory",
			"Ops Manager has no daemon with this head directory, and the machine is configured with %s. Configuring the machine once more could change that configuration, so nothing was changed. "+
				"Correct head_root_directory. To use a second head directory, add it in the console of Ops Manager first. If this error stops 'terraform destroy', run it with -refresh=false.", opsmanager.Sanitize(strings.Join(directories, ", ")))
	}
}

// checkDaemon warns about what a change of a daemon means for projects, and checks a new one.
func checkDaemon(ctx context.Context, d *connection.Data, p putresource.Plan[backupDaemon], diags *diag.Diagnostics) {
	if p.Before == nil {
		checkRegistration(ctx, d, p, diags)
		return
	}
	warnLabels(ctx, d, "Backup Daemon "+p.ID[0], p.Before.Labels, p.Changed.Labels, diags)
	warnOff(p, diags)
}

// warnOff warns about what a plan turns off that backups need.
func warnOff(p putresource.Plan[backupDaemon], diags *diag.Diagnostics) {
	var off []string
	for _, setting := range []struct {
		attribute string
		value     *bool
	}{
		{"configured", p.Changed.Configured},
		{"assignment_enabled", p.Changed.AssignmentEnabled},
		{"backup_jobs_enabled", p.Changed.BackupJobsEnabled},
	} {
		if isOff := setting.value != nil && !*setting.value; isOff {
			off = append(off, setting.attribute)
		}
	}
	if off != nil {
		diags.AddAttributeWarning(path.Root(off[0]), "Backup Daemon "+p.ID[0]+" Will Be Turned Off",
			fmt.Sprintf("The apply sets %s = false. Ops Manager then assigns no new backups to this daemon, or no longer uses it. It does not document what becomes of those that it works on: "+
				"move them in the console of Ops Manager first. Check that another daemon has the labels that your projects need.", strings.Join(off, " and ")))
	}
}

// checkRegistration adds an error to the plan of a new daemon that Ops Manager can't configure. The apply
// waits for one that has not registered.
func checkRegistration(ctx context.Context, d *connection.Data, p putresource.Plan[backupDaemon], diags *diag.Diagnostics) {
	isTwin := func(other putresource.Planned) bool {
		return other.IsNew && !slices.Equal(other.ID, p.ID) && strings.EqualFold(other.ID[0], p.ID[0])
	}
	planned := putresource.AllPlanned(d, "backup_daemon")
	if i := slices.IndexFunc(planned, isTwin); i >= 0 {
		diags.AddAttributeError(path.Root("machine"), "Machine in Two Resources", fmt.Sprintf("This plan configures the daemon on this machine twice, also with machine = %q and head_root_directory = %q. "+
			"A machine that has just registered can be configured for one head directory. Add the second one in the console of Ops Manager after the apply, and then to Terraform.", planned[i].ID[0], planned[i].ID[1]))
	}
	switch found, others, err := registration(ctx, d, p.Changed.Machine); {
	case err != nil:
		diags.Append(tf.Failure("Unable to Preview Backup Daemon", err))
	case found == nil:
		diags.AddAttributeWarning(path.Root("machine"), "Backup Daemon on "+p.ID[0]+" Has Not Registered",
			"The apply waits until the daemon on this machine registers, and configures it then. machine has to be the host name that it registers with, without a port. "+thatWait(others))
	}
}
