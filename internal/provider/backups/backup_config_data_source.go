package backups

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// fieldTexts say what each field of a backup configuration is, in the resource and in the data sources.
var fieldTexts = map[string]string{
	"status_name":                 "Status of the backup: `INACTIVE` (never started, or terminated), `PROVISIONING` (being started), `STARTED`, `STOPPED` (no new snapshots), or `TERMINATING` (deletes its snapshots).",
	"storage_engine_name":         "Storage engine of the backup: `WIRED_TIGER` or `MEMORY_MAPPED`.",
	"ssl_enabled":                 "Whether the backup connects to the cluster over TLS.",
	"auth_mechanism_name":         "How the backup authenticates to the cluster: `NONE`, `MONGODB_CR` (also for SCRAM), `GSSAPI` (Kerberos), `PLAIN` (LDAP) or `MONGODB_X509` (certificates).",
	"encryption_enabled":          "Whether head databases are encrypted. Newer versions of MongoDB have no head databases.",
	"preferred_member":            "Member that Ops Manager prefers for snapshots, as `host:port`.",
	"excluded_namespaces":         "Databases (`database`) and collections (`database.collection`) to leave out.",
	"included_namespaces":         "Databases and collections to back up. If null or empty, all that are not excluded: Ops Manager may return only one of the two lists.",
	"multi_region_backup_enabled": "Whether the backup is stored in deployment regions.",
	"multi_region_misconfigured":  "Whether a shard has no deployment region, so that Ops Manager takes no snapshots.",
	"provisioned":                 "Whether storage is provisioned for the backup. Returned only for large amounts of data.",
}

// columnsOf returns the attributes of some fields.
func columnsOf(attributes ...string) sources.Columns[opsmanager.BackupConfig] {
	fields := slices.DeleteFunc(slices.Clone(returnedFields), func(f tf.Field[backup]) bool {
		return !slices.Contains(attributes, f.Attribute)
	})
	return sources.Of(sources.Fields(fields, fieldTexts), settingsOf)
}

// backupConfigColumns are the attributes of a backup configuration that a list has, too.
var backupConfigColumns = columnsOf("storage_engine_name", "encryption_enabled", "ssl_enabled").And(
	sources.String("status_name", fieldTexts["status_name"], func(c opsmanager.BackupConfig) *string {
		return c.StatusName
	}),
	sources.Strings("excluded_namespaces", fieldTexts["excluded_namespaces"], func(c opsmanager.BackupConfig) []string {
		return c.ExcludedNamespaces
	}),
	sources.Strings("included_namespaces", fieldTexts["included_namespaces"], func(c opsmanager.BackupConfig) []string {
		return c.IncludedNamespaces
	}),
)

// oneBackupConfig are the attributes of the backup configuration of one cluster.
var oneBackupConfig = sources.Of(slices.Concat(
	backupConfigColumns,
	columnsOf("auth_mechanism_name", multiRegionEnabled, provisioned, multiRegionMisconfigured),
	sources.Columns[opsmanager.BackupConfig]{
		sources.String("preferred_member", fieldTexts["preferred_member"]+" Null if none is set.", func(c opsmanager.BackupConfig) *string {
			return c.PreferredMember
		}),
	},
), func(c opsmanager.BackupConfigWithMembers) opsmanager.BackupConfig { return c.BackupConfig }).And(
	sources.Strings("available_members", "Replica set members that `preferred_member` can be set to, each as `host:port`. Null if Ops Manager doesn't return them.", func(c opsmanager.BackupConfigWithMembers) []string { return c.AvailableMembers }),
)

// NewBackupConfigDataSource returns the data source opsmanager_backup_config.
var NewBackupConfigDataSource = sources.DataSource{
	Name:    "backup_config",
	Summary: "Unable to Read Backup Configuration",
	Codes:   []tf.Codes{projects.Codes, projects.ClusterCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the backup configuration of one cluster.\n\n`opsmanager_clusters` says whether another product backs it up.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: sources.Merge(oneBackupConfig.Attributes(), map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("ID of the cluster, shard or config servers"),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config, _ *diag.Diagnostics) (map[string]attr.Value, error) {
		project := config.Text("project_id")
		cluster := config.Text("cluster_id")
		c, err := client.BackupConfig(ctx, project, cluster)
		if err != nil {
			return nil, err
		}
		read := opsmanager.BackupConfigWithMembers{BackupConfig: *c}
		if c, err := client.BackupConfigWithMembers(ctx, project, cluster); err == nil {
			read.AvailableMembers = c.AvailableMembers
		} else if !opsmanager.MayBeMissing(err, opsmanager.ObjectMembers) {
			return nil, err
		}
		return oneBackupConfig.Values(read), nil
	},
}.Constructor()

// NewBackupConfigsDataSource returns the data source opsmanager_backup_configs.
var NewBackupConfigsDataSource = sources.List[opsmanager.BackupConfig]{
	Name:  "backup_configs",
	Title: "Backup Configurations",
	Codes: []tf.Codes{projects.Codes},
	Description: "Reads the backup configurations of a project.\n\n" +
		"There is one for each replica set that Ops Manager monitors, and for each sharded cluster one for the cluster, each shard and the config servers. A cluster whose backup was never started has the status `INACTIVE`. `opsmanager_clusters` says which ones another product backs up.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"status_by_cluster_id": schema.MapAttribute{
			Computed:    true,
			ElementType: types.StringType,
			MarkdownDescription: "Statuses of the backup configurations in `results`, by the ID of their cluster. " +
				"`terraform test` can mock this map, but not `results`.",
		},
	},
	Paged:   true,
	Linked:  true,
	Results: "The backup configurations, sorted by `cluster_id`.",
	Items: backupConfigColumns.And(
		sources.String("project_id", "ID of the project.", func(c opsmanager.BackupConfig) *string { return c.GroupID }),
		sources.ID("cluster_id", "ID of the cluster, shard or config servers. `opsmanager_snapshot_schedule` accepts only the IDs of whole clusters.", clusterOf),
		sources.Links("Links to resources related to the configuration.", func(c opsmanager.BackupConfig) []opsmanager.Link { return c.Links }),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.List[opsmanager.BackupConfig], error) {
		return client.ListBackupConfigs(ctx, config.Text("project_id"), config.Page())
	},
	Sort: sortedBackupConfigs,
	Values: func(_ sources.Config, configs []opsmanager.BackupConfig) map[string]attr.Value {
		statuses := map[string]attr.Value{}
		for _, c := range configs {
			if id := tf.NonEmpty(c.ClusterID); id != nil {
				statuses[*id] = types.StringPointerValue(c.StatusName)
			}
		}
		return map[string]attr.Value{"status_by_cluster_id": types.MapValueMust(types.StringType, statuses)}
	},
	Singular:    "backup configuration",
	IDAttribute: "cluster_id",
	Identify:    func(c opsmanager.BackupConfig) (id, label *string) { return c.ClusterID, c.StatusName },
}.Constructor()

func clusterOf(c opsmanager.BackupConfig) *string { return c.ClusterID }

// sortedBackupConfigs sorts by cluster ID, because the order is not documented, and another one would look like drift.
func sortedBackupConfigs(configs []opsmanager.BackupConfig) []opsmanager.BackupConfig {
	return tf.Sorted(configs, tf.By(clusterOf))
}
