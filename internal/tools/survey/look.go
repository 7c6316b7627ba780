package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// nothing is a name that no object has.
const nothing = "survey-looks-for-nothing"

// mostProjects is the number of projects that the survey looks at unless they are named.
const mostProjects = 100

// look reads what shows whether the assumptions about the objects of some projects, and of those that
// all share, hold. It sends one request after the other.
func (s *survey) look(ctx context.Context, projects []string) error {
	var clusters []*cluster
	for _, id := range projects {
		found, err := s.lookAtProject(ctx, id)
		if err != nil {
			return err
		}
		clusters = append(clusters, found...)
	}
	if err := s.lookAtClusters(ctx, clusters); err != nil {
		return err
	}
	for _, look := range []func(context.Context) error{s.lookAtStores, s.lookAtDaemons, s.lookAtRegions, s.lookAtJobConfigs} {
		if err := look(ctx); err != nil {
			return err
		}
	}
	s.lookAtDigest()
	return nil
}

// checkKey fails if the API key can no longer list projects. Then what was denied says nothing about its
// roles.
func (s *survey) checkKey(ctx context.Context) error {
	if !s.lists || !s.denied {
		return nil
	}
	again, err := s.get(ctx, url.Values{"itemsPerPage": {"1"}}, "groups")
	if err == nil && !again.ok() {
		err = fmt.Errorf("GET /groups was read at first, and is refused now (%d): check the API key, and start again", again.status)
	}
	return err
}

// lookAtRequests looks at what all requests share. It returns the IDs of the projects to look at.
func (s *survey) lookAtRequests(ctx context.Context) (projects []string, err error) {
	first, err := s.get(ctx, url.Values{"itemsPerPage": {"1"}}, "groups")
	switch {
	case err != nil, first.failure != nil:
		return nil, cmp.Or(err, first.failure)
	case first.ok(), len(s.options.projects) > 0:
	case first.isDenied():
		return nil, first.refusal
	default:
		return nil, fmt.Errorf("projects are not listed; name those to look at with -project: %w", first.refusal)
	}
	s.lists = first.ok()
	s.lookAtVersion(first)
	if err := s.lookAtMadeUpRequests(ctx); err != nil {
		return nil, err
	}
	if projects, err = s.projects(ctx); err != nil || len(projects) == 0 {
		return nil, err
	}
	if err := s.lookAtName(ctx, projects[0]); err != nil {
		return projects, err
	}
	path := []string{"groups"}
	if !first.ok() {
		path = append(path, projects[0], "backupConfigs")
	}
	a, err := s.get(ctx, url.Values{"itemsPerPage": {"1"}, "survey": {"true"}}, path...)
	if err == nil && !a.isUnclear() && !a.lacksOperation() {
		s.evidence.See("lenient", a.ok())
	}
	return projects, errors.Join(err, s.lookAtPages(ctx, path))
}

// lookAtName looks for a project by its name, as guides do.
func (s *survey) lookAtName(ctx context.Context, project string) error {
	byID, err := s.get(ctx, nil, "groups", project)
	name := text(byID.object, "name")
	if err != nil || !byID.ok() || opsmanager.IsInvalidID(name) {
		return err
	}
	byName, err := s.get(ctx, nil, "groups", "byName", name)
	switch {
	case err != nil, byName.isUnclear():
	case byName.ok():
		s.evidence.See("project-by-name", text(byName.object, "id") == project)
	case byName.lacksOperation():
		s.seeOperation(byName)
	default:
		s.evidence.SeeResponse("project-by-name", false, byName.status, byName.code())
	}
	return err
}

// lookAtMadeUpRequests looks at the responses to requests for what does not exist.
func (s *survey) lookAtMadeUpRequests(ctx context.Context) error {
	unknown, err := s.get(ctx, nil, nothing)
	if err != nil {
		return err
	}
	if !unknown.isUnclear() {
		s.evidence.SeeWord("unknown-routes", "document", formOf(unknown))
	}
	for _, request := range []struct {
		name     assumptions.Name
		id, code string
	}{{"malformed-id", nothing, "INVALID_GROUP_ID"}, {"missing-project", strings.Repeat("f", 24), "GROUP_NOT_FOUND"}} {
		a, err := s.get(ctx, nil, "groups", request.id)
		if err != nil {
			return err
		}
		// NOT_IN_GROUP (401) is documented for a project that does not exist, too.
		if a.failure == nil && !a.lacksOperation() && (!a.isDenied() || request.name == "missing-project") {
			s.evidence.SeeResponse(request.name, a.code() == request.code, a.status, a.code())
		}
	}
	return nil
}

// projects returns the IDs of the projects to look at.
func (s *survey) projects(ctx context.Context) ([]string, error) {
	if len(s.options.projects) > 0 {
		return s.options.projects, nil
	}
	found, ok, err := s.list(ctx, assumptions.Projects, assumptions.ProjectObject, nil, "groups")
	if err == nil && !ok && s.inARow > 0 {
		err = s.failure
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, project := range found {
		if id := text(project, "id"); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) > mostProjects {
		fmt.Fprintf(s.progress.to, "Looking at the first %d of %d projects. Name others with -project.\n", mostProjects, len(ids))
		ids = ids[:mostProjects]
	}
	return ids, nil
}

// lookAtVersion looks at the header with the version, and begins to collect evidence.
func (s *survey) lookAtVersion(first answer) {
	header := first.header.Get("X-MongoDB-Service-Version")
	_, version, has := strings.Cut(header, "versionString=")
	version, _, _ = strings.Cut(version, ";")
	s.version = version
	s.evidence = assumptions.NewEvidence(assumptions.ParseVersion(version))
	form := assumptions.Word("other")
	switch {
	case header == "":
		form = "none"
	case !has:
		form = "hash"
	case s.evidence.Version() != (assumptions.Version{}):
		form = "full"
	case version == "master":
		form = "master"
	}
	s.evidence.SeeWord("version-header", "full", form)
}

// formOf returns the form of an error response.
func formOf(a answer) assumptions.Word {
	kind := a.header.Get("Content-Type")
	switch {
	case a.hasDocument():
		return "document"
	case strings.HasPrefix(kind, "text/plain"):
		return "go"
	case strings.HasPrefix(kind, "text/html"):
		return "nginx"
	}
	return "other"
}

// lookAtPages looks at the second page of a list that has two items.
func (s *survey) lookAtPages(ctx context.Context, path []string) error {
	var ids []string
	for _, page := range []string{"1", "2"} {
		a, err := s.get(ctx, url.Values{"itemsPerPage": {"1"}, "pageNum": {page}}, path...)
		if err != nil || !a.ok() || len(a.items()) != 1 {
			return err
		}
		s.seeList(a.object, 1, len(ids)+1, len(ids)+1)
		item := a.items()[0]
		ids = append(ids, text(item, "id")+text(item, "clusterId"))
	}
	s.evidence.See("list-pages", ids[0] != ids[1])
	return nil
}

var (
	offersAuth      = regexp.MustCompile(`(?i)[ ,](qop|op)="?auth`)
	digestAlgorithm = regexp.MustCompile(`(?i)[ ,]algorithm="?([A-Z0-9-]+)`)
	staleNonce      = regexp.MustCompile(`(?i)[ ,]stale="?true`)
)

// lookAtDigest looks at the challenges of all requests.
func (s *survey) lookAtDigest() {
	offers := s.wire.offers
	if len(offers) == 0 || !offers[0].first {
		return
	}
	form := assumptions.Word("none")
	if match := offersAuth.FindStringSubmatch(offers[0].field); match != nil {
		form = assumptions.Word(strings.ToLower(match[1]))
	}
	s.evidence.SeeWord("challenge", "qop", form)
	algorithm := "MD5" // the default
	if match := digestAlgorithm.FindStringSubmatch(offers[0].field); match != nil {
		algorithm = match[1]
	}
	s.evidence.SeeWord("digest-algorithm", "MD5", assumptions.WordOf(algorithm))
	uses := 0
	before := 0
	for _, o := range offers[1:] {
		if staleNonce.MatchString(o.field) {
			uses = max(uses, o.after-before-1) // without the request that was challenged
			before = o.after
		}
	}
	if uses > 0 {
		s.evidence.SeeNumber("nonce-uses", false, uses)
	} else {
		s.evidence.See("nonce-uses", true)
	}
}

// cluster is a cluster or a part of one, and its backup configuration if it has one.
type cluster struct {
	project, id     string
	cluster, config document
}

func (c *cluster) status() string { return text(c.config, "statusName") }

func (c *cluster) kind() string { return text(c.cluster, "typeName") }

func (c *cluster) isSharded() bool { return strings.HasPrefix(c.kind(), "SHARDED") }

// isPart reports whether it is a part of a sharded cluster.
func (c *cluster) isPart() bool {
	return strings.HasPrefix(c.kind(), "CONFIG_") || c.kind() == "REPLICA_SET" && c.cluster["shardName"] != nil
}

// lookAtProject reads the clusters and the backup configurations of a project.
func (s *survey) lookAtProject(ctx context.Context, project string) ([]*cluster, error) {
	listed, isListed, err := s.list(ctx, assumptions.Projects, assumptions.ClusterObject, nil, "groups", project, "clusters")
	if err != nil {
		return nil, err
	}
	configs, isBackedUp, err := s.list(ctx, assumptions.Projects, assumptions.ConfigObject, nil, "groups", project, "backupConfigs")
	if err != nil {
		return nil, err
	}
	if !isListed && !isBackedUp {
		s.addFailure("the lists of clusters and backups", project)
		return nil, nil
	}
	var found []*cluster
	byID := map[string]*cluster{}
	add := func(id string) *cluster {
		if byID[id] == nil && !opsmanager.IsInvalidID(id) {
			byID[id] = &cluster{project: project, id: id}
			found = append(found, byID[id])
		}
		return byID[id]
	}
	for _, listed := range listed {
		if c := add(text(listed, "id")); c != nil {
			c.cluster = listed
		}
	}
	for _, config := range configs {
		if c := add(text(config, "clusterId")); c != nil {
			c.config = config
		}
	}
	for _, c := range found {
		if c.config != nil {
			s.seeConfig(c.config)
		}
	}
	if isListed && len(listed) > 0 {
		a, err := s.get(ctx, nil, "groups", project, "clusters", strings.Repeat("f", 24))
		if err != nil {
			return nil, err
		}
		if !a.lacksOperation() && !a.isUnclear() {
			s.evidence.SeeResponse("missing-cluster", a.code() == "CLUSTER_NOT_FOUND", a.status, a.code())
		}
	}
	if err := s.lookAtAlerts(ctx, project); err != nil {
		return nil, err
	}
	found, err = s.withoutThirdParties(ctx, project, found)
	if err != nil || !isBackedUp {
		return nil, err // whether a cluster has a backup configuration may not be known
	}
	return found, nil
}

// withoutThirdParties returns the clusters that no other product backs up. The schedule of the others can't be read.
func (s *survey) withoutThirdParties(ctx context.Context, project string, clusters []*cluster) ([]*cluster, error) {
	others, err := s.client.ThirdPartyBackups(ctx, project)
	e, failed := errors.AsType[*opsmanager.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !failed:
		s.inARow = 0
		s.evidence.See("third-party-backup", others.Clusters == nil)
		clusters = slices.DeleteFunc(clusters, func(c *cluster) bool {
			has, err := others.BacksUp(c.id)
			if failed = failed || err != nil; err != nil {
				s.note(err.Error())
			}
			return has
		})
	case (answer{status: e.Status, refusal: e}).why() == assumptions.NotPermitted && !tf.IsNotAPI(e):
		return clusters, nil // it takes another role than all else of a project
	default:
		s.seeFailure(e)
		why := assumptions.Failed
		if e.Status > 0 && e.Status < http.StatusInternalServerError {
			why = assumptions.UnclearOutcome
		}
		s.evidence.Miss("third-party-backup", why)
	}
	s.evidence.See("known-third-party-backup", !failed)
	return clusters, nil
}

var backupStatuses = []string{
	opsmanager.StatusInactive,
	opsmanager.StatusProvisioning,
	opsmanager.StatusStarted,
	opsmanager.StatusStopped,
	opsmanager.StatusTerminating,
}

// seeConfig looks at a backup configuration.
func (s *survey) seeConfig(config document) {
	see := s.evidence.See
	has := func(name string) bool { return config[name] != nil }
	status := text(config, "statusName")
	if see("known-statuses", slices.Contains(backupStatuses, status)); !slices.Contains(backupStatuses, status) {
		s.note("Unknown status of a backup: " + status)
	}
	if has("excludedNamespaces") || has("includedNamespaces") {
		see("both-namespace-lists", !has("excludedNamespaces") || !has("includedNamespaces"))
	}
	if status == opsmanager.StatusInactive {
		settings := []string{"authMechanismName", "encryptionEnabled", "excludedNamespaces", "includedNamespaces", "sslEnabled"}
		see("bare-inactive", slices.ContainsFunc(settings, has))
		return
	}
	for _, name := range []string{"encryptionEnabled", "sslEnabled"} {
		if config[name] != true {
			see("omits-false", has(name))
		}
	}
}

// lookAtClusters looks at some clusters of each kind.
func (s *survey) lookAtClusters(ctx context.Context, clusters []*cluster) error {
	kinds := []struct {
		most int
		is   func(*cluster) bool
		look func(context.Context, *cluster) error
	}{
		{3, func(c *cluster) bool { return c.config == nil && !c.isPart() }, s.lookAtUnmonitored},
		{3, func(c *cluster) bool { return c.config != nil && c.isPart() }, s.lookAtShard},
		{3, func(c *cluster) bool { return c.status() == opsmanager.StatusInactive && !c.isPart() }, s.lookAtSchedule},
		{5, func(c *cluster) bool {
			return (c.status() == opsmanager.StatusProvisioning || c.status() == opsmanager.StatusTerminating) && !c.isPart()
		}, s.lookAtSchedule},
		{10, func(c *cluster) bool { return isTaken(c) && c.isSharded() }, s.lookAtBackup},
		{20, func(c *cluster) bool { return isTaken(c) && !c.isSharded() }, s.lookAtBackup},
	}
	for _, kind := range kinds {
		found := slices.DeleteFunc(slices.Clone(clusters), func(c *cluster) bool {
			return !kind.is(c)
		})
		for _, c := range found[:min(len(found), kind.most)] {
			if err := kind.look(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTaken reports whether a whole cluster is backed up, or was until its backup was stopped.
func isTaken(c *cluster) bool {
	return (c.status() == opsmanager.StatusStarted || c.status() == opsmanager.StatusStopped) && !c.isPart()
}

// getOf reads what belongs to a cluster.
func (s *survey) getOf(ctx context.Context, c *cluster, query url.Values, path ...string) (answer, error) {
	a, err := s.get(ctx, query, append([]string{"groups", c.project}, path...)...)
	if err == nil && a.isDenied() {
		s.evidence.Deny(assumptions.Projects, a.why())
	}
	return a, err
}

func (s *survey) lookAtUnmonitored(ctx context.Context, c *cluster) error {
	a, err := s.getOf(ctx, c, nil, "backupConfigs", c.id)
	if err == nil && !a.ok() && !a.isUnclear() && !a.lacksOperation() {
		s.evidence.SeeResponse("unmonitored-is-conflict", a.status == 404, a.status, a.code())
	}
	return err
}

func (s *survey) lookAtShard(ctx context.Context, c *cluster) error {
	a, err := s.getOf(ctx, c, nil, "backupConfigs", c.id, "snapshotSchedule")
	if err == nil && !a.isUnclear() && !a.lacksOperation() {
		s.evidence.SeeResponse("shard-schedule", a.code() == "CANNOT_MODIFY_SHARD_BACKUP_CONFIG", a.status, a.code())
	}
	return err
}

// lookAtSchedule looks at a backup configuration alone, and at the schedule.
func (s *survey) lookAtSchedule(ctx context.Context, c *cluster) error {
	config, err := s.getOf(ctx, c, nil, "backupConfigs", c.id)
	if err != nil || config.isUnclear() {
		s.evidence.Miss("omit-fields", config.why())
		return err
	}
	s.seeOperation(config)
	if !config.ok() {
		return nil
	}
	s.seeConfig(config.object)
	s.seeObject(assumptions.ConfigObject, config.object)
	schedule, err := s.getOf(ctx, c, nil, "backupConfigs", c.id, "snapshotSchedule")
	if err != nil || schedule.isUnclear() {
		s.evidence.Miss("omit-fields", schedule.why())
		return err
	}
	s.seeOperation(schedule)
	if schedule.lacksOperation() {
		return nil
	}
	switch text(config.object, "statusName") {
	case opsmanager.StatusInactive:
		s.evidence.SeeResponse("inactive-schedule", schedule.status == 409, schedule.status, schedule.code())
	case opsmanager.StatusProvisioning, opsmanager.StatusTerminating:
		s.evidence.SeeResponse("no-schedule-in-transition", schedule.ok(), schedule.status, schedule.code())
	default:
		if schedule.ok() {
			s.seeSchedule(schedule.object, c.isSharded())
		}
	}
	if schedule.ok() {
		s.seeObject(assumptions.ScheduleObject, schedule.object)
	}
	return nil
}

// seeOperation looks at whether Ops Manager has an operation that is not among the documented ones.
func (s *survey) seeOperation(a answer) {
	got := assumptions.Word("full")
	if a.lacksOperation() {
		got = "documented"
	}
	s.evidence.SeeWord("profile", "full", got)
}

// scheduleFields are the fields that each schedule has.
var scheduleFields = []string{
	"dailySnapshotRetentionDays",
	"fullIncrementalDayOfWeek",
	"monthlySnapshotRetentionMonths",
	"pointInTimeWindowHours",
	"referenceHourOfDay",
	"referenceMinuteOfHour", "referenceTimeZoneOffset", "snapshotIntervalHours", "snapshotRetentionDays", "weeklySnapshotRetentionWeeks",
}

// seeSchedule looks at the schedule of a started or stopped backup.
func (s *survey) seeSchedule(schedule document, isSharded bool) {
	fields := scheduleFields
	if isSharded {
		fields = append([]string{"clusterCheckpointIntervalMin"}, fields...)
	}
	missing := slices.DeleteFunc(slices.Clone(fields), func(name string) bool {
		return schedule[name] != nil
	})
	if f := s.evidence.See("omit-fields", len(missing) == 0); len(missing) > 0 {
		for _, name := range missing {
			if word := assumptions.Word(name); !slices.Contains(f.Words, word) {
				f.Words = append(f.Words, word)
			}
		}
	}
	if schedule["referenceTimeZoneOffset"] != nil {
		s.evidence.See("schedule-offset", text(schedule, "referenceTimeZoneOffset") == "+0000")
	}
	if interval := number(schedule, "snapshotIntervalHours"); interval > 0 && interval < 24 {
		s.evidence.See("recent-retention-limit", number(schedule, "snapshotRetentionDays") <= 5)
	}
}

// lookAtBackup looks at all that belongs to a backup.
func (s *survey) lookAtBackup(ctx context.Context, c *cluster) error {
	for _, look := range []func(context.Context, *cluster) error{s.lookAtSchedule, s.lookAtSnapshots, s.lookAtRestores} {
		if err := look(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// lookAtSnapshots looks at the newest snapshots of a cluster.
func (s *survey) lookAtSnapshots(ctx context.Context, c *cluster) error {
	path := []string{"clusters", c.id, "snapshots"}
	listed, err := s.getOf(ctx, c, nil, path...)
	if err != nil || !listed.ok() {
		return err
	}
	all, err := s.getOf(ctx, c, url.Values{"completed": {"all"}}, path...)
	if err != nil || all.isUnclear() {
		return err
	}
	s.evidence.SeeResponse("completed-parameter", all.ok(), all.status, all.code())
	for _, snapshot := range listed.items() {
		s.seeObject(assumptions.SnapshotObject, snapshot)
		s.evidence.See("omits-created-time", nested(snapshot, "created")["time"] != nil)
	}
	if items := listed.items(); len(items) > 1 {
		first := text(nested(items[0], "created"), "date")
		last := text(nested(items[len(items)-1], "created"), "date")
		if first != "" && last != "" && first != last {
			s.evidence.See("oldest-snapshot-first", first > last) // texts of ISO 8601
		}
	}
	isRunning := func(snapshot document) bool { return snapshot["complete"] == false }
	running := slices.DeleteFunc(all.items(), func(snapshot document) bool {
		return !isRunning(snapshot)
	})
	if len(running) > 0 || slices.ContainsFunc(listed.items(), isRunning) {
		s.evidence.See("lists-only-complete", !slices.ContainsFunc(listed.items(), isRunning))
	}
	for _, snapshot := range running[:min(len(running), 2)] {
		id := text(snapshot, "id")
		if snapshot["doNotDelete"] != true {
			s.evidence.See("running-snapshot-lacks-expires", snapshot["expires"] != nil)
		}
		if opsmanager.IsInvalidID(id) {
			continue
		}
		one, err := s.getOf(ctx, c, nil, append(path, id)...)
		if err != nil {
			return err
		}
		if !one.isUnclear() && (!one.ok() || isRunning(one.object)) {
			s.evidence.SeeResponse("hides-running-snapshot", one.ok(), one.status, one.code())
		}
	}
	return nil
}

// lookAtRestores looks at the restore jobs of a cluster.
func (s *survey) lookAtRestores(ctx context.Context, c *cluster) error {
	path := []string{"clusters", c.id, "restoreJobs"}
	a, err := s.getOf(ctx, c, nil, path...)
	if err != nil || !a.ok() {
		return err
	}
	var ended []string
	for _, job := range a.items() {
		s.seeObject(assumptions.RestoreObject, job)
		delivery := nested(job, "delivery")
		hasFields := text(job, "id") != "" && text(job, "statusName") != "" && text(job, "created") != ""
		s.evidence.See("restore-job-fields", hasFields && text(delivery, "methodName") != "")
		if c.isSharded() && job["batchId"] != nil {
			s.evidence.See("shard-jobs-name-the-cluster", text(job, "clusterId") != c.id)
		}
		if text(job, "statusName") == "FINISHED" {
			ended = append(ended, text(job, "id"))
		}
	}
	if len(ended) == 0 {
		return nil
	}
	again, err := s.getOf(ctx, c, nil, path...)
	if err != nil || !again.ok() {
		return err
	}
	for _, id := range ended {
		s.evidence.See("forgets-finished-restores", slices.ContainsFunc(again.items(), func(job document) bool {
			return text(job, "id") == id
		}))
	}
	return nil
}
