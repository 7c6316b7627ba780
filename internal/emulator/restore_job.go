package emulator

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// restoreJobFields are the fields of a restore job.
var restoreJobFields = union(readOnly(
	"batchId", "clusterId", "clusterName", "created", "encryptionEnabled", "groupId", "hashes", "id", "links",
	"masterKeyUUID", "pointInTime", "snapshotId", "statusName", "timestamp",
), members{"delivery": {readOnly: true, nested: union(
	readOnly("expirationHours", "expires", "maxDownloads", "methodName", "statusName", "targetClusterId"), members{"url": {secret: true}},
)}})

// timeRangeFields are the fields of a restorable time range.
var timeRangeFields = readOnly("configServerType", "end", "shardCount", "snapshotId", "start")

var restoreJobType = resourceType{
	routes: func(e *Emulator) []route {
		const all = "/groups/{project}/clusters/{cluster}/restoreJobs"
		routes := []route{
			{http.MethodGet, all, 0, slices.Concat(listQuery, []string{"batchId"}), e.listRestoreJobs},
			{http.MethodPost, all, 0, singleQuery, e.createRestoreJob},
			{http.MethodGet, all + "/{job}", 0, singleQuery, e.getRestoreJob},
		}
		if e.version.since(version{8, 0, 6}) {
			const ranges = all + "/restorableTimeRanges"
			routes = append(routes, route{http.MethodPost, ranges, uncopied | forTimeRanges, singleQuery, e.restorableTimeRanges})
		}
		return routes
	},
	cluster: func(d *documents, c *Cluster) {
		d.addEach(restoreJobFields, c.RestoreJobs, "the restore job")
		for _, one := range c.RestorableTimeRanges {
			d.add(timeRangeFields, one, "the time range to restore after %v", one["snapshotId"])
		}
	},
}

// listRestoreJobs lists the restore jobs of a cluster, or those of a batch. Each request brings the
// listed jobs closer to their end. Jobs have the order of their creation, because no order is
// documented.
func (e *Emulator) listRestoreJobs(c *call) any {
	jobs := documentList{}
	for _, job := range e.visibleRestores(c.cluster) {
		batch := c.query.Get("batchId")
		if c.query.Has("batchId") && job["batchId"] != batch {
			continue
		}
		jobs = append(jobs, e.restoreDocument(c, e.readRestore(c.cluster, job)))
	}
	return jobs
}

func (e *Emulator) getRestoreJob(c *call) any {
	given := c.vars["job"]
	id := c.idIn("job", "INVALID_JOB_ID", "restore job")
	jobs := e.visibleRestores(c.cluster)
	i := slices.IndexFunc(jobs, func(job map[string]any) bool {
		return job["id"] == id
	})
	if i < 0 {
		detail := "No restore job with ID " + given + " exists for cluster " + c.cluster.ID + "."
		panic(refuse(http.StatusNotFound, "RESTORE_JOB_NOT_FOUND", detail, given, c.cluster.ID))
	}
	return e.restoreDocument(c, e.readRestore(c.cluster, jobs[i]))
}

// visibleRestores returns the restore jobs that a request sees. BatchAppearsAfter hides some of a new batch.
func (e *Emulator) visibleRestores(cluster *Cluster) []map[string]any {
	lag := e.behind[restoresKey(cluster)]
	if lag == nil || lag.reads == 0 {
		return slices.Clone(cluster.RestoreJobs)
	}
	lag.reads--
	return slices.DeleteFunc(slices.Clone(cluster.RestoreJobs), func(job map[string]any) bool {
		_, isNew := lag.document[fmt.Sprint(job["id"])]
		return isNew
	})
}

// restoresKey returns the key of the restore jobs of a cluster for behind, whose document has
// the IDs of the new jobs.
func restoresKey(cluster *Cluster) string { return "restoreJobs/" + cluster.ID }

// readRestore returns a job as a read sees it, which brings the job closer to its end.
func (e *Emulator) readRestore(cluster *Cluster, job map[string]any) map[string]any {
	id := fmt.Sprint(job["id"])
	running, ok := e.restores[id]
	switch {
	case isAsRead(job):
		return job
	case !ok && e.options.Unknowns.ForgetsFinishedRestores:
		cluster.RestoreJobs = slices.DeleteFunc(cluster.RestoreJobs, func(other map[string]any) bool {
			return other["id"] == job["id"]
		})
		return job
	case ok && running.reads == 0:
		return e.endRestore(cluster, id, e.options.RestoreOutcome)
	case ok && running.reads > 0:
		running.reads--
	}
	return e.expireLink(cluster, job)
}

// endRestore ends a job with a status and returns it.
func (e *Emulator) endRestore(cluster *Cluster, id, status string) map[string]any {
	ended := e.restores[id]
	delete(e.restores, id)
	delivery := map[string]any{"statusName": cmp.Or(map[string]string{"KILLED": "INTERRUPTED", "FINISHED": "READY"}[status], "FAILED")}
	if status != "FINISHED" {
		delivery["url"] = nil // deletes it
	} else if ended != nil && ended.isLink && ended.expiration > 0 {
		delivery["expires"] = date(e.now.Add(ended.expiration))
	}
	return e.setRestore(cluster, id, map[string]any{"statusName": status}, delivery)
}

// downloadLink returns a link to download what a job restores.
func downloadLink(id string) string {
	return "https://opsmanager.example.com:8443/backup/restore/v2/pull/" + id + "/" + newJobID() + "/restore.tar.gz"
}

// expireLink makes the link of a job invalid after its time.
func (e *Emulator) expireLink(cluster *Cluster, job map[string]any) map[string]any {
	delivery, _ := job["delivery"].(map[string]any)
	until, expires := parseDate(delivery["expires"])
	if !expires || delivery["statusName"] != "READY" || e.now.Before(until) {
		return job
	}
	return e.setRestore(cluster, fmt.Sprint(job["id"]), nil, map[string]any{"statusName": "EXPIRED"})
}

// setRestore sets fields of a job and of its delivery, and returns the job.
func (e *Emulator) setRestore(cluster *Cluster, id string, fields, delivery map[string]any) map[string]any {
	for i, job := range cluster.RestoreJobs {
		if job["id"] == id {
			delivered := merge(get[map[string]any](job, "delivery"), delivery)
			cluster.RestoreJobs[i] = merge(merge(job, map[string]any{"delivery": delivered}), fields)
			return cluster.RestoreJobs[i]
		}
	}
	panic(fmt.Sprintf("emulator: no restore job %q of cluster %q", id, cluster.ID))
}

// restoreDocument returns a job as in a response, which lacks its target.
func (e *Emulator) restoreDocument(c *call, job map[string]any) map[string]any {
	self := c.link(fmt.Sprintf("/groups/%s/clusters/%s/restoreJobs/%v", c.project.ID, c.cluster.ID, job["id"]))
	if isAsRead(job) {
		return asRead(job, self)
	}
	document := merge(map[string]any{
		"groupId":     c.project.ID,
		"clusterId":   c.cluster.ID,
		"clusterName": c.cluster.Name,
		"links":       []map[string]any{self},
	}, job)
	if delivery, ok := job["delivery"].(map[string]any); ok {
		document["delivery"] = merge(delivery, map[string]any{"targetClusterId": nil})
	}
	return document
}

// restoreSources are the alternative fields of a request that say what is restored.
var restoreSources = []string{"snapshotId", "pointInTimeUTCMillis", "oplogTs"}

// restoreFields are the fields of a request. The documentation has both numbers of an oplog entry as
// strings, and public clients send the second one as a number, so both forms are accepted.
var restoreFields = members{
	"delivery":             {isValid: isObject, nested: deliveryFields},
	"oplogInc":             {isValid: isNumberOrText},
	"oplogTs":              {isValid: isNumberOrText},
	"pointInTimeUTCMillis": {isValid: isNumberOrText},
	"snapshotId":           {isValid: func(value any) bool { return value == nil || isText(value) }},
}

var deliveryFields = members{
	"expirationHours": {isValid: isNumberOrText},
	"expires":         {isValid: func(value any) bool { _, err := time.Parse(time.RFC3339, fmt.Sprint(value)); return err == nil }},
	"maxDownloads":    {isValid: isNumberOrText},
	"methodName":      {isValid: isText},
	"targetClusterId": {isValid: isText},
	"targetGroupId":   {isValid: isText},
}

// createRestoreJob starts a job, or one for each shard of a sharded cluster.
func (e *Emulator) createRestoreJob(c *call) any {
	cluster := c.cluster
	cluster.unpack()
	if cluster.ShardOf != "" {
		panic(refuse(http.StatusBadRequest, "AUTOMATED_RESTORE_OF_SHARD_NOT_ALLOWED", "A shard cannot be restored alone; use cluster ID "+cluster.ShardOf+".", cluster.ShardOf))
	}
	body := e.checkedBody(c, nil, restoreFields)
	job := e.restoreSource(cluster, body)
	sent, _ := body["delivery"].(map[string]any)
	if target, isNamed := sent["targetGroupId"].(string); isNamed && !c.key.has(backupAdmin, strings.ToLower(target)) {
		panic(notAuthorized())
	}
	running, delivery := e.restoreDelivery(cluster, body)
	job["delivery"] = delivery
	jobs := documentList{}
	for i, started := range e.startRestore(cluster, job, *running) {
		if i == 0 || e.options.Unknowns.BatchAppearsAfter == 0 {
			jobs = append(jobs, e.restoreDocument(c, started))
		}
	}
	return jobs
}

// restoreSource returns the fields of a job that depend on what is restored.
func (e *Emulator) restoreSource(cluster *Cluster, body map[string]any) map[string]any {
	sources := slices.DeleteFunc(slices.Clone(restoreSources), func(name string) bool {
		return body[name] == nil
	})
	if len(sources) != 1 {
		// The error code for two of them is not documented.
		detail := "Exactly one of " + strings.Join(restoreSources, ", ") + " is required."
		panic(refuse(http.StatusBadRequest, "MISSING_ONE_OF_ATTRIBUTES", detail, restoreSources...))
	}
	if (body["oplogTs"] == nil) != (body["oplogInc"] == nil) {
		panic(refuse(http.StatusBadRequest, "MISSING_ATTRIBUTE", "The attributes oplogTs and oplogInc are required together.", "oplogTs", "oplogInc"))
	}
	if sources[0] == "snapshotId" {
		snapshot := e.restorableSnapshot(cluster, fmt.Sprint(body["snapshotId"]))
		return map[string]any{
			"snapshotId":        snapshot["id"],
			"pointInTime":       false,
			"timestamp":         snapshot["lastOplogAppliedTimestamp"],
			"encryptionEnabled": isEncrypted(snapshot),
		}
	}
	return e.restorePoint(cluster, body)
}

// restorableSnapshot returns a snapshot of a cluster that can be restored.
func (e *Emulator) restorableSnapshot(cluster *Cluster, id string) map[string]any {
	snapshot := cluster.snapshots().find(strings.ToLower(id))
	if snapshot == nil {
		panic(noSnapshot(cluster, id))
	}
	switch {
	case snapshot["complete"] != true && cluster.sharded():
		panic(refuse(http.StatusConflict, "CANNOT_START_RESTORE_JOB_FOR_INCOMPLETE_CLUSTER_SNAPSHOT", "Cannot start restore job for incomplete cluster snapshot."))
	case snapshot["complete"] != true:
		panic(refuse(http.StatusConflict, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT", "Cannot restore a snapshot that is not complete."))
	}
	return snapshot
}

func isEncrypted(snapshot map[string]any) bool {
	return slices.ContainsFunc(objectsIn(snapshot["parts"]), func(part map[string]any) bool {
		return part["encryptionEnabled"] == true
	})
}

// restorePoint returns the fields of a job that restores a time or an oplog entry, which must be in
// a restorable time range.
func (e *Emulator) restorePoint(cluster *Cluster, body map[string]any) map[string]any {
	millis, _ := numberOrText(body["pointInTimeUTCMillis"])
	at := time.UnixMilli(millis)
	increment := int64(1)
	isOplog := body["oplogTs"] != nil
	if isOplog {
		seconds, _ := numberOrText(body["oplogTs"])
		increment, _ = numberOrText(body["oplogInc"])
		at = time.Unix(seconds, 0)
	}
	if cluster.sharded() && !hasModernFCV(cluster) {
		code := "PIT_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS"
		if isOplog {
			code = "OPLOG_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS"
		}
		panic(refuse(http.StatusBadRequest, code, "This restore is only supported for replica sets."))
	}
	ranges := e.timeRanges(cluster)
	if len(ranges) == 0 {
		panic(refuse(http.StatusNotFound, "UNABLE_T0_FIND_SNAPSHOT_PRIOR_TO_PIT_RESTORE_OPTIME", "Unable to find a snapshot prior to the time."))
	}
	for i, r := range ranges {
		if i == len(ranges)-1 && e.refusedPoints < e.options.Unknowns.OplogArrivesAfter {
			e.refusedPoints++
			panic(refuse(http.StatusConflict, "", "Invalid restore point: the oplog up to this time is not available yet."))
		}
		if !at.Before(dateOf(r["start"])) && !at.Truncate(time.Second).After(dateOf(r["end"])) {
			return map[string]any{
				"snapshotId":        r["snapshotId"],
				"pointInTime":       true,
				"encryptionEnabled": false,
				"timestamp":         map[string]any{"date": date(at), "increment": increment},
			}
		}
	}
	panic(refuse(http.StatusBadRequest, "INVALID_PIT_RESTORE_TIME", "The time is not restorable."))
}

// hasModernFCV reports whether the newest snapshot of a sharded cluster has a feature compatibility
// version that points in time can be restored with.
func hasModernFCV(cluster *Cluster) bool {
	for _, snapshot := range cluster.Snapshots {
		for _, part := range objectsIn(snapshot["parts"]) {
			major, _, _ := strings.Cut(fmt.Sprint(part["fcv"]), ".")
			if len(major) == 1 && major < "6" {
				return false
			}
		}
	}
	return true
}

// numberOrText returns a whole number, which may be a string, as in documented examples.
func numberOrText(value any) (int64, bool) {
	switch v := value.(type) {
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	case json.Number:
		n, err := v.Float64()
		return int64(n), err == nil && n == float64(int64(n))
	}
	return 0, false
}

func isNumberOrText(value any) bool { _, ok := numberOrText(value); return ok }

// restoreDelivery returns the target of a request, and the delivery in the response.
func (e *Emulator) restoreDelivery(source *Cluster, body map[string]any) (*restore, map[string]any) {
	sent, ok := body["delivery"].(map[string]any)
	if !ok {
		panic(missingAttribute("delivery"))
	}
	document := map[string]any{"methodName": "HTTP", "statusName": "NOT_STARTED"}
	switch sent["methodName"] {
	case "AUTOMATED_RESTORE":
		target := e.restoreTarget(source, sent).ID
		document["targetClusterId"] = target
		return &restore{targetCluster: target}, document
	case "HTTP":
		return &restore{expiration: e.restoreLink(source, body, sent, document)}, document
	case nil:
		panic(missingAttribute("delivery.methodName"))
	}
	panic(refuse(http.StatusBadRequest, "UNSUPPORTED_DELIVERY_METHOD", "Unsupported delivery method.", fmt.Sprint(sent["methodName"])))
}

// restoreTarget returns the target of an automated restore. Automation must manage it, it must have
// the topology of the source, and no other restore into it may be running.
func (e *Emulator) restoreTarget(source *Cluster, sent map[string]any) *Cluster {
	for _, name := range []string{"targetGroupId", "targetClusterId"} {
		if text, _ := sent[name].(string); text == "" {
			panic(missingAttribute("delivery." + name))
		}
	}
	projectID := fmt.Sprint(sent["targetGroupId"])
	clusterID := fmt.Sprint(sent["targetClusterId"])
	target := e.state.cluster(strings.ToLower(projectID), strings.ToLower(clusterID))
	isWhole := target != nil && !target.Unmanaged && target.ShardOf == ""
	if !isWhole || target.sharded() != source.sharded() || len(e.state.shardsOf(target)) < len(e.state.shardsOf(source)) {
		detail := "Cannot restore to cluster " + clusterID + " of group " + projectID + "."
		panic(refuse(http.StatusForbidden, "CANNOT_RESTORE_TO_TARGET", detail, clusterID, projectID))
	}
	var running []string
	for id, r := range e.restores {
		if r.targetCluster == target.ID {
			running = append(running, id)
		}
	}
	slices.Sort(running)
	switch {
	case len(running) == 0:
		return target
	case e.version.since(version{8, 0, 13}) || e.version[0] == 7 && e.version.since(version{7, 0, 19}):
		panic(refuse(http.StatusConflict, "CONCURRENT_RESTORES_JOB_IDS", "Another restore of the cluster is in progress: "+strings.Join(running, ", ")+".", running...))
	}
	panic(refuse(http.StatusConflict, "CONCURRENT_RESTORES", "Another restore of the cluster is in progress."))
}

// restoreLink adds the settings of a download link to the delivery in a response, and returns
// how long the link is valid once the job is complete, or 0.
func (e *Emulator) restoreLink(source *Cluster, body, sent, document map[string]any) time.Duration {
	downloads, _ := numberOrText(sent["maxDownloads"])
	hours, hasHours := numberOrText(sent["expirationHours"])
	switch {
	case sent["maxDownloads"] == nil:
		panic(missingAttribute("delivery.maxDownloads"))
	case downloads < 1:
		panic(refuse(http.StatusBadRequest, "ATTRIBUTE_NEGATIVE_OR_ZERO", "The attribute delivery.maxDownloads must be positive.", "delivery.maxDownloads"))
	case hasHours && hours < 1:
		panic(refuse(http.StatusBadRequest, "ATTRIBUTE_NEGATIVE_OR_ZERO", "The attribute delivery.expirationHours must be positive.", "delivery.expirationHours"))
	case sent["expires"] != nil && hasHours:
		// No error code is documented.
		panic(refuse(http.StatusBadRequest, "", "The attributes expires and expirationHours exclude each other.", "delivery.expires", "delivery.expirationHours"))
	}
	document["maxDownloads"] = downloads
	if until, ok := parseDate(sent["expires"]); ok {
		if until.Before(e.now) {
			const detail = "The expiration date is in the past."
			panic(refuse(http.StatusBadRequest, "EXPIRATION_DATE_IN_PAST", detail, fmt.Sprint(sent["expires"])))
		}
		for _, snapshot := range source.Snapshots {
			end, ok := parseDate(snapshot["expires"])
			if snapshot["id"] == body["snapshotId"] && ok && until.After(end) {
				panic(refuse(http.StatusConflict, "LINK_EXPIRATION_AFTER_SNAPSHOT_DELETION", "The link would expire after the snapshot is deleted.", fmt.Sprint(sent["expires"])))
			}
		}
		document["expires"] = date(until)
	}
	if hasHours {
		document["expirationHours"] = hours
	}
	const most = 100 * 365 * 24 // a Duration has room for three centuries
	return time.Duration(min(hours, most)) * time.Hour
}

// startRestore starts the jobs of a restore and returns them.
func (e *Emulator) startRestore(cluster *Cluster, job map[string]any, running restore) []map[string]any {
	job = merge(map[string]any{"created": date(e.now), "statusName": "IN_PROGRESS"}, job)
	var jobs []map[string]any
	if shards := e.state.shardsOf(cluster); len(shards) > 0 {
		job["batchId"] = newJobID()
		for _, shard := range shards {
			part := map[string]any{"id": newJobID()}
			if !e.options.Unknowns.ShardJobsNameTheCluster {
				part["clusterId"], part["snapshotId"] = shard.ID, newJobID()
			}
			jobs = append(jobs, merge(job, part))
		}
	} else {
		jobs = append(jobs, merge(job, map[string]any{"id": newJobID()}))
	}
	hidden := map[string]any{}
	for i, job := range jobs {
		id := fmt.Sprint(job["id"])
		started := running
		delivery := get[map[string]any](job, "delivery")
		started.reads = max(e.options.RestoreReads, 0)
		started.isLink = delivery["maxDownloads"] != nil
		e.restores[id] = &started
		hidden[id] = true
		if started.isLink {
			job = merge(job, map[string]any{"delivery": merge(delivery, map[string]any{"url": downloadLink(id)})})
			jobs[i] = job
		}
		cluster.RestoreJobs = append(cluster.RestoreJobs, job)
		e.endInTime(cluster.ID, func(_ *Project, cluster *Cluster) {
			if e.restores[id] == &started {
				e.endRestore(cluster, id, e.options.RestoreOutcome)
			}
		})
		if e.options.RestoreReads < 0 {
			jobs[i] = e.endRestore(cluster, id, e.options.RestoreOutcome)
		}
	}
	if late := e.options.Unknowns.BatchAppearsAfter; late > 0 {
		delete(hidden, fmt.Sprint(jobs[0]["id"]))
		e.behind[restoresKey(cluster)] = &lag{hidden, late}
	}
	return jobs
}

// restorableTimeRanges returns a bare array, from the earliest range to the latest.
func (e *Emulator) restorableTimeRanges(c *call) any {
	if len(c.body) > 0 {
		panic(refuse(http.StatusBadRequest, "INVALID_JSON", "This operation has no body."))
	}
	return e.timeRanges(c.cluster)
}

// timeRanges returns the ranges that a cluster can be restored to. While its backup is started, the
// oplog of each minute that passes is added to the last one.
func (e *Emulator) timeRanges(cluster *Cluster) []map[string]any {
	ranges := append([]map[string]any{}, cluster.RestorableTimeRanges...)
	passed := e.now.Sub(e.started).Truncate(time.Minute)
	last := len(ranges) - 1
	if last >= 0 && passed > 0 && cluster.BackupConfig["statusName"] == "STARTED" {
		end, _ := ranges[last]["end"].(map[string]any)
		ranges[last] = merge(ranges[last], map[string]any{"end": merge(end, map[string]any{"date": date(dateOf(end).Add(passed))})})
	}
	return ranges
}

// newJobID returns an ID of 24 hexadecimal digits.
func newJobID() string {
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// RestoreJobs returns the restore jobs of a cluster, in the order of their creation.
func (e *Emulator) RestoreJobs(projectID, clusterID string) []map[string]any {
	defer e.lock()()
	return deepCopy(cmp.Or(e.state.cluster(projectID, clusterID), &Cluster{}).RestoreJobs)
}

// StartRestore starts a restore of a cluster without validation, as another client can. The job has
// the given fields. It returns the IDs of the jobs.
func (e *Emulator) StartRestore(projectID, clusterID string, fields map[string]any) (ids []string) {
	defer e.lock()()
	cluster := e.mustCluster(projectID, clusterID)
	delivery := map[string]any{"delivery": map[string]any{"methodName": "HTTP", "statusName": "NOT_STARTED"}}
	for _, job := range e.startRestore(cluster, merge(delivery, fields), restore{}) {
		ids = append(ids, fmt.Sprint(job["id"]))
	}
	return ids
}

// EndRestore ends a restore job with a status, such as BROKEN. It panics if there is no such job.
func (e *Emulator) EndRestore(projectID, clusterID, jobID, status string) {
	defer e.lock()()
	e.endRestore(e.mustCluster(projectID, clusterID), jobID, status)
}

// SetRestoreJob sets fields of a restore job. It panics if there is no such job.
func (e *Emulator) SetRestoreJob(projectID, clusterID, jobID string, fields map[string]any) {
	defer e.lock()()
	e.setRestore(e.mustCluster(projectID, clusterID), jobID, fields, nil)
}

// RemoveRestoreJobs removes all restore jobs of a cluster, as Ops Manager may after some time.
func (e *Emulator) RemoveRestoreJobs(projectID, clusterID string) {
	defer e.lock()()
	cluster := e.mustCluster(projectID, clusterID)
	for _, job := range cluster.RestoreJobs {
		delete(e.restores, fmt.Sprint(job["id"]))
	}
	cluster.RestoreJobs = nil
}
