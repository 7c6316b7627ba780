package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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
	detail := "Project " + payments
	if _, inCluster, found := strings.Cut(r.URL.Path, "/clusters/"); found && len(inCluster) >= 24 {
		detail = "Cluster " + inCluster[:24] + " of project " + payments
	}
	providertest.Respond(
		http.StatusBadRequest, fmt.Sprintf(`{"error": 400, "errorCode": "REFUSED", "detail": "%s refuses."}`, detail), "Content-Type",
		"application/json",
	)(w, r, service)
}

// wantNames checks that each message has a name beside an ID, and that at least one has an ID. Terraform combines
// warnings whose summary has none.
func wantNames(t *testing.T, all ...providertest.Diagnostics) {
	t.Helper()
	named := 0
	for _, m := range slices.Concat(all...) {
		text := m.Summary + ": " + m.Detail
		isCombined := len(providertest.Diagnostics{m}.Warnings()) > 0 && !strings.Contains(m.Summary, "(")
		if id := bareID.FindString(text); id != "" && !isCombined {
			t.Errorf("%s has no name: %s", id, text)
		}
		named += len(namedID.FindAllString(text, -1))
	}
	if named == 0 {
		t.Error("no message has a name")
	}
}

func TestMessagesOfEveryTypeHaveNamesBesideIDs(t *testing.T) {
	t.Parallel()
	refusing := func(t *testing.T) *providertest.Workspace {
		proxy := providertest.StartFaultProxy(t)
		proxy.Handle(refuseAllButNames)
		return providertest.NewWorkspace(t, proxy.Service)
	}
	for i, d := range destructions {
		t.Run(fmt.Sprint(i, " ", d.typeName), func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{TransitionReads: -1, RestoreReads: -1})
			start := func() *providertest.Resource {
				return providertest.NewWorkspace(t, proxy.Service).NewResource(d.typeName)
			}
			config := d.config.With(d.settings)
			r := start()
			p := r.Plan(config)
			proxy.Handle(refuseAllButNames)
			r.Configure()
			creation, planned := r.Apply(p), start().Plan(config).Diagnostics
			proxy.Handle(nil)
			r = start()
			r.Create(config)
			r.Configure()
			ended := r.Plan(nil).Diagnostics
			proxy.Handle(refuseAllButNames)
			r.Configure()
			wantNames(t, planned, creation, r.Refresh(), ended, r.Destroy())
		})
	}
	configOf := func(typeName string, attributes []*tfprotov6.SchemaAttribute) values {
		switch typeName {
		case providertest.ProjectType:
			return values{"name": "x"}
		case providertest.ClusterType:
			return values{"project_id": payments, "name": "x"}
		}
		config, ids := values{}, providertest.Schedule(orders, values{"host_id": "h"})
		for _, a := range attributes {
			if a.Required || a.Optional {
				config[a.Name] = ids[a.Name]
			}
		}
		return config
	}
	schemas := refusing(t).Schema
	for typeName, schema := range schemas.DataSourceSchemas {
		t.Run("data source "+typeName, func(t *testing.T) {
			t.Parallel()
			_, diags := refusing(t).Read(typeName, configOf(typeName, schema.Block.Attributes))
			wantNames(t, diags)
		})
	}
	for typeName, schema := range schemas.ListResourceSchemas {
		t.Run("list resource "+typeName, func(t *testing.T) {
			t.Parallel()
			for _, one := range refusing(t).Query(typeName, configOf(typeName, schema.Block.Attributes), true, 0) {
				wantNames(t, one.Diagnostics)
			}
		})
	}
	for typeName, config := range map[string]values{
		providertest.OnDemandSnapshotType: providertest.Schedule(orders, values{"retention_days": 1}),
		providertest.RestoreJobType: providertest.Schedule(ledger, values{
			"snapshot_id": newest, "target_project_id": payments, "target_cluster_id": cards, "target_cluster_name": "cards",
		}),
	} {
		t.Run("action "+typeName, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			planned := providertest.NewWorkspace(t, s).PlanAction(typeName, config)
			progress, _ := providertest.NewWorkspace(t, s).InvokeAction(typeName, config)
			if id := bareID.FindString(strings.Join(progress, "\n")); id != "" {
				t.Errorf("%s has no name in %q", id, progress)
			}
			_, refused := refusing(t).InvokeAction(typeName, config)
			wantNames(t, planned, refused)
		})
	}
}

// terminated returns backups in a new process, which a plan without a configuration terminates.
func terminated(t *testing.T, w *providertest.Workspace, clusters ...string) []*providertest.Resource {
	t.Helper()
	var all []*providertest.Resource
	for _, cluster := range clusters {
		r := w.NewResource(providertest.BackupConfigType)
		r.MustApply(providertest.Schedule(cluster, values{"on_destroy": "terminate"}))
		all = append(all, r)
	}
	w.Configure()
	return all
}

func TestNameIsReadOnceForAllMessages(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	reads := 0
	proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if nameRead.MatchString(r.URL.Path) {
			reads++
		}
		refuseAllButNames(w, r, service)
	})
	w := providertest.NewWorkspace(t, proxy.Service)
	for range 3 {
		_, diags := w.Read(providertest.ClusterSnapshotsType, providertest.Schedule(orders, nil))
		diags.WantError(t, "Cluster orders ("+orders+") of project Payments ("+payments+") refuses")
	}
	if reads != 2 {
		t.Errorf("%d names were read", reads)
	}
}

func TestNameThatCannotBeReadCostsThreeSecondsOnce(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy := providertest.FaultProxyInMemory()
		w := providertest.NewWorkspaceOn(t, proxy.NewReleasedServer(), proxy.Service)
		all := terminated(t, w, cards, ledger)
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
			r.Plan(nil).WantWarning(t, "Will Be Terminated")
		}
		if waited := time.Since(started); waited != 3*time.Second || reads != 1 {
			t.Errorf("waited %s for %d names", waited, reads)
		}
	})
}

func TestNameThatIsRefusedCostsNoOtherName(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{http.StatusNotFound: "CLUSTER_NOT_FOUND", http.StatusForbidden: "USER_UNAUTHORIZED"} {
		s := providertest.StartService(t)
		all := terminated(t, providertest.NewWorkspace(t, s), cards, ledger)
		refused := fmt.Sprintf(`{"error": %d, "errorCode": %q, "detail": "No."}`, status, code)
		s.Inject(emulator.Fault{
			Path: "/clusters/" + cards, Times: -1, Status: status, Body: refused,
			Header: http.Header{"Content-Type": {"application/json"}},
		})
		providertest.WantContains(t, strings.Join(all[0].Plan(nil).Warnings(), "\n"), "Cluster "+cards+" Will Be Terminated")
		providertest.WantContains(t, strings.Join(all[1].Plan(nil).Warnings(), "\n"), "Cluster ledger ("+ledger+") Will Be Terminated")
	}
}
