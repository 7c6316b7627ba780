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

// NewBackupConfigDataSource returns the data source opsmanager_backup_config.
var NewBackupConfigDataSource = datasources.DataSource{
	Name: "backup_config", Summary: "Unable to Read Backup Configuration", Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the backup configuration of one cluster.\n\n" +
			"-> Requires the role `Project Read Only`.\n\n" +
			"Values that Ops Manager does not return are null. Undocumented values are exported as they are.",
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
