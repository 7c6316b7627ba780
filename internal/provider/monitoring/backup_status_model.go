package monitoring

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/sources"
)

// project is a project whose clusters are read.
type project struct {
	id   string
	name string // or the ID, if it has no name
}

// cluster is a replica set or a whole sharded cluster. Its texts are printable.
type cluster struct {
	project  project
	id       string
	name     string // or the ID, if it has no name
	typeName types.String

	isConfigured bool         // whether there is a backup configuration
	status       types.String // of the backup
	newest       *snapshots.Newest
	maybe        bool                         // whether a snapshot may be complete, although not all of them say so
	points       *string                      // the recovery points as JSON; nil unless they were asked for and read
	schedule     *opsmanager.SnapshotSchedule // nil unless it was asked for
	unread       string                       // why the cluster could not be read; empty if it was
	isListed     bool                         // whether Ops Manager lists that another product backs it up
	owner        error                        // why that is not known, or nil
}

func (c cluster) isReplicaSet() bool { return c.typeName.ValueString() == opsmanager.TypeReplicaSet }

// isForeign reports whether another product backs a cluster up. Ops Manager never does that beside it, and what
// else its list has is not documented. So the list doesn't hide a backup that is started, or whose status is not known.
func (c cluster) isForeign() bool {
	idle := []string{opsmanager.StatusInactive, opsmanager.StatusStopped, opsmanager.StatusTerminating, opsmanager.StatusProvisioning}
	return c.isListed && c.unread == "" && (!c.isConfigured || slices.Contains(idle, c.status.ValueString()))
}

// restorable reports whether a cluster can be restored, perhaps only to an old time. Nil means that this is not known.
func (c cluster) restorable() *bool {
	status := c.status.ValueString()
	isBeingDeleted := status == opsmanager.StatusTerminating
	live := []string{opsmanager.StatusStarted, opsmanager.StatusStopped, opsmanager.StatusProvisioning, opsmanager.StatusInactive}
	hasStatus := slices.Contains(live, status)
	switch {
	case c.unread != "" || (c.isListed || c.owner != nil) && c.newest == nil, // perhaps another product has a backup
		c.newest == nil && c.maybe && !isBeingDeleted:
		return nil
	case c.newest != nil && !isBeingDeleted:
		return new(true)
	case isBeingDeleted || hasStatus || !c.isConfigured:
		return new(false)
	}
	return nil
}

// clusterObject is an element of clusters.
var clusterObject = sources.ObjectOf(
	sources.String("project_id", "ID of the project.", func(c judged) *string { return &c.project.id }),
	sources.String("project_name", "Name of the project, or its ID if it has none.", func(c judged) *string { return &c.project.name }),
	sources.String("cluster_id", "ID of the cluster.", func(c judged) *string { return &c.id }),
	sources.String("name", "Name of the cluster, or its ID if it has none.", func(c judged) *string { return &c.name }),
	sources.String("type_name", "Type of the cluster, such as `REPLICA_SET` or `SHARDED_REPLICA_SET`.", func(c judged) *string { return c.typeName.ValueStringPointer() }),
	sources.String("status_name", "Status of the backup, such as `STARTED`, `STOPPED` or `INACTIVE`. Null if the cluster has no backup configuration.", func(c judged) *string { return c.status.ValueStringPointer() }),
	sources.Nested("newest_complete", "Newest complete snapshot that lacks no shard. Null if there is none.", snapshots.NewestObject, func(c judged) *snapshots.Newest { return c.newest }),
	sources.String("recovery_points_json", "The complete snapshots that lack no shard: "+snapshots.RecoveryPointsText+". Null without `include_recovery_points`, or if the snapshots were not read.", func(c judged) *string { return c.points }),
	sources.Nested("schedule", "Snapshot schedule. Null without `include_schedules`, if the cluster has none, or if `third_party_backup` is true.", schedules.Object, func(c judged) *opsmanager.SnapshotSchedule { return c.schedule }),
	sources.Bool("restorable", "Whether the cluster can be restored, perhaps only to the time of `newest_complete`. False while its snapshots are being deleted. Null if that is not known, for example if there is no snapshot and the key lacks `Project Backup Admin`. Only a restore proves that its data is good.", func(c judged) *bool { return c.restorable() }),
	sources.Bool("third_party_backup", "Whether Ops Manager lists the cluster as backed up by another product. Null if not known.", func(c judged) *bool {
		if c.owner != nil {
			return nil
		}
		return &c.isListed
	}),
	sources.ID("problem", "The problem, such as `no complete snapshot`, `being set up` or `stopped`. Null if there is none.", func(c judged) *string { return &cmp.Or(c.problem, new(problem)).text }),
	sources.ID("code", "Kind of the problem: `THIRD_PARTY`, `UNREAD`, `NOT_BACKED_UP`, `TERMINATING`, `STOPPED`, `NO_SNAPSHOT` or `TOO_OLD`. Null if the cluster is healthy.", func(c judged) *string { return &cmp.Or(c.problem, new(problem)).code }),
)

// judged is a cluster with its problem, or nil if it is healthy.
type judged struct {
	cluster

	problem *problem
}

// problem is why a cluster can't be restored, or misses the objective. It has only a code if another product backs up the cluster.
type problem struct {
	code      string
	text      string
	predicate string // of the sentence whose subject is the cluster
}

// ageLimit is the maximum age of a snapshot.
type ageLimit struct {
	now   time.Time
	hours int64 // 0 means that there is no limit
}

// isOver reports whether a snapshot of a time is too old.
func (l ageLimit) isOver(at time.Time) bool {
	const most = 100 * 365 * 24 // a Duration has room for three centuries
	return l.hours > 0 && at.Before(l.now.Add(-time.Duration(min(l.hours, most))*time.Hour))
}

func (l ageLimit) String() string {
	if l.hours == 1 {
		return "1 hour"
	}
	return fmt.Sprintf("%d hours", l.hours)
}

// judge decides whether the backup of a cluster is good: it returns why the cluster can't be restored or misses the objective,
// or nil. Of several reasons, the first one counts. A backup by another product is not a problem, and has no text. The
// texts have no times, because they may only change with the problem.
func (c cluster) judge(limit ageLimit) *problem {
	status := c.status.ValueString()
	switch {
	case c.isForeign():
		return &problem{code: "THIRD_PARTY"}
	case c.unread != "":
		return &problem{"UNREAD", "not read: " + c.unread, "could not be read: " + c.unread}
	case !c.isConfigured || status == opsmanager.StatusInactive:
		return &problem{"NOT_BACKED_UP", "not backed up", "is not backed up"}
	case status == opsmanager.StatusProvisioning && c.newest != nil:
		return &problem{"NOT_BACKED_UP", "being set up", "gets no new snapshots yet, because its backup is being set up"}
	case status == opsmanager.StatusProvisioning:
		return &problem{"NOT_BACKED_UP", "being set up", "is not backed up yet, because its backup is being set up"}
	case status == opsmanager.StatusTerminating:
		return &problem{"TERMINATING", "being terminated", "can't be restored, because its backup is being terminated, which deletes its snapshots"}
	case status == opsmanager.StatusStopped && c.newest == nil && !c.maybe:
		return &problem{"STOPPED", "stopped, no complete snapshot", "has no complete snapshot, and gets none while its backup is stopped"}
	case status == opsmanager.StatusStopped:
		return &problem{"STOPPED", "stopped", "gets no new snapshots, because its backup is stopped"}
	case status == "":
		return &problem{"UNREAD", "no status", "has a backup without a status"}
	case status != opsmanager.StatusStarted:
		return &problem{"UNREAD", fmt.Sprintf("unknown status %q", status), fmt.Sprintf("has a backup with the unknown status %q", status)}
	case c.newest == nil && c.maybe:
		return &problem{"NO_SNAPSHOT", "no snapshot known to be complete", "has only snapshots whose time or completeness is not known"}
	case c.newest == nil:
		return &problem{"NO_SNAPSHOT", "no complete snapshot", "has no complete snapshot"}
	}
	switch {
	case limit.hours > 0 && c.newest.Created.After(limit.now.Add(time.Hour)):
		return &problem{"TOO_OLD", "newest snapshot dated in the future", "has a newest snapshot that is dated in the future, so its age is not known"}
	case limit.isOver(c.newest.Created):
		return &problem{"TOO_OLD", "newest snapshot older than " + limit.String(), "has no complete snapshot that is younger than " + limit.String()}
	}
	return nil
}
