package daemons

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupDaemonsDataSource returns the data source opsmanager_backup_daemons.
var NewBackupDaemonsDataSource = datasources.List[opsmanager.BackupDaemon]{
	Name: "backup_daemons", Title: "Backup Daemons",
	Description: "Reads the backup daemons of Ops Manager, including those that were never configured or that take no backups.\n\n" +
		"-> Requires the role `Global Backup Admin`, because daemons are shared by all projects.\n\n" +
		"Every page of the list is read. Values that Ops Manager does not return are null. A daemon without a machine produces a warning.",
	Results: "The daemons, sorted by `machine` and `head_root_directory`.",
	Items: datasources.NewObject(map[string]schema.Attribute{
		"machine":                        datasources.String("Host name of the machine that the daemon runs on."),
		"head_root_directory":            datasources.String("Path of the head directory on that machine, such as `/data/backup/`. Null if the daemon was never configured."),
		"configured":                     datasources.Bool("Whether the daemon is configured. Ops Manager uses a daemon only if this is `true`."),
		"assignment_enabled":             datasources.Bool("Whether new backups can be assigned to the daemon."),
		"backup_jobs_enabled":            datasources.Bool("Whether the daemon takes backups."),
		"garbage_collection_enabled":     datasources.Bool("Whether the daemon deletes expired data from snapshot stores."),
		"resource_usage_enabled":         datasources.Bool("Whether the daemon collects information about the usage of stores."),
		"restore_queryable_jobs_enabled": datasources.Bool("Whether the daemon serves queryable restores."),
		"head_disk_type":                 datasources.String("Type of the disk with the head directory, such as `HDD` or `SSD`."),
		"num_workers":                    datasources.Int64("Number of backups that the daemon works on at the same time."),
		"labels":                         texts("Assignment labels of the daemon. Empty if Ops Manager returns none."),
	}, func(d opsmanager.BackupDaemon) map[string]attr.Value {
		return daemonFields.FromAPI(tfmodel.Values{
			"machine":             types.StringPointerValue(tfmodel.NonEmpty(&d.Machine.Machine)),
			"head_root_directory": types.StringPointerValue(tfmodel.NonEmpty(d.Machine.HeadRootDirectory)),
		}, d)
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[opsmanager.BackupDaemon], error) {
		return client.ListBackupDaemons(ctx)
	},
	Sort: sortedDaemons,
	Noun: "backup daemon", IDAttribute: "machine",
	Identify: func(d opsmanager.BackupDaemon) (id, label *string) {
		return &d.Machine.Machine, d.Machine.HeadRootDirectory
	},
}.Constructor()

// sortedDaemons returns daemons sorted by machine and head directory. Missing ones come last.
func sortedDaemons(daemons []opsmanager.BackupDaemon) []opsmanager.BackupDaemon {
	slices.SortStableFunc(daemons, func(a, b opsmanager.BackupDaemon) int {
		byMachine := tfmodel.CompareAbsentLast(tfmodel.NonEmpty(&a.Machine.Machine), tfmodel.NonEmpty(&b.Machine.Machine), cmp.Compare)
		return cmp.Or(byMachine, tfmodel.CompareAbsentLast(tfmodel.NonEmpty(a.Machine.HeadRootDirectory), tfmodel.NonEmpty(b.Machine.HeadRootDirectory), cmp.Compare))
	})
	return daemons
}
