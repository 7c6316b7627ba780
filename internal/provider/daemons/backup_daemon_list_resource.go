package daemons

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// daemonIdentity is the identity of a daemon.
type daemonIdentity struct {
	Machine           types.String `tfsdk:"machine"`
	HeadRootDirectory types.String `tfsdk:"head_root_directory"`
}

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
		machine, directory := live.Machine.Machine, tfmodel.Text(live.Machine.HeadRootDirectory)
		name := machine + "|" + directory
		if !isDaemonID([]string{machine, directory}) || opsmanager.Sanitize(name) != name {
			return nil, nil // it can't be imported, or its ID is not safe to print
		}
		identity := daemonIdentity{types.StringValue(machine), types.StringValue(directory)}
		return &listresources.Object{Name: name, Identity: identity, Resource: daemonFields.FromAPI(tfmodel.ValuesOf(identity), live)}, nil
	},
}.Constructor()
