package infrastructure

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// typedStore is a store and its kind.
type typedStore struct {
	backupStore
	*storeKind
}

// NewBackupStoresDataSource returns the data source opsmanager_backup_stores.
var NewBackupStoresDataSource = sources.List[typedStore]{
	Name:  "backup_stores",
	Title: "Backup Stores",
	Description: "Reads the backup stores of every kind, with their labels and, as far as Ops Manager returns it, their used size.\n\n" +
		"-> Requires the role `Global Backup Admin`.",
	Results: "The stores, sorted by `type` and `id`.",
	Items: sources.Columns[typedStore]{
		sources.ID("id", "ID of the store.", idOf),
		sources.String("type", "Type of the store, as in the name of its resource, such as `s3_blockstore`. Filters of a job configuration spell it as the API does, such as `s3blockstore`.", nameOf),
		sources.Bool("assignment_enabled", "Whether backups can be assigned to the store.", func(s typedStore) *bool { return s.AssignmentEnabled }),
		sources.Strings("labels", "Labels of the store, sorted.", labelsOf),
		sources.Int64("load_factor", "Weight of the store when Ops Manager assigns backups.", func(s typedStore) *int64 { return s.LoadFactor }),
		sources.Int64("max_capacity_gb", "Capacity in GB, for an alert.", func(s typedStore) *int64 { return s.MaxCapacityGB }),
		sources.NewColumn("used_size", schema.Float64Attribute{
			Computed: true, MarkdownDescription: "Used size, documented in MB, but some versions return bytes. Null if Ops Manager does not return it, such as for an unused store. It grows, so an output of it changes with each plan.",
		}, func(s typedStore) attr.Value { return types.Float64PointerValue(s.UsedSize) }),
	},
	Read:        listStores,
	Sort:        func(all []typedStore) []typedStore { return tf.Sorted(all, tf.By(nameOf), tf.By(idOf)) },
	Singular:    "backup store",
	IDAttribute: "id",
	Identify:    func(s typedStore) (id, label *string) { return &s.ID, &s.title },
}.Constructor()

// listStores lists the stores of every kind.
func listStores(ctx context.Context, client *opsmanager.Client, _ sources.Config) (*opsmanager.List[typedStore], error) {
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

func idOf(s typedStore) *string { return tf.NonEmpty(&s.ID) }

func nameOf(s typedStore) *string { return &s.name }

// labelsOf returns the labels of a store, sorted.
func labelsOf(s typedStore) []string {
	texts := []string{}
	if s.Labels != nil {
		texts = append(texts, *s.Labels...)
	}
	slices.Sort(texts)
	return texts
}
