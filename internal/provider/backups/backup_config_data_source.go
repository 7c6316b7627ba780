package backups

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
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

// backupConfigFromAPI returns the values of backupConfigAttributes.
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

// NewBackupConfigDataSource returns the data source opsmanager_backup_config.
var NewBackupConfigDataSource = datasources.DataSource{
	Name: "backup_config", Summary: "Unable to Read Backup Configuration", Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the backup configuration of one cluster.\n\n" +
			"-> Requires the role `Project Read Only`.\n\n" +
			"Values that Ops Manager does not return are null. Undocumented values are passed through unchanged.",
		Attributes: datasources.Merge(backupConfigAttributes, map[string]schema.Attribute{
			"project_id":                  projects.IDAttribute(),
			"cluster_id":                  projects.ClusterIDAttribute("ID of the cluster, shard or config servers"),
			"auth_mechanism_name":         datasources.String("Authentication mechanism for connections to the source of the backup, such as `NONE` or `MONGODB_CR`."),
			"preferred_member":            datasources.String("Replica set member that snapshots are preferably taken from, as `host:port`. Null if none is set."),
			"available_members":           datasources.Strings("Replica set members that `preferred_member` can be set to, each as `host:port`. Null if Ops Manager doesn't return them."),
			"provisioned":                 datasources.Bool("Whether storage is reserved for the backup. Null unless the cluster has a large amount of data."),
			"multi_region_backup_enabled": datasources.Bool("Whether the backup is stored in deployment regions."),
			"multi_region_misconfigured":  datasources.Bool("Whether a shard has no deployment region. If so, Ops Manager takes no snapshots."),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config, _ *diag.Diagnostics) (map[string]attr.Value, error) {
		project, cluster := config.String("project_id").ValueString(), config.String("cluster_id").ValueString()
		c, err := client.BackupConfig(ctx, project, cluster)
		if err != nil {
			return nil, err
		}
		members, err := client.AvailableMembers(ctx, project, cluster)
		if err != nil && !hasNoMembers(err) {
			return nil, err
		}
		values := backupConfigFromAPI(*c)
		values["auth_mechanism_name"] = types.StringPointerValue(c.AuthMechanismName)
		values["preferred_member"] = types.StringPointerValue(c.PreferredMember)
		values["available_members"] = tfmodel.StringsFromAPI(members)
		values["provisioned"] = types.BoolPointerValue(c.Provisioned)
		values["multi_region_backup_enabled"] = types.BoolPointerValue(c.MultiRegionBackupEnabled)
		values["multi_region_misconfigured"] = types.BoolPointerValue(c.MultiRegionMisconfigured)
		return values, nil
	},
}.Constructor()

// hasNoMembers reports whether Ops Manager returns no available members for a backup
// configuration that it has just returned. Only the successful response is documented.
func hasNoMembers(err error) bool {
	var e *opsmanager.Error
	return errors.As(err, &e) && slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict, http.StatusNotImplemented}, e.Status)
}
