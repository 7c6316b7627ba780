package restores_test

import (
	"fmt"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// restoreIntoCards returns the configuration of a restore of a snapshot of ledger into cards.
func restoreIntoCards(drill string) values {
	return intoCards(another(drill), values{"timeouts": values{"create": "3s", "update": "3s"}})
}

// Each fault hits each request of a restore, once or until the apply ends. Whatever happens, no
// further apply starts a second restore. If the outcome of the request is not known, the restore is
// never FINISHED.
func TestNoFaultStartsASecondRestore(t *testing.T) {
	t.Parallel()
	sends := []string{"GET", "POST", "GET", "GET"} // the target, the request, in progress, finished
	for i, f := range providertest.Faults {
		for hit, method := range sends {
			for j, lasts := range []bool{false, true} {
				for k, updates := range []bool{false, true} {
					if number := i + hit + j + k; !providertest.Sampled(number, 8) && (method != "POST" || !providertest.Sampled(number, 2)) {
						continue
					}
					t.Run(fmt.Sprintf("%s/request %d/lasts %t/update %t", f.Name, hit+1, lasts, updates), func(t *testing.T) {
						t.Parallel()
						restore := func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
							restoreOnce(t, f, d, w, method, hit, lasts, updates)
						}
						providertest.UnderFault(t, f, emulator.Options{RestoreReads: 1}, values{"max_retries": 1}, restore)
					})
				}
			}
		}
	}
}

func restoreOnce(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, method string, hit int, lasts, updates bool) {
	m := w.NewResource(providertest.RestoreJobType)
	config := restoreIntoCards("1")
	if updates {
		m.Create(config)
		config = restoreIntoCards("2")
		m.Refresh()
	}
	before, prior := len(d.RestoreJobs(payments, ledger)), m.Attributes()
	p := m.Plan(config)
	d.Inject(f, method, hit, lasts)
	failed := len(m.Apply(p).Errors()) > 0
	d.Clear(t)
	started := d.RestoreJobs(payments, ledger)[before:]
	isRecorded := fmt.Sprint(m.Attributes()) != fmt.Sprint(prior)
	if !isRecorded && len(started) > 0 || len(started) > 1 {
		t.Errorf("started %v, and the state is %v", started, m.Attributes())
	}
	for range 3 {
		m.Configure()
		m.Refresh().WantNoErrors(t)
		p := m.Plan(config)
		switch {
		case failed && isRecorded:
			p.WantError(t, "May Have Been Started", "terraform import", "terraform state rm")
			continue
		case !failed:
			providertest.WantEmptyPlan(t, p)
		}
		if diags := m.Apply(p); len(p.Errors())+len(diags.Errors()) > 0 {
			t.Fatalf("apply: %q %q", p.Errors(), diags.Errors())
		}
		failed = false
	}
	jobs := d.RestoreJobs(payments, ledger)[before:]
	status, id := m.Attributes()["status_name"], m.Attributes()["id"]
	switch {
	case len(jobs) > 1:
		t.Errorf("started %d restores", len(jobs))
	case status == "FINISHED":
		if len(jobs) == 0 || id != jobs[0]["id"] {
			t.Errorf("started %v, and the state has %v", jobs, m.Attributes())
		}
	case status != "UNKNOWN" || id != nil || !failed:
		t.Errorf("started %v, and the state has %v", jobs, m.Attributes())
	}
}

// A request that was refused is repeated for minutes, and another client may give the name of the target to another cluster
// meanwhile.
func TestTargetIsCheckedBeforeARefusedRequestIsRepeated(t *testing.T) {
	t.Parallel()
	refuse := providertest.Respond(429, "")
	rename := providertest.Rewrite(func(_ *http.Request, document object) {
		if document["id"] == cards {
			document["clusterName"] = "ledger-2"
			document["replicaSetName"] = "ledger-2"
		}
	})
	for _, isRenamed := range []bool{false, true} {
		for _, how := range []string{"created", "updated", "invoked"} {
			t.Run(fmt.Sprintf("renamed %t, %s", isRenamed, how), func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					d := providertest.FaultProxyInMemory(emulator.Options{RestoreReads: -1})
					r := providertest.NewWorkspace(t, d.Service, values{"max_retries": 3}).NewResource(providertest.RestoreJobType)
					start := func() providertest.Diagnostics {
						_, diags := r.InvokeAction(providertest.RestoreJobType, ordered())
						return diags
					}
					if how != "invoked" {
						if how == "updated" {
							r.Create(restoreIntoCards("1"))
						}
						p := r.Plan(restoreIntoCards("2"))
						start = func() providertest.Diagnostics { return r.Apply(p) }
					}
					before, isRefused := len(requested(d.Service)), false
					d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
						switch {
						case r.Method == http.MethodPost && !isRefused:
							isRefused = true
							refuse(w, r, service)
						case isRefused && isRenamed:
							rename(w, r, service)
						default:
							service.ServeHTTP(w, r)
						}
					})
					diags := start()
					if sent := len(requested(d.Service)) - before; (sent > 0) == isRenamed || sent > 1 {
						t.Errorf("started %d restores", sent)
					}
					if isRenamed {
						diags.WantError(t, "[target_cluster_name]", "Target Has a Different Name", "ledger-2")
					} else {
						diags.WantNoErrors(t)
					}
				})
			})
		}
	}
}
