package backups

import (
	"context"

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
	Description: "Reads the backup configurations of a project.\n\n" +
		"There is one for each replica set that Ops Manager monitors, and for each sharded cluster one for the cluster, each shard and the config servers. A cluster whose backup was never started has the status `INACTIVE`.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"status_by_cluster_id": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Statuses of the backup configurations in `results`, by the ID of their cluster. " +
				"`terraform test` can mock this map, but not `results`.",
		},
	},
	Paged: true, Linked: true,
	Results: "The backup configurations, sorted by `cluster_id`.",
	Items: backupConfigColumns.And(
		datasources.String("project_id", "ID of the project.", func(c opsmanager.BackupConfig) *string { return c.GroupID }),
		datasources.ID("cluster_id", "ID of the cluster, shard or config servers. `opsmanager_snapshot_schedule` accepts only the IDs of whole clusters.", clusterOf),
		datasources.Links("Links to resources related to the configuration.", func(c opsmanager.BackupConfig) []opsmanager.Link { return c.Links }),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.BackupConfig], error) {
		return client.ListBackupConfigs(ctx, config.Text("project_id"), config.Page())
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
	Singular: "backup configuration", IDAttribute: "cluster_id",
	Identify: func(c opsmanager.BackupConfig) (id, label *string) { return c.ClusterID, c.StatusName },
}.Constructor()

func clusterOf(c opsmanager.BackupConfig) *string { return c.ClusterID }

// sortedBackupConfigs sorts by cluster ID, because the order is not documented, and another one would look like drift.
func sortedBackupConfigs(configs []opsmanager.BackupConfig) []opsmanager.BackupConfig {
	return tfmodel.Sorted(configs, tfmodel.By(clusterOf))
}
