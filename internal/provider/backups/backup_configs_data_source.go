package backups

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type backupConfigsDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*backupConfigsDataSource)(nil)

// NewBackupConfigsDataSource returns the data source opsmanager_backup_configs.
func NewBackupConfigsDataSource() datasource.DataSource { return &backupConfigsDataSource{} }

func (d *backupConfigsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_backup_configs"
}

func (d *backupConfigsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	results := backupConfigAttributes()
	results["group_id"] = tfmodel.ComputedString("Id of the project (group) that owns the configuration.")
	results["cluster_id"] = tfmodel.ComputedString("Id of the cluster, of the shard or of the config servers. Only a whole cluster's can be given to `opsmanager_snapshot_schedule`.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the backup configurations of a project, and changes nothing: one for each replica set that Ops Manager monitors; " +
			"of a sharded cluster one for the whole, and one for each of its shards and its config servers.\n\n" +
			"A cluster that backup was never started for is listed too, as `INACTIVE`. What the service leaves out is null, and undocumented values are shown as they are.",
		Attributes: map[string]schema.Attribute{
			"project_id":     projects.IDAttribute(),
			"page_num":       tfmodel.PageNumAttribute(),
			"items_per_page": tfmodel.ItemsPerPageAttribute(),
			"results":        tfmodel.ComputedObjects("The backup configurations, sorted by `cluster_id`.", backupConfigType, results),
			"total_count":    tfmodel.TotalCountAttribute(),
			"links":          tfmodel.LinksAttribute("the page, or of the first one where every page was read,"),
		},
	}
}

// backupConfigAttributes are what is shown of a configuration, by itself and in
// a list.
func backupConfigAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"status_name":         tfmodel.ComputedString("Current or desired status, such as `STARTED`, `STOPPED` or `INACTIVE`."),
		"storage_engine_name": tfmodel.ComputedString("Storage engine used for the backup, such as `WIRED_TIGER`."),
		"encryption_enabled":  tfmodel.ComputedBool("Whether the backup is encrypted."),
		"ssl_enabled":         tfmodel.ComputedBool("Whether the source of the backup is read over TLS."),
		"excluded_namespaces": tfmodel.ComputedStrings("Databases (`database`) and collections (`database.collection`) that are left out of the backup."),
		"included_namespaces": tfmodel.ComputedStrings("Databases and collections that alone are in the backup; empty for all."),
		"links":               tfmodel.LinksAttribute("the configuration"),
	}
}

func (d *backupConfigsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Backup Configurations"
	var data backupConfigsModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	list, err := d.Client.ListBackupConfigs(ctx, data.ProjectID.ValueString(), tfmodel.Page(data.PageNum, data.ItemsPerPage))
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes))
		return
	}
	diagnostics.WarnWithoutID(&resp.Diagnostics, list.Results, "Backup Configurations Without an ID in Project "+data.ProjectID.ValueString(), "backup configuration", "cluster_id",
		func(c opsmanager.BackupConfig) (id, label *string) { return c.ClusterID, c.StatusName })
	data.Results = backupConfigsFromAPI(list.Results)
	data.TotalCount = types.Int64PointerValue(list.TotalCount)
	data.Links = tfmodel.LinksFromAPI(list.Links)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
