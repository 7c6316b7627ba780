package opsmanager

import (
	"context"
	"errors"
	"net/http"
	"reflect"
)

// SnapshotSchedule says when snapshots of a cluster are taken and how long they
// are kept. There is one for each backup configuration; it comes and goes with
// it. Nil means 'not sent' in a request and 'left out' in an answer.
//
// The ranges of the fields differ between versions of the service, which has
// the last word on them.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-one-snapshot-schedule-by-cluster-id/
type SnapshotSchedule struct {
	GroupID   string `json:"groupId,omitempty"`
	ClusterID string `json:"clusterId,omitempty"`
	Links     []Link `json:"links,omitempty"` // in answers only

	SnapshotIntervalHours          *int64 `json:"snapshotIntervalHours,omitempty"`          // 6, 8, 12 or 24
	SnapshotRetentionDays          *int64 `json:"snapshotRetentionDays,omitempty"`          // of recent snapshots
	DailySnapshotRetentionDays     *int64 `json:"dailySnapshotRetentionDays,omitempty"`     // 0: no daily snapshots are kept
	WeeklySnapshotRetentionWeeks   *int64 `json:"weeklySnapshotRetentionWeeks,omitempty"`   // 0: no weekly ones
	MonthlySnapshotRetentionMonths *int64 `json:"monthlySnapshotRetentionMonths,omitempty"` // 0: no monthly ones
	PointInTimeWindowHours         *int64 `json:"pointInTimeWindowHours,omitempty"`         // how far back a point in time can be restored

	// Minutes between checkpoints, 15, 30 or 60; sharded clusters only. The
	// service answers 0 where there is none, and refuses a 0.
	ClusterCheckpointIntervalMin *int64 `json:"clusterCheckpointIntervalMin,omitempty"`

	ReferenceHourOfDay      *int64  `json:"referenceHourOfDay,omitempty"`      // 0 to 23
	ReferenceMinuteOfHour   *int64  `json:"referenceMinuteOfHour,omitempty"`   // 0 to 59
	ReferenceTimeZoneOffset *string `json:"referenceTimeZoneOffset,omitempty"` // such as +0000, the only one that is stored

	FullIncrementalDayOfWeek *string `json:"fullIncrementalDayOfWeek,omitempty"` // SUNDAY to SATURDAY
}

// SnapshotSchedule reads the schedule of a replica set or of a whole sharded
// cluster. Where the service does not serve that operation, which not every
// description of the API has, it sends the documented update with an empty
// body: that changes nothing and answers with the full schedule.
//
// It fails with BACKUP_CONFIG_NOT_FOUND or CLUSTER_NOT_FOUND (404) where there
// is no such schedule, and with ErrOtherObject if the answer is that of another.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-snapshot-schedule/
func (c *Client) SnapshotSchedule(ctx context.Context, projectID, clusterID string) (*SnapshotSchedule, error) {
	if c.schedulesByPatchOnly.Load() {
		return c.UpdateSnapshotSchedule(ctx, projectID, clusterID, SnapshotSchedule{})
	}
	answer, err := c.schedule(ctx, scheduleEndpoint(projectID, clusterID), projectID, clusterID, nil)
	if !isNotServed(err) {
		return answer, err
	}
	byPatch, patchErr := c.UpdateSnapshotSchedule(ctx, projectID, clusterID, SnapshotSchedule{})
	switch {
	case IsUnsupported(err) && patchErr == nil:
		c.schedulesByPatchOnly.Store(true)
	case !IsUnsupported(err) && isRefused(patchErr):
		return nil, err // a key pair that may only read is not what went wrong
	}
	return byPatch, patchErr
}

// UpdateSnapshotSchedule changes the fields that are set and returns the whole
// schedule as it is afterwards, which may differ in other fields too.
//
// It fails with a code that names the field where a value is refused (400), and
// with 409 where backup is inactive or the cluster is one shard
// (CANNOT_MODIFY_SHARD_BACKUP_CONFIG). With ErrOtherObject, the change may have
// been made.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-one-snapshot-schedule-by-cluster-id/
func (c *Client) UpdateSnapshotSchedule(ctx context.Context, projectID, clusterID string, change SnapshotSchedule) (*SnapshotSchedule, error) {
	e := scheduleEndpoint(projectID, clusterID)
	e.method = http.MethodPatch
	if !reflect.ValueOf(change).IsZero() {
		e.effect = idempotent
	}
	return c.schedule(ctx, e, projectID, clusterID, change)
}

// scheduleEndpoint returns the endpoint that reads a schedule.
func scheduleEndpoint(projectID, clusterID string) endpoint {
	return get("groups", projectID, "backupConfigs", clusterID, "snapshotSchedule")
}

func (c *Client) schedule(ctx context.Context, e endpoint, projectID, clusterID string, in any) (*SnapshotSchedule, error) {
	return call(ctx, c, e, in, func(s *SnapshotSchedule) []objectID {
		return []objectID{hexID("groupId", projectID, s.GroupID), hexID("clusterId", clusterID, s.ClusterID)}
	})
}

// isRefused reports whether the service did not let this key pair do something.
func isRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// isNotServed reports whether nobody behind an address knew the operation: the
// service said so, or something that is not the API answered 404.
func isNotServed(err error) bool {
	var e *Error
	return IsUnsupported(err) || errors.As(err, &e) && e.Status == http.StatusNotFound && !e.Document
}
