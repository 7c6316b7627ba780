package daemons

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupDaemonList returns the list resource opsmanager_backup_daemon.
var NewBackupDaemonList = listresources.List[opsmanager.BackupDaemon]{
	Name: "backup_daemon", Title: "Backup Daemons",
	Description: "Lists the configured backup daemons of Ops Manager, sorted by machine and head directory. A daemon that was never configured is left out, even if it is running.",
	Requires:    "the role `Global Backup Admin`",
	Read: func(ctx context.Context, q listresources.Query) ([]opsmanager.BackupDaemon, error) {
		all, err := q.Client.ListBackupDaemons(ctx)
		if err != nil {
			return nil, err
		}
		return sortedDaemons(all.Results), nil
	},
	Object: func(_ context.Context, _ listresources.Query, live opsmanager.BackupDaemon) (*listresources.Object, diag.Diagnostic) {
		id := listedID(live)
		if !id.isValid() || opsmanager.Sanitize(id.text()) != id.text() {
			return nil, nil // it can't be imported, or its ID is not safe to print
		}
		identity := daemonIdentity{types.StringValue(id.machine), types.StringValue(id.directory)}
		return &listresources.Object{Name: id.text(), Identity: identity, Resource: daemonFields.FromAPI(tfmodel.ValuesOf(identity), live)}, nil
	},
}.Constructor()

func listedID(live opsmanager.BackupDaemon) daemonID {
	return daemonID{live.Machine.Machine, tfmodel.Text(live.Machine.HeadRootDirectory)}
}
