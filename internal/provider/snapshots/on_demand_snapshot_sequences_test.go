package snapshots_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// sequence is a random sequence of applies, faults and changes outside Terraform.
type sequence struct {
	*providertest.Trial
	t      *rapid.T
	config values
	others map[string]string // the snapshots of the schedule, as they were taken, by ID

	collides bool // whether the schedule takes snapshots that expire as the requested ones do
	faulty   bool // whether a fault may hit the next requests
	isEnding bool // whether other clients leave the snapshots alone

	errors []string // of the last apply
}

// Whatever fails in between, a sequence requests a snapshot only if its plan shows one, touches no
// snapshot of the schedule, keeps what another client changed since the plan, deletes no snapshot without
// a later one, and has no green apply without a complete snapshot of its own.
func TestSequencesTakeOnlyPlannedSnapshots(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		collides := rapid.Bool().Draw(t, "collides")
		hidden := 0
		if !collides { // otherwise, a snapshot of the schedule cannot be told from one that appears later
			hidden = rapid.SampledFrom([]int{0, 2, 20}).Draw(t, "appears after")
		}
		options := emulator.Options{
			TransitionReads: rapid.SampledFrom([]int{-1, 1, 5}).Draw(t, "transition reads"),
			Unknowns: emulator.Unknowns{
				HidesRunningSnapshot:        rapid.Bool().Draw(t, "hides running snapshots"),
				RunningSnapshotLacksExpires: rapid.Bool().Draw(t, "running snapshots lack an expiry"),
				OmitsCreatedTime:            rapid.Bool().Draw(t, "omits seconds"),
				SnapshotAppearsAfter:        hidden,
				ReleaseSetsExpires:          rapid.Bool().Draw(t, "release sets an expiry"),
			},
		}
		a := providertest.Registration{ResourceType: snapshots, Options: options}.Start(t)
		a.Server = a.Service.NewServer(20 * time.Millisecond)
		a.Configure()
		a.CreateBeforeDestroy = rapid.Bool().Draw(t, "create before destroy")
		q := &sequence{
			Trial: a, t: t, others: map[string]string{}, collides: collides,
			config: onDemand(values{"triggers": values{"n": "0"}, "timeouts": values{"create": "400ms"}}),
		}
		t.Repeat(map[string]func(*rapid.T){
			"apply":  func(*rapid.T) { q.apply(0) },
			"invoke": func(*rapid.T) { q.invoke() },
			"interrupt": func(*rapid.T) {
				q.apply(time.Duration(rapid.IntRange(1, 60).Draw(t, "milliseconds")) * time.Millisecond)
			},
			"fail": func(*rapid.T) { q.fail() },
			"trigger": func(*rapid.T) {
				q.set("triggers", values{"n": fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "n"))})
			},
			"retain":   func(*rapid.T) { q.set("retention_days", rapid.IntRange(7, 9).Draw(t, "days")) },
			"hold":     func(*rapid.T) { q.set("do_not_delete", rapid.SampledFrom([]any{nil, true, false}).Draw(t, "held")) },
			"end":      func(*rapid.T) { q.set("on_destroy", rapid.SampledFrom([]any{"keep", "delete"}).Draw(t, "on_destroy")) },
			"schedule": func(*rapid.T) { q.schedule(0) },
			"schedule during the next apply": func(*rapid.T) {
				q.schedule(time.Duration(rapid.IntRange(1, 40).Draw(t, "milliseconds")) * time.Millisecond)
			},
			"expire": func(*rapid.T) {
				if id, _ := q.Attributes()["id"].(string); id != "" && q.others[id] == "" {
					q.Service.RemoveSnapshot(payments, orders, id)
				}
			},
			"destroy": func(*rapid.T) { q.destroy() },
		})
		q.Service.ClearFaults()
		q.faulty, q.isEnding = false, true
		q.set("timeouts", values{"create": "20s"})
		for range 3 { // the refresh may find another snapshot that fits, and the next apply take one
			for range 30 { // until the last snapshot has appeared and is complete
				q.refresh()
			}
			q.apply(0)
		}
		q.refresh()
		p := q.Plan(q.config)
		last := strings.Join(q.errors, "\n")
		isLast := strings.Contains(last, noLater) && !q.CreateBeforeDestroy
		isInDoubt := strings.Contains(last, "plans nothing until you decide") // an interrupted apply requested one that fits as well
		if q.isRefused(p) || isInDoubt || isLast && p.Replaces {
			return
		}
		if !p.IsEmpty() {
			t.Fatalf("the plan changes %v", p.Changes())
		}
	})
}

// isRefused reports whether a plan fails for a valid reason: it would delete a snapshot that is held.
func (q *sequence) isRefused(p *providertest.Plan) bool {
	return strings.Contains(strings.Join(p.Errors(), "\n"), " Is Held")
}

func (q *sequence) set(attribute string, value any) {
	q.config = q.config.With(values{attribute: value})
}

// schedule takes a snapshot of the schedule, perhaps a moment later.
func (q *sequence) schedule(after time.Duration) {
	days := 3
	if q.collides {
		days = rapid.IntRange(6, 9).Draw(q.t, "days of the schedule")
	}
	id, at := fmt.Sprintf("66d5%020x", len(q.others)), time.Now().UTC().Add(after)
	fields := object{
		"id": id, "complete": true, "doNotDelete": false, "created": object{"date": at.Format(time.RFC3339), "increment": 1},
		"expires": at.AddDate(0, 0, days).Format(time.RFC3339),
	}
	q.others[id] = fmt.Sprint(fields)
	service := q.Service
	take := func() { service.SetSnapshot(payments, orders, id, fields) }
	if after == 0 {
		take()
		return
	}
	time.AfterFunc(after, take)
}

// fail makes a later request fail.
func (q *sequence) fail() {
	document := func(status int, code string) string {
		return fmt.Sprintf(`{"error": %d, "errorCode": %q, "detail": "No."}`, status, code)
	}
	faults := []emulator.Fault{
		{DropBefore: true}, {DropAfter: true}, {Truncate: 3}, {Delay: 50 * time.Millisecond}, {Status: 503}, {Status: 409}, {Status: 507},
		{Status: 500, Body: document(500, "UNEXPECTED_ERROR")}, {Status: 503, Body: document(503, "BACKUP_UNAVAILABLE")},
		{Status: 200, Body: document(409, "CONFLICT")}, {Status: 200, Body: "<html><title>Sign in</title></html>"},
	}
	otherCluster := []emulator.Fault{{Status: 200, Body: `{"clusterName": "cards", "description": "Done."}`}}
	if !q.collides { // otherwise, a snapshot of the schedule cannot be told from an accepted one that vanished
		otherCluster = append(otherCluster, emulator.Fault{Status: 200, Body: `{"clusterName": "orders", "description": "Done."}`})
	}
	method := rapid.SampledFrom([]string{"POST", "POST", "POST", "GET", "PATCH", "DELETE"}).Draw(q.t, "method")
	skip := 0
	switch method {
	case "POST":
		faults = append(faults, otherCluster...)
	case "GET":
		skip = rapid.IntRange(0, 5).Draw(q.t, "skip")
		ofAnother := object{"id": "66d5ffffffffffffffffffff", "groupId": payments, "clusterId": providertest.Cards, "complete": true}
		body := providertest.JSON(object{"totalCount": 1, "results": []any{ofAnother}})
		faults = append(faults, emulator.Fault{Status: 200, Body: body})
	}
	fault := rapid.SampledFrom(faults).Draw(q.t, "fault")
	fault.Method, fault.Skip = method, skip
	q.faulty = true
	q.Service.Inject(fault)
}

func (q *sequence) refresh() {
	q.Configure()
	q.Refresh() // an injected fault may fail it
}

// all returns the snapshots of orders by ID.
func (q *sequence) all() map[string]object {
	found := map[string]object{}
	for _, s := range q.Service.Snapshots(payments, orders) {
		id, _ := s["id"].(string)
		found[id] = s
	}
	return found
}

func createdAt(s object) string {
	created, _ := s["created"].(object)
	return fmt.Sprint(created["date"])
}

// checkSnapshots checks what an apply did to the snapshots.
func (q *sequence) checkSnapshots(before map[string]object) {
	q.CheckForeign()
	after := q.all()
	for id, snapshot := range after {
		if was := q.others[id]; was != "" && was != fmt.Sprint(snapshot) {
			q.t.Fatalf("the snapshot %s of the schedule was %s and is %v", id, was, snapshot)
		}
	}
	for id, deleted := range before {
		if after[id] != nil {
			continue
		}
		if q.others[id] != "" {
			q.t.Fatalf("the snapshot %s of the schedule was deleted", id)
		}
		isReplaced := false
		for _, s := range after {
			isReplaced = isReplaced || s["complete"] == true && createdAt(s) >= createdAt(deleted)
		}
		if !isReplaced {
			q.t.Fatalf("the snapshot %s was deleted, and none that is as new is complete: %v", id, after)
		}
	}
}

// apply applies the configuration, and interrupts the apply after a while if that is not 0.
func (q *sequence) apply(interrupted time.Duration) {
	q.refresh()
	prior := q.Attributes()
	p := q.Plan(q.config)
	if len(p.Errors()) > 0 {
		if !q.faulty && !q.isRefused(p) {
			q.t.Fatalf("plan: %q", p.Errors())
		}
		return
	}
	triggered := prior != nil && fmt.Sprint(prior["triggers"]) != fmt.Sprint(q.config["triggers"])
	if p.Replaces != triggered {
		q.t.Fatalf("the plan replaces the snapshot: %v; the triggers changed: %v", p.Replaces, triggered)
	}
	theirs, id := q.meanwhile(prior)
	before, requests := q.all(), len(q.Service.Sent("POST", onDemandPath))
	q.Configure()
	uninterrupted := q.Context
	if interrupted > 0 {
		ctx, interrupt := context.WithCancel(q.Context)
		q.Context = ctx
		defer time.AfterFunc(interrupted, interrupt).Stop()
	}
	diags := q.Apply(p)
	q.Context, q.errors = uninterrupted, diags.Errors()
	allowed := 0
	if prior == nil || triggered {
		allowed = 1
	}
	if requests = len(q.Service.Sent("POST", onDemandPath)) - requests; requests > allowed {
		q.t.Fatalf("requested %d snapshots, planned %d", requests, allowed)
	}
	q.checkSnapshots(before)
	if now := q.all()[id]; theirs != nil && (now == nil || now["doNotDelete"] != theirs["doNotDelete"] || now["expires"] != theirs["expires"]) {
		q.t.Fatalf("another client set %v since the plan, and the snapshot is %v", theirs, now)
	}
	if isGreen := interrupted == 0 && len(diags.Errors()) == 0; !isGreen || allowed == 0 {
		return
	}
	id, _ = q.Attributes()["id"].(string)
	if found := q.all()[id]; found["complete"] != true || q.others[id] != "" {
		q.t.Fatalf("the apply is green, and the state has %v; of the schedule: %q", q.Attributes(), q.others[id])
	}
}

// meanwhile may let another client extend or hold the snapshot of a state.
func (q *sequence) meanwhile(prior values) (theirs object, id string) {
	id, _ = prior["id"].(string)
	theirs = rapid.SampledFrom([]object{
		nil, nil, nil, {"doNotDelete": true, "expires": nil}, {"doNotDelete": false, "expires": "2033-03-03T00:00:00Z"},
	}).Draw(q.t, "theirs")
	live := q.all()[id]
	if theirs == nil || q.isEnding || live["complete"] != true || live["doNotDelete"] == theirs["doNotDelete"] && live["expires"] == theirs["expires"] {
		return nil, id
	}
	q.Service.SetSnapshot(payments, orders, id, theirs)
	return theirs, id
}

func (q *sequence) destroy() {
	q.refresh()
	before := q.all()
	if q.State.IsNull() {
		return
	}
	q.Destroy()
	q.checkSnapshots(before)
}

// invoke invokes the action. It is green only if a snapshot is complete that was requested since then.
// Times have no fractions of a second, so one of the same second may come from an interrupted apply.
func (q *sequence) invoke() {
	before, requests := q.all(), len(q.Service.Sent("POST", onDemandPath))
	begin := time.Now().UTC().Format(time.RFC3339)
	q.Configure()
	_, diags := q.InvokeAction(providertest.OnDemandSnapshotType, onDemand(values{
		"retention_days": q.config["retention_days"], "timeouts": values{"invoke": "400ms"},
	}))
	requests = len(q.Service.Sent("POST", onDemandPath)) - requests
	q.checkSnapshots(before)
	complete := 0
	for id, snapshot := range q.all() {
		if createdAt(snapshot) >= begin && q.others[id] == "" && snapshot["complete"] == true {
			complete++
		}
	}
	if isGreen := len(diags.Errors()) == 0; requests > 1 || isGreen && (requests != 1 || complete == 0) {
		q.t.Fatalf("the action is green: %v; it requested %d snapshots, and %d are complete", isGreen, requests, complete)
	}
}
