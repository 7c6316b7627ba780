package restores

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// lostRequest is a request for a restore whose response was lost. Its restore has not been
// found.
type lostRequest struct {
	Before     []string  `json:"before"`               // IDs of the jobs of the cluster before the request
	At         time.Time `json:"at"`                   // when it was sent, on the clock of this machine
	Candidates []string  `json:"candidates,omitempty"` // descriptions of the restores, if several could be the requested one
}

// lostKey is the key of the private state that stores the lostRequest.
const lostKey = "lost"

// clockTolerance is the maximum time between the request and the creation of its restore.
// The clocks may differ.
const clockTolerance = time.Hour

// candidates returns the restores that could be the requested one, each as its jobs.
func (q lostRequest) candidates(request opsmanager.RestoreRequest, jobs []opsmanager.RestoreJob) (found [][]opsmanager.RestoreJob) {
	byID := map[string]int{}
	for _, j := range jobs {
		if tfmodel.Text(j.ID) == "" || slices.Contains(q.Before, *j.ID) || !q.matches(request, j) {
			continue
		}
		id := cmp.Or(tfmodel.Text(j.BatchID), *j.ID)
		if i, ok := byID[id]; ok {
			found[i] = append(found[i], j)
			continue
		}
		byID[id] = len(found)
		found = append(found, []opsmanager.RestoreJob{j})
	}
	return found
}

// matches reports whether a job could result from the request, as far as Ops Manager
// returns its time and its source. A job of a batch may have the ID of a part of the
// snapshot.
func (q lostRequest) matches(request opsmanager.RestoreRequest, j opsmanager.RestoreJob) bool {
	isSnapshot := request.SnapshotID != nil
	created := tfmodel.ParseTime(j.Created)
	switch {
	case created != nil && created.Sub(q.At).Abs() > clockTolerance:
		return false
	case j.PointInTime != nil && *j.PointInTime == isSnapshot:
		return false
	}
	return !isSnapshot || j.BatchID != nil || j.SnapshotID == nil || strings.EqualFold(*j.SnapshotID, *request.SnapshotID)
}

// find looks for the restore of a lost request, and stores its candidates if there are
// several.
func (r *restoreJobResource) find(ctx context.Context, m restoreJobModel, lost *lostRequest) ([]opsmanager.RestoreJob, error) {
	all, err := r.Client.ListRestoreJobs(ctx, m.ProjectID.ValueString(), m.ClusterID.ValueString(), "", opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	found := lost.candidates(m.toAPI(), all.Results)
	lost.Candidates = nil
	if len(found) == 1 {
		return found[0], nil
	}
	for _, jobs := range found {
		lost.Candidates = append(lost.Candidates, opsmanager.Sanitize(fmt.Sprintf("%s/%s/%s, created %s, %s",
			m.ProjectID.ValueString(), m.ClusterID.ValueString(), cmp.Or(tfmodel.Text(jobs[0].BatchID), tfmodel.Text(jobs[0].ID)), cmp.Or(tfmodel.Text(jobs[0].Created), "at an unknown time"), statusOf(jobs))))
	}
	return nil, nil
}

// start requests a restore once, and returns its jobs. If the response is lost, it looks for new
// jobs that match the request. If it does not find them, it returns the lost request and its
// error. If it adds an error to diags, no restore was started.
func (r *restoreJobResource) start(ctx context.Context, m restoreJobModel, previous []opsmanager.RestoreJob, diags *diag.Diagnostics) (jobs []opsmanager.RestoreJob, lost *lostRequest, err error) {
	// One request at a time, so that no request mistakes the restore of another one for its own.
	turn := connection.Shared[sync.Mutex](r.Data)
	turn.Lock()
	defer turn.Unlock()
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	before, err := r.Client.ListRestoreJobs(ctx, project, cluster, "", opsmanager.Page{})
	if err != nil {
		diags.Append(m.failure(startSummary, err))
		return nil, nil, nil
	}
	r.checkTarget(ctx, m, startSummary, diags)
	if ctx.Err() != nil && !diags.HasError() {
		diags.AddError(startSummary, "The run was interrupted before the request was sent. No restore was started.")
	}
	if diags.HasError() {
		return nil, nil, nil
	}
	lost = &lostRequest{At: time.Now()}
	for _, j := range append(previous, before.Results...) {
		if created := tfmodel.ParseTime(j.Created); created == nil || created.Sub(lost.At).Abs() <= 2*clockTolerance {
			lost.Before = append(lost.Before, tfmodel.Text(j.ID))
		}
	}
	jobs, err = r.Client.CreateRestoreJob(ctx, project, cluster, m.toAPI())
	switch {
	case err == nil:
		return jobs, nil, nil
	case !opsmanager.MayHaveChanged(err):
		diags.Append(m.failure(startSummary, err))
		return nil, nil, nil
	}
	r.Settle(context.WithoutCancel(ctx), func() bool { // even after Ctrl-C
		jobs, _ = r.find(context.WithoutCancel(ctx), m, lost)
		return len(jobs) > 0 || len(lost.Candidates) > 0
	})
	if len(jobs) > 0 {
		return jobs, nil, nil
	}
	return nil, lost, err
}

// follow reads the jobs of a restore until all of them have ended, and returns them as last
// read. A job may not be readable at once, and Ops Manager may forget it.
func (r *restoreJobResource) follow(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	begin := time.Now()
	err := r.Wait(ctx, func() (bool, error) {
		if hasEnded(jobs) {
			return true, nil
		}
		read, err := r.read(ctx, m, jobs)
		switch {
		case err == nil:
			jobs = read
		case !opsmanager.IsGone(err) || time.Since(begin) > r.SettleTime:
			return false, err
		}
		tflog.Info(ctx, "waiting for a restore", map[string]any{
			"cluster_id": m.ClusterID.ValueString(), "status_name": statusOf(jobs), "elapsed": time.Since(begin).Round(time.Second).String(),
		})
		connection.Progress(ctx, fmt.Sprintf("Restore %s is %s (%s)", cmp.Or(tfmodel.Text(jobs[0].BatchID), tfmodel.Text(jobs[0].ID)), statusOf(jobs), time.Since(begin).Round(time.Second)))
		return hasEnded(jobs), nil
	})
	return jobs, err
}

// read reads the jobs of a restore again. Fields and jobs that Ops Manager leaves out keep their
// values.
func (r *restoreJobResource) read(ctx context.Context, m restoreJobModel, jobs []opsmanager.RestoreJob) ([]opsmanager.RestoreJob, error) {
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	if batch := tfmodel.Text(jobs[0].BatchID); batch != "" {
		all, err := r.Client.ListRestoreJobs(ctx, project, cluster, batch, opsmanager.Page{})
		if err != nil {
			return nil, err
		}
		return merged(jobs, slices.DeleteFunc(all.Results, func(j opsmanager.RestoreJob) bool { return tfmodel.Text(j.BatchID) != batch })), nil
	}
	one, err := r.Client.RestoreJob(ctx, project, cluster, tfmodel.Text(jobs[0].ID))
	if err != nil {
		return nil, err
	}
	one.ID = jobs[0].ID
	return merged(jobs, []opsmanager.RestoreJob{*one}), nil
}

// merged returns the known jobs of a restore, updated with those that were read.
func merged(known, read []opsmanager.RestoreJob) []opsmanager.RestoreJob {
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
