package backups

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupConfigList returns the list resource opsmanager_backup_config.
var NewBackupConfigList = listresources.List[projects.Backup]{
	Name: "backup_config", Title: "Backup Configurations", Codes: []diagnostics.Codes{projects.Codes},
	Description: "Lists the backup configurations of a project: those of its replica sets and whole sharded clusters, sorted by cluster name.",
	Requires:    "the role `Project Read Only`",
	Attributes:  map[string]schema.Attribute{"project_id": listresources.ID("ID of the project")},
	Read:        projects.ListBackups,
	Object: func(_ context.Context, q listresources.Query, b projects.Backup) (*listresources.Object, diag.Diagnostic) {
		m := adoptedBackupConfig(*b.Config)
		m.ClusterIdentity = projects.ClusterIdentityOf(q.ID("project_id"), *b.Cluster.ID)
		return &listresources.Object{Name: *b.Cluster.NameOrID(), Identity: tfmodel.ValuesOf(m.ClusterIdentity), Resource: tfmodel.ValuesOf(m)}, nil
	},
}.Constructor()
