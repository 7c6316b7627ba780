package opsmanager

import (
	"context"
	"net/url"
)

// ClusterSnapshot is a snapshot of a replica set or a sharded cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
type ClusterSnapshot struct {
	Snapshot

	IsPossiblyInconsistent *bool     `json:"isPossiblyInconsistent"` // the balancer could not be stopped
	MissingShards          []Cluster `json:"missingShards"`          // components that the snapshot lacks
}

// ListClusterSnapshots lists the snapshots of a cluster. Their order is not
// documented. A cluster that was never backed up has none. completed selects complete
// snapshots ("true"), snapshots in progress ("false"), or both ("all"). If it is empty,
// it is not sent, and Ops Manager lists the complete ones.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster, and with
// INVALID_QUERY_PARAMETER (400) if an older version does not support completed.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
func (c *Client) ListClusterSnapshots(ctx context.Context, projectID, clusterID, completed string, page Page) (*List[ClusterSnapshot], error) {
	e := get("groups", projectID, "clusters", clusterID, "snapshots")
	if completed != "" {
		e.query = url.Values{"completed": {completed}}
	}
	return list(ctx, c, e, page, func(s ClusterSnapshot) string { return stringValue(s.ID) }, func(s ClusterSnapshot) *string { return s.GroupID })
}
