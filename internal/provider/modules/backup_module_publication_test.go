package modules_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// behind makes reads return an old automation configuration, as a node of Ops Manager that is behind does.
func behind(s *providertest.Service, old []byte, skip, times int) {
	s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: skip, Times: times, Status: http.StatusOK, Body: string(old)})
}

// The second resource of a run reads the automation configuration from before the change of the first
// one. This Ops Manager does not compare versions, so a request would undo that change.
func TestOlderAutomationConfigurationIsNotSentBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, first := start(t, emulator.Options{TransitionReads: -1, Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}})
		second := first.NewResource(providertest.BackupModuleType)
		p, q := first.Plan(modules(hosts(0))), second.Plan(modules(hosts(1)))
		old := s.AutomationConfig(payments)
		first.Apply(p).WantNoErrors(t)
		behind(s, old, 0, -1)
		second.Apply(q).WantError(
			t, "Unable to Activate Backup Modules", "older automation configuration than before", "A node of Ops Manager may be behind",
			"Nothing was changed. Apply again in a minute.",
		)
		wantPuts(t, s, 1)
		wantModules(t, s, reports[0])
		s.ClearFaults()
		second.MustApply(modules(hosts(1)))
		wantModules(t, s, reports[:2]...)
	})
}

func TestRefusalDuringAnUpgradeIsRepeated(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		upgrading := emulator.Fault{
			Method: http.MethodPut, Status: http.StatusMethodNotAllowed,
			Body: `{"error":405,"errorCode":"WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"}`,
		}
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		s.Inject(upgrading)
		m.Apply(p).WantNoErrors(t)
		wantPuts(t, s, 2)
		upgrading.Times = -1
		p = m.Plan(modules(hosts(0, 1)))
		s.Inject(upgrading)
		m.Apply(p).WantError(t, "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES", "Apply again after the upgrade. Nothing was changed.")
		wantPuts(t, s, 2+5)
	})
}

func TestRetryAfterOfARefusedChangeIsRespected(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		m.Server = s.NewServer(20 * time.Millisecond) // without the header, the pause would be shorter
		m.Configure()
		p := m.Plan(modules(hosts(0)))
		s.Inject(emulator.Fault{Method: http.MethodPut, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3600"}}})
		begin := time.Now()
		m.Apply(p).WantNoErrors(t)
		wantPuts(t, s, 2)
		if waited := time.Since(begin); waited < providertest.LongestWait {
			t.Errorf("after %s", waited)
		}
	})
}

func TestStaleNonceOfAChangeDoesNotBlameTheRole(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0)))
		challenge := `Digest realm="MMS Public API", domain="", nonce="n", algorithm=MD5, qop="auth", stale=true`
		s.Inject(emulator.Fault{Method: http.MethodPut, Status: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {challenge}}, Times: -1})
		diags := m.Apply(p)
		diags.WantError(t, "A load balancer may send requests to servers that don't accept each other's nonces", "Nothing was changed")
		providertest.WantUnsaid(t, diags.Errors(), "role")
	})
}

func TestDestroyFailsIfTheProjectIsNotFound(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := applied(t, modules(hosts(0), deactivating))
		m.Configure()
		m.MustRefresh()
		p := m.Plan(nil)
		s.Inject(emulator.Fault{
			Method: http.MethodGet, Path: "/automationConfig", Status: http.StatusNotFound,
			Body: `{"error":404,"errorCode":"GROUP_NOT_FOUND"}`,
		})
		m.Apply(p).WantError(
			t, "[project_id] Unable to Deactivate Backup Modules", "GROUP_NOT_FOUND", "the API key has no role in it",
			"terraform state rm", "Nothing was changed.",
		)
		providertest.WantAttributes(t, m, values{"project_id": payments})
		wantModules(t, s, reports[0])
	})
}

func TestModulesThatOthersHaveEndedAreNotActivatedAgainByAPlanThatKeepsThem(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for _, test := range map[string]struct {
			from, to   []any
			left, lost string // hosts of reports
			want       string
		}{
			"all of them":       {hosts(0), hosts(0, 1), "", reports[0], "Nothing was changed."},
			"one of them":       {hosts(0, 1), hosts(0, 1, 2), reports[1], reports[0], "Nothing was changed."},
			"a removal":         {hosts(0, 1, 2), hosts(0, 1), reports[1], reports[0], "No module was deactivated."},
			"a replacement":     {hosts(0, 1), hosts(0, 2), reports[1], reports[0], "Nothing was changed."},
			"the only kept one": {hosts(0, 1), hosts(1), reports[0], reports[1], "No module was deactivated."},
		} {
			s, m := applied(t, modules(test.from, deactivating))
			m.Configure()
			m.MustRefresh()
			p := m.Plan(modules(test.to, deactivating))
			left := slices.DeleteFunc([]string{test.left}, func(host string) bool { return host == "" })
			publish(s, left)
			m.Apply(p).WantError(
				t, "[hostnames] Unable to Change Backup Modules",
				"changed since the plan: those of these hosts are no longer active: "+test.lost+". Plan again", test.want,
			)
			wantPuts(t, s, 1)
			wantModules(t, s, left...)
			m.MustRefresh()
			m.MustApply(modules(test.to, deactivating)) // its plan shows them
		}
	})
}

func TestModuleThatOthersEndBeforeASecondRequestIsNotActivatedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		for _, fault := range []emulator.Fault{
			{DropAfter: true},
			conflict,
		} {
			s, m := applied(t, modules(hosts(0, 1)))
			p := m.Plan(modules(hosts(0, 1, 2)))
			fault.Method = http.MethodPut
			s.Inject(fault)
			s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/automationConfig", Skip: 1, Delay: time.Second})
			done := make(chan struct{})
			go func() {
				defer close(done)
				awaitPuts(t, s, 2)
				publish(s, reports[1:2])
			}()
			errors := m.Apply(p).Errors()
			<-done
			providertest.WantOne(t, errors, "changed since the plan: those of these hosts are no longer active: "+reports[0]+". ")
			if isUnclear := strings.Contains(errors[0], "A request before that got no clear response."); isUnclear != fault.DropAfter || puts(s) != 2 {
				t.Errorf("%d requests, %q", puts(s), errors)
			}
			wantModules(t, s, reports[1])
		}
	})
}

func TestUnchangedPlanReadsTheAutomationConfigurationOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		config := modules(hosts(0, 1), deactivating)
		m.MustApply(config)
		m.Configure()
		s.ResetRequests()
		m.MustRefresh()
		providertest.WantEmptyPlan(t, m.Plan(config))
		providertest.WantEqual(t, s.Calls(), []string{"GET /groups/" + payments + "/automationConfig"})
	})
}

// A plan could not see that the same run manages a module that it deactivates, because the hosts of the
// other resource were not known, and another process has planned that.
func TestModuleThatAnotherResourceAdoptsMeanwhileStaysActive(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		late := modules([]any{unknown})
		for name, remaining := range map[string]values{"update": modules(hosts(2), deactivating), "destroy": nil} {
			s, first := start(t)
			second := first.NewResource(providertest.BackupModuleType)
			first.MustApply(modules(hosts(0, 1), deactivating))
			s.StopAgent(payments, reports[2])
			p := first.Plan(remaining)
			first.Configure()
			q := second.Plan(late)
			first.Configure() // Terraform starts one process for the apply of both
			var kept, adopted providertest.Diagnostics
			var group sync.WaitGroup
			if remaining != nil {
				group.Go(func() { kept = first.Apply(p) })
				awaitPuts(t, s, 2)
				adopted = second.Apply(q, modules(hosts(1)))
				s.StartAgent(payments, reports[2])
			} else {
				s.Inject(emulator.Fault{Method: http.MethodGet, Path: "/agents/BACKUP", Skip: 1, Delay: time.Second}) // in the wait for the module
				before := len(s.Sent(http.MethodGet, "/agents/BACKUP"))
				group.Go(func() { adopted = second.Apply(q, modules(hosts(1))) })
				providertest.Await(t, "the wait", func() bool { return len(s.Sent(http.MethodGet, "/agents/BACKUP")) >= before+2 })
				kept = first.Apply(p)
			}
			group.Wait()
			if errors := append(kept.Errors(), adopted.Errors()...); len(errors) > 0 {
				t.Errorf("%s: %q", name, errors)
			}
			kept.WantWarning(
				t, "Backup Modules of Project Payments ("+payments+") Kept",
				"Another resource of this apply has the same hosts, so their backup modules stay active: "+reports[1]+".",
			)
			second.MustBeSettled(modules(hosts(1)))
		}
	})
}

// A server that leaves the list of modules out of its answers may have ignored the change. A project without a module
// may have no list, so the deactivation of the last one is not told apart.
func TestListThatTheAnswersLeaveOutDoesNotCountAsChanged(t *testing.T) {
	t.Parallel()
	for name, to := range map[string][]any{"an activation": hosts(0, 1), "a deactivation": hosts(1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				d := providertest.FaultProxyInMemory()
				m := providertest.NewWorkspace(t, d.Service).NewResource(providertest.BackupModuleType)
				from := hosts(0, 1)
				if name == "an activation" {
					from = hosts(0)
				}
				m.MustApply(modules(from, deactivating))
				m.Configure()
				p := m.Plan(modules(to, deactivating))
				before := d.AutomationConfig(payments)
				isChanged := false
				d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					if request.Method == http.MethodPut {
						isChanged = true
					}
					providertest.Rewrite(func(_ *http.Request, document object) {
						if isChanged && strings.HasSuffix(request.URL.Path, "/automationConfig") {
							delete(document, "backupVersions")
						}
					})(w, request, service)
				})
				errors := m.Apply(p).Errors()
				d.Handle(nil)
				providertest.WantOne(t, errors, "Unable to Change Backup Modules", "did not return it afterwards")
				if !isChanged || bytes.Equal(before, d.AutomationConfig(payments)) {
					t.Error("nothing was sent")
				}
				if m.State.IsNull() {
					t.Error("the state is gone")
				}
			})
		})
	}
}
