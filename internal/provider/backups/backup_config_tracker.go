package backups

import (
	"strings"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// backupTracker holds what the resources of one provider process plan for each backup.
var backupTracker connection.Shared[connection.Tracker[string, plannedBackup]]

// plannedBackup holds what the states and the plans of one process do with a backup.
type plannedBackup struct {
	ends    bool // the destroy of a resource in the state would end it
	managed bool // a plan keeps or adopts it
	ended   bool // a plan destroys a resource that ends it
}

func (r *backupConfigResource) tracker() *connection.Tracker[string, plannedBackup] {
	return backupTracker.Of(r.Data)
}

// key identifies a backup. An unknown ID is empty. A configuration may have IDs in upper case.
func (m backupConfigModel) key() string {
	return strings.ToLower(m.ProjectID.ValueString() + "/" + m.ClusterID.ValueString())
}
