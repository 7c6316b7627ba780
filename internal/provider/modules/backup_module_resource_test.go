package modules_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// modules returns a configuration with hosts of reports.
func modules(list []any, more ...values) values {
	return values{"project_id": payments, "hostnames": list}.With(more...)
}

// puts returns the number of requests that change the automation configuration.
func puts(s *providertest.Service) int { return len(s.Sent(http.MethodPut, "/automationConfig")) }

// awaitPuts waits for a number of requests that change the automation configuration.
func awaitPuts(t *testing.T, s *providertest.Service, n int) {
	t.Helper()
	providertest.Await(t, fmt.Sprintf("%d requests that change the automation configuration", n), func() bool { return puts(s) >= n })
}

var deactivating = values{"on_destroy": "deactivate"}

// wantModules checks which of reports have a module.
func wantModules(t *testing.T, s *providertest.Service, want ...string) {
	t.Helper()
	got := slices.DeleteFunc(modulesIn(s.AutomationConfig(payments)), func(host string) bool { return !slices.Contains(reports, host) })
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the modules of %q are active, want those of %q", got, want)
	}
}

func start(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResourceInMemory(t, providertest.BackupModuleType, options...)
}

func TestModulesAreActivatedInOneRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		before := string(s.AutomationConfig(payments))
		m.MustApply(modules(hosts(0, 1, 2)))
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
		sent := s.Sent(http.MethodPut, "/automationConfig")[0]
		const added = `,{"hostname":"reports-0.payments.example.com"},{"hostname":"reports-1.payments.example.com"},{"hostname":"reports-2.payments.example.com"}`
		blanks := regexp.MustCompile(`\s+`) // between the elements of the list
		if blanks.ReplaceAllLiteralString(strings.Replace(sent, added, "", 1), "") != blanks.ReplaceAllLiteralString(before, "") {
			t.Errorf("sent %s", sent)
		}
	})
}

func TestActiveModulesAreAdoptedWithoutARequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules([]any{"ledger-0.payments.example.com", "cards-1.payments.example.com"})
		m.MustApply(config)
		m.Destroy()
		if puts(s) != 0 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

func TestWrongSpellingsAreErrorsWithTheNameOfTheAgent(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t)
		for host, want := range map[string]string{
			"reports-0":                            `its agent is registered as "reports-0.payments.example.com". Write that.`,
			"REPORTS-0.payments.example.com":       `its agent is registered as "reports-0.payments.example.com". Write that.`,
			"reports-0.payments.example.com:27017": `its agent is registered as "reports-0.payments.example.com". Write that.`,
			"reports-0.payments.example.com.":      `its agent is registered as "reports-0.payments.example.com". Write that.`,
			"reports-9.payments.example.com":       `the agents of the project are registered as "archive-0.payments.example.com", `,
		} {
			m.Plan(modules([]any{host})).WantError(t, "[hostnames]", fmt.Sprintf("%q", host), want)
		}
	})
}

func TestAgentThatIsDownForLongIsAWarningOfThePlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t)
		p := m.Plan(modules([]any{reports[0], "archive-0.payments.example.com"}))
		p.WantWarning(t, "Agents of Project Payments ("+payments+") Don't Report", "archive-0.payments.example.com last reported at 20")
	})
}

func TestModuleThatDoesNotReportIsAnErrorOfTheApply(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.StopAgent(payments, reports[1])
		config := modules(hosts(0, 1), values{"timeouts": values{"create": "1500ms"}})
		p := m.Plan(config)
		if len(p.Warnings()) > 0 {
			t.Errorf("the agent has just stopped: %q", p.Warnings())
		}
		m.Apply(p).WantError(
			t, "[hostnames]", "Backup Modules Not Running", "\n  - "+reports[1]+": no report yet.\n\n",
			"Apply again to wait for them. The provider reads the list first",
		)
		providertest.WantNoState(t, m)
		s.StartAgent(payments, reports[1])
		m.MustApply(config)
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

func TestAgentThatStopsLaterIsNoDrift(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0, 1)))
		s.StopAgent(payments, reports[0])
		m.MustBeSettled(modules(hosts(0, 1)))
		m.MustApply(modules(hosts(0, 1, 2))) // which does not wait for the first one
	})
}

func TestHostThatLeavesFollowsOnDestroyOfThePlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0, 1)))
		kept := m.Plan(modules(hosts(0)))
		kept.WantWarning(t, "Will Be Removed Only From the State", reports[1])
		m.Apply(kept)
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
		m.MustApply(modules(hosts(0, 1)))
		p := m.Plan(modules(hosts(0), values{"on_destroy": "deactivate"}))
		p.WantWarning(
			t, "[on_destroy] Backup Modules of Project Payments ("+payments+") Will Be Deactivated",
			reports[1]+": no backup of its clusters is running",
		)
		m.Apply(p)
		if document := string(s.AutomationConfig(payments)); strings.Contains(document, `{"hostname":"`+reports[1]) ||
			!strings.Contains(document, `{"hostname":"`+reports[0]) {
			t.Errorf("got %s", document)
		}
	})
}

// Terraform plans a tainted resource like a new one, and in the apply may deactivate the modules of the old one without
// a word in the plan: those that the new one lacks, if it is created first. So the plan is refused.
func TestReplacementOfATaintedResourceIsRefusedAndKeepsTheModules(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, createsFirst := range []bool{false, true} {
			s, m := start(t)
			config := modules(hosts(0, 1), deactivating)
			m.MustApply(config)
			m.Configure()
			m.MustRefresh()
			m.Tainted, m.CreateBeforeDestroy = true, createsFirst
			m.Plan(modules(hosts(1, 2), deactivating)).WantError(t, "Deactivated and Managed in One Plan", "terraform untaint ADDRESS")
			m.Configure() // without a refresh
			diags := m.ApplyReplanned(m.Plan(config))
			if len(diags.Errors()) > 0 {
				t.Errorf("%q", diags.Errors())
			}
			if !createsFirst {
				diags.WantWarning(t, "Kept", "its backup modules stay as they are")
			}
			wantModules(t, s, reports[0], reports[1])
			if puts(s) != 1 {
				t.Errorf("%d requests", puts(s))
			}
			m.MustBeSettled(config)
		}
	})
}

// With create_before_destroy, Terraform plans the destroy of the old object during the apply, and not before.
func TestTaintedResourceDeactivatesNoModuleAfterItsReplacementIsCreated(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t, emulator.Options{})
		m.MustApply(modules(hosts(0, 1), deactivating))
		m.Configure()
		m.Tainted, m.CreateBeforeDestroy = true, true
		p := m.Plan(modules(hosts(1, 2), deactivating)) // without a refresh
		providertest.WantOne(t, m.Apply(p, nil).Errors(), "Tainted Resource Not Destroyed", "Backup Modules of Project", "deposed")
		wantModules(t, s, reports[0], reports[1], reports[2])
	})
}

func TestTaintedResourceForgetsNoModuleOfAHostThatLeaves(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t, emulator.Options{})
		m.MustApply(modules(hosts(0), deactivating))
		m.Configure()
		m.Tainted = true
		p := m.Plan(modules(hosts(1), deactivating))
		providertest.WantOne(t, m.Apply(p, nil).Errors(), "Tainted Resource Not Destroyed", "Backup Modules of Project", "untaint")
		wantModules(t, s, reports[0])
		m.Tainted = false
		m.MustBeSettled(modules(hosts(0), deactivating))
	})
}

func TestADestroyDeactivatesNoModuleThatIsNeededOtherwiseThanPlanned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, since string // the status of the backup
		isRefused     bool
	}{
		"as planned":              {"STARTED", "STARTED", false},
		"needed as before":        {"STARTED", "PROVISIONING", false},
		"needed since":            {"STOPPED", "STARTED", true},
		"no longer needed":        {"STARTED", "STOPPED", false},
		"needed neither way":      {"STOPPED", "INACTIVE", false},
		"the plan could not tell": {"", "STARTED", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, m := start(t)
				m.MustApply(modules([]any{"ledger-0.payments.example.com"}, deactivating))
				set := func(status string) {
					s.SetBackupConfig(payments, providertest.Ledger, map[string]any{"statusName": status})
				}
				if set(test.before); test.before == "" {
					s.Inject(emulator.Fault{Path: "/hosts", Status: http.StatusForbidden})
				}
				m.Configure()
				p := m.Plan(nil)
				set(test.since)
				errors := m.Apply(p).Errors()
				if test.isRefused {
					providertest.WantOne(t, errors, "ledger-0.payments.example.com", test.since, "stays active", "Plan again")
				} else if len(errors) > 0 {
					t.Errorf("%q", errors)
				}
			})
		})
	}
}

// Terraform plans the destroy of a deposed object again during the apply, so nothing tells what its plan has shown.
func TestADeposedResourceDeactivatesNoModuleThatABackupNeeds(t *testing.T) {
	t.Parallel()
	for _, isRunning := range []bool{true, false} {
		providertest.InBubble(t, func(t *testing.T) {
			s, m := start(t)
			if !isRunning {
				s.SetBackupConfig(payments, providertest.Ledger, map[string]any{"statusName": "INACTIVE"})
			}
			m.MustApply(modules([]any{"ledger-0.payments.example.com"}, deactivating))
			m.Configure()
			errors := m.DeleteDeposed().Errors()
			if isRunning {
				providertest.WantOne(t, errors, "ledger-0.payments.example.com", "is STARTED", "stays active", "deposed object", "state rm")
			} else if len(errors) > 0 {
				t.Errorf("%q", errors)
			}
			if isActive := slices.Contains(modulesIn(s.AutomationConfig(payments)), "ledger-0.payments.example.com"); isActive != isRunning {
				t.Errorf("the module is active: %t", isActive)
			}
		})
	}
}

func TestUnknownOnDestroyIsAnErrorIfHostsLeave(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t)
		m.MustApply(modules(hosts(0, 1)))
		unknown := values{"on_destroy": providertest.Unknown}
		m.Plan(modules(hosts(0), unknown)).WantError(t, "[on_destroy]", "not known yet", reports[1])
		m.Configure()
		if errors := m.Plan(modules(hosts(0, 1, 2), unknown)).Errors(); len(errors) > 0 {
			t.Errorf("no host leaves: %q", errors)
		}
	})
}

func TestDeactivationNamesRunningBackups(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t)
		config := modules([]any{"cards-0.payments.example.com", "orders-config-1.payments.example.com"}, values{"on_destroy": "deactivate"})
		m.MustApply(config)
		m.Configure()
		m.Plan(nil).WantWarning(t, "Will Be Deactivated",
			"\n  - cards-0.payments.example.com: the backup of cluster cards ("+cards+") is STARTED\n",
			"\n  - orders-config-1.payments.example.com: the backup of cluster orders ("+providertest.Orders+") is STARTED\n")
	})
}

func TestDeactivationNamesClustersOfAnotherProduct(t *testing.T) {
	t.Parallel()
	for state, says := range map[string]string{
		"ACTIVE":      "another product backs up cluster cards (" + cards + ")\n",
		"DISCOVERING": `"DISCOVERING", which is not documented`,
		"INACTIVE":    "no backup of its clusters is running",
	} {
		providertest.InBubble(t, func(t *testing.T) {
			s, m := start(t, emulator.Options{ThirdPartyBackup: true})
			m.MustApply(modules([]any{"cards-0.payments.example.com"}, deactivating))
			s.SetBackupStatus(payments, cards, "INACTIVE")
			s.SetThirdPartyBackup(payments, cards, state)
			m.Configure()
			m.Plan(nil).WantWarning(t, "Will Be Deactivated", "\n  - cards-0.payments.example.com: ", says)
		})
	}
}

// A saved plan may be applied later.
func TestModuleThatABackupNeedsSinceThePlanStaysActive(t *testing.T) {
	t.Parallel()
	const host = "cards-0.payments.example.com"
	for name, c := range map[string]struct {
		remaining providertest.Values
		says      []string
	}{
		"a destroy": {nil, []string{"[on_destroy]", host, "is STARTED", "stays active", "Plan again"}},
		"an update": {modules(hosts(0), deactivating), leavingAreNeeded},
	} {
		for status, isKept := range map[string]bool{"STARTED": true, "INACTIVE": false} {
			for _, isReplanned := range []bool{false, true} {
				providertest.InBubble(t, func(t *testing.T) {
					s, m := start(t, emulator.Options{})
					m.MustApply(modules([]any{reports[0], host}, deactivating))
					s.SetBackupStatus(payments, providertest.Cards, "STOPPED")
					m.Configure()
					p := m.Plan(c.remaining)
					before := puts(s)
					s.SetBackupStatus(payments, providertest.Cards, status)
					m.Configure()
					apply := func() providertest.Diagnostics { return m.Apply(p, nil) }
					if isReplanned {
						apply = func() providertest.Diagnostics { return m.ApplyReplanned(p) }
					}
					errors := apply().Errors()
					if !isKept && len(errors) > 0 {
						t.Errorf("%s, %s: %q", name, status, errors)
					} else if isKept {
						providertest.WantOne(t, errors, c.says...)
					}
					if isKept != (puts(s) == before) {
						t.Errorf("%s, %s: %d requests before, and %d after the apply", name, status, before, puts(s))
					}
				})
			}
		}
	}
}

// leavingAreNeeded is in the error about a host of cards that leaves.
var leavingAreNeeded = []string{
	"[hostnames] Running Backups Need the Modules of Hosts That Leave",
	"\n  - cards-0.payments.example.com: the backup of cluster cards (" + providertest.Cards + ") is STARTED\n",
	`status_name = "STOPPED"`, `on_destroy = "keep"`, "-refresh=false",
}

// Nothing tells the apply of an update what its plan has shown.
func TestHostOfARunningBackupLeavesNoResourceThatDeactivates(t *testing.T) {
	t.Parallel()
	const host = "cards-0.payments.example.com"
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t, emulator.Options{})
		m.MustApply(modules([]any{reports[0], host}, deactivating))
		m.Configure()
		providertest.WantOne(t, m.Plan(modules(hosts(0), deactivating)).Errors(), leavingAreNeeded...)
		m.Configure()
		late := m.Plan(modules([]any{providertest.Unknown}, deactivating))
		providertest.WantOne(t, late.Warnings(), "Will Be Deactivated", "hostnames is not known yet")
		m.Configure()
		providertest.WantOne(t, m.Apply(late, modules(hosts(0), deactivating)).Errors(), leavingAreNeeded...)
		before := puts(s)
		m.Configure()
		m.MustApply(modules(hosts(0)))
		if puts(s) != before {
			t.Errorf("%d requests", puts(s)-before)
		}
	})
}

// Terraform plans resources in any order.
func TestPlanDoesNotStartABackupWhoseModuleItDeactivates(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{cards, providertest.Ledger} {
		for _, isStartFirst := range []bool{true, false} {
			providertest.InBubble(t, func(t *testing.T) {
				s, m := start(t)
				m.MustApply(modules([]any{"cards-0.payments.example.com"}, deactivating))
				s.SetBackupStatus(payments, cluster, "STOPPED")
				backup := m.NewResource(providertest.BackupConfigType)
				m.Configure()
				plans := []func() []string{
					func() []string {
						return backup.Plan(values{"project_id": payments, "cluster_id": cluster, "status_name": "STARTED"}).Errors()
					},
					func() []string { return m.Plan(nil).Errors() },
				}
				if !isStartFirst {
					slices.Reverse(plans)
				}
				errors := append(plans[0](), plans[1]()...)
				if cluster == cards {
					providertest.WantOne(t, errors, "Backup of Cluster cards ("+cluster+") Would Be Started Without Its Module", "on_destroy")
				} else if len(errors) > 0 {
					t.Errorf("another cluster: %q", errors)
				}
			})
		}
	}
}

// withoutModule is a start of the backup of cards, and the end of a module that it needs, in one of two orders.
type withoutModule struct {
	*providertest.Service
	start, end         *providertest.Resource
	started, remaining providertest.Values
	isStartFirst       bool
}

func eachWithoutModule(t *testing.T, isUpdate bool, test func(w withoutModule)) {
	t.Helper()
	for _, isStartFirst := range []bool{true, false} {
		providertest.InBubble(t, func(t *testing.T) {
			s, end := start(t, emulator.Options{})
			end.MustApply(modules([]any{reports[0], "cards-0.payments.example.com"}, deactivating))
			s.SetBackupStatus(payments, providertest.Cards, "STOPPED")
			end.Configure()
			w := withoutModule{
				Service:      s,
				start:        end.NewResource(providertest.BackupConfigType),
				end:          end,
				started:      providertest.Values{"project_id": payments, "cluster_id": providertest.Cards, "status_name": "STARTED"},
				isStartFirst: isStartFirst,
			}
			if isUpdate {
				w.remaining = modules(hosts(0), deactivating)
			}
			test(w)
		})
	}
}

func TestPlanDoesNotStartABackupThatMayNeedAModuleThatItDeactivates(t *testing.T) {
	t.Parallel()
	unknown := providertest.Unknown
	for name, known := range map[string]providertest.Values{
		"cluster":            {"cluster_id": unknown},
		"project":            {"project_id": unknown},
		"cluster elsewhere":  {"cluster_id": unknown, "project_id": analytics},
		"setting":            {},
		"setting, elsewhere": {"project_id": analytics},
		"setting and IDs":    {"cluster_id": unknown, "project_id": unknown},
	} {
		for _, isUpdate := range []bool{false, true} {
			eachWithoutModule(t, isUpdate, func(w withoutModule) {
				if strings.HasPrefix(name, "setting") {
					w.end.Settings["base_url"] = unknown
					w.end.Configure()
				}
				plans := []func() []string{
					func() []string { return w.start.Plan(providertest.With(w.started, known)).Errors() },
					func() []string { return w.end.Plan(w.remaining).Errors() },
				}
				if !w.isStartFirst {
					slices.Reverse(plans)
				}
				errors := append(plans[0](), plans[1]()...)
				if strings.HasSuffix(name, "elsewhere") {
					if len(errors) > 0 {
						t.Errorf("%s: %q", name, errors)
					}
					return
				}
				providertest.WantOne(
					t, errors, "Backup May Be Started Without Its Module", "is not known yet", "one after the other",
					`on_destroy = "keep"`, "-refresh=false",
				)
			})
		}
	}
}

// The plans of the two don't know of each other, as if what one of them needs to know was not known yet.
func TestApplyDoesNotStartABackupWhoseModuleItDeactivates(t *testing.T) {
	t.Parallel()
	const without = "Would Be Started Without Its Module"
	for _, isUpdate := range []bool{false, true} {
		eachWithoutModule(t, isUpdate, func(w withoutModule) {
			ending := w.end.Plan(w.remaining)
			w.end.Configure()
			starting := w.start.Plan(w.started)
			w.end.Configure()
			before := puts(w.Service)
			if w.isStartFirst {
				if errors := w.start.ApplyReplanned(starting).Errors(); len(errors) > 0 {
					t.Errorf("got %q", errors)
				}
				providertest.WantOne(t, w.end.Apply(ending, nil).Errors(), without)
				if puts(w.Service) != before {
					t.Errorf("%d requests", puts(w.Service)-before)
				}
				return
			}
			if errors := w.end.Apply(ending, nil).Errors(); len(errors) > 0 || puts(w.Service) == before {
				t.Errorf("%d requests, %q", puts(w.Service)-before, errors)
			}
			providertest.WantOne(t, w.start.ApplyReplanned(starting).Errors(), without)
		})
	}
}

func TestDeactivationOfManyHostsIsOneLine(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		var many []any
		for number := range 30 {
			host := fmt.Sprintf("new-%02d.payments.example.com", number)
			s.StartAgent(payments, host)
			many = append(many, host)
		}
		m.MustApply(modules(many, deactivating))
		m.Configure()
		warnings := m.Plan(nil).Warnings()
		providertest.WantOne(
			t, warnings, "\n  - new-00.payments.example.com, new-01",
			"new-19.payments.example.com, and 10 more: could not tell whether a running backup needs it: Ops Manager lists no process with this host name",
		)
		if lines := strings.Count(warnings[0], "\n  - "); lines != 1 {
			t.Errorf("%d lines: %s", lines, warnings[0])
		}
	})
}

func TestLateHostIsChecked(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0)))
		const capitals = "REPORTS-0.payments.example.com"
		p := m.Plan(modules([]any{reports[0], providertest.Unknown}))
		m.Apply(p, values{"hostnames": []any{reports[0], capitals}}).WantError(t, "Host Without a MongoDB Agent", capitals)
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

func TestTwoResourcesWithOneHostAreAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t)
		other := m.NewResource(providertest.BackupModuleType)
		m.Plan(modules(hosts(0, 1))).WantNoErrors(t)
		if errors := other.Plan(modules(hosts(2))).Errors(); len(errors) > 0 {
			t.Errorf("another host: %q", errors)
		}
		third := m.NewResource(providertest.BackupModuleType)
		third.Plan(modules(hosts(1))).WantError(t, "[hostnames] Backup Module in Two Resources", reports[1])
	})
}

// Terraform refreshes and plans resources in any order.
func TestModuleOfTwoResourcesIsAnErrorInEachOrder(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		const ended = "[on_destroy] Backup Module Deactivated and Managed in One Plan"
		for name, test := range map[string]struct {
			remaining values
			want      string
		}{
			"one keeps it":      {modules(hosts(0, 1), deactivating), "[hostnames] Backup Module in Two Resources"},
			"one removes it":    {modules(hosts(0), deactivating), ended},
			"one may remove it": {modules([]any{reports[0], providertest.Unknown}, deactivating), ended},
			"one is destroyed":  {nil, ended},
		} {
			for _, order := range []string{"refresh, plan, create", "refresh, create, plan", "create, refresh, plan"} {
				_, m := start(t)
				m.MustApply(modules(hosts(0, 1), deactivating))
				other := m.NewResource(providertest.BackupModuleType)
				m.Configure()
				var errors []string
				for step := range strings.SplitSeq(order, ", ") {
					switch step {
					case "refresh":
						errors = append(errors, m.Refresh().Errors()...)
					case "plan":
						errors = append(errors, m.Plan(test.remaining).Errors()...)
					case "create":
						errors = append(errors, other.Plan(modules(hosts(1))).Errors()...)
					}
				}
				if !slices.ContainsFunc(errors, func(e string) bool { return strings.HasPrefix(e, test.want) && strings.Contains(e, reports[1]) }) {
					t.Errorf("%s, %s: %q", name, order, errors)
				}
			}
		}
	})
}

// Terraform plans resources in any order.
func TestPlanDoesNotEndAModuleThatItMayManageWithoutKnowingIt(t *testing.T) {
	t.Parallel()
	unknownHost := modules([]any{providertest.Unknown})
	unknownProject := modules(hosts(1), providertest.Values{"project_id": providertest.Unknown})
	elsewhere := providertest.With(unknownHost, providertest.Values{"project_id": analytics})
	for name, test := range map[string]struct {
		before, remaining, created providertest.Values
		isRefused                  bool
	}{
		"a destroy and an unknown host":                 {deactivating, nil, unknownHost, true},
		"a destroy and an unknown project":              {deactivating, nil, unknownProject, true},
		"a host that leaves and an unknown host":        {deactivating, modules(hosts(0), deactivating), unknownHost, true},
		"an unknown host in place of another, and one":  {deactivating, modules([]any{providertest.Unknown}, deactivating), unknownHost, true},
		"a destroy and an unknown host elsewhere":       {deactivating, nil, elsewhere, false},
		"a destroy that keeps, and an unknown host":     {nil, nil, unknownHost, false},
		"no host leaves, and an unknown host is added":  {deactivating, modules(hosts(0, 1), deactivating), unknownHost, false},
		"an unknown host in place of another, no other": {deactivating, modules([]any{providertest.Unknown}, deactivating), nil, false},
	} {
		for _, isEndFirst := range []bool{true, false} {
			providertest.InBubble(t, func(t *testing.T) {
				_, m := start(t, emulator.Options{})
				m.MustApply(modules(hosts(0, 1), test.before))
				other := m.NewResource(providertest.BackupModuleType)
				m.Configure()
				plans := []func() []string{
					func() []string { return m.Plan(test.remaining).Errors() },
					func() []string {
						if test.created == nil {
							return nil
						}
						return other.Plan(test.created).Errors()
					},
				}
				if !isEndFirst {
					slices.Reverse(plans)
				}
				errors := append(plans[0](), plans[1]()...)
				if test.isRefused {
					providertest.WantOne(
						t, errors, "[hostnames] Backup Module to Activate Is Not Known Yet", "moved block",
						`set on_destroy = "keep"`, "-refresh=false",
					)
				} else if len(errors) > 0 {
					t.Errorf("%s: %q", name, errors)
				}
			})
		}
	}
}

func TestImportDoesNotDeactivateModulesOfOthersInTheSamePlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.ImportID(payments)
		mine := []any{"cards-0.payments.example.com"}
		m.Plan(modules(mine, deactivating)).WantError(
			t, "[on_destroy] Import Would Deactivate Backup Modules", "cards-1.payments.example.com",
			`Set on_destroy = "keep" and apply first`,
		)
		m.Configure()
		m.MustApply(modules(mine))
		m.MustApply(modules(mine, deactivating))
		if puts(s) != 0 {
			t.Errorf("%d requests", puts(s))
		}
		s.SetBackupStatus(payments, providertest.Cards, "STOPPED")
		m.MustApply(modules([]any{"cards-1.payments.example.com"}, deactivating)) // no longer an import
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

// Until it is applied, the state of an import also has the modules that other resources deactivate.
func TestImportNextToAResourceThatDeactivatesIsApplied(t *testing.T) {
	t.Parallel()
	for _, isImportFirst := range []bool{true, false} {
		for _, isSettingKnown := range []bool{true, false} {
			providertest.InBubble(t, func(t *testing.T) {
				s, first := start(t, emulator.Options{})
				theirs := modules(hosts(0), deactivating)
				mine := modules([]any{"cards-0.payments.example.com"})
				first.MustApply(theirs)
				imported := first.NewResource(providertest.BackupModuleType)
				refreshes := []func(){first.MustRefresh, imported.MustRefresh}
				first.Configure()
				if isImportFirst {
					slices.Reverse(refreshes)
				}
				imported.ImportID(payments)
				before := puts(s)
				if !isSettingKnown {
					first.Settings["base_url"] = providertest.Unknown
				}
				for range 2 { // as 'terraform import' does, and then a plan
					first.Configure()
					for _, refresh := range refreshes {
						refresh()
					}
				}
				if errors := first.Plan(theirs).Errors(); len(errors) > 0 {
					t.Errorf("got %q", errors)
				}
				p := imported.Plan(mine)
				providertest.WantOne(t, p.Warnings(), "Will Be Removed Only From the State", reports[0])
				if !isSettingKnown {
					return
				}
				if errors := imported.Apply(p, nil).Errors(); len(errors) > 0 || puts(s) != before {
					t.Errorf("%d requests, %q", puts(s)-before, errors)
				}
				first.Configure()
				first.MustRefresh()
				imported.MustBeSettled(mine)
			})
		}
	}
}

// A conflict with the version that Ops Manager still returns comes from an old response, so the same
// request is not made again.
func TestTheSameRequestIsNotMadeAgainAfterAConflict(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		conflict := emulator.Fault{
			Method: http.MethodPut, Status: http.StatusConflict,
			Body: `{"error":409,"errorCode":"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION"}`,
		}
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(conflict)
		m.Apply(p).WantError(
			t, "Unable to Activate Backup Modules", "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION",
			"Another client has changed the automation configuration, or Ops Manager returned an old one. Apply again",
		)
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
		m.MustApply(modules(hosts(0)))
	})
}

func TestOldModulesEndOnceTheNewOnesRun(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		deactivating := values{"on_destroy": "deactivate", "timeouts": values{"update": "1s"}}
		m.MustApply(modules(hosts(0), deactivating))
		s.StopAgent(payments, reports[1])
		m.Apply(m.Plan(modules(hosts(1), deactivating)), nil).WantError(t, "Backup Modules Not Running", reports[1])
		if !strings.Contains(string(s.AutomationConfig(payments)), `{"hostname":"`+reports[0]) {
			t.Error("the old module ended, although the new one does not run")
		}
		s.StartAgent(payments, reports[1])
		m.MustApply(modules(hosts(1), deactivating))
		if strings.Contains(string(s.AutomationConfig(payments)), `{"hostname":"`+reports[0]) {
			t.Error("the old module is still active")
		}
	})
}

// A refusal of the first phase is forgotten in the second one.
func TestOldModulesEndIfOthersActivatedTheNewOnes(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules(hosts(1), deactivating)
		m.MustApply(modules(hosts(0), deactivating))
		p := m.Plan(config)
		s.Inject(emulator.Fault{
			Method: http.MethodPut, Status: http.StatusConflict,
			Body: `{"error":409,"errorCode":"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION"}`,
		})
		done := make(chan struct{})
		go func() {
			defer close(done)
			awaitPuts(t, s, 2)
			s.PublishAutomationConfig(payments, func(document []byte) []byte { return withModules(document, reports[:2]) })
		}()
		m.Apply(p).WantNoErrors(t)
		<-done
		m.MustBeSettled(config)
		wantModules(t, s, reports[1])
	})
}

func TestOldModulesStayIfOthersEndTheNewOneDuringTheApply(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0), deactivating))
		p := m.Plan(modules(hosts(1), deactivating))
		ended := bytes.Replace(withModules(s.AutomationConfig(payments), reports[:1]), []byte(`"version":215`), []byte(`"version":217`), 1)
		// The first two reads are those before and after the first request.
		s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 2, Times: -1, Status: http.StatusOK, Body: string(ended)})
		m.Apply(p).WantError(t, "[hostnames] Unable to Change Backup Modules", reports[1]+". Plan again to see what is left. No module was deactivated.")
		if puts(s) != 2 {
			t.Errorf("%d requests", puts(s))
		}
		wantModules(t, s, reports[:2]...)
		if got := m.Attributes()["hostnames"]; fmt.Sprint(got) != fmt.Sprint(hosts(0)) {
			t.Errorf("the state has %v", got)
		}
	})
}

func TestRefusalWithoutALockDoesNotBlameTheKey(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(emulator.Fault{Method: http.MethodPut, Status: http.StatusUnauthorized, Body: `{"error":401,"errorCode":"USER_UNAUTHORIZED"}`, Times: -1})
		m.Apply(p).WantError(t, "has just read the automation configuration", "No external system has locked the project", "Project Automation Admin")
	})
}

func TestLockedProjectNamesTheLockAndItsHolder(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for lock, refusal := range map[string]string{
			"EXTERNALLY_MANAGED_LOCK": `{"error": 401, "errorCode": "USER_UNAUTHORIZED"}`, "ExternallyManagedLock": `{"error": 401}`,
		} {
			s, m := start(t)
			s.SetControlledFeature(payments, map[string]any{
				"externalManagementSystem": map[string]any{"name": "mongodb-enterprise-operator", "version": "1.33.0"},
				"policies":                 []any{map[string]any{"policy": lock, "disabledParams": []any{}}},
			})
			s.Inject(emulator.Fault{
				Method: http.MethodPut, Status: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}},
				Body: refusal,
			})
			m.Apply(m.Plan(modules(hosts(0))), nil).WantError(
				t, "[project_id] Project Locked by an External System", "401", "the policy "+lock, "mongodb-enterprise-operator 1.33.0",
				"does not remove the lock",
			)
			if puts(s) != 1 {
				t.Errorf("%d requests", puts(s))
			}
		}
	})
}

func TestKeyWithoutTheRoleCannotPlan(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, m := start(t, emulator.Options{Keys: []string{emulator.DefaultPublicKey + ":GLOBAL_BACKUP_ADMIN"}})
		m.Plan(modules(hosts(0))).WantError(t, "Unable to Preview Backup Modules", "USER_UNAUTHORIZED", "Project Automation Admin or Project Owner")
	})
}

func TestMaskedConfigurationIsNotSentBack(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.PublishAutomationConfig(payments, func(document []byte) []byte {
			return bytes.Replace(document, []byte("future-secret"), []byte("<redacted>"), 1)
		})
		m.Plan(modules(hosts(0))).WantError(t, "[project_id]", "a mask in place of a secret, such as <redacted>", "Nothing was changed")
		m.MustApply(modules([]any{"ledger-0.payments.example.com"})) // needs no request
		if puts(s) != 0 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

// A host whose element has two names can be kept and leave the state, but nothing is sent.
func TestConfigurationWithDuplicatesIsReadAndNotSentBack(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0)))
		s.PublishAutomationConfig(payments, func(document []byte) []byte {
			return bytes.Replace(document, []byte(`{"hostname":"`+reports[0]), []byte(`{"hostname":"x","hostname":"`+reports[0]), 1)
		})
		m.MustBeSettled(modules(hosts(0)))
		m.Plan(modules(hosts(0, 1))).WantError(t, "[project_id]", "the hostname of a backup module, twice", "Nothing was changed")
		m.Configure()
		m.Destroy()
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

func TestVersionThatIsNotTheNextOneIsAWarning(t *testing.T) {
	t.Parallel()
	e := &editing{Emulator: emulator.New(emulator.Options{Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}}.Fixed())}
	e.SetAutomationConfig(payments, []byte(plantedConfig))
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	m := providertest.NewWorkspace(t, &providertest.Service{Emulator: e.Emulator, URL: server.URL}).NewResource(providertest.BackupModuleType)
	p := m.Plan(modules(hosts(0)))
	e.mu.Lock()
	e.edits = []bool{false, true} // between the read and the request
	e.mu.Unlock()
	m.Apply(p).WantWarning(t, "Changed at the Same Time", "read version 7", "version 9 instead of 8, so others made a change at about the same time. ")
}

// The first request takes effect without a response, and then a node of Ops Manager returns old values.
func TestUnclearRequestIsNotBlamedOnOthers(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory(emulator.Options{TransitionReads: -1, Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}})
		m := providertest.NewWorkspace(t, d.Service).NewResource(providertest.BackupModuleType)
		p := m.Plan(modules(hosts(0)))
		old := d.AutomationConfig(payments)
		d.Service.Inject(emulator.Fault{Method: http.MethodPut, DropAfter: true})
		d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/automationConfig") && puts(d.Service) == 1 {
				_, _ = w.Write(old)
				return
			}
			service.ServeHTTP(w, r)
		})
		m.Apply(p).WantWarning(t, "Changed at the Same Time", "or an earlier request of the provider, which got no clear response, took effect")
	})
}

func TestNothingWasChangedIsOnlySaidIfItIsCertain(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		old := string(s.AutomationConfig(payments))
		s.Inject(emulator.Fault{Method: http.MethodPut, DropAfter: true})
		s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 1, Times: -1, Status: http.StatusOK, Body: old})
		errors := m.Apply(p).Errors()
		providertest.WantOne(
			t, errors, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION",
			"A request before that got no clear response. "+providertest.MayHaveChanged,
		)
		if strings.Contains(errors[0], "Nothing was changed") {
			t.Errorf("got %q", errors)
		}
		wantModules(t, s, reports[0])
	})
}

func TestTheSameRequestIsNotMadeAgainAfterAResponse(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, fault := range []emulator.Fault{
			{Status: http.StatusInternalServerError, Body: `{"error":500,"errorCode":"UNEXPECTED_ERROR"}`},
			{Status: http.StatusGatewayTimeout},
		} {
			s, m := start(t)
			p := m.Plan(modules(hosts(0)))
			fault.Method = http.MethodPut
			s.Inject(fault)
			m.Apply(p).WantError(t, "Unable to Activate Backup Modules", fmt.Sprint(fault.Status), providertest.MayHaveChanged)
			if puts(s) != 1 {
				t.Errorf("%d: %d requests", fault.Status, puts(s))
			}
			m.MustApply(modules(hosts(0)))
		}
	})
}

func TestRequestWithoutAResponseIsMadeAgainAfterAWhile(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(emulator.Fault{Method: http.MethodPut, DropBefore: true})
		begin := time.Now()
		if errors := m.Apply(p).Errors(); len(errors) > 0 || puts(s) != 2 {
			t.Errorf("%d requests, %q", puts(s), errors)
		}
		if waited := time.Since(begin); waited < 400*time.Millisecond { // the time that the service may take
			t.Errorf("after %s", waited)
		}
	})
}

func TestInterruptionAfterTheRequestSaysThatItWasAccepted(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for during, want := range map[string]string{"the request": providertest.MayHaveChanged, "the read after it": "Ops Manager accepted the change"} {
			s, m := start(t)
			p := m.Plan(modules(hosts(0)))
			ctx, cancel := context.WithCancel(context.Background())
			m.Context = ctx
			if during == "the request" {
				s.Inject(emulator.Fault{Method: http.MethodPut, Unanswered: true})
			} else {
				s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 1, Delay: 300 * time.Millisecond, Times: -1})
			}
			go func() {
				awaitPuts(t, s, 1)
				time.Sleep(50 * time.Millisecond)
				cancel()
			}()
			errors := m.Apply(p).Errors()
			providertest.WantOne(t, errors, "interrupted", want)
			if strings.Contains(errors[0], "Nothing was changed") {
				t.Errorf("during %s: %q", during, errors)
			}
			providertest.WantNoState(t, m)
			s.ClearFaults()
			m.Context = context.Background()
			m.MustApply(modules(hosts(0)))
		}
	})
}

func TestTimeoutBeforeItsTurnNamesTheOtherResource(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		other := m.NewResource(providertest.BackupModuleType)
		p := m.Plan(modules(hosts(0)))
		q := other.Plan(modules(hosts(1), values{"timeouts": values{"create": "300ms"}}))
		s.Inject(emulator.Fault{Method: http.MethodPut, Delay: time.Second})
		var group sync.WaitGroup
		group.Go(func() { m.Apply(p) })
		awaitPuts(t, s, 1)
		other.Apply(q).WantError(t, "Another resource of this run was changing project Payments ("+payments, "Nothing was changed", "raise timeouts")
		group.Wait()
	})
}

func TestInterruptedWaitContinuesWithoutARequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t, emulator.Options{TransitionReads: 8})
		var log bytes.Buffer
		p := m.Plan(modules(hosts(0)))
		ctx, cancel := context.WithCancel(tflogtest.RootLogger(context.Background(), &log))
		m.Context = ctx
		go func() {
			awaitPuts(t, s, 1)
			time.Sleep(200 * time.Millisecond)
			cancel()
		}()
		m.Apply(p).WantError(
			t, "[hostnames]",
			"The run was interrupted. These backup modules are in the automation configuration, but have not reported",
			"the new hosts are not in the Terraform state", "changes only what is left",
		)
		wantModules(t, s, reports[0])
		if text := log.String(); !strings.Contains(text, `"@message":"waiting for backup modules"`) || !strings.Contains(text, `"@level":"info"`) {
			t.Errorf("logged %s", text)
		}
		m.Context = context.Background()
		m.MustApply(modules(hosts(0)))
		if puts(s) != 1 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

// Without a lock, one of them would overwrite the other, because this Ops Manager does not compare versions.
func TestResourcesOfARunChangeAListOneAfterTheOther(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, first := start(t, emulator.Options{TransitionReads: -1, Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}})
		resources := []*providertest.Resource{first, first.NewResource(providertest.BackupModuleType), first.NewResource(providertest.BackupModuleType)}
		s.Inject(emulator.Fault{Method: http.MethodPut, Delay: 50 * time.Millisecond, Times: -1})
		var plans []*providertest.Plan
		for i, m := range resources {
			plans = append(plans, m.Plan(modules(hosts(i))))
		}
		var group sync.WaitGroup
		for i, m := range resources {
			group.Go(func() {
				if diags := m.Apply(plans[i], nil); len(diags) > 0 {
					t.Errorf("%d: %q %q", i, diags.Errors(), diags.Warnings())
				}
			})
		}
		group.Wait()
		document := string(s.AutomationConfig(payments))
		for _, host := range reports {
			if !strings.Contains(document, `{"hostname":"`+host) {
				t.Errorf("%s is lost in %s", host, document)
			}
		}
		if puts(s) != 3 {
			t.Errorf("%d requests", puts(s))
		}
	})
}

func TestModulesOfAProjectThatAResourceLeavesAreDeactivated(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.MustApply(modules(hosts(0, 1), deactivating))
		m.Configure()
		s.SetAutomationConfig(analytics, []byte(`{"version": 1, "processes": [], "backupVersions": []}`))
		elsewhere := m.Plan(values{"project_id": analytics, "hostnames": []any{providertest.Unknown}})
		m.Apply(elsewhere, values{"hostnames": []any{"of another project"}}) // deactivates first
		wantModules(t, s)
	})
}
