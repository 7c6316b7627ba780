package modules_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

var briefly = values{"timeouts": values{"create": "1s", "update": "1s"}}

// withSpelling returns a document whose list of backup modules has the first host of reports in capitals.
func withSpelling(document []byte) []byte {
	return bytes.Replace(withModules(document, reports[:1]), []byte(`"`+reports[0]), []byte(`"REPORTS-0.payments.example.com`), 1)
}

func TestModuleThatOthersEndDuringTheWaitIsNamed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.StopAgent(payments, reports[0])
		s.StopAgent(payments, reports[1])
		config := modules(hosts(0, 1), briefly)
		p := m.Plan(config)
		done := make(chan struct{})
		go func() {
			defer close(done)
			awaitPuts(t, s, 1)
			time.Sleep(300 * time.Millisecond)
			publish(s, reports[:1])
		}()
		m.Apply(p).WantError(t, "[hostnames] Backup Modules Not Running",
			"\n  - "+reports[0]+": no report yet.\n  - "+reports[1]+": no report yet. Others have removed it from the automation "+
				"configuration in the meantime. The next plan activates it.\n\n")
		<-done
	})
}

func TestModuleInAnotherCaseThanItsAgentIsNamed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		s.PublishAutomationConfig(payments, withSpelling)
		const spellings = `The automation configuration has it as "REPORTS-0.payments.example.com", ` +
			`and its agent is registered as "reports-0.payments.example.com"`
		p := m.Plan(modules(hosts(0), briefly))
		p.WantWarning(t, "[hostnames] Backup Module in Another Spelling", spellings)
		m.Apply(p).WantError(
			t, "Backup Modules Not Running", ": no report yet. "+spellings,
			"deactivate the module in the console of Ops Manager and apply again",
		)
		wantPuts(t, s, 0)
		s.PublishAutomationConfig(payments, func(document []byte) []byte {
			return bytes.Replace(document, []byte(`"REPORTS-0`), []byte(`"other`), 1)
		})
		m.MustApply(modules(hosts(0)))
	})
}

// The clock of Ops Manager, or of a proxy, is an hour ahead of the times in its responses.
func TestWaitThatFailsBecauseOfAClockNamesTheClock(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s, m := start(t)
		p := m.Plan(modules(hosts(0), briefly))
		now := time.Date(2026, 5, 1, 13, 0, 0, 0, time.UTC)
		s.Inject(emulator.Fault{
			Method: http.MethodGet, Path: "/agents/BACKUP", Skip: 1, Times: -1, Status: http.StatusOK,
			Header: http.Header{"Date": {now.Format(http.TimeFormat)}},
			Body:   `{"totalCount":1,"results":[{"typeName":"BACKUP","hostname":"` + reports[0] + `","lastConf":"2026-05-01T12:00:00Z"}]}`,
		})
		m.Apply(p).WantError(t, "Backup Modules Not Running", "last report at 2026-05-01T12:00:00Z. The clock of Ops Manager says 2026-05-01T13:00:00Z.")
	})
}
