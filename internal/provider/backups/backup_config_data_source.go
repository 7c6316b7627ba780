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

// fieldTexts say what each field of a backup configuration is, in the resource and in the data sources.
var fieldTexts = map[string]string{
	"status_name":                 "Status of the backup: `INACTIVE` (never started, or terminated), `PROVISIONING` (being started), `STARTED`, `STOPPED` (takes no snapshots) or `TERMINATING` (its snapshots are being deleted). Ops Manager may return others.",
	"storage_engine_name":         "Storage engine of the backup: `WIRED_TIGER` or `MEMORY_MAPPED`.",
	"ssl_enabled":                 "Whether the backup connects to the cluster over TLS.",
	"auth_mechanism_name":         "How the backup authenticates to the cluster: `NONE`, `MONGODB_CR` (also for SCRAM), `GSSAPI` (Kerberos), `PLAIN` (LDAP) or `MONGODB_X509` (certificates).",
	"encryption_enabled":          "Whether head databases are encrypted. Newer versions of MongoDB have no head databases.",
	"preferred_member":            "Member that Ops Manager prefers for snapshots, as `host:port`.",
	"excluded_namespaces":         "Databases (`database`) and collections (`database.collection`) that are left out of the backup.",
	"included_namespaces":         "Databases and collections that are backed up. If empty, all that are not excluded.",
	"multi_region_backup_enabled": "Whether the backup is stored in deployment regions.",
	"multi_region_misconfigured":  "Whether a shard has no deployment region. If so, Ops Manager takes no snapshots.",
	"provisioned":                 "Whether storage is provisioned for the backup. Ops Manager returns it only for large amounts of data. Null otherwise.",
}

// backupConfigAttributes are the attributes of a backup configuration, by itself and in a
// list.
var backupConfigAttributes = map[string]schema.Attribute{
	"status_name":         datasources.String(fieldTexts["status_name"]),
	"storage_engine_name": datasources.String(fieldTexts["storage_engine_name"]),
	"encryption_enabled":  datasources.Bool(fieldTexts["encryption_enabled"]),
	"ssl_enabled":         datasources.Bool(fieldTexts["ssl_enabled"]),
	"excluded_namespaces": datasources.Strings(fieldTexts["excluded_namespaces"]),
	"included_namespaces": datasources.Strings(fieldTexts["included_namespaces"]),
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
			"auth_mechanism_name":         datasources.String(fieldTexts["auth_mechanism_name"]),
			"preferred_member":            datasources.String(fieldTexts["preferred_member"] + " Null if none is set."),
			"available_members":           datasources.Strings("Replica set members that `preferred_member` can be set to, each as `host:port`. Null if Ops Manager doesn't return them."),
			"provisioned":                 datasources.Bool(fieldTexts["provisioned"]),
			"multi_region_backup_enabled": datasources.Bool(fieldTexts["multi_region_backup_enabled"]),
			"multi_region_misconfigured":  datasources.Bool(fieldTexts["multi_region_misconfigured"]),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config, _ *diag.Diagnostics) (map[string]attr.Value, error) {
		project, cluster := config.String("project_id").ValueString(), config.String("cluster_id").ValueString()
		c, err := client.BackupConfig(ctx, project, cluster)
		if err != nil {
			return nil, err
		}
		var members []string
		if c, err := client.BackupConfigWithMembers(ctx, project, cluster); err == nil {
			members = c.AvailableMembers
		} else if !hasNoMembers(err) {
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
