package modules_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
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

// applied starts a service, and returns modules on it, which a configuration has activated.
func applied(t *testing.T, config values) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s, m := start(t)
	m.MustApply(config)
	return s, m
}

// wantPuts checks the number of requests that change the automation configuration.
func wantPuts(t *testing.T, s *providertest.Service, want int) {
	t.Helper()
	if got := puts(s); got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
}

// publisher is an Ops Manager whose automation configuration another client publishes.
type publisher interface {
	PublishAutomationConfig(project string, change func(document []byte) []byte)
}

// publish lets another client change which hosts of reports have a module.
func publish(s publisher, with []string) {
	s.PublishAutomationConfig(payments, func(document []byte) []byte { return withModules(document, with) })
}

// conflict refuses a change of another version of the automation configuration.
var conflict = emulator.Fault{
	Method: http.MethodPut, Status: http.StatusConflict, Body: `{"error":409,"errorCode":"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION"}`,
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
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		before := string(s.AutomationConfig(payments))
		m.MustApply(modules(hosts(0, 1, 2)))
		wantPuts(t, s, 1)
		sent := s.Sent(http.MethodPut, "/automationConfig")[0]
		added := ""
		for _, host := range reports {
			added += `,{"hostname":"` + host + `"}`
		}
		blanks := regexp.MustCompile(`\s+`) // between the elements of the list
		if blanks.ReplaceAllLiteralString(strings.Replace(sent, added, "", 1), "") != blanks.ReplaceAllLiteralString(before, "") {
			t.Errorf("sent %s", sent)
		}
	})
}

func TestActiveModulesAreAdoptedWithoutARequest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules([]any{onLedger, "cards-1.payments.example.com"})
		m.MustApply(config)
		m.Destroy()
		wantPuts(t, s, 0)
	})
}

func TestWrongSpellingsAreErrorsWithTheNameOfTheAgent(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
	inBubble(t, func(t *testing.T) {
		_, m := start(t)
		p := m.Plan(modules([]any{reports[0], "archive-0.payments.example.com"}))
		p.WantWarning(t, "Agents of Project Payments ("+payments+") Don't Report", "archive-0.payments.example.com last reported at 20")
	})
}

func TestModuleThatDoesNotReportIsAnErrorOfTheApply(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.StopAgent(payments, reports[1])
		config := modules(hosts(0, 1), values{"timeouts": values{"create": "1500ms"}})
		p := m.Plan(config)
		p.WantNoWarnings(t)
		m.Apply(p).WantError(
			t, "[hostnames]", "Backup Modules Not Running", "\n  - "+reports[1]+": no report yet.\n\n",
			"Apply again to wait for them. The provider reads the list first",
		)
		providertest.WantNoState(t, m)
		s.StartAgent(payments, reports[1])
		m.MustApply(config)
		wantPuts(t, s, 1)
	})
}

func TestAgentThatStopsLaterIsNoDrift(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0, 1)))
		s.StopAgent(payments, reports[0])
		m.MustBeSettled(modules(hosts(0, 1)))
		m.MustApply(modules(hosts(0, 1, 2))) // which does not wait for the first one
	})
}

func TestHostThatLeavesFollowsOnDestroyOfThePlan(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0, 1)))
		kept := m.Plan(modules(hosts(0)))
		kept.WantWarning(t, "Will Be Removed Only From the State", reports[1])
		m.Apply(kept)
		wantPuts(t, s, 1)
		m.MustApply(modules(hosts(0, 1)))
		p := m.Plan(modules(hosts(0), deactivating))
		p.WantWarning(
			t, "[on_destroy] Backup Modules of Project Payments ("+payments+") Will Be Deactivated",
			reports[1]+": no backup of its clusters is running",
		)
		m.Apply(p)
		wantModules(t, s, reports[0])
	})
}

// Terraform plans a tainted resource like a new one, and in the apply may deactivate the modules of the old one without
// a word in the plan: those that the new one lacks, if it is created first. So the plan is refused.
func TestReplacementOfATaintedResourceIsRefusedAndKeepsTheModules(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
			diags.WantNoErrors(t)
			if !createsFirst {
				diags.WantWarning(t, "Kept", "its backup modules stay as they are")
			}
			wantModules(t, s, reports[0], reports[1])
			wantPuts(t, s, 1)
			m.MustBeSettled(config)
		}
	})
}

// With create_before_destroy, Terraform plans the destroy of the old object during the apply, and not before.
func TestTaintedResourceThatIsNotRefreshedDeactivatesAndForgetsNoModule(t *testing.T) {
	t.Parallel()
	for says, createsFirst := range map[string]bool{"deposed": true, "untaint": false} {
		inBubble(t, func(t *testing.T) {
			s, m := applied(t, modules(hosts(0), deactivating))
			m.Configure()
			m.Tainted, m.CreateBeforeDestroy = true, createsFirst
			m.Apply(m.Plan(modules(hosts(1), deactivating))).WantError(t, "Tainted Resource Not Destroyed", "Backup Modules of Project", says)
			if createsFirst {
				wantModules(t, s, reports[0], reports[1])
				return
			}
			wantModules(t, s, reports[0])
			m.Tainted = false
			m.MustBeSettled(modules(hosts(0), deactivating))
		})
	}
}

func TestADestroyDeactivatesNoModuleThatIsNeededOtherwiseThanPlanned(t *testing.T) {
	t.Parallel()
	needed := []string{"[on_destroy]", onLedger, "is STARTED", "stays active", "Plan again"}
	for name, test := range map[string]struct {
		before, since string // the status of the backup
		says          []string
	}{
		"as planned":              {"STARTED", "STARTED", nil},
		"needed as before":        {"STARTED", "PROVISIONING", nil},
		"needed since":            {"STOPPED", "STARTED", needed},
		"no longer needed":        {"STARTED", "STOPPED", nil},
		"needed neither way":      {"STOPPED", "INACTIVE", nil},
		"the plan could not tell": {"", "STARTED", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				s, m := applied(t, modules([]any{onLedger}, deactivating))
				set := func(status string) {
					s.SetBackupConfig(payments, providertest.Ledger, object{"statusName": status})
				}
				if set(test.before); test.before == "" {
					s.Inject(emulator.Fault{Path: "/hosts", Status: http.StatusForbidden})
				}
				m.Configure()
				p := m.Plan(nil)
				set(test.since)
				m.Apply(p).WantOutcome(t, test.says...)
			})
		})
	}
}

// Terraform plans the destroy of a deposed object again during the apply, so nothing tells what its plan has shown.
func TestADeposedResourceDeactivatesNoModuleThatABackupNeeds(t *testing.T) {
	t.Parallel()
	for _, isRunning := range []bool{true, false} {
		inBubble(t, func(t *testing.T) {
			s, m := start(t)
			if !isRunning {
				s.SetBackupConfig(payments, providertest.Ledger, object{"statusName": "INACTIVE"})
			}
			m.MustApply(modules([]any{onLedger}, deactivating))
			m.Configure()
			diags := m.DeleteDeposed()
			if isRunning {
				diags.WantError(t, onLedger, "is STARTED", "stays active", "deposed object", "state rm")
			} else {
				diags.WantNoErrors(t)
			}
			if isActive := slices.Contains(modulesIn(s.AutomationConfig(payments)), onLedger); isActive != isRunning {
				t.Errorf("the module is active: %t", isActive)
			}
		})
	}
}

func TestUnknownOnDestroyIsAnErrorIfHostsLeave(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		_, m := applied(t, modules(hosts(0, 1)))
		late := values{"on_destroy": unknown}
		m.Plan(modules(hosts(0), late)).WantError(t, "[on_destroy]", "not known yet", reports[1])
		m.Configure()
		m.Plan(modules([]any{unknown}, deactivating)).WantNoErrors(t)
		m.Configure()
		m.Plan(modules(hosts(0, 1, 2), late)).WantNoErrors(t)
	})
}

func TestDeactivationNamesRunningBackups(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		_, m := start(t)
		config := modules([]any{onCards, "orders-config-1.payments.example.com"}, deactivating)
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
		inBubble(t, func(t *testing.T) {
			s, m := start(t, emulator.Options{ThirdPartyBackup: true})
			m.MustApply(modules([]any{onCards}, deactivating))
			s.SetBackupStatus(payments, cards, "INACTIVE")
			s.SetThirdPartyBackup(payments, cards, state)
			m.Configure()
			m.Plan(nil).WantWarning(t, "Will Be Deactivated", "\n  - cards-0.payments.example.com: ", says)
		})
	}
}

// A saved plan may be applied later.
func TestHostOfABackupThatRunsSinceThePlanDoesNotLeave(t *testing.T) {
	t.Parallel()
	for status, says := range map[string][]string{"STARTED": leavingAreNeeded, "INACTIVE": nil} {
		for _, isReplanned := range []bool{false, true} {
			inBubble(t, func(t *testing.T) {
				s, m := applied(t, modules([]any{reports[0], onCards}, deactivating))
				s.SetBackupStatus(payments, cards, "STOPPED")
				m.Configure()
				p := m.Plan(modules(hosts(0), deactivating))
				before := puts(s)
				s.SetBackupStatus(payments, cards, status)
				m.Configure()
				apply := func() providertest.Diagnostics { return m.Apply(p) }
				if isReplanned {
					apply = func() providertest.Diagnostics { return m.ApplyReplanned(p) }
				}
				apply().WantOutcome(t, says...)
				if says != nil {
					wantPuts(t, s, before)
				} else if puts(s) == before {
					t.Error("the module was not deactivated")
				}
			})
		}
	}
}

// leavingAreNeeded is in the error about a host of cards that leaves.
var leavingAreNeeded = []string{
	"[hostnames] Running Backups Need the Modules of Hosts That Leave",
	"\n  - cards-0.payments.example.com: the backup of cluster cards (" + cards + ") is STARTED\n",
	`status_name = "STOPPED"`, `on_destroy = "keep"`, "-refresh=false",
}

// Nothing tells the apply of an update what its plan has shown.
func TestHostOfARunningBackupLeavesNoResourceThatDeactivates(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules([]any{reports[0], onCards}, deactivating))
		m.Configure()
		m.Plan(modules(hosts(0), deactivating)).WantError(t, leavingAreNeeded...)
		m.Configure()
		late := m.Plan(modules([]any{unknown}, deactivating))
		providertest.WantOne(t, late.Warnings(), "Will Be Deactivated", "hostnames is not known yet")
		m.Configure()
		m.Apply(late, modules(hosts(0), deactivating)).WantError(t, leavingAreNeeded...)
		before := puts(s)
		m.Configure()
		m.MustApply(modules(hosts(0)))
		wantPuts(t, s, before)
	})
}

// Terraform plans resources in any order.
func TestPlanDoesNotStartABackupWhoseModuleItDeactivates(t *testing.T) {
	t.Parallel()
	for cluster, says := range map[string][]string{
		cards: {"Backup of Cluster cards (" + cards + ") Would Be Started Without Its Module", "on_destroy"}, providertest.Ledger: nil,
	} {
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			s, m := applied(t, modules([]any{onCards}, deactivating))
			s.SetBackupStatus(payments, cluster, "STOPPED")
			backup := m.NewResource(providertest.BackupConfigType)
			m.Configure()
			started := values{"project_id": payments, "cluster_id": cluster, "status_name": "STARTED"}
			plan(backup.Planning(started), m.Planning(nil)).WantOutcome(t, says...)
		})
	}
}

// startWithoutModule returns a resource that can start the backup of cards, with the configuration for that, and one that can
// deactivate a module that the backup needs.
func startWithoutModule(t *testing.T) (s *providertest.Service, start, end *providertest.Resource, started values) {
	t.Helper()
	s, end = providertest.StartResourceInMemory(t, providertest.BackupModuleType)
	end.MustApply(modules([]any{reports[0], onCards}, deactivating))
	s.SetBackupStatus(payments, cards, "STOPPED")
	end.Configure()
	started = values{"project_id": payments, "cluster_id": cards, "status_name": "STARTED"}
	return s, end.NewResource(providertest.BackupConfigType), end, started
}

// endings are the ways to deactivate that module: a destroy, and an update.
var endings = []values{nil, modules(hosts(0), deactivating)}

func TestPlanDoesNotStartABackupThatMayNeedAModuleThatItDeactivates(t *testing.T) {
	t.Parallel()
	lateCluster, lateProject := values{"cluster_id": unknown}, values{"project_id": unknown}
	elsewhere, lateURL := values{"project_id": analytics}, values{"base_url": unknown}
	for _, test := range map[string]struct {
		late, settings values
		isAllowed      bool
	}{
		"cluster":            {lateCluster, nil, false},
		"project":            {lateProject, nil, false},
		"cluster elsewhere":  {lateCluster.With(elsewhere), nil, true},
		"setting":            {nil, lateURL, false},
		"setting, elsewhere": {elsewhere, lateURL, true},
		"setting and IDs":    {lateCluster.With(lateProject), lateURL, false},
	} {
		for _, ending := range endings {
			providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
				_, start, end, started := startWithoutModule(t)
				maps.Copy(end.Settings, test.settings)
				end.Configure()
				diags := plan(start.Planning(started.With(test.late)), end.Planning(ending))
				if test.isAllowed {
					diags.WantNoErrors(t)
					return
				}
				diags.WantError(
					t, "Backup May Be Started Without Its Module", "is not known yet", "one after the other", `on_destroy = "keep"`, "-refresh=false",
				)
			})
		}
	}
}

// The plans of the two don't know of each other, as if what one of them needs to know was not known yet.
func TestApplyDoesNotStartABackupWhoseModuleItDeactivates(t *testing.T) {
	t.Parallel()
	const without = "Would Be Started Without Its Module"
	for _, ending := range endings {
		for _, isStartFirst := range []bool{true, false} {
			inBubble(t, func(t *testing.T) {
				s, start, end, started := startWithoutModule(t)
				ended := end.Plan(ending)
				end.Configure()
				starts := start.Plan(started)
				end.Configure()
				before := puts(s)
				if isStartFirst {
					start.ApplyReplanned(starts).WantNoErrors(t)
					end.Apply(ended).WantError(t, without)
					wantPuts(t, s, before)
					return
				}
				end.Apply(ended).WantNoErrors(t)
				wantPuts(t, s, before+1)
				start.ApplyReplanned(starts).WantError(t, without)
			})
		}
	}
}

func TestDeactivationOfManyHostsIsOneLine(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0)))
		const capitals = "REPORTS-0.payments.example.com"
		p := m.Plan(modules([]any{reports[0], unknown}))
		m.Apply(p, values{"hostnames": []any{reports[0], capitals}}).WantError(t, "Host Without a MongoDB Agent", capitals)
		wantPuts(t, s, 1)
	})
}

func TestTwoResourcesWithOneHostAreAnError(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		_, m := start(t)
		other := m.NewResource(providertest.BackupModuleType)
		m.Plan(modules(hosts(0, 1))).WantNoErrors(t)
		other.Plan(modules(hosts(2))).WantNoErrors(t)
		third := m.NewResource(providertest.BackupModuleType)
		third.Plan(modules(hosts(1))).WantError(t, "[hostnames] Backup Module in Two Resources", reports[1])
	})
}

func TestModuleOfTwoResourcesIsAnErrorInEachOrder(t *testing.T) {
	t.Parallel()
	const ended = "[on_destroy] Backup Module Deactivated and Managed in One Plan"
	for _, test := range []struct {
		remaining values
		want      string
	}{
		{modules(hosts(0, 1), deactivating), "[hostnames] Backup Module in Two Resources"},
		{modules(hosts(0), deactivating), ended},
		{modules([]any{reports[0], unknown}, deactivating), ended},
		{nil, ended},
	} {
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			_, m := applied(t, modules(hosts(0, 1), deactivating))
			m.Configure()
			refreshed := func() *providertest.Plan {
				diags := m.Refresh()
				p := m.Plan(test.remaining)
				p.Diagnostics = append(diags, p.Diagnostics...)
				return p
			}
			errors := plan(refreshed, m.NewResource(providertest.BackupModuleType).Planning(modules(hosts(1)))).Errors()
			if !slices.ContainsFunc(errors, func(e string) bool { return strings.HasPrefix(e, test.want) && strings.Contains(e, reports[1]) }) {
				t.Errorf("%v: %q", test.remaining, errors)
			}
		})
	}
}

// Terraform plans resources in any order.
func TestPlanDoesNotEndAModuleThatItMayManageWithoutKnowingIt(t *testing.T) {
	t.Parallel()
	unknownHost := modules([]any{unknown})
	unknownProject := modules(hosts(1), values{"project_id": unknown})
	elsewhere := providertest.With(unknownHost, values{"project_id": analytics})
	for _, test := range map[string]struct {
		before, remaining, created values
		isRefused                  bool
	}{
		"a destroy and an unknown host":                {deactivating, nil, unknownHost, true},
		"a destroy and an unknown project":             {deactivating, nil, unknownProject, true},
		"a host that leaves and an unknown host":       {deactivating, modules(hosts(0), deactivating), unknownHost, true},
		"an unknown host in place of another, and one": {deactivating, modules([]any{unknown}, deactivating), unknownHost, true},
		"a destroy and an unknown host elsewhere":      {deactivating, nil, elsewhere, false},
		"a destroy that keeps, and an unknown host":    {nil, nil, unknownHost, false},
		"no host leaves, and an unknown host is added": {deactivating, modules(hosts(0, 1), deactivating), unknownHost, false},
	} {
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			_, m := applied(t, modules(hosts(0, 1), test.before))
			other := m.NewResource(providertest.BackupModuleType)
			m.Configure()
			diags := plan(m.Planning(test.remaining), other.Planning(test.created))
			if test.isRefused {
				diags.WantError(
					t, "[hostnames] Backup Module to Activate Is Not Known Yet", "moved block", `set on_destroy = "keep"`, "-refresh=false",
				)
			} else {
				diags.WantNoErrors(t)
			}
		})
	}
}

func TestImportDoesNotDeactivateModulesOfOthersInTheSamePlan(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.ImportID(payments)
		mine := []any{onCards}
		m.Plan(modules(mine, deactivating)).WantError(
			t, "[on_destroy] Import Would Deactivate Backup Modules", "cards-1.payments.example.com",
			`Set on_destroy = "keep" and apply first`,
		)
		m.Configure()
		m.MustApply(modules(mine))
		m.MustApply(modules(mine, deactivating))
		wantPuts(t, s, 0)
		s.SetBackupStatus(payments, cards, "STOPPED")
		m.MustApply(modules([]any{"cards-1.payments.example.com"}, deactivating)) // no longer an import
		wantPuts(t, s, 1)
	})
}

// Until it is applied, the state of an import also has the modules that other resources deactivate.
func TestImportNextToAResourceThatDeactivatesIsApplied(t *testing.T) {
	t.Parallel()
	for _, isImportFirst := range []bool{true, false} {
		for _, isSettingKnown := range []bool{true, false} {
			inBubble(t, func(t *testing.T) {
				s, first := start(t)
				theirs := modules(hosts(0), deactivating)
				mine := modules([]any{onCards})
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
					first.Settings["base_url"] = unknown
				}
				for range 2 { // as 'terraform import' does, and then a plan
					first.Configure()
					for _, refresh := range refreshes {
						refresh()
					}
				}
				first.Plan(theirs).WantNoErrors(t)
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

func TestOldModulesEndOnceTheNewOnesRun(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		deactivating := values{"on_destroy": "deactivate", "timeouts": values{"update": "1s"}}
		m.MustApply(modules(hosts(0), deactivating))
		s.StopAgent(payments, reports[1])
		m.Apply(m.Plan(modules(hosts(1), deactivating)), nil).WantError(t, "Backup Modules Not Running", reports[1])
		wantModules(t, s, reports[:2]...) // because the new one does not run
		s.StartAgent(payments, reports[1])
		m.MustApply(modules(hosts(1), deactivating))
		wantModules(t, s, reports[1])
	})
}

// A refusal of the first phase is forgotten in the second one.
func TestOldModulesEndIfOthersActivatedTheNewOnes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules(hosts(1), deactivating)
		m.MustApply(modules(hosts(0), deactivating))
		p := m.Plan(config)
		s.Inject(conflict)
		done := make(chan struct{})
		go func() {
			defer close(done)
			awaitPuts(t, s, 2)
			publish(s, reports[:2])
		}()
		m.Apply(p).WantNoErrors(t)
		<-done
		m.MustBeSettled(config)
		wantModules(t, s, reports[1])
	})
}

func TestOldModulesStayIfOthersEndTheNewOneDuringTheApply(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0), deactivating))
		p := m.Plan(modules(hosts(1), deactivating))
		ended := bytes.Replace(withModules(s.AutomationConfig(payments), reports[:1]), []byte(`"version":215`), []byte(`"version":217`), 1)
		// The first two reads are those before and after the first request.
		s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 2, Times: -1, Status: http.StatusOK, Body: string(ended)})
		m.Apply(p).WantError(t, "[hostnames] Unable to Change Backup Modules", reports[1]+". Plan again to see what is left. No module was deactivated.")
		wantPuts(t, s, 2)
		wantModules(t, s, reports[:2]...)
		if got := m.Attributes()["hostnames"]; fmt.Sprint(got) != fmt.Sprint(hosts(0)) {
			t.Errorf("the state has %v", got)
		}
	})
}

func TestRefusalWithoutALockDoesNotBlameTheKey(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(emulator.Fault{Method: http.MethodPut, Status: http.StatusUnauthorized, Body: `{"error":401,"errorCode":"USER_UNAUTHORIZED"}`, Times: -1})
		m.Apply(p).WantError(t, "has just read the automation configuration", "No external system has locked the project", "Project Automation Admin")
	})
}

func TestLockedProjectNamesTheLockAndItsHolder(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for lock, refusal := range map[string]string{
			"EXTERNALLY_MANAGED_LOCK": `{"error": 401, "errorCode": "USER_UNAUTHORIZED"}`, "ExternallyManagedLock": `{"error": 401}`,
		} {
			s, m := start(t)
			s.SetControlledFeature(payments, object{
				"externalManagementSystem": object{"name": "mongodb-enterprise-operator", "version": "1.33.0"},
				"policies":                 []any{object{"policy": lock, "disabledParams": []any{}}},
			})
			s.Inject(emulator.Fault{
				Method: http.MethodPut, Status: http.StatusUnauthorized, Body: refusal,
			})
			m.Apply(m.Plan(modules(hosts(0))), nil).WantError(
				t, "[project_id] Project Locked by an External System", "401", "the policy "+lock, "mongodb-enterprise-operator 1.33.0",
				"does not remove the lock",
			)
			wantPuts(t, s, 1)
		}
	})
}

func TestKeyWithoutTheRoleCannotPlan(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		_, m := start(t, emulator.Options{Keys: []string{emulator.DefaultPublicKey + ":GLOBAL_BACKUP_ADMIN"}})
		m.Plan(modules(hosts(0))).WantError(t, "Unable to Preview Backup Modules", "USER_UNAUTHORIZED", "Project Automation Admin or Project Owner")
	})
}

func TestMaskedConfigurationIsNotSentBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.PublishAutomationConfig(payments, func(document []byte) []byte {
			return bytes.Replace(document, []byte("future-secret"), []byte("<redacted>"), 1)
		})
		m.Plan(modules(hosts(0))).WantError(t, "[project_id]", "a mask in place of a secret, such as <redacted>", "Nothing was changed")
		m.MustApply(modules([]any{onLedger})) // needs no request
		wantPuts(t, s, 0)
	})
}

// A host whose element has two names can be kept and leave the state, but nothing is sent.
func TestConfigurationWithDuplicatesIsReadAndNotSentBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0)))
		s.PublishAutomationConfig(payments, func(document []byte) []byte {
			return bytes.Replace(document, []byte(`{"hostname":"`+reports[0]), []byte(`{"hostname":"x","hostname":"`+reports[0]), 1)
		})
		m.MustBeSettled(modules(hosts(0)))
		m.Plan(modules(hosts(0, 1))).WantError(t, "[project_id]", "the hostname of a backup module, twice", "Nothing was changed")
		m.Configure()
		m.Destroy()
		wantPuts(t, s, 1)
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
	inBubble(t, func(t *testing.T) {
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
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		old := string(s.AutomationConfig(payments))
		s.Inject(emulator.Fault{Method: http.MethodPut, DropAfter: true})
		s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 1, Times: -1, Status: http.StatusOK, Body: old})
		diags := m.Apply(p)
		diags.WantError(
			t, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION",
			"A request before that got no clear response. "+providertest.MayHaveChanged,
		)
		providertest.WantUnsaid(t, diags.Errors(), "Nothing was changed")
		wantModules(t, s, reports[0])
	})
}

// A conflict with the version that Ops Manager still returns comes from an old response.
func TestTheSameRequestIsNotMadeAgainAfterAResponse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for says, fault := range map[string]emulator.Fault{
			"500 " + providertest.MayHaveChanged: {Status: 500, Body: `{"error":500,"errorCode":"UNEXPECTED_ERROR"}`},
			"504 " + providertest.MayHaveChanged: {Status: 504},
			"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION Another client has changed the automation configuration, " +
				"or Ops Manager returned an old one. Apply again": conflict,
		} {
			s, m := start(t)
			p := m.Plan(modules(hosts(0)))
			fault.Method = http.MethodPut
			s.Inject(fault)
			code, advice, _ := strings.Cut(says, " ")
			m.Apply(p).WantError(t, "Unable to Activate Backup Modules", code, advice)
			wantPuts(t, s, 1)
			m.MustApply(modules(hosts(0)))
		}
	})
}

func TestRequestWithoutAResponseIsMadeAgainAfterAWhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(emulator.Fault{Method: http.MethodPut, DropBefore: true})
		begin := time.Now()
		m.Apply(p).WantNoErrors(t)
		wantPuts(t, s, 2)
		if waited := time.Since(begin); waited < 400*time.Millisecond { // the time that the service may take
			t.Errorf("after %s", waited)
		}
	})
}

func TestInterruptionAfterTheRequestSaysThatItWasAccepted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
			diags := m.Apply(p)
			diags.WantError(t, "interrupted", want)
			providertest.WantUnsaid(t, diags.Errors(), "Nothing was changed")
			providertest.WantNoState(t, m)
			s.ClearFaults()
			m.Context = context.Background()
			m.MustApply(modules(hosts(0)))
		}
	})
}

func TestTimeoutBeforeItsTurnNamesTheOtherResource(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
	inBubble(t, func(t *testing.T) {
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
		wantPuts(t, s, 1)
	})
}

// Without a lock, one of them would overwrite the other, because this Ops Manager does not compare versions.
func TestResourcesOfARunChangeAListOneAfterTheOther(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
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
				m.Apply(plans[i], nil).WantNone(t)
			})
		}
		group.Wait()
		wantModules(t, s, reports...)
		wantPuts(t, s, 3)
	})
}

func TestModulesOfAProjectThatAResourceLeavesAreDeactivated(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0, 1), deactivating))
		m.Configure()
		s.SetAutomationConfig(analytics, []byte(`{"version": 1, "processes": [], "backupVersions": []}`))
		elsewhere := m.Plan(values{"project_id": analytics, "hostnames": []any{unknown}})
		m.Apply(elsewhere, values{"hostnames": []any{"of another project"}}) // deactivates first
		wantModules(t, s)
	})
}
