package projects

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// startOf names the start of a backup for its claims. An ID that is not known yet is empty.
func startOf(projectID, clusterID string) string {
	cluster := "cluster " + clusterID
	if projectID == "" || clusterID == "" {
		cluster = "any cluster"
	}
	return strings.ToLower("start of the backup of " + cluster + " of project " + projectID)
}

// moduleOfUnknown names, for its claims, a module of a project of which it is not known yet which clusters need it.
func moduleOfUnknown(projectID string) string {
	return strings.ToLower("backup module of unknown clusters of project " + projectID)
}

// PlanStart records that a resource of the run may start a backup. It returns an error if the run deactivates a module that
// the backup needs, or may need, or nil. An ID that is not known yet is empty.
func PlanStart(data *connection.Data, projectID, clusterID string) diag.Diagnostic {
	return startWithoutModule(data, connection.Adopts, projectID, clusterID, moduleOfUnknown(projectID))
}

// PlanEndOfModule records that a resource of the run deactivates a module that the backup of a cluster needs. It returns an
// error if the run starts that backup, or may start it, or nil. The ID of a cluster that is not known yet is empty.
func PlanEndOfModule(data *connection.Data, projectID, clusterID string) diag.Diagnostic {
	perhaps := []string{startOf(projectID, ""), startOf("", "")}
	if clusterID == "" {
		perhaps = append(perhaps, moduleOfUnknown(projectID))
	}
	return startWithoutModule(data, connection.Ends, projectID, clusterID, perhaps...)
}

// startWithoutModule adds a claim to the start of a backup, and to what may be the same because an ID is not known yet.
func startWithoutModule(
	data *connection.Data, claim connection.Claim, projectID, clusterID string, perhaps ...string,
) diag.Diagnostic {
	isSame := data.Claim(startOf(projectID, clusterID), claim) == connection.Ended
	isPerhapsSame := isSame
	for _, object := range perhaps {
		isPerhapsSame = data.Claim(object, claim) == connection.Ended || isPerhapsSame
	}
	const effect = "deactivates the backup module of one of its hosts, because of on_destroy. Such a backup gets no data. "
	const advice = "Set on_destroy = \"keep\" on the opsmanager_backup_module and apply that first, or make the two changes one after the other. " +
		"If this error stops 'terraform destroy', run it with -refresh=false."
	switch {
	case isSame && projectID != "" && clusterID != "":
		return diag.NewErrorDiagnostic(fmt.Sprintf("Backup of Cluster %s Would Be Started Without Its Module", clusterID),
			"This run may start the backup of the cluster, and "+effect+advice)
	case isPerhapsSame:
		return diag.NewErrorDiagnostic("Backup May Be Started Without Its Module",
			"This run may start a backup, and perhaps "+effect+"Which cluster that is, or which clusters the hosts belong to, is not known yet. "+
				"Use IDs and provider settings that are known when you plan. "+advice)
	}
	return nil
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
	isAnyStarted := data.HasClaim(startOf(projectID, ""), connection.Adopts) || data.HasClaim(startOf("", ""), connection.Adopts)
	return isAnyStarted || StartsHere(data, projectID, clusterID)
}

// HasFirstStart reports whether AddFirstStart has recorded a start.
func HasFirstStart(data *connection.Data, projectID, clusterID string) bool {
	return data.HasClaim(startOf(projectID, clusterID), connection.Applied)
}
