package snapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// requestKey is the key of the private state with the request for a snapshot, until a refresh has confirmed
// that no other snapshot fits it.
const requestKey = "request"

// request is an accepted request for a snapshot. The response to it has no ID.
type request struct {
	Before []string  `json:"before"` // IDs of the snapshots of the cluster before the request, and of those of later requests
	Days   int64     `json:"days"`   // how long the snapshot is kept
	Since  time.Time `json:"since"`  // when Ops Manager accepted it, on the clock of Ops Manager
	Known  time.Time `json:"known"`  // when its snapshot was known, on the clock of the provider; zero before
}

// doubtTime is how long after a request another snapshot that fits it may be the requested one.
const doubtTime = time.Hour

// expiryTolerance is the maximum deviation of an expiry. Ops Manager may compute it from another time than
// that of the snapshot. Snapshots of a schedule that keeps them for another number of days expire whole days
// earlier or later.
const expiryTolerance = 12 * time.Hour

// match returns the snapshots that fit the request, and those that may fit it: that don't say when they were
// created or when they expire, because they are held or still being taken.
func (q request) match(all []opsmanager.ClusterSnapshot) (fitting, undecided []opsmanager.ClusterSnapshot) {
	for _, s := range newSnapshots(all, q.Before) {
		created := createdTime(s.Snapshot)
		expires := tf.ParseTime(s.Expires)
		switch {
		case created != nil && (created.Before(q.Since) || created.After(q.Since.Add(doubtTime))):
		case created == nil || expires == nil:
			undecided = append(undecided, s)
		case expires.Sub(created.AddDate(0, 0, int(q.Days))).Abs() < expiryTolerance:
			fitting = append(fitting, s)
		}
	}
	return fitting, undecided
}

// newSnapshots returns the snapshots that a list did not have before, the newest first.
func newSnapshots(all []opsmanager.ClusterSnapshot, before []string) (found []opsmanager.ClusterSnapshot) {
	for _, s := range all {
		if id := tf.Text(s.ID); id != "" && !slices.Contains(before, id) {
			found = append(found, s)
		}
	}
	return newestFirst(found, base)
}

// refuseIfDoubted returns an error if another snapshot of the cluster fits the stored request as well, unless that has a request of
// its own: this process sent it, or it is in the state of a resource that Terraform reads at the same time, such as the one that
// replaces a deposed object. An hour after the snapshot was known, it ends the check.
func (c clusterSnapshots) refuseIfDoubted(ctx context.Context, id string, private tf.PrivateState) error {
	var q request
	var ignored diag.Diagnostics
	if !tf.ReadPrivate(ctx, private, requestKey, &q, &ignored) {
		return nil
	}
	all, err := c.list(ctx)
	if err != nil {
		return err
	}
	var fitting []opsmanager.ClusterSnapshot
	c.Settle(ctx, func() bool {
		fitting, _ = q.match(all)
		for _, s := range fitting {
			other := tf.Text(s.ID)
			if !strings.EqualFold(other, id) && c.HasClaim(c.object(other), connection.Applied) {
				q.Before = append(q.Before, other) // later processes don't know that
			}
		}
		fitting, _ = q.match(all)
		return !hasOther(fitting, id)
	})
	if hasOther(fitting, id) {
		return tf.Explained{Diagnostic: c.notKnown(id, fitting)}
	}
	if time.Since(q.Known) > doubtTime {
		private.SetKey(ctx, requestKey, nil)
		return nil
	}
	tf.WritePrivate(ctx, private, requestKey, q, &ignored)
	return nil
}

// pendingRetention returns for how many days a snapshot was requested, as long as another one could be the requested one.
func pendingRetention(ctx context.Context, private tf.PrivateState) (days int64, isPending bool) {
	var q request
	var ignored diag.Diagnostics
	isPending = tf.ReadPrivate(ctx, private, requestKey, &q, &ignored) && time.Since(q.Known) <= doubtTime
	return q.Days, isPending
}

func hasOther(snapshots []opsmanager.ClusterSnapshot, id string) bool {
	return slices.ContainsFunc(snapshots, func(s opsmanager.ClusterSnapshot) bool {
		return !strings.EqualFold(tf.Text(s.ID), id)
	})
}

// requested is a snapshot that was requested, and what is known about it at the end of the wait.
type requested struct {
	clusterSnapshots
	request

	at         time.Time                    // when the request was sent
	unanswered error                        // why it is not known whether Ops Manager accepted the request
	found      *opsmanager.ClusterSnapshot  // nil unless it is known
	saw        expiry                       // that of the snapshot when it became known, as requested
	candidates []opsmanager.ClusterSnapshot // the new snapshots, if it is not
	err        error                        // why the wait ended early
}

// take requests a snapshot as soon as Ops Manager accepts the request, and waits until the
// snapshot is complete. It adds an error unless the snapshot is known and complete.
func (c clusterSnapshots) take(ctx context.Context, days int64, again string, diags *diag.Diagnostics) *requested {
	q := &requested{clusterSnapshots: c, request: request{Days: days}}
	// The lock lasts until the end, so that no request mistakes the snapshot of another one for
	// its own.
	done, err := c.Lock(ctx, "snapshots of cluster "+c.cluster)
	if err == nil {
		defer done()
		err = q.send(ctx)
	}
	switch {
	case errors.Is(err, context.Canceled):
		diags.AddError(createSummary, fmt.Sprintf("The run was interrupted before a snapshot of cluster %s was requested.", c.cluster))
		return q
	case err != nil:
		diags.Append(snapshotFailure(createSummary, err))
		return q
	case q.unanswered == nil:
		q.progress(ctx, "a snapshot was requested", q.at) // Terraform 1.14 drops the error of an interrupted action
		q.err = q.follow(ctx)
	default:
		c.Settle(ctx, func() bool {
			return q.look(ctx) && len(q.candidates) > 0
		})
	}
	if q.err != nil || q.found == nil || !isRestorable(q.found.RestorePoint()) {
		diags.Append(q.failure(again))
	}
	return q
}

// send sends the request as soon as Ops Manager accepts one. It returns an error if it was not sent, or refused.
func (q *requested) send(ctx context.Context) error {
	live, err := q.prepare(ctx)
	if err != nil {
		return err
	}
	request := func(attempt context.Context, live *opsmanager.Cluster) (*opsmanager.Cluster, error) {
		q.at = time.Now()
		response, err := q.Client.TakeSnapshot(attempt, q.project, q.cluster, q.Days)
		if err == nil {
			q.Since, q.unanswered = acceptance(*response, *live)
		}
		return live, err
	}
	_, err = opsmanager.Change(ctx, q.Client, opsmanager.ObjectCluster, live, q.prepare, request)
	if opsmanager.MayHaveChanged(err) {
		q.unanswered = err
		err = nil
	}
	return err
}

// prepare waits until Ops Manager accepts a request, and records the snapshots before it. It also does so before a
// request that was refused is repeated, because another client may have changed the schedule or taken a snapshot.
func (q *requested) prepare(ctx context.Context) (*opsmanager.Cluster, error) {
	live, err := q.checkCluster(ctx, projects.BeforeChange)
	if err != nil {
		return nil, err
	}
	before, err := q.waitUntilReady(ctx)
	if err != nil {
		return nil, err
	}
	q.Before = nil
	for _, s := range before {
		q.Before = append(q.Before, tf.Text(s.ID))
	}
	return live, q.checkRetention(ctx, q.Days)
}

// acceptance returns when Ops Manager accepted a request, or an error if the response does not say that it
// accepted this one.
func acceptance(response opsmanager.OnDemandSnapshot, requested opsmanager.Cluster) (time.Time, error) {
	got := response.ClusterName
	want := requested.Name()
	if got != nil && want != nil && *got != *want {
		return time.Time{}, fmt.Errorf("%w: requested a snapshot of cluster %q, got %q", opsmanager.ErrOtherObject, *want, *got)
	}
	if at := timeOf(response.Timestamp); at != nil {
		return *at, nil
	}
	return time.Time{}, errors.New("the response does not say when Ops Manager accepted the request")
}

// checkRetention returns an error if the schedule keeps some of its snapshots for as many days: nothing would
// tell the requested snapshot from one of those, which Ops Manager may take at any time, because one may be
// late.
func (c clusterSnapshots) checkRetention(ctx context.Context, days int64) error {
	schedule, err := projects.SnapshotSchedule(ctx, c.Data, c.project, c.cluster)
	if err != nil {
		return err
	}
	const cannotTell = "The response to a request for a snapshot has no ID, so the provider could not tell the requested snapshot from one of the schedule. No snapshot was requested. "
	kept, unknown := keptAsLong(*schedule, days)
	switch {
	case kept != "":
		return tf.OnAttribute("retention_days", "Retention of the Schedule",
			"The schedule of cluster %s keeps %s. "+cannotTell+"Set retention_days to a number that is none of these.", c.cluster, kept)
	case unknown != "":
		return tf.OnAttribute("retention_days", "Retention of the Schedule Not Known",
			"Ops Manager did not return for how long the schedule of cluster %s keeps its %s snapshots, so it may keep them for %d days. "+cannotTell+
				"Set that retention in the schedule, which may be 0, and try again. Weekly retentions are multiples of 7 days, and monthly ones at least 28 days, so for these, another retention_days is enough. "+
				"If Ops Manager never returns it, take the snapshot in Ops Manager, and import it.", c.cluster, unknown, days)
	}
	return nil
}

// keptAsLong says how long a schedule keeps its snapshots, if it keeps some of them for a number of days, or for
// about as long. It also returns the rules that may do so, because the response lacks them.
func keptAsLong(s opsmanager.SnapshotSchedule, days int64) (kept, unknown string) {
	var all, unsaid []string
	isTaken := false
	add := func(rule string, number *int64, unit string, least, most int64) {
		if number == nil {
			if some := days / least; some > 0 && days <= some*most { // weeks have multiples of 7 days
				unsaid = append(unsaid, rule)
			}
			return
		}
		n := *number
		if n == 0 {
			return
		}
		isTaken = isTaken || n <= days && least*n <= days && days <= most*n
		text := fmt.Sprintf("its %s snapshots for %d %s", rule, n, unit)
		switch {
		case most > least:
			text += fmt.Sprintf(" (%d to %d days)", least*n, most*n)
		case most > 1:
			text += fmt.Sprintf(" (%d days)", most*n)
		}
		all = append(all, text)
	}
	add("recent", s.SnapshotRetentionDays, "days", 1, 1)
	add("daily", s.DailySnapshotRetentionDays, "days", 1, 1)
	add("weekly", s.WeeklySnapshotRetentionWeeks, "weeks", 7, 7)
	add("monthly", s.MonthlySnapshotRetentionMonths, "months", 28, 31)
	if isTaken {
		kept = strings.Join(all, ", ")
	}
	return kept, strings.Join(unsaid, " and ")
}

// errVanished means that the requested snapshot was being taken, and is gone.
var errVanished = errors.New("is no longer in the list")

// look reads the snapshots of the cluster, and sets the candidates. An outage does not end a wait.
func (q *requested) look(ctx context.Context) (ok bool) {
	all, err := q.list(ctx)
	if err != nil {
		tflog.Warn(ctx, "continuing to look for the requested snapshot", map[string]any{"error": tf.Sentence(err)})
		return false
	}
	q.candidates = newSnapshots(all, q.Before)
	return true
}

// follow looks for the requested snapshot until it is known and complete. It is known if no other new
// snapshot fits the request for the settle time. Without an error and a snapshot, the search has ended.
func (q *requested) follow(ctx context.Context) error {
	var only string // the ID of the only one that fits
	var since, listed time.Time
	return q.Wait(ctx, func() (bool, error) {
		if !q.look(ctx) {
			return false, nil
		}
		fitting, undecided := q.match(q.candidates)
		switch {
		case len(fitting) > 1, !q.Known.IsZero() && hasOther(fitting, only):
			q.found = nil
			return true, nil
		case !q.Known.IsZero():
		case slices.ContainsFunc(undecided, isHeld):
			return true, nil
		case len(fitting) == 0 || len(undecided) > 0:
			only = ""
			q.progress(ctx, "waiting for the requested snapshot to appear", q.at)
			return time.Since(q.at) > 60*q.SettleTime && !slices.ContainsFunc(q.candidates, mayBeRunning), nil
		case only != tf.Text(fitting[0].ID):
			only = tf.Text(fitting[0].ID)
			since = time.Now()
			return false, nil
		case time.Since(since) < q.SettleTime:
			return false, nil
		default:
			q.Known = time.Now()
			q.saw = expiry{expires: types.StringPointerValue(fitting[0].Expires)}
			q.Claim(q.object(only), connection.Applied)
			connection.Progress(ctx, fmt.Sprintf("Cluster %s: the requested snapshot is %s", q.cluster, only))
		}
		i := slices.IndexFunc(q.candidates, func(s opsmanager.ClusterSnapshot) bool {
			return tf.Text(s.ID) == only
		})
		switch {
		case i >= 0:
			q.found = &q.candidates[i]
			listed = time.Now()
		case time.Since(listed) > q.SettleTime:
			return false, fmt.Errorf("snapshot %s %w", only, errVanished)
		}
		if i >= 0 && mayBeRunning(*q.found) {
			q.progress(ctx, fmt.Sprintf("waiting for snapshot %s to be complete", only), q.at)
		}
		return i >= 0 && !mayBeRunning(*q.found), nil
	})
}
