package backups

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type backupConfigDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*backupConfigDataSource)(nil)

// NewBackupConfigDataSource returns the data source opsmanager_backup_config.
func NewBackupConfigDataSource() datasource.DataSource { return &backupConfigDataSource{} }

func (d *backupConfigDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_backup_config"
}

func (d *backupConfigDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := backupConfigAttributes()
	attributes["project_id"] = projects.IDAttribute()
	attributes["cluster_id"] = projects.ClusterIDAttribute("Id of the cluster, of the shard or of the config servers")
	attributes["auth_mechanism_name"] = tfmodel.ComputedString("How the backup authenticates to the source, such as `NONE` or `MONGODB_CR`.")
	attributes["preferred_member"] = tfmodel.ComputedString("Member of the replica set that snapshots are rather taken of, as `host:port`. Null where none was chosen.")
	attributes["provisioned"] = tfmodel.ComputedBool("Whether storage was set aside for the backup. Ops Manager says so only of large amounts of data; null otherwise.")
	attributes["multi_region_backup_enabled"] = tfmodel.ComputedBool("Whether the backup is kept in deployment regions.")
	attributes["multi_region_misconfigured"] = tfmodel.ComputedBool("Whether a shard has no deployment region: then no snapshots are taken.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one backup configuration, and changes nothing.\n\n" +
			"What the service leaves out is null, and undocumented values are shown as they are.",
		Attributes: attributes,
	}
}

func (d *backupConfigDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to Read Backup Configuration"
	var data backupConfigModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	shown, err := d.Client.BackupConfig(ctx, data.ProjectID.ValueString(), data.ClusterID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes))
		return
	}
	data.fromAPI(*shown)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
