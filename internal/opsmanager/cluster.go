package opsmanager

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Cluster is a replica set, a sharded cluster, or a component of one: a shard or the
// config servers. A field is nil if the response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-one/
type Cluster struct {
	ID      *string `json:"id"`
	GroupID *string `json:"groupId"`

	ClusterName    *string `json:"clusterName"`    // components have the name of their cluster; can be changed
	TypeName       *string `json:"typeName"`       // such as REPLICA_SET, SHARDED_REPLICA_SET, CONFIG_SERVER_REPLICA_SET
	ReplicaSetName *string `json:"replicaSetName"` // absent for a sharded cluster
	ShardName      *string `json:"shardName"`      // for shards; a sharded cluster may have that of its first one
	LastHeartbeat  *string `json:"lastHeartbeat"`  // ISO 8601 in UTC
}

// TypeReplicaSet is the type of a replica set, and of a shard.
const TypeReplicaSet = "REPLICA_SET"

func (c Cluster) ids() []string { return []string{stringValue(c.GroupID), stringValue(c.ID)} }

// Name returns the name of a cluster, in Unicode's composed form, or nil if it has none. According
// to some descriptions of the API, only sharded clusters have a name. A replica set without one has
// the name of its replica set.
func (c Cluster) Name() *string {
	name := stringValue(c.ClusterName)
	if name == "" && stringValue(c.ShardName) == "" {
		name = stringValue(c.ReplicaSetName)
	}
	if name == "" {
		return nil
	}
	return new(norm.NFC.String(name))
}

// NameOrID returns the name of a cluster, or its ID if it has none, or nil if it
// has neither.
func (c Cluster) NameOrID() *string {
	if name := c.Name(); name != nil || stringValue(c.ID) == "" {
		return name
	}
	return c.ID
}

// IsSharded reports whether a cluster is a whole sharded cluster.
func (c Cluster) IsSharded() bool {
	return c.TypeName != nil && (*c.TypeName == "SHARDED_REPLICA_SET" || *c.TypeName == "SHARDED")
}

// IsPart reports whether a cluster says that it is a part of a sharded one. Another one may be a part nevertheless: see
// [WholeClusters].
func (c Cluster) IsPart() bool {
	typeName := stringValue(c.TypeName)
	isConfig := strings.HasPrefix(typeName, "CONFIG_")
	isShard := typeName == TypeReplicaSet && stringValue(c.ShardName) != ""
	return isConfig || isShard
}

// WholeClusters returns a function that reports whether a cluster of a project is whole, and not a
// part of a sharded one. It requires all clusters of the project. A part has the type of config servers, or
// shows the name of its shard, and if its type is not known, also the name of a sharded cluster. If in doubt,
// a cluster counts as whole: Ops Manager rejects changes of a part, but a whole cluster that is left out would
// silently have no policy, and look healthy. So a name alone makes no replica set a part.
func WholeClusters(project []Cluster) func(Cluster) bool {
	sharded := map[string]bool{}
	for _, c := range project {
		if name := c.Name(); name != nil {
			sharded[*name] = sharded[*name] || c.IsSharded()
		}
	}
	return func(c Cluster) bool {
		name := c.Name()
		switch {
		case c.IsSharded():
			return true
		case c.IsPart():
			return false
		}
		return name == nil || !sharded[*name] || stringValue(c.ShardName) == ""
	}
}

// ListClusters lists the clusters of a project, including the components of sharded
// clusters. Their order is not documented.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) if the project does not
// exist or is not visible to the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-all/
func (c *Client) ListClusters(ctx context.Context, projectID string) (*List[Cluster], error) {
	all, err := list[Cluster](ctx, c, inProject(projectID, "clusters"), Page{})
	if err == nil {
		for _, one := range all.Results {
			c.NoteName(one.ID, one.NameOrID())
		}
	}
	return all, err
}

// Cluster returns a cluster, or a component of a sharded cluster, by its ID.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster, and with
// ErrOtherObject if the response is for another cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-one/
func (c *Client) Cluster(ctx context.Context, projectID, clusterID string) (*Cluster, error) {
	cluster, err := call[Cluster](ctx, c, inProject(projectID, "clusters", clusterID).about(hexID("id", clusterID)), nil)
	if err == nil {
		c.NoteName(cluster.ID, cluster.NameOrID())
	}
	return cluster, err
}
