package backups

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupConfigsDataSource returns the data source opsmanager_backup_configs.
var NewBackupConfigsDataSource = datasources.List[opsmanager.BackupConfig]{
	Name: "backup_configs", Title: "Backup Configurations", Codes: []diagnostics.Codes{projects.Codes},
	Description: "Reads the backup configurations of a project: one for each replica set that Ops Manager monitors, and for each sharded cluster one for the cluster, each shard and the config servers.\n\n" +
		"A cluster whose backup was never started has the status `INACTIVE`.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Values that Ops Manager does not return are null. Undocumented values are passed through unchanged. " +
		"A configuration without a cluster ID produces a warning.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"status_by_cluster_id": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Statuses of the backup configurations in `results`, by the ID of their cluster. A status that Ops Manager does not return is null. A configuration without a cluster ID is left out. " +
				"`terraform test` can mock this map, but not a list of objects such as `results`.",
		},
		"links": datasources.Links("Links of the page, or of the first page if every page is read."),
	},
	Paged:   true,
	Results: "The backup configurations, sorted by `cluster_id`.",
	Items: datasources.NewObject(datasources.Merge(backupConfigAttributes, map[string]schema.Attribute{
		"group_id":   datasources.String("ID of the project."),
		"cluster_id": datasources.String("ID of the cluster, shard or config servers. `opsmanager_snapshot_schedule` accepts only the IDs of whole clusters."),
		"links":      datasources.Links("Links to resources related to the configuration."),
	}), func(c opsmanager.BackupConfig) map[string]attr.Value {
		values := backupConfigFromAPI(c)
		values["group_id"] = types.StringPointerValue(c.GroupID)
		values["cluster_id"] = types.StringPointerValue(tfmodel.NonEmpty(c.ClusterID))
		values["links"] = datasources.LinksFromAPI(c.Links)
		return values
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.BackupConfig], error) {
		return client.ListBackupConfigs(ctx, config.String("project_id").ValueString(), config.Page())
	},
	Sort: sortedBackupConfigs,
	Values: func(_ datasources.Config, configs []opsmanager.BackupConfig) map[string]attr.Value {
		statuses := map[string]attr.Value{}
		for _, c := range configs {
			if id := tfmodel.NonEmpty(c.ClusterID); id != nil {
				statuses[*id] = types.StringPointerValue(c.StatusName)
			}
		}
		return map[string]attr.Value{"status_by_cluster_id": types.MapValueMust(types.StringType, statuses)}
	},
	Noun: "backup configuration", IDAttribute: "cluster_id",
	Identify: func(c opsmanager.BackupConfig) (id, label *string) { return c.ClusterID, c.StatusName },
}.Constructor()

// sortedBackupConfigs returns configurations sorted by cluster ID, because their order is
// not documented and a different order would look like drift. Configurations without a
// cluster ID come last.
func sortedBackupConfigs(configs []opsmanager.BackupConfig) []opsmanager.BackupConfig {
	slices.SortStableFunc(configs, func(a, b opsmanager.BackupConfig) int {
		return tfmodel.CompareAbsentLast(a.ClusterID, b.ClusterID, cmp.Compare)
	})
	return configs
}
