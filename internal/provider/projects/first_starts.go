package projects

import (
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/provider/connection"
)

var firstStarts connection.Shared[starts]

// starts holds the clusters whose backup this provider process plans to start, and those whose
// backup has been started, or is being started, from INACTIVE.
type starts struct{ planned, done sync.Map }

// anyCluster is the key of a planned start whose IDs are not known yet.
const anyCluster = "/"

// PlanStart records that a resource of the plan may start a backup. An ID that is not known yet is
// empty.
func PlanStart(data *connection.Data, projectID, clusterID string) {
	key := clusterKey(projectID, clusterID)
	if projectID == "" || clusterID == "" {
		key = anyCluster
	}
	firstStarts.Of(data).planned.Store(key, true)
}

// AddFirstStart records that this process has started a backup from INACTIVE, or waits for such a start
// of an earlier run. The cluster has no snapshot then, and Ops Manager has just created its schedule.
func AddFirstStart(data *connection.Data, projectID, clusterID string) {
	firstStarts.Of(data).done.Store(clusterKey(projectID, clusterID), true)
}

// StartsHere reports whether this process plans to start a backup, or has started it from INACTIVE.
func StartsHere(data *connection.Data, projectID, clusterID string) bool {
	_, planned := firstStarts.Of(data).planned.Load(clusterKey(projectID, clusterID))
	return planned || HasFirstStart(data, projectID, clusterID)
}

// MayStartHere is like StartsHere, and also counts a planned start whose IDs are not known yet.
func MayStartHere(data *connection.Data, projectID, clusterID string) bool {
	_, some := firstStarts.Of(data).planned.Load(anyCluster)
	return some || StartsHere(data, projectID, clusterID)
}

// HasFirstStart reports whether AddFirstStart has recorded a start.
func HasFirstStart(data *connection.Data, projectID, clusterID string) bool {
	_, done := firstStarts.Of(data).done.Load(clusterKey(projectID, clusterID))
	return done
}

func clusterKey(projectID, clusterID string) string {
	return strings.ToLower(projectID + "/" + clusterID)
}
