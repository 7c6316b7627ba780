package daemons

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupDaemonList returns the list resource opsmanager_backup_daemon.
var NewBackupDaemonList = listresources.List[opsmanager.BackupDaemon]{
	Name: "backup_daemon", Title: "Backup Daemons",
	Description: "Lists the configured backup daemons of Ops Manager, sorted by machine and head directory.\n\nA daemon that was never configured is left out, even if it is running.",
	Requires:    "the role `Global Backup Admin`",
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.BackupDaemon], error) {
		return q.Client.ListBackupDaemons(ctx)
	},
	Sort: sortedDaemons,
	Object: func(_ context.Context, _ listresources.Query, live opsmanager.BackupDaemon) (*listresources.Object, diag.Diagnostic) {
		return daemonType.Listed(live, live.Machine.Machine, tfmodel.Text(live.Machine.HeadRootDirectory)), nil
	},
}.Constructor()
