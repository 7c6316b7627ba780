package projects

import (
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// firstStarts holds the clusters whose backup this provider process plans to start, and those whose
// backup it has started from INACTIVE.
type firstStarts struct{ planned, done sync.Map }

// anyCluster is the key of a planned start whose IDs are not known yet.
const anyCluster = "/"

// PlanStart records that a resource of the plan may start a backup. An ID that is not known yet is
// empty.
func PlanStart(data *connection.Data, projectID, clusterID string) {
	key := clusterKey(projectID, clusterID)
	if projectID == "" || clusterID == "" {
		key = anyCluster
	}
	connection.Shared[firstStarts](data).planned.Store(key, true)
}

// AddFirstStart records that this process has started a backup from INACTIVE. The cluster has no
// snapshot then, and Ops Manager has just created its schedule.
func AddFirstStart(data *connection.Data, projectID, clusterID string) {
	connection.Shared[firstStarts](data).done.Store(clusterKey(projectID, clusterID), true)
}

// StartsHere reports whether this process may start a backup, or has started it from INACTIVE.
func StartsHere(data *connection.Data, projectID, clusterID string) bool {
	planned := &connection.Shared[firstStarts](data).planned
	_, this := planned.Load(clusterKey(projectID, clusterID))
	_, some := planned.Load(anyCluster)
	return this || some || HasFirstStart(data, projectID, clusterID)
}

// HasFirstStart reports whether this process has started a backup from INACTIVE.
func HasFirstStart(data *connection.Data, projectID, clusterID string) bool {
	_, done := connection.Shared[firstStarts](data).done.Load(clusterKey(projectID, clusterID))
	return done
}

func clusterKey(projectID, clusterID string) string {
	return strings.ToLower(projectID + "/" + clusterID)
}
