package snapshots_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

const (
	onDemandPath = "/clusters/" + providertest.Orders + "/snapshots/onDemandSnapshot"

	newest = "66d45311c4d6e8f0a2b4c703" // the newest snapshot of orders
)

// onDemand returns the configuration of a snapshot of orders.
func onDemand(fields providertest.Values) providertest.Values {
	config := providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders, "retention_days": 7}
	maps.Copy(config, fields)
	return config
}

func newSnapshot(t *testing.T, options emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s := providertest.StartService(t, options)
	w := providertest.NewWorkspaceOn(t, providertest.NewServer(100*time.Millisecond), s, nil)
	return s, w.NewResource(providertest.OnDemandSnapshotType)
}

// create applies the plan of a configuration, which may fail.
func create(r *providertest.Resource, config providertest.Values) providertest.Diagnostics {
	return r.Apply(r.Plan(config), nil)
}

// apply applies a configuration without an error, and checks that the next plan is empty.
func apply(t *testing.T, r *providertest.Resource, config providertest.Values) providertest.Diagnostics {
	t.Helper()
	p := r.Plan(config)
	if errors := p.Errors(); len(errors) > 0 {
		t.Fatalf("plan: %q", errors)
	}
	diags := r.Apply(p, nil)
	if errors := diags.Errors(); len(errors) > 0 {
		t.Fatalf("apply: %q", errors)
	}
	if errors := r.Refresh().Errors(); len(errors) > 0 {
		t.Fatalf("refresh: %q", errors)
	}
	providertest.WantEmptyPlan(t, r.Plan(config))
	return diags
}

// taken returns the snapshots of orders that the seed does not have.
func taken(s *providertest.Service) []map[string]any {
	return slices.DeleteFunc(s.Snapshots(providertest.Payments, providertest.Orders), func(s map[string]any) bool {
		return slices.Contains([]any{"66d3e2a1c4d6e8f0a2b4c702", newest}, s["id"])
	})
}

// wantTaken checks the number of requests for snapshots, and the number of snapshots.
func wantTaken(t *testing.T, s *providertest.Service, requests, snapshots int) {
	t.Helper()
	if got := len(s.Sent("POST", onDemandPath)); got != requests {
		t.Errorf("requested %d snapshots, want %d", got, requests)
	}
	if got := len(taken(s)); got != snapshots {
		t.Errorf("took %d snapshots, want %d", got, snapshots)
	}
}

func after(t *testing.T, at any, days int) string {
	t.Helper()
	text, _ := at.(string)
	created, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return created.AddDate(0, 0, days).Format(time.RFC3339)
}

// unknowns are combinations of the unknown facts about snapshots.
var unknowns = map[string]emulator.Unknowns{
	"none":                  {},
	"running without GET":   {HidesRunningSnapshot: true, OnDemandReturns202: true},
	"running without times": {RunningSnapshotLacksExpires: true, OmitsCreatedTime: true},
	"late":                  {SnapshotAppearsAfter: 3, HidesRunningSnapshot: true, RunningSnapshotLacksExpires: true},
}

func TestSnapshotIsTakenOnceAndWaitedFor(t *testing.T) {
	t.Parallel()
	for name, unknown := range unknowns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newSnapshot(t, emulator.Options{Unknowns: unknown})
			if diags := apply(t, r, onDemand(nil)); len(diags) > 0 {
				t.Errorf("diags %v", diags)
			}
			wantTaken(t, s, 1, 1)
			state, snapshot := r.Attributes(), taken(s)[0]
			created, _ := snapshot["created"].(map[string]any)
			providertest.WantAttributes(t, r, providertest.Values{
				"id": snapshot["id"], "created": created["date"], "complete": true, "gone": false,
				"do_not_delete": false, "expires": after(t, state["created"], 7), "on_destroy": nil,
			})
			r.Configure()
			apply(t, r, onDemand(providertest.Values{"timeouts": providertest.Values{"create": "1h"}}))
			wantTaken(t, s, 1, 1)
		})
	}
}

func TestOnlyTriggersAndTheClusterTakeAnotherSnapshot(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(providertest.Values{"triggers": providertest.Values{"week": "1"}}))
	first := r.Attributes()["id"]
	for _, fields := range []providertest.Values{{"retention_days": 9}, {"retention_days": nil}, {"on_destroy": "keep"}, {"expires": "2099-01-01"}, {"do_not_delete": true}} {
		config := onDemand(fields)
		config["triggers"] = providertest.Values{"week": "1"}
		if p := r.Plan(config); p.Replaces {
			t.Errorf("%v takes another snapshot", fields)
		}
		apply(t, r, config)
	}
	wantTaken(t, s, 1, 1)
	for _, fields := range []providertest.Values{{}, {"triggers": providertest.Values{"week": "2"}}, {"triggers": providertest.Values{"week": providertest.Unknown}}, {"triggers": providertest.Unknown}, {"cluster_id": providertest.Cards}} {
		if p := r.Plan(onDemand(fields)); !p.Replaces {
			t.Errorf("%v takes no other snapshot", fields)
		}
	}
	apply(t, r, onDemand(providertest.Values{"triggers": providertest.Values{"week": "2"}}))
	wantTaken(t, s, 2, 2)
	if r.Attributes()["id"] == first {
		t.Error("the snapshot is the same")
	}
}

func TestExpiryIsManaged(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(nil))
	id, created := r.Attributes()["id"], r.Attributes()["created"]
	for _, step := range []struct {
		fields  providertest.Values
		expires any
		held    bool
		sent    string
	}{
		{providertest.Values{"retention_days": 30}, after(t, created, 30), false, `{"expires":"` + after(t, created, 30) + `"}`},
		{providertest.Values{"retention_days": 30, "expires": after(t, created, 30)}, after(t, created, 30), false, ""},
		{providertest.Values{"retention_days": 40, "expires": "2099-01-01"}, "2099-01-01", false, `{"expires":"2099-01-01T00:00:00Z"}`},
		{providertest.Values{"expires": "2099-01-01T02:00:00+02:00"}, "2099-01-01", false, ""},
		{providertest.Values{"retention_days": nil}, "2099-01-01", false, ""},
		{providertest.Values{"do_not_delete": true}, nil, true, `{"doNotDelete":true}`},
		{providertest.Values{"do_not_delete": true, "retention_days": 3}, nil, true, ""},
		{providertest.Values{"do_not_delete": false, "retention_days": 3}, after(t, created, 3), false, `{"doNotDelete":false,"expires":"` + after(t, created, 3) + `"}`},
		{providertest.Values{"do_not_delete": true}, nil, true, `{"doNotDelete":true}`},
		{providertest.Values{"do_not_delete": true, "expires": nil}, nil, true, ""},
		{providertest.Values{"expires": "2098-01-01T00:00:00Z"}, "2098-01-01T00:00:00Z", false, `{"doNotDelete":false,"expires":"2098-01-01T00:00:00Z"}`},
	} {
		s.ResetRequests()
		apply(t, r, onDemand(step.fields))
		providertest.WantAttributes(t, r, providertest.Values{"id": id, "expires": step.expires, "do_not_delete": step.held})
		if got := strings.Join(s.Sent("PATCH", "/snapshots/"+id.(string)), " "); got != step.sent {
			t.Errorf("%v: sent %s, want %s", step.fields, got, step.sent)
		}
		if len(s.Sent("POST", onDemandPath)) > 0 {
			t.Errorf("%v: took another snapshot", step.fields)
		}
	}
}

func TestExpiryIsSetWhenTheSnapshotIsComplete(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(providertest.Values{"do_not_delete": true}))
	providertest.WantAttributes(t, r, providertest.Values{"expires": nil, "do_not_delete": true, "complete": true})
	if got := taken(s)[0]; got["doNotDelete"] != true || got["expires"] != nil {
		t.Errorf("got %v", got)
	}

	s, r = newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(providertest.Values{"expires": "2099-01-01"}))
	if got := taken(s)[0]["expires"]; got != "2099-01-01T00:00:00Z" {
		t.Errorf("got %v", got)
	}
}

func TestFailedChangeOfTheExpiryIsLeftToTheNextPlan(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	config := onDemand(providertest.Values{"do_not_delete": true})
	s.Inject(emulator.Fault{Method: "PATCH", Status: 403, Body: `{"error": 403, "errorCode": "CANNOT_MODIFY_SNAPSHOT", "detail": "No."}`})
	diags := create(r, config)
	providertest.WantOne(t, diags.Warnings(), "CANNOT_MODIFY_SNAPSHOT", "next plan")
	r.Refresh()
	providertest.WantAttributes(t, r, providertest.Values{"do_not_delete": false})
	apply(t, r, config)
	providertest.WantAttributes(t, r, providertest.Values{"do_not_delete": true})
	wantTaken(t, s, 1, 1)
}

func TestReleasedSnapshotGetsTheExpiryOfOpsManager(t *testing.T) {
	t.Parallel()
	for _, unknown := range []emulator.Unknowns{{}, {ReleaseSetsExpires: true}} {
		s, r := newSnapshot(t, emulator.Options{Unknowns: unknown})
		s.SetSnapshot(providertest.Payments, providertest.Orders, newest, map[string]any{"doNotDelete": true, "expires": nil})
		importSnapshot(t, r, newest)
		config := onDemand(providertest.Values{"do_not_delete": false})
		delete(config, "retention_days")
		apply(t, r, config)
		if got := r.Attributes()["expires"] != nil; got != unknown.ReleaseSetsExpires || r.Attributes()["do_not_delete"] != false {
			t.Errorf("%+v: state %v", unknown, r.Attributes())
		}
	}
}

func importSnapshot(t *testing.T, r *providertest.Resource, id string) {
	t.Helper()
	if errors := r.ImportID(providertest.Payments + "/" + providertest.Orders + "/" + id).Errors(); len(errors) > 0 {
		t.Fatalf("import: %q", errors)
	}
}

func TestImportedSnapshotIsHeld(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	s.SetSnapshot(providertest.Payments, providertest.Orders, newest, map[string]any{"expires": "2099-01-01T00:00:00Z"})
	importSnapshot(t, r, strings.ToUpper(newest))
	providertest.WantAttributes(t, r, providertest.Values{"id": newest, "created": "2025-09-01T01:15:03Z", "complete": true, "gone": false, "do_not_delete": false, "expires": "2099-01-01T00:00:00Z", "retention_days": nil, "triggers": nil, "timeouts": nil})
	bare := onDemand(nil)
	delete(bare, "retention_days")
	providertest.WantEmptyPlan(t, r.Plan(bare))

	held := providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders, "do_not_delete": true, "triggers": providertest.Values{"a": "b"}}
	if p := r.Plan(held); p.Replaces {
		t.Error("triggers of an imported snapshot take another one")
	}
	apply(t, r, held)
	if got := s.Snapshots(providertest.Payments, providertest.Orders)[1]; got["doNotDelete"] != true {
		t.Errorf("got %v", got)
	}
	held["triggers"] = providertest.Values{"a": "c"}
	if p := r.Plan(held); !p.Replaces {
		t.Error("a change of triggers takes no other snapshot")
	}
	wantTaken(t, s, 0, 0)
}

func TestMissingSnapshotIsNotImported(t *testing.T) {
	t.Parallel()
	_, r := newSnapshot(t, emulator.Options{})
	for id, words := range map[string][]string{
		providertest.Payments + "/" + providertest.Orders + "/0123456789abcdef01234567": {"has no snapshot 0123456789abcdef01234567"},
		providertest.Payments + "/" + providertest.Orders:                               {"project_id/cluster_id/id"},
		providertest.Payments + "/" + providertest.Orders + "/latest":                   {"project_id/cluster_id/id", "latest"},
		providertest.Payments + "/" + providertest.Orders + "/" + newest + "/x":         {"project_id/cluster_id/id"},
	} {
		providertest.WantOne(t, r.ImportID(id).Errors(), words...)
		r.State = r.Null()
	}
}

func TestExpiredSnapshotStaysInTheState(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(nil))
	before := r.Attributes()
	s.RemoveSnapshot(providertest.Payments, providertest.Orders, before["id"].(string))
	for range 2 {
		r.Refresh()
		providertest.WantAttributes(t, r, providertest.Values{"id": before["id"], "gone": true, "complete": true, "expires": before["expires"]})
		providertest.WantEmptyPlan(t, r.Plan(onDemand(nil)))
		r.Configure()
	}
	apply(t, r, onDemand(providertest.Values{"retention_days": 10}))
	providertest.WantAttributes(t, r, providertest.Values{"gone": true, "expires": before["expires"]})
	apply(t, r, onDemand(providertest.Values{"do_not_delete": true}))
	wantTaken(t, s, 1, 0)
	s.RemoveCluster(providertest.Payments, providertest.Orders)
	r.Refresh()
	providertest.WantAttributes(t, r, providertest.Values{"id": before["id"], "gone": true})
	if got := r.Destroy(); len(got) > 0 {
		t.Errorf("diags %v", got)
	}
}

func TestDestroyKeepsTheSnapshotUnlessOnDestroyIsDelete(t *testing.T) {
	t.Parallel()
	for onDestroy, left := range map[any]int{nil: 1, "keep": 1, "delete": 0} {
		s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotDeleteReturns202: true}})
		config := onDemand(providertest.Values{"on_destroy": onDestroy})
		p := r.Plan(config)
		if got := p.Warnings(); (len(got) > 0) != (onDestroy == "delete") {
			t.Errorf("%v: warnings %q", onDestroy, got)
		}
		apply(t, r, config)
		id := r.Attributes()["id"].(string)
		word := map[bool]string{true: "Deletion of Snapshot " + id, false: "Only Removed"}[onDestroy == "delete"]
		providertest.WantOne(t, r.Plan(nil).Warnings(), word)
		r.Destroy()
		providertest.WantNoState(t, r)
		wantTaken(t, s, 1, left)
	}
}

func TestHeldSnapshotIsNotDestroyed(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(providertest.Values{"on_destroy": "delete", "do_not_delete": true}))
	providertest.WantOne(t, r.Plan(nil).Errors(), "[on_destroy]", "do_not_delete")
	wantTaken(t, s, 1, 1)
}

func TestChangedTriggersDeleteThePreviousSnapshotIfOnDestroyIsDelete(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(providertest.Values{"on_destroy": "delete"}))
	config := onDemand(providertest.Values{"on_destroy": "delete", "triggers": providertest.Values{"a": "b"}})
	id := r.Attributes()["id"].(string)
	providertest.WantContains(t, strings.Join(r.Plan(config).Warnings(), "\n"), "Deletion of Snapshot "+id)
	apply(t, r, config)
	wantTaken(t, s, 2, 1)
}

func TestSnapshotInProgressIsWaitedForBeforeItIsDeleted(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{TransitionReads: 25})
	config := onDemand(providertest.Values{"on_destroy": "delete", "timeouts": providertest.Values{"create": "1s"}})
	providertest.WantContains(t, strings.Join(create(r, config).Warnings(), "\n"), "Not Complete", "timeout")
	providertest.WantAttributes(t, r, providertest.Values{"complete": false})
	r.Destroy()
	wantTaken(t, s, 1, 0)
}

func TestExpiryOfASnapshotInProgressIsChangedOnceItIsComplete(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{TransitionReads: 25})
	create(r, onDemand(providertest.Values{"timeouts": providertest.Values{"create": "1s"}}))
	providertest.WantAttributes(t, r, providertest.Values{"complete": false})
	apply(t, r, onDemand(providertest.Values{"expires": "2099-01-01"}))
	providertest.WantAttributes(t, r, providertest.Values{"complete": true, "expires": "2099-01-01"})
	wantTaken(t, s, 1, 1)
}

func TestExpiryOfAnUnfoundSnapshotIsReadWhenItIsChanged(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 1000}})
	config := onDemand(providertest.Values{"timeouts": providertest.Values{"create": "1s"}})
	create(r, config)
	providertest.WantAttributes(t, r, providertest.Values{"id": nil, "expires": nil, "do_not_delete": nil})
	config = providertest.With(config, providertest.Values{"do_not_delete": false})
	p := r.Plan(config)
	s.SetSnapshot(providertest.Payments, providertest.Orders, taken(s)[0]["id"].(string), map[string]any{"complete": true})
	if errors := r.Apply(p, nil).Errors(); len(errors) > 0 {
		t.Fatalf("apply: %q", errors)
	}
	providertest.WantAttributes(t, r, providertest.Values{"complete": true, "expires": after(t, r.Attributes()["created"], 7)})
}

func TestInvalidConfigurationsSendNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fields providertest.Values
		words  []string
	}{
		"no retention":      {providertest.Values{"retention_days": nil}, []string{"[retention_days]", "import"}},
		"retention of 0":    {providertest.Values{"retention_days": 0}, []string{"[retention_days]", "at least 1"}},
		"held with expiry":  {providertest.Values{"do_not_delete": true, "expires": "2099-01-01"}, []string{"[expires]", "do_not_delete"}},
		"no time":           {providertest.Values{"expires": "next week"}, []string{"[expires]", "2027-01-31"}},
		"unknown destroy":   {providertest.Values{"on_destroy": "stop"}, []string{"[on_destroy]", "keep"}},
		"malformed cluster": {providertest.Values{"cluster_id": "orders"}, []string{"[cluster_id]", "24 hexadecimal digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newSnapshot(t, emulator.Options{})
			providertest.WantOne(t, r.Plan(onDemand(test.fields)).Errors(), test.words...)
			if got := s.Calls(); len(got) > 0 {
				t.Errorf("called %q", got)
			}
		})
	}
}

func TestExpiryInThePastIsAWarning(t *testing.T) {
	t.Parallel()
	_, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(nil))
	providertest.WantOne(t, r.Plan(onDemand(providertest.Values{"expires": "2020-01-01"})).Warnings(), "in the Past", "2020-01-01")
}

func TestSnapshotIsRequestedAsSoonAsOpsManagerAcceptsOne(t *testing.T) {
	t.Parallel()
	t.Run("another one is in progress", func(t *testing.T) {
		t.Parallel()
		s, r := newSnapshot(t, emulator.Options{})
		s.SetSnapshot(providertest.Payments, providertest.Orders, "66d544b0c4d6e8f0a2b4c6ff", map[string]any{"complete": false, "created": map[string]any{"date": "2025-09-02T00:00:00Z"}})
		time.AfterFunc(150*time.Millisecond, func() {
			if got := len(s.Sent("POST", onDemandPath)); got > 0 {
				t.Errorf("requested %d snapshots too early", got)
			}
			s.SetSnapshot(providertest.Payments, providertest.Orders, "66d544b0c4d6e8f0a2b4c6ff", map[string]any{"complete": true})
		})
		apply(t, r, onDemand(nil))
		wantTaken(t, s, 1, 2)
	})
	t.Run("the backup is being started", func(t *testing.T) {
		t.Parallel()
		const reports = "650a2177e1f3a5b7c9d00e42"
		s, r := newSnapshot(t, emulator.Options{})
		s.SetBackupStatus(providertest.Payments, reports, "PROVISIONING")
		apply(t, r, onDemand(providertest.Values{"cluster_id": reports}))
		if got := s.Snapshots(providertest.Payments, reports); len(got) != 2 || got[1]["id"] != r.Attributes()["id"] {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the backup is not started", func(t *testing.T) {
		t.Parallel()
		_, r := newSnapshot(t, emulator.Options{})
		providertest.WantOne(t, create(r, onDemand(providertest.Values{"cluster_id": "650a2177e1f3a5b7c9d00e42"})).Errors(), "[cluster_id]", "not started", "opsmanager_backup_config")
		providertest.WantNoState(t, r)
	})
	t.Run("never", func(t *testing.T) {
		t.Parallel()
		s, r := newSnapshot(t, emulator.Options{})
		diags := create(r, onDemand(providertest.Values{"cluster_id": providertest.Ledger, "timeouts": providertest.Values{"create": "100ms"}}))
		providertest.WantOne(t, diags.Errors(), "another snapshot is still in progress", "Raise the timeout")
		providertest.WantNoState(t, r)
		if got := s.Writes(); len(got) > 0 {
			t.Errorf("sent %q", got)
		}
	})
}

func TestRefusedRequestStoresNothing(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{ServiceVersion: "7.0.11"})
	providertest.WantOne(t, create(r, onDemand(nil)).Errors(), "Unable to Take Snapshot", "RESOURCE_NOT_FOUND", "7.0.11")
	providertest.WantNoState(t, r)
	wantTaken(t, s, 1, 0)
}

func TestSnapshotsOfOneClusterAreTakenOneAfterAnother(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 2}})
	other := r.NewResource(providertest.OnDemandSnapshotType)
	plans := []*providertest.Plan{r.Plan(onDemand(nil)), other.Plan(onDemand(nil))}
	done := make(chan providertest.Diagnostics)
	go func() { done <- other.Apply(plans[1], nil) }()
	diags := append(r.Apply(plans[0], nil), <-done...)
	if len(diags) > 0 {
		t.Errorf("diags %v", diags)
	}
	if r.Attributes()["id"] == other.Attributes()["id"] {
		t.Error("both have the same snapshot")
	}
	wantTaken(t, s, 2, 2)
}

// A response is lost in these ways. The request takes effect, or not.
var losses = map[string]emulator.Fault{
	"dropped before": {Method: "POST", DropBefore: true},
	"dropped after":  {Method: "POST", DropAfter: true},
	"cut off":        {Method: "POST", Truncate: 5},
	"500":            {Method: "POST", Status: 500, Body: `{"error": 500, "errorCode": "UNEXPECTED_ERROR", "detail": "Unexpected error."}`},
	"503":            {Method: "POST", Status: 503},
	"login page":     {Method: "POST", Status: 200, Body: "<html><title>Sign in</title></html>"},
}

func TestLostResponseNeverTakesASecondSnapshot(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(losses)) {
		for j, hidden := range []int{0, 10, 45} { // number of reads
			if !providertest.Sampled(3*i+j, 1) {
				continue
			}
			t.Run(fmt.Sprintf("%s, hidden from %d reads", name, hidden), func(t *testing.T) {
				t.Parallel()
				loss := losses[name]
				s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: hidden}})
				s.Inject(loss)
				config := onDemand(providertest.Values{"do_not_delete": true})
				diags := create(r, config)
				if errors := diags.Errors(); len(errors) > 0 {
					t.Fatalf("errors %q", errors)
				}
				snapshots := 0
				if loss.DropAfter || loss.Truncate > 0 {
					snapshots = 1
				}
				if isFound := r.Attributes()["id"] != nil; !isFound {
					providertest.WantContains(t, strings.Join(diags.Warnings(), "\n"), "Requested Snapshot of Cluster "+providertest.Orders, "lost or unclear", "-replace")
					providertest.WantAttributes(t, r, providertest.Values{"id": nil, "complete": false, "gone": false})
				}
				for range 50 {
					r.Configure()
					r.Refresh()
					p := r.Plan(config)
					if p.Replaces {
						t.Fatal("the plan takes another snapshot")
					}
					r.Apply(p, nil)
				}
				wantTaken(t, s, 1, snapshots)
				if snapshots == 1 {
					r.Refresh()
					providertest.WantEmptyPlan(t, r.Plan(config))
					providertest.WantAttributes(t, r, providertest.Values{"id": taken(s)[0]["id"], "complete": true, "do_not_delete": true})
				}
			})
		}
	}
}

func TestUnfoundSnapshotCanBeDestroyedAndReplaced(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	s.Inject(losses["500"])
	config := onDemand(providertest.Values{"on_destroy": "delete"})
	create(r, config)
	providertest.WantAttributes(t, r, providertest.Values{"id": nil})
	r.Apply(r.PlanReplacement(config), nil)
	providertest.WantAttributes(t, r, providertest.Values{"id": taken(s)[0]["id"], "complete": true})
	wantTaken(t, s, 2, 1)
}

func TestUpdateAndDestroyLookForAnUnfoundSnapshot(t *testing.T) {
	t.Parallel()
	config := onDemand(providertest.Values{"on_destroy": "delete", "timeouts": providertest.Values{"create": "1s"}})
	start := func() (*providertest.Service, *providertest.Resource) {
		s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 1000}})
		s.Inject(losses["dropped after"])
		create(r, config)
		providertest.WantAttributes(t, r, providertest.Values{"id": nil})
		return s, r
	}
	changed := providertest.With(config, providertest.Values{"retention_days": 9})
	appear := func(s *providertest.Service) {
		s.SetSnapshot(providertest.Payments, providertest.Orders, taken(s)[0]["id"].(string), map[string]any{"complete": true})
	}

	s, r := start()
	providertest.WantOne(t, r.Apply(r.Plan(changed), nil).Errors(), "Unable to Change the Expiry", "did not find the snapshot")
	appear(s)
	if errors := r.Apply(r.Plan(changed), nil).Errors(); len(errors) > 0 {
		t.Fatalf("apply: %q", errors)
	}
	providertest.WantAttributes(t, r, providertest.Values{"id": taken(s)[0]["id"], "complete": true, "expires": after(t, r.Attributes()["created"], 9)})

	s, r = start()
	appear(s)
	r.Destroy()
	wantTaken(t, s, 1, 0)

	s, r = start()
	providertest.WantContains(t, strings.Join(r.Destroy().Warnings(), "\n"), "did not find", "deleted none")
	wantTaken(t, s, 1, 1)
}

func TestOtherNewSnapshotsAreNotMistakenForTheRequestedOne(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	at := func(ago time.Duration, days int) map[string]any {
		created := now.Add(-ago)
		return map[string]any{
			"complete": true, "doNotDelete": false, "created": map[string]any{"date": created.Format(time.RFC3339), "increment": 1},
			"expires": created.AddDate(0, 0, days).Format(time.RFC3339),
		}
	}
	for name, test := range map[string]struct {
		others map[string]map[string]any
		found  any
		says   []string
	}{
		"scheduled":                           {map[string]map[string]any{"66d544b0c4d6e8f0a2b4c6f1": at(0, 4)}, nil, []string{"66d544b0c4d6e8f0a2b4c6f1"}},
		"taken long ago":                      {map[string]map[string]any{"66d544b0c4d6e8f0a2b4c6f1": at(3*time.Hour, 7)}, nil, []string{"66d544b0c4d6e8f0a2b4c6f1"}},
		"the same expiry":                     {map[string]map[string]any{"66d544b0c4d6e8f0a2b4c6f1": at(0, 7)}, "66d544b0c4d6e8f0a2b4c6f1", nil},
		"two that could be the requested one": {map[string]map[string]any{"66d544b0c4d6e8f0a2b4c6f1": at(0, 7), "66d544b0c4d6e8f0a2b4c6f2": at(time.Minute, 7)}, nil, []string{"66d544b0c4d6e8f0a2b4c6f1", "66d544b0c4d6e8f0a2b4c6f2", "import"}},
		"it and a scheduled one":              {map[string]map[string]any{"66d544b0c4d6e8f0a2b4c6f1": at(0, 7), "66d544b0c4d6e8f0a2b4c6f2": at(time.Minute, 4)}, "66d544b0c4d6e8f0a2b4c6f1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newSnapshot(t, emulator.Options{})
			s.Inject(losses["500"])
			s.Inject(emulator.Fault{Method: "GET", Skip: 2, Times: -1, Status: 403, Body: `{"error": 403, "errorCode": "X", "detail": "No."}`}) // until the others exist
			create(r, onDemand(nil))
			s.ClearFaults()
			for id, fields := range test.others {
				s.SetSnapshot(providertest.Payments, providertest.Orders, id, fields)
			}
			diags := r.Refresh()
			providertest.WantAttributes(t, r, providertest.Values{"id": test.found})
			if len(test.says) > 0 {
				providertest.WantOne(t, diags.Warnings(), test.says...)
			}
			if errors := diags.Errors(); len(errors) > 0 {
				t.Errorf("errors %q", errors)
			}
			providertest.WantEmptyPlan(t, r.Plan(onDemand(nil)))
		})
	}
}

func TestInterruptedCreationKeepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options  emulator.Options
		requests int
		found    bool
	}{
		"while it waits for its turn":         {emulator.Options{}, 0, false},
		"while the snapshot has not appeared": {emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 50}}, 1, false},
		"while the snapshot is being taken":   {emulator.Options{TransitionReads: 50}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newSnapshot(t, test.options)
			if test.requests == 0 {
				s.SetSnapshot(providertest.Payments, providertest.Orders, newest, map[string]any{"complete": false})
			}
			ctx, interrupt := context.WithCancel(t.Context())
			p := r.Plan(onDemand(nil))
			r.Context = ctx
			time.AfterFunc(300*time.Millisecond, interrupt)
			begin := time.Now()
			diags := r.Apply(p, nil)
			if passed := time.Since(begin); passed > time.Second {
				t.Errorf("ended after %s", passed)
			}
			r.Context = t.Context()
			if test.requests == 0 {
				providertest.WantOne(t, diags.Errors(), "interrupted before a snapshot")
				providertest.WantNoState(t, r)
				return
			}
			if errors := diags.Errors(); len(errors) > 0 {
				t.Errorf("errors %q", errors)
			}
			if got := r.Attributes()["id"] != nil; got != test.found {
				t.Errorf("state %v", r.Attributes())
			}
			for range 60 {
				r.Refresh()
			}
			providertest.WantEmptyPlan(t, r.Plan(onDemand(nil)))
			providertest.WantAttributes(t, r, providertest.Values{"id": taken(s)[0]["id"], "complete": true})
			wantTaken(t, s, 1, 1)
		})
	}
}

func TestSnapshotThatVanishesIsMarkedAsGone(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{TransitionReads: 1000})
	p := r.Plan(onDemand(nil))
	time.AfterFunc(200*time.Millisecond, func() {
		for _, snapshot := range taken(s) {
			s.RemoveSnapshot(providertest.Payments, providertest.Orders, snapshot["id"].(string))
		}
	})
	providertest.WantOne(t, r.Apply(p, nil).Warnings(), "Is Gone", "triggers")
	providertest.WantAttributes(t, r, providertest.Values{"gone": true, "complete": false})
	r.Refresh()
	providertest.WantEmptyPlan(t, r.Plan(onDemand(nil)))
	wantTaken(t, s, 1, 0)
}

func TestChangesOutsideTerraformAreDrift(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	config := onDemand(providertest.Values{"expires": "2099-01-01"})
	apply(t, r, config)
	id := r.Attributes()["id"].(string)
	s.SetSnapshot(providertest.Payments, providertest.Orders, id, map[string]any{"doNotDelete": true, "expires": nil})
	r.Refresh()
	providertest.WantAttributes(t, r, providertest.Values{"expires": nil, "do_not_delete": true})
	apply(t, r, config)
	providertest.WantAttributes(t, r, providertest.Values{"expires": "2099-01-01", "do_not_delete": false})
	s.RemoveSnapshot(providertest.Payments, providertest.Orders, id)
	diags := r.Apply(r.Plan(onDemand(providertest.Values{"expires": "2098-01-01"})), nil)
	providertest.WantOne(t, diags.Errors(), "no longer has snapshot "+id)
	r.Refresh()
	providertest.WantAttributes(t, r, providertest.Values{"gone": true})
}

func TestAdjustedExpiryIsAnError(t *testing.T) {
	t.Parallel()
	s, r := newSnapshot(t, emulator.Options{})
	apply(t, r, onDemand(nil))
	id := r.Attributes()["id"].(string)
	s.Inject(emulator.Fault{Method: "PATCH", Status: http.StatusOK, Body: `{"id": "` + id + `", "expires": "2098-06-06T00:00:00Z"}`})
	diags := r.Apply(r.Plan(onDemand(providertest.Values{"expires": "2099-01-01"})), nil)
	providertest.WantOne(t, diags.Errors(), "[expires]", "2099-01-01T00:00:00Z", after(t, r.Attributes()["created"], 7))
}

func TestStaleReadsOfTheExpiryAreWaitedFor(t *testing.T) {
	t.Parallel()
	_, r := newSnapshot(t, emulator.Options{StaleReads: 2, StaleResponses: true})
	apply(t, r, onDemand(providertest.Values{"expires": "2099-01-01"}))
	apply(t, r, onDemand(providertest.Values{"do_not_delete": true}))
}

func TestSnapshotsAreListedForQueries(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	config := providertest.Values{"project_id": strings.ToUpper(providertest.Payments), "cluster_id": providertest.Ledger}
	found := providertest.NewWorkspace(t, s, nil).Query(providertest.OnDemandSnapshotType, config, true, 2)
	if got := providertest.Names(found); !slices.Equal(got, []string{"ledger 2025-08-31T02:30:05Z", "ledger 2025-08-30T02:30:04Z"}) {
		t.Errorf("got %q", got)
	}
}
