package snapshots_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	onDemandPath = "/clusters/" + orders + "/snapshots/onDemandSnapshot"

	newest = "66d45311c4d6e8f0a2b4c703" // the newest snapshot of orders
	later  = "76d45311c4d6e8f0a2b4c704" // a scheduled snapshot of addLater
)

// onDemand returns the configuration of a snapshot of orders.
func onDemand(fields ...values) values {
	return values{"project_id": payments, "cluster_id": orders, "retention_days": 7}.With(fields...)
}

func newSnapshot(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s := providertest.ServiceInMemory(options...)
	w := providertest.NewWorkspaceOn(t, s.NewServer(100*time.Millisecond), s)
	return s, w.NewResource(providertest.OnDemandSnapshotType)
}

// idOf returns the ID of the snapshot in a state.
func idOf(r *providertest.Resource) string { return fmt.Sprint(r.Attributes()["id"]) }

const running = "66d544b0c4d6e8f0a2b4c6ff" // the snapshot of addRunning

// addRunning adds a snapshot in progress to orders.
func addRunning(s *providertest.Service) {
	s.SetSnapshot(payments, orders, running, object{"complete": false, "created": object{"date": "2025-09-02T00:00:00Z"}})
}

// create applies the plan of a configuration, which may fail.
func create(r *providertest.Resource, config values) providertest.Diagnostics {
	return r.Apply(r.Plan(config))
}

// taken returns the snapshots of orders that the seed does not have.
func taken(s *providertest.Service) []object {
	return slices.DeleteFunc(s.Snapshots(payments, orders), func(s object) bool {
		return slices.Contains([]any{"66d3e2a1c4d6e8f0a2b4c702", newest, later}, s["id"])
	})
}

// wantTaken checks the number of requests for snapshots, and the number of snapshots.
func wantTaken(t *testing.T, s *providertest.Service, requests, snapshots int) {
	t.Helper()
	providertest.WantEqual(t, len(s.Sent("POST", onDemandPath)), requests)
	providertest.WantEqual(t, len(taken(s)), snapshots)
}

// addScheduled adds a complete snapshot of the schedule to orders, created at a time from now.
func addScheduled(s *providertest.Service, id string, at time.Duration, days int) {
	created := time.Now().UTC().Add(at)
	s.SetSnapshot(payments, orders, id, object{
		"complete": true, "doNotDelete": false, "created": object{"date": created.Format(time.RFC3339), "increment": 1},
		"expires": created.AddDate(0, 0, days).Format(time.RFC3339),
	})
}

// addLater adds a snapshot to orders that can replace any other one.
func addLater(s *providertest.Service) { addScheduled(s, later, time.Hour, 2) }

// onceRequested calls a function after the next request for a snapshot and two more calls, unless
// ctx ends before.
func onceRequested(ctx context.Context, s *providertest.Service, do func()) {
	go func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			calls := s.Calls()
			if i := slices.IndexFunc(calls, func(call string) bool { return strings.HasPrefix(call, "POST ") }); i >= 0 && len(calls) > i+2 {
				do()
				return
			}
		}
	}()
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
	"running without GET":   {HidesRunningSnapshot: true},
	"running without times": {RunningSnapshotLacksExpires: true, OmitsCreatedTime: true},
	"late":                  {SnapshotAppearsAfter: 3, HidesRunningSnapshot: true, RunningSnapshotLacksExpires: true},
}

// snapshotOn returns a on-demand snapshot on a service without a state.
func snapshotOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.OnDemandSnapshotType)
}

func TestSnapshotIsTakenOnceAndWaitedFor(t *testing.T) {
	t.Parallel()
	providertest.EachInBubble(t, unknowns, func(t *testing.T, unknown emulator.Unknowns) {
		s, r := newSnapshot(t, emulator.Options{Unknowns: unknown})
		r.MustApply(onDemand()).WantNone(t)
		wantTaken(t, s, 1, 1)
		state, snapshot := r.Attributes(), taken(s)[0]
		created, _ := snapshot["created"].(object)
		providertest.WantAttributes(t, r, values{
			"id": snapshot["id"], "created": created["date"], "complete": true, "gone": false,
			"do_not_delete": false, "expires": after(t, state["created"], 7), "on_destroy": nil,
		})
		r.MustApply(onDemand(values{"timeouts": values{"create": "1h"}}))
		wantTaken(t, s, 1, 1)
	})
}

func TestOnlyTriggersAndTheClusterTakeAnotherSnapshot(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(values{"triggers": values{"week": "1"}}))
		first := r.Attributes()["id"]
		for _, fields := range []values{
			{"retention_days": 9}, {"retention_days": nil}, {"on_destroy": "keep"}, {"expires": "2099-01-01"}, {"do_not_delete": true},
		} {
			r.MustApply(onDemand(fields, values{"triggers": values{"week": "1"}}))
		}
		wantTaken(t, s, 1, 1)
		for _, fields := range []values{
			{}, {"triggers": values{"week": "2"}}, {"triggers": values{"week": providertest.Unknown}},
			{"triggers": providertest.Unknown}, {"cluster_id": providertest.Cards},
		} {
			p := r.Plan(onDemand(fields))
			if !p.Replaces {
				t.Errorf("%v takes no other snapshot", fields)
			}
			providertest.WantContains(
				t, strings.Join(p.Warnings(), "\n"),
				fmt.Sprintf("Snapshot %v of Cluster orders (%s) Will Be Removed Only From the State", first, orders),
				"held, so it does not expire", "A termination of the backup of its cluster deletes it",
				"first apply do_not_delete = false",
			)
		}
		r.MustApply(onDemand(values{"triggers": values{"week": "2"}}))
		wantTaken(t, s, 2, 2)
		if r.Attributes()["id"] == first {
			t.Error("the snapshot is the same")
		}
		for _, fields := range []values{{"triggers": values{"week": "3"}}, {"cluster_id": providertest.Cards}} {
			warnings := strings.Join(r.Plan(onDemand(fields)).Warnings(), "\n")
			if strings.Contains(warnings, "Ops Manager keeps the snapshot until it expires") != (fields["cluster_id"] != nil) {
				t.Errorf("%v: warnings %q", fields, warnings)
			}
		}
	})
}

func TestEmptyTriggersEqualNoTriggers(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		for _, triggers := range []any{nil, values{}, nil, values{}} {
			r.MustApply(onDemand(values{"triggers": triggers}))
		}
		wantTaken(t, s, 1, 1)
		if p := r.Plan(onDemand(values{"triggers": providertest.Unknown})); !p.Replaces {
			t.Error("triggers that are not known yet take no other snapshot")
		}
		r.MustApply(onDemand(values{"triggers": values{"week": "1"}}))
		wantTaken(t, s, 2, 2)
	})
}

func TestExpiryIsManaged(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand())
		id, created := r.Attributes()["id"], r.Attributes()["created"]
		for _, step := range []struct {
			fields  values
			expires any
			held    bool
			sent    string
		}{
			{values{"retention_days": 30}, after(t, created, 30), false, `{"expires":"` + after(t, created, 30) + `"}`},
			{values{"retention_days": 30, "expires": after(t, created, 30)}, after(t, created, 30), false, ""},
			{values{"retention_days": 40, "expires": "2099-01-01"}, "2099-01-01", false, `{"expires":"2099-01-01T00:00:00Z"}`},
			{values{"expires": "2099-01-01T02:00:00+02:00"}, "2099-01-01", false, ""},
			{values{"retention_days": nil}, "2099-01-01", false, ""},
			{values{"do_not_delete": true}, nil, true, `{"doNotDelete":true}`},
			{values{"do_not_delete": true, "retention_days": 3}, nil, true, ""},
			{
				values{"do_not_delete": false, "retention_days": 3}, after(t, created, 3), false,
				`{"doNotDelete":false,"expires":"` + after(t, created, 3) + `"}`,
			},
			{values{"do_not_delete": true}, nil, true, `{"doNotDelete":true}`},
			{values{"do_not_delete": true, "expires": nil}, nil, true, ""},
			{values{"expires": "2098-01-01T00:00:00Z"}, "2098-01-01T00:00:00Z", false, `{"doNotDelete":false,"expires":"2098-01-01T00:00:00Z"}`},
		} {
			s.ResetRequests()
			r.MustApply(onDemand(step.fields))
			providertest.WantAttributes(t, r, values{"id": id, "expires": step.expires, "do_not_delete": step.held})
			if got := strings.Join(s.Sent("PATCH", "/snapshots/"+id.(string)), " "); got != step.sent {
				t.Errorf("%v: sent %s, want %s", step.fields, got, step.sent)
			}
			if len(s.Sent("POST", onDemandPath)) > 0 {
				t.Errorf("%v: took another snapshot", step.fields)
			}
		}
	})
}

// A Duration has room for 106,751 days. Terraform validates an action only in the plan, when values may be unknown.
func TestRetentionHasRoomUntilTheYear9999(t *testing.T) {
	t.Parallel()
	const most = 2_900_000
	for _, days := range []int{1, 106_752, most} {
		providertest.InBubble(t, func(t *testing.T) {
			s, r := newSnapshot(t)
			config := onDemand(values{"retention_days": days})
			r.MustApply(config)
			want := values{"expires": after(t, r.Attributes()["created"], days), "complete": true}
			providertest.WantAttributes(t, r, want)
			r.MustApply(onDemand())
			p := r.Plan(config)
			if warned := p.Warnings(); strings.Contains(fmt.Sprint(warned), "Will Expire at Once") || p.Values()["expires"] != want["expires"] {
				t.Errorf("planned %v, warned %q", p.Values()["expires"], warned)
			}
			r.MustApply(config)
			providertest.WantAttributes(t, r, want)
			wantTaken(t, s, 1, 1)
		})
	}
	for _, days := range []any{nil, -1, 0, most + 1, math.MaxInt64} {
		providertest.InBubble(t, func(t *testing.T) {
			s, r := newSnapshot(t)
			config := onDemand(values{"retention_days": days})
			r.Plan(config).WantError(t, "[retention_days]")
			_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, config)
			diags.WantError(t, "[retention_days]", "must be from 1 to 2900000", "No snapshot was requested")
			wantTaken(t, s, 0, 0)
		})
	}
}

func TestFailedChangeOfTheExpiryIsLeftToTheNextPlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for field, configured := range map[string]values{"doNotDelete": {"do_not_delete": true}, "expires": {"expires": "2099-01-01"}} {
			s, r := newSnapshot(t)
			config := onDemand(configured)
			s.Inject(emulator.Fault{
				Method: "PATCH", Status: 403,
				Body: `{"error": 403, "errorCode": "CANNOT_MODIFY_SNAPSHOT", "detail": "No."}`,
			})
			create(r, config).WantWarning(t, "CANNOT_MODIFY_SNAPSHOT", "next plan")
			r.MustRefresh()
			providertest.WantAttributes(t, r, values{"do_not_delete": false})
			r.MustApply(config)
			providertest.WantAttributes(t, r, configured)
			wantTaken(t, s, 1, 1)

			s, r = newSnapshot(t)
			r.MustApply(config)
			providertest.WantAttributes(t, r, configured)
			want := object{"doNotDelete": true, "expires": "2099-01-01T00:00:00Z"}[field]
			providertest.WantEqual(t, taken(s)[0][field], want)
		}
	})
}

func TestReleasedSnapshotGetsTheExpiryOfOpsManager(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, unknown := range []emulator.Unknowns{{}, {ReleaseSetsExpires: true}} {
			s, r := newSnapshot(t, emulator.Options{Unknowns: unknown})
			s.SetSnapshot(payments, orders, newest, object{"doNotDelete": true, "expires": nil})
			importSnapshot(t, r, newest)
			config := onDemand(values{"do_not_delete": false})
			delete(config, "retention_days")
			r.MustApply(config)
			if got := r.Attributes()["expires"] != nil; got != unknown.ReleaseSetsExpires || r.Attributes()["do_not_delete"] != false {
				t.Errorf("%+v: state %v", unknown, r.Attributes())
			}
		}
	})
}

func importSnapshot(t *testing.T, r *providertest.Resource, id string) {
	t.Helper()
	r.ImportID(payments + "/" + orders + "/" + id).WantNoErrors(t)
}

func TestImportedSnapshotIsHeld(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		s.SetSnapshot(payments, orders, newest, object{"expires": "2099-01-01T00:00:00Z"})
		importSnapshot(t, r, strings.ToUpper(newest))
		providertest.WantAttributes(t, r, values{
			"id": newest, "created": "2025-09-01T01:15:03Z", "complete": true, "gone": false, "retention_days": nil, "triggers": nil,
		})
		held := onDemand(values{"retention_days": nil, "do_not_delete": true, "triggers": values{"a": "b"}})
		r.MustApply(held)
		if got := s.Snapshots(payments, orders)[1]; got["doNotDelete"] != true {
			t.Errorf("got %v", got)
		}
		wantTaken(t, s, 0, 0)
		if p := r.Plan(held.With(values{"triggers": values{"a": "c"}})); !p.Replaces {
			t.Error("a change of triggers takes no other snapshot")
		}
	})
}

func TestMissingSnapshotIsNotImported(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := newSnapshot(t)
		const missing = "0123456789abcdef01234567"
		r.ImportID(payments+"/"+orders+"/"+missing).WantError(t, "has no snapshot "+missing)
	})
}

func TestDestroyKeepsTheSnapshotUnlessOnDestroyIsDelete(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for onDestroy, left := range map[any]int{nil: 1, "keep": 1, "delete": 0} {
			s, r := newSnapshot(t)
			config := onDemand(values{"on_destroy": onDestroy})
			p := r.Plan(config)
			if got := p.Warnings(); (len(got) > 0) != (onDestroy == "delete") {
				t.Errorf("%v: warnings %q", onDestroy, got)
			}
			r.MustApply(config)
			addLater(s)
			id := idOf(r)
			word := map[bool]string{
				true:  "Snapshot " + id + " of Cluster orders (" + orders + ") Will Be Deleted",
				false: "Snapshot " + id + " of Cluster orders (" + orders + ") Will Be Removed Only",
			}[onDestroy == "delete"]
			r.Plan(nil).WantWarning(t, word)
			r.Destroy()
			providertest.WantNoState(t, r)
			wantTaken(t, s, 1, left)
		}
	})
}

func TestSnapshotWithoutALaterOneIsNotDeleted(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(values{"on_destroy": "delete"}))
		before := r.Attributes()
		providertest.WantOne(t, r.Destroy().Errors(), noLater, `on_destroy = "keep"`)
		providertest.WantAttributes(t, r, before)
		providertest.WantNoCalls(t, s, "DELETE")
		addLater(s)
		r.Destroy().WantNoErrors(t)
		providertest.WantNoState(t, r)
		wantTaken(t, s, 1, 0)
	})
}

func TestRepeatedDeletionLooksForALaterSnapshotAgain(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		r := providertest.NewWorkspaceOn(t, s.NewServer(100*time.Millisecond), s, values{"max_retries": 3}).NewResource(providertest.OnDemandSnapshotType)
		r.MustApply(onDemand(values{"on_destroy": "delete"}))
		addLater(s)
		p := r.Plan(nil)
		s.ResetRequests()
		s.Inject(emulator.Fault{Method: "DELETE", Status: 503, Body: `{"error": 503, "errorCode": "X", "detail": "busy"}`})
		go func() {
			for ; t.Context().Err() == nil; time.Sleep(time.Millisecond) {
				if len(s.Calls("DELETE")) > 0 {
					s.RemoveSnapshot(payments, orders, later)
					return
				}
			}
		}()
		r.Apply(p).WantError(t, "no later snapshot that is complete", "If this run terminates the backup")
		if len(taken(s)) != 1 || len(s.Calls("DELETE")) != 1 {
			t.Errorf("left %v, sent %q", taken(s), s.Calls())
		}
	})
}

// Terraform plans a tainted resource like a new one, so no plan has shown the deletion.
func TestSnapshotOfATaintedResourceIsNotDeleted(t *testing.T) {
	t.Parallel()
	deleting := onDemand(values{"on_destroy": "delete"})
	providertest.EachInBubble(t, map[string]values{
		"the same configuration":         deleting,
		"a retention that is known late": deleting.With(values{"retention_days": providertest.Unknown}),
	}, func(t *testing.T, config values) {
		s, r := newSnapshot(t)
		r.MustApply(deleting)
		addLater(s)
		r.Tainted = true
		r.MustRefresh()
		p := r.Plan(config)
		providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Tainted Resource Would End snapshot ", "terraform untaint")
		r.Apply(p, values{"retention_days": 9}).WantError(t, "Tainted Resource Not Destroyed", "terraform untaint")
		providertest.WantNoCalls(t, s, "DELETE")
		r.Tainted = false
		providertest.WantEmptyPlan(t, r.Plan(deleting))
	})
}

// With create_before_destroy, a tainted resource would delete the snapshot although no plan of its own has it.
func TestATaintedResourceDoesNotDeleteASnapshotThatAnotherOneKeeps(t *testing.T) {
	t.Parallel()
	for _, isFirst := range []bool{true, false} {
		providertest.InBubble(t, func(t *testing.T) {
			tainted, kept := taintedAndKept(t)
			order := []*providertest.Resource{tainted, kept}
			if !isFirst {
				slices.Reverse(order)
			}
			for _, r := range order {
				r.MustRefresh()
			}
			providertest.WantEmptyPlan(t, kept.Plan(onDemand()))
			p := tainted.Plan(onDemand(values{"retention_days": 9}))
			p.WantError(t, "Tainted Resource Would End snapshot ", "terraform untaint")
		})
	}
}

// Terraform plans a resource after those that it depends on.
func TestASnapshotIsNotKeptThatATaintedResourcePlannedBeforeWouldDelete(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		tainted, kept := taintedAndKept(t)
		tainted.MustRefresh()
		p := tainted.Plan(onDemand(values{"retention_days": 9}))
		providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Tainted Resource Would End snapshot ")
		kept.MustRefresh()
		kept.Plan(onDemand()).WantError(t, "Snapshot Deleted and Managed in One Plan", "terraform untaint")
	})
}

func TestASnapshotThatTheSamePlanRestoresIsNotDeleted(t *testing.T) {
	t.Parallel()
	const deleted, tainted = "Deleted and Restored in One Plan", "Tainted Resource Would End snapshot"
	kept := onDemand(values{"on_destroy": "delete"})
	for name, test := range map[string]struct {
		isTainted bool
		isByTime  bool
		isLate    bool // the cluster of the restore is not known yet
		replaces  bool // with -replace
		plan      values
		says      string
	}{
		"destroyed":               {plan: nil, says: deleted},
		"destroyed, and a time":   {isByTime: true, plan: nil, says: deleted},
		"destroyed, and late":     {isLate: true, plan: nil, says: deleted},
		"late, and a time":        {isLate: true, isByTime: true, plan: nil, says: deleted},
		"expires at once":         {plan: kept.With(values{"expires": "1999-01-01"}), says: deleted},
		"expires at a late time":  {plan: kept.With(values{"expires": providertest.Unknown}), says: deleted},
		"kept for late days":      {plan: kept.With(values{"retention_days": providertest.Unknown})},
		"held late":               {plan: kept.With(values{"do_not_delete": providertest.Unknown})},
		"tainted":                 {isTainted: true, plan: onDemand(values{"retention_days": 9}), says: tainted},
		"replaced":                {replaces: true, plan: kept, says: deleted},
		"kept":                    {plan: kept},
		"kept, and another time":  {isByTime: true, plan: kept},
		"expires later than that": {plan: kept.With(values{"expires": "2099-01-01"})},
	} {
		for _, isFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, after the restore %t", name, isFirst), func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					_, r := newSnapshot(t)
					r.MustApply(kept)
					r.Tainted = test.isTainted
					restore := r.NewResource(providertest.RestoreJobType)
					config := values{
						"project_id": payments, "cluster_id": orders, "snapshot_id": r.Attributes()["id"],
						"max_downloads": 1, "expiration_hours": 1,
					}
					if test.isByTime {
						config = config.With(values{"snapshot_id": nil, "point_in_time": providertest.Unknown})
					}
					if test.isLate {
						config = config.With(values{"cluster_id": providertest.Unknown})
					}
					r.Configure()
					r.MustRefresh()
					plan := r.Plan
					if test.replaces {
						plan = r.PlanReplacement
					}
					var errors []string
					if isFirst {
						errors = append(restore.Plan(config).Errors(), plan(test.plan).Errors()...)
					} else {
						errors = append(plan(test.plan).Errors(), restore.Plan(config).Errors()...)
					}
					switch {
					case test.says == "" && len(errors) > 0:
						t.Errorf("%q", errors)
					case test.says != "" && isFirst:
						providertest.WantOne(t, errors, test.says)
					case test.isLate && test.isByTime:
						providertest.WantOne(t, errors, "Cluster of the Restore Is Not Known Yet", "one after the other", "-refresh=false")
					case test.says != "":
						const title = "Restore of a Snapshot That the Same Plan Deletes"
						providertest.WantOne(t, errors, title, "new triggers of the restore only", "-refresh=false")
					}
				})
			})
		}
	}
}

// A snapshot that is not known yet is a new one.
func TestASnapshotThatReplacesAnotherIsRestoredInTheSamePlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := newSnapshot(t)
		config := values{"on_destroy": "delete", "triggers": values{"week": "1"}}
		r.MustApply(onDemand(config))
		r.CreateBeforeDestroy = true
		restore := r.NewResource(providertest.RestoreJobType)
		r.Configure()
		p := r.Plan(onDemand(config).With(values{"triggers": values{"week": "2"}}))
		restored := restore.Plan(ofUnknownSnapshot)
		if errors := append(p.Errors(), restored.Errors()...); len(errors) > 0 || strings.Contains(strings.Join(restored.Warnings(), "\n"), "Not Known Yet") {
			t.Errorf("%q, %q", errors, restored.Warnings())
		}
	})
}

var ofUnknownSnapshot = values{
	"project_id": payments, "cluster_id": orders, "snapshot_id": providertest.Unknown, "max_downloads": 1, "expiration_hours": 1,
}

func TestAPlanSaysThatItMayRestoreTheSnapshotThatItDeletes(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := newSnapshot(t)
		r.MustApply(onDemand(values{"on_destroy": "delete"}))
		restore := r.NewResource(providertest.RestoreJobType)
		r.Configure()
		restore.Plan(ofUnknownSnapshot)
		r.Plan(nil).WantWarning(t, "Will Be Deleted", "restores a snapshot that is not known yet")
		r.Plan(nil)
		restore.Plan(ofUnknownSnapshot).WantWarning(t, "[snapshot_id] Snapshot to Restore Is Not Known Yet", "in a later apply")
		r.Configure()
		r.Plan(nil)
		warned := restore.Plan(ofUnknownSnapshot.With(values{"cluster_id": ledger})).Warnings()
		if strings.Contains(strings.Join(warned, "\n"), "Not Known Yet") {
			t.Errorf("a snapshot of another cluster: %q", warned)
		}
	})
}

func TestHeldSnapshotIsNotDestroyed(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(values{"on_destroy": "delete", "do_not_delete": true}))
		r.Plan(nil).WantError(t, "[on_destroy]", "do_not_delete")
		r.PlanReplacement(onDemand(values{"on_destroy": "delete", "do_not_delete": true})).WantError(t, " Is Held", "in the Terraform state")
		r.Tainted = true
		for _, isHeld := range []bool{true, false} { // in Ops Manager, which counts
			s.SetSnapshot(payments, orders, idOf(r), object{"doNotDelete": isHeld})
			r.Configure()
			r.MustRefresh()
			p := r.Plan(onDemand(values{"on_destroy": "delete", "do_not_delete": true}))
			if isHeld {
				p.WantError(t, "Tainted Resource Would End snapshot", "untaint", "held")
			} else if warned := p.Warnings(); len(p.Errors()) > 0 || !strings.Contains(warned[len(warned)-1], "Tainted Resource Would End snapshot") {
				t.Errorf("released: %q, %q", p.Errors(), warned)
			}
		}
		wantTaken(t, s, 1, 1)
	})
}

func TestPlanWithTwoResourcesForOneSnapshotFails(t *testing.T) {
	t.Parallel()
	bare := values{"project_id": payments, "cluster_id": orders}
	for name, test := range map[string]struct {
		onDestroy string
		second    values // nil to destroy
		fails     string
	}{
		"one deletes it":  {"delete", nil, "Snapshot Deleted and Managed in One Plan"},
		"one replaces it": {"delete", onDemand(values{"cluster_id": providertest.Cards, "retention_days": 77}), "Snapshot Deleted and Managed in One Plan"},
		"one forgets it":  {"keep", nil, ""},
		"both manage it":  {"delete", bare.With(values{"on_destroy": "delete"}), "in Two Resources"},
	} {
		for _, isFirst := range []bool{false, true} {
			t.Run(fmt.Sprint(name, isFirst), func(t *testing.T) {
				t.Parallel()
				_, one := newSnapshot(t)
				importSnapshot(t, one, newest)
				two := one.NewResource(providertest.OnDemandSnapshotType)
				importSnapshot(t, two, newest)
				two.MustApply(bare.With(values{"on_destroy": test.onDestroy}))
				one.Configure()
				plans := []func() []string{
					func() []string { return one.Plan(bare).Errors() },
					func() []string { return two.Plan(test.second).Errors() },
				}
				if isFirst {
					slices.Reverse(plans)
				}
				errors := append(plans[0](), plans[1]()...)
				if test.fails != "" {
					providertest.WantOne(t, errors, test.fails, newest, "moved", "removed block with destroy = false")
				} else if len(errors) > 0 {
					t.Errorf("errors %q", errors)
				}
			})
		}
	}
}

func TestChangedTriggersDeleteThePreviousSnapshotIfOnDestroyIsDelete(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		config := onDemand(values{"on_destroy": "delete", "triggers": values{"a": "b"}})
		start := func() (*providertest.Service, *providertest.Resource, any) {
			s, r := newSnapshot(t)
			r.MustApply(onDemand(values{"on_destroy": "delete"}))
			id := r.Attributes()["id"]
			providertest.WantContains(
				t, strings.Join(r.Plan(config).Warnings(), "\n"),
				fmt.Sprintf("Snapshot %v of Cluster orders (%s) Will Be Deleted", id, orders),
				"unless the cluster has a later complete snapshot",
			)
			return s, r, id
		}
		s, r, id := start()
		r.CreateBeforeDestroy = true
		r.MustApply(config)
		wantTaken(t, s, 2, 1)
		if r.Attributes()["id"] == id {
			t.Error("the state has the previous snapshot")
		}

		s, r, id = start()
		create(r, config).WantError(t, "has no later snapshot", "create_before_destroy = true")
		providertest.WantAttributes(t, r, values{"id": id})
		wantTaken(t, s, 1, 1)
	})
}

func TestInvalidConfigurationsSendNothing(t *testing.T) {
	t.Parallel()
	type row struct {
		fields values
		words  []string
	}
	providertest.EachInBubble(t, map[string]row{
		"no retention":     {values{"retention_days": nil}, []string{"[retention_days]", "import"}},
		"held with expiry": {values{"do_not_delete": true, "expires": "2099-01-01"}, []string{"[expires]", "do_not_delete"}},
		"no time":          {values{"expires": "next week"}, []string{"[expires]", "2027-01-31"}},
		"unknown destroy":  {values{"on_destroy": "stop"}, []string{"[on_destroy]", "keep"}},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		r.Plan(onDemand(test.fields)).WantError(t, test.words...)
		providertest.WantNoCalls(t, s)
	})
}

func TestChangeOfASnapshotInProgressIsAWarning(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		addRunning(s)
		importSnapshot(t, r, running)
		held := values{"project_id": payments, "cluster_id": orders, "do_not_delete": true}
		r.Plan(held).WantWarning(t, "[complete]", running, "May Be in Progress", "plan again after")
		s.SetSnapshot(payments, orders, running, object{"complete": true})
		r.MustRefresh()
		if p := r.Plan(held); len(p.Warnings()) > 0 {
			t.Errorf("got %q", p.Warnings())
		}
	})
}

func TestSnapshotIsRequestedAsSoonAsOpsManagerAcceptsOne(t *testing.T) {
	t.Parallel()
	const reports = "650a2177e1f3a5b7c9d00e42"
	providertest.EachInBubble(t, map[string]func(t *testing.T, s *providertest.Service, r *providertest.Resource){
		"another one is in progress": func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			addRunning(s)
			time.AfterFunc(150*time.Millisecond, func() {
				if got := len(s.Sent("POST", onDemandPath)); got > 0 {
					t.Errorf("requested %d snapshots too early", got)
				}
				s.SetSnapshot(payments, orders, running, object{"complete": true})
			})
			r.MustApply(onDemand())
			wantTaken(t, s, 1, 2)
		},
		"an older one was abandoned": func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			s.SetSnapshot(payments, orders, running, object{"complete": false, "created": object{"date": "2025-08-30T00:00:00Z"}})
			create(r, onDemand()).WantNone(t)
			providertest.WantAttributes(t, r, values{"complete": true})
			wantTaken(t, s, 1, 2)
		},
		"the backup is being started": func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			s.SetBackupStatus(payments, reports, "PROVISIONING")
			r.MustApply(onDemand(values{"cluster_id": reports}))
			if got := s.Snapshots(payments, reports); len(got) != 2 || got[1]["id"] != r.Attributes()["id"] {
				t.Errorf("got %v", got)
			}
		},
		"the backup is stopped": func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			s.SetBackupStatus(payments, orders, "STOPPED")
			r.Plan(onDemand()).WantWarning(t, "[cluster_id]", "Snapshot of Cluster orders", "May Fail", "is stopped")
			r.Configure()
			backup := r.NewResource(providertest.BackupConfigType)
			backup.Plan(values{"project_id": payments, "cluster_id": orders, "status_name": "STARTED"})
			r.Plan(onDemand()).WantNoWarnings(t)
		},
		"the backup is not started": func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
			diags := create(r, onDemand(values{"cluster_id": reports}))
			diags.WantError(t, "[cluster_id]", "not started", "opsmanager_backup_config")
			providertest.WantNoState(t, r)
		},
		"it can't be read in time": func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			s.Inject(emulator.Fault{Method: "GET", Path: "/snapshots", Times: -1, Unanswered: true})
			diags := create(r, onDemand(values{"timeouts": values{"create": "1s"}}))
			diags.WantError(t, "Unable to Take Snapshot", "deadline exceeded")
			if got := diags.Errors()[0]; strings.Contains(got, "no complete snapshot yet") {
				t.Errorf("nothing was read, and the error says %q", got)
			}
			providertest.WantNoState(t, r)
		},
	}, func(t *testing.T, test func(t *testing.T, s *providertest.Service, r *providertest.Resource)) {
		s, r := newSnapshot(t)
		test(t, s, r)
	})
}

func TestRefusedRequestStoresNothing(t *testing.T) {
	t.Parallel()
	type row struct {
		version string
		refusal emulator.Fault
		says    string
	}
	providertest.EachInBubble(t, map[string]row{
		"by a version without snapshots on demand": {version: "7.0.11", says: "RESOURCE_NOT_FOUND"},
		"with an unknown code": {
			refusal: emulator.Fault{Method: "POST", Status: 409, Body: `{"error": 409, "errorCode": "BACKUP_PAUSED", "detail": "No."}`},
			says:    "BACKUP_PAUSED",
		},
		"by a login page": {
			refusal: emulator.Fault{Method: "POST", Status: 200, Body: "<html><title>Sign in</title></html>"},
			says:    "Sign in",
		},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t, emulator.Options{ServiceVersion: test.version})
		p := r.Plan(onDemand())
		if test.version != "" {
			p.WantWarning(t, "Ops Manager 7.0.11 Lacks Snapshots on Demand", "since version 7.0.12")
		} else {
			s.Inject(test.refusal)
		}
		s.Inject(emulator.Fault{Method: "GET", Skip: 8, Times: -1, Status: 403}) // any search would end with that
		r.Apply(p).WantError(t, "Unable to Take Snapshot", test.says)
		providertest.WantNoState(t, r)
		wantTaken(t, s, 1, 0)
	})
}

// A run that fails after it has taken the new snapshot of a replacement leaves the old one as a deposed object.
func TestASnapshotIsNotDoubtedBecauseOfOneWithARequestOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, isReadFirst := range []bool{true, false} {
		providertest.InBubble(t, func(t *testing.T) {
			_, deposed := newSnapshot(t)
			deposed.MustApply(onDemand())
			current := deposed.NewResource(providertest.OnDemandSnapshotType)
			current.Configure()
			current.MustApply(onDemand())
			current.Configure()
			reads := []*providertest.Resource{deposed, current}
			if !isReadFirst {
				slices.Reverse(reads)
			}
			done := make(chan providertest.Diagnostics)
			go func() { done <- reads[0].Refresh() }()
			synctest.Wait()
			reads[1].Refresh().WantNone(t)
			(<-done).WantNone(t)
			deposed.Configure() // without the current one, such as in the apply
			deposed.Refresh().WantNone(t)
		})
	}
}

// Two processes request a snapshot of one cluster at the same time, before the list has one of them.
func TestTwoRunsAtOnceDoNotMixUpTheirSnapshots(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 12}})
		other := providertest.NewWorkspaceOn(t, s.NewServer(100*time.Millisecond), s).NewResource(providertest.OnDemandSnapshotType)
		config := onDemand(values{"on_destroy": "delete"})
		theirs := config.With(values{"retention_days": 9})
		p := other.Plan(theirs)
		done := make(chan providertest.Diagnostics)
		go func() { done <- other.Apply(p) }()
		append(r.Apply(r.Plan(config)), <-done...).WantNone(t)
		wantTaken(t, s, 2, 2)
		for _, one := range []*providertest.Resource{r, other} {
			is := one.Attributes()
			providertest.WantAttributes(t, one, values{"expires": after(t, is["created"], is["retention_days"].(int)), "complete": true})
		}
		if r.Attributes()["id"] == other.Attributes()["id"] {
			t.Errorf("both have %v", r.Attributes())
		}
		r.MustBeSettled(config)
		other.MustBeSettled(theirs)
		providertest.WantNoCalls(t, s, "PATCH", "DELETE")
	})
}

// The outcome of a request is unknown after these. The request takes effect, or not.
var losses = map[string]emulator.Fault{
	"dropped before": {Method: "POST", DropBefore: true},
	"dropped after":  {Method: "POST", DropAfter: true},
	"500":            {Method: "POST", Status: 500, Body: `{"error": 500, "errorCode": "UNEXPECTED_ERROR", "detail": "Unexpected error."}`},
	"other cluster":  {Method: "POST", Status: 200, Body: `{"clusterName": "cards", "description": "Done."}`},
	"no time":        {Method: "POST", Status: 200, Body: `{"clusterName": "orders", "description": "Done."}`},
}

func TestRequestWithoutAnAnswerStoresNothing(t *testing.T) {
	t.Parallel()
	for name, loss := range losses {
		for _, hidden := range []int{0, 3, 1000} { // number of reads
			if hidden > 0 && !loss.DropAfter {
				continue
			}
			t.Run(fmt.Sprintf("%s, hidden from %d reads", name, hidden), func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: hidden}})
					s.Inject(loss)
					diags := create(r, onDemand(values{"on_destroy": "delete", "expires": "2099-01-01"}))
					says := []string{
						"Requested Snapshot of Cluster orders (" + orders + ") Not Known", "the outcome of the request is unknown",
						"stored nothing", "before you apply again",
					}
					snapshots := 0
					if loss.DropAfter {
						snapshots = 1
					}
					if loss.DropAfter && hidden < 1000 {
						id := fmt.Sprint(taken(s)[0]["id"])
						says = append(says, "These snapshots are new", "terraform import ADDRESS "+payments+"/"+orders+"/"+id)
					}
					diags.WantError(t, says...)
					providertest.WantNoState(t, r)
					providertest.WantNoCalls(t, s, "PATCH", "DELETE")
					wantTaken(t, s, 1, snapshots)
				})
			})
		}
	}
}

// The schedule takes a snapshot with the same retention after a request that had no effect.
func TestSnapshotOfTheScheduleIsNotTheRequestedOne(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dropped before", "other cluster", "no time"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := newSnapshot(t)
				s.Inject(losses[name])
				const scheduled = "66d544b0c4d6e8f0a2b4c6f1"
				onceRequested(t.Context(), s, func() { addScheduled(s, scheduled, 0, 7) })
				config := onDemand(values{"on_destroy": "delete"})
				create(r, config).WantError(t, "Not Known", "may also be that of another client", scheduled)
				providertest.WantNoState(t, r)
				r.MustApply(config)
				addLater(s)
				r.Destroy()
				if got := taken(s); len(got) != 1 || got[0]["id"] != scheduled { // without those of the resource
					t.Errorf("left %v", got)
				}
			})
		})
	}
}

// Nothing tells a snapshot of the schedule from a requested one that is kept for as long.
func TestRetentionOfTheScheduleIsRefused(t *testing.T) {
	t.Parallel()
	providertest.EachInBubble(t, map[string]func(t *testing.T, s *providertest.FaultProxy, r *providertest.Resource){
		"known": func(t *testing.T, d *providertest.FaultProxy, r *providertest.Resource) {
			wantRefused(
				t, d.Service, r, values{"retention_days": 15}, "[retention_days]", "Retention of the Schedule",
				"its recent snapshots for 4 days, its daily snapshots for 15 days, its weekly", "No snapshot was requested",
			)
		},
		"changed since the plan": func(t *testing.T, d *providertest.FaultProxy, r *providertest.Resource) {
			p := r.Plan(onDemand())
			d.SetSchedule(payments, orders, object{"dailySnapshotRetentionDays": 7.0})
			r.Apply(p).WantError(t, "daily snapshots for 7 days")
			providertest.WantWrites(t, d.Service)
		},
		"not returned": func(t *testing.T, d *providertest.FaultProxy, r *providertest.Resource) {
			d.SetSchedule(payments, orders, object{"dailySnapshotRetentionDays": 11.0})
			d.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, "dailySnapshotRetentionDays") }))
			wantRefused(
				t, d.Service, r, values{"retention_days": 11}, "[retention_days]", "did not return for how long",
				"keeps its daily snapshots", "for 11 days", "No snapshot was requested", "Set that retention in the schedule",
			)
		},
		"unknown": func(t *testing.T, d *providertest.FaultProxy, r *providertest.Resource) {
			d.Service.Inject(emulator.Fault{Method: "GET", Path: "/snapshotSchedule", Times: -1, Status: 403})
			create(r, onDemand()).WantError(t, "Unable to Take Snapshot", "snapshotSchedule: 403")
			providertest.WantWrites(t, d.Service)
		},
	}, func(t *testing.T, test func(t *testing.T, s *providertest.FaultProxy, r *providertest.Resource)) {
		d := providertest.FaultProxyInMemory()
		test(t, d, snapshotOn(t, d.Service))
	})
}

// accepted makes Ops Manager accept a request at a time, and take no snapshot.
func accepted(at time.Time) emulator.Fault {
	return emulator.Fault{
		Method: "POST", Status: 200,
		Body: `{"clusterName": "orders", "description": "Done.", "timestamp": {"date": "` + at.UTC().Format(time.RFC3339) + `"}}`,
	}
}

// Another client holds the requested snapshot before it is known. A held snapshot has no expiry, so nothing
// tells how long it was to be kept.
func TestSnapshotThatIsHeldBeforeItIsKnownIsAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{TransitionReads: 600})
		p, began := r.Plan(onDemand()), time.Now()
		onceRequested(t.Context(), s, func() {
			s.SetSnapshot(payments, orders, fmt.Sprint(taken(s)[0]["id"]), object{"doNotDelete": true, "expires": nil})
		})
		diags := r.Apply(p)
		diags.WantError(
			t, "Not Known", "accepted the request", "a new snapshot is held", "does not say for how many days",
			fmt.Sprintf("terraform import ADDRESS %s/%s/%s", payments, orders, taken(s)[0]["id"]), ", held)", "stored nothing",
		)
		if strings.Contains(fmt.Sprint(diags.Errors()), "did not appear") || time.Since(began) > 3*time.Second {
			t.Errorf("after %s: %q", time.Since(began), diags.Errors())
		}
		providertest.WantNoState(t, r)
		wantTaken(t, s, 1, 1)
	})
}

// A snapshot that appears first, and is complete, may be another one: the requested one appears before the
// settle time is over, or does not say yet when it expires.
func TestSnapshotThatAppearsFirstIsNotKnownAtOnce(t *testing.T) {
	t.Parallel()
	providertest.EachInBubble(t, map[string]emulator.Options{
		"before":            {TransitionReads: 30},
		"late":              {Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 4}},
		"without an expiry": {TransitionReads: 20, Unknowns: emulator.Unknowns{RunningSnapshotLacksExpires: true}},
	}, func(t *testing.T, options emulator.Options) {
		s, r := newSnapshot(t, options)
		p := r.Plan(onDemand())
		onceRequested(t.Context(), s, func() { addScheduled(s, "66d544b0c4d6e8f0a2b4c6f1", 0, 7) })
		diags := r.Apply(p)
		says := []string{"Not Known", "several new snapshots are kept for 7 days", "stored nothing"}
		for _, snapshot := range taken(s) {
			says = append(says, "terraform import ADDRESS "+payments+"/"+orders+"/"+fmt.Sprint(snapshot["id"]))
		}
		diags.WantError(t, says...)
		providertest.WantNoState(t, r)
		wantTaken(t, s, 1, 2)
	})
}

func TestRefreshFailsIfAnotherSnapshotFits(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r, config := mistake(t, 0)
		r.MustRefresh()
		providertest.WantEmptyPlan(t, r.Plan(config))
		addScheduled(s, requestedOne, 0, 7)
		r.Refresh().WantError(
			t, "Requested Snapshot of Cluster orders ("+orders+") Not Known", "Now several do", mistakenOne, requestedOne,
			"plans nothing until you decide", "terraform state rm ADDRESS", "terraform import ADDRESS",
		)
		providertest.WantAttributes(t, r, values{"id": mistakenOne})
		// As the error advises.
		r.State, r.Private, r.Identity = r.Null(), nil, nil
		r.Configure()
		r.ImportID(payments + "/" + orders + "/" + requestedOne)
		r.MustRefresh()
		providertest.WantAttributes(t, r, values{"id": requestedOne})
		wantTaken(t, s, 1, 2)
	})
}

// What is created until an hour after the request may be the requested snapshot.
func TestSnapshotThatIsCreatedWithinAnHourIsADoubt(t *testing.T) {
	t.Parallel()
	type row struct {
		after, refreshed time.Duration
		days             int
		isDoubt          bool
	}
	providertest.EachInBubble(t, map[string]row{
		"a second later":                         {time.Second, 0, 7, true},
		"a minute later, refreshed hours later":  {time.Minute, 3 * time.Hour, 7, true},
		"at the end of the hour":                 {59 * time.Minute, 0, 7, true},
		"after the hour":                         {61 * time.Minute, 0, 7, false},
		"a minute later, with another retention": {time.Minute, 0, 8, false},
	}, func(t *testing.T, test row) {
		s, r, config := mistake(t, 0)
		r.MustBeSettled(config)
		time.Sleep(test.after)
		addScheduled(s, requestedOne, 0, test.days)
		addLater(s)
		time.Sleep(test.refreshed)
		if !test.isDoubt {
			r.MustBeSettled(config)
			return
		}
		r.Apply(r.Plan(config.With(values{"expires": "2099-01-01"}))).WantError(t, "Not Known", mistakenOne, requestedOne)
		r.Plan(nil).WantWarning(t, "Will Be Deleted")
		r.Destroy().WantError(t, "Not Known", mistakenOne, requestedOne)
		r.Refresh().WantError(t, "Not Known", mistakenOne, requestedOne)
		providertest.WantAttributes(t, r, values{"id": mistakenOne})
		providertest.WantNoCalls(t, s, "PATCH", "DELETE")
	})
}

// A refresh would doubt both, and the next apply would take two others.
// A request that is repeated within an hour would make the first snapshot doubtful.
func TestPlanFailsIfASnapshotWithTheSameRetentionWasJustTaken(t *testing.T) {
	t.Parallel()
	type row struct {
		after  time.Duration
		days   int
		isLast bool // the plan of the first resource comes last
		fails  bool
	}
	providertest.EachInBubble(t, map[string]row{
		"at once":                                {0, 77, false, true},
		"at once, with another retention":        {0, 8, false, false},
		"two hours later, planned first":         {2 * time.Hour, 77, true, false},
		"fifty minutes later, and planned first": {50 * time.Minute, 77, true, true},
	}, func(t *testing.T, test row) {
		_, one := newSnapshot(t)
		config := onDemand(values{"retention_days": 77})
		one.MustApply(config)
		time.Sleep(test.after)
		one.Context = t.Context()
		one.MustRefresh()
		two := one.NewResource(providertest.OnDemandSnapshotType)
		one.Configure()
		first := func() []string { return one.Plan(config).Errors() }
		second := func() []string { return two.Plan(config.With(values{"retention_days": test.days})).Errors() }
		if test.isLast {
			first, second = second, first
		}
		errors := append(first(), second()...)
		if !test.fails && len(errors) > 0 {
			t.Errorf("errors %q", errors)
		} else if test.fails {
			providertest.WantOne(t, errors, "[retention_days]", "Two Snapshots of Cluster", "within the last hour", "or wait an hour")
		}
	})
}

func TestPlanFailsIfTwoRequestsOfOneClusterHaveTheSameRetention(t *testing.T) {
	t.Parallel()
	_, one := newSnapshot(t)
	config := onDemand(values{"retention_days": 77})
	one.Plan(config).WantNoErrors(t)
	for _, another := range []values{{"retention_days": 8}, {"cluster_id": providertest.Cards}} {
		one.NewResource(providertest.OnDemandSnapshotType).Plan(config.With(another)).WantNoErrors(t)
	}
	two := one.NewResource(providertest.OnDemandSnapshotType)
	two.Plan(config).WantError(t, "[retention_days]", "Two Snapshots of Cluster", "retention_days = 77", "No snapshot was requested")
}

func TestRefreshesCheckTheSnapshotForAnHourOnTheirOwnClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-2 * time.Hour, 2 * time.Hour} {
		for passed, isChecked := range map[time.Duration]bool{59 * time.Minute: true, 61 * time.Minute: false} {
			providertest.InBubble(t, func(t *testing.T) {
				s, r, _ := mistake(t, ahead)
				later := time.Now().Add(ahead)
				time.Sleep(passed)
				r.MustRefresh()
				addScheduled(s, requestedOne, time.Until(later), 7)
				if got := r.Refresh().Errors(); (len(got) == 1) != isChecked {
					t.Errorf("%s ahead, after %s: %q", ahead, passed, got)
				}
			})
		}
	}
}

// The list fails for a while: before the request, while its snapshot has not appeared, and while it is being taken.
func TestWaitsSurviveAnOutage(t *testing.T) {
	t.Parallel()
	const isBefore = "before the request"
	for name, options := range map[string]emulator.Options{
		isBefore:                            {},
		"while the snapshot is hidden":      {Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 20}},
		"while the snapshot is being taken": {TransitionReads: 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := newSnapshot(t, options)
				p := r.Plan(onDemand())
				outage := func() {
					s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 503})
					time.AfterFunc(500*time.Millisecond, s.ClearFaults)
				}
				if name == isBefore {
					addRunning(s)
					time.AfterFunc(250*time.Millisecond, outage) // the wait has begun
					time.AfterFunc(time.Second, func() { s.SetSnapshot(payments, orders, running, object{"complete": true}) })
				} else {
					onceRequested(t.Context(), s, outage)
				}
				r.Apply(p).WantNone(t)
				providertest.WantAttributes(t, r, values{"complete": true})
			})
		})
	}
}

// The requested snapshot does not appear, and others may.
func TestOtherNewSnapshotsAreNotMistakenForTheRequestedOne(t *testing.T) {
	t.Parallel()
	const other = "66d544b0c4d6e8f0a2b4c6f1"
	type row struct {
		meanwhile func(s *providertest.Service)
		says      []string
	}
	providertest.EachInBubble(t, map[string]row{
		"none":              {func(*providertest.Service) {}, []string{"may still appear", "before you apply again"}},
		"scheduled":         {func(s *providertest.Service) { addScheduled(s, other, 0, 4) }, []string{other, "terraform import"}},
		"without its times": {func(s *providertest.Service) { s.SetSnapshot(payments, orders, other, object{"complete": true}) }, []string{other}},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		p := r.Plan(onDemand())
		s.Inject(accepted(time.Now()))
		onceRequested(t.Context(), s, func() { test.meanwhile(s) })
		begin := time.Now()
		diags := r.Apply(p)
		diags.WantError(t, append(test.says, "Requested Snapshot of Cluster orders ("+orders+") Not Known", "accepted the request")...)
		if passed := time.Since(begin); passed > 7*time.Second {
			t.Errorf("looked for %s, and the settle time is 100 ms", passed)
		}
		providertest.WantNoState(t, r)
	})
}

func TestInterruptedCreationStoresNothing(t *testing.T) {
	t.Parallel()
	type row struct {
		options  emulator.Options
		requests int
		says     []string
	}
	providertest.EachInBubble(t, map[string]row{
		"while another one is being taken": {emulator.Options{}, 0, []string{"interrupted before a snapshot"}},
		"while the snapshot has not appeared": {
			emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 50}}, 1,
			[]string{"Not Known", "accepted the request", "the run was interrupted", "stored nothing"},
		},
		"while the snapshot is being taken": {
			emulator.Options{TransitionReads: 50}, 1,
			[]string{"Not Complete", "continues with it, but the run was interrupted", "terraform import ADDRESS " + payments + "/" + orders + "/6"},
		},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t, test.options)
		if test.requests == 0 {
			s.SetSnapshot(payments, orders, newest, object{"complete": false})
		}
		ctx, interrupt := context.WithCancel(r.Context)
		p := r.Plan(onDemand())
		r.Context = ctx
		time.AfterFunc(300*time.Millisecond, interrupt)
		begin := time.Now()
		diags := r.Apply(p)
		if passed := time.Since(begin); passed > time.Second {
			t.Errorf("ended after %s", passed)
		}
		diags.WantError(t, test.says...)
		providertest.WantNoState(t, r)
		wantTaken(t, s, test.requests, test.requests)
	})
}

func TestPlanFailsIfNoSnapshotOfTheClusterCanBeTaken(t *testing.T) {
	t.Parallel()
	type row struct {
		fields values
		words  []string
	}
	providertest.EachInBubble(t, map[string]row{
		"unknown cluster": {values{"cluster_id": "0123456789abcdef01234567"}, []string{"[cluster_id]", "CLUSTER_NOT_FOUND"}},
		"other project":   {values{"project_id": "0123456789abcdef01234567"}, []string{"[project_id]", "GROUP_NOT_FOUND"}},
		"shard":           {values{"cluster_id": shardOfOrders}, []string{"[cluster_id]", "part of a sharded cluster"}},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		wantRefused(t, s, r, test.fields, test.words...)
	})
}

func TestExpiryThatIsNotReturnedAsPlannedIsAnError(t *testing.T) {
	t.Parallel()
	type row struct {
		held   values
		answer string
		says   []string
	}
	providertest.EachInBubble(t, map[string]row{
		"adjusted": {
			nil, `"expires": "2098-06-06T00:00:00Z"`,
			[]string{"[expires]", "expires = 2026-01-08T00:00:01Z and do_not_delete = false. The plan has 2099-01-01 and false"},
		},
		"held by another client": {
			values{"doNotDelete": true, "expires": nil}, `"doNotDelete": true`,
			[]string{"[do_not_delete]", "do_not_delete = true. The plan has 2099-01-01 and false"},
		},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand())
		before := r.Attributes()
		id := before["id"].(string)
		s.Inject(emulator.Fault{Method: "PATCH", Status: http.StatusOK, Body: `{"id": "` + id + `", ` + test.answer + `}`})
		p := r.Plan(onDemand(values{"expires": "2099-01-01"}))
		if test.held != nil {
			s.Inject(emulator.Fault{
				Method: "GET", Path: "/snapshots/" + id, Skip: 1, Status: http.StatusOK,
				Body: providertest.JSON(test.held.With(values{"id": id})),
			})
		}
		r.Apply(p).WantError(t, append(test.says, "another client may have changed it", "terraform plan")...)
		providertest.WantAttributes(t, r, before)
	})
}

// Another client changes a snapshot between the plan and the apply.
func TestChangeSinceThePlanIsNotOverwritten(t *testing.T) {
	t.Parallel()
	const extended, isHeld = "2030-01-01T00:00:00Z", "do_not_delete is true, and the plan showed false"
	held := object{"doNotDelete": true, "expires": nil}
	type row struct {
		prior, change values // of the configuration
		theirs        object
		says          []string
	}
	providertest.EachInBubble(t, map[string]row{
		"extended, and shortened": {nil, values{"retention_days": 3}, object{"expires": extended}, []string{"expires is " + extended}},
		"held, and extended":      {nil, values{"expires": "2099-01-01"}, held, []string{isHeld}},
		"extended, and held":      {nil, values{"do_not_delete": true}, object{"expires": extended}, []string{"expires is " + extended}},
		"released, and released": {
			values{"do_not_delete": true}, values{"do_not_delete": false, "expires": "2099-01-01"},
			object{"doNotDelete": false, "expires": extended}, []string{"expires is " + extended, "and the plan showed never"},
		},
		"extended, and deleted": {
			values{"on_destroy": "delete"}, nil, object{"expires": extended},
			[]string{"Unable to Delete Snapshot", "expires is " + extended},
		},
		"held, and deleted": {values{"on_destroy": "delete"}, nil, held, []string{"Unable to Delete Snapshot", isHeld}},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(test.prior))
		addLater(s)
		before := r.Attributes()
		config := values(nil)
		if test.change != nil {
			config = onDemand(test.change)
		}
		p := r.Plan(config)
		s.SetSnapshot(payments, orders, before["id"].(string), test.theirs)
		held := fmt.Sprint(taken(s))
		s.ResetRequests()
		errors := r.Apply(p).Errors()
		providertest.WantOne(t, errors, append(test.says, "changed since the plan", "left that as it is", "Plan again")...)
		if onlyADestroyNeedsIt := "-refresh-only"; strings.Contains(errors[0], onlyADestroyNeedsIt) != (test.change == nil) {
			t.Errorf("got %q", errors)
		}
		providertest.WantWrites(t, s)
		providertest.WantEqual(t, fmt.Sprint(taken(s)), held)
		providertest.WantAttributes(t, r, before)
	})
}

func TestEarlierExpiryIsAnnounced(t *testing.T) {
	t.Parallel()
	const expires = "2036-01-01T00:00:00Z"
	title := "Snapshot " + newest + " of Cluster orders (" + orders + ")"
	type row struct {
		held   bool
		change values
		says   []string
	}
	providertest.EachInBubble(t, map[string]row{
		"a shorter retention": {false, values{"retention_days": 200}, []string{title + " Will Expire at Once", "2026-03-20T01:15:03Z is in the past"}},
		"a longer retention":  {false, values{"retention_days": 9999}, nil},
		"an earlier expiry": {
			false, values{"expires": "2030-01-01"},
			[]string{title + " Will Expire Earlier", "from " + expires + " to 2030-01-01", "remove expires from"},
		},
		"a later expiry":  {false, values{"expires": "2037-01-01"}, nil},
		"the same expiry": {false, values{"expires": expires}, nil},
		"a hold":          {false, values{"do_not_delete": true}, nil},
		"an unknown retention": {
			false, values{"retention_days": providertest.Unknown},
			[]string{title + " May Expire Earlier", "from " + expires + " to a time that is known only after the apply", "remove retention_days from"},
		},
		"an unknown expiry": {false, values{"expires": providertest.Unknown}, []string{title + " May Expire Earlier"}},
		"a release": {
			true, values{"do_not_delete": false, "expires": expires},
			[]string{
				title + " Will Expire Earlier", "The snapshot is held now. This plan makes it expire at " + expires + ".",
				"remove expires and do_not_delete from",
			},
		},
		"a release without an expiry": {
			true, values{"do_not_delete": false},
			[]string{title + " May Expire Earlier", "The snapshot is held now.", "known only after the apply", "remove do_not_delete from"},
		},
		"a release with a retention": {
			true, values{"do_not_delete": false, "retention_days": 9999},
			[]string{title + " Will Expire Earlier", "remove do_not_delete from"},
		},
		"an expiry without a hold":     {false, values{"do_not_delete": false, "expires": "2030-01-01"}, []string{"remove expires from"}},
		"an expiry that is not a hold": {true, values{"expires": expires}, []string{title + " Will Expire Earlier"}},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		s.SetSnapshot(payments, orders, newest, object{"expires": expires})
		if test.held {
			s.SetSnapshot(payments, orders, newest, object{"doNotDelete": true, "expires": nil})
		}
		time.Sleep(time.Until(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)))
		r.Context = t.Context() // without the deadline
		importSnapshot(t, r, newest)
		p := r.Plan(onDemand(values{"retention_days": nil}).With(test.change))
		if test.says == nil {
			p.WantNoWarnings(t)
			return
		}
		p.WantWarning(t, append(test.says, "[expires]")...)
	})
}

// onceKnown changes the snapshot that is being taken after the provider knows it.
func onceKnown(t *testing.T, s *providertest.Service, theirs object) {
	t.Helper()
	go func() {
		for ; t.Context().Err() == nil; time.Sleep(100 * time.Millisecond) {
			if found := taken(s); len(found) > 0 && found[0]["complete"] == false && len(s.Calls()) > 16 {
				s.SetSnapshot(payments, orders, fmt.Sprint(found[0]["id"]), theirs)
				return
			}
		}
	}()
}

func TestChangeWhileTheSnapshotIsTakenIsNotOverwritten(t *testing.T) {
	t.Parallel()
	held, extended := object{"doNotDelete": true, "expires": nil}, object{"expires": "2030-01-01T00:00:00Z"}
	type row struct {
		config values
		theirs object
		warns  bool
	}
	providertest.EachInBubble(t, map[string]row{
		"held, and not configured":                    {nil, held, false},
		"held, and an expiry is configured":           {values{"expires": "2099-01-01"}, held, true},
		"held, and no hold is configured":             {values{"do_not_delete": false}, held, true},
		"extended, and not configured":                {nil, extended, false},
		"extended, and an earlier time is configured": {values{"expires": "2028-01-01"}, extended, true},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t, emulator.Options{TransitionReads: 60})
		p := r.Plan(onDemand(test.config))
		onceKnown(t, s, test.theirs)
		diags := r.Apply(p)
		providertest.WantNoCalls(t, s, "PATCH")
		if live := taken(s)[0]; live["doNotDelete"] != (test.theirs["doNotDelete"] == true) || live["expires"] != test.theirs["expires"] {
			t.Fatalf("the service has %v", live)
		}
		if test.warns {
			diags.WantWarning(t, "Not Changed", "changed since the plan")
		} else if len(diags) > 0 || r.Attributes()["do_not_delete"] != (test.theirs["doNotDelete"] == true) {
			t.Errorf("diags %q %q, state %v", diags.Errors(), diags.Warnings(), r.Attributes())
		}
	})
}

func TestSnapshotThatLacksAShardIsAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{TransitionReads: 60})
		p := r.Plan(onDemand())
		onceKnown(t, s, object{"missingShards": []any{object{"id": orders}}})
		diags := r.Apply(p)
		id := fmt.Sprintf("%s/%s/%v", payments, orders, taken(s)[0]["id"])
		diags.WantError(t, "Not Complete", "lacks a shard", "terraform import ADDRESS "+id, "stored nothing")
		providertest.WantNoState(t, r)
		if diags := r.ImportID(id); len(diags.Errors()) > 0 || r.Attributes()["complete"] != false {
			t.Errorf("imported %v %q", r.Attributes(), diags.Errors())
		}
	})
}

// The list decides whether a snapshot exists, as for each read.
func TestDestroyDoesNotBelieveThatAListedSnapshotIsGone(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(values{"on_destroy": "delete"}))
		addLater(s)
		id := idOf(r)
		s.Inject(emulator.Fault{
			Method: http.MethodGet, Path: "/snapshots/" + id, Times: -1, Status: http.StatusNotFound,
			Body: `{"error": 404, "reason": "Not Found", "errorCode": "SNAPSHOT_NOT_FOUND", "detail": "Not found."}`,
		})
		r.Destroy().WantError(t, "Unable to Delete", "SNAPSHOT_NOT_FOUND")
		providertest.WantAttributes(t, r, values{"id": id})
		s.ClearFaults()
		if errors := r.Destroy().Errors(); len(errors) > 0 || len(s.Calls("DELETE")) != 1 {
			t.Errorf("got %q, sent %q", errors, s.Calls("DELETE"))
		}
	})
}

// taintedAndKept returns a tainted resource whose snapshot on_destroy deletes, and another one that keeps the same snapshot.
func taintedAndKept(t *testing.T) (tainted, kept *providertest.Resource) {
	t.Helper()
	_, tainted = newSnapshot(t)
	tainted.MustApply(onDemand(values{"on_destroy": "delete"}))
	kept = tainted.NewResource(providertest.OnDemandSnapshotType)
	kept.State, kept.Private, kept.Identity = tainted.State, nil, tainted.Identity
	tainted.Configure()
	kept.MustApply(onDemand())
	tainted.Tainted = true
	tainted.Configure()
	return tainted, kept
}

// wantRefused checks that neither the resource nor the action takes a snapshot with some fields, which may be known late.
func wantRefused(t *testing.T, s *providertest.Service, r *providertest.Resource, fields values, words ...string) {
	t.Helper()
	config := onDemand(fields)
	late := onDemand()
	for name := range fields {
		late[name] = providertest.Unknown
	}
	r.Plan(config).WantError(t, words...)
	r.PlanAction(providertest.OnDemandSnapshotType, config).WantError(t, words...)
	_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, config)
	diags.WantError(t, words...)
	p := r.Plan(late)
	r.Apply(p, config).WantError(t, words...)
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, s)
}

// Two snapshots that fit the same request.
const mistakenOne, requestedOne = "66d544b0c4d6e8f0a2b4c6f1", "66d544b0c4d6e8f0a2b4c6f2"

// mistake applies a snapshot that the list lacks until after the apply, which takes another one for it. The clock of
// Ops Manager is ahead.
func mistake(t *testing.T, ahead time.Duration) (*providertest.Service, *providertest.Resource, values) {
	t.Helper()
	s, r := newSnapshot(t, emulator.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
	config := onDemand(values{"on_destroy": "delete"})
	p := r.Plan(config)
	s.Inject(accepted(time.Now().Add(ahead)))
	onceRequested(t.Context(), s, func() { addScheduled(s, mistakenOne, ahead, 7) })
	r.Apply(p).WantNone(t)
	r.Context = t.Context() // without the deadline
	providertest.WantAttributes(t, r, values{"id": mistakenOne})
	return s, r, config
}

func TestRefreshLooksForOtherSnapshotsForAnHour(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r, config := mistake(t, 0)
		time.Sleep(2 * time.Hour)
		addScheduled(s, later, 0, 7) // too late
		for range 2 {
			s.ResetRequests()
			r.MustRefresh()
			providertest.WantEmptyPlan(t, r.Plan(config))
		}
		for _, call := range s.Calls("GET") {
			if strings.HasSuffix(call, "/snapshots") {
				t.Error("the second refresh reads the list")
			}
		}
	})
}
