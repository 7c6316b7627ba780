package opsmanager

import (
	"context"
	"net/url"
)

// ClusterSnapshot is a snapshot of a replica set or of a whole sharded cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
type ClusterSnapshot struct {
	Snapshot

	IsPossiblyInconsistent *bool     `json:"isPossiblyInconsistent"` // the balancer of a sharded cluster could not be stopped
	MissingShards          []Cluster `json:"missingShards"`          // parts of a sharded cluster that are not in it
}

// SnapshotFilter selects snapshots of a cluster. The zero SnapshotFilter selects
// what the service does by default: all that are complete.
type SnapshotFilter struct {
	Completed string // "true", "false" for those being taken, or "all"; "": not sent
	Enough    int64  // snapshots after which no further page is read; 0: all
}

// ListClusterSnapshots lists the snapshots of a cluster, in no documented order.
// A cluster that was never backed up has none.
//
// It fails with CLUSTER_NOT_FOUND (404) where the project has no such cluster,
// and with INVALID_QUERY_PARAMETER (400) where an older service does not know
// Completed.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
func (c *Client) ListClusterSnapshots(ctx context.Context, projectID, clusterID string, filter SnapshotFilter) (*List[ClusterSnapshot], error) {
	r := reader[ClusterSnapshot]{
		client:   c,
		endpoint: get("groups", projectID, "clusters", clusterID, "snapshots"),
		key:      func(s ClusterSnapshot) string { return keyOf(s.ID) },
		enough:   filter.Enough,
	}
	if filter.Completed != "" {
		r.endpoint.query = url.Values{"completed": {filter.Completed}}
	}
	return r.all(ctx)
}
