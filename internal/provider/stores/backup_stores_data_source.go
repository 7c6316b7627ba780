package stores

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

// typedStore is a store and its kind.
type typedStore struct {
	opsmanager.BackupStore
	*storeKind
}

// NewBackupStoresDataSource returns the data source opsmanager_backup_stores.
var NewBackupStoresDataSource = datasources.List[typedStore]{
	Name: "backup_stores", Title: "Backup Stores",
	Description: "Reads the backup stores of every kind, for example to check their capacity.\n\n" +
		"-> Requires the role `Global Backup Admin`, because stores are shared by all projects.\n\n" +
		"Every page of the lists is read. Values that Ops Manager does not return are null. A store without an ID produces a warning.",
	Results: "The stores, sorted by `type` and `id`.",
	Items: datasources.NewObject(map[string]schema.Attribute{
		"id":                 datasources.String("ID of the store."),
		"type":               datasources.String("Type of the store, as in the name of its resource: `blockstore`, `file_system_store`, `oplog_store`, `s3_blockstore`, `s3_oplog_store` or `sync_store`."),
		"assignment_enabled": datasources.Bool("Whether backups can be assigned to the store."),
		"labels":             datasources.Strings("Labels of the store, sorted. Empty if Ops Manager returns none."),
		"load_factor":        datasources.Int64("Weight of the store when Ops Manager assigns backups."),
		"max_capacity_gb":    datasources.Int64("Capacity of the store in GB, as configured for an alert."),
		"used_size": schema.Float64Attribute{
			Computed: true, MarkdownDescription: "Used size. The documentation of Ops Manager says MB, but some versions return bytes. Null for a store that has not been used.",
		},
	}, func(s typedStore) map[string]attr.Value {
		return map[string]attr.Value{
			"id":                 types.StringPointerValue(tfmodel.NonEmpty(&s.ID)),
			"type":               types.StringValue(s.name),
			"assignment_enabled": types.BoolPointerValue(s.AssignmentEnabled),
			"labels":             labelsOf(s.BackupStore),
			"load_factor":        types.Int64PointerValue(s.LoadFactor),
			"max_capacity_gb":    types.Int64PointerValue(s.MaxCapacityGB),
			"used_size":          types.Float64PointerValue(s.UsedSize),
		}
	}),
	Read: listStores,
	Sort: func(all []typedStore) []typedStore {
		slices.SortStableFunc(all, func(a, b typedStore) int {
			byID := tfmodel.CompareAbsentLast(tfmodel.NonEmpty(&a.ID), tfmodel.NonEmpty(&b.ID), cmp.Compare)
			return cmp.Or(cmp.Compare(a.name, b.name), byID)
		})
		return all
	},
	Noun: "backup store", IDAttribute: "id",
	Identify: func(s typedStore) (id, label *string) { return &s.ID, &s.title },
}.Constructor()

// listStores lists the stores of every kind.
func listStores(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[typedStore], error) {
	all := new(opsmanager.List[typedStore])
	for _, kind := range storeKinds {
		found, err := client.ListBackupStores(ctx, kind.api)
		if err != nil {
			return nil, err
		}
		for _, store := range found.Results {
			all.Results = append(all.Results, typedStore{store, kind})
		}
	}
	return all, nil
}

// labelsOf returns the labels of a store, sorted.
func labelsOf(store opsmanager.BackupStore) types.List {
	texts := []string{}
	if store.Labels != nil {
		texts = append(texts, *store.Labels...)
	}
	slices.Sort(texts)
	return tfmodel.StringsFromAPI(texts)
}
