package daemons

import (
	"context"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupDaemonsDataSource returns the data source opsmanager_backup_daemons.
var NewBackupDaemonsDataSource = datasources.List[opsmanager.BackupDaemon]{
	Name: "backup_daemons", Title: "Backup Daemons",
	Description: "Reads the backup daemons of Ops Manager, including those that were never configured or that take no backups.\n\n" +
		"-> Requires the role `Global Backup Admin`.",
	Results: "The daemons, sorted by `machine` and `head_root_directory`.",
	Items: datasources.Fields(daemonFields, map[string]string{
		"configured":                     "Whether the daemon is configured. Ops Manager uses a daemon only if this is `true`.",
		"assignment_enabled":             "Whether new backups can be assigned to the daemon.",
		"backup_jobs_enabled":            "Whether the daemon takes backups.",
		"garbage_collection_enabled":     "Whether the daemon deletes expired data from snapshot stores.",
		"resource_usage_enabled":         "Whether the daemon collects information about the usage of stores.",
		"restore_queryable_jobs_enabled": "Whether the daemon serves queryable restores.",
		"head_disk_type":                 "Type of the disk with the head directory, such as `HDD` or `SSD`.",
		"num_workers":                    "Number of backups that the daemon works on at the same time.",
		"labels":                         "Assignment labels of the daemon. Empty if Ops Manager returns none.",
	}).And(
		datasources.ID("machine", "Host name of the machine that the daemon runs on.", machineOf),
		datasources.ID("head_root_directory", "Path of the head directory on that machine, such as `/data/backup/`. Null if the daemon was never configured.", directoryOf),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[opsmanager.BackupDaemon], error) {
		return client.ListBackupDaemons(ctx)
	},
	Sort:     sortedDaemons,
	Singular: "backup daemon", IDAttribute: "machine",
	Identify: func(d opsmanager.BackupDaemon) (id, label *string) { return machineOf(d), directoryOf(d) },
}.Constructor()

func machineOf(d opsmanager.BackupDaemon) *string { return tfmodel.NonEmpty(&d.Machine.Machine) }

func directoryOf(d opsmanager.BackupDaemon) *string {
	return tfmodel.NonEmpty(d.Machine.HeadRootDirectory)
}

// sortedDaemons returns daemons sorted by machine and head directory. Missing ones come last.
func sortedDaemons(daemons []opsmanager.BackupDaemon) []opsmanager.BackupDaemon {
	return tfmodel.Sorted(daemons, tfmodel.By(machineOf), tfmodel.By(directoryOf))
}
