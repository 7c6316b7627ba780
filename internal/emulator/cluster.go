package emulator

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

var clusterType = resourceType{routes: func(e *Emulator) []route {
	const all = "/groups/{project}/clusters"
	return []route{
		{http.MethodGet, all, 0, listQuery, e.listClusters},
		{http.MethodGet, all + "/{cluster}", 0, singleQuery, func(c *call) any {
			return e.clusterDocument(c, c.cluster, true)
		}},
	}
}}

// listClusters lists clusters and the components of sharded ones, monitored or not.
func (e *Emulator) listClusters(c *call) any {
	listed := []*Cluster{}
	for i := range c.project.Clusters {
		cluster := &c.project.Clusters[i]
		if cluster.Document != nil || !e.state.isCopy() {
			listed = append(listed, cluster)
		}
	}
	return listOf(listed, func(cluster *Cluster) map[string]any {
		return e.clusterDocument(c, cluster, false)
	})
}

// clusterDocument returns a cluster as in a response, without its empty fields. In a list,
// it has only the link to itself. The other links of a single cluster are not documented.
func (e *Emulator) clusterDocument(c *call, cluster *Cluster, single bool) map[string]any {
	group := "/groups/" + c.project.ID
	links := []map[string]any{c.link(group + "/clusters/" + cluster.ID)}
	if cluster.Document != nil {
		return asRead(cluster.Document, links...)
	}
	if single {
		links = append(links, c.linkTo("group", group))
	}
	document := map[string]any{
		"id":          cluster.ID,
		"groupId":     c.project.ID,
		"clusterName": cluster.Name,
		"typeName":    cluster.TypeName,
		"links":       links,
	}
	shardName := cluster.ShardName
	if cluster.sharded() {
		if shards := e.state.shardsOf(cluster); len(shards) > 0 {
			shardName = shards[0].ShardName
		}
	}
	return addTexts(document, map[string]string{
		"replicaSetName": cluster.ReplicaSetName,
		"shardName":      shardName,
		"lastHeartbeat":  cluster.LastHeartbeat,
	})
}

// AddCluster adds a cluster to a project, as a seed does.
func (e *Emulator) AddCluster(projectID string, added Cluster) {
	defer e.lock()()
	project := e.mustProject(projectID)
	cluster := deepCopy(added)
	e.completeCluster(&cluster)
	project.Clusters = append(project.Clusters, cluster)
}

// RenameCluster gives a cluster, and its components, another name.
func (e *Emulator) RenameCluster(projectID, clusterID, name string) {
	defer e.lock()()
	project := e.mustProject(projectID)
	for i, c := range project.Clusters {
		if c.ID == clusterID || c.ShardOf == clusterID {
			project.Clusters[i].Name = name
		}
	}
}

// RemoveCluster removes a cluster and its components.
func (e *Emulator) RemoveCluster(projectID, clusterID string) {
	defer e.lock()()
	project := cmp.Or(e.state.project(projectID), &Project{})
	project.Clusters = slices.DeleteFunc(project.Clusters, func(c Cluster) bool {
		return c.ID == clusterID || c.ShardOf == clusterID
	})
}

// requireBackupConfig refuses a call if its cluster has no backup configuration.
func (e *Emulator) requireBackupConfig(c *call) {
	switch id := c.cluster.ID; {
	case c.cluster.BackupConfig != nil:
		return
	case e.options.Unknowns.UnmonitoredIsConflict:
		panic(refuse(http.StatusConflict, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", "Cannot get the backup configuration of cluster "+id+" because it is not monitored.", id))
	default:
		panic(refuse(http.StatusNotFound, "BACKUP_CONFIG_NOT_FOUND", "No backup configuration exists for cluster "+id+" in group "+c.project.ID+".", id, c.project.ID))
	}
}

func shardRefused(cluster *Cluster) *refusal {
	return refuse(http.StatusConflict, "CANNOT_MODIFY_SHARD_BACKUP_CONFIG",
		"Cannot modify backup configuration for individual shard; use cluster ID "+cluster.ShardOf+" for entire cluster.", cluster.ShardOf)
}

// takeIDs removes the IDs of the project and the cluster from a body, which must be those of the path.
func (c *call) takeIDs(body map[string]any) {
	for name, own := range map[string]string{"groupId": c.project.ID, "clusterId": c.cluster.ID} {
		if id, sent := body[name].(string); sent && !strings.EqualFold(id, own) {
			panic(refuse(http.StatusBadRequest, "GROUP_MISMATCH", "The "+name+" "+id+" in the body differs from the one in the path.", name, id))
		}
		delete(body, name)
	}
}
