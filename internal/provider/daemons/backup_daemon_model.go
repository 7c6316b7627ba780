package daemons

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// daemonFields are the fields of a daemon that a configuration can set.
var daemonFields = tfmodel.Fields[opsmanager.BackupDaemon]{
	tfmodel.BoolField("configured", func(d *opsmanager.BackupDaemon) **bool { return &d.Configured }),
	tfmodel.BoolField("assignment_enabled", func(d *opsmanager.BackupDaemon) **bool { return &d.AssignmentEnabled }),
	tfmodel.BoolField("backup_jobs_enabled", func(d *opsmanager.BackupDaemon) **bool { return &d.BackupJobsEnabled }),
	tfmodel.BoolField("garbage_collection_enabled", func(d *opsmanager.BackupDaemon) **bool { return &d.GarbageCollectionEnabled }),
	tfmodel.BoolField("resource_usage_enabled", func(d *opsmanager.BackupDaemon) **bool { return &d.ResourceUsageEnabled }),
	tfmodel.BoolField("restore_queryable_jobs_enabled", func(d *opsmanager.BackupDaemon) **bool { return &d.RestoreQueryableJobsEnabled }),
	tfmodel.TextField("head_disk_type", func(d *opsmanager.BackupDaemon) **string { return &d.HeadDiskType }),
	tfmodel.NumberField("num_workers", func(d *opsmanager.BackupDaemon) **int64 { return &d.NumWorkers }),
	tfmodel.TextsField("labels", func(d *opsmanager.BackupDaemon) **[]string { return &d.Labels }),
}

// optionalDaemonFields are the fields that a response lacks if they are not set.
var optionalDaemonFields = daemonFields[6:8]

// daemonSwitches are the fields whose default is not documented. A request must not leave
// them out.
var daemonSwitches = daemonFields[:6]

// daemonID identifies a daemon.
type daemonID struct{ machine, directory string }

func daemonIDOf(m tfmodel.Values) daemonID { return daemonIdentityOf(m).id() }

// name returns the name of a daemon for messages.
func (id daemonID) name() string { return "Daemon " + id.text() }

// text returns the import ID of a daemon.
func (id daemonID) text() string { return id.machine + "|" + id.directory }

func (id daemonID) toAPI() opsmanager.DaemonMachine {
	return opsmanager.DaemonMachine{Machine: id.machine, HeadRootDirectory: &id.directory}
}

// daemonIdentity is the identity of a daemon.
type daemonIdentity struct {
	Machine           types.String `tfsdk:"machine"`
	HeadRootDirectory types.String `tfsdk:"head_root_directory"`
}

func (i daemonIdentity) id() daemonID {
	return daemonID{i.Machine.ValueString(), i.HeadRootDirectory.ValueString()}
}

func daemonIdentityOf(m tfmodel.Values) daemonIdentity {
	return daemonIdentity{tfmodel.As[types.String](m, "machine"), tfmodel.As[types.String](m, "head_root_directory")}
}

// daemonToAPI converts values to a daemon. Null and unknown values are left out.
func daemonToAPI(m tfmodel.Values) opsmanager.BackupDaemon {
	daemon := opsmanager.BackupDaemon{Machine: daemonIDOf(m).toAPI()}
	daemonFields.Set(&daemon, m)
	return daemon
}
