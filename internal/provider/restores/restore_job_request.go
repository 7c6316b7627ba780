package restores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// lostRequest is a request for a restore whose outcome is not known: Ops Manager may have started
// the restore. The private state keeps it until a person decides.
type lostRequest struct {
	Before     []string  `json:"before"`               // IDs of the jobs of the cluster before the request
	At         time.Time `json:"at"`                   // when it was sent, on the clock of this machine
	Guess      string    `json:"guess,omitempty"`      // ID of the restore in the state, which could be the requested one
	Candidates []string  `json:"candidates,omitempty"` // descriptions of the restores that could be the requested one
}

// lostKey is the key of the private state that stores the lostRequest.
const lostKey = "lost"

// searchTime is how long the provider looks for the restore of a lost request, as a multiple of
// SettleTime. Only the time in which Ops Manager can be read counts.
const searchTime = 3

// start requests a restore once, and returns its jobs. If the outcome is not known, it also returns
// the lost request and the reason, and the jobs are those of the only restore that could be the
// requested one, if there is one. If it adds an error to diags, no restore was started.
//
// Ops Manager refuses to restore a point in time until it has the oplog up to that time. Such a
// refusal starts nothing, so the request is sent again, for a bounded time.
func (r *restoreJobResource) start(ctx context.Context, m restoreJobModel, previous []opsmanager.RestoreJob, timeout time.Duration, diags *diag.Diagnostics) (jobs []opsmanager.RestoreJob, lost *lostRequest, err error) {
	begin := time.Now()
	waits, cancel := context.WithTimeout(ctx, min(timeout, oplogTime))
	defer cancel()
	_ = r.Wait(waits, func() (bool, error) {
		jobs, lost, err = r.request(ctx, m, previous, timeout, diags)
		if lost != nil || !m.lacksOplog(err) {
			return true, nil
		}
		elapsed := time.Since(begin).Round(time.Second)
		tflog.Info(ctx, "waiting for the oplog of a point in time", map[string]any{"cluster_id": m.ClusterID.ValueString(), "elapsed": elapsed.String()})
		connection.Progress(ctx, fmt.Sprintf("Ops Manager does not have the oplog up to %s yet (%s)", m.instant().UTC().Format(time.RFC3339Nano), elapsed))
		return false, nil
	})
	switch {
	case lost != nil || err == nil:
	case m.lacksOplog(err) && ctx.Err() != nil:
		diags.AddError(startSummary, interruptedBefore)
	case !errors.Is(err, errReported):
		diags.Append(m.failure(startSummary, err))
	}
	return jobs, lost, err
}

// oplogTime is how long the provider waits for the oplog of a point in time.
const oplogTime = 10 * time.Minute

// recentTime is the maximum age of a point in time whose oplog may not have arrived yet.
const recentTime = time.Hour

// lacksOplog reports whether Ops Manager refused to restore a point in time whose oplog may not have
// arrived yet. Observed servers return 409 then, with this text. No code is documented.
func (m restoreJobModel) lacksOplog(err error) bool {
	at := m.instant()
	var e *opsmanager.Error
	if at == nil || time.Since(*at) > recentTime || !errors.As(err, &e) || e.Err != nil || !e.Document || opsmanager.MayHaveChanged(err) {
		return false
	}
	return e.Code == "INVALID_PIT_RESTORE_TIME" ||
		e.Status == http.StatusConflict && (e.Code == "" || strings.Contains(strings.ToLower(e.Detail), "invalid restore point"))
}

// errReported is the error of a request that was not sent, for a reason that diags already has.
var errReported = errors.New("the request was not sent")

const interruptedBefore = "The run was interrupted before the request was sent. No restore was started."

// turns are those of the requests for restores.
var turns connection.Shared[connection.Turns]

// request sends a request for a restore. It returns its jobs, or an error if no restore was started,
// or the lost request.
func (r *restoreJobResource) request(ctx context.Context, m restoreJobModel, previous []opsmanager.RestoreJob, timeout time.Duration, diags *diag.Diagnostics) ([]opsmanager.RestoreJob, *lostRequest, error) {
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	done, err := turns.Of(r.Data).Take(ctx, cluster)
	if err != nil {
		diags.AddError(startSummary, interruptedBefore)
		return nil, nil, errReported
	}
	defer done()
	before, err := r.Client.ListRestoreJobs(ctx, project, cluster, "", opsmanager.Page{})
	if err != nil {
		return nil, nil, err
	}
	r.checkTarget(ctx, m, startSummary, diags)
	if ctx.Err() != nil && !diags.HasError() {
		diags.AddError(startSummary, interruptedBefore)
	}
	if diags.HasError() {
		return nil, nil, errReported
	}
	lost := &lostRequest{At: time.Now()}
	old := append(previous, before.Results...)
	for _, j := range old {
		if created := tfmodel.ParseTime(j.Created); created == nil || created.Sub(lost.At).Abs() <= 2*clockTolerance {
			lost.Before = append(lost.Before, tfmodel.Text(j.ID))
		}
	}
	jobs, err := r.Client.CreateRestoreJob(ctx, project, cluster, m.toAPI())
	switch {
	case err == nil && !slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool { return !m.mayHave(j) || hasJob(old, j) }):
		return jobs, nil, nil
	case err == nil:
		err = fmt.Errorf("Ops Manager responded with restore %s, which is not the requested one", opsmanager.Sanitize(restoreID(jobs))) //nolint:staticcheck // a name
	case !opsmanager.MayHaveChanged(err):
		return nil, nil, err
	}
	return r.search(ctx, m, lost, timeout), lost, err
}

// hasJob reports whether a list has a job.
func hasJob(jobs []opsmanager.RestoreJob, job opsmanager.RestoreJob) bool {
	return slices.ContainsFunc(jobs, func(j opsmanager.RestoreJob) bool { return tfmodel.Text(j.ID) == tfmodel.Text(job.ID) })
}

// restoreID returns the ID of a restore: that of its batch, or else that of its job.
func restoreID(jobs []opsmanager.RestoreJob) string {
	return cmp.Or(tfmodel.Text(jobs[0].BatchID), tfmodel.Text(jobs[0].ID))
}

// search looks for the restore of a lost request, until it finds one that could be it, or until
// searchTime is over. It ends at once if the run is interrupted.
func (r *restoreJobResource) search(ctx context.Context, m restoreJobModel, lost *lostRequest, timeout time.Duration) (jobs []opsmanager.RestoreJob) {
	begin, most := time.Now(), searchTime*r.SettleTime
	ctx, cancel := context.WithTimeout(ctx, max(timeout, most))
	defer cancel()
	_ = r.Wait(ctx, func() (bool, error) {
		found, err := r.find(ctx, m, lost)
		jobs = found
		isRead := err == nil // or else it is an outage
		return isRead && (len(lost.Candidates) > 0 || time.Since(begin) > most), nil
	})
	if len(jobs) > 0 {
		lost.Guess = restoreID(jobs)
	}
	return jobs
}

// find stores the candidates of a lost request, and returns the jobs of the only one.
func (r *restoreJobResource) find(ctx context.Context, m restoreJobModel, lost *lostRequest) ([]opsmanager.RestoreJob, error) {
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	all, err := r.Client.ListRestoreJobs(ctx, project, cluster, "", opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	found := lost.candidates(m, all.Results)
	if len(found) > 0 {
		if source, err := r.Client.Cluster(ctx, project, cluster); err == nil && source.TypeName != nil {
			isBatch := source.IsSharded()
			found = slices.DeleteFunc(found, func(jobs []opsmanager.RestoreJob) bool { return (jobs[0].BatchID != nil) != isBatch })
		}
	}
	lost.Candidates = nil
	for _, jobs := range found {
		lost.Candidates = append(lost.Candidates, opsmanager.Sanitize(fmt.Sprintf("%s/%s/%s, requested at %s, %s",
			project, cluster, restoreID(jobs), cmp.Or(tfmodel.Text(jobs[0].Created), "an unknown time"), statusOf(jobs))))
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, nil
}

// clockTolerance is the maximum time between the request and the creation of its restore.
// The clocks may differ.
const clockTolerance = time.Hour

// candidates returns the restores that could be the requested one, each as its jobs.
func (q lostRequest) candidates(m restoreJobModel, jobs []opsmanager.RestoreJob) (found [][]opsmanager.RestoreJob) {
	byID := map[string]int{}
	for _, j := range jobs {
		created := tfmodel.ParseTime(j.Created)
		isOld := created != nil && created.Sub(q.At).Abs() > clockTolerance
		if tfmodel.Text(j.ID) == "" || isOld || slices.Contains(q.Before, *j.ID) || !m.mayHave(j) || !m.delivers(j) || !m.endsAt(j) {
			continue
		}
		id := restoreID([]opsmanager.RestoreJob{j})
		if i, ok := byID[id]; ok {
			found[i] = append(found[i], j)
			continue
		}
		byID[id] = len(found)
		found = append(found, []opsmanager.RestoreJob{j})
	}
	return found
}
