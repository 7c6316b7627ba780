package backups

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// backupConfigList lists the backup configurations of a project that can be managed,
// for terraform query.
type backupConfigList struct{ backupConfigResource }

var _ list.ListResourceWithConfigure = (*backupConfigList)(nil)

// NewBackupConfigList returns the list resource opsmanager_backup_config.
func NewBackupConfigList() list.ListResource { return &backupConfigList{} }

func (l *backupConfigList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = projects.QuerySchema("Lists the backup configurations of a project: those of its replica sets and whole sharded clusters, sorted by cluster name.")
}

func (l *backupConfigList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	projectID, backups, diags := projects.QueryBackups(ctx, l.Data, req, "Unable to List Backup Configurations")
	if diags.HasError() {
		listresources.Fail(stream, diags...)
		return
	}
	var found []listresources.Object
	for _, backup := range backups {
		item := importedBackupConfig(ctx, projectID, *backup.Cluster.ID)
		item.fromAPI(*backup.Config, nil)
		found = append(found, listresources.Object{Name: *backup.Cluster.NameOrID(), Identity: item.identity(), Resource: item})
	}
	listresources.Stream(ctx, req, stream, found)
}

// importedBackupConfig returns the model of a backup configuration before its first read,
// with nothing configured.
func importedBackupConfig(ctx context.Context, projectID, clusterID string) backupConfigResourceModel {
	return backupConfigResourceModel{
		ProjectID: types.StringValue(projectID), ClusterID: types.StringValue(clusterID),
		SnapshotStore:     types.ObjectNull(snapshotStoreAttributes),
		DeploymentConfigs: types.SetNull(types.ObjectType{AttrTypes: deploymentConfigAttributes}),
		Timeouts:          attributes.NullTimeouts(timeoutsAttribute(ctx)),
	}
}
