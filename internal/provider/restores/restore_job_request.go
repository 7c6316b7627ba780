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
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// start requests a restore once, and returns its jobs. If it is not known whether Ops Manager started
// the restore, lost is the reason. If it adds an error to diags, no restore was started.
//
// Ops Manager refuses to restore a point in time until it has the oplog up to that time. Such a
// refusal starts nothing, so the request is sent again, for a bounded time.
func (r *restoreJobResource) start(
	ctx context.Context, m restoreJobModel, timeout time.Duration, diags *diag.Diagnostics,
) (jobs []opsmanager.RestoreJob, lost error) {
	begin := time.Now()
	waits, cancel := context.WithTimeout(ctx, min(timeout, oplogTime))
	defer cancel()
	var err error
	_ = r.Wait(waits, func() (bool, error) {
		jobs, err = r.request(ctx, m)
		if !m.lacksOplog(err) {
			return true, nil
		}
		elapsed := time.Since(begin).Round(time.Second)
		tflog.Info(ctx, "waiting for the oplog of a point in time", map[string]any{
			"cluster_id": m.ClusterID.ValueString(),
			"elapsed":    elapsed.String(),
		})
		connection.Progress(ctx, fmt.Sprintf("Ops Manager does not have the oplog up to %s yet (%s)", m.instant().UTC().Format(time.RFC3339Nano), elapsed))
		return false, nil
	})
	switch {
	case err == nil && slices.ContainsFunc(jobs, m.isOther):
		return nil, fmt.Errorf("Ops Manager responded with restore %s, which is not the requested one", opsmanager.Sanitize(restoreID(jobs[0]))) //nolint:staticcheck // a name
	case err == nil:
		return jobs, nil
	case opsmanager.MayHaveChanged(err):
		return nil, err
	case m.lacksOplog(err) && ctx.Err() != nil:
		diags.AddError(startSummary, interruptedBefore)
	default:
		diags.Append(m.failure(startSummary, err))
	}
	return nil, nil
}

// request sends the request of a restore. It checks the target before, and before it repeats a request that was refused:
// the target may have been renamed meanwhile.
func (r *restoreJobResource) request(ctx context.Context, m restoreJobModel) (jobs []opsmanager.RestoreJob, err error) {
	var refused error // by the last check
	check := func(ctx context.Context) (target *opsmanager.Cluster, err error) {
		target, refused = r.checkTarget(ctx, m, startSummary)
		if refused == nil && ctx.Err() != nil {
			refused = tf.Explained{Diagnostic: diag.NewErrorDiagnostic(startSummary, interruptedBefore)}
		}
		return target, refused
	}
	target, err := check(ctx)
	if err != nil {
		return nil, err
	}
	request := func(attempt context.Context, target *opsmanager.Cluster) (*opsmanager.Cluster, error) {
		project, cluster := m.IDs()
		jobs, err = r.Client.CreateRestoreJob(attempt, project, cluster, m.toAPI())
		jobs = distinct(jobs)
		return target, err
	}
	_, err = opsmanager.Change(ctx, r.Client, opsmanager.ObjectCluster, target, check, request)
	if refused != nil {
		return nil, refused
	}
	return jobs, err
}

// distinct returns jobs without those whose ID an earlier one has.
func distinct(jobs []opsmanager.RestoreJob) (found []opsmanager.RestoreJob) {
	for _, j := range jobs {
		if tf.Text(j.ID) == "" || indexOf(found, j) < 0 {
			found = append(found, j)
		}
	}
	return found
}

// oplogTime is how long the provider waits for the oplog of a point in time.
const oplogTime = 10 * time.Minute

// recentTime is the maximum age of a point in time whose oplog may not have arrived yet.
const recentTime = time.Hour

// lacksOplog reports whether Ops Manager refused to restore a point in time whose oplog may not have
// arrived yet. No code is documented for that. The one of a time that can't be restored may mean it, and observed servers
// return 409 with this text.
func (m restoreJobModel) lacksOplog(err error) bool {
	at := m.instant()
	e, ok := errors.AsType[*opsmanager.Error](err)
	isRecent := at != nil && time.Since(*at) <= recentTime
	isRefusal := ok && e.Err == nil && e.Document && !opsmanager.MayHaveChanged(err)
	if !isRecent || !isRefusal {
		return false
	}
	isObserved := e.Status == http.StatusConflict && strings.Contains(strings.ToLower(e.Detail), "invalid restore point")
	return e.Code == "INVALID_PIT_RESTORE_TIME" || isObserved
}

const interruptedBefore = "The run was interrupted before the request was sent. No restore was started."

// isOther reports whether a job certainly belongs to a different restore, by its source. A job of
// a batch may have the IDs of a shard and of a part of the snapshot.
func (m restoreJobModel) isOther(j opsmanager.RestoreJob) bool {
	differs := func(id *string, requested types.String) bool {
		if j.BatchID != nil || id == nil || tf.StringPointer(requested) == nil {
			return false
		}
		return !strings.EqualFold(*id, requested.ValueString())
	}
	return differs(j.ClusterID, m.ClusterID) || differs(j.SnapshotID, m.SnapshotID)
}

// restoreID returns the ID of the restore of a job: that of its batch, or else that of the job.
func restoreID(j opsmanager.RestoreJob) string {
	return cmp.Or(tf.Text(j.BatchID), tf.Text(j.ID))
}

// undecided returns the error of a restore whose request may have started it. The reason can be empty.
func (r *restoreJobResource) undecided(ctx context.Context, m restoreJobModel, reason string) diag.Diagnostic {
	unknown := strings.TrimSpace("It is not known whether Ops Manager started this restore. " + reason)
	newest := cmp.Or(r.newest(ctx, m, nil), noneListed)
	ways := fmt.Sprintf("A second request would start it again, so no plan starts a restore of the same cluster, or into the same target, until you decide. Look at the restores of the cluster in Ops Manager: only it shows their targets.\n\n"+
		"  - If one of them is this restore, run 'terraform state rm ADDRESS', then 'terraform import ADDRESS %s/%s/ID' with its ID.\n"+
		"  - If none is, run 'terraform state rm ADDRESS'. The next apply starts the restore.\n"+
		"  - To destroy the configuration, run 'terraform destroy -refresh=false'.", m.ProjectID.ValueString(), m.ClusterID.ValueString())
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), undecidedSummary(m), unknown+"\n\n"+newest+"\n\n"+ways)
}

const noneListed = "Ops Manager lists no restore of the cluster yet. Its list may be late."

func undecidedSummary(m restoreJobModel) string {
	return fmt.Sprintf("Restore of Cluster %s May Have Been Started", m.ClusterID.ValueString())
}

// newest lists the newest restores of a cluster, in words, down to the previous jobs. Each has the ID for an
// import. It returns "" if there are none.
func (r *restoreJobResource) newest(ctx context.Context, m restoreJobModel, previous []opsmanager.RestoreJob) string {
	const listed = 5
	cluster := m.ClusterID.ValueString()
	all := new(opsmanager.List[opsmanager.RestoreJob])
	err := errors.ErrUnsupported // without the provider's settings
	if r.HasClient() {
		all, err = opsmanager.Identified(r.Client.ListRestoreJobs(ctx, m.ProjectID.ValueString(), cluster, "", opsmanager.Page{}))
	}
	if err != nil {
		return fmt.Sprintf("The restores of cluster %s could not be read. The data source opsmanager_restore_jobs lists them.", cluster)
	}
	var lines []string
	isSame := func(a, b opsmanager.RestoreJob) bool {
		return strings.EqualFold(restoreID(a), restoreID(b))
	}
	var described []opsmanager.RestoreJob // one job of each restore
	for _, j := range newestFirst(all.Results) {
		isKnown := slices.ContainsFunc(previous, func(p opsmanager.RestoreJob) bool { return isSame(p, j) })
		if len(lines) == listed || isKnown {
			break
		}
		if !slices.ContainsFunc(described, func(d opsmanager.RestoreJob) bool { return isSame(d, j) }) {
			described = append(described, j)
			lines = append(lines, m.describe(j))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprintf("The newest restores of cluster %s are:\n  - %s", cluster, strings.Join(lines, "\n  - "))
}

// describe returns the ID with which the restore of a job can be imported, its time and its status.
func (m restoreJobModel) describe(j opsmanager.RestoreJob) string {
	project, cluster := m.IDs()
	requested := cmp.Or(tf.Text(j.Created), "an unknown time")
	status := cmp.Or(statusOfJob(j), statusUnknown)
	return opsmanager.Sanitize(fmt.Sprintf("%s/%s/%s, requested at %s, %s", project, cluster, restoreID(j), requested, status))
}
