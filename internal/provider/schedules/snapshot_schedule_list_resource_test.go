package schedules_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestQueryListsTheSchedulesThatCanBeManaged(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	query := func(includeResource bool) []providertest.Listed {
		results, leftOut := providertest.Listing(
			w.Query(providertest.ScheduleType, values{"project_id": strings.ToUpper(payments)}, includeResource, 0),
		)
		providertest.WantOne(t, leftOut, "Snapshot Schedule of Cluster reports Not Listed", "was never started")
		// Not the shards and config servers of orders, and not reports, whose backup was never started.
		providertest.WantEqual(t, providertest.Names(results), []string{"cards", "fraud", "invoices", "ledger", "orders"})
		return results
	}
	for _, one := range query(false) {
		if !one.Resource.IsNull() || len(one.Diagnostics) > 0 {
			t.Errorf("%s has the resource %v and %v", one.Name, providertest.Plain(one.Resource), one.Errors())
		}
	}
	if got := len(s.Sent("GET", "/snapshotSchedule")); got > 0 {
		t.Errorf("%d schedules were read without include_resource", got)
	}
	for _, one := range query(true) {
		one.WantNone(t)
		r := w.NewResource(providertest.ScheduleType)
		r.ImportIdentity(one.Identity).WantNoErrors(t)
		if !r.State.Equal(one.Resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.Name, providertest.Plain(one.Resource), r.Attributes())
		}
		providertest.WantAttributes(t, r, values{"project_id": payments})
		providertest.WantEmptyPlan(t, r.Plan(r.Attributes()))
	}
}

// gate is a service with many clusters. It counts the reads of their schedules, and blocks all but
// the first one until it opens.
type gate struct {
	*providertest.Service
	mu            sync.Mutex
	inside, total int
	most          int
	open          chan struct{} // closed to unblock all requests
	arrived       chan struct{} // receives a value for each blocked request
}

const gatedClusters = 60

func gatedSeed() *emulator.Seed {
	seed := &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Payments"}}}
	for i := range gatedClusters {
		seed.Projects[0].Clusters = append(seed.Projects[0].Clusters, emulator.Cluster{
			ID: fmt.Sprintf("%024x", i), Name: fmt.Sprintf("cluster-%02d", i), TypeName: "REPLICA_SET", ReplicaSetName: fmt.Sprintf("rs-%02d", i),
			BackupConfig: object{"statusName": "STARTED"},
		})
	}
	return seed
}

func openGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{Service: &providertest.Service{Emulator: emulator.New(emulator.Options{Seed: gatedSeed()})},
		open: make(chan struct{}), arrived: make(chan struct{}, gatedClusters)}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/snapshotSchedule") && r.Header.Get("Authorization") != "" {
		g.count(+1)
		if !strings.Contains(r.URL.Path, fmt.Sprintf("%024x", 0)) {
			g.arrived <- struct{}{}
			select {
			case <-g.open:
			case <-r.Context().Done():
			}
		}
		defer g.count(-1)
	}
	g.Emulator.ServeHTTP(w, r)
}

func (g *gate) count(change int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside += change
	if change > 0 {
		g.total++
	}
	g.most = max(g.most, g.inside)
}

func (g *gate) counted() (inside, total, most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside, g.total, g.most
}

func TestQueryReadsALimitedNumberOfSchedulesInParallel(t *testing.T) {
	t.Parallel()
	g := openGate(t)
	go func() {
		for range 8 { // the permitted requests
			<-g.arrived
		}
		time.Sleep(50 * time.Millisecond) // for further requests, which are not permitted
		close(g.open)
	}()
	if got := providertest.Names(providertest.NewWorkspace(t, g.Service).Query(
		providertest.ScheduleType, values{"project_id": payments}, true, 0,
	)); len(got) != gatedClusters || !slices.IsSorted(got) {
		t.Errorf("listed %q", got)
	}
	if _, total, most := g.counted(); total != gatedClusters || most != 8 {
		t.Errorf("%d schedules were read, %d at once", total, most)
	}
}

func TestQueryStreamsResultsAndStopsWithItsReader(t *testing.T) {
	t.Parallel()
	g := openGate(t) // the gate stays closed
	for one := range providertest.NewWorkspace(t, g.Service).Stream(providertest.ScheduleType, values{"project_id": payments}, true, 0) {
		if one.Name != "cluster-00" || len(one.Diagnostics) > 0 {
			t.Errorf("the first is %s %v", one.Name, one.Diagnostics)
		}
		break
	}
	deadline := time.Now().Add(time.Minute)
	for inside, total, _ := g.counted(); ; inside, total, _ = g.counted() {
		if inside == 0 {
			if total > 10 {
				t.Errorf("%d schedules were read for one", total)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d reads were not canceled", inside)
		}
		time.Sleep(time.Millisecond)
	}
}

// A third of the 60 clusters is gone, and another third has a schedule that cannot be read.
func TestQueryReachesItsLimitDespiteUnreadableSchedules(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Seed: gatedSeed()})
	var readable []string
	for i := range gatedClusters {
		at := fmt.Sprintf("%024x/snapshotSchedule", i)
		switch i % 3 {
		case 0:
			s.Inject(emulator.Fault{Path: at, Times: 100, Status: 404, Body: `{"error":404,"errorCode":"CLUSTER_NOT_FOUND"}`})
		case 1:
			s.Inject(emulator.Fault{Path: at, Times: 100, Status: 409, Body: `{"error":409,"errorCode":"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"}`})
		default:
			readable = append(readable, fmt.Sprintf("cluster-%02d", i))
		}
	}
	w := providertest.NewWorkspace(t, s)
	for limit, most := range map[int64]int{1: 3, 5: 15, 19: 57, 20: 60, 30: 60, 0: 60} {
		s.ResetRequests()
		var found []string
		for _, one := range w.Query(providertest.ScheduleType, values{"project_id": payments}, true, limit) {
			if one.Identity != nil {
				found = append(found, one.Name)
			}
		}
		want := readable
		if limit > 0 && limit < int64(len(want)) {
			want = want[:limit]
		}
		if !slices.Equal(found, want) {
			t.Errorf("limit %d: listed %q, want %q", limit, found, want)
		}
		if got := len(s.Sent("GET", "/snapshotSchedule")); got > most {
			t.Errorf("limit %d: %d schedules were read, want at most %d", limit, got, most)
		}
	}
}

func TestQueryListsClustersWithMissingFields(t *testing.T) {
	t.Parallel()
	e := emulator.New(emulator.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := ""
		switch {
		case r.Header.Get("Authorization") == "":
		case strings.HasSuffix(r.URL.Path, "/clusters"):
			list = `
				{"clusterName": "no id", "typeName": "REPLICA_SET"},
				{"id": "` + cards + `", "typeName": "REPLICA_SET", "replicaSetName": "cards-rs"},
				{"id": "` + ledger + `"}`
		case strings.HasSuffix(r.URL.Path, "/backupConfigs"):
			list = `{"clusterId": "` + cards + `"}, {"clusterId": "` + ledger + `", "statusName": "SOMETHING_NEW"}, {"statusName": "STARTED"}`
		}
		if list == "" {
			e.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"results": [`+list+`]}`)
	}))
	t.Cleanup(server.Close)
	got := providertest.NewWorkspace(t, &providertest.Service{Emulator: e, URL: server.URL}).Query(
		providertest.ScheduleType, values{"project_id": payments}, true, 0,
	)
	_, leftOut := providertest.Listing(got)
	providertest.WantEach(
		t, leftOut, []string{"of Cluster no id Not Listed", "without an ID"},
		[]string{"of Cluster Without a Name or an ID Not Listed", "but not the cluster"},
	)
	if want := []string{ledger, "cards-rs"}; !slices.Equal(providertest.Names(got), want) {
		t.Errorf("listed %q, want %q", providertest.Names(got), want)
	}
}

func TestQueryReportsUnreadableSchedules(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	s.Inject(emulator.Fault{Path: cards + "/snapshotSchedule", Status: 409, Body: `{"error":409,"errorCode":"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"}`})
	s.Inject(emulator.Fault{Path: fraud + "/snapshotSchedule", Status: 404, Body: `{"error":404,"errorCode":"BACKUP_CONFIG_NOT_FOUND"}`})
	results := w.Query(providertest.ScheduleType, values{"project_id": payments}, true, 0)
	providertest.WantEqual(t, providertest.Names(results), []string{"invoices", "ledger", "orders"})
	_, leftOut := providertest.Listing(results)
	providertest.WantEach(
		t, leftOut, []string{"Snapshot Schedule of Cluster cards Not Listed", "409", "The backup of this cluster has not been started"},
		[]string{"Cluster fraud Not Listed", "BACKUP_CONFIG_NOT_FOUND"},
		[]string{"Cluster reports Not Listed"},
	)

	s.Inject(emulator.Fault{Method: "GET", Path: "/clusters", Status: 401, Body: `{"error":401,"errorCode":"NOT_IN_GROUP","detail":"no"}`})
	w.Query(providertest.ScheduleType, values{"project_id": payments}, true, 0)[0].WantError(t, "Unable to List Snapshot Schedules", "NOT_IN_GROUP")
	w.Query(providertest.ScheduleType, values{"project_id": "payments"}, true, 0)[0].WantError(t, "24 hexadecimal digits")

	documented := providertest.NewWorkspace(t, providertest.StartService(t, emulator.Options{Profile: emulator.Documented}))
	errors := documented.Query(providertest.ScheduleType, values{"project_id": payments}, false, 0)[0].Errors()
	providertest.WantOne(t, errors, "RESOURCE_NOT_FOUND", "version")
	providertest.WantUnsaid(t, errors, "gone")
}
