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

// SnapshotFilter selects snapshots of a cluster. The zero value selects all complete
// snapshots, which is the default of Ops Manager.
type SnapshotFilter struct {
	Completed string // "true", "false" for snapshots in progress, or "all"; not sent if empty
	StopAfter int64  // reading stops after the page that reaches this number; 0 reads all
}

// ListClusterSnapshots lists the snapshots of a cluster. Their order is not
// documented. A cluster that was never backed up has none.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster, and with
// INVALID_QUERY_PARAMETER (400) if an older version does not support Completed.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
func (c *Client) ListClusterSnapshots(ctx context.Context, projectID, clusterID string, filter SnapshotFilter) (*List[ClusterSnapshot], error) {
	r := listReader[ClusterSnapshot]{
		client:    c,
		endpoint:  get("groups", projectID, "clusters", clusterID, "snapshots"),
		key:       func(s ClusterSnapshot) string { return stringValue(s.ID) },
		groupID:   func(s ClusterSnapshot) *string { return s.GroupID },
		stopAfter: filter.StopAfter,
	}
	if filter.Completed != "" {
		r.endpoint.query = url.Values{"completed": {filter.Completed}}
	}
	return r.readAll(ctx)
}
