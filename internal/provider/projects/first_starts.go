package projects

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// startOf names the start of a backup for its claims. An ID that is not known yet is empty.
func startOf(projectID, clusterID string) string {
	if projectID == "" || clusterID == "" {
		return "start of the backup of any cluster"
	}
	return strings.ToLower("start of the backup of cluster " + clusterID + " of project " + projectID)
}

// PlanStart records that a resource of the plan may start a backup. It returns an error if the plan deactivates a module that
// the backup needs, or nil.
func PlanStart(data *connection.Data, projectID, clusterID string) diag.Diagnostic {
	return startWithoutModule(data, projectID, clusterID, connection.Adopts)
}

// PlanEndOfModule records that a resource of the plan deactivates a module that the backup of a cluster needs. It returns an
// error if the plan may start that backup, or nil.
func PlanEndOfModule(data *connection.Data, projectID, clusterID string) diag.Diagnostic {
	return startWithoutModule(data, projectID, clusterID, connection.Ends)
}

func startWithoutModule(data *connection.Data, projectID, clusterID string, claim connection.Claim) diag.Diagnostic {
	if data.Claim(startOf(projectID, clusterID), claim) != connection.Ended {
		return nil
	}
	return diag.NewErrorDiagnostic(fmt.Sprintf("Backup of Cluster %s Would Be Started Without Its Module", clusterID),
		"This plan may start the backup of the cluster, and deactivates the backup module of one of its hosts, because of on_destroy. Such a backup gets no data. "+
			"Set on_destroy = \"keep\" on the opsmanager_backup_module, or make the two changes one after the other. If this error stops 'terraform destroy', run it with -refresh=false.")
}

// AddFirstStart records that this process has started a backup from INACTIVE, or waits for such a start
// of an earlier run. The cluster has no snapshot then, and Ops Manager has just created its schedule.
func AddFirstStart(data *connection.Data, projectID, clusterID string) {
	data.Claim(startOf(projectID, clusterID), connection.Applied)
}

// StartsHere reports whether this process plans to start a backup, or has started it from INACTIVE.
func StartsHere(data *connection.Data, projectID, clusterID string) bool {
	return data.HasClaim(startOf(projectID, clusterID), connection.Adopts|connection.Applied)
}

// MayStartHere is like StartsHere, and also counts a planned start whose IDs are not known yet.
func MayStartHere(data *connection.Data, projectID, clusterID string) bool {
	return data.HasClaim(startOf("", ""), connection.Adopts) || StartsHere(data, projectID, clusterID)
}

// HasFirstStart reports whether AddFirstStart has recorded a start.
func HasFirstStart(data *connection.Data, projectID, clusterID string) bool {
	return data.HasClaim(startOf(projectID, clusterID), connection.Applied)
}
