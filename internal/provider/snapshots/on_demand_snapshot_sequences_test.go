package snapshots_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// sequence is a random sequence of applies, faults and changes outside Terraform.
type sequence struct {
	*providertest.Trial
	t      *rapid.T
	config providertest.Values
	others []string // the snapshots that were not taken on demand
}

// A sequence takes a snapshot only if its plan shows one, whatever fails in between.
func TestSequencesTakeOnlyPlannedSnapshots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		options := emulator.Options{
			TransitionReads: rapid.SampledFrom([]int{-1, 1, 5}).Draw(t, "transition reads"),
			Unknowns: emulator.Unknowns{
				HidesRunningSnapshot:        rapid.Bool().Draw(t, "hides running snapshots"),
				RunningSnapshotLacksExpires: rapid.Bool().Draw(t, "running snapshots lack an expiry"),
				OmitsCreatedTime:            rapid.Bool().Draw(t, "omits seconds"),
				OnDemandReturns202:          rapid.Bool().Draw(t, "202"),
				SnapshotAppearsAfter:        rapid.SampledFrom([]int{0, 2, 20}).Draw(t, "appears after"),
				ReleaseSetsExpires:          rapid.Bool().Draw(t, "release sets an expiry"),
			},
		}
		a := providertest.Registration{Noun: snapshots, Options: options}.Start(t, t.Cleanup)
		a.Server = providertest.NewServer(20 * time.Millisecond)
		a.Configure()
		q := &sequence{Trial: a, t: t, config: onDemand(providertest.Values{"triggers": providertest.Values{"n": "0"}, "timeouts": providertest.Values{"create": "500ms"}})}
		q.addSnapshot(newest, 5)
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(*rapid.T) { q.apply() },
			"fail":  func(*rapid.T) { q.fail() },
			"trigger": func(*rapid.T) {
				q.set("triggers", providertest.Values{"n": fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "n"))})
			},
			"retain":   func(*rapid.T) { q.set("retention_days", rapid.IntRange(7, 9).Draw(t, "days")) },
			"hold":     func(*rapid.T) { q.set("do_not_delete", rapid.SampledFrom([]any{nil, true, false}).Draw(t, "held")) },
			"schedule": func(*rapid.T) { q.addSnapshot(fmt.Sprintf("66d5%020x", len(q.others)), 3) },
			"expire": func(*rapid.T) {
				if id, _ := q.Attributes()["id"].(string); id != "" {
					q.Service.RemoveSnapshot(providertest.Payments, providertest.Orders, id)
				}
			},
		})
		q.Service.ClearFaults()
		for range 2 { // the first apply may take a snapshot, and end before it is complete
			for range 30 { // until the last snapshot has appeared and is complete
				q.refresh()
			}
			q.apply()
		}
		q.refresh()
		if q.Attributes()["id"] == nil {
			return // the request was lost, so its expiry can't be changed
		}
		if p := q.Plan(q.config); !p.IsEmpty() {
			t.Fatalf("the plan changes %v", p.Changes())
		}
	})
}

func (q *sequence) set(attribute string, value any) {
	q.config = providertest.With(q.config, providertest.Values{attribute: value})
}

// addSnapshot adds a scheduled snapshot.
func (q *sequence) addSnapshot(id string, days int) {
	q.others = append(q.others, id)
	now := time.Now().UTC()
	q.Service.SetSnapshot(providertest.Payments, providertest.Orders, id, map[string]any{
		"complete": true, "doNotDelete": false, "created": map[string]any{"date": now.Format(time.RFC3339), "increment": 1},
		"expires": now.AddDate(0, 0, days).Format(time.RFC3339),
	})
}

// fail makes a later request fail.
func (q *sequence) fail() {
	fault := rapid.SampledFrom([]emulator.Fault{{DropBefore: true}, {DropAfter: true}, {Status: 500}, {Status: 409}, {Truncate: 3}}).Draw(q.t, "fault")
	fault.Method = rapid.SampledFrom([]string{"POST", "POST", "GET", "PATCH"}).Draw(q.t, "method")
	fault.Skip = rapid.IntRange(0, 3).Draw(q.t, "skip")
	if fault.Method == "POST" {
		fault.Skip = 0
	}
	q.Service.Inject(fault)
}

func (q *sequence) refresh() {
	q.Configure()
	q.Refresh()
}

// taken returns the IDs of the on-demand snapshots.
func (q *sequence) taken() (ids []any) {
	for _, s := range q.Service.Snapshots(providertest.Payments, providertest.Orders) {
		if id, _ := s["id"].(string); !slices.Contains(q.others, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (q *sequence) apply() {
	q.refresh()
	prior := q.Attributes()
	p := q.Plan(q.config)
	if len(p.Errors()) > 0 {
		q.t.Fatalf("plan: %q", p.Errors())
	}
	triggered := prior != nil && fmt.Sprint(prior["triggers"]) != fmt.Sprint(q.config["triggers"])
	if p.Replaces != triggered {
		q.t.Fatalf("the plan replaces the snapshot: %v; the triggers changed: %v", p.Replaces, triggered)
	}
	before, requests := q.taken(), len(q.Service.Sent("POST", onDemandPath))
	q.Configure()
	diags := q.Apply(p, nil)
	allowed := 0
	if prior == nil || triggered {
		allowed = 1
	}
	if requests = len(q.Service.Sent("POST", onDemandPath)) - requests; requests > allowed {
		q.t.Fatalf("requested %d snapshots, planned %d", requests, allowed)
	}
	begun := slices.DeleteFunc(q.taken(), func(id any) bool { return slices.Contains(before, id) })
	if len(begun) > 0 && (q.Attributes() == nil || len(diags.Errors()) > 0) {
		q.t.Fatalf("took %v, and the apply failed: %q; state %v", begun, diags.Errors(), q.Attributes())
	}
	if id := q.Attributes()["id"]; len(begun) > 0 && id != nil && !slices.Contains(q.taken(), id) {
		q.t.Fatalf("took %v, and the state has %v", begun, id)
	}
}
