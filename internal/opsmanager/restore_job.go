package opsmanager

import (
	"context"
	"net/http"
	"net/url"
)

// Statuses of a restore job.
const (
	RestoreInProgress = "IN_PROGRESS"
	RestoreFinished   = "FINISHED"
	RestoreBroken     = "BROKEN"
	RestoreKilled     = "KILLED"
)

// RestoreJob is a restore of a snapshot, or of a point in time. The restore of a sharded
// cluster is a batch of jobs, one for each shard. A field is nil if the response leaves it
// out. No documented field names the target.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-one-single-restore-job-for-one-cluster/
type RestoreJob struct {
	ID          *string `json:"id"`
	GroupID     *string `json:"groupId"`
	ClusterID   *string `json:"clusterId"` // of the source
	ClusterName *string `json:"clusterName"`
	BatchID     *string `json:"batchId"`    // for sharded clusters only
	SnapshotID  *string `json:"snapshotId"` // the restored one, or the one that a point in time is based on

	Created     *string    `json:"created"`    // ISO 8601 in UTC
	StatusName  *string    `json:"statusName"` // one of the statuses above
	Timestamp   *Timestamp `json:"timestamp"`  // last oplog entry that is restored
	PointInTime *bool      `json:"pointInTime"`

	Delivery          *RestoreDelivery `json:"delivery"`
	Hashes            []RestoreHash    `json:"hashes"` // only after a download
	EncryptionEnabled *bool            `json:"encryptionEnabled"`
	MasterKeyUUID     *string          `json:"masterKeyUUID"` // if EncryptionEnabled is true
	Links             []Link           `json:"links"`
}

func (j RestoreJob) ids() []string {
	cluster := j.ClusterID
	if j.BatchID != nil { // a job of a batch may have the ID of a shard
		cluster = nil
	}
	return []string{stringValue(j.GroupID), stringValue(cluster), stringValue(j.ID)}
}

// RestoreDelivery says how the data of a restore job is delivered.
type RestoreDelivery struct {
	MethodName      *string `json:"methodName"`      // documented to be HTTP for automated restores too
	StatusName      *string `json:"statusName"`      // such as NOT_STARTED, READY or EXPIRED
	URL             *string `json:"url"`             // anyone who has it can download the data; not in any error or log
	Expires         *string `json:"expires"`         // time until which URL is valid, ISO 8601 in UTC
	ExpirationHours *int64  `json:"expirationHours"` // how long URL is valid once the job is complete
	MaxDownloads    *int64  `json:"maxDownloads"`
}

// RestoreHash is the checksum of a downloaded file.
type RestoreHash struct {
	TypeName *string `json:"typeName"` // such as SHA1
	FileName *string `json:"fileName"`
	Hash     *string `json:"hash"`
}

func (RestoreHash) ids() []string { return nil }

// RestoreRequest requests a restore from one of its sources: a snapshot, a point in time,
// or an oplog entry.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/create-one-restore-job-for-one-cluster/
type RestoreRequest struct {
	SnapshotID           *string `json:"snapshotId,omitempty"`
	PointInTimeUTCMillis *int64  `json:"pointInTimeUTCMillis,omitempty"` // since 1970
	OplogTs              *string `json:"oplogTs,omitempty"`              // seconds since 1970; requires OplogInc
	OplogInc             *int64  `json:"oplogInc,omitempty"`

	Delivery RestoreTarget `json:"delivery"`
}

// Methods of delivery that a RestoreTarget can request.
const (
	AutomatedRestore = "AUTOMATED_RESTORE" // into a cluster, whose data is overwritten
	HTTPRestore      = "HTTP"              // to a download link
)

// RestoreTarget is the cluster that data is restored to, or a download link.
type RestoreTarget struct {
	MethodName string `json:"methodName"`

	// For AutomatedRestore. The target has to have the topology of the source.
	TargetGroupID   *string `json:"targetGroupId,omitempty"`
	TargetClusterID *string `json:"targetClusterId,omitempty"`

	// For HTTPRestore, which requires MaxDownloads and at most one of the others.
	MaxDownloads    *int64  `json:"maxDownloads,omitempty"`
	Expires         *string `json:"expires,omitempty"`         // ISO 8601
	ExpirationHours *int64  `json:"expirationHours,omitempty"` // once the job is complete
}

// RestorableTimeRange is a range of time without gaps in the oplog. Each time in it can be
// restored.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-restorable-time-ranges-for-one-cluster/
type RestorableTimeRange struct {
	Start            *Timestamp `json:"start"`
	End              *Timestamp `json:"end"` // inclusive
	SnapshotID       *string    `json:"snapshotId"`
	ShardCount       *int64     `json:"shardCount"`       // for sharded clusters only
	ConfigServerType *string    `json:"configServerType"` // for sharded clusters only: embedded or dedicated
}

// restoreJobs returns the endpoint that lists the restore jobs of a cluster, or the one that reads a job.
func restoreJobs(projectID, clusterID string, jobID ...string) endpoint {
	e := inProject(projectID, append([]string{"clusters", clusterID, "restoreJobs"}, jobID...)...)
	e.quotes = quoteSentences
	return e
}

// ListRestoreJobs lists the restore jobs of a cluster, or those of one batch if batchID is
// not empty. Their order is not documented.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-all-restore-jobs-for-one-cluster/
func (c *Client) ListRestoreJobs(ctx context.Context, projectID, clusterID, batchID string, page Page) (*List[RestoreJob], error) {
	e := restoreJobs(projectID, clusterID)
	if batchID != "" {
		e.query = url.Values{"batchId": {batchID}}
	}
	return list[RestoreJob](ctx, c, e, page)
}

// RestoreJob returns a restore job of a cluster.
//
// It fails with RESTORE_JOB_NOT_FOUND or INVALID_JOB_ID (404) if there is none, with
// CLUSTER_NOT_FOUND (404) if the project has no such cluster, and with ErrOtherObject if the
// response is for another job.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-one-single-restore-job-for-one-cluster/
func (c *Client) RestoreJob(ctx context.Context, projectID, clusterID, jobID string) (*RestoreJob, error) {
	return call[RestoreJob](ctx, c, restoreJobs(projectID, clusterID, jobID).about(hexID("clusterId", clusterID), hexID("id", jobID)), nil)
}

// CreateRestoreJob starts a restore of a cluster and returns its jobs: one, or one for each
// shard of a sharded cluster. Change repeats the request only if the first attempt cannot have
// taken effect. An attempt may take ten timeouts, because Ops Manager validates the snapshot.
//
// It fails with these codes, among others:
//
//   - SNAPSHOT_NOT_FOUND (404) if the cluster has no such snapshot
//   - CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT,
//     CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT or
//     CANNOT_START_RESTORE_JOB_FOR_INCOMPLETE_CLUSTER_SNAPSHOT (409)
//   - INVALID_PIT_RESTORE_TIME (400), UNABLE_T0_FIND_SNAPSHOT_PRIOR_TO_PIT_RESTORE_OPTIME
//     (404), PIT_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS or
//     OPLOG_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS (400) for a point in time or an oplog
//     entry
//   - CANNOT_RESTORE_TO_TARGET (403) if the target does not exist or differs in topology, and
//     AUTOMATED_RESTORE_OF_SHARD_NOT_ALLOWED (400) if the source is a shard
//   - CONCURRENT_RESTORES or CONCURRENT_RESTORES_JOB_IDS if another restore is running
//   - EXPIRATION_DATE_IN_PAST (400) or LINK_EXPIRATION_AFTER_SNAPSHOT_DELETION (409) for the
//     expiry of a link
//   - RESTORE_VALIDATION_FAILED, SNAPSHOT_BLOCKS_MISSING (409) or
//     SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE (503, after about 30 seconds) for a snapshot that
//     is damaged or can't be validated
//
// If the response is missing or cannot be used, the restore may have been started.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/create-one-restore-job-for-one-cluster/
func (c *Client) CreateRestoreJob(ctx context.Context, projectID, clusterID string, request RestoreRequest) ([]RestoreJob, error) {
	e := restoreJobs(projectID, clusterID).changing(http.MethodPost, starts)
	var batch List[RestoreJob]
	if err := c.do(c.withSlowWrite(ctx), e, request, &batch); err != nil {
		return nil, err
	}
	for _, j := range batch.Results {
		if err := c.checkObject(e, j); err != nil {
			return nil, err
		}
		if stringValue(j.ID) == "" {
			return nil, e.undocumented("a job has no ID")
		}
	}
	if len(batch.Results) == 0 {
		return nil, e.undocumented("the list has no jobs")
	}
	return batch.Results, nil
}

// maxTimeRanges is the maximum number of ranges of a cluster. Their list has no pages. With a gap in
// each minute, a week would have as many ranges.
const maxTimeRanges = 10_080

// RestorableTimeRanges returns the ranges of time that a cluster can be restored to, from
// the earliest to the latest. The request is a POST that only reads.
//
// It fails with CLUSTER_NOT_FOUND (404) if the project has no such cluster, and like an
// unknown operation if Ops Manager is too old. Version 8.0.6 is the first one whose release
// notes mention ranges.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-restorable-time-ranges-for-one-cluster/
func (c *Client) RestorableTimeRanges(ctx context.Context, projectID, clusterID string) ([]RestorableTimeRange, error) {
	e := get("groups", projectID, "clusters", clusterID, "restoreJobs", "restorableTimeRanges").changing(http.MethodPost, readOnly)
	e.role = TimeRangeReader
	var ranges []RestorableTimeRange
	if err := c.do(ctx, e, nil, &ranges); err != nil {
		return nil, err
	}
	if len(ranges) > maxTimeRanges {
		return nil, e.undocumented("a cluster has %d ranges, and %d would be a gap in each minute of a week", len(ranges), maxTimeRanges)
	}
	return ranges, nil
}
