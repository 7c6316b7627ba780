package restores_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// sequence is a random sequence of applies, faults, and changes of the configuration.
type sequence struct {
	*providertest.Trial
	t      *rapid.T
	config providertest.Values
}

// A sequence starts a restore only if its plan shows one, and only into the confirmed target.
func TestSequencesStartOnlyPlannedRestores(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := providertest.Registration{Noun: restoreJobs, Options: emulator.Options{
			RestoreReads:   rapid.SampledFrom([]int{-1, 1, 10}).Draw(t, "restore reads"),
			RestoreOutcome: rapid.SampledFrom([]string{"FINISHED", "BROKEN", "KILLED"}).Draw(t, "outcome"),
			StaleReads:     rapid.SampledFrom([]int{0, 2, 9}).Draw(t, "stale reads"),
			Unknowns: emulator.Unknowns{
				RestoreReturns201:       rapid.Bool().Draw(t, "201"),
				EchoesDeliveryMethod:    rapid.Bool().Draw(t, "echoes the method"),
				ForgetsFinishedRestores: rapid.Bool().Draw(t, "forgets restores"),
			},
		}}.Start(t, t.Cleanup)
		a.Server = providertest.NewServer(20 * time.Millisecond)
		a.Configure()
		for _, id := range []string{heldSnapshot, expiredSnapshot} {
			a.Service.SetSnapshot(providertest.Payments, providertest.Ledger, id, map[string]any{"complete": true, "doNotDelete": true})
		}
		q := &sequence{Trial: a, t: t, config: intoCards(providertest.Values{"timeouts": providertest.Values{"create": "1s", "update": "1s"}})}
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(*rapid.T) { q.apply() },
			"fail":  func(*rapid.T) { q.fail() },
			"trigger": func(*rapid.T) {
				q.set(another(fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "drill"))))
			},
			"source": func(*rapid.T) {
				q.set(providertest.Values{"snapshot_id": rapid.SampledFrom([]string{heldSnapshot, expiredSnapshot}).Draw(t, "snapshot")})
			},
			"confirm": func(*rapid.T) {
				q.set(providertest.Values{"target_cluster_name": rapid.SampledFrom([]string{"cards", "cards", "orders"}).Draw(t, "name")})
			},
			"deliver": func(*rapid.T) {
				if rapid.Bool().Draw(t, "to a link") {
					q.set(providertest.Values{"target_project_id": nil, "target_cluster_id": nil, "target_cluster_name": nil, "max_downloads": 2})
				} else {
					q.set(providertest.Values{"target_project_id": providertest.Payments, "target_cluster_id": providertest.Cards, "target_cluster_name": "cards", "max_downloads": nil})
				}
			},
			"taint": func(*rapid.T) { q.Tainted = !q.State.IsNull() },
			"restore elsewhere": func(*rapid.T) {
				q.Service.StartRestore(providertest.Payments, providertest.Ledger, map[string]any{"snapshotId": heldSnapshot, "pointInTime": false})
			},
			"forget": func(*rapid.T) { q.Service.RemoveRestoreJobs(providertest.Payments, providertest.Ledger) },
		})
	})
}

func (q *sequence) set(values providertest.Values) { q.config = providertest.With(q.config, values) }

// fail makes a later request fail.
func (q *sequence) fail() {
	fault := rapid.SampledFrom([]emulator.Fault{{DropBefore: true}, {DropAfter: true}, {Status: 500}, {Status: 409}, {Truncate: 3}}).Draw(q.t, "fault")
	fault.Method = rapid.SampledFrom([]string{"POST", "POST", "GET"}).Draw(q.t, "method")
	if fault.Method == "GET" {
		fault.Skip = rapid.IntRange(0, 3).Draw(q.t, "skip")
	}
	q.Service.Inject(fault)
}

func (q *sequence) jobs() int {
	return len(q.Service.RestoreJobs(providertest.Payments, providertest.Ledger))
}

func (q *sequence) apply() {
	q.Configure()
	q.Refresh()
	prior, requests := q.Attributes(), len(requested(q.Service))
	p := q.Plan(q.config)
	if len(p.Errors()) > 0 {
		q.Tainted = false // the error of a repeated restore advises to untaint the resource
		return
	}
	starts := p.Values()["id"] == providertest.Unknown
	if isNew := prior == nil || q.Tainted || fmt.Sprint(prior["triggers"]) != fmt.Sprint(q.config["triggers"]); starts != isNew {
		q.t.Fatalf("the plan starts a restore: %v, want %v; state %v", starts, isNew, prior)
	}
	target := q.config["target_cluster_id"]
	if overwrites := contains(p.Warnings(), "Restore Overwrites Cluster cards"); overwrites != (starts && target != nil) {
		q.t.Fatalf("the plan starts a restore: %v; warnings %q", starts, p.Warnings())
	}
	before := q.jobs()
	diags := q.ApplyReplanned(p)
	sent := requested(q.Service)[requests:]
	switch {
	case len(sent) > 1, len(sent) == 1 && !starts:
		q.t.Fatalf("the apply sent %q; the plan starts a restore: %v", sent, starts)
	case len(sent) == 1 && target != nil && (!strings.Contains(sent[0], providertest.Cards) || q.config["target_cluster_name"] != "cards"):
		q.t.Fatalf("the apply sent %q, but target_cluster_name is %v", sent, q.config["target_cluster_name"])
	case len(diags.Errors()) > 0 && q.jobs() > before:
		q.t.Fatalf("a restore was started, but the apply failed: %q", diags.Errors())
	case len(diags.Errors()) == 0 && q.Attributes() == nil:
		q.t.Fatalf("the state has no restore: %q", diags.Warnings())
	}
	if id := q.Attributes()["id"]; starts && !p.Replaces && id != nil && prior != nil && id == prior["id"] && len(diags.Errors()) == 0 {
		q.t.Fatalf("the state still has the previous restore %v", id)
	}
	q.Tainted = false
}
