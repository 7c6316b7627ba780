package monitoring_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestSchedulesAreReadOnRequest(t *testing.T) {
	t.Parallel()
	ledger := replicaSet(first, "ledger", "STARTED", taken("-2h", nil))
	ledger.SnapshotSchedule = object{
		"snapshotIntervalHours": 24, "snapshotRetentionDays": 20, "referenceHourOfDay": 2, "fullIncrementalDayOfWeek": "SUNDAY",
		"clusterCheckpointIntervalMin": 0,
	}
	s, w := open(t, options(payments(ledger, replicaSet(second, "off", "INACTIVE"), replicaSet(third, "new", "PROVISIONING"))))
	clusters, _ := status(t, w, values{"include_schedules": true})
	schedule, _ := field(clusters, first, "schedule").(values)
	for name, want := range map[string]any{
		"snapshot_interval_hours": 24, "snapshot_retention_days": 20, "reference_hour_of_day": 2, "full_incremental_day_of_week": "SUNDAY",
		"cluster_checkpoint_interval_min": nil, "daily_snapshot_retention_days": nil,
	} {
		if got, ok := schedule[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, id := range []string{second, third} {
		if got := field(clusters, id, "schedule"); got != nil {
			t.Errorf("the schedule of %s is %v", id, got)
		}
	}
	calls := slices.DeleteFunc(s.Calls(), func(call string) bool { return !strings.HasSuffix(call, "/snapshotSchedule") })
	if len(calls) != 1 {
		t.Errorf("called %q", calls)
	}
}

func TestRecoveryPointsAreReadOnRequestWithoutFurtherRequests(t *testing.T) {
	t.Parallel()
	parts := func(sizes ...any) (all []any) {
		for _, size := range sizes {
			all = append(all, map[string]any{"typeName": "SHARDED_REPLICA_SET", "dataSizeBytes": size})
		}
		return all
	}
	at := func(id, created string, more map[string]any) map[string]any {
		snapshot := taken(created, more)
		snapshot["id"] = "66d2a1b0c4d6e8f0a2b4c60" + id
		return snapshot
	}
	s, w := open(t, options(payments(
		replicaSet(first, "ledger", "STARTED",
			at("1", "2026-01-31T00:00:00Z", map[string]any{"expires": "2027-01-31T00:00:00Z", "doNotDelete": false, "parts": parts(3, 4)}),
			at("2", "2026-03-31T02:00:00+02:00", map[string]any{"expires": nil, "doNotDelete": true, "parts": parts(3, nil)}),
			at("3", "2026-02-28T00:00:00Z", map[string]any{"expires": "someday"}),
			at("4", "2026-04-30T00:00:00Z", map[string]any{"complete": false}),
		),
		emulator.Cluster{
			ID: second, Name: "events", TypeName: "SHARDED_REPLICA_SET", BackupConfig: map[string]any{"statusName": "STARTED"},
			Snapshots: []map[string]any{at("5", "2026-01-31T00:00:00Z", map[string]any{"expires": "2026-02-07T01:00:00Z"})},
		},
		replicaSet(third, "new", "STARTED"),
		replicaSet("650a00000000000000000004", "off", "INACTIVE"),
	)))
	before := len(s.Calls())
	plain, _ := status(t, w, nil)
	requests := len(s.Calls()) - before
	clusters, _ := status(t, w, providertest.Values{"include_recovery_points": true})
	if again := len(s.Calls()) - before - requests; again != requests {
		t.Errorf("%d requests, and %d with recovery points", requests, again)
	}
	for id, want := range map[string]any{
		first: "[" +
			`{"id":"66d2a1b0c4d6e8f0a2b4c602","complete":true,"created":"2026-03-31T00:00:00Z","created_seconds":1774915200,` +
			`"expires":null,"kept_days":null,"do_not_delete":true,"data_size_bytes":null},` +
			`{"id":"66d2a1b0c4d6e8f0a2b4c603","complete":true,"created":"2026-02-28T00:00:00Z","created_seconds":1772236800,` +
			`"expires":null,"kept_days":null,"do_not_delete":false,"data_size_bytes":null},` +
			`{"id":"66d2a1b0c4d6e8f0a2b4c601","complete":true,"created":"2026-01-31T00:00:00Z","created_seconds":1769817600,` +
			`"expires":"2027-01-31T00:00:00Z","kept_days":365,"do_not_delete":false,"data_size_bytes":7}]`,
		second: "[" +
			`{"id":"66d2a1b0c4d6e8f0a2b4c605","complete":true,"created":"2026-01-31T00:00:00Z","created_seconds":1769817600,` +
			`"expires":"2026-02-07T01:00:00Z","kept_days":7,"do_not_delete":false,"data_size_bytes":null}]`,
		third:                      "[]",
		"650a00000000000000000004": nil,
	} {
		if got := field(clusters, id, "recovery_points_json"); got != want {
			t.Errorf("%s has\n%v\nwant\n%v", id, got, want)
		}
		delete(clusters[id].(providertest.Values), "recovery_points_json")
		delete(plain[id].(providertest.Values), "recovery_points_json")
		if !reflect.DeepEqual(clusters[id], plain[id]) {
			t.Errorf("%s is %v with recovery points, and %v without", id, clusters[id], plain[id])
		}
	}
}

func TestMissingScheduleIsNullAndAnUnreadableOneIsAProblem(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(payments(replicaSet(first, "ledger", "STARTED", taken("-2h", nil)))))
	s.Inject(emulator.Fault{Path: "/snapshotSchedule", Status: 404, Body: `{"error": 404, "errorCode": "BACKUP_CONFIG_NOT_FOUND", "detail": "No."}`})
	clusters, problems := status(t, w, values{"include_schedules": true})
	if len(problems) > 0 || field(clusters, first, "schedule") != nil {
		t.Errorf("got %v, %v", clusters, problems)
	}
	s.Inject(emulator.Fault{Path: "/snapshotSchedule", Status: 404, Body: `{"error": 404, "errorCode": "CLUSTER_NOT_FOUND", "detail": "No."}`})
	wantProblem(
		t, w, values{"include_schedules": true}, first, "UNREAD", "not read: Ops Manager no longer has it",
		"Payments: ledger ("+first+") could not be read: Ops Manager no longer has it.",
	)
	s.Inject(emulator.Fault{Path: "/snapshotSchedule", Status: 520, Body: `{"error": 520, "errorCode": "req-4711", "detail": "No."}`})
	wantProblem(t, w, values{"include_schedules": true}, first, "UNREAD", "not read: 520", "Payments: ledger ("+first+") could not be read: 520.")
}

func TestExcludedClustersAreNotRead(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(payments(replicaSet("650a0000000000000000000a", "scratch", "STARTED"), replicaSet(second, "ledger", "STARTED", taken("-2h", nil)))))
	clusters, problems := status(t, w, values{"excluded_cluster_ids": []any{"650A0000000000000000000A"}})
	if len(clusters) != 1 || len(problems) > 0 {
		t.Errorf("got %v, %v", clusters, problems)
	}
	if calls := s.Calls(); len(calls) != 5 {
		t.Errorf("called %q", calls)
	}
	_, diags := w.Read(providertest.BackupStatusType, values{"excluded_cluster_ids": []any{"650a0000000000000000000a", second}})
	diags.WantWarning(t, "[project_ids]", "No Cluster Checked", "nothing to check")
}

func TestProjectIDsSelectProjects(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(
		payments(replicaSet(first, "ledger", "STARTED")),
		emulator.Project{ID: analytics, Clusters: []emulator.Cluster{replicaSet(second, "", "STOPPED")}},
	))
	_, problems := status(t, w, values{"project_ids": []any{analytics, strings.ToUpper(analytics)}})
	if want := fmt.Sprintf("%s: %s has no complete snapshot, and gets none while its backup is stopped.", analytics, second); len(problems) != 1 ||
		problems[second] != want {
		t.Errorf("got %v", problems)
	}
	if got, want := s.Calls()[:3], []string{
		"GET /groups/" + analytics, "GET /groups/" + analytics + "/clusters",
		"GET /groups/" + analytics + "/backupConfigs",
	}; !slices.Equal(got, want) {
		t.Errorf("called %q", got)
	}
}

// A missing project would look healthy.
func TestEachFailureOfAProjectIsOneErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	const denied = `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`
	ofPayments := []string{
		"[project_ids]", "Unable to Read Backup Status", "Project Payments (" + providertest.Payments + ") could not be read",
		"To check other projects only, set project_ids",
	}
	for name, test := range map[string]struct {
		faults []emulator.Fault
		config values
		says   []string
	}{
		"the list of projects": {
			[]emulator.Fault{{Path: "/groups", Status: 500}}, nil,
			[]string{"[project_ids]", "The projects of the API key could not be listed", "GET /groups: 500"},
		},
		"the clusters of a project": {
			[]emulator.Fault{{Path: providertest.Payments + "/clusters", Status: 500}}, nil,
			append([]string{"GET /groups/" + providertest.Payments + "/clusters: 500"}, ofPayments...),
		},
		"the configurations of a project": {
			[]emulator.Fault{{Path: providertest.Payments + "/backupConfigs", Status: 401, Body: denied}}, nil,
			append([]string{"USER_UNAUTHORIZED", "Project Read Only"}, ofPayments...),
		},
		"a login page": {[]emulator.Fault{{Path: providertest.Payments + "/clusters", Status: 200, Body: "<html>"}}, nil, ofPayments},
		"two projects": {
			[]emulator.Fault{{Path: "/clusters", Times: 2, Status: 401, Body: denied}}, nil,
			append([]string{"Project Analytics (" + analytics + ") could not be read"}, ofPayments...),
		},
		"a project without permission": {
			[]emulator.Fault{{Path: "/groups/" + providertest.Payments, Status: 401, Body: denied}},
			values{"project_ids": []any{providertest.Payments}},
			[]string{"[project_ids]", "Project Payments (" + providertest.Payments + ") could not be read", "USER_UNAUTHORIZED"},
		},
		"an unknown project": {
			nil, values{"project_ids": []any{analytics, "64f0c2d57c1e4a6b92d3f4e6"}},
			[]string{"[project_ids]", "Project 64f0c2d57c1e4a6b92d3f4e6 could not be read", "GROUP_NOT_FOUND", "Check the project ID"},
		},
		"a project that is gone meanwhile": {
			[]emulator.Fault{
				{Path: "/snapshots", Status: 401, Body: denied},
				{Path: "/groups/" + providertest.Payments, Skip: 2, Times: -1, Status: 401, Body: denied},
			},
			nil, ofPayments,
		},
		"an Ops Manager that is gone meanwhile": {
			[]emulator.Fault{{Path: "/snapshots", Times: -1, Status: 503}, {Path: "/groups/", Skip: 4, Times: -1, Status: 503}}, nil,
			append([]string{"503 Service Unavailable"}, ofPayments...),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := open(t, options(
				payments(replicaSet(first, "ledger", "STARTED", taken("-2h", nil))),
				emulator.Project{ID: analytics, Name: "Analytics", Clusters: []emulator.Cluster{replicaSet(second, "events", "INACTIVE")}},
			))
			for _, fault := range test.faults {
				s.Inject(fault)
			}
			_, diags := w.Read(providertest.BackupStatusType, test.config)
			diags.WantError(t, test.says...)
		})
	}
}

// The first failure shows that Ops Manager is gone, so the others are not waited for.
func TestOpsManagerThatGoesAwayIsOneErrorSoon(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		var clusters []emulator.Cluster
		for i := range 200 {
			clusters = append(clusters, replicaSet(fmt.Sprintf("%024x", i+1), "c", "STARTED", taken("-2h", nil)))
		}
		s := providertest.ServiceInMemory(options(payments(clusters...)))
		w := providertest.NewWorkspace(t, s, values{"request_timeout": "500ms", "max_retries": 0})
		s.Inject(emulator.Fault{Path: "/snapshots", Skip: 100, Times: -1, Unanswered: true})
		s.Inject(emulator.Fault{Path: "/groups/" + providertest.Payments, Skip: 102, Times: -1, Unanswered: true})
		started := time.Now()
		_, diags := w.Read(providertest.BackupStatusType, nil)
		diags.WantError(t, "[project_ids]", "Project Payments", "no response within 500ms")
		if passed := time.Since(started); passed > 4*time.Second { // one request by one would take 5 s
			t.Errorf("took %s", passed)
		}
	})
}

func TestObjectsThatCannotBeToldApartAreAnError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		list   string // path of the list that is changed
		change func(item object)
		says   []string
	}{
		"a cluster without an ID": {"/clusters", func(item object) { delete(item, "id") }, []string{
			`The cluster "events" of project Analytics (` + analytics + `) has no ID`, "set project_ids",
		}},
		"a cluster with an empty ID": {
			"/clusters", func(item object) { item["id"] = "" },
			[]string{`The cluster "events" of project Analytics (` + analytics + `) has no ID`},
		},
		"a backup without the ID of its cluster": {"/backupConfigs", func(item object) { delete(item, "clusterId") }, []string{
			`A cluster of project Analytics (` + analytics + `) has no ID`, "set project_ids",
		}},
		"a project without an ID": {"/groups", func(item object) { delete(item, "id") }, []string{`The project "`, "has no ID", "set project_ids"}},
		"the same ID in two projects": {"/clusters", func(item object) { item["id"] = first }, []string{
			"The cluster ID " + first, "in project Analytics (" + analytics + ") and in project Payments (" + providertest.Payments + ")",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t, options(
				payments(replicaSet(first, "ledger", "STARTED", taken("-2h", nil))),
				emulator.Project{ID: analytics, Name: "Analytics", Clusters: []emulator.Cluster{replicaSet(second, "events", "STARTED")}},
			))
			d.Handle(providertest.Rewrite(func(r *http.Request, document object) {
				if results, ok := document["results"].([]any); ok && strings.HasSuffix(r.URL.Path, test.list) {
					for _, item := range results {
						test.change(item.(object))
					}
				}
			}))
			_, diags := providertest.NewWorkspace(t, d.Service).Read(providertest.BackupStatusType, nil)
			diags.WantError(t, append(test.says, "[project_ids]", "Unable to Read Backup Status")...)
		})
	}
}

func TestInvalidConfigurationIsAnErrorOnTheAttribute(t *testing.T) {
	t.Parallel()
	_, w := open(t, options(payments()))
	for attribute, invalid := range map[string][]any{
		"project_ids":            {[]any{}, []any{"Payments"}},
		"max_snapshot_age_hours": {0, -1, 1.5},
		"excluded_cluster_ids":   {[]any{"ledger"}, []any{""}},
		"concurrency":            {0, 101},
	} {
		for _, value := range invalid {
			_, diags := w.Read(providertest.BackupStatusType, values{attribute: value})
			diags.WantError(t, "["+attribute)
		}
	}
	for _, events := range [][]any{{""}, {nil}} {
		_, diags := w.Read(alertsType, values{"important_events": events})
		diags.WantError(t, "[important_events")
	}
}

func TestKeyWithoutAProjectIsAnError(t *testing.T) {
	t.Parallel()
	_, w := open(t, options())
	_, diags := w.Read(providertest.BackupStatusType, nil)
	diags.WantError(t, "[project_ids]", "The API key has a role in no project", "Project Read Only")
}

func TestTextsOfTheServerArePrintable(t *testing.T) {
	t.Parallel()
	lacksNone := object{"missingShards": []any{}} // its type doesn't say so
	ledger := replicaSet(first, "ledger", "STARTED", taken("-2h", lacksNone))
	ledger.SnapshotSchedule = object{"referenceTimeZoneOffset": "+0000", "fullIncrementalDayOfWeek": "SUNDAY"}
	d := providertest.StartFaultProxy(t, options(payments(ledger, replicaSet(second, "fraud", "PAUSED", taken("-2h", lacksNone)))))
	d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		isSnapshot := strings.HasSuffix(r.URL.Path, "/snapshots")
		providertest.AddControlCharacters(func(field string) bool {
			return field == "id" && isSnapshot || !slices.Contains([]string{"id", "groupId", "clusterId", "date"}, field)
		})(w, r, service)
	})
	clusters, problems := status(t, providertest.NewWorkspace(t, d.Service), values{"include_schedules": true})
	texts := 0
	var check func(value any)
	check = func(value any) {
		switch value := value.(type) {
		case string:
			texts++
			providertest.WantPrintable(t, value)
			if strings.Contains(value, "\n") {
				t.Errorf("two lines: %q", value)
			}
		case values:
			for _, inner := range value {
				check(inner)
			}
		}
	}
	check(clusters)
	check(problems)
	if texts != 28 {
		t.Errorf("%d texts", texts)
	}
}

// fleetOf serves a project with a number of clusters, all of them healthy.
func fleetOf(count int) http.Handler {
	page := func(item string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var number, size int
			_, _ = fmt.Sscan(r.URL.Query().Get("pageNum"), &number)
			_, _ = fmt.Sscan(r.URL.Query().Get("itemsPerPage"), &size)
			results := []string{}
			for i := (number - 1) * size; i < min(count, number*size); i++ {
				results = append(results, strings.ReplaceAll(item, "{id}", fmt.Sprintf("%024x", i)))
			}
			_, _ = fmt.Fprintf(w, `{"totalCount": %d, "results": [%s]}`, count, strings.Join(results, ","))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/public/v1.0/groups", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"totalCount": 1, "results": [{"id": %q, "name": "Payments"}]}`, providertest.Payments)
	})
	mux.Handle("GET /api/public/v1.0/groups/{project}/clusters", page(`{"id": "{id}", "clusterName": "c", "typeName": "REPLICA_SET"}`))
	mux.Handle("GET /api/public/v1.0/groups/{project}/backupConfigs", page(`{"clusterId": "{id}", "statusName": "STARTED"}`))
	mux.HandleFunc("GET /api/public/v1.0/groups/{project}/clusters/{cluster}/snapshots", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(
			w,
			`{"totalCount": 1, "results": [{"id": "66d2a1b0c4d6e8f0a2b4c601", "complete": true, "created": {"date": "2026-05-01T00:00:00Z"}}]}`,
		)
	})
	return mux
}

func TestConcurrencyLimitsTheRequests(t *testing.T) {
	t.Parallel()
	const concurrency = 4
	var inFlight, most atomic.Int64
	fleet := fleetOf(1_100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/snapshots") {
			now := inFlight.Add(1)
			defer inFlight.Add(-1)
			for before := most.Load(); before < now && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			for range 300 { // until there were as many as may be
				if most.Load() < concurrency {
					time.Sleep(time.Millisecond)
				}
			}
			time.Sleep(time.Millisecond)
		}
		fleet.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	w := providertest.NewWorkspace(t, &providertest.Service{URL: server.URL})
	clusters, problems := status(t, w, values{"concurrency": concurrency})
	if len(clusters) != 1_100 || len(problems) > 0 {
		t.Errorf("%d clusters, problems: %v", len(clusters), problems)
	}
	if most.Load() != concurrency {
		t.Errorf("%d requests in parallel", most.Load())
	}
}

func TestTooManyClustersAreAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(fleetOf(50_001))
	t.Cleanup(server.Close)
	_, diags := providertest.NewWorkspace(t, &providertest.Service{URL: server.URL}).Read(providertest.BackupStatusType, nil)
	diags.WantError(t, "[project_ids]", "have 50001 clusters", "Set project_ids")
}
