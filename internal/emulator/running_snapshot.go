package emulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// beginSnapshot begins a snapshot that appears after some reads, and is complete after
// TransitionReads more, or after TransitionTime.
func (e *Emulator) beginSnapshot(project *Project, cluster *Cluster, at time.Time, retention time.Duration, hidden int) {
	id := fmt.Sprintf("%08x%016x", at.Unix(), len(e.begun)+1)
	e.begun[id] = true
	at = at.Truncate(time.Second)
	snapshot := map[string]any{
		"id": id, "complete": false, "doNotDelete": false,
		"created":                   map[string]any{"date": date(at), "increment": 1},
		"expires":                   date(at.Add(retention)),
		"lastOplogAppliedTimestamp": map[string]any{"date": date(at), "increment": 1},
		"namespaceFilterList":       map[string]any{"filterList": []any{}, "filterType": "denyList"},
	}
	parts := []any{}
	if cluster.sharded() {
		snapshot["isPossiblyInconsistent"], snapshot["missingShards"] = false, []any{}
		for _, component := range project.Clusters {
			if component.ShardOf == cluster.ID {
				parts = append(parts, map[string]any{"typeName": component.TypeName, "replicaSetName": component.ReplicaSetName})
			}
		}
	} else {
		parts = append(parts, map[string]any{"typeName": cluster.TypeName, "replicaSetName": cluster.ReplicaSetName})
	}
	snapshot["parts"] = parts
	if e.state.isCopy() && !e.options.Unknowns.OldestSnapshotFirst { // whose order is that of the list
		cluster.Snapshots = slices.Insert(cluster.Snapshots, 0, copyDocument(snapshot))
	} else {
		cluster.Snapshots = append(cluster.Snapshots, copyDocument(snapshot))
	}
	e.continueSnapshot(cluster, id, runningSnapshot{hidden, max(e.options.TransitionReads, 0)})
}

// continueSnapshots continues the snapshots of a started backup that are incomplete in the seed.
func (e *Emulator) continueSnapshots(cluster *Cluster) {
	for _, snapshot := range cluster.Snapshots {
		if id, _ := snapshot["id"].(string); cluster.BackupConfig["statusName"] == "STARTED" && cluster.isTaking(snapshot) {
			e.continueSnapshot(cluster, id, runningSnapshot{reads: -1})
		}
	}
}

func (e *Emulator) continueSnapshot(cluster *Cluster, id string, running runningSnapshot) {
	e.running[id] = &running
	e.endInTime(cluster.ID, func(_ *Project, cluster *Cluster) {
		if i := cluster.snapshotIndex(id); i >= 0 && e.running[id] == &running {
			e.completeSnapshot(cluster, i)
		}
	})
}

// completeSnapshot completes a snapshot. Its parts are like those of the last complete one, if
// there is one.
func (e *Emulator) completeSnapshot(cluster *Cluster, i int) {
	snapshot := merge(cluster.Snapshots[i], map[string]any{"complete": true})
	delete(e.running, fmt.Sprint(snapshot["id"]))
	if snapshot["lastOplogAppliedTimestamp"] == nil {
		snapshot["lastOplogAppliedTimestamp"] = copyValue(snapshot["created"])
	}
	if parts, ok := copyDocument(cluster.newestComplete())["parts"]; ok {
		snapshot["parts"] = parts
	}
	for _, part := range objectsIn(snapshot["parts"]) {
		part["completedTime"] = date(e.now)
	}
	cluster.Snapshots[i] = snapshot
}

// advanceSnapshot brings the snapshot of a cluster, if it is being taken, one read closer to
// its end. It reports whether it is visible.
func (e *Emulator) advanceSnapshot(cluster *Cluster, i int) bool {
	snapshot := cluster.Snapshots[i]
	id, _ := snapshot["id"].(string)
	running := e.running[id]
	switch {
	case running == nil:
	case running.hidden > 0:
		running.hidden--
		return false
	case running.reads > 0:
		running.reads--
	case running.reads == 0:
		e.completeSnapshot(cluster, i)
	}
	return true
}

// createdAt returns when a snapshot was taken.
func createdAt(snapshot map[string]any) time.Time { return dateOf(snapshot["created"]) }

// newestComplete returns the newest complete snapshot of a cluster, or nil.
func (c *Cluster) newestComplete() (newest map[string]any) {
	for _, snapshot := range c.Snapshots {
		if snapshot["complete"] == true && (newest == nil || createdAt(snapshot).After(createdAt(newest))) {
			newest = snapshot
		}
	}
	return newest
}

// isTaking reports whether a snapshot is being taken. One that is older than a complete one was
// abandoned.
func (c *Cluster) isTaking(snapshot map[string]any) bool {
	return snapshot["complete"] != true && !createdAt(snapshot).Before(createdAt(c.newestComplete()))
}

// isHidden reports whether a snapshot does not appear yet.
func (e *Emulator) isHidden(snapshot map[string]any) bool {
	id, _ := snapshot["id"].(string)
	return e.running[id] != nil && e.running[id].hidden > 0
}

// scheduledRetention returns how long the schedule of a cluster keeps a snapshot.
func scheduledRetention(cluster *Cluster) time.Duration {
	days, _ := cluster.SnapshotSchedule["snapshotRetentionDays"].(float64)
	return time.Duration(days) * 24 * time.Hour
}

func (c *Cluster) snapshotIndex(id string) int {
	return slices.IndexFunc(c.Snapshots, func(s map[string]any) bool { return s["id"] == strings.ToLower(id) })
}
