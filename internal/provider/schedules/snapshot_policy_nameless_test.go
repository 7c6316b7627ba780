package schedules_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// nameless leaves out the names of clusters in lists: those of one, or of all if the ID is "".
func nameless(id string, fields ...string) providertest.Handler {
	return providertest.Rewrite(func(r *http.Request, document object) {
		results, isList := document["results"].([]any)
		if !isList || !strings.HasSuffix(r.URL.Path, "/clusters") {
			return
		}
		for _, result := range results {
			if cluster, ok := result.(object); ok && (id == "" || cluster["id"] == id) {
				for _, field := range fields {
					delete(cluster, field)
				}
			}
		}
	})
}

// A name that is missing is no other name, so a selection by name keeps the cluster, and the plan shows its drift.
func TestClusterWhoseNameIsMissingStaysInItsPolicy(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]providertest.Handler{
		"falls back to the replica set": nameless(ledger, "clusterName"),
		"falls back to the ID":          nameless(ledger, "clusterName", "replicaSetName"),
		"of all clusters":               nameless("", "clusterName"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			r := newPolicy(t, proxy.Service)
			config := policy(daily(90), values{"cluster_name_regex": "^(ledger|cards)$", "retention_protection": true})
			r.MustApply(config)
			held := fmt.Sprint(r.Attributes()["clusters"])
			proxy.Handle(handler)
			r.Configure()
			says := r.Refresh()
			says.WantWarning(t, "Name of Cluster", "Was Not Returned", "ledger ("+ledger+")", "keeps")
			if p := r.Plan(config); !p.IsEmpty() || len(p.Errors()) > 0 || fmt.Sprint(r.Attributes()["clusters"]) != held {
				t.Errorf("the plan changes %v, %q; the state has %v", p.Changes(), p.Errors(), r.Attributes()["clusters"])
			}
			setDaily(proxy.Service, ledger, 3)
			r.Configure()
			r.MustRefresh()
			if p := r.Plan(config); p.IsEmpty() || !strings.Contains(fmt.Sprint(p.Values()["clusters"]), "daily_snapshot_retention_days 90 (was 3)") {
				t.Errorf("the plan does not show drift: %v", p.Values()["clusters"])
			}
			wider := config.With(values{"cluster_name_regex": "^(ledger|cards|fraud)$"})
			r.Configure()
			r.MustRefresh()
			p := r.Plan(wider)
			if p.Values()["clusters"].(values)[ledger] == nil {
				t.Errorf("a wider selection loses the cluster: %v %q", p.Values()["clusters"], p.Errors())
			}
			r.ApplyReplanned(p).WantNoErrors(t)
			proxy.Handle(nil)
			r.Configure()
			r.MustRefresh()
			if p := r.Plan(wider); p.Values()["clusters"].(values)[ledger] == nil || len(p.Errors()) > 0 {
				t.Errorf("the cluster leaves once its name is returned: %v %q", p.Values()["clusters"], p.Errors())
			}
		})
	}
}

// A creation changes the clusters that its plan has shown, also if their names are missing then.
func TestClusterWhoseNameIsMissingInTheApplyIsTheOneOfThePlan(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := newPolicy(t, proxy.Service)
	config := policy(daily(90), values{"cluster_name_regex": "^(ledger|cards)$"})
	p := r.Plan(config)
	proxy.Handle(nameless("", "clusterName"))
	r.Configure()
	r.Apply(p).WantNoErrors(t)
	proxy.Handle(nil)
	r.MustBeSettled(config)
}

// A cluster that an expression no longer matches leaves, whether or not its name is returned.
func TestNamelessClusterLeavesWithTheExpression(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := newPolicy(t, proxy.Service)
	r.MustApply(policy(daily(90), values{"cluster_name_regex": "^(ledger|cards)$"}))
	proxy.Handle(nameless(ledger, "clusterName"))
	r.Configure()
	r.MustRefresh()
	p := r.Plan(policy(daily(90), values{"cluster_name_regex": "^cards$"}))
	if clusters := p.Values()["clusters"].(values); clusters[ledger] != nil || clusters[cards] == nil {
		t.Errorf("got %v", clusters)
	}
}
