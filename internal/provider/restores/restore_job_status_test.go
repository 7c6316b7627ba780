package restores_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// aTime is a source after the last snapshot of orders.
var aTime = values{"snapshot_id": nil, "point_in_time": "2025-09-01T02:35:00Z"}

// The list has one of two jobs for an hour. Equal reads are no end.
func TestBatchWhoseJobsAppearLateEndsWithTheLastOne(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for name, config := range map[string]values{"a snapshot": intoOrders(), "a time": intoOrders(aTime)} {
			s, r := begin(t, emulator.Options{RestoreReads: 2, Unknowns: emulator.Unknowns{BatchAppearsAfter: 250}})
			r.Context = t.Context()
			began := time.Now()
			r.Create(config)
			if jobs := r.Attributes()["jobs"].([]any); len(jobs) != 2 || status(r) != "FINISHED" || time.Since(began) < time.Minute {
				t.Errorf("%s: got %v, %v after %s", name, status(r), jobs, time.Since(began))
			}
			r.MustBeSettled(config)
			wantRequests(t, s, 1)
		}
	})
}

// The wait ends by a timeout, and one read of the number of shards fails.
func TestBatchThatMayLackJobsIsInProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		config := intoOrders(values{"timeouts": values{"create": "1s"}})
		failing := emulator.Fault{Method: "GET", Path: "/clusters", Skip: 1, Status: http.StatusForbidden} // after that of the target
		const says = "it returned 1, for 2 shards"
		s, r := begin(t, lateBatch)
		p := r.Plan(config)
		s.Inject(failing)
		r.Apply(p).WantWarning(t, "Restore of Cluster orders ("+orders+") Has Not Ended", "was IN_PROGRESS after", says)
		refresh := func(says string) {
			t.Helper()
			r.Configure()
			r.Refresh().WantWarning(t, "Has Not Ended", "was IN_PROGRESS at the last refresh", says)
			wantStatus(t, r, "IN_PROGRESS")
		}
		refresh(says)
		s.Inject(failing) // after the list of jobs
		refresh("the number of shards could not be read")
		readUntilBatchAppears(r)
		restored := r.State
		wantBatchFinished(t, r, config)
		r.State = restored
		s.RemoveCluster(payments, providertest.OrdersShard)
		s.RemoveCluster(payments, lateShard)
		s.RemoveSnapshot(payments, orders, ordersSnapshot)
		refresh("the number of shards is not known")

		// An imported restore.
		s, r = begin(t, lateBatch)
		batch := fmt.Sprint(s.StartRestore(payments, orders, object{"snapshotId": ordersSnapshot})[0])
		if diags := r.ImportID(payments + "/" + orders + "/" + batch); len(diags.Errors()) > 0 || status(r) != "IN_PROGRESS" {
			t.Errorf("got %v, %q", r.Attributes(), diags.Errors())
		}

		// An action has no later.
		s, r = begin(t, lateBatch)
		action := ordered(config, values{"timeouts": values{"invoke": "1s"}})
		failing.Skip++ // that of the source
		s.Inject(failing)
		_, diags := r.InvokeAction(providertest.RestoreJobType, action)
		diags.WantError(t, "Has Not Ended", "was IN_PROGRESS after", says)
	})
}

// The cluster gains or loses a shard after the snapshot was taken that a restore starts from.
func TestShardsOfTheSnapshotCount(t *testing.T) {
	t.Parallel()
	type row struct {
		source  values
		isAdded bool // a shard, or it is removed
	}
	providertest.EachInBubble(t, map[string]row{
		"a snapshot, gained": {nil, true}, "a snapshot, lost": {nil, false}, "a time, gained": {aTime, true}, "a time, lost": {aTime, false},
	}, func(t *testing.T, test row) {
		config := intoOrders(test.source, values{"timeouts": values{"create": "1s"}})
		s, r := begin(t, lateBatch)
		p := r.Plan(config)
		go func() {
			awaitJobs(t, s, orders)
			if test.isAdded {
				shard := emulator.Cluster{ID: nowhere, Name: "orders", TypeName: "REPLICA_SET", ShardName: "orders-shard-2", ShardOf: orders}
				s.AddCluster(payments, shard)
			} else {
				s.RemoveCluster(payments, lateShard)
			}
		}()
		r.Apply(p)
		r.MustBeSettled(config)
		wantStatus(t, r, "IN_PROGRESS") // with one job of two
		s.Inject(emulator.Fault{Method: "GET", Path: "/snapshots", Status: http.StatusForbidden})
		r.Configure()
		r.Refresh().WantWarning(t, "Has Not Ended", "the number of shards could not be read")
		readUntilBatchAppears(r)
		wantBatchFinished(t, r, config)
	})
}

const lateShard = "650a2036b7d9f1e3a5c70926" // of orders, whose job appears late

// lateBatch are the options of a service whose list lacks one of two jobs at first.
var lateBatch = emulator.Options{RestoreReads: -1, Unknowns: emulator.Unknowns{BatchAppearsAfter: 200}}

func readUntilBatchAppears(r *providertest.Resource) {
	for range 200 {
		_, _ = r.Read(providertest.RestoreJobsType, values{"project_id": payments, "cluster_id": orders})
	}
}

// wantBatchFinished fails unless a settled restore has ended with two jobs.
func wantBatchFinished(t *testing.T, r *providertest.Resource, config values) {
	t.Helper()
	r.MustBeSettled(config)
	if jobs := r.Attributes()["jobs"].([]any); status(r) != "FINISHED" || len(jobs) != 2 {
		t.Errorf("got %v", r.Attributes())
	}
}

// Nothing but its jobs tells which time an imported restore is of.
func TestShardsOfTheSnapshotCountForAnImportedPointInTime(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, lateBatch)
		id := s.StartRestore(payments, orders, object{"pointInTime": true, "timestamp": object{"date": "2025-09-01T02:35:00Z"}})[0]
		s.RemoveCluster(payments, lateShard)
		diags := r.ImportID(payments + "/" + orders + "/" + id)
		if len(diags.Errors()) > 0 || status(r) != "IN_PROGRESS" {
			t.Errorf("got %v, %q", r.Attributes(), diags.Errors())
		}
	})
}

// Several jobs of one shard restore one shard, and a batch without an ID is one too. No source says that the config servers
// have a job. If they have one, it stands for no shard, but it has to end.
func TestJobsOfEachShardAreRequired(t *testing.T) {
	t.Parallel()
	const (
		first, second, configServers = "650a2036b7d9f1e3a5c70925", lateShard, "650a2036b7d9f1e3a5c70927"
		unknown                      = "0123456789abcdef01234567"
	)
	type row struct {
		batch   string
		shards  []string // of the jobs
		ends    bool
		running string // whose job has not ended
	}
	providertest.EachInBubble(t, map[string]row{
		"both shards":                        {nowhere, []string{first, second}, true, ""},
		"both shards, and config servers":    {nowhere, []string{first, configServers, second}, true, ""},
		"config servers that run":            {nowhere, []string{configServers, first, second}, false, configServers},
		"one shard twice, in capitals":       {nowhere, []string{first, strings.ToUpper(first)}, false, ""},
		"one shard twice and config servers": {nowhere, []string{first, first, strings.ToUpper(configServers)}, false, ""},
		"one shard twice, and the other":     {nowhere, []string{first, first, second}, true, ""},
		"a shard that has left":              {nowhere, []string{first, unknown}, true, ""},
		"the cluster":                        {nowhere, []string{orders}, false, ""},
		"the cluster twice":                  {nowhere, []string{orders, orders}, true, ""},
		"no cluster":                         {nowhere, []string{""}, false, ""},
		"one shard, without a batch":         {"", []string{first}, false, ""},
		"the cluster, without a batch":       {"", []string{orders}, false, ""},
		"both shards, without a batch":       {"", []string{first, second}, true, ""},
	}, func(t *testing.T, test row) {
		d := providertest.FaultProxyInMemory(emulator.Options{RestoreReads: -1})
		r := restoreOn(t, d.Service)
		var jobs []any
		for i, shard := range test.shards {
			job := object{"id": fmt.Sprintf("%024x", i+1), "statusName": "FINISHED", "delivery": object{"statusName": "READY"}}
			if shard == test.running && shard != "" {
				job["statusName"] = "IN_PROGRESS"
			}
			if test.batch != "" {
				job["batchId"] = test.batch
			}
			if shard != "" && (test.batch != "" || shard == orders) {
				job["clusterId"] = shard
			}
			jobs = append(jobs, job)
		}
		shard := object{"typeName": "REPLICA_SET"}
		d.SetSnapshot(payments, orders, unknown, object{ // after the restored time
			"complete": true, "created": object{"date": "2025-09-01T02:36:00Z"}, "parts": []any{shard, shard, shard},
		})
		p := r.Plan(intoOrders(aTime, values{"timeouts": values{"create": "1s"}}))
		d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			i := slices.IndexFunc(jobs, func(job any) bool { return strings.HasSuffix(r.URL.Path, fmt.Sprint(job.(object)["id"])) })
			var document any
			switch {
			case strings.HasSuffix(r.URL.Path, "/restoreJobs"):
				document = object{"results": jobs, "totalCount": len(jobs)}
			case i >= 0:
				document = jobs[i]
			default:
				service.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(document)
		})
		diags := r.Apply(p)
		want := map[bool]string{true: "FINISHED", false: "IN_PROGRESS"}[test.ends]
		if len(diags.Errors()) > 0 || status(r) != want {
			t.Errorf("got %v, %q %q", status(r), diags.Errors(), diags.Warnings())
		}
		switch {
		case test.running != "":
			diags.WantWarning(t, "Has Not Ended")
		case !test.ends:
			diags.WantWarning(t, "Has Not Ended", "it returned 1, for 2 shards")
		}
	})
}

// Without the shards of its snapshot, a restore has those of its cluster.
func TestShardsOfTheClusterCountIfTheSnapshotDoesNotTell(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		config := intoOrders(values{"timeouts": values{"create": "1s"}})
		for _, change := range map[string]func(*providertest.Service){
			"gone": func(s *providertest.Service) {
				s.RemoveSnapshot(payments, orders, ordersSnapshot)
			},
			"no parts": func(s *providertest.Service) {
				s.SetSnapshot(payments, orders, ordersSnapshot, object{"parts": nil})
			},
			"a missing shard": func(s *providertest.Service) {
				s.SetSnapshot(payments, orders, ordersSnapshot, object{"parts": []any{object{"typeName": "REPLICA_SET"}}, "missingShards": []any{object{}}})
			},
		} {
			s, r := begin(t, lateBatch)
			p := r.Plan(config)
			go func() {
				awaitJobs(t, s, orders)
				change(s)
			}()
			r.Apply(p).WantWarning(t, "Has Not Ended", "it returned 1, for 2 shards")
			wantStatus(t, r, "IN_PROGRESS")
		}
	})
}

// A shard that is a config server, too, has data and a job.
func TestShardWithTheConfigServersCounts(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		seed := emulator.DefaultSeed()
		for i := range seed.Projects[0].Clusters {
			if cluster := &seed.Projects[0].Clusters[i]; cluster.ID == lateShard {
				cluster.TypeName = "CONFIG_SHARD_REPLICA_SET"
			}
		}
		s := providertest.ServiceInMemory(emulator.Options{Seed: seed, RestoreReads: -1, Unknowns: emulator.Unknowns{BatchAppearsAfter: 100}})
		r := restoreOn(t, s)
		r.Create(intoOrders())
		if jobs := r.Attributes()["jobs"].([]any); len(jobs) != 2 || status(r) != "FINISHED" {
			t.Errorf("got %v", r.Attributes())
		}
	})
}

// A list may lack a new restore for a minute.
func TestListThatLacksARestoreForAMinuteIsNoEnd(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, config := range []values{intoCards(), intoOrders()} {
			s, r := begin(t)
			began, p := time.Now(), r.Plan(config)
			lacksRestores(s, 250)
			if diags := r.Apply(p); len(diags) > 0 || status(r) != "FINISHED" || time.Since(began) < time.Minute {
				t.Errorf("got %v after %s, %q", r.Attributes(), time.Since(began), diags.Warnings())
			}
			wantRequests(t, s, 1)
		}
	})
}

func TestForgottenBatchEndsTheWait(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		r.Context = t.Context() // the wait takes longer than a test may
		p := r.Plan(intoOrders())
		go func() {
			awaitJobs(t, s, orders)
			s.RemoveRestoreJobs(payments, orders)
		}()
		diags := r.Apply(p)
		diags.WantWarning(t, "Restore of Cluster orders ("+orders+") Has Not Ended", "no longer returned")
		if status(r) != "UNKNOWN" || len(diags.Errors()) > 0 {
			t.Errorf("got %v, %q", status(r), diags.Errors())
		}
		for range 2 {
			r.MustBeSettled(intoOrders())
			wantStatus(t, r, "UNKNOWN")
		}
		wantRequests(t, s, 1)
	})
}

func TestOutageDoesNotEndTheWait(t *testing.T) {
	t.Parallel()
	providertest.EachInBubble(t, map[string]emulator.Fault{
		"no connection": {Method: "GET", Path: "/restoreJobs", Times: -1, DropBefore: true},
		"503":           {Method: "GET", Path: "/restoreJobs", Times: -1, Status: http.StatusServiceUnavailable},
		"403 of a page": {Method: "GET", Path: "/restoreJobs", Times: -1, Status: http.StatusForbidden, Body: "<html>"},
	}, func(t *testing.T, fault emulator.Fault) {
		s, r := begin(t, emulator.Options{RestoreReads: 3})
		p := r.Plan(intoCards())
		go func() {
			awaitJobs(t, s, ledger)
			s.Inject(fault)
			time.Sleep(time.Second)
			s.ClearFaults()
		}()
		if diags := r.Apply(p); len(diags) > 0 || status(r) != "FINISHED" {
			t.Errorf("got %v, %q %q", status(r), diags.Errors(), diags.Warnings())
		}
	})
}

// A response may leave out the ID of the batch.
func TestJobsWithoutABatchAreAllFollowed(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 2})
		var jobs []string
		for _, id := range append(s.StartRestore(payments, ledger, nil), s.StartRestore(payments, ledger, nil)...) {
			jobs = append(jobs, `{"id": "`+id+`", "statusName": "IN_PROGRESS"}`)
		}
		p := r.Plan(intoCards())
		s.Inject(emulator.Fault{Method: "GET", Path: "/restoreJobs", Status: http.StatusOK, Body: `{"results": [], "totalCount": 0}`}) // before the request
		answer(s, strings.Join(jobs, ", "))
		if diags := r.Apply(p); len(diags) > 0 || status(r) != "FINISHED" || len(r.Attributes()["jobs"].([]any)) != 2 {
			t.Errorf("got %v, %q %q", r.Attributes(), diags.Errors(), diags.Warnings())
		}
	})
}

// answer answers the next request for a restore with a list of jobs.
func answer(s *providertest.Service, jobs string) {
	s.Inject(emulator.Fault{
		Method: "POST", Path: "/restoreJobs", Status: http.StatusOK,
		Body: `{"results": [` + jobs + `]}`,
	})
}

func TestFinishedJobWithAFailedDeliveryHasFailed(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, delivered := range []string{"FAILED", "INTERRUPTED"} {
			s, r := begin(t)
			p := r.Plan(intoCards())
			answer(s, `{"id": "`+nowhere+`", "statusName": "FINISHED", "delivery": {"methodName": "HTTP", "statusName": "`+delivered+`"}}`)
			r.Apply(p).WantWarning(t, "Restore of Cluster ledger ("+ledger+") Is "+delivered)
			wantStatus(t, r, delivered)
			r.MustBeSettled(intoCards())
		}
	})
}

func TestLinkThatAppearsLateIsExported(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		finished := func(link string) object {
			delivery := object{"methodName": "HTTP", "maxDownloads": 2, "statusName": "READY"}
			if link != "" {
				delivery["url"] = link
			}
			return object{"statusName": "FINISHED", "delivery": delivery}
		}
		for _, isLate := range []bool{false, true} { // after the apply
			s, r := begin(t, emulator.Options{RestoreReads: 1000})
			p := r.Plan(toLink())
			appear := func() {
				s.SetRestoreJob(payments, ledger, fmt.Sprint(s.RestoreJobs(payments, ledger)[0]["id"]), finished("https://opsmanager.example.com/link"))
			}
			go func() {
				awaitJobs(t, s, ledger)
				s.SetRestoreJob(payments, ledger, fmt.Sprint(s.RestoreJobs(payments, ledger)[0]["id"]), finished(""))
				if !isLate {
					time.Sleep(100 * time.Millisecond)
					appear()
				}
			}()
			if diags := r.Apply(p); len(diags) > 0 || status(r) != "FINISHED" {
				t.Errorf("got %v, %q", status(r), diags.Warnings())
			}
			if isLate {
				r.MustBeSettled(toLink())
				known := r.Settings["base_url"]
				r.Settings["base_url"] = providertest.Unknown
				r.Configure()
				r.Refresh().WantWarning(t, "Ops Manager Not Read")
				r.Settings["base_url"] = known
				appear()
				r.MustBeSettled(toLink())
			}
			if got := fmt.Sprint(r.Attributes()["download_urls"]); !strings.Contains(got, "https://opsmanager.example.com/link") {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestResponseWithAnotherRestoreIsNotTheRequestedOne(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, more := range map[string]string{
			"another snapshot": `, "snapshotId": "` + expiredSnapshot + `"`,
			"another cluster":  `, "clusterId": "` + cards + `"`,
		} {
			s, r := beginQuick(t)
			p := r.Plan(intoCards())
			answer(s, `{"id": "`+nowhere+`", "statusName": "FINISHED"`+more+`}`)
			r.Apply(p).WantError(t, "May Have Been Started", nowhere, "is not the requested one")
			wantStatus(t, r, "UNKNOWN")
			wantRequests(t, s, 1)
		}
	})
}

func TestStatusOfAnUnnamedJobIsNotBelieved(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		config := intoCards(values{"timeouts": values{"create": "50ms"}})
		r.Create(config)
		s.Inject(emulator.Fault{Method: "GET", Path: "/restoreJobs/", Times: -1, Status: http.StatusOK, Body: `{"statusName": "FINISHED"}`})
		r.MustBeSettled(config)
		wantStatus(t, r, "IN_PROGRESS")
	})
}

// recently starts a service whose last restorable range ended a minute ago, and returns the restore
// of the time half a minute ago.
func recently(t *testing.T, given ...emulator.Options) (*providertest.Service, *providertest.Resource, values) {
	t.Helper()
	options := providertest.Chosen(given)
	now := time.Now().UTC()
	options.Seed = emulator.DefaultSeed()
	for i := range options.Seed.Projects[0].Clusters {
		if cluster := &options.Seed.Projects[0].Clusters[i]; cluster.ID == ledger {
			cluster.RestorableTimeRanges[1]["end"] = object{"date": now.Add(-time.Minute).Format(time.RFC3339), "increment": 1}
		}
	}
	s := providertest.ServiceInMemory(options)
	return s, restoreOn(t, s),
		intoCards(values{"snapshot_id": nil, "point_in_time": now.Add(-90 * time.Second).Format(time.RFC3339)})
}

func TestPointInTimeWaitsForItsOplog(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		late := emulator.Unknowns{OplogArrivesAfter: 3}
		s, r, config := recently(t, emulator.Options{RestoreReads: -1, Unknowns: late})
		r.Create(config)
		wantStatus(t, r, "FINISHED")
		r.MustBeSettled(config)
		wantRequests(t, s, 4)
		if jobs := len(s.RestoreJobs(payments, ledger)); jobs != 2 { // with that of the seed
			t.Errorf("%d jobs", jobs)
		}

		_, r, config = recently(t, emulator.Options{RestoreReads: -1, Unknowns: late})
		delete(config, "triggers")
		progress, diags := invoke(t, r.Workspace, config)
		if len(diags) > 0 || !contains(progress, "does not have the oplog up to ") {
			t.Errorf("got %q, %q", progress, diags.Errors())
		}

		// A time after the last range is a warning of the plan if it is recent.
		_, r, config = recently(t)
		config["point_in_time"] = time.Now().UTC().Format(time.RFC3339)
		if p := r.Plan(config); len(p.Errors()) > 0 || !contains(p.Warnings(), "[point_in_time] Point in Time Not Restorable Yet") {
			t.Errorf("got %q %q", p.Errors(), p.Warnings())
		}

		// The wait is bounded.
		_, r, config = recently(t, emulator.Options{Unknowns: emulator.Unknowns{OplogArrivesAfter: 1000}})
		config["timeouts"] = values{"create": "100ms"}
		r.Apply(r.Plan(config)).WantError(t, "Unable to Start Restore", "Invalid restore point")
		providertest.WantNoState(t, r)

		ctx, interrupt := context.WithCancel(t.Context())
		_, r, config = recently(t, emulator.Options{Unknowns: emulator.Unknowns{OplogArrivesAfter: 1000}})
		p := r.Plan(config)
		time.AfterFunc(200*time.Millisecond, interrupt)
		r.Context = ctx
		r.Apply(p).WantError(t, "No restore was started")
		providertest.WantNoState(t, r)

		// Another refusal is final.
		s, r, config = recently(t)
		p = r.Plan(config)
		s.Inject(emulator.Fault{
			Method: "POST", Path: "/restoreJobs", Status: http.StatusConflict,
			Body: `{"detail": "Another restore of this cluster is in progress.", "error": 409, "parameters": [], "reason": "Conflict"}`,
		})
		r.Apply(p).WantError(t, "Another restore of this cluster is in progress")
		wantRequests(t, s, 1)

		// An old point in time has no late oplog.
		s, r = begin(t, emulator.Options{Unknowns: late})
		r.Apply(r.Plan(intoCards(values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"}))).WantError(t, "Invalid restore point")
		wantRequests(t, s, 1)
	})
}

func TestSpellingOfAPointInTimeIsNoChange(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		config := intoCards(values{"snapshot_id": nil, "point_in_time": "2025-08-31T04:30:05.250+02:00"})
		r.Create(config)
		if sent := requested(s); !strings.HasPrefix(sent[0], `{"pointInTimeUTCMillis":1756607405250,`) {
			t.Errorf("sent %q", sent)
		}
		r.MustBeSettled(config)
		p := r.Plan(config.With(values{"point_in_time": "2025-08-31T02:30:05.25Z"}))
		if !p.IsEmpty() || len(p.Diagnostics) > 0 {
			t.Errorf("the plan changes %q: %q %q", p.Changes(), p.Errors(), p.Warnings())
		}
	})
}

func TestImportedRestoreTellsWhatItRestored(t *testing.T) {
	t.Parallel()
	point := values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"}
	for name, test := range map[string]struct {
		restored, configured values
		errors, warnings     []string
	}{
		"another snapshot": {
			nil, values{"snapshot_id": expiredSnapshot}, nil,
			[]string{"snapshot_id", heldSnapshot, expiredSnapshot, "Nothing is restored"},
		},
		"a time of a snapshot": {nil, point, []string{"[snapshot_id]", heldSnapshot}, nil},
		"a snapshot of a time": {point, nil, []string{"[snapshot_id]", heldSnapshot}, nil},
		"another time": {
			point, values{"snapshot_id": nil, "point_in_time": "2025-08-31T03:30:05Z"}, nil,
			[]string{"point_in_time", "2025-08-31T02:30:05Z", "2025-08-31T03:30:05Z", "Nothing is restored"},
		},
		"the same time": {point, values{"snapshot_id": nil, "point_in_time": "2025-08-31T04:30:05.250+02:00"}, nil, []string{"Nothing is restored"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := restored(t, intoCards(test.restored))
				id := fmt.Sprint(r.Attributes()["id"])
				r = r.NewResource(providertest.RestoreJobType)
				r.Configure()
				r.ImportID(payments + "/" + ledger + "/" + id).WantNoErrors(t)
				p := r.Plan(intoCards(test.configured))
				if test.errors != nil {
					p.WantError(t, test.errors...)
					return
				}
				p.WantWarning(t, append(test.warnings, "Imported Restore of Cluster ledger ("+ledger+") Will Be Kept", id)...)
				r.Apply(p)
				if name == "another snapshot" && r.Attributes()["snapshot_id"] != heldSnapshot {
					t.Errorf("got %v", r.Attributes())
				}
				r.MustBeSettled(intoCards(test.configured))
				wantRequests(t, s, 1)
			})
		})
	}
}

func TestRestoreWhoseSourceIsNotReturnedIsNotImported(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"snapshotId", "delivery"} {
		proxy := providertest.StartFaultProxy(t)
		id := proxy.Service.StartRestore(payments, ledger, object{"snapshotId": heldSnapshot})[0]
		proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, field) }))
		r := restoreOn(t, proxy.Service)
		r.ImportID(payments+"/"+ledger+"/"+id).WantError(t, "Unable to Import Restore", field, id, "not known what was restored")
	}
}

func TestRefusalsThatNameABrokenSnapshotSayWhatToDo(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for code, says := range map[string]string{
			"SNAPSHOT_BLOCKS_MISSING": "cannot be restored", "RESTORE_VALIDATION_FAILED": "cannot be restored",
		} {
			s, r := begin(t)
			p := r.Plan(intoCards())
			s.Inject(emulator.Fault{
				Method: "POST", Status: http.StatusConflict,
				Body: `{"detail": "No.", "error": 409, "errorCode": "` + code + `", "parameters": [], "reason": "Conflict"}`,
			})
			r.Apply(p).WantError(t, "[snapshot_id]", code, says, "No restore was started")
			providertest.WantNoState(t, r)
		}
	})
}
