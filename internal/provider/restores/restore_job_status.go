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
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

const (
	// statusUnknown is the status of a restore whose jobs Ops Manager does not return.
	statusUnknown = "UNKNOWN"
	// statusUnconfirmed is the status of a restore that could be another one than the requested one.
	statusUnconfirmed = "UNCONFIRMED"
)

// failedStatuses are the statuses of a restore that has failed, from the mildest to the worst. Only
// KILLED and BROKEN are documented for a job. Any other unknown status may be that of a running job.
var failedStatuses = []string{"EXPIRED", "CANCELED", "CANCELLED", "INTERRUPTED", opsmanager.RestoreKilled, "FAILED", opsmanager.RestoreBroken}

// statusOfJob returns the status of a job. If a job has finished and its delivery has failed, that is
// the status of the delivery.
func statusOfJob(j opsmanager.RestoreJob) string {
	status := tfmodel.Text(j.StatusName)
	if status != opsmanager.RestoreFinished || j.Delivery == nil {
		return status
	}
	if delivered := tfmodel.Text(j.Delivery.StatusName); delivered == "FAILED" || delivered == "INTERRUPTED" {
		return delivered
	}
	return status
}

// statusOf returns the status of a restore: the worst of a failed job, else the status of a running
// job, else FINISHED.
func statusOf(jobs []opsmanager.RestoreJob) string {
	status, rank := statusUnknown, 0
	for _, j := range jobs {
		is := statusOfJob(j)
		const finished, running, failed = 1, 2, 3
		of := running
		if is == opsmanager.RestoreFinished {
			of = finished
		} else if i := slices.Index(failedStatuses, is); i >= 0 {
			of = failed + i
		}
		if of > rank {
			rank, status = of, cmp.Or(is, statusUnknown)
		}
	}
	return status
}

// hasEnded reports whether all jobs of a restore have a final status.
func hasEnded(jobs []opsmanager.RestoreJob) bool {
	return len(jobs) > 0 && !slices.ContainsFunc(jobs, isRunning)
}

func isRunning(j opsmanager.RestoreJob) bool {
	status := statusOfJob(j)
	return status != opsmanager.RestoreFinished && !slices.Contains(failedStatuses, status)
}

// lacksLink reports whether a job of a restore to a link has finished, and its link may still appear.
func (m restoreJobModel) lacksLink(jobs []opsmanager.RestoreJob) bool {
	return m.isLink() && slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool {
		d := cmp.Or(j.Delivery, &opsmanager.RestoreDelivery{})
		return statusOfJob(j) == opsmanager.RestoreFinished && tfmodel.Text(d.URL) == "" && !slices.Contains([]string{"EXPIRED", "MAX_DOWNLOADS_EXCEEDED"}, tfmodel.Text(d.StatusName))
	})
}

// errForgotten is the error of a batch that Ops Manager does not return, or not with all of its jobs.
var errForgotten = errors.New("Ops Manager does not return the jobs of the restore") //nolint:staticcheck // a name

func isForgotten(err error) bool { return opsmanager.IsGone(err) || errors.Is(err, errForgotten) }

// follow reads the jobs of a restore until all of them have ended, and returns them as last
// read. It ends early only if Ops Manager has forgotten the restore.
//
// A list may lack jobs of a batch at first, so a batch has ended when two reads that are SettleTime
// apart, and those between them, have the same jobs. A new restore may not be readable at once, so it is forgotten when it is not returned
// for SettleTime.
func (r *restoreJobResource) follow(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	begin := time.Now()
	returned := begin
	var changed, lastRead time.Time // of the jobs
	var failure error               // of the last read
	isDone := func() bool {
		settled := lastRead.Sub(changed) > r.SettleTime
		return hasEnded(jobs) && (settled || jobs[0].BatchID == nil && !m.lacksLink(jobs))
	}
	err := r.Wait(ctx, func() (bool, error) {
		if isDone() {
			return true, nil
		}
		sent := time.Now()
		read, err := r.read(ctx, m, jobs)
		if len(read) > 0 {
			if changed.IsZero() || len(read) != len(jobs) || hasEnded(read) != hasEnded(jobs) {
				changed = time.Now()
			}
			jobs, lastRead = read, sent
		}
		switch failure = err; {
		case err == nil:
			returned = time.Now()
		case !isForgotten(err): // an outage
		case time.Since(returned) > r.SettleTime:
			return true, err
		}
		elapsed := time.Since(begin).Round(time.Second).String()
		tflog.Info(ctx, "waiting for a restore", map[string]any{"cluster_id": m.ClusterID.ValueString(), "status_name": statusOf(jobs), "elapsed": elapsed})
		connection.Progress(ctx, fmt.Sprintf("Restore %s is %s (%s)", restoreID(jobs), statusOf(jobs), elapsed))
		return isDone(), nil
	})
	if hasEnded(jobs) && jobs[0].BatchID == nil {
		err = nil // only the link is missing
	}
	if err != nil && failure != nil && !isForgotten(err) && !errors.Is(failure, ctx.Err()) {
		err = errors.Join(err, failure)
	}
	return jobs, err
}

// unfinished says when the wait for a restore ended.
func unfinished(ctx context.Context, begin time.Time, err error) string {
	var text string
	switch {
	case isForgotten(err):
		return "when Ops Manager no longer returned it. " + strings.TrimSuffix(diagnostics.Sentence(err), ".")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		text = fmt.Sprintf("after %s. If the restore only needs more time, set a longer timeout in timeouts", time.Since(begin).Round(time.Second))
	default:
		text = "when the run was interrupted"
	}
	var e *opsmanager.Error
	if errors.As(err, &e) {
		text += ". Its status could not be read: " + strings.TrimSuffix(e.Error(), ".")
	}
	return text
}

// read reads the jobs of a restore again. Fields and jobs that Ops Manager leaves out keep their
// values. If it no longer returns a job that was running, and no other job is running, the jobs that
// were read come with an error.
func (r *restoreJobResource) read(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	if batch := tfmodel.Text(jobs[0].BatchID); batch != "" {
		all, err := r.Client.ListRestoreJobs(ctx, project, cluster, batch, opsmanager.Page{})
		if err != nil {
			return nil, err
		}
		read := slices.DeleteFunc(all.Results, func(j opsmanager.RestoreJob) bool { return tfmodel.Text(j.BatchID) != batch })
		isMissing := slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool { return isRunning(j) && !hasJob(read, j) })
		if isMissing && !slices.ContainsFunc(read, isRunning) {
			return preferRead(jobs, read), errForgotten
		}
		return preferRead(jobs, read), nil
	}
	var read []opsmanager.RestoreJob
	for _, j := range jobs {
		one, err := r.Client.RestoreJob(ctx, project, cluster, tfmodel.Text(j.ID))
		if err != nil {
			return nil, err
		}
		read = append(read, *one) // without an ID, it may be any job
	}
	return preferRead(jobs, read), nil
}

// preferRead returns the known jobs of a restore, updated with those that were read.
func preferRead(known, read []opsmanager.RestoreJob) []opsmanager.RestoreJob {
	jobs := slices.Clone(known)
	for _, is := range read {
		i := slices.IndexFunc(jobs, func(was opsmanager.RestoreJob) bool { return tfmodel.Text(was.ID) == tfmodel.Text(is.ID) })
		switch {
		case tfmodel.Text(is.ID) == "":
		case i < 0:
			jobs = append(jobs, is)
		default:
			was := jobs[i]
			is.BatchID, is.ClusterID, is.SnapshotID = cmp.Or(is.BatchID, was.BatchID), cmp.Or(is.ClusterID, was.ClusterID), cmp.Or(is.SnapshotID, was.SnapshotID)
			is.Created, is.StatusName, is.Delivery = cmp.Or(is.Created, was.Created), cmp.Or(is.StatusName, was.StatusName), cmp.Or(is.Delivery, was.Delivery)
			jobs[i] = is
		}
	}
	return jobs
}
