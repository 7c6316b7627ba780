package stores

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ListResources returns the constructors of the list resources of all kinds of stores.
func ListResources() []func() list.ListResource {
	var all []func() list.ListResource
	for _, kind := range storeKinds {
		all = append(all, kind.list().Constructor())
	}
	return all
}

// list describes the list resource of the stores of one kind.
func (k *storeKind) list() listresources.List[opsmanager.BackupStore] {
	without := ""
	if len(k.secrets) > 0 {
		without = ", without their secrets"
	}
	return listresources.List[opsmanager.BackupStore]{
		Name: k.name, Title: k.title + "s",
		Description: "Lists the backup stores " + k.purpose + ", sorted by ID" + without + ".",
		Requires:    "the role `Global Backup Admin`",
		Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.BackupStore], error) {
			return q.Client.ListBackupStores(ctx, k.api)
		},
		Sort: func(all []opsmanager.BackupStore) []opsmanager.BackupStore {
			return tfmodel.Sorted(all, tfmodel.By(func(s opsmanager.BackupStore) *string { return &s.ID }))
		},
		Object: func(_ context.Context, _ listresources.Query, live opsmanager.BackupStore) (*listresources.Object, diag.Diagnostic) {
			return k.resource().Listed(*withoutMasks(&live), live.ID), nil
		},
	}
}
