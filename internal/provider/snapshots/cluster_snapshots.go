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

// clusterSnapshots reads, waits for and changes the snapshots of a cluster.
type clusterSnapshots struct {
	*connection.Data

	project, cluster string
}

// checkCluster returns the cluster, or nil with an error if it does not exist or has no snapshots of
// its own.
func (c clusterSnapshots) checkCluster(ctx context.Context, summary string, diags *diag.Diagnostics) *opsmanager.Cluster {
	live, err := c.Client.Cluster(ctx, c.project, c.cluster)
	switch {
	case err != nil && ctx.Err() != nil:
		diags.AddError(summary, notRequested(c.cluster, ctx.Err()))
	case err != nil:
		diags.Append(snapshotFailure(summary, err))
	case !opsmanager.WholeClusters([]opsmanager.Cluster{*live})(*live):
		diags.AddAttributeError(path.Root("cluster_id"), summary,
			fmt.Sprintf("Cluster %s is a part of a sharded cluster, which has only snapshots of the whole. Use the ID of the sharded cluster.", c.cluster))
	default:
		return live
	}
	return nil
}

// list returns all snapshots of the cluster.
func (c clusterSnapshots) list(ctx context.Context) ([]opsmanager.ClusterSnapshot, error) {
	list, err := c.Client.ListClusterSnapshots(ctx, c.project, c.cluster, "all", opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	for _, s := range list.Results {
		if got := tfmodel.Text(s.ClusterID); got != "" && !strings.EqualFold(got, c.cluster) {
			return nil, fmt.Errorf("%w: the list of the snapshots of cluster %s has one of cluster %q", opsmanager.ErrOtherObject, c.cluster, got)
		}
	}
	return list.Results, nil
}

// read returns a snapshot, or nil without an error if there is none. Whether Ops Manager returns one
// that is being taken is not documented, so the list decides.
func (c clusterSnapshots) read(ctx context.Context, id string) (*opsmanager.ClusterSnapshot, error) {
	s, err := c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id)
	if !opsmanager.IsGone(err) {
		return s, err
	}
	all, err := c.list(ctx)
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

// errNotBackedUp means that Ops Manager takes no snapshots of the cluster.
var errNotBackedUp = errors.New("the backup of the cluster is not started")

// waitUntilReady waits until the cluster has a complete snapshot and none is being taken, as
// Ops Manager requires. It returns its snapshots. It warns about snapshots that it does not
// wait for, because a later one is complete.
func (c clusterSnapshots) waitUntilReady(ctx context.Context, diags *diag.Diagnostics) (all []opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	var complete int
	var isRead bool
	var running, abandoned []opsmanager.ClusterSnapshot
	err = c.Wait(ctx, outliving(ctx, func() (bool, error) {
		read, err := c.list(ctx)
		if err != nil {
			return false, err
		}
		all, isRead = read, true
		running, abandoned = unfinished(all)
		complete = len(all) - len(running) - len(abandoned)
		if complete > 0 && len(running) == 0 {
			return true, nil
		}
		c.progress(ctx, "waiting until a snapshot can be taken", begin, map[string]any{"complete": complete, "in_progress": len(running)})
		if complete > 0 || len(running) > 0 {
			return false, nil
		}
		config, err := c.Client.BackupConfig(ctx, c.project, c.cluster)
		if err != nil {
			return false, err
		}
		switch tfmodel.Text(config.StatusName) {
		case opsmanager.StatusInactive, opsmanager.StatusStopped, opsmanager.StatusTerminating:
			return false, errNotBackedUp
		}
		return false, nil
	}))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil && isRead {
		reason := "it has no complete snapshot yet"
		if len(running) > 0 {
			reason = "another snapshot is still in progress"
		}
		err = fmt.Errorf("no snapshot of cluster %s could be taken for %s, because %s. Raise the timeout", c.cluster, time.Since(begin).Round(time.Second), reason)
	}
	if err == nil && len(abandoned) > 0 {
		diags.AddWarning(fmt.Sprintf("Abandoned Snapshot of Cluster %s", c.cluster),
			"The provider did not wait for snapshots that are not complete although a later one is:"+c.described(abandoned)+"\n\nThey probably failed. Check the cluster in Ops Manager.")
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

func isRunning(s opsmanager.ClusterSnapshot) bool { return s.Complete != nil && !*s.Complete }

// waitUntilComplete waits until a snapshot is complete. It returns nil without an error if
// it is gone.
func (c clusterSnapshots) waitUntilComplete(ctx context.Context, id string) (s *opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	err = c.Wait(ctx, outliving(ctx, func() (bool, error) {
		read, err := c.read(ctx, id)
		if err != nil {
			return false, err
		}
		if s = read; s == nil || !isRunning(*s) {
			return true, nil
		}
		c.progress(ctx, "waiting for a snapshot to be complete", begin, map[string]any{"snapshot_id": id})
		return false, nil
	}))
	return s, err
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

func (c clusterSnapshots) progress(ctx context.Context, text string, begin time.Time, more map[string]any) {
	elapsed := time.Since(begin).Round(time.Second).String()
	tflog.Info(ctx, text, map[string]any{"cluster_id": c.cluster, "elapsed": elapsed}, more)
	connection.Progress(ctx, fmt.Sprintf("Cluster %s: %s (%s)", c.cluster, text, elapsed))
}

// changeExpiry changes the expiry of a snapshot, and fails if Ops Manager then returns
// a different expiry.
func (c clusterSnapshots) changeExpiry(ctx context.Context, before opsmanager.ClusterSnapshot, change opsmanager.SnapshotExpiry) (*opsmanager.ClusterSnapshot, diag.Diagnostic) {
	id := tfmodel.Text(before.ID)
	wanted := change
	wanted.DoNotDelete = cmp.Or(wanted.DoNotDelete, withHold(before).DoNotDelete)
	live, err := c.send(ctx, before, wanted, func(ctx context.Context) (*opsmanager.ClusterSnapshot, error) {
		return c.Client.ChangeSnapshotExpiry(ctx, c.project, c.cluster, id, change)
	})
	if err != nil {
		return nil, snapshotFailure(updateSummary, err)
	}
	differences := tfmodel.Returned(expiryDifferences(change, *live))
	if len(differences) > 0 {
		c.Settle(ctx, func() bool {
			if read, err := c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id); err == nil {
				live, differences = read, tfmodel.Returned(expiryDifferences(change, *read))
			}
			return len(differences) == 0
		})
	}
	for _, d := range differences {
		return nil, d.Adjusted(ctx, "")
	}
	return live, nil
}

// delete deletes a snapshot.
func (c clusterSnapshots) delete(ctx context.Context, live opsmanager.ClusterSnapshot) error {
	_, err := c.send(ctx, live, opsmanager.SnapshotExpiry{DoNotDelete: withHold(live).DoNotDelete, Expires: live.Expires}, func(ctx context.Context) (*opsmanager.ClusterSnapshot, error) {
		return nil, c.Client.DeleteClusterSnapshot(ctx, c.project, c.cluster, tfmodel.Text(live.ID))
	})
	return err
}

// send sends a request for a snapshot, after which the snapshot has the wanted expiry or is gone.
func (c clusterSnapshots) send(ctx context.Context, before opsmanager.ClusterSnapshot, wanted opsmanager.SnapshotExpiry, send func(context.Context) (*opsmanager.ClusterSnapshot, error)) (*opsmanager.ClusterSnapshot, error) {
	id := tfmodel.Text(before.ID)
	return tfmodel.Request[opsmanager.ClusterSnapshot]{
		Name: "Snapshot " + id, Before: before,
		Read: func(ctx context.Context) (*opsmanager.ClusterSnapshot, error) {
			return c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id)
		},
		Differences: func(live opsmanager.ClusterSnapshot) []tfmodel.Difference {
			return expiryDifferences(wanted, withHold(live))
		},
		Send: func(ctx context.Context, _ opsmanager.ClusterSnapshot) (*opsmanager.ClusterSnapshot, error) {
			return send(ctx)
		},
	}.Do(ctx, c.Client)
}

// withHold returns a snapshot that says whether it is held. One that does not say so is not.
func withHold(s opsmanager.ClusterSnapshot) opsmanager.ClusterSnapshot {
	s.DoNotDelete = new(s.DoNotDelete != nil && *s.DoNotDelete)
	return s
}

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
func (c clusterSnapshots) described(snapshots []opsmanager.ClusterSnapshot) string {
	var text strings.Builder
	for _, s := range snapshots {
		created := "-"
		if at := createdTime(s.Snapshot); at != nil {
			created = tfmodel.FormatTime(*at)
		}
		fmt.Fprintf(&text, "\n  - %s, created %s, expires %s", c.importID(diagnostics.OrDash(s.ID)), created, diagnostics.OrDash(s.Expires))
	}
	return text.String()
}

// importID returns the ID that a snapshot is imported by.
func (c clusterSnapshots) importID(id string) string { return c.project + "/" + c.cluster + "/" + id }
