package backups_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

var thirdPartyOptions = emulator.Options{ThirdPartyBackup: true, TransitionReads: -1}

// asked returns the number of requests for the third-party backups.
func asked(s *providertest.Service) int {
	return len(slices.DeleteFunc(s.Calls(http.MethodGet), func(call string) bool { return !strings.Contains(call, "third_party") }))
}

func TestBackupOfAnotherProductIsNotChanged(t *testing.T) {
	t.Parallel()
	starts := started(reports, nil)
	settings := backupConfig(providertest.Cards, providertest.Values{"ssl_enabled": false})
	stops := backupConfig(providertest.Cards, providertest.Values{"status_name": "STOPPED"})
	ends := backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"})
	for name, test := range map[string]struct {
		state, config providertest.Values
	}{
		"adopting and starting":  {nil, starts},
		"adopting and stopping":  {nil, stops},
		"adopting as it is":      {nil, backupConfig(providertest.Cards, nil)},
		"changing a setting":     {backupConfig(providertest.Cards, nil), settings},
		"stopping":               {backupConfig(providertest.Cards, nil), stops},
		"terminating by destroy": {ends, nil},
	} {
		for state, says := range map[string][]string{
			"ACTIVE":      {"[cluster_id] Cluster Backed Up by Another Product", "Another product backs up cluster", "leaves it alone", "terraform state rm"},
			"DISCOVERING": {"[cluster_id] Third-Party Backup Not Known", `"DISCOVERING", which is not documented`, "no changes were made", "until that one is INACTIVE or gone", "terraform state rm"},
		} {
			t.Run(name+", "+state, func(t *testing.T) {
				t.Parallel()
				s, r := providertest.StartResource(t, providertest.BackupConfigType, thirdPartyOptions)
				if test.state != nil {
					r.MustApply(test.state)
				}
				early := r.Plan(test.config) // while Ops Manager makes the backup
				if len(early.Errors()) > 0 {
					t.Fatal(early.Errors())
				}
				for _, cluster := range []string{providertest.Cards, reports} {
					s.SetThirdPartyBackup(providertest.Payments, cluster, state)
				}
				writes := len(s.Writes())
				if test.state != nil || test.config["status_name"] != nil { // an adoption without a change sends nothing
					providertest.WantOne(t, r.Apply(early, nil).Errors(), says...)
				}
				r.Configure()
				providertest.WantOne(t, r.Plan(test.config).Errors(), says...)
				if got := s.Writes(); len(got) != writes {
					t.Errorf("sent %q", got[writes:])
				}
			})
		}
	}
}

func TestABackupThatAnotherProductTakesOverWhileItIsStoppedIsNotTerminated(t *testing.T) {
	t.Parallel()
	var s *providertest.Service
	options := thirdPartyOptions
	options.OnRequest = func(r emulator.Request) {
		if r.Method == http.MethodPatch && r.Authenticated {
			s.SetThirdPartyBackup(providertest.Payments, providertest.Cards, "ACTIVE")
		}
	}
	s = providertest.StartService(t, options)
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.BackupConfigType)
	r.MustApply(backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"}))
	providertest.WantOne(t, r.Destroy().Errors(), "Cluster Backed Up by Another Product")
	if sent := fmt.Sprint(s.Sent("PATCH", "")); strings.Contains(sent, "TERMINATING") || !strings.Contains(sent, "STOPPED") {
		t.Errorf("sent %s", sent)
	}
}

func TestStateOfABackupThatAnotherProductTookOverCanBeKept(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BackupConfigType, thirdPartyOptions)
	config := backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"})
	r.MustApply(config)
	s.SetThirdPartyBackup(providertest.Payments, providertest.Cards, "ACTIVE")
	r.Configure()
	r.MustBeSettled(config)
	if diags := r.Apply(r.Plan(backupConfig(providertest.Cards, nil)), nil); len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	if diags := r.Destroy(); len(diags.Errors()) > 0 || len(s.Writes()) > 0 {
		t.Errorf("got %q, sent %q", diags.Errors(), s.Writes())
	}
}

// A key that only plans may not read the third-party backups. An apply that can't read them changes nothing.
func TestUnknownOwnerOfABackupStopsTheApplyAndNotThePlan(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"no role":         {Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, Header: http.Header{"Content-Type": {"application/json"}}},
		"a failure":       {Status: 500, Body: `{"resource": "/", "errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "version": "1", "status": "ERROR"}`, Header: http.Header{"Content-Type": {"application/json"}}},
		"another product": {Status: 200, Body: "<html></html>"},
		"an outage":       {Status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, thirdPartyOptions)
			r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 0}).NewResource(providertest.BackupConfigType)
			fault.Path, fault.Times = "/backup/third_party/group/"+providertest.Payments+"/clusters", -1
			s.Inject(fault)
			p := r.Plan(started(reports, nil))
			if len(p.Errors()) > 0 {
				t.Fatal(p.Errors())
			}
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "[cluster_id] Third-Party Backup Not Known", "can't tell whether another product backs up", "no changes were made", "GET /backup/third_party")
			providertest.WantNoState(t, r)
			if got := s.Writes(); len(got) > 0 {
				t.Errorf("sent %q", got)
			}
			r.Configure()
			s.ResetRequests()
			for _, cluster := range []string{providertest.Ledger, reports} {
				r.NewResource(providertest.BackupConfigType).Plan(started(cluster, nil))
			}
			if got := asked(s); got != 1 {
				t.Errorf("asked %d times", got)
			}
		})
	}
}

func TestThirdPartyBackupThatHasEndedStopsNothing(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BackupConfigType, thirdPartyOptions)
	s.SetThirdPartyBackup(providertest.Payments, reports, "INACTIVE")
	r.MustApply(started(reports, nil))
}

func TestThirdPartyBackupsAreReadOnceForEachProject(t *testing.T) {
	t.Parallel()
	for _, options := range []emulator.Options{{TransitionReads: -1}, thirdPartyOptions} {
		s := providertest.StartService(t, options)
		w := providertest.NewWorkspace(t, s, nil)
		for _, cluster := range []string{providertest.Cards, providertest.Ledger, reports} {
			if diags := w.NewResource(providertest.BackupConfigType).Plan(started(cluster, nil)); len(diags.Errors()) > 0 {
				t.Fatal(diags.Errors())
			}
		}
		if got := asked(s); got != 1 {
			t.Errorf("asked %d times", got)
		}
	}
}
