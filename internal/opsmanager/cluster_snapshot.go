package opsmanager

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// ClusterSnapshot is a snapshot of a replica set or a sharded cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
type ClusterSnapshot struct {
	Snapshot

	IsPossiblyInconsistent *bool     `json:"isPossiblyInconsistent"` // the balancer could not be stopped
	MissingShards          []Cluster `json:"missingShards"`          // components that the snapshot lacks; nil if that is not returned
}

// ListClusterSnapshots lists the snapshots of a cluster. Their order is not
// documented. A cluster that was never backed up has none. completed selects complete
// snapshots ("true"), incomplete ones ("false"), or both ("all"). If it is empty, it is not
// sent. Only the newest documentation has it, and says that the complete ones are listed then.
// A server of version 4.4 was observed to list incomplete ones, too.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster. A version that does
// not know completed ignores it, or rejects it with INVALID_QUERY_PARAMETER (400).
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
func (c *Client) ListClusterSnapshots(
	ctx context.Context, projectID, clusterID, completed string, page Page,
) (*List[ClusterSnapshot], error) {
	e := inProject(projectID, "clusters", clusterID, "snapshots")
	if completed != "" {
		e.query = url.Values{"completed": {completed}}
	}
	return list[ClusterSnapshot](ctx, c, e, page)
}

// RestorePoint has the fields of a snapshot that decide whether its cluster can be restored from it. A
// text is empty if the response leaves it out.
type RestorePoint struct {
	ID        string `json:"id"`
	GroupID   string `json:"groupId"`
	ClusterID string `json:"clusterId"`
	Complete  *bool  `json:"complete"`
	Created   struct {
		Date *string `json:"date"`
		Time *int64  `json:"time"`
	} `json:"created"`
	Expires       string     `json:"expires"`
	MissingShards []struct{} `json:"missingShards"` // nil if it is not known which ones the snapshot lacks
}

func (p RestorePoint) ids() []string { return []string{p.GroupID, p.ClusterID, p.ID} }

// RestorePoint returns the fields of a snapshot that decide whether its cluster can be restored from it.
func (s ClusterSnapshot) RestorePoint() RestorePoint {
	p := RestorePoint{
		ID:        stringValue(s.ID),
		GroupID:   stringValue(s.GroupID),
		ClusterID: stringValue(s.ClusterID),
		Complete:  s.Complete,
		Expires:   stringValue(s.Expires),
	}
	if s.MissingShards != nil {
		p.MissingShards = make([]struct{}, len(s.MissingShards))
	}
	if s.Created != nil {
		p.Created.Date = s.Created.Date
		p.Created.Time = s.Created.Time
	}
	if len(s.Parts) == 1 && stringValue(s.Parts[0].TypeName) == TypeReplicaSet { // documented for replica sets only
		p = p.OfReplicaSet()
	}
	return p
}

// OfReplicaSet returns a snapshot that is known to be of a replica set. It lacks no shard, although it doesn't say so:
// missingShards appears for sharded clusters only, and is usually empty there.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-cluster/
func (p RestorePoint) OfReplicaSet() RestorePoint {
	if p.MissingShards == nil {
		p.MissingShards = []struct{}{}
	}
	return p
}

// ListRestorePoints is ListClusterSnapshots for all snapshots of a cluster, without most of their
// fields. It takes less processor time, which counts for thousands of clusters. It fails with
// ErrOtherObject if a snapshot is of another cluster.
func (c *Client) ListRestorePoints(ctx context.Context, projectID, clusterID string) (*List[RestorePoint], error) {
	return list[RestorePoint](ctx, c, inProject(projectID, "clusters", clusterID, "snapshots").about(hexID("clusterId", clusterID)), Page{})
}

// SnapshotExpiry is a change of when a snapshot is deleted. A nil field is not sent.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/change-expiry-for-one-snapshot/
type SnapshotExpiry struct {
	DoNotDelete *bool   `json:"doNotDelete,omitempty"` // true removes the expiry, and excludes Expires
	Expires     *string `json:"expires,omitempty"`     // ISO 8601; the snapshot is deleted some time after it
}

// OnDemandSnapshot is the response to the request for a snapshot. It has no ID: the
// snapshot appears in the list of the cluster's snapshots later.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/take-an-on-demand-snapshot/
type OnDemandSnapshot struct {
	ClusterName *string    `json:"clusterName"`
	Description *string    `json:"description"`
	Timestamp   *Timestamp `json:"timestamp"` // when Ops Manager accepted the request
}

// ClusterSnapshot returns a snapshot of a cluster.
//
// It fails with SNAPSHOT_NOT_FOUND (404) if there is none, because it was deleted after
// its expiry or never existed, with INVALID_SNAPSHOT_ID (404) if the ID is malformed, and
// with ErrOtherObject if the response is for another snapshot. Whether Ops Manager
// returns a snapshot that is being taken is not documented.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-one-snapshot-for-one-cluster/
func (c *Client) ClusterSnapshot(ctx context.Context, projectID, clusterID, id string) (*ClusterSnapshot, error) {
	return call[ClusterSnapshot](ctx, c, snapshotEndpoint(projectID, clusterID, id), nil)
}

// ChangeSnapshotExpiry changes when a snapshot is deleted, and returns the snapshot. The
// expiry that follows if DoNotDelete is false and Expires is nil is not documented.
//
// It fails with these codes, among others:
//
//   - CANNOT_MODIFY_SNAPSHOT (403) if DoNotDelete is true and Expires is set
//   - CANNOT_MODIFY_IN_PROGRESS_SNAPSHOT_RETENTION (400) while the snapshot is being taken
//   - ALREADY_EXPIRED (400) if the present expiry is in the past
//   - CANNOT_MODIFY_CLUSTER_SNAPSHOT (403) if the snapshot is a part of another one
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/change-expiry-for-one-snapshot/
func (c *Client) ChangeSnapshotExpiry(
	ctx context.Context, projectID, clusterID, id string, change SnapshotExpiry,
) (*ClusterSnapshot, error) {
	return call[ClusterSnapshot](ctx, c, snapshotEndpoint(projectID, clusterID, id).changing(http.MethodPatch, changes), change)
}

// DeleteClusterSnapshot deletes a snapshot. It fails with SNAPSHOT_NOT_FOUND (404) if
// there is none, with CANNOT_DELETE_FROM_CLUSTER_SNAPSHOT (403) if it is a part of another
// one, with CANNOT_DELETE_IN_PROGRESS_SNAPSHOT (400) while it is being taken, and with an
// undocumented code if it must not be deleted.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/remove-one-snapshot-from-one-cluster/
func (c *Client) DeleteClusterSnapshot(ctx context.Context, projectID, clusterID, id string) error {
	e := snapshotEndpoint(projectID, clusterID, id).changing(http.MethodDelete, changes)
	e.role = SnapshotDeleter
	return c.do(ctx, e, nil, nil)
}

// TakeSnapshot requests a snapshot that is kept for a number of days, at least 1. It does
// not wait for it. Change repeats the request only if the first attempt cannot have taken
// effect: the same request again would take another snapshot.
//
// It fails with these codes, among others:
//
//   - UNFINISHED_ON_DEMAND_SNAPSHOT (400) while another snapshot is being taken
//   - BACKUP_JOB_NOT_FOUND (400) if the backup is not started
//   - UNEXPECTED_ERROR (500) before the first snapshot after a start
//   - BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID (400) for another number of days
//   - RESOURCE_NOT_FOUND (404) before Ops Manager 7.0.12
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/take-an-on-demand-snapshot/
func (c *Client) TakeSnapshot(ctx context.Context, projectID, clusterID string, retentionDays int64) (*OnDemandSnapshot, error) {
	e := inProject(projectID, "clusters", clusterID, "snapshots", "onDemandSnapshot").changing(http.MethodPost, starts)
	e.role = GlobalBackupAdmin
	e.query = url.Values{"retentionDays": {strconv.FormatInt(retentionDays, 10)}}
	requested := new(OnDemandSnapshot)
	if err := c.do(c.withSlowWrite(ctx), e, nil, requested); err != nil {
		return nil, err
	}
	return requested, nil
}

// snapshotEndpoint returns the endpoint that reads a snapshot.
func snapshotEndpoint(projectID, clusterID, id string) endpoint {
	return inProject(projectID, "clusters", clusterID, "snapshots", id).about(hexID("clusterId", clusterID), hexID("id", id))
}
