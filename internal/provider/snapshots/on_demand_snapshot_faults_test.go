package snapshots_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Each fault hits each request of the creation of a snapshot, once or until the apply ends. Each
// apply requests one snapshot at most, succeeds only if that is complete, and otherwise stores
// nothing.
func TestTakingASnapshotSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	sends := []string{"GET", "GET", "GET", "POST", "GET", "GET"} // cluster, ready, schedule, requested, in progress, complete
	for i, f := range providertest.Faults {
		for hit := range sends {
			for k, lasts := range []bool{false, true} {
				if f.Slow && hit > 3 || !providertest.Sampled(i+hit+k, 2) && (hit != 3 || !providertest.Sampled(i+k, 1)) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%t", f.Name, hit, lasts), func(t *testing.T) {
					t.Parallel()
					options := emulator.Options{TransitionReads: 1, Unknowns: emulator.Unknowns{HidesRunningSnapshot: hit%2 == 0}}
					providertest.UnderFault(t, f, options, values{"max_retries": 1}, func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
						takeOneSnapshot(t, f, d, w, sends[hit], hit, lasts)
					})
				})
			}
		}
	}
}

func takeOneSnapshot(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, method string, hit int, lasts bool) {
	m := w.NewResource(providertest.OnDemandSnapshotType)
	timeout := "30s"
	if lasts || f.TLS || f.Connection != nil {
		timeout = "4s" // the search continues until then
	}
	within := func(timeout string) values {
		return values{
			"project_id": payments, "cluster_id": orders, "retention_days": 7, "timeouts": values{"create": timeout},
		}
	}
	config := within(timeout)
	requests := func() int { return len(d.Sent("POST", "/onDemandSnapshot")) }
	p := m.Plan(config)
	d.Inject(f, method, hit, lasts)
	failed := len(m.Apply(p).Errors()) > 0
	d.Clear(t)
	if requests() > 1 {
		t.Errorf("%d requests", requests())
	}
	if failed {
		config = within("2m") // the next apply has to succeed, also on a busy machine
	}
	for range 4 {
		switch state := m.Attributes(); {
		case failed && state != nil:
			t.Fatalf("the apply failed, and the state has %v", state)
		case !failed && state["complete"] != true:
			t.Fatalf("the apply succeeded, and the state has %v", state)
		}
		w.Configure()
		m.Refresh().WantNoErrors(t)
		before := requests()
		p := m.Plan(config)
		if !failed && !p.IsEmpty() {
			t.Fatalf("the next plan changes %v", p.Changes())
		}
		if diags := m.Apply(p); len(p.Errors())+len(diags.Errors()) > 0 {
			t.Fatalf("apply: %q %q", p.Errors(), diags.Errors())
		}
		if sent := requests() - before; sent > 1 || sent == 1 && !failed {
			t.Fatalf("%d more requests", sent)
		}
		failed = false
	}
}
