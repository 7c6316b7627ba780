package emulator

import (
	"net/http"
	"strconv"
	"time"
)

var onDemandSnapshotType = resourceType{routes: func(e *Emulator) []route {
	const path = "/groups/{project}/clusters/{cluster}/snapshots/onDemandSnapshot"
	return []route{{http.MethodPost, path, forGlobalBackups, append([]string{"retentionDays"}, singleQuery...), e.takeSnapshot}}
}}

// takeSnapshot begins a snapshot on demand. The response has no ID, and the time of the request,
// which was observed to be earlier than that of the snapshot. Older versions reject it as
// an unknown path, although its path could be that of a snapshot.
func (e *Emulator) takeSnapshot(c *call) any {
	if !e.version.since(version{7, 0, 12}) {
		panic(refuse(http.StatusNotFound, "RESOURCE_NOT_FOUND", "Cannot find resource "+c.URL.Path+".", c.URL.Path))
	}
	if !c.query.Has("retentionDays") {
		panic(refuse(http.StatusBadRequest, "MISSING_QUERY_PARAMETER", "The required query parameter retentionDays was not specified.", "retentionDays"))
	}
	days, err := strconv.Atoi(c.query.Get("retentionDays"))
	if err != nil || days < 1 {
		panic(refuse(http.StatusBadRequest, "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID", "The snapshot retention value "+strconv.Quote(c.query.Get("retentionDays"))+" is invalid.", c.query.Get("retentionDays")))
	}
	cluster := c.cluster
	cluster.unpack()
	if cluster.BackupConfig["statusName"] != "STARTED" || cluster.ShardOf != "" {
		panic(refuse(http.StatusBadRequest, "BACKUP_JOB_NOT_FOUND", "No backup job was found for cluster "+cluster.ID+".", cluster.ID))
	}
	for _, snapshot := range cluster.Snapshots {
		if !e.isHidden(snapshot) && cluster.isTaking(snapshot) {
			detail := "A snapshot of cluster " + cluster.ID + " is in progress."
			panic(refuse(http.StatusBadRequest, "UNFINISHED_ON_DEMAND_SNAPSHOT", detail, cluster.ID))
		}
	}
	if cluster.newestComplete() == nil { // according to scripts, until a daemon takes the backup's job
		panic(refuse(http.StatusInternalServerError, "UNEXPECTED_ERROR", "Unexpected error."))
	}
	requested := e.now
	taken := requested.Add(time.Second)
	e.beginSnapshot(c.project, cluster, taken, taken.AddDate(0, 0, days), e.options.Unknowns.SnapshotAppearsAfter)
	return map[string]any{
		"clusterName": cluster.Name,
		"description": "On demand snapshot request complete.",
		"timestamp": map[string]any{
			"date":      date(requested),
			"time":      requested.Unix(),
			"increment": 1,
		},
	}
}
