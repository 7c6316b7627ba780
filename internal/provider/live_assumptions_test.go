package provider_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// Further environment variables of make testacc-live.
const (
	liveScratch   = "OPSMANAGER_LIVE_SCRATCH_CLUSTER_ID" // in the project of liveProject
	liveAdmin     = "OPSMANAGER_LIVE_ADMIN"              // 1 makes and deletes a file system store
	liveStorePath = "OPSMANAGER_LIVE_STORE_PATH"         // its directory; /tmp by default
	liveReport    = "OPSMANAGER_LIVE_REPORT"             // the file for the report
)

func TestLiveAssumptions(t *testing.T) {
	t.Parallel()
	if os.Getenv(liveScratch) == "" && os.Getenv(liveAdmin) != "1" {
		t.Skipf("neither %s nor %s=1 is set: see make testacc-live in CONTRIBUTING.md", liveScratch, liveAdmin)
	}
	// After an interrupt, what was changed is restored.
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	settle(t, &live{ctx: ctx, getenv: os.Getenv, pause: 10 * time.Second, patience: 20 * time.Minute, notice: 15 * time.Second})
}

// live settles assumptions about a real Ops Manager with writes to what the user names.
type live struct {
	ctx              context.Context //nolint:containedctx // of the test
	getenv           func(string) string
	pause            time.Duration // between two reads of what will change
	patience         time.Duration // for one change
	notice           time.Duration // between the announcement and the first change
	client           *opsmanager.Client
	evidence         *assumptions.Evidence
	project, cluster string
	isSharded        bool
}

// settle says what it will do, does it, restores what it changed, and reports what it saw.
func settle(t testing.TB, l *live) *assumptions.Report {
	config, _, err := provider.FromEnvironment(l.getenv)
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	config.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			requests++
			return next.RoundTrip(r)
		})
	}
	l.client = opsmanager.NewClient(config)
	l.project, l.cluster = l.getenv(liveProject), l.getenv(liveScratch)
	isAdmin := l.getenv(liveAdmin) == "1"
	if l.cluster != "" && l.project == "" {
		t.Fatalf("%s is not set: it is the project of the scratch cluster", liveProject)
	}
	announce(t, l, config.BaseURL, isAdmin)
	select {
	case <-time.After(l.notice):
	case <-l.ctx.Done():
		t.Fatal("interrupted before the first change")
	}

	header := l.raw(t, http.MethodGet, nil, nil, "groups").Header.Get("X-MongoDB-Service-Version")
	_, version, _ := strings.Cut(header, "versionString=")
	l.evidence = assumptions.NewEvidence(assumptions.ParseVersion(version))
	var tried []assumptions.How
	if l.cluster != "" {
		l.useCluster(t)
		tried = append(tried, assumptions.OnScratch)
	}
	if isAdmin {
		l.useStore(t)
		tried = append(tried, assumptions.OnStore)
	}

	report := &assumptions.Report{Version: l.evidence.Version(), Writes: true, Requests: requests, UnknownFields: []assumptions.UnknownField{}}
	report.Findings = slices.DeleteFunc(l.evidence.Findings(tried...), func(f assumptions.Finding) bool { return f.Verdict == assumptions.NeedsWrite })
	for i, f := range report.Findings {
		if f.Verdict == assumptions.OneWayOnly {
			report.Findings[i].Verdict = assumptions.Holds // it was not just seen, but tried
		}
	}
	var printed, written bytes.Buffer
	report.Print(&printed)
	t.Logf("Ops Manager %s at %s\n\n%s", opsmanager.Sanitize(version), config.BaseURL, &printed)
	if err := report.Write(&written); err != nil {
		t.Fatal(err)
	}
	if file := l.getenv(liveReport); file != "" {
		if err := os.WriteFile(file, written.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return report
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// announce prints what the test will change.
func announce(t testing.TB, l *live, baseURL *url.URL, isAdmin bool) {
	text := fmt.Sprintf("This test changes the Ops Manager at %s.\n", baseURL)
	if l.cluster != "" {
		text += fmt.Sprintf(`
The backup of cluster %s in project %s:
  - sends its schedule as it is, with an unknown field, and without the minute
  - takes a snapshot on demand, if this version can, and keeps it from expiring for a moment
  - RESTORES THE NEWEST SNAPSHOT INTO THE CLUSTER, which replaces the data of the cluster
  - stops the backup and starts it again; Ops Manager may then delete its snapshots
  - deletes the snapshot that it took
`, l.cluster, l.project)
	}
	if isAdmin {
		text += fmt.Sprintf(`
Backup stores:
  - makes a file system store in %s, whose label lets no project use it
  - updates it, and makes it assignable
  - deletes it
`, l.storePath())
	}
	t.Logf("%s\nPress Ctrl-C within %s to prevent that.", text, l.notice)
}

func (l *live) storePath() string { return cmp.Or(l.getenv(liveStorePath), "/tmp") }

// raw sends a request. It fails the test without a response.
func (l *live) raw(t testing.TB, method string, query url.Values, body any, path ...string) *opsmanager.Response {
	t.Helper()
	response, err := l.client.Raw(l.ctx, method, query, body, path...)
	if err != nil {
		t.Fatal(err)
	}
	if response.Status >= http.StatusInternalServerError {
		t.Fatalf("%s /%s: %d %s", method, strings.Join(path, "/"), response.Status, opsmanager.Sanitize(string(response.Body)))
	}
	return response
}

// fields is a JSON object.
type fields = object

func objectOf(response *opsmanager.Response) fields {
	var object fields
	_ = json.Unmarshal(response.Body, &object) // it is empty then
	return object
}

func resultsOf(response *opsmanager.Response) []fields {
	var list struct {
		Results []fields `json:"results"`
	}
	_ = json.Unmarshal(response.Body, &list)
	return list.Results
}

func accepted(response *opsmanager.Response) bool { return response.Status < 300 }

// until reads until a condition holds, and returns the number of reads before. It fails the test if
// that takes too long.
func (l *live) until(t testing.TB, what string, holds func() bool) (before int) {
	t.Helper()
	deadline := time.Now().Add(l.patience)
	for !holds() {
		before++
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", l.patience, what)
		}
		if before > 3 { // the first reads follow each other at once
			l.wait(t, what)
		}
	}
	return before
}

// wait waits between two requests.
func (l *live) wait(t testing.TB, what string) {
	t.Helper()
	select {
	case <-time.After(l.pause):
	case <-l.ctx.Done():
		t.Fatalf("interrupted while waiting for %s", what)
	}
}

func (l *live) configPath(rest ...string) []string {
	return append([]string{"groups", l.project, "backupConfigs", l.cluster}, rest...)
}

func (l *live) clusterPath(rest ...string) []string {
	return append([]string{"groups", l.project, "clusters", l.cluster}, rest...)
}

func (l *live) status(t testing.TB) string {
	t.Helper()
	status, _ := objectOf(l.raw(t, http.MethodGet, nil, nil, l.configPath()...))["statusName"].(string)
	return status
}

// useCluster settles what takes a scratch cluster.
func (l *live) useCluster(t testing.TB) {
	config := objectOf(l.raw(t, http.MethodGet, nil, nil, l.configPath()...))
	if config["statusName"] != opsmanager.StatusStarted {
		t.Fatalf(
			"the backup of the scratch cluster has the status %q, want %s: start it first",
			opsmanager.Sanitize(fmt.Sprint(config["statusName"])), opsmanager.StatusStarted,
		)
	}
	kind := objectOf(l.raw(t, http.MethodGet, nil, nil, l.clusterPath()...))["typeName"]
	l.isSharded = strings.HasPrefix(fmt.Sprint(kind), "SHARDED")
	schedule, err := l.client.SnapshotSchedule(l.ctx, l.project, l.cluster)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the schedule before the test: %s", liveJSON(*schedule))
	t.Cleanup(func() { l.restoreCluster(t, *schedule) })

	l.changeNothing(t, *schedule)
	snapshot := l.takeSnapshot(t)
	if snapshot != "" {
		l.releaseSnapshot(t, snapshot)
	}
	if source := cmp.Or(snapshot, l.newestComplete(t)); source != "" {
		l.restoreSnapshot(t, source)
	}
	l.restart(t)
	if snapshot != "" {
		l.deleteSnapshot(t, snapshot)
	}
}

// restoreCluster starts the backup if it is stopped, and restores its schedule.
func (l *live) restoreCluster(t testing.TB, schedule opsmanager.SnapshotSchedule) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), l.patience)
	defer cancel()
	after := *l
	after.ctx = ctx
	isRestored := false
	defer func() {
		if !isRestored {
			t.Errorf("NOT RESTORED: look at the backup of cluster %s. Its schedule was: %s", l.cluster, liveJSON(schedule))
		}
	}()
	if after.status(t) == opsmanager.StatusStopped {
		if response := after.raw(t, http.MethodPatch, nil, fields{"statusName": opsmanager.StatusStarted}, l.configPath()...); !accepted(response) {
			t.Fatalf("the backup is stopped, and does not start: %d", response.Status)
		}
	}
	after.until(t, "the start of the backup", func() bool { return after.status(t) == opsmanager.StatusStarted })
	if err := restore(ctx, l.client, l.project, l.cluster, schedule); err != nil {
		t.Fatal(err)
	}
	isRestored = true
	t.Log("the backup of the scratch cluster is as before")
}

// changeNothing sends changes that change nothing.
func (l *live) changeNothing(t testing.TB, schedule opsmanager.SnapshotSchedule) {
	patch := func(body fields, path []string) bool {
		return accepted(l.raw(t, http.MethodPatch, nil, body, path...))
	}
	l.evidence.See("ignores-unknown-fields", !patch(fields{"madeUpByATest": true}, l.configPath("snapshotSchedule")))
	if schedule.ReferenceHourOfDay != nil {
		l.evidence.See("hour-without-minute", patch(fields{"referenceHourOfDay": *schedule.ReferenceHourOfDay}, l.configPath("snapshotSchedule")))
	}
}

// snapshots returns the snapshots of the cluster by their IDs.
func (l *live) snapshots(t testing.TB) map[string]fields {
	t.Helper()
	response := l.raw(t, http.MethodGet, url.Values{"completed": {"all"}}, nil, l.clusterPath("snapshots")...)
	if !accepted(response) {
		response = l.raw(t, http.MethodGet, nil, nil, l.clusterPath("snapshots")...)
	}
	byID := map[string]fields{}
	for _, snapshot := range resultsOf(response) {
		byID[fmt.Sprint(snapshot["id"])] = snapshot
	}
	return byID
}

// newestComplete returns the ID of the newest complete snapshot, if there is one.
func (l *live) newestComplete(t testing.TB) (id string) {
	t.Helper()
	created := ""
	for found, snapshot := range l.snapshots(t) {
		at, _ := snapshot["created"].(fields)
		if date, _ := at["date"].(string); snapshot["complete"] == true && date > created {
			id, created = found, date
		}
	}
	return id
}

// takeSnapshot takes a snapshot, and returns its ID when it is complete, or nothing if it can't.
func (l *live) takeSnapshot(t testing.TB) (id string) {
	before := l.snapshots(t)
	request := func() *opsmanager.Response {
		return l.raw(t, http.MethodPost, url.Values{"retentionDays": {"1"}}, nil, l.clusterPath("snapshots", "onDemandSnapshot")...)
	}
	response := request()
	for since := time.Now(); objectOf(response)["errorCode"] == "UNFINISHED_ON_DEMAND_SNAPSHOT" && time.Since(since) < l.patience; response = request() {
		l.wait(t, "the end of another snapshot")
		before = l.snapshots(t)
	}
	if !accepted(response) {
		t.Logf("no snapshot was taken: %d %s", response.Status, opsmanager.Sanitize(string(response.Body)))
		return ""
	}
	reads := l.until(t, "the snapshot to appear", func() bool {
		for found := range l.snapshots(t) {
			if before[found] == nil {
				id = found
			}
		}
		return id != ""
	})
	l.evidence.SeeNumber("snapshot-appears-after", reads == 0, reads)
	l.until(t, "the snapshot to be complete", func() bool { return l.snapshots(t)[id]["complete"] == true })
	return id
}

// releaseSnapshot keeps a snapshot from expiring, and then lets it expire again.
func (l *live) releaseSnapshot(t testing.TB, id string) {
	path := l.clusterPath("snapshots", id)
	if !accepted(l.raw(t, http.MethodPatch, nil, fields{"doNotDelete": true}, path...)) {
		return
	}
	l.seeLag(l.until(t, "the hold of the snapshot", func() bool {
		return objectOf(l.raw(t, http.MethodGet, nil, nil, path...))["doNotDelete"] == true
	}))
	if accepted(l.raw(t, http.MethodPatch, nil, fields{"doNotDelete": false}, path...)) {
		l.evidence.See("release-sets-expires", objectOf(l.raw(t, http.MethodGet, nil, nil, path...))["expires"] == nil)
	}
	tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	if response := l.raw(t, http.MethodPatch, nil, fields{"doNotDelete": false, "expires": tomorrow}, path...); !accepted(response) {
		t.Errorf("snapshot %s has no expiry: %d", id, response.Status)
	}
}

// restoreSnapshot restores a snapshot into its cluster.
func (l *live) restoreSnapshot(t testing.TB, id string) {
	path := l.clusterPath("restoreJobs")
	response := l.raw(t, http.MethodPost, nil, fields{"snapshotId": id, "delivery": fields{
		"methodName": opsmanager.AutomatedRestore, "targetGroupId": l.project, "targetClusterId": l.cluster,
	}}, path...)
	if !accepted(response) {
		t.Logf("nothing was restored: %d %s", response.Status, opsmanager.Sanitize(string(response.Body)))
		return
	}
	begun := map[string]bool{}
	for _, job := range resultsOf(response) {
		begun[fmt.Sprint(job["id"])] = true
		if batch, _ := job["batchId"].(string); batch != "" {
			path, begun[batch] = l.clusterPath("restoreJobs"), true
		}
	}
	ours := func() []fields {
		return slices.DeleteFunc(resultsOf(l.raw(t, http.MethodGet, nil, nil, path...)), func(job fields) bool {
			return !begun[fmt.Sprint(job["id"])] && !begun[fmt.Sprint(job["batchId"])]
		})
	}
	if shards := l.shards(t); l.isSharded && shards > 0 {
		reads := l.until(t, "all jobs of the batch", func() bool { return len(ours()) >= shards })
		l.evidence.SeeNumber("batch-appears-after", reads == 0, reads)
		for _, job := range ours() {
			l.evidence.See("shard-jobs-name-the-cluster", job["clusterId"] != l.cluster)
		}
	}
	l.until(t, "the restore", func() bool {
		return !slices.ContainsFunc(ours(), func(job fields) bool { return job["statusName"] == opsmanager.RestoreInProgress })
	})
}

// shards returns the number of shards of the cluster.
func (l *live) shards(t testing.TB) int {
	clusters := resultsOf(l.raw(t, http.MethodGet, url.Values{"itemsPerPage": {"500"}}, nil, "groups", l.project, "clusters"))
	i := slices.IndexFunc(clusters, func(c fields) bool { return c["id"] == l.cluster })
	count := 0
	for _, c := range clusters {
		if i >= 0 && c["clusterName"] == clusters[i]["clusterName"] && c["typeName"] == "REPLICA_SET" && c["shardName"] != nil {
			count++
		}
	}
	return count
}

// restart stops the backup and starts it again.
func (l *live) restart(t testing.TB) {
	stopped := l.raw(t, http.MethodPatch, nil, fields{"statusName": opsmanager.StatusStopped}, l.configPath()...)
	if !accepted(stopped) {
		t.Fatalf("the backup was not stopped: %d %s", stopped.Status, opsmanager.Sanitize(string(stopped.Body)))
	}
	l.evidence.See("stale-responses", objectOf(stopped)["statusName"] == opsmanager.StatusStopped)
	reads := l.until(t, "the end of the backup", func() bool { return l.status(t) == opsmanager.StatusStopped })
	l.seeLag(reads)

	started := l.raw(t, http.MethodPatch, nil, fields{"statusName": opsmanager.StatusStarted}, l.configPath()...)
	if !accepted(started) {
		t.Fatalf("the backup was not started: %d %s", started.Status, opsmanager.Sanitize(string(started.Body)))
	}
	l.until(t, "the start of the backup", func() bool { return l.status(t) == opsmanager.StatusStarted })
}

// deleteSnapshot deletes the snapshot that the test took.
func (l *live) deleteSnapshot(t testing.TB, id string) {
	response := l.raw(t, http.MethodDelete, nil, nil, l.clusterPath("snapshots", id)...)
	switch {
	case accepted(response):
		l.seeDelete(response)
	case response.Status != http.StatusNotFound:
		t.Logf("snapshot %s was not deleted, and expires tomorrow: %d", id, response.Status)
	}
}

// seeLag settles how many reads after a change returned the old values. The provider expects that of backup
// configurations only.
func (l *live) seeLag(reads int) {
	if reads == 0 {
		l.evidence.See("stale-reads", true)
		return
	}
	l.evidence.SeeNumber("stale-reads", false, reads)
}

func (l *live) seeDelete(response *opsmanager.Response) {
	if response.Status != http.StatusAccepted {
		l.evidence.See("delete-returns-object", response.Status == http.StatusNoContent)
	}
}

// useStore settles what takes a file system store.
func (l *live) useStore(t testing.TB) {
	id := "terraform-provider-test-" + strings.ToLower(rand.Text()[:12])
	all := []string{"admin", "backup", "snapshot", "fileSystemConfigs"}
	one := append(slices.Clone(all), id)
	with := func(more fields) fields {
		store := fields{"id": id, "storePath": l.storePath(), "labels": []string{id}}
		maps.Copy(store, more)
		return store
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), time.Minute)
		defer cancel()
		after := *l
		after.ctx = ctx
		if after.raw(t, http.MethodGet, nil, nil, one...).Status == http.StatusNotFound {
			t.Log("the file system store is deleted")
			return
		}
		after.raw(t, http.MethodPut, nil, with(fields{"assignmentEnabled": false}), one...)
		if response := after.raw(t, http.MethodDelete, nil, nil, one...); !accepted(response) {
			t.Errorf("NOT DELETED: the file system store %s: %d", id, response.Status)
		}
	})

	made := l.raw(t, http.MethodPost, nil, with(nil), all...)
	if !accepted(made) {
		t.Fatalf("no store was made: %d %s. Set %s to a directory that all daemons mount.", made.Status, opsmanager.Sanitize(string(made.Body)), liveStorePath)
	}
	withoutID := with(fields{"assignmentEnabled": false})
	delete(withoutID, "id")
	l.evidence.See("put-store-without-id", accepted(l.raw(t, http.MethodPut, nil, withoutID, one...)))
	if !accepted(l.raw(t, http.MethodPut, nil, with(fields{"assignmentEnabled": true}), one...)) {
		return
	}
	deleted := l.raw(t, http.MethodDelete, nil, nil, one...)
	l.evidence.See("keeps-assignable-stores", accepted(deleted))
	if !accepted(deleted) {
		l.raw(t, http.MethodPut, nil, with(fields{"assignmentEnabled": false}), one...)
		deleted = l.raw(t, http.MethodDelete, nil, nil, one...)
	}
	if accepted(deleted) {
		l.seeDelete(deleted)
	}
}

// otherNumbers are values of options that are numbers, other than the expected one.
var otherNumbers = map[assumptions.Name]int{"stale-reads": 2, "snapshot-appears-after": 2, "batch-appears-after": 1}

// differences returns what the test finds if an option is set.
func differences(name assumptions.Name, version string) []assumptions.Name {
	switch {
	case name == "", !assumptions.NewEvidence(assumptions.ParseVersion(version)).Applies(name):
		return nil
	case name == "stale-responses":
		return []assumptions.Name{"stale-reads", name}
	}
	return []assumptions.Name{name}
}

// This runs the test of the assumptions on emulators, with each option that it settles.
func TestEmulatedAssumptionsAreSettledAndRestored(t *testing.T) {
	t.Parallel()
	names := []assumptions.Name{""}
	for _, a := range assumptions.All {
		if _, isOption := a.Option(new(emulator.Options)); isOption && (a.How == assumptions.OnScratch || a.How == assumptions.OnStore) {
			names = append(names, a.Name)
		}
	}
	for i, version := range []string{"9.0.0", "8.0.0", "7.0.3"} {
		for _, name := range names {
			if testing.Short() && i > 0 {
				break
			}
			t.Run(string(cmp.Or(name, "default"))+"/"+version, func(t *testing.T) {
				t.Parallel()
				settleOnEmulator(t, name, version)
			})
		}
	}
}

// settleOnEmulator runs the test of the assumptions on an emulator with an option set.
func settleOnEmulator(t *testing.T, name assumptions.Name, version string) {
	options := emulator.Options{ServiceVersion: version, Seed: emulator.DefaultSeed()}
	for i := range options.Seed.Projects[0].Clusters {
		if c := &options.Seed.Projects[0].Clusters[i]; c.ID == orders {
			c.Members = []string{"orders-0.example.com:27018", "orders-1.example.com:27018"}
		}
	}
	if name != "" {
		s, _ := assumptions.Find(name).Option(&options)
		switch value := s.Value.(type) {
		case *bool:
			*value = true
		case *int:
			*value = otherNumbers[name]
		}
	}
	if name == "stale-responses" {
		options.StaleReads = 1 // without which it has no effect
	}
	s := providertest.StartService(t, options)
	before := stateOf(t, s)
	file := filepath.Join(t.TempDir(), "report.json")
	variables := map[string]string{liveScratch: orders, liveAdmin: "1", liveReport: file}
	environment := environmentOf(s, payments, "")
	t.Run("live", func(t *testing.T) { //nolint:paralleltest // what it restored is checked below
		settle(t, &live{ctx: t.Context(), pause: time.Millisecond, patience: time.Minute, getenv: func(name string) string {
			return cmp.Or(variables[name], environment(name))
		}})
	})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := assumptions.ReadReport(text)
	if err != nil {
		t.Fatal(err)
	}
	var differ []assumptions.Name
	for _, f := range report.Findings {
		if f.Verdict == assumptions.Differs {
			differ = append(differ, f.Assumption)
		}
		if needs := assumptions.Find(f.Assumption).Needs; f.Verdict == assumptions.Unknown && *f.Why != assumptions.NotInVersion && needs == "" {
			t.Errorf("%s is unknown because of %s", f.Assumption, *f.Why)
		}
	}
	if want := differences(name, version); !slices.Equal(differ, want) {
		t.Errorf("these differ: %v, want %v", differ, want)
	}
	providertest.WantEqual(t, stateOf(t, s), before)
}

// stateOf returns what the test changes and restores.
func stateOf(t *testing.T, s *providertest.Service) string {
	t.Helper()
	client, err := provider.ClientFromEnvironment(environmentOf(s, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	stores, err := client.ListBackupStores(t.Context(), opsmanager.FileSystemStore)
	if err != nil {
		t.Fatal(err)
	}
	state := fmt.Sprintf("%d stores, %v, %v", len(stores.Results), s.Schedule(payments, orders), s.BackupConfig(payments, orders))
	for _, snapshot := range s.Snapshots(payments, orders) {
		state += fmt.Sprintf(", snapshot %v", snapshot["id"])
	}
	return state
}

// expected is a test that may fail, and that cleans up when it ends.
type expected struct {
	testing.TB
	cleanups []func()
	messages []string
}

func (e *expected) Helper() {}

func (e *expected) Cleanup(clean func()) { e.cleanups = append(e.cleanups, clean) }

func (e *expected) Errorf(format string, args ...any) {
	e.messages = append(e.messages, fmt.Sprintf(format, args...))
}

func (e *expected) Fatalf(format string, args ...any) {
	e.Errorf(format, args...)
	runtime.Goexit()
}

func (e *expected) Fatal(args ...any) { e.Fatalf("%s", fmt.Sprint(args...)) }

// ends runs a test until its end, and then what it cleans up.
func (e *expected) ends(test func()) {
	for _, step := range []func(){test, func() {
		for _, clean := range slices.Backward(e.cleanups) {
			clean()
		}
	}} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			step()
		}()
		<-done
	}
}

func TestAssumptionsAreRestoredAfterAFailureOrAnInterrupt(t *testing.T) {
	t.Parallel()
	for i, path := range []string{
		"PATCH /backupConfigs/" + orders, "GET /snapshots", "POST /restoreJobs", "POST /fileSystemConfigs", "PUT /fileSystemConfigs",
	} {
		for skip := range 8 {
			for j, interrupts := range []bool{false, true} {
				if !providertest.Sampled(i+skip+3*j, 1) {
					continue
				}
				t.Run(fmt.Sprintf("%s %d %t", strings.ReplaceAll(path, "/", ""), skip, interrupts), func(t *testing.T) {
					t.Parallel()
					ctx, interrupt := context.WithCancel(t.Context())
					defer interrupt()
					method, part, _ := strings.Cut(path, " ")
					requests := atomic.Int32{}
					s := providertest.StartService(t, emulator.Options{OnRequest: func(r emulator.Request) {
						if interrupts && r.Method == method && strings.Contains(r.Path, part) && requests.Add(1) == int32(skip+1) {
							interrupt()
						}
					}})
					before := stateOf(t, s)
					if !interrupts {
						s.Inject(emulator.Fault{Method: method, Path: part, Skip: skip, Status: 500, Body: "{}"})
					}
					environment := environmentOf(s, payments, "")
					tb := &expected{TB: t}
					tb.ends(func() {
						settle(tb, &live{ctx: ctx, pause: time.Millisecond, patience: time.Minute, getenv: func(name string) string {
							return cmp.Or(map[string]string{liveScratch: orders, liveAdmin: "1"}[name], environment(name))
						}})
					})
					for _, message := range tb.messages {
						if strings.HasPrefix(message, "NOT") {
							t.Error(message)
						}
					}
					after := stateOf(t, s)
					if before, _, _ = strings.Cut(before, ", snapshot"); !strings.HasPrefix(after, before) {
						t.Errorf("left\n%s\nfound\n%s\nafter %q", after, before, tb.messages)
					}
				})
			}
		}
	}
}
