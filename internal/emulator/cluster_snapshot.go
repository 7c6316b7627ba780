package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// clusterSnapshotFields are the fields of a snapshot of a cluster. Only its expiry can be changed.
var clusterSnapshotFields = union(configServerSnapshotFields, members{
	"doNotDelete":            {isValid: isBoolean},
	"expires":                {isValid: func(value any) bool { _, ok := parseDate(value); return ok }},
	"isPossiblyInconsistent": {readOnly: true},
	"missingShards":          {readOnly: true},
})

var clusterSnapshotType = resourceType{
	routes: func(e *Emulator) []route {
		const all = "/groups/{project}/clusters/{cluster}/snapshots"
		const one = all + "/{snapshot}"
		return []route{
			{http.MethodGet, all, 0, slices.Concat(listQuery, []string{"completed"}), e.listClusterSnapshots},
			{http.MethodGet, one, 0, singleQuery, e.getClusterSnapshot},
			{http.MethodPatch, one, 0, singleQuery, e.patchClusterSnapshot},
			{http.MethodDelete, one, 0, singleQuery, e.deleteClusterSnapshot},
		}
	},
	completeCluster: (*Emulator).continueSnapshots,
	cluster: func(d *documents, c *Cluster) {
		d.addEach(clusterSnapshotFields, c.Snapshots, "the snapshot")
		if c.CopiedSnapshots != "" {
			d.packed[c.ID] = packedDocuments{d.of, "the snapshot", c.CopiedSnapshots, clusterSnapshotFields}
		}
	},
}

// listClusterSnapshots lists the complete snapshots of a cluster, or those that the query selects.
// A cluster that is not backed up has none.
func (e *Emulator) listClusterSnapshots(c *call) any {
	completed := "true"
	if c.query.Has("completed") {
		completed = c.query.Get("completed")
	}
	if !slices.Contains([]string{"true", "false", "all"}, completed) {
		panic(invalidParameter("completed"))
	}
	c.cluster.unpack()
	snapshots := documentList{}
	for _, snapshot := range c.cluster.Snapshots {
		if snapshot = e.advanceSnapshot(c.cluster, snapshot); snapshot == nil {
			continue
		}
		if completed == "all" || (snapshot["complete"] == true) == (completed == "true") {
			snapshots = append(snapshots, e.snapshotDocument(c, snapshot))
		}
	}
	if e.state.isCopy() {
		return snapshots
	}
	slices.SortStableFunc(snapshots, func(a, b map[string]any) int {
		return createdAt(a).Compare(createdAt(b))
	})
	if !e.options.Unknowns.OldestSnapshotFirst {
		slices.Reverse(snapshots)
	}
	return snapshots
}

func (e *Emulator) getClusterSnapshot(c *call) any {
	was := e.findSnapshot(c)
	snapshot := e.advanceSnapshot(c.cluster, was)
	if snapshot == nil || was["complete"] != true && e.options.Unknowns.HidesRunningSnapshot {
		panic(noSnapshot(c.cluster, c.vars["snapshot"]))
	}
	return e.snapshotDocument(c, snapshot)
}

// patchClusterSnapshot changes the expiry of a snapshot.
func (e *Emulator) patchClusterSnapshot(c *call) any {
	before := e.findSnapshot(c)
	change := e.checkedBody(c, nil, clusterSnapshotFields)
	if at, ok := parseDate(change["expires"]); ok {
		change["expires"] = date(at)
	}
	id := c.vars["snapshot"]
	held := before["doNotDelete"] == true
	expires, isTime := parseDate(before["expires"])
	switch {
	case before["complete"] != true:
		panic(refuse(http.StatusBadRequest, "CANNOT_MODIFY_IN_PROGRESS_SNAPSHOT_RETENTION", "Cannot modify the retention of snapshot "+id+" because it is in progress.", id))
	case !held && isTime && expires.Before(e.now):
		panic(refuse(http.StatusBadRequest, "ALREADY_EXPIRED", "Snapshot "+id+" has already expired.", id))
	case change["expires"] != nil && (change["doNotDelete"] == true || held && change["doNotDelete"] == nil):
		// Without doNotDelete in the request, this is not documented.
		panic(refuse(http.StatusForbidden, "CANNOT_MODIFY_SNAPSHOT", "Cannot modify snapshot "+id+" because of invalid fields: expires, doNotDelete.", id))
	case change["doNotDelete"] == true:
		change["expires"] = nil // deletes it
	case held && change["doNotDelete"] == false && change["expires"] == nil && e.options.Unknowns.ReleaseSetsExpires:
		change["expires"] = date(e.now.Add(scheduledRetention(c.cluster)))
	}
	after := merge(before, change)
	c.cluster.snapshots().put(after)
	return e.snapshotDocument(c, after)
}

// deleteClusterSnapshot deletes a snapshot. No error code is documented for a snapshot that must
// not be deleted. One within the window for points in time needs a global role.
func (e *Emulator) deleteClusterSnapshot(c *call) any {
	found := e.findSnapshot(c)
	id := c.vars["snapshot"]
	window, _ := c.cluster.SnapshotSchedule["pointInTimeWindowHours"].(float64)
	isWithin := createdAt(found).After(e.now.Add(-time.Duration(window * float64(time.Hour))))
	switch {
	case isWithin && !c.key.hasGlobal(backupAdmin):
		panic(notAuthorized())
	case found["complete"] != true:
		detail := "Cannot delete snapshot " + id + " because it is in progress."
		panic(refuse(http.StatusBadRequest, "CANNOT_DELETE_IN_PROGRESS_SNAPSHOT", detail, id))
	case found["doNotDelete"] == true:
		panic(refuse(http.StatusForbidden, "", "Snapshot "+id+" must not be deleted.", id))
	}
	c.cluster.snapshots().remove(idOf(found))
	return nil
}

// snapshotDocument returns a snapshot as in a response, which has its parts. That of a sharded cluster says which shards
// it lacks, also if it lacks none.
func (e *Emulator) snapshotDocument(c *call, snapshot map[string]any) map[string]any {
	id := idOf(snapshot)
	self := c.link("/groups/" + c.project.ID + "/clusters/" + c.cluster.ID + "/snapshots/" + id)
	if e.state.isCopy() && !e.begun[id] {
		return asRead(snapshot, self)
	}
	document := merge(map[string]any{
		"groupId":     c.project.ID,
		"clusterId":   c.cluster.ID,
		"clusterName": c.cluster.Name,
		"links":       []map[string]any{self},
	}, snapshot)
	if document["missingShards"] == nil && c.cluster.sharded() {
		document["missingShards"] = []any{}
	}
	if document["parts"] == nil {
		document["parts"] = snapshotParts(c.project, c.cluster)
	}
	for _, field := range []string{"created", "lastOplogAppliedTimestamp"} {
		timestamp, _ := document[field].(map[string]any)
		if at, ok := parseDate(timestamp["date"]); ok && !e.options.Unknowns.OmitsCreatedTime {
			timestamp["time"] = at.Unix() // undocumented, but real servers return it
		}
	}
	if snapshot["complete"] != true && e.options.Unknowns.RunningSnapshotLacksExpires {
		delete(document, "expires")
	}
	return document
}

func (e *Emulator) findSnapshot(c *call) map[string]any {
	id := c.idIn("snapshot", "INVALID_SNAPSHOT_ID", "snapshot")
	c.cluster.unpack()
	snapshot := c.cluster.snapshots().find(id)
	if snapshot == nil || e.isHidden(snapshot) && c.Method != http.MethodGet {
		panic(noSnapshot(c.cluster, c.vars["snapshot"]))
	}
	return snapshot
}

func (c *Cluster) snapshots() collection {
	return collection{"snapshot", idOf, c.Snapshots, func(snapshots []map[string]any) {
		c.Snapshots = snapshots
	}, nil}
}

func noSnapshot(cluster *Cluster, id string) *refusal {
	detail := "No snapshot with ID " + id + " exists for cluster " + cluster.ID + "."
	return refuse(http.StatusNotFound, "SNAPSHOT_NOT_FOUND", detail, id, cluster.ID)
}

// Snapshots returns the snapshots of a cluster.
func (e *Emulator) Snapshots(projectID, clusterID string) []map[string]any {
	defer e.lock()()
	return deepCopy(e.mustCluster(projectID, clusterID).Snapshots)
}

// SetSnapshot sets a snapshot. One that is set to complete is complete at once. One that is added as
// incomplete stays incomplete.
func (e *Emulator) SetSnapshot(projectID, clusterID, id string, fields map[string]any) {
	defer e.lock()()
	cluster := e.mustCluster(projectID, clusterID)
	if _, ok := fields["complete"]; ok {
		delete(e.running, id)
	}
	cluster.snapshots().set(id, fields)
}

// RemoveSnapshot removes a snapshot, as Ops Manager does some time after its expiry.
func (e *Emulator) RemoveSnapshot(projectID, clusterID, id string) {
	defer e.lock()()
	e.mustCluster(projectID, clusterID).snapshots().remove(id)
}

// beginSnapshot begins a snapshot that appears after some reads, and is complete after
// TransitionReads more, or after TransitionTime.
func (e *Emulator) beginSnapshot(project *Project, cluster *Cluster, at, expires time.Time, hidden int) {
	id := fmt.Sprintf("%08x%016x", at.Unix(), len(e.begun)+1)
	e.begun[id] = true
	at = at.Truncate(time.Second)
	snapshot := map[string]any{
		"id":                        id,
		"complete":                  false,
		"doNotDelete":               false,
		"created":                   map[string]any{"date": date(at), "increment": 1},
		"expires":                   date(expires),
		"lastOplogAppliedTimestamp": map[string]any{"date": date(at), "increment": 1},
		"namespaceFilterList":       map[string]any{"filterList": []any{}, "filterType": "denyList"},
	}
	if cluster.sharded() {
		snapshot["isPossiblyInconsistent"] = false
	}
	snapshot["parts"] = snapshotParts(project, cluster)
	if e.state.isCopy() && !e.options.Unknowns.OldestSnapshotFirst { // whose order is that of the list
		cluster.Snapshots = slices.Insert(cluster.Snapshots, 0, copyDocument(snapshot))
	} else {
		cluster.Snapshots = append(cluster.Snapshots, copyDocument(snapshot))
	}
	e.continueSnapshot(cluster, id, runningSnapshot{hidden, max(e.options.TransitionReads, 0)})
}

// snapshotParts returns the parts of a snapshot: one of a replica set, or one of each component of a sharded cluster.
func snapshotParts(project *Project, cluster *Cluster) []any {
	part := func(c Cluster) any {
		return map[string]any{"typeName": c.TypeName, "replicaSetName": c.ReplicaSetName}
	}
	if !cluster.sharded() {
		return []any{part(*cluster)}
	}
	parts := []any{}
	for _, component := range project.Clusters {
		if component.ShardOf == cluster.ID {
			parts = append(parts, part(component))
		}
	}
	return parts
}

// continueSnapshots continues the snapshots of a started backup that are incomplete in the seed.
func (e *Emulator) continueSnapshots(cluster *Cluster) {
	for _, snapshot := range cluster.Snapshots {
		if cluster.BackupConfig["statusName"] == "STARTED" && cluster.isTaking(snapshot) {
			e.continueSnapshot(cluster, idOf(snapshot), runningSnapshot{reads: -1})
		}
	}
}

func (e *Emulator) continueSnapshot(cluster *Cluster, id string, running runningSnapshot) {
	e.running[id] = &running
	e.endInTime(cluster.ID, func(_ *Project, cluster *Cluster) {
		snapshot := cluster.snapshots().find(id)
		if snapshot != nil && e.running[id] == &running {
			e.completeSnapshot(cluster, snapshot)
		}
	})
}

// completeSnapshot completes a snapshot and returns it. Its parts are like those of the last complete one, if
// there is one.
func (e *Emulator) completeSnapshot(cluster *Cluster, snapshot map[string]any) map[string]any {
	snapshot = merge(snapshot, map[string]any{"complete": true})
	delete(e.running, idOf(snapshot))
	if snapshot["lastOplogAppliedTimestamp"] == nil {
		snapshot["lastOplogAppliedTimestamp"] = copyValue(snapshot["created"])
	}
	if parts, ok := copyDocument(cluster.newestComplete())["parts"]; ok {
		snapshot["parts"] = parts
	}
	for _, part := range objectsIn(snapshot["parts"]) {
		part["completedTime"] = date(e.now)
	}
	cluster.snapshots().put(snapshot)
	return snapshot
}

// advanceSnapshot brings the snapshot of a cluster, if it is being taken, one read closer to
// its end, and returns it as it is then, or nil while it is hidden.
func (e *Emulator) advanceSnapshot(cluster *Cluster, snapshot map[string]any) map[string]any {
	switch running := e.running[idOf(snapshot)]; {
	case running == nil:
	case running.hidden > 0:
		running.hidden--
		return nil
	case running.reads > 0:
		running.reads--
	case running.reads == 0:
		return e.completeSnapshot(cluster, snapshot)
	}
	return snapshot
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
	running := e.running[idOf(snapshot)]
	return running != nil && running.hidden > 0
}

// scheduledRetention returns how long the schedule of a cluster keeps a snapshot.
func scheduledRetention(cluster *Cluster) time.Duration {
	days, _ := cluster.SnapshotSchedule["snapshotRetentionDays"].(float64)
	return time.Duration(days) * 24 * time.Hour
}
