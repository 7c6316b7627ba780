package emulator

import (
	"net/http"
	"strings"
)

func (e *Emulator) clusterRoutes() []route {
	const all = "/groups/{project}/clusters"
	return []route{
		{http.MethodGet, all, false, listQuery, e.listClusters},
		{http.MethodGet, all + "/{cluster}", false, singleQuery, e.getCluster},
	}
}

// listClusters lists clusters and the components of sharded ones, monitored or not.
func (e *Emulator) listClusters(c *call) (any, error) {
	project, err := e.findProject(c)
	if err != nil {
		return nil, err
	}
	return longList{len(project.Clusters), func(i int) map[string]any {
		return e.clusterDocument(c, project, &project.Clusters[i], false)
	}}, nil
}

func (e *Emulator) getCluster(c *call) (any, error) {
	project, cluster, err := e.findCluster(c)
	if err != nil {
		return nil, err
	}
	return e.clusterDocument(c, project, cluster, true), nil
}

// clusterDocument returns a cluster as in a response, without its empty fields. In a list,
// it has only the link to itself. The other links of a single cluster are not documented.
func (e *Emulator) clusterDocument(c *call, project *Project, cluster *Cluster, single bool) map[string]any {
	group := BasePath + "/groups/" + project.ID
	links := []map[string]any{{"rel": "self", "href": c.href(group + "/clusters/" + cluster.ID)}}
	if single {
		links = append(links, map[string]any{"rel": "http://mms.mongodb.com/group", "href": c.href(group)})
	}
	document := map[string]any{
		"id": cluster.ID, "groupId": project.ID, "clusterName": cluster.Name, "typeName": cluster.TypeName, "links": links,
	}
	shardName := cluster.ShardName
	if cluster.sharded() && !e.options.Unknowns.WholeClusterHasNoShard {
		if shards := e.shardsOf(cluster); len(shards) > 0 {
			shardName = shards[0].ShardName
		}
	}
	for name, value := range map[string]string{
		"replicaSetName": cluster.ReplicaSetName, "shardName": shardName, "lastHeartbeat": cluster.LastHeartbeat,
	} {
		if value != "" {
			document[name] = value
		}
	}
	return document
}

// findCluster returns the cluster of a path. A malformed ID is a 404, not a 400.
func (e *Emulator) findCluster(c *call) (*Project, *Cluster, error) {
	project, err := e.findProject(c)
	if err != nil {
		return nil, nil, err
	}
	id := c.vars["cluster"]
	if !objectID.MatchString(id) {
		return nil, nil, refuse(http.StatusNotFound, "INVALID_CLUSTER_ID", "An invalid cluster ID "+id+" was specified.", id)
	}
	cluster := project.cluster(strings.ToLower(id))
	if cluster == nil {
		return nil, nil, refuse(http.StatusNotFound, "CLUSTER_NOT_FOUND", "No cluster with ID "+id+" exists in group "+project.ID+".", id, project.ID)
	}
	return project, cluster, nil
}
