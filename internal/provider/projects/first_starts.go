package projects

import (
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// firstStarts holds the clusters whose backup this provider process has started from INACTIVE.
type firstStarts struct{ clusters sync.Map }

// AddFirstStart records that this process has started a backup from INACTIVE. The cluster has no
// snapshot then, and Ops Manager has just created its schedule.
func AddFirstStart(data *connection.Data, projectID, clusterID string) {
	connection.Shared[firstStarts](data).clusters.Store(strings.ToLower(projectID+"/"+clusterID), true)
}

// HasFirstStart reports whether this process has started a backup from INACTIVE.
func HasFirstStart(data *connection.Data, projectID, clusterID string) bool {
	_, ok := connection.Shared[firstStarts](data).clusters.Load(strings.ToLower(projectID + "/" + clusterID))
	return ok
}
