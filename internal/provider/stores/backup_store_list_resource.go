package stores

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
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
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the stores of Ops Manager of this kind, sorted by ID, without their secrets. " + tfmodel.ListLimit,
	}
}

func (l *backupStoreList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	summary := l.summary("List") + "s"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	all, err := l.Client.ListBackupStores(ctx, l.api)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{diagnostics.Failure(summary, err)})
		return
	}
	found := slices.DeleteFunc(all.Results, func(s opsmanager.BackupStore) bool {
		// Such a store can't be imported, or its ID is not safe to print.
		return opsmanager.IsInvalidID(s.ID) || opsmanager.Sanitize(s.ID) != s.ID
	})
	slices.SortFunc(found, func(a, b opsmanager.BackupStore) int { return strings.Compare(a.ID, b.ID) })
	if req.Limit > 0 {
		found = found[:min(int64(len(found)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, live := range found {
			result := req.NewListResult(ctx)
			result.DisplayName = live.ID
			m := storeModel{"id": types.StringValue(live.ID)}
			result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, m.identity())...)
			if req.IncludeResource {
				result.Diagnostics.Append(l.include(ctx, m, live, result)...)
			}
			if !push(result) {
				return
			}
		}
	}
}

// include writes the attributes of a listed store, without its secrets.
func (l *backupStoreList) include(ctx context.Context, m storeModel, live opsmanager.BackupStore, result list.ListResult) diag.Diagnostics {
	for name, attribute := range result.Resource.Schema.GetAttributes() {
		if name == "id" {
			continue
		}
		value, err := attribute.GetType().ValueFromTerraform(ctx, tftypes.NewValue(attribute.GetType().TerraformType(ctx), nil))
		if err != nil {
			return diag.Diagnostics{diag.NewErrorDiagnostic(l.summary("List")+"s", diagnostics.Sentence(err))}
		}
		m[name] = value
	}
	return tfmodel.WriteValues(ctx, result.Resource, l.fromAPI(m, live, secrets.ReadBack{}))
}
