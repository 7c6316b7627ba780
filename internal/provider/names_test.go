package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

var (
	bareID   = regexp.MustCompile(`\b([Cc]luster|[Pp]roject) [0-9a-f]{24}\b`)
	namedID  = regexp.MustCompile(`\b([Cc]luster|[Pp]roject) [A-Za-z]+ \([0-9a-f]{24}\)`)
	nameRead = regexp.MustCompile(`v1\.0/groups/[0-9a-f]{24}(/clusters/[0-9a-f]{24})?$`)
)

// refuseAllButNames refuses each request except one that reads a name, with the IDs of its path in the error.
func refuseAllButNames(w http.ResponseWriter, r *http.Request, service http.Handler) {
	if r.Method == http.MethodGet && nameRead.MatchString(r.URL.Path) {
		service.ServeHTTP(w, r)
		return
	}
	detail := "Project " + providertest.Payments
	if _, inCluster, found := strings.Cut(r.URL.Path, "/clusters/"); found && len(inCluster) >= 24 {
		detail = "Cluster " + inCluster[:24] + " of project " + providertest.Payments
	}
	providertest.Respond(http.StatusBadRequest, fmt.Sprintf(`{"error": 400, "errorCode": "REFUSED", "detail": "%s refuses."}`, detail), "Content-Type", "application/json")(w, r, service)
}

// messages are the messages of one operation.
type messages struct {
	operation string
	providertest.Diagnostics
}

func TestMessagesOfEveryTypeHaveNamesBesideIDs(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, named int, all ...messages) {
		t.Helper()
		for _, of := range all {
			for _, m := range of.Diagnostics {
				text := m.Summary + ": " + m.Detail
				isCombined := len(providertest.Diagnostics{m}.Warnings()) > 0 && !strings.Contains(m.Summary, "(")
				if id := bareID.FindString(text); id != "" && !isCombined {
					t.Errorf("%s: %s has no name: %s", of.operation, id, text)
				}
				named += len(namedID.FindAllString(text, -1))
			}
		}
		if named == 0 {
			t.Errorf("no message has a name: %q", all[0].Errors())
		}
	}
	for i, d := range destructions {
		t.Run(fmt.Sprint(i, " ", d.typeName), func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{TransitionReads: -1, RestoreReads: -1})
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(d.typeName)
			config := providertest.With(d.config, d.settings)
			p := r.Plan(config)
			proxy.Handle(refuseAllButNames)
			r.Configure()
			refused := r.Apply(p, nil)
			proxy.Handle(nil)
			r = providertest.NewWorkspace(t, proxy.Service, nil).NewResource(d.typeName)
			r.Create(config)
			r.Configure()
			destroy := r.Plan(nil).Diagnostics
			proxy.Handle(refuseAllButNames)
			r.Configure()
			refreshed := r.Refresh()
			other := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(d.typeName)
			check(t, 0, messages{"a creation", refused}, messages{"the plan of a destroy", destroy}, messages{"a refresh", refreshed},
				messages{"the plan of a creation", other.Plan(config).Diagnostics}, messages{"a destroy", r.Destroy()})
		})
	}
	w := providertest.NewWorkspace(t, providertest.StartService(t, emulator.Options{}), nil)
	ids := providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders, "host_id": "h"}
	byName := map[string]providertest.Values{
		providertest.ProjectType: {"name": "x"}, providertest.ClusterType: {"project_id": providertest.Payments, "name": "x"},
	}
	configOf := func(typeName string, attributes []string) providertest.Values {
		if config, ok := byName[typeName]; ok {
			return config
		}
		config := providertest.Values{}
		for _, attribute := range attributes {
			config[attribute] = ids[attribute]
		}
		return config
	}
	for typeName, schema := range w.Schema.DataSourceSchemas {
		var attributes []string
		for _, attribute := range schema.Block.Attributes {
			if attribute.Required || attribute.Optional {
				attributes = append(attributes, attribute.Name)
			}
		}
		t.Run("data source "+typeName, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{})
			proxy.Handle(refuseAllButNames)
			_, diags := providertest.NewWorkspace(t, proxy.Service, nil).Read(typeName, configOf(typeName, attributes))
			check(t, 0, messages{"a read", diags})
		})
	}
	for typeName, schema := range w.Schema.ListResourceSchemas {
		var attributes []string
		for _, attribute := range schema.Block.Attributes {
			attributes = append(attributes, attribute.Name)
		}
		t.Run("list resource "+typeName, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{})
			proxy.Handle(refuseAllButNames)
			for _, one := range providertest.NewWorkspace(t, proxy.Service, nil).Query(typeName, configOf(typeName, attributes), true, 0) {
				check(t, 0, messages{"a query", one.Diagnostics})
			}
		})
	}
	for typeName, config := range map[string]providertest.Values{
		providertest.OnDemandSnapshotType: providertest.Schedule(providertest.Orders, providertest.Values{"retention_days": 1}),
		providertest.RestoreJobType: providertest.Schedule(providertest.Ledger, providertest.Values{
			"snapshot_id": newest, "target_project_id": providertest.Payments, "target_cluster_id": providertest.Cards, "target_cluster_name": "cards",
		}),
	} {
		t.Run("action "+typeName, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{})
			planned := providertest.NewWorkspace(t, proxy.Service, nil).PlanAction(typeName, config)
			progress, _ := providertest.NewWorkspace(t, proxy.Service, nil).InvokeAction(typeName, config)
			if id := bareID.FindString(strings.Join(progress, "\n")); id != "" {
				t.Errorf("%s has no name in %q", id, progress)
			}
			proxy.Handle(refuseAllButNames)
			_, refused := providertest.NewWorkspace(t, proxy.Service, nil).InvokeAction(typeName, config)
			check(t, 0, messages{"a plan", planned}, messages{"an invocation", refused})
		})
	}
}

// removedUnrefreshed removes the snapshots of a cluster from the configuration with -refresh=false, so that the plan
// sends no request of its own.
func removedUnrefreshed(t *testing.T, w *providertest.Workspace, clusters ...string) []*providertest.Resource {
	t.Helper()
	var all []*providertest.Resource
	for _, cluster := range clusters {
		r := w.NewResource(providertest.BackupConfigType)
		r.MustApply(providertest.Schedule(cluster, providertest.Values{"on_destroy": "terminate"}))
		all = append(all, r)
	}
	w.Configure()
	return all
}

func TestNameIsReadOnceForAllMessages(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	reads := 0
	proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if nameRead.MatchString(r.URL.Path) {
			reads++
		}
		refuseAllButNames(w, r, service)
	})
	w := providertest.NewWorkspace(t, proxy.Service, nil)
	for range 3 {
		_, diags := w.Read(providertest.ClusterSnapshotsType, providertest.Schedule(providertest.Orders, nil))
		providertest.WantOne(t, diags.Errors(), "Cluster orders ("+providertest.Orders+") of project Payments ("+providertest.Payments+") refuses")
	}
	if reads != 2 {
		t.Errorf("%d names were read", reads)
	}
}

func TestNameThatCannotBeReadCostsThreeSecondsOnce(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy := providertest.FaultProxyInMemory(emulator.Options{})
		w := providertest.NewWorkspaceOn(t, proxy.NewReleasedServer(), proxy.Service, nil)
		all := removedUnrefreshed(t, w, providertest.Cards, providertest.Ledger)
		reads := 0
		proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			if nameRead.MatchString(r.URL.Path) {
				reads++
				providertest.Hang(w, r, service)
				return
			}
			service.ServeHTTP(w, r)
		})
		interrupted, interrupt := context.WithCancel(t.Context())
		w.Context = interrupted
		time.AfterFunc(time.Second, interrupt)
		started := time.Now()
		all[0].Plan(nil)
		if waited := time.Since(started); waited > time.Second {
			t.Errorf("an interruption waited %s for a name", waited)
		}
		w.Context = t.Context()
		w.Configure()
		reads, started = 0, time.Now()
		for _, r := range all {
			providertest.WantOne(t, r.Plan(nil).Warnings(), "Will Be Terminated")
		}
		if waited := time.Since(started); waited != 3*time.Second || reads != 1 {
			t.Errorf("waited %s for %d names", waited, reads)
		}
	})
}

func TestNameOfAMissingClusterCostsNoOtherName(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	all := removedUnrefreshed(t, providertest.NewWorkspace(t, s, nil), providertest.Cards, providertest.Ledger)
	s.Inject(emulator.Fault{Path: "/clusters/" + providertest.Cards, Times: -1, Status: http.StatusNotFound, Body: `{"error": 404, "errorCode": "CLUSTER_NOT_FOUND", "detail": "Gone."}`, Header: http.Header{"Content-Type": {"application/json"}}})
	providertest.WantContains(t, strings.Join(all[0].Plan(nil).Warnings(), "\n"), "Cluster "+providertest.Cards+" Will Be Terminated")
	providertest.WantContains(t, strings.Join(all[1].Plan(nil).Warnings(), "\n"), "Cluster ledger ("+providertest.Ledger+") Will Be Terminated")
}
