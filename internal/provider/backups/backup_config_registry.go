package backups

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// backupRegistry has what the resources of one provider process plan for each backup.
type backupRegistry = connection.Registry[projects.ClusterIdentity, plannedBackup]

// plannedBackup is what the states and the plans of one process have of a backup.
type plannedBackup struct {
	onDestroy string // in a state that was read
	managed   bool   // a plan keeps or adopts it
	ended     bool   // a plan destroys a resource that ends it
}

// key returns the identity as Ops Manager writes it: a configuration may have IDs in capitals.
func (m backupConfigResourceModel) key() projects.ClusterIdentity {
	return projects.ClusterIdentity{
		ProjectID: types.StringValue(strings.ToLower(m.ProjectID.ValueString())),
		ClusterID: types.StringValue(strings.ToLower(m.ClusterID.ValueString())),
	}
}
