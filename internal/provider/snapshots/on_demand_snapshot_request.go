package snapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// snapshotRequest is a request whose snapshot has not been found yet, as stored in the
// private state. The response to a request has no ID.
type snapshotRequest struct {
	Before   []string  `json:"before"`   // IDs of the snapshots of the cluster before the request
	At       time.Time `json:"at"`       // when it was sent, on the clock of this machine
	Days     int64     `json:"days"`     // how long the snapshot is kept
	Accepted bool      `json:"answered"` // whether Ops Manager accepted it; otherwise its response was lost
}

// requestKey is the key of the private state that stores the snapshotRequest.
const requestKey = "request"

const (
	// The maximum deviation of an expiry. Ops Manager may compute the expiry from another
	// time than that of the snapshot. Snapshots of a schedule expire whole days earlier or
	// later.
	expiryTolerance = 12 * time.Hour
	// The maximum time between a request and its snapshot, if the response to the request
	// was lost. The clocks may differ, and a daemon may be busy.
	lostTolerance = time.Hour
)

// find returns the requested one of the snapshots of the cluster, or nil if none or several
// of them could be the requested one. candidates are all new snapshots.
func (q snapshotRequest) find(all []opsmanager.ClusterSnapshot) (found *opsmanager.ClusterSnapshot, candidates []opsmanager.ClusterSnapshot) {
	for _, s := range all {
		if id := tfmodel.Text(s.ID); id != "" && !slices.Contains(q.Before, id) {
			candidates = append(candidates, s)
		}
	}
	candidates = newestFirst(candidates, func(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot })
	matching := slices.DeleteFunc(slices.Clone(candidates), func(s opsmanager.ClusterSnapshot) bool { return !q.matches(s.Snapshot) })
	// Ops Manager accepts a request only while no snapshot is being taken, so the first one
	// after that is the requested one.
	if len(matching) == 1 || len(matching) > 1 && q.Accepted {
		found = &matching[len(matching)-1]
	}
	return found, candidates
}

// matches reports whether a new snapshot can be the requested one, as far as its times are
// known.
func (q snapshotRequest) matches(s opsmanager.Snapshot) bool {
	created, expires := createdTime(s), tfmodel.ParseTime(s.Expires)
	if created != nil && !q.Accepted && created.Sub(q.At).Abs() > lostTolerance {
		return false
	}
	return created == nil || expires == nil || (expires.Sub(*created)-time.Duration(q.Days)*day).Abs() < expiryTolerance
}

// turns lets one creation at a time request a snapshot of a cluster, so that no creation
// mistakes the snapshot of another one for its own. The zero value is ready for use.
type turns struct {
	mu       sync.Mutex
	clusters map[string]chan struct{}
}

// take waits for the turn, and returns a function that ends it.
func (t *turns) take(ctx context.Context, cluster string) (done func(), err error) {
	t.mu.Lock()
	if t.clusters == nil {
		t.clusters = map[string]chan struct{}{}
	}
	turn := t.clusters[strings.ToLower(cluster)]
	if turn == nil {
		turn = make(chan struct{}, 1)
		t.clusters[strings.ToLower(cluster)] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return sync.OnceFunc(func() { <-turn }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// errNotBackedUp means that Ops Manager takes no snapshots of the cluster.
var errNotBackedUp = errors.New("the backup of the cluster is not started")

// waitUntilReady waits until a cluster has a complete snapshot and none is being taken, as
// Ops Manager requires. It returns its snapshots.
func (r *onDemandSnapshotResource) waitUntilReady(ctx context.Context, project, cluster string) (all []opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	var complete, running int
	err = r.Wait(ctx, func() (bool, error) {
		if all, err = r.list(ctx, project, cluster); err != nil {
			return false, err
		}
		complete, running = 0, 0
		for _, s := range all {
			if isRunning(s) {
				running++
			} else {
				complete++
			}
		}
		if complete > 0 && running == 0 {
			return true, nil
		}
		progress(ctx, "waiting until a snapshot can be taken", cluster, begin, map[string]any{"complete": complete, "in_progress": running})
		if complete > 0 || running > 0 {
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
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		reason := "it has no complete snapshot yet"
		if running > 0 {
			reason = "another snapshot is still in progress"
		}
		err = fmt.Errorf("no snapshot of cluster %s could be taken for %s, because %s. Raise the timeout", cluster, time.Since(begin).Round(time.Second), reason)
	}
	return all, err
}

// search looks for the snapshot of a request until it is found. If the response to the
// request was lost, it gives up after a while.
func (r *onDemandSnapshotResource) search(ctx context.Context, project, cluster string, q snapshotRequest) (found *opsmanager.ClusterSnapshot, candidates []opsmanager.ClusterSnapshot, err error) {
	if !q.Accepted {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 15*r.SettleTime) // five minutes
		defer cancel()
	}
	begin := time.Now()
	err = r.Wait(ctx, func() (bool, error) {
		all, err := r.list(ctx, project, cluster)
		if err != nil {
			return false, err
		}
		found, candidates = q.find(all)
		if found == nil {
			progress(ctx, "waiting for the requested snapshot to appear", cluster, begin, nil)
		}
		return found != nil, nil
	})
	if ctx.Err() != nil {
		err = nil // the wait is over
	}
	return found, candidates, err
}

// waitUntilComplete waits until a snapshot is complete. It returns nil without an error if
// it is gone.
func (r *onDemandSnapshotResource) waitUntilComplete(ctx context.Context, m onDemandSnapshotModel) (s *opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	err = r.Wait(ctx, func() (bool, error) {
		read, err := r.snapshot(ctx, m)
		if err != nil {
			return false, err
		}
		if s = read; s == nil || !isRunning(*s) {
			return true, nil
		}
		progress(ctx, "waiting for a snapshot to be complete", m.ClusterID.ValueString(), begin, map[string]any{"snapshot_id": m.ID.ValueString()})
		return false, nil
	})
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
	return list.Results, nil
}

func isRunning(s opsmanager.ClusterSnapshot) bool { return s.Complete != nil && !*s.Complete }

// described returns a line for each snapshot.
func described(snapshots []opsmanager.ClusterSnapshot) string {
	var text strings.Builder
	for _, s := range snapshots {
		created := "-"
		if at := createdTime(s.Snapshot); at != nil {
			created = tfmodel.FormatTime(*at)
		}
		fmt.Fprintf(&text, "\n  - %s, created %s, expires %s", opsmanager.Sanitize(diagnostics.OrDash(s.ID)), created, opsmanager.Sanitize(diagnostics.OrDash(s.Expires)))
	}
	return text.String()
}
