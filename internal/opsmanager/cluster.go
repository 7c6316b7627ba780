package opsmanager

import (
	"context"
	"net/http"
)

// Cluster is a replica set, a whole sharded cluster, or a part of one: a shard
// or its config servers. Nil means that the answer left it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-one/
type Cluster struct {
	ID      *string `json:"id"`
	GroupID *string `json:"groupId"`

	ClusterName    *string `json:"clusterName"`    // of the whole cluster, in its parts too; people may change it
	TypeName       *string `json:"typeName"`       // such as REPLICA_SET, SHARDED_REPLICA_SET, CONFIG_SERVER_REPLICA_SET
	ReplicaSetName *string `json:"replicaSetName"` // absent of a whole sharded cluster
	ShardName      *string `json:"shardName"`      // of a shard
	LastHeartbeat  *string `json:"lastHeartbeat"`  // ISO 8601 in UTC

	Links []Link `json:"links"`
}

// ListClusters lists the clusters of a project and the parts of the sharded
// ones, in no documented order.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) where there is no
// such project for the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-all/
func (c *Client) ListClusters(ctx context.Context, projectID string) ([]Cluster, error) {
	all, err := list(ctx, c, []string{"groups", projectID, "clusters"}, Page{}, func(c Cluster) string { return keyOf(c.ID) })
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}

// Cluster reads one cluster, or one part of a sharded one.
//
// It fails with CLUSTER_NOT_FOUND (404) where the project has no such cluster, and
// with ErrOtherObject if the answer is that of another.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/clusters/clusters-get-one/
func (c *Client) Cluster(ctx context.Context, projectID, clusterID string) (*Cluster, error) {
	e := endpoint{http.MethodGet, []string{"groups", projectID, "clusters", clusterID}, nil}
	return call(ctx, c, e, nil, func(one *Cluster) []objectID {
		return []objectID{{"groupId", projectID, keyOf(one.GroupID)}, {"id", clusterID, keyOf(one.ID)}}
	})
}
