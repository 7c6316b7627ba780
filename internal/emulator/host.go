package emulator

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

var hostType = resourceType{routes: func(e *Emulator) []route {
	return []route{
		{http.MethodGet, "/groups/{project}/hosts", 0, append([]string{"clusterId"}, listQuery...), e.listHosts},
	}
}}

// listHosts lists the processes that a project monitors, sorted by name: the hosts of the seed, and the
// members of its clusters. clusterId selects those of one cluster.
func (e *Emulator) listHosts(c *call) any {
	var hosts []Host
	for _, host := range c.project.Hosts {
		if host.Name != "" || host.Document != nil {
			hosts = append(hosts, host)
		}
	}
	for i := range c.project.Clusters {
		if !e.state.isCopy() {
			hosts = append(hosts, e.membersOf(c, &c.project.Clusters[i])...)
		}
	}
	if c.query.Has("clusterId") {
		hosts = slices.DeleteFunc(hosts, func(h Host) bool {
			return h.ClusterID != c.query.Get("clusterId")
		})
	}
	if !e.state.isCopy() {
		slices.SortFunc(hosts, func(a, b Host) int {
			return strings.Compare(a.Name, b.Name)
		})
	}
	return listOf(hosts, func(host Host) map[string]any { return hostDocument(c, host) })
}

// membersOf returns the hosts of a cluster. Their IDs are hashes of their names, because the seed has
// none. The first member is the primary.
func (e *Emulator) membersOf(c *call, cluster *Cluster) []Host {
	var hosts []Host
	kind := "REPLICA_"
	state := "PRIMARY"
	if cluster.ShardOf != "" {
		kind = "SHARD_"
	}
	for _, member := range cluster.Members {
		hosts = append(hosts, Host{
			ID:             hashedID(c.project.ID, member),
			Name:           member,
			TypeName:       kind + state,
			ClusterID:      cluster.ID,
			ReplicaSetName: cluster.ReplicaSetName,
			ShardName:      cluster.ShardName,
		})
		state = "SECONDARY"
	}
	return hosts
}

// hostDocument returns a host as in a response, without its empty fields.
func hostDocument(c *call, host Host) map[string]any {
	self := c.link("/groups/" + c.project.ID + "/hosts/" + host.ID)
	if host.Document != nil {
		return asRead(host.Document, self)
	}
	name, text, _ := net.SplitHostPort(host.Name)
	port, _ := strconv.Atoi(text)
	document := map[string]any{
		"id":          host.ID,
		"groupId":     c.project.ID,
		"hostname":    name,
		"port":        port,
		"hostEnabled": true,
		"hidden":      false,
		"links":       []map[string]any{self},
	}
	if len(host.Aliases) > 0 {
		document["aliases"] = host.Aliases
	}
	return addTexts(document, map[string]string{
		"typeName":       host.TypeName,
		"clusterId":      host.ClusterID,
		"replicaSetName": host.ReplicaSetName,
		"shardName":      host.ShardName,
	})
}
