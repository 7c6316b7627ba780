package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// runningSnapshot is the progress of a snapshot that is being taken.
type runningSnapshot struct {
	hidden int // reads until it appears
	reads  int // further reads until it is complete; negative if reads don't complete it
}

var onDemandSnapshots = resourceType{routes: func(e *Emulator) []route {
	const path = "/groups/{project}/clusters/{cluster}/snapshots/onDemandSnapshot"
	return []route{{http.MethodPost, path, 0, append([]string{"retentionDays"}, singleQuery...), e.takeSnapshot}}
}}

// takeSnapshot begins a snapshot on demand. The response has no ID, and the time of the request,
// which was observed to be earlier than that of the snapshot. Older versions reject it as
// an unknown path, although its path could be that of a snapshot.
func (e *Emulator) takeSnapshot(c *call) (any, error) {
	if !e.version.since(version{7, 0, 12}) {
		return nil, refuse(http.StatusNotFound, "RESOURCE_NOT_FOUND", "Cannot find resource "+c.URL.Path+".", c.URL.Path)
	}
	if !c.query.Has("retentionDays") {
		return nil, refuse(http.StatusBadRequest, "MISSING_QUERY_PARAMETER", "The required query parameter retentionDays was not specified.", "retentionDays")
	}
	days, err := strconv.Atoi(c.query.Get("retentionDays"))
	if err != nil || days < 1 {
		return nil, refuse(http.StatusBadRequest, "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID", "The snapshot retention value "+strconv.Quote(c.query.Get("retentionDays"))+" is invalid.", c.query.Get("retentionDays"))
	}
	cluster := c.cluster
	cluster.unpack()
	if cluster.BackupConfig["statusName"] != "STARTED" || cluster.ShardOf != "" {
		return nil, refuse(http.StatusBadRequest, "BACKUP_JOB_NOT_FOUND", "No backup job was found for cluster "+cluster.ID+".", cluster.ID)
	}
	for _, snapshot := range cluster.Snapshots {
		if !e.isHidden(snapshot) && cluster.isTaking(snapshot) {
			return nil, refuse(http.StatusBadRequest, "UNFINISHED_ON_DEMAND_SNAPSHOT", "A snapshot of cluster "+cluster.ID+" is in progress.", cluster.ID)
		}
	}
	if cluster.newestComplete() == nil { // according to scripts, until a daemon takes the backup's job
		return nil, refuse(http.StatusInternalServerError, "UNEXPECTED_ERROR", "Unexpected error.")
	}
	requested := e.now
	e.beginSnapshot(c.project, cluster, requested.Add(time.Second), time.Duration(days)*24*time.Hour, e.options.Unknowns.SnapshotAppearsAfter)
	if e.options.Unknowns.OnDemandReturns202 {
		c.status = http.StatusAccepted
	}
	return map[string]any{
		"clusterName": cluster.Name,
		"description": "On demand snapshot request complete.",
		"timestamp":   map[string]any{"date": date(requested), "time": requested.Unix(), "increment": 1},
	}, nil
}

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
	parts, _ := snapshot["parts"].([]any)
	for _, part := range parts {
		if fields, ok := part.(map[string]any); ok {
			fields["completedTime"] = date(e.now)
		}
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
