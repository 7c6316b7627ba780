// Package backups implements the resource and the data sources of backup configurations.
package backups

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupConfigAttributes are the attributes of a backup configuration, by itself and in a
// list.
var backupConfigAttributes = map[string]schema.Attribute{
	"status_name":         datasources.String("Current or desired status, such as `STARTED`, `STOPPED` or `INACTIVE`."),
	"storage_engine_name": datasources.String("Storage engine used for the backup, such as `WIRED_TIGER`."),
	"encryption_enabled":  datasources.Bool("Whether the backup is encrypted."),
	"ssl_enabled":         datasources.Bool("Whether connections to the source of the backup use TLS."),
	"excluded_namespaces": datasources.Strings("Databases (`database`) and collections (`database.collection`) that are left out of the backup."),
	"included_namespaces": datasources.Strings("Databases and collections that the backup contains. If the list is empty, it contains all that are not excluded."),
}

func backupConfigFromAPI(c opsmanager.BackupConfig) map[string]attr.Value {
	return map[string]attr.Value{
		"status_name":         types.StringPointerValue(c.StatusName),
		"storage_engine_name": types.StringPointerValue(c.StorageEngineName),
		"encryption_enabled":  types.BoolPointerValue(c.EncryptionEnabled),
		"ssl_enabled":         types.BoolPointerValue(c.SSLEnabled),
		"excluded_namespaces": tfmodel.StringsFromAPI(c.ExcludedNamespaces),
		"included_namespaces": tfmodel.StringsFromAPI(c.IncludedNamespaces),
	}
}

// sortedBackupConfigs returns configurations sorted by cluster ID, because their order is
// not documented and a different order would look like drift. Configurations without a
// cluster ID come last.
func sortedBackupConfigs(configs []opsmanager.BackupConfig) []opsmanager.BackupConfig {
	slices.SortStableFunc(configs, func(a, b opsmanager.BackupConfig) int {
		return tfmodel.CompareAbsentLast(a.ClusterID, b.ClusterID, cmp.Compare)
	})
	return configs
}
