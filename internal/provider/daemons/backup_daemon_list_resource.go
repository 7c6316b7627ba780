package daemons

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupDaemonList lists the configured daemons for terraform query.
type backupDaemonList struct{ backupDaemonResource }

var _ list.ListResourceWithConfigure = (*backupDaemonList)(nil)

// NewBackupDaemonList returns the list resource opsmanager_backup_daemon.
func NewBackupDaemonList() list.ListResource { return &backupDaemonList{} }

func (l *backupDaemonList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the configured backup daemons of Ops Manager, sorted by machine and head directory. A daemon that was never configured is left out, even if it is running. " + listresources.Limit + "\n\n-> Requires the role `Global Backup Admin`.",
	}
}

func (l *backupDaemonList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Backup Daemons"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		listresources.Fail(stream, diags...)
		return
	}
	all, err := l.Client.ListBackupDaemons(ctx)
	if err != nil {
		listresources.Fail(stream, diagnostics.Failure(summary, err))
		return
	}
	var found []listresources.Object
	for _, live := range all.Results {
		id := daemonID{machine: live.Machine.Machine}
		if live.Machine.HeadRootDirectory != nil {
			id.directory = *live.Machine.HeadRootDirectory
		}
		if !id.isValid() || opsmanager.Sanitize(id.text()) != id.text() {
			continue // it can't be imported, or its ID is not safe to print
		}
		identity := daemonIdentity{types.StringValue(id.machine), types.StringValue(id.directory)}
		values := daemonFields.FromAPI(tfmodel.Values{"machine": identity.Machine, "head_root_directory": identity.HeadRootDirectory}, live)
		found = append(found, listresources.Object{Name: id.text(), Identity: identity, Resource: values})
	}
	slices.SortFunc(found, func(a, b listresources.Object) int { return strings.Compare(a.Name, b.Name) })
	listresources.Stream(ctx, req, stream, found)
}
