package restores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// statusUnknown is the status of a restore whose jobs Ops Manager does not return, of one whose request may have
// started it, and of one whose delivery is not known.
const statusUnknown = "UNKNOWN"

// failedStatuses are the statuses of a restore that has failed, from the mildest to the worst. Only
// KILLED and BROKEN are documented for a job. Any other unknown status may be that of a running job.
var failedStatuses = []string{
	"EXPIRED",
	"CANCELED",
	"CANCELLED",
	"INTERRUPTED",
	opsmanager.RestoreKilled,
	"FAILED",
	opsmanager.RestoreBroken,
}

// deliveryOf returns the status of the delivery of a job, or "".
func deliveryOf(j opsmanager.RestoreJob) string {
	return tf.Text(cmp.Or(j.Delivery, &opsmanager.RestoreDelivery{}).StatusName)
}

// isUndelivered reports whether a job has finished, and it is not known how it was delivered. The documentation names no
// response without the status of the delivery, so a missing one says nothing.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/restorejobs/get-one-single-restore-job-for-one-cluster/
func isUndelivered(j opsmanager.RestoreJob) bool {
	return tf.Text(j.StatusName) == opsmanager.RestoreFinished && deliveryOf(j) == ""
}

// statusOfJob returns the status of a job. If a job has finished and its delivery has failed, that is
// the status of the delivery. If its delivery is not known, neither is its status.
func statusOfJob(j opsmanager.RestoreJob) string {
	status := tf.Text(j.StatusName)
	delivered := deliveryOf(j)
	switch {
	case isUndelivered(j):
		return statusUnknown
	case status == opsmanager.RestoreFinished && (delivered == "FAILED" || delivered == "INTERRUPTED"):
		return delivered
	}
	return status
}

// The ranks of jobs that have not failed.
const (
	rankFinished = iota
	rankUndelivered
	rankRunning
)

// rankOf returns the rank of a job: the greater, the worse. A job that has failed has more than a running one.
func rankOf(j opsmanager.RestoreJob) int {
	status := statusOfJob(j)
	switch {
	case status == opsmanager.RestoreFinished:
		return rankFinished
	case isUndelivered(j):
		return rankUndelivered
	}
	return rankRunning + 1 + slices.Index(failedStatuses, status)
}

// statusOf returns the status of a restore: the worst of a failed job, else the status of a running
// job, else UNKNOWN if a delivery is, else FINISHED.
func statusOf(jobs []opsmanager.RestoreJob) string {
	if len(jobs) == 0 {
		return statusUnknown
	}
	worst := slices.MaxFunc(jobs, func(a, b opsmanager.RestoreJob) int {
		return cmp.Compare(rankOf(a), rankOf(b))
	})
	return cmp.Or(statusOfJob(worst), statusUnknown)
}

// hasEnded reports whether all jobs of a restore have a final status.
func hasEnded(jobs []opsmanager.RestoreJob) bool {
	return len(jobs) > 0 && !slices.ContainsFunc(jobs, isRunning)
}

func isRunning(j opsmanager.RestoreJob) bool { return rankOf(j) == rankRunning }

// mayTellMore reports whether a job has finished, and a later response may say how it was delivered, or have its link.
func (m restoreJobModel) mayTellMore(jobs []opsmanager.RestoreJob) bool {
	return slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool {
		delivered, hasFinished := deliveryOf(j), rankOf(j) <= rankUndelivered
		isDelivering := slices.Contains([]string{"", "NOT_STARTED", "IN_PROGRESS"}, delivered)
		hasNoLink := slices.Contains([]string{"EXPIRED", "MAX_DOWNLOADS_EXCEEDED"}, delivered)
		lacksLink := m.isLink() && !hasNoLink && tf.Text(cmp.Or(j.Delivery, &opsmanager.RestoreDelivery{}).URL) == ""
		return hasFinished && (isDelivering || lacksLink)
	})
}

// errForgotten is the error of a batch that Ops Manager does not return, or not with all of its jobs.
var errForgotten = errors.New("Ops Manager does not return the jobs of the restore") //nolint:staticcheck // a name

func isForgotten(err error) bool {
	return opsmanager.IsMissing(err, opsmanager.ObjectRestore) || errors.Is(err, errForgotten)
}

// forgottenTime is how long a wait goes without a list that has the jobs of a restore. The list may be
// late by minutes.
const forgottenTime = 10 * time.Minute

// follow waits until a restore has ended, and sets the computed values. If it has not ended, it returns when the wait ended.
func (r *restoreJobResource) follow(
	ctx context.Context, m *restoreJobModel, jobs []opsmanager.RestoreJob, timeout time.Duration,
) (left string) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	begin := time.Now()
	jobs, err := r.await(ctx, *m, jobs)
	m.fromRead(jobs, err)
	left = "when the run was interrupted"
	switch {
	case err == nil:
		return ""
	case isForgotten(err):
		return "when Ops Manager no longer returned it. " + strings.TrimSuffix(tf.Sentence(err), ".")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		left = fmt.Sprintf("after %s. If the restore only needs more time, set a longer timeout in timeouts", time.Since(begin).Round(time.Second))
	}
	if incomplete, ok := errors.AsType[incompleteError](err); ok {
		left += ". " + incomplete.Error()
	} else if e, ok := errors.AsType[*opsmanager.Error](err); ok {
		left += ". Its status could not be read: " + strings.TrimSuffix(e.Error(), ".")
	}
	return left
}

// await reads the jobs of a restore until all of them have ended, and returns them as last read. It
// ends early only if Ops Manager has forgotten the restore.
func (r *restoreJobResource) await(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	begin := time.Now()
	returned := begin
	var ended time.Time // when all jobs were first seen to have ended
	var failure error   // of the last read
	isDone := func() bool {
		if failure == nil {
			failure = r.incomplete(ctx, m, jobs)
		}
		if ended.IsZero() && failure == nil && hasEnded(jobs) {
			ended = time.Now()
		}
		return !ended.IsZero() && (!m.mayTellMore(jobs) || time.Since(ended) > r.SettleTime)
	}
	if isDone() {
		return jobs, nil
	}
	err := r.Wait(ctx, func() (bool, error) {
		jobs, failure = r.read(ctx, m, jobs)
		switch {
		case failure == nil:
			returned = time.Now()
		case isForgotten(failure) && time.Since(returned) > forgottenTime:
			return true, failure
		}
		done := isDone()
		m.fromRead(jobs, failure)
		elapsed := time.Since(begin).Round(time.Second).String()
		tflog.Info(ctx, "waiting for a restore", map[string]any{
			"cluster_id":  m.ClusterID.ValueString(),
			"status_name": m.StatusName.ValueString(),
			"elapsed":     elapsed,
		})
		connection.Progress(ctx, fmt.Sprintf("Restore %s is %s (%s)", restoreID(jobs[0]), m.StatusName.ValueString(), elapsed))
		return done, nil
	})
	switch {
	case !ended.IsZero(): // only the delivery or a link is missing
		return jobs, nil
	case failure != nil && !isForgotten(err) && !errors.Is(failure, ctx.Err()):
		err = errors.Join(err, failure)
	}
	return jobs, err
}

// incompleteError says that the jobs of a batch may not all be known, and why.
type incompleteError string

func (e incompleteError) Error() string {
	return "Ops Manager may not have returned all of its jobs: " + string(e)
}

// incomplete returns an error if the jobs of a restore have ended, unless they are all that it has. That of
// a sharded cluster has one for each shard, and its list may lack some for minutes.
func (r *restoreJobResource) incomplete(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) error {
	if !hasEnded(jobs) {
		return nil
	}
	switch restored, all, err := r.countShards(ctx, m, jobs); {
	case err != nil:
		return incompleteError("the number of shards could not be read. " + strings.TrimSuffix(tf.Sentence(err), "."))
	case all == 0:
		return incompleteError("the number of shards is not known")
	case restored < all:
		return incompleteError(fmt.Sprintf("it returned %d, for %d shards", restored, all))
	}
	return nil
}

// countShards returns the number of shards that the jobs of a restore are about, and how many there are to restore, or 0 if
// that is not known. The snapshot says that, or else the cluster, which may have gained or lost some since. A replica set counts
// as one.
func (r *restoreJobResource) countShards(
	ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob,
) (restored, all int, err error) {
	project, cluster := m.IDs()
	if jobs[0].BatchID == nil {
		source, err := r.Client.Cluster(ctx, project, cluster)
		if err != nil {
			return 0, 0, err
		}
		if source.TypeName != nil && !source.IsSharded() {
			return 1, 1, nil
		}
	}
	clusters, err := opsmanager.Identified(r.Client.ListClusters(ctx, project))
	if err != nil {
		return 0, 0, err
	}
	snapshot, err := r.restoredSnapshot(ctx, m, jobs)
	if err != nil {
		return 0, 0, err
	}
	parts := partsOf(clusters.Results, cluster)
	return m.restoredShards(jobs, parts), shardsToRestore(snapshot, parts), nil
}

// shardsToRestore returns the number of shards of a snapshot, or else among the parts of its cluster, or 0 if neither is known.
func shardsToRestore(snapshot *opsmanager.ClusterSnapshot, parts map[string]bool) (all int) {
	if snapshot != nil && len(snapshot.MissingShards) == 0 {
		for _, part := range snapshot.Parts {
			if isShard(part.TypeName) {
				all++
			}
		}
	}
	if all == 0 {
		for _, isShard := range parts {
			if isShard {
				all++
			}
		}
	}
	return all
}

// partsOf returns the IDs of the parts of a sharded cluster, and whether each is a shard. A part without a name may belong
// to any cluster, so it counts.
func partsOf(project []opsmanager.Cluster, clusterID string) map[string]bool {
	parts := map[string]bool{}
	i := slices.IndexFunc(project, func(c opsmanager.Cluster) bool {
		return strings.EqualFold(tf.Text(c.ID), clusterID)
	})
	isWhole := opsmanager.WholeClusters(project)
	for _, part := range project {
		isNameless := part.Name() == nil || i >= 0 && project[i].Name() == nil
		if i >= 0 && !isWhole(part) && (isNameless || *part.Name() == *project[i].Name()) {
			parts[strings.ToLower(tf.Text(part.ID))] = isShard(part.TypeName)
		}
	}
	return parts
}

// certainParts returns the parts of a sharded cluster, like partsOf. It returns none unless each cluster of the project has a
// name and a type, and no other sharded cluster has the same name.
func (r *restoreJobResource) certainParts(ctx context.Context, of projects.ClusterIdentity) map[string]bool {
	project, id := of.IDs()
	clusters, err := opsmanager.Identified(r.Client.ListClusters(ctx, project))
	if err != nil {
		return nil
	}
	all := clusters.Results
	i := slices.IndexFunc(all, func(c opsmanager.Cluster) bool { return strings.EqualFold(tf.Text(c.ID), id) })
	if i < 0 || !all[i].IsSharded() {
		return nil
	}
	for j, other := range all {
		isNamesake := j != i && other.IsSharded() && tf.Text(other.Name()) == tf.Text(all[i].Name())
		if isNamesake || other.Name() == nil || other.TypeName == nil {
			return nil
		}
	}
	return partsOf(all, id)
}

// restoredShards returns the number of shards that the jobs of a restore are about. No source says that the config
// servers have a job, so theirs counts for no shard. Jobs that name the whole cluster, or no cluster, can't be told apart.
func (m restoreJobModel) restoredShards(jobs []opsmanager.RestoreJob, parts map[string]bool) int {
	shards := map[string]bool{}
	for _, j := range jobs {
		part := strings.ToLower(tf.Text(j.ClusterID))
		isShard, isKnown := parts[part]
		switch {
		case part == "" || strings.EqualFold(part, m.ClusterID.ValueString()):
			shards[tf.Text(j.ID)] = true
		case isShard || !isKnown: // it has left the cluster
			shards[part] = true
		}
	}
	return len(shards)
}

// restoredSnapshot returns the snapshot that a restore starts from, or nil if it is not known. That of a point in time
// is the last one before.
func (r *restoreJobResource) restoredSnapshot(
	ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob,
) (*opsmanager.ClusterSnapshot, error) {
	project, cluster := m.IDs()
	if !m.SnapshotID.IsNull() {
		snapshot, err := r.Client.ClusterSnapshot(ctx, project, cluster, m.SnapshotID.ValueString())
		if opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) {
			return nil, nil
		}
		return snapshot, err
	}
	at := m.instant()
	if at == nil && len(jobs) > 0 && jobs[0].Timestamp != nil { // imported
		at = tf.ParseTime(jobs[0].Timestamp.Date)
	}
	if at == nil {
		return nil, nil
	}
	all, err := opsmanager.Identified(r.Client.ListClusterSnapshots(ctx, project, cluster, "true", opsmanager.Page{}))
	if err != nil {
		return nil, err
	}
	var last *opsmanager.ClusterSnapshot
	var lastTaken time.Time
	for i, s := range all.Results {
		taken := tf.ParseTime(cmp.Or(s.Created, new(opsmanager.Timestamp)).Date)
		if taken != nil && !taken.After(*at) && taken.After(lastTaken) {
			last = &all.Results[i]
			lastTaken = *taken
		}
	}
	return last, nil
}

// isShard reports whether a part of a sharded cluster has data. CONFIG_SHARD_REPLICA_SET has.
func isShard(typeName *string) bool {
	return !strings.HasPrefix(tf.Text(typeName), "CONFIG_SERVER")
}

// read reads the jobs of a restore again. Fields and jobs that Ops Manager leaves out keep their
// values, also with an error. It is an error if Ops Manager no longer returns a job that was running,
// and no other job is running.
func (r *restoreJobResource) read(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	if batch := tf.Text(jobs[0].BatchID); batch != "" {
		read, err := r.batch(ctx, m, batch)
		if err != nil {
			return jobs, err
		}
		isMissing := slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool {
			return isRunning(j) && indexOf(read, j) < 0
		})
		if isMissing && !slices.ContainsFunc(read, isRunning) {
			err = errForgotten
		}
		return preferRead(jobs, read), err
	}
	project, cluster := m.IDs()
	var read []opsmanager.RestoreJob
	for _, j := range jobs {
		one, err := r.Client.RestoreJob(ctx, project, cluster, tf.Text(j.ID))
		if err != nil {
			return jobs, err
		}
		read = append(read, *one) // without an ID, it may be any job
	}
	return preferRead(jobs, read), nil
}

// batch reads the jobs of a batch.
func (r *restoreJobResource) batch(ctx context.Context, m restoreJobModel, id string) ([]opsmanager.RestoreJob, error) {
	project, cluster := m.IDs()
	all, err := opsmanager.Identified(r.Client.ListRestoreJobs(ctx, project, cluster, id, opsmanager.Page{}))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all.Results, func(j opsmanager.RestoreJob) bool {
		return !strings.EqualFold(tf.Text(j.BatchID), id)
	}), nil
}

// indexOf returns where a list has a job, or -1.
func indexOf(jobs []opsmanager.RestoreJob, job opsmanager.RestoreJob) int {
	return slices.IndexFunc(jobs, func(j opsmanager.RestoreJob) bool {
		return strings.EqualFold(tf.Text(j.ID), tf.Text(job.ID))
	})
}

// preferRead returns the known jobs of a restore, updated with those that were read.
func preferRead(known, read []opsmanager.RestoreJob) []opsmanager.RestoreJob {
	jobs := slices.Clone(known)
	for _, is := range read {
		switch i := indexOf(jobs, is); {
		case tf.Text(is.ID) == "":
		case i < 0:
			jobs = append(jobs, is)
		default:
			was := jobs[i]
			is.BatchID = cmp.Or(is.BatchID, was.BatchID)
			is.ClusterID = cmp.Or(is.ClusterID, was.ClusterID)
			is.SnapshotID = cmp.Or(is.SnapshotID, was.SnapshotID)
			is.Created = cmp.Or(is.Created, was.Created)
			is.StatusName = cmp.Or(is.StatusName, was.StatusName)
			is.Delivery = preferDelivery(was, is)
			jobs[i] = is
		}
	}
	return jobs
}

// preferDelivery returns the delivery of a job that was read. It keeps the status of a delivery that the response leaves
// out, unless the job has ended since: what was seen before says nothing about the end.
func preferDelivery(was, is opsmanager.RestoreJob) *opsmanager.RestoreDelivery {
	delivery := *cmp.Or(is.Delivery, was.Delivery, &opsmanager.RestoreDelivery{})
	delivered := deliveryOf(is)
	if delivered == "" && tf.Text(was.StatusName) == tf.Text(is.StatusName) {
		delivered = deliveryOf(was)
	}
	delivery.StatusName = nil
	if delivered != "" {
		delivery.StatusName = &delivered
	}
	return &delivery
}
