package stores

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
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupStoreList lists the stores of one kind for terraform query.
type backupStoreList struct {
	backupStoreResource
}

var _ list.ListResourceWithConfigure = (*backupStoreList)(nil)

// ListResources returns the constructors of the list resources of all kinds of stores.
func ListResources() []func() list.ListResource {
	var all []func() list.ListResource
	for _, kind := range storeKinds {
		all = append(all, func() list.ListResource { return &backupStoreList{backupStoreResource{storeKind: kind}} })
	}
	return all
}

func (l *backupStoreList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	without := ""
	if len(l.secrets) > 0 {
		without = ", without their secrets"
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the backup stores " + l.description + ", sorted by ID" + without + ". " + listresources.Limit + "\n\n-> Requires the role `Global Backup Admin`.",
	}
}

func (l *backupStoreList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	summary := l.summary("List") + "s"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		listresources.Fail(stream, diags...)
		return
	}
	all, err := l.Client.ListBackupStores(ctx, l.api)
	if err != nil {
		listresources.Fail(stream, diagnostics.Failure(summary, err))
		return
	}
	var found []listresources.Object
	for _, live := range all.Results {
		if opsmanager.IsInvalidID(live.ID) || opsmanager.Sanitize(live.ID) != live.ID {
			continue // it can't be imported, or its ID is not safe to print
		}
		m := storeModel{"id": types.StringValue(live.ID)}
		found = append(found, listresources.Object{Name: live.ID, Identity: m.identity(), Resource: tfmodel.Values(l.fromAPI(m, live, secrets.ReadBack{}, returned{}))})
	}
	slices.SortFunc(found, func(a, b listresources.Object) int { return strings.Compare(a.Name, b.Name) })
	listresources.Stream(ctx, req, stream, found)
}
