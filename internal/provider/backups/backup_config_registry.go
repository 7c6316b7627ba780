package backups

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// backupRegistry holds what the resources of one provider process plan for each backup.
var backupRegistry connection.Shared[connection.Registry[projects.ClusterIdentity, plannedBackup]]

// plannedBackup holds what the states and the plans of one process do with a backup.
type plannedBackup struct {
	onDestroy string // of a state that was read
	managed   bool   // a plan keeps or adopts it
	ended     bool   // a plan destroys a resource that ends it
}

// key returns the identity with IDs in lower case, as Ops Manager returns them. A configuration may
// have IDs in upper case. An unknown ID is empty.
func (m backupConfigModel) key() projects.ClusterIdentity {
	return projects.ClusterIdentity{
		ProjectID: types.StringValue(strings.ToLower(m.ProjectID.ValueString())),
		ClusterID: types.StringValue(strings.ToLower(m.ClusterID.ValueString())),
	}
}

// possibleKeys returns the key of a backup in the state, and the keys of plans with an unknown ID
// that may turn out to be this backup.
func (m backupConfigModel) possibleKeys() []projects.ClusterIdentity {
	own, unknown := m.key(), types.StringValue("")
	return []projects.ClusterIdentity{
		own,
		{ProjectID: own.ProjectID, ClusterID: unknown},
		{ProjectID: unknown, ClusterID: own.ClusterID},
		{ProjectID: unknown, ClusterID: unknown},
	}
}
