package restores_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestTerraformRequestsARestoreOnceHoweverItsResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", isHTTP2), func(t *testing.T) {
			t.Parallel()
			w := providertest.StartRun(t, emulator.Options{})
			s := providertest.StartLosingService(t, emulator.Options{RestoreReads: -1}, isHTTP2)
			w.Service = s.Service
			authority := filepath.Join(w.Dir, "ca.pem")
			if err := os.WriteFile(authority, []byte(providertest.Certificates().Authority), 0o600); err != nil {
				t.Fatal(err)
			}
			w.Env = append(w.Env, "TF_CLI_ARGS_apply=-auto-approve", "OPSMANAGER_CA_CERT_FILE="+authority)
			for i, way := range providertest.Sample(3, providertest.LostResponses(isHTTP2)...) {
				before := len(s.RestoreJobs(providertest.Payments, providertest.Ledger))
				w.Configure(intoCardsBlock("drill", heldSnapshot, way, ""))
				written, err := os.ReadFile(filepath.Join(w.Dir, "main.tf"))
				if err != nil {
					t.Fatal(err)
				}
				w.Write("main.tf", strings.Replace(string(written), "base_url ", fmt.Sprintf("request_timeout = %q\n  base_url ", providertest.LostResponseTimeout(way)), 1))
				s.Lose(way, "/restoreJobs")
				wantFailure(w, "May Have Been Started", "apply")
				jobs := s.RestoreJobs(providertest.Payments, providertest.Ledger)
				if started := len(jobs) - before; started != 1 {
					t.Errorf("%s: %d restores", way, started)
				}
				wantFailure(w, fmt.Sprint(jobs[len(jobs)-1]["id"]), "apply")
				wantRequests(t, s.Service, i+1)
				w.MustRun("state", "rm", drill)
			}
		})
	}
}

func TestActionRequestsARestoreOnceHoweverItsResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, way := range providertest.LostResponses(isHTTP2) {
			t.Run(fmt.Sprintf("HTTP/2 %t, %s", isHTTP2, way), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartLosingService(t, emulator.Options{RestoreReads: -1}, isHTTP2)
				before := len(s.RestoreJobs(providertest.Payments, providertest.Ledger))
				w := providertest.NewWorkspace(t, s.Service, providertest.Values{"ca_cert_pem": providertest.Certificates().Authority, "request_timeout": providertest.LostResponseTimeout(way), "max_retries": 3})
				if diags := w.PlanAction(providertest.RestoreJobType, ordered()); len(diags.Errors()) > 0 {
					t.Fatal(diags.Errors())
				}
				s.Lose(way, "/restoreJobs")
				_, diags := w.InvokeAction(providertest.RestoreJobType, ordered())
				jobs := s.RestoreJobs(providertest.Payments, providertest.Ledger)
				providertest.WantOne(t, diags.Errors(), "Restore of Cluster ledger ("+providertest.Ledger+") May Have Been Started", fmt.Sprint(jobs[len(jobs)-1]["id"]), "another restore")
				if started := len(jobs) - before; started != 1 {
					t.Errorf("%d restores", started)
				}
				wantRequests(t, s.Service, 1)
			})
		}
	}
}
