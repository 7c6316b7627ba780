package opsmanager

import (
	"context"
	"errors"
	"net/http"
	"reflect"
)

// SnapshotSchedule defines when snapshots of a cluster are taken and how long they
// are kept. It belongs to the cluster's backup configuration and is created and
// deleted with it. A nil field is not sent in a request, and was missing in a
// response. The allowed values depend on the version of Ops Manager.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-one-snapshot-schedule-by-cluster-id/
type SnapshotSchedule struct {
	GroupID   string `json:"groupId,omitempty"`
	ClusterID string `json:"clusterId,omitempty"`

	SnapshotIntervalHours          *int64 `json:"snapshotIntervalHours,omitempty"`          // 6, 8, 12 or 24
	SnapshotRetentionDays          *int64 `json:"snapshotRetentionDays,omitempty"`          // of recent snapshots
	DailySnapshotRetentionDays     *int64 `json:"dailySnapshotRetentionDays,omitempty"`     // 0 keeps no daily snapshots
	WeeklySnapshotRetentionWeeks   *int64 `json:"weeklySnapshotRetentionWeeks,omitempty"`   // 0 keeps no weekly snapshots
	MonthlySnapshotRetentionMonths *int64 `json:"monthlySnapshotRetentionMonths,omitempty"` // 0 keeps no monthly snapshots
	PointInTimeWindowHours         *int64 `json:"pointInTimeWindowHours,omitempty"`         // how far back point-in-time restores reach

	// Minutes between checkpoints of a sharded cluster: 15, 30 or 60. Ops Manager
	// returns 0 if there are none, and rejects 0 in a request.
	ClusterCheckpointIntervalMin *int64 `json:"clusterCheckpointIntervalMin,omitempty"`

	ReferenceHourOfDay      *int64  `json:"referenceHourOfDay,omitempty"`      // 0 to 23
	ReferenceMinuteOfHour   *int64  `json:"referenceMinuteOfHour,omitempty"`   // 0 to 59
	ReferenceTimeZoneOffset *string `json:"referenceTimeZoneOffset,omitempty"` // such as +0200; stored as +0000

	FullIncrementalDayOfWeek *string `json:"fullIncrementalDayOfWeek,omitempty"` // SUNDAY to SATURDAY
}

func (s SnapshotSchedule) ids() []string { return []string{s.GroupID, s.ClusterID} }

// SnapshotSchedule returns the schedule of a replica set or a sharded cluster. Not
// every description of the API has this operation. If the server lacks it, an update
// with an empty body is sent instead, which changes nothing and returns the schedule.
//
// It fails with BACKUP_CONFIG_NOT_FOUND or CLUSTER_NOT_FOUND (404) if there is no
// such schedule, and with ErrOtherObject if the response is for another cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-snapshot-schedule/
func (c *Client) SnapshotSchedule(ctx context.Context, projectID, clusterID string) (*SnapshotSchedule, error) {
	if c.schedulesByPatchOnly.Load() {
		return c.UpdateSnapshotSchedule(ctx, projectID, clusterID, SnapshotSchedule{})
	}
	schedule, err := call[SnapshotSchedule](ctx, c, backupConfigEndpoint(projectID, clusterID, "snapshotSchedule"), nil)
	if !MayBeUnsupported(err) {
		return schedule, err // the server has the operation
	}
	byPatch, patchErr := c.UpdateSnapshotSchedule(ctx, projectID, clusterID, SnapshotSchedule{})
	refused, isRefused := errors.AsType[*Error](patchErr)
	switch {
	case IsUnsupported(err) && patchErr == nil:
		c.schedulesByPatchOnly.Store(true) // a 404 page may be gone with the next request, an error document is not
	case !IsUnsupported(err) && isRefused && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden):
		return nil, err // a read-only key is not the cause
	}
	return byPatch, patchErr
}

// UpdateSnapshotSchedule sets the fields that are not nil and returns the whole
// schedule. Ops Manager may change other fields too.
//
// It fails with a code that names the field if a value is rejected (400), and with
// 409 if backup is inactive or the cluster is a shard
// (CANNOT_MODIFY_SHARD_BACKUP_CONFIG). If it fails with ErrOtherObject, the change
// may have been made.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-one-snapshot-schedule-by-cluster-id/
func (c *Client) UpdateSnapshotSchedule(
	ctx context.Context, projectID, clusterID string, change SnapshotSchedule,
) (*SnapshotSchedule, error) {
	e := backupConfigEndpoint(projectID, clusterID, "snapshotSchedule").changing(http.MethodPatch, changes)
	if reflect.ValueOf(change).IsZero() {
		e.effect = readOnly
	}
	return call[SnapshotSchedule](ctx, c, e, change)
}
