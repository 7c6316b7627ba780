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
	"github.com/hashicorp/terraform-plugin-framework/path"
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

// id returns the ID of the snapshot that was found.
func (m match) id() string { return strings.ToLower(tfmodel.Text(m.found.ID)) }

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

// readClaim returns the claim in a private state.
func readClaim(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (own claim) {
	tfmodel.ReadPrivate(ctx, private, claimKey, &own, diags)
	return own
}

// turns are those of the requests for snapshots.
var turns connection.Shared[connection.Turns]

// requested is a snapshot that was requested, and what is known about it at the end of the wait.
type requested struct {
	clusterSnapshots
	snapshotRequest
	match

	unclear error // why the outcome of the request is unknown
	err     error // why the wait ended early
}

// request requests a snapshot as soon as Ops Manager accepts the request, and waits until the
// snapshot is complete. If it adds an error, no snapshot was taken.
func (c clusterSnapshots) request(ctx context.Context, days int64, diags *diag.Diagnostics) requested {
	q := requested{clusterSnapshots: c}
	// The turn lasts until the end, so that no request mistakes the snapshot of another one for
	// its own.
	done, err := turns.Of(c.Data).Take(ctx, c.cluster)
	if err != nil {
		diags.AddError(createSummary, notRequested(c.cluster, err))
		return q
	}
	defer done()
	live := c.checkCluster(ctx, createSummary, diags)
	if live == nil {
		return q
	}
	before, err := c.waitUntilReady(ctx, diags)
	switch {
	case errors.Is(err, errNotBackedUp):
		diags.AddAttributeError(path.Root("cluster_id"), createSummary,
			fmt.Sprintf("The backup of cluster %s is not started, and the cluster has no snapshots. Start the backup, for example with opsmanager_backup_config, then try again.", c.cluster))
	case ctx.Err() != nil:
		diags.AddError(createSummary, notRequested(c.cluster, cmp.Or(err, ctx.Err())))
	case err != nil:
		diags.Append(snapshotFailure(createSummary, err))
	}
	if diags.HasError() {
		return q
	}
	q.At, q.Days = time.Now(), days
	for _, s := range before {
		q.Before = append(q.Before, tfmodel.Text(s.ID))
	}
	response, err := c.Client.TakeSnapshot(ctx, c.project, c.cluster, days)
	if err != nil && !opsmanager.MayHaveChanged(err) {
		diags.Append(snapshotFailure(createSummary, err))
		return q
	}
	if err == nil {
		err = differentCluster(*response, *live)
	}
	q.unclear, q.Accepted = err, err == nil
	if q.Accepted && response.Timestamp != nil {
		q.Since = timeOf(*response.Timestamp)
	}
	q.Until = time.Now().Add(c.searchTime(err))
	q.match, q.err = c.follow(ctx, q.snapshotRequest)
	return q
}

// searchTime returns how long to look for a snapshot whose request ended with an error, or was
// accepted. With the default SettleTime: 20 minutes for an accepted request, one if Ops Manager
// itself reported a failure, and five if there is no response.
func (c clusterSnapshots) searchTime(err error) time.Duration {
	var failed *opsmanager.Error
	switch {
	case err == nil:
		return 60 * c.SettleTime
	case errors.As(err, &failed) && failed.Document:
		return 3 * c.SettleTime
	}
	return 15 * c.SettleTime
}

// differentCluster returns an error if the response to a request names another cluster.
func differentCluster(response opsmanager.OnDemandSnapshot, requested opsmanager.Cluster) error {
	got, want := response.ClusterName, requested.Name()
	if got == nil || want == nil || *got == *want {
		return nil
	}
	return fmt.Errorf("%w: requested a snapshot of cluster %q, got %q", opsmanager.ErrOtherObject, *want, *got)
}

// errVanished means that the requested snapshot was being taken, and is gone.
var errVanished = errors.New("is no longer in the list")

// follow looks for the snapshot of a request until it is complete. Without an error and a
// snapshot, the search has ended.
func (c clusterSnapshots) follow(ctx context.Context, q snapshotRequest) (m match, err error) {
	begin, seen, seenAt := time.Now(), "", time.Time{}
	err = c.Wait(ctx, func() (bool, error) {
		all, err := c.list(ctx)
		if err != nil { // an outage does not end the search
			tflog.Warn(ctx, "continuing to look for the requested snapshot", map[string]any{"error": diagnostics.Sentence(err)})
			return false, nil
		}
		m = q.match(all)
		if m.found == nil {
			isListed := slices.ContainsFunc(all, func(s opsmanager.ClusterSnapshot) bool { return tfmodel.Text(s.ID) == seen })
			if seen != "" && !isListed && time.Since(seenAt) > c.SettleTime {
				return false, fmt.Errorf("snapshot %s %w", seen, errVanished)
			}
			c.progress(ctx, "waiting for the requested snapshot to appear", begin, nil)
			return q.isOver() && (seen == "" || isListed), nil
		}
		if id := tfmodel.Text(m.found.ID); id != seen {
			seen = id
			connection.Progress(ctx, fmt.Sprintf("Cluster %s: the requested snapshot is %s", c.cluster, id))
		}
		seenAt = time.Now()
		if isRunning(*m.found) {
			c.progress(ctx, "waiting for a snapshot to be complete", begin, map[string]any{"snapshot_id": seen})
		}
		return !isRunning(*m.found), nil
	})
	return m, err
}
