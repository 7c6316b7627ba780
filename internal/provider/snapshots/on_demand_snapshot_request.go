package snapshots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// claim says how a resource knows that a snapshot is its own. The private state has it. The resource
// deletes only a snapshot that is known, and does not change one that is a guess. A state without
// private data has neither.
type claim struct {
	Known    bool             `json:"known,omitempty"`    // it was imported, or only it can result from the accepted request
	Guess    bool             `json:"guess,omitempty"`    // it may result from the request
	Imported bool             `json:"imported,omitempty"` // the resource did not request it
	Request  *snapshotRequest `json:"request,omitempty"`  // whose snapshot has not been found, or not been seen complete
}

// claimKey is the key of the private state that stores the claim.
const claimKey = "claim"

// settled returns the claim of a request whose snapshot is complete.
func (m match) settled() claim { return claim{Known: m.known, Guess: !m.known} }

// snapshotRequest is a request for a snapshot. The response to it has no ID.
type snapshotRequest struct {
	Before   []string   `json:"before"`          // IDs of the snapshots of the cluster before the request
	At       time.Time  `json:"at"`              // when it was sent, on the clock of this machine
	Until    time.Time  `json:"until"`           // when the search for its snapshot ends
	Days     int64      `json:"days"`            // how long the snapshot is kept
	Accepted bool       `json:"accepted"`        // whether Ops Manager accepted it; otherwise its outcome is unknown
	Since    *time.Time `json:"since,omitempty"` // when Ops Manager accepted it, if the response says so
}

const (
	// The maximum deviation of an expiry. Ops Manager may compute the expiry from another
	// time than that of the snapshot. Snapshots of a schedule expire whole days earlier or
	// later.
	expiryTolerance = 12 * time.Hour
	// The maximum time between a request and its snapshot, if the time of the request on the
	// clock of Ops Manager is not known.
	clockTolerance = time.Hour
)

// match is what a list of snapshots says about a request.
type match struct {
	found      *opsmanager.ClusterSnapshot  // nil if none of the snapshots, or several of them, could be the requested one
	known      bool                         // whether it is the requested one; otherwise that is a guess
	candidates []opsmanager.ClusterSnapshot // all new snapshots, the newest first
}

// match looks for the requested snapshot in the snapshots of the cluster. The one that results
// from an accepted request is known if no other one could, and if it was created between the request and
// the end of the search: another one may come from the schedule. Ops Manager accepts a request only
// while no snapshot is being taken, so if several could, the first one is the best guess. One that
// doesn't expire as requested is a guess too, but only at the end of the search.
func (q snapshotRequest) match(all []opsmanager.ClusterSnapshot) (m match) {
	for _, s := range all {
		if id := tfmodel.Text(s.ID); id != "" && !slices.Contains(q.Before, id) {
			m.candidates = append(m.candidates, s)
		}
	}
	m.candidates = newestFirst(m.candidates, base)
	timely := slices.DeleteFunc(slices.Clone(m.candidates), func(s opsmanager.ClusterSnapshot) bool { return !q.isTimely(s.Snapshot) })
	exact := slices.DeleteFunc(slices.Clone(timely), func(s opsmanager.ClusterSnapshot) bool { return !q.expires(s.Snapshot) })
	switch {
	case len(exact) == 1:
		m.found, m.known = &exact[0], q.Accepted && q.isPrompt(exact[0].Snapshot)
	case len(exact) > 1 && q.Accepted:
		m.found = &exact[len(exact)-1]
	case len(timely) == 1 && q.Accepted && q.isOver():
		m.found = &timely[0]
	}
	return m
}

// isTimely reports whether the requested snapshot can have been created when this one was.
func (q snapshotRequest) isTimely(s opsmanager.Snapshot) bool {
	created := createdTime(s)
	switch {
	case created == nil:
		return true
	case q.Since != nil:
		return !created.Before(*q.Since)
	case q.Accepted:
		return created.After(q.At.Add(-clockTolerance))
	}
	return created.Sub(q.At).Abs() <= clockTolerance
}

// isPrompt reports whether a snapshot was created after the request, and before the search for the
// requested one ended. If the time of the request on the clock of Ops Manager is not known, that of
// this machine decides.
func (q snapshotRequest) isPrompt(s opsmanager.Snapshot) bool {
	created := createdTime(s)
	switch {
	case created == nil:
		return false
	case q.Since != nil: // the same clock; isTimely excludes older ones
		return !created.After(q.Since.Add(q.Until.Sub(q.At)))
	}
	return !created.Before(q.At.Truncate(time.Second)) && !created.After(q.Until.Add(clockTolerance))
}

// expires reports whether a snapshot is kept for as long as requested, as far as its times are
// known.
func (q snapshotRequest) expires(s opsmanager.Snapshot) bool {
	created, expires := createdTime(s), tfmodel.ParseTime(s.Expires)
	return created == nil || expires == nil || (expires.Sub(*created)-time.Duration(q.Days)*day).Abs() < expiryTolerance
}

// isOver reports whether the search for the snapshot has ended.
func (q snapshotRequest) isOver() bool { return !time.Now().Before(q.Until) }

// turns are those of the requests for snapshots.
var turns connection.Shared[connection.Turns]

// errNotBackedUp means that Ops Manager takes no snapshots of the cluster.
var errNotBackedUp = errors.New("the backup of the cluster is not started")

// waitUntilReady waits until a cluster has a complete snapshot and none is being taken, as
// Ops Manager requires. It returns its snapshots. It warns about snapshots that it does not
// wait for, because a later one is complete.
func (r *onDemandSnapshotResource) waitUntilReady(ctx context.Context, project, cluster string, diags *diag.Diagnostics) (all []opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	var complete int
	var running, abandoned []opsmanager.ClusterSnapshot
	err = r.Wait(ctx, outliving(ctx, func() (bool, error) {
		read, err := r.list(ctx, project, cluster)
		if err != nil {
			return false, err
		}
		all = read
		running, abandoned = unfinished(all)
		complete = len(all) - len(running) - len(abandoned)
		if complete > 0 && len(running) == 0 {
			return true, nil
		}
		progress(ctx, "waiting until a snapshot can be taken", cluster, begin, map[string]any{"complete": complete, "in_progress": len(running)})
		if complete > 0 || len(running) > 0 {
			return false, nil
		}
		config, err := r.Client.BackupConfig(ctx, project, cluster)
		if err != nil {
			return false, err
		}
		switch tfmodel.Text(config.StatusName) {
		case opsmanager.StatusInactive, opsmanager.StatusStopped, opsmanager.StatusTerminating:
			return false, errNotBackedUp
		}
		return false, nil
	}))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		reason := "it has no complete snapshot yet"
		if len(running) > 0 {
			reason = "another snapshot is still in progress"
		}
		err = fmt.Errorf("no snapshot of cluster %s could be taken for %s, because %s. Raise the timeout", cluster, time.Since(begin).Round(time.Second), reason)
	}
	if err == nil && len(abandoned) > 0 {
		diags.AddWarning(fmt.Sprintf("Abandoned Snapshot of Cluster %s", cluster),
			"The provider did not wait for snapshots that are not complete although a later one is:"+described(project, cluster, abandoned)+"\n\nThey probably failed. Check the cluster in Ops Manager.")
	}
	return all, err
}

// unfinished returns the snapshots that are being taken. One that is older than a complete one
// has been abandoned, because Ops Manager takes one snapshot of a cluster at a time.
func unfinished(all []opsmanager.ClusterSnapshot) (running, abandoned []opsmanager.ClusterSnapshot) {
	var newest time.Time
	for _, s := range all {
		if created := createdTime(s.Snapshot); created != nil && !isRunning(s) && created.After(newest) {
			newest = *created
		}
	}
	for _, s := range all {
		created := createdTime(s.Snapshot)
		switch {
		case !isRunning(s):
		case created != nil && created.Before(newest):
			abandoned = append(abandoned, s)
		default:
			running = append(running, s)
		}
	}
	return running, abandoned
}

// outliving makes a step of a wait continue after an error, such as an outage, because it only
// reads. Only an error of the first call ends the wait, such as a missing role.
func outliving(ctx context.Context, step func() (bool, error)) func() (bool, error) {
	isFirst := true
	return func() (bool, error) {
		reached, err := step()
		if err != nil && !isFirst && !errors.Is(err, errNotBackedUp) {
			tflog.Warn(ctx, "continuing to wait", map[string]any{"error": diagnostics.Sentence(err)})
			return false, nil
		}
		isFirst = false
		return reached, err
	}
}

// errVanished means that the requested snapshot was being taken, and is gone.
var errVanished = errors.New("is no longer in the list")

// follow looks for the snapshot of a request until it is complete. Without an error and a
// snapshot, the search has ended.
func (r *onDemandSnapshotResource) follow(ctx context.Context, project, cluster string, q snapshotRequest) (m match, err error) {
	begin, seen, seenAt := time.Now(), "", time.Time{}
	err = r.Wait(ctx, func() (bool, error) {
		all, err := r.list(ctx, project, cluster)
		if err != nil { // an outage does not end the search
			tflog.Warn(ctx, "continuing to look for the requested snapshot", map[string]any{"error": diagnostics.Sentence(err)})
			return false, nil
		}
		m = q.match(all)
		if m.found == nil {
			isListed := slices.ContainsFunc(all, func(s opsmanager.ClusterSnapshot) bool { return tfmodel.Text(s.ID) == seen })
			if seen != "" && !isListed && time.Since(seenAt) > r.SettleTime {
				return false, fmt.Errorf("snapshot %s %w", seen, errVanished)
			}
			progress(ctx, "waiting for the requested snapshot to appear", cluster, begin, nil)
			return q.isOver() && (seen == "" || isListed), nil
		}
		if id := tfmodel.Text(m.found.ID); id != seen {
			seen = id
			connection.Progress(ctx, fmt.Sprintf("Cluster %s: the requested snapshot is %s", cluster, id))
		}
		seenAt = time.Now()
		if isRunning(*m.found) {
			progress(ctx, "waiting for a snapshot to be complete", cluster, begin, map[string]any{"snapshot_id": seen})
		}
		return !isRunning(*m.found), nil
	})
	return m, err
}

// waitUntilComplete waits until a snapshot is complete. It returns nil without an error if
// it is gone.
func (r *onDemandSnapshotResource) waitUntilComplete(ctx context.Context, m onDemandSnapshotModel) (s *opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	err = r.Wait(ctx, outliving(ctx, func() (bool, error) {
		read, err := r.snapshot(ctx, m)
		if err != nil {
			return false, err
		}
		if s = read; s == nil || !isRunning(*s) {
			return true, nil
		}
		progress(ctx, "waiting for a snapshot to be complete", m.ClusterID.ValueString(), begin, map[string]any{"snapshot_id": m.ID.ValueString()})
		return false, nil
	}))
	return s, err
}

func progress(ctx context.Context, text, cluster string, begin time.Time, more map[string]any) {
	elapsed := time.Since(begin).Round(time.Second).String()
	tflog.Info(ctx, text, map[string]any{"cluster_id": cluster, "elapsed": elapsed}, more)
	connection.Progress(ctx, fmt.Sprintf("Cluster %s: %s (%s)", cluster, text, elapsed))
}

// snapshot reads a snapshot. It returns nil without an error if there is none. Whether Ops
// Manager returns one that is being taken is not documented, so the list decides.
func (r *onDemandSnapshotResource) snapshot(ctx context.Context, m onDemandSnapshotModel) (*opsmanager.ClusterSnapshot, error) {
	project, cluster, id := m.ProjectID.ValueString(), m.ClusterID.ValueString(), m.ID.ValueString()
	s, err := r.Client.ClusterSnapshot(ctx, project, cluster, id)
	if !opsmanager.IsGone(err) {
		return s, err
	}
	all, err := r.list(ctx, project, cluster)
	if opsmanager.IsGone(err) {
		return nil, nil
	}
	for _, s := range all {
		if strings.EqualFold(tfmodel.Text(s.ID), id) {
			return &s, nil
		}
	}
	return nil, err
}

// list returns all snapshots of a cluster.
func (r *onDemandSnapshotResource) list(ctx context.Context, project, cluster string) ([]opsmanager.ClusterSnapshot, error) {
	list, err := r.Client.ListClusterSnapshots(ctx, project, cluster, "all", opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	for _, s := range list.Results {
		if got := tfmodel.Text(s.ClusterID); got != "" && !strings.EqualFold(got, cluster) {
			return nil, fmt.Errorf("%w: the list of the snapshots of cluster %s has one of cluster %q", opsmanager.ErrOtherObject, cluster, got)
		}
	}
	return list.Results, nil
}

func isRunning(s opsmanager.ClusterSnapshot) bool { return s.Complete != nil && !*s.Complete }

// hasSuccessor reports whether one of the snapshots of a cluster can replace a snapshot: it is
// complete, lacks no shard, has not expired, and is later. Of two that were created at the same time,
// the one with the greater ID is later, so that two deletions at once leave one of them.
func hasSuccessor(s opsmanager.ClusterSnapshot, all []opsmanager.ClusterSnapshot) bool {
	created, id := createdTime(s.Snapshot), strings.ToLower(tfmodel.Text(s.ID))
	return created != nil && slices.ContainsFunc(all, func(other opsmanager.ClusterSnapshot) bool {
		later, expires, otherID := createdTime(other.Snapshot), tfmodel.ParseTime(other.Expires), strings.ToLower(tfmodel.Text(other.ID))
		return otherID != id && other.Complete != nil && *other.Complete && len(other.MissingShards) == 0 && (expires == nil || expires.After(time.Now())) &&
			later != nil && cmp.Or(later.Compare(*created), cmp.Compare(otherID, id)) > 0
	})
}

// described returns a line for each snapshot, with the ID for an import.
func described(project, cluster string, snapshots []opsmanager.ClusterSnapshot) string {
	var text strings.Builder
	for _, s := range snapshots {
		created := "-"
		if at := createdTime(s.Snapshot); at != nil {
			created = tfmodel.FormatTime(*at)
		}
		fmt.Fprintf(&text, "\n  - %s/%s/%s, created %s, expires %s", project, cluster, opsmanager.Sanitize(diagnostics.OrDash(s.ID)), created, opsmanager.Sanitize(diagnostics.OrDash(s.Expires)))
	}
	return text.String()
}
