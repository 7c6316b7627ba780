package emulator

import (
	"fmt"
	"net/http"
	"slices"
)

// clusterSnapshotFields are the documented response fields of a snapshot of a
// cluster.
var clusterSnapshotFields = append([]string{"isPossiblyInconsistent", "missingShards"}, configServerSnapshotFields...)

func (e *Emulator) clusterSnapshotRoutes() []route {
	return []route{
		{http.MethodGet, "/groups/{project}/clusters/{cluster}/snapshots", false, slices.Concat(listQuery, []string{"completed"}), e.listClusterSnapshots},
	}
}

// listClusterSnapshots lists the complete snapshots of a cluster, or those that the query selects.
// A cluster that is not backed up has none. They have the order of the seed, because no order is
// documented.
func (e *Emulator) listClusterSnapshots(c *call) (any, error) {
	project, cluster, err := e.findCluster(c)
	if err != nil {
		return nil, err
	}
	completed := "true"
	if c.query.Has("completed") {
		completed = c.query.Get("completed")
	}
	if !slices.Contains([]string{"true", "false", "all"}, completed) {
		return nil, invalidParameter("completed")
	}
	snapshots := list{}
	for _, snapshot := range cluster.Snapshots {
		if completed != "all" && (snapshot["complete"] == true) != (completed == "true") {
			continue
		}
		self := fmt.Sprintf("%s/groups/%s/clusters/%s/snapshots/%v", BasePath, project.ID, cluster.ID, snapshot["id"])
		snapshots = append(snapshots, merge(map[string]any{
			"groupId": project.ID, "clusterId": cluster.ID, "clusterName": cluster.Name,
			"links": []map[string]any{{"rel": "self", "href": c.href(self)}},
		}, snapshot))
	}
	return snapshots, nil
}
