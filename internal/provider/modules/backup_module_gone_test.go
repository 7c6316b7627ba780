package modules_test

import (
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// leave removes hosts of reports from the project: their agents, and their modules.
func leave(s *providertest.Service, leaving []string, left ...string) {
	for _, host := range leaving {
		s.RemoveAgent(payments, host)
	}
	publish(s, left)
}

// Terraform also plans before a destroy, to refresh the state, so that plan must not fail.
func TestHostsThatHaveLeftTheProjectAreAWarningAfterARefresh(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for _, leaving := range map[string][]string{"all hosts": reports[:2], "one host": reports[1:2]} {
			s, m := start(t)
			config := modules(hosts(0, 1), deactivating)
			m.MustApply(config)
			leave(s, leaving, reports[:2-len(leaving)]...)
			m.Configure()
			m.MustRefresh()
			p := m.Plan(config)
			p.WantNoErrors(t)
			p.WantWarning(t, "Host Without a MongoDB Agent", reports[1], "A destroy has nothing to do for them. An apply will fail.")
			before := puts(s)
			m.Apply(p).WantError(t, "Host Without a MongoDB Agent", reports[1], "Nothing was changed")
			wantPuts(t, s, before)
			m.Configure()
			m.Plan(modules(hosts(0, 1))).WantError(t, "Host Without a MongoDB Agent") // without a refresh
		}
	})
}

func TestProjectThatIsGoneIsAWarningAfterARefresh(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules(hosts(0), deactivating)
		m.MustApply(config)
		s.SetAutomationConfig(payments, nil)
		m.Configure()
		m.MustRefresh()
		p := m.Plan(config)
		p.WantNoErrors(t)
		p.WantWarning(t, "Unable to Preview Backup Modules", "AUTOMATION_CONFIG_NOT_FOUND", "An apply will fail.")
	})
}

func TestModulesStayInTheStateIfTheirProjectIsNotFound(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]values{"deactivate": deactivating, "keep": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				s, m := applied(t, modules(hosts(0, 1), settings))
				m.Configure()
				s.Inject(emulator.Fault{
					Method: http.MethodGet, Path: "/automationConfig", Status: http.StatusNotFound,
					Body: `{"error":404,"errorCode":"GROUP_NOT_FOUND"}`,
				})
				m.Refresh().WantError(t, "[project_id] Unable to Read Backup Modules", "GROUP_NOT_FOUND", "the API key has no role in it")
				providertest.WantAttributes(t, m, values{"project_id": payments})
			})
		})
	}
}

// A document may lack the list if no module is active. But a PUT of it would deactivate those that are.
func TestNothingFollowsFromAConfigurationWithoutAListOfModules(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"", `"backupVersions": null, `} {
		inBubble(t, func(t *testing.T) {
			s, m := applied(t, modules(hosts(0), deactivating))
			m.Configure()
			destroy := m.Plan(nil)
			s.SetAutomationConfig(payments, []byte(`{`+list+`"version": 99, "processes": []}`))
			before := puts(s)
			m.Apply(destroy).WantError(t, "Unable to Deactivate Backup Modules", "lacks backupVersions")
			m.Configure()
			m.Refresh().WantError(t, "Unable to Read Backup Modules", "lacks backupVersions", "terraform state rm ADDRESS")
			providertest.WantAttributes(t, m, values{"project_id": payments})
			wantPuts(t, s, before)
		})
	}
}

// omittingEmptyList is a service that omits the list of backup modules if it is empty.
var omittingEmptyList = providertest.Rewrite(func(_ *http.Request, document object) {
	if list, isList := document["backupVersions"].([]any); isList && len(list) == 0 {
		delete(document, "backupVersions")
	}
})

// startWithList returns the resource of a module of a project that has a list of others, on a service that omits empty lists.
func startWithList(t *testing.T, others string) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	d := providertest.FaultProxyInMemory()
	d.SetAutomationConfig(payments, []byte(`{"version": 7, "processes": [], "backupVersions": `+others+`}`))
	d.Handle(omittingEmptyList)
	m := providertest.NewWorkspace(t, d.Service).NewResource(providertest.BackupModuleType)
	m.MustApply(modules(hosts(0), deactivating))
	m.Configure()
	return d, m
}

func TestDeactivationOfTheLastModuleWithoutAResponseIsFoundDone(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string]int{"a read shows it": 1, "a conflict shows it": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				d, m := startWithList(t, "[]")
				p := m.Plan(nil)
				before, old := puts(d.Service), d.AutomationConfig(payments)
				d.Service.Inject(emulator.Fault{Method: http.MethodPut, DropAfter: true})
				d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
					isBehind := puts(d.Service) == before+1 && requests == 2
					if isBehind && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/automationConfig") {
						_, _ = w.Write(old)
						return
					}
					omittingEmptyList(w, r, service)
				})
				m.Apply(p).WantNoErrors(t)
				providertest.WantNoState(t, m)
				wantModules(t, d.Service)
				providertest.WantEqual(t, puts(d.Service)-before, requests)
			})
		})
	}
}

func TestMissingListThatIsNotTheEmptyOneOfAnUnclearRequestIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"another client empties it": {`[]`, `{"version": 999, "processes": []}`},
		"it has another module":     {`[{"hostname": "ledger-0.payments.example.com"}]`, `{"version": 9, "processes": []}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				d, m := startWithList(t, c.before)
				p := m.Plan(nil)
				requests := 0
				d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
					if r.Method == http.MethodPut {
						requests++
						d.SetAutomationConfig(payments, []byte(c.after))
						panic(http.ErrAbortHandler)
					}
					service.ServeHTTP(w, r)
				})
				m.Apply(p).WantError(
					t, "Unable to Deactivate Backup Modules", "lacks backupVersions",
					"A request before that got no clear response. "+providertest.MayHaveChanged,
				)
				if requests != 1 {
					t.Errorf("%d requests", requests)
				}
				if m.State.IsNull() {
					t.Error("the state is gone")
				}
			})
		})
	}
}

// A later destroy can't find that no module is active if Ops Manager leaves out an empty list.
func TestUnconfirmedDeactivationOfTheLastModuleHasAWayOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d, m := startWithList(t, "[]")
		p := m.Plan(nil)
		before, old := puts(d.Service), d.AutomationConfig(payments)
		d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			if r.Method == http.MethodGet && puts(d.Service) > before {
				_, _ = w.Write(old)
				return
			}
			service.ServeHTTP(w, r)
		})
		const wayOut = "Look in the console of Ops Manager. If no module is active any more, run 'terraform state rm ADDRESS'."
		m.Apply(p).WantError(t, "Unable to Deactivate Backup Modules", "accepted the change", wayOut+" Otherwise, destroy again.")
		d.Handle(omittingEmptyList)
		m.Configure()
		m.Refresh().WantError(t, "lacks backupVersions", "terraform state rm ADDRESS")
		m.Apply(m.Plan(nil), nil).WantError(t, "lacks backupVersions", "terraform state rm ADDRESS")
		providertest.WantEqual(t, puts(d.Service)-before, 1)
	})
}

// Only a request that leaves no module active explains that the list is missing afterwards.
func TestMissingListDoesNotConfirmTheDeactivationOfOneModuleOfSeveral(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d, m := startWithList(t, `[{"hostname": "ledger-0.payments.example.com"}]`)
		p := m.Plan(nil)
		before := puts(d.Service)
		d.Handle(providertest.Rewrite(func(r *http.Request, document object) {
			if r.Method == http.MethodGet && puts(d.Service) > before {
				delete(document, "backupVersions")
			}
		}))
		m.Apply(p).WantError(t, "Unable to Deactivate Backup Modules", "accepted the change", "Destroy again")
		if m.State.IsNull() {
			t.Error("the state is gone")
		}
	})
}

// The run ends before it can read what became of its request.
func TestResourceWithoutAListOfModulesIsForgottenAsItsErrorSays(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d, m := startWithList(t, "[]")
		p := m.Plan(nil)
		d.Service.Inject(emulator.Fault{Method: http.MethodPut, DropAfter: true})
		d.Service.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 1, Status: http.StatusForbidden})
		m.Apply(p).WantError(t, "Unable to Deactivate Backup Modules", providertest.MayHaveChanged)
		m.Configure()
		m.Refresh().WantError(t, "lacks backupVersions", `set on_destroy = "keep"`, "terraform apply -refresh=false")
		m.Configure()
		m.Apply(m.Plan(nil), nil).WantError(t, "lacks backupVersions", "Nothing was changed.", `set on_destroy = "keep"`)
		before := puts(d.Service)
		m.Configure()
		for _, config := range []values{modules(hosts(0)), nil} {
			m.Apply(m.Plan(config), nil).WantNoErrors(t)
			m.Configure()
		}
		providertest.WantNoState(t, m)
		wantPuts(t, d.Service, before)
	})
}

func TestHostThatLeavesAfterThePlanIsNotActivatedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0, 1), deactivating))
		m.MustRefresh()
		p := m.Plan(modules(hosts(0, 2), deactivating, values{"timeouts": values{"update": "10s"}}))
		leave(s, reports[:1], reports[1])
		before := puts(s)
		m.Apply(p).WantError(
			t,
			"changed since the plan: those of these hosts are no longer active: "+reports[0]+". Plan again to see what is left. Nothing was changed.",
		)
		wantPuts(t, s, before)
		wantModules(t, s, reports[1])
		m.MustRefresh()
		m.Plan(modules(hosts(0, 2))).WantError(
			t, "Host Without a MongoDB Agent", reports[0], "If this error stops 'terraform destroy', run it with -refresh=false.",
		)
	})
}
