package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

func names(results []listed) []string {
	var found []string
	for _, one := range results {
		found = append(found, one.name)
	}
	return found
}

func TestQueryListsTheSchedulesThatCanBeManaged(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	results := w.query(scheduleType, values{"project_id": payments}, false, 0)
	// Not the shards and config servers of orders, and not reports, whose backup was never started.
	if got, want := names(results), []string{"cards", "fraud", "invoices", "ledger", "orders"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if got := len(s.sent("GET", "/snapshotSchedule")); got > 0 {
		t.Errorf("%d schedules were read that nobody asked for", got)
	}
	for _, one := range results {
		if !one.resource.IsNull() || len(one.diagnostics) > 0 {
			t.Errorf("%s comes with %v %v", one.name, plain(one.resource), one.errors())
		}
		r := w.resource(scheduleType)
		if told := r.importIdentity(one.identity); len(told.errors()) > 0 {
			t.Errorf("%s cannot be imported: %v", one.name, told.errors())
		}
	}
}

func TestQueriedSchedulesPlanEmptyAsTheyAre(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	for _, one := range w.query(scheduleType, values{"project_id": payments}, true, 0) {
		if len(one.diagnostics) > 0 {
			t.Errorf("%s: %v %v", one.name, one.errors(), one.warnings())
		}
		exported, ok := plain(one.resource).(values)
		if !ok {
			t.Fatalf("%s comes without its schedule", one.name)
		}
		r := w.resource(scheduleType)
		r.importIdentity(one.identity)
		if !r.state.Equal(one.resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.name, exported, r.attributes())
		}
		wantEmpty(t, r.plan(exported))
	}
}

func TestQueryReadsSchedulesSideBySideAndNoMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	seed := &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Payments"}}}
	for i := range 40 {
		seed.Projects[0].Clusters = append(seed.Projects[0].Clusters, emulator.Cluster{
			ID: fmt.Sprintf("%024x", i+1), Name: fmt.Sprintf("cluster-%02d", i), TypeName: "REPLICA_SET", ReplicaSetName: fmt.Sprintf("rs-%02d", i),
			BackupConfig: map[string]any{"statusName": "STARTED"},
		})
	}
	s := startService(t, emulator.Options{Seed: seed, Latency: 50 * time.Millisecond})
	w := openWorkspace(t, s, nil)
	started := time.Now()
	if got := names(w.query(scheduleType, values{"project_id": payments}, true, 0)); len(got) != 40 || !slices.IsSorted(got) {
		t.Errorf("listed %q", got)
	}
	if took := time.Since(started); took > 40*50*time.Millisecond {
		t.Errorf("it took %s, as long as one by one", took)
	}
	if got := len(names(w.query(scheduleType, values{"project_id": payments}, true, 5))); got != 5 {
		t.Errorf("listed %d of 5", got)
	}
	s.ResetRequests()
	w.query(scheduleType, values{"project_id": payments}, false, 5)
	if got := len(s.sent("GET", "")); got != 2 {
		t.Errorf("%d requests for names and states", got)
	}
}

func TestQueryTellsWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	s.Inject(emulator.Fault{Path: cards + "/snapshotSchedule", Status: 500, Body: "<title>Oops</title>"})
	results := w.query(scheduleType, values{"project_id": payments}, true, 0)
	if len(results) != 5 {
		t.Fatalf("listed %q", names(results))
	}
	wantOne(t, results[0].errors(), "cards", "500", "Oops")

	s.Inject(emulator.Fault{Method: "GET", Path: "/clusters", Status: 401, Body: `{"error":401,"errorCode":"NOT_IN_GROUP","detail":"no"}`})
	wantOne(t, w.query(scheduleType, values{"project_id": payments}, true, 0)[0].errors(), "Unable to List Snapshot Schedules", "NOT_IN_GROUP")
	wantOne(t, w.query(scheduleType, values{"project_id": "payments"}, true, 0)[0].errors(), "24 hexadecimal digits")

	documented := openWorkspace(t, startService(t, emulator.Options{Profile: emulator.Documented}), nil)
	errors := documented.query(scheduleType, values{"project_id": payments}, false, 0)[0].errors()
	wantOne(t, errors, "RESOURCE_NOT_FOUND", "version")
	if strings.Contains(errors[0], "gone") {
		t.Error(errors[0])
	}
}
