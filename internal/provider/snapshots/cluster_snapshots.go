package snapshots

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

// clusterSnapshots reads, waits for and changes the snapshots of a cluster.
type clusterSnapshots struct {
	*connection.Data

	project, cluster string
}

// object names a snapshot for its claims.
func (c clusterSnapshots) object(id string) string {
	return projects.Snapshot(projects.ClusterIdentityOf(c.project, c.cluster), id)
}

// checkCluster returns the cluster, or an error if it does not exist, has no snapshots of its own, or another
// product backs it up.
func (c clusterSnapshots) checkCluster(ctx context.Context, stage projects.Stage) (*opsmanager.Cluster, error) {
	live, err := c.Client.Cluster(ctx, c.project, c.cluster)
	if err == nil && live.IsPart() {
		err = c.onCluster("Cluster %s is a part of a sharded cluster, which has only snapshots of the whole. Use the ID of the sharded cluster.")
	}
	if err == nil {
		err = projects.Guard(ctx, c.Data, c.project, c.cluster, stage)
	}
	return live, err
}

// onCluster returns the error of a request that is certain to fail. Its text has a place for the ID of the cluster.
func (c clusterSnapshots) onCluster(format string) error {
	return tf.OnAttribute("cluster_id", createSummary, format, c.cluster)
}

// list returns all snapshots of the cluster.
func (c clusterSnapshots) list(ctx context.Context) ([]opsmanager.ClusterSnapshot, error) {
	list, err := opsmanager.Identified(c.Client.ListClusterSnapshots(ctx, c.project, c.cluster, "all", opsmanager.Page{}))
	if err != nil {
		return nil, err
	}
	for _, s := range list.Results {
		got := tf.Text(s.ClusterID)
		if got != "" && !strings.EqualFold(got, c.cluster) {
			return nil, fmt.Errorf("%w: the list of the snapshots of cluster %s has one of cluster %q", opsmanager.ErrOtherObject, c.cluster, got)
		}
	}
	return list.Results, nil
}

// read returns a snapshot, or nil without an error if there is none. Whether Ops Manager returns one
// that is being taken is not documented, so the list decides.
func (c clusterSnapshots) read(ctx context.Context, id string) (*opsmanager.ClusterSnapshot, error) {
	s, err := c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id)
	if !opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) {
		return s, err
	}
	all, err := c.list(ctx)
	for _, s := range all {
		if strings.EqualFold(tf.Text(s.ID), id) {
			return &s, nil
		}
	}
	return nil, err
}

// waitUntilReady waits until the cluster has a complete snapshot and none is being taken, as
// Ops Manager requires. It returns its snapshots. Only an error of the first call ends the wait, such as a
// missing role.
func (c clusterSnapshots) waitUntilReady(ctx context.Context) (all []opsmanager.ClusterSnapshot, err error) {
	begin := time.Now()
	reason := ""
	err = c.Wait(ctx, func() (bool, error) {
		read, lacks, err := c.readiness(ctx)
		_, isFinal := errors.AsType[tf.Explained](err)
		switch {
		case err != nil && (reason == "" || isFinal):
			return false, err
		case err != nil:
			tflog.Warn(ctx, "continuing to wait", map[string]any{"error": tf.Sentence(err)})
			return false, nil
		case lacks == "":
			all = read
			return true, nil
		}
		reason = lacks
		c.progress(ctx, "waiting until a snapshot can be taken, because "+reason, begin)
		return false, nil
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && reason != "" && err != nil {
		err = fmt.Errorf("no snapshot of cluster %s could be taken for %s, because %s. Raise the timeout", c.cluster, time.Since(begin).Round(time.Second), reason)
	}
	return all, err
}

// readiness returns the snapshots of the cluster, and why Ops Manager would refuse to take another one now.
// One that is older than a complete one is no longer being taken, because Ops Manager takes one snapshot of a
// cluster at a time.
func (c clusterSnapshots) readiness(ctx context.Context) (all []opsmanager.ClusterSnapshot, lacks string, err error) {
	if all, err = c.list(ctx); err != nil {
		return nil, "", err
	}
	newestFirst(all, base) // those without a time are the last ones
	other := slices.IndexFunc(all, func(s opsmanager.ClusterSnapshot) bool {
		return mayBeRunning(s) && createdTime(s.Snapshot) == nil
	})
	if len(all) > 0 && mayBeRunning(all[0]) {
		other = 0
	}
	switch {
	case other >= 0 && all[other].Complete == nil:
		return all, "another snapshot does not say whether it is complete", nil
	case other >= 0:
		return all, "another snapshot is still in progress", nil
	case len(all) > 0:
		return all, "", nil
	}
	config, err := c.Client.BackupConfig(ctx, c.project, c.cluster)
	if err != nil {
		return nil, "", err
	}
	switch tf.Text(config.StatusName) {
	case opsmanager.StatusInactive, opsmanager.StatusStopped, opsmanager.StatusTerminating:
		return nil, "", c.onCluster("The backup of cluster %s is not started, and the cluster has no snapshots. Start the backup, for example with opsmanager_backup_config, then try again.")
	}
	return all, "it has no complete snapshot yet", nil
}

// mayBeRunning reports whether a snapshot may still be being taken: it does not say that it is complete.
func mayBeRunning(s opsmanager.ClusterSnapshot) bool { return s.Complete == nil || !*s.Complete }

// restorable returns whether a snapshot is complete and lacks no shard, or nil if that is not known: Ops Manager restores
// no other one.
func restorable(p opsmanager.RestorePoint) *bool {
	switch {
	case p.Complete != nil && !*p.Complete || len(p.MissingShards) > 0:
		return new(false)
	case p.Complete == nil || p.MissingShards == nil:
		return nil
	}
	return new(true)
}

func isRestorable(p opsmanager.RestorePoint) bool { return *cmp.Or(restorable(p), new(false)) }

// MayBeRestorable reports whether a snapshot is restorable as far as it is known.
func MayBeRestorable(p opsmanager.RestorePoint) bool { return *cmp.Or(restorable(p), new(true)) }

func (c clusterSnapshots) progress(ctx context.Context, text string, begin time.Time) {
	elapsed := time.Since(begin).Round(time.Second).String()
	tflog.Info(ctx, text, map[string]any{"cluster_id": c.cluster, "elapsed": elapsed})
	connection.Progress(ctx, fmt.Sprintf("Cluster %s: %s (%s)", c.cluster, text, elapsed))
}

// delete deletes a snapshot that is as the plan saw it, and not held, if the cluster has a later one.
func (c clusterSnapshots) delete(ctx context.Context, id string, saw expiry) error {
	var all []opsmanager.ClusterSnapshot
	// The list is read before each request too. The snapshot is read last, so that a new hold is noticed.
	read := func(ctx context.Context) (live *opsmanager.ClusterSnapshot, err error) {
		if all, err = c.list(ctx); err != nil {
			return nil, err
		}
		live, err = c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id)
		isListed := slices.ContainsFunc(all, func(s opsmanager.ClusterSnapshot) bool {
			return strings.EqualFold(tf.Text(s.ID), id)
		})
		if opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) && isListed {
			err = fmt.Errorf("Ops Manager lists snapshot %s, and says that it does not exist. Apply again: %s", id, tf.Sentence(err)) //nolint:staticcheck // a name
		}
		return live, err
	}
	seen := c.expiryChange(id, saw, saw, tf.RefreshFirst)
	seen.Read = read
	live, err := read(ctx)
	if err != nil {
		return err
	}
	return seen.End(ctx, c.Client, opsmanager.ObjectSnapshot, *live, func(ctx context.Context, live opsmanager.ClusterSnapshot) error {
		switch {
		case holds(live) == nil:
			return fmt.Errorf("snapshot %s says neither when it expires nor whether it is held, and the provider deletes no snapshot that may be held. Delete it in Ops Manager, or set on_destroy = \"keep\" and apply that", id)
		case isHeld(live):
			return tf.Explained{Diagnostic: heldSnapshot(fmt.Sprintf("Snapshot %s of Cluster %s", id, c.cluster), "Ops Manager")}
		case !hasSuccessor(id, live, all):
			return tf.Explained{Diagnostic: c.withoutSuccessor(id, live, all)}
		}
		return c.Client.DeleteClusterSnapshot(ctx, c.project, c.cluster, id)
	})
}

// hasSuccessor reports whether one of the snapshots of a cluster can replace a snapshot: it is known to be
// complete, to lack no shard, not to have expired, and to be later. Of two that were created at the same time,
// the one with the greater ID is later, so that two deletions at once leave one of them. A response may lack the ID of
// the snapshot, so it is that of the state.
func hasSuccessor(id string, s opsmanager.ClusterSnapshot, all []opsmanager.ClusterSnapshot) bool {
	created := createdTime(s.Snapshot)
	id = strings.ToLower(id)
	return created != nil && slices.ContainsFunc(all, func(other opsmanager.ClusterSnapshot) bool {
		later := createdTime(other.Snapshot)
		otherID := strings.ToLower(tf.Text(other.ID))
		return otherID != id && isRestorable(other.RestorePoint()) && liveExpiry(other).isKept() &&
			later != nil && cmp.Or(later.Compare(*created), cmp.Compare(otherID, id)) > 0
	})
}

// described returns a line for each snapshot, with the command that imports it.
func (c clusterSnapshots) described(snapshots []opsmanager.ClusterSnapshot) string {
	var text strings.Builder
	for _, s := range snapshots {
		created := "-"
		kept := "expires " + tf.OrDash(s.Expires)
		if at := createdTime(s.Snapshot); at != nil {
			created = tf.FormatTime(*at)
		}
		if isHeld(s) {
			kept = "held"
		}
		fmt.Fprintf(&text, "\n  - terraform import ADDRESS %s/%s/%s (created %s, %s)", c.project, c.cluster, tf.OrDash(s.ID), created, kept)
	}
	return text.String()
}
