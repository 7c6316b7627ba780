package restores_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestRestoreIsRequestedOnceHoweverItsResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, way := range providertest.LostResponses(isHTTP2) {
			t.Run(fmt.Sprintf("HTTP/2 %t, %s", isHTTP2, way), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartLosingService(t, emulator.Options{RestoreReads: -1}, isHTTP2)
				before := len(s.RestoreJobs(payments, ledger))
				r := providertest.NewWorkspace(t, s.Service, providertest.LostResponseSettings(way)).NewResource(providertest.RestoreJobType)
				p := r.Plan(intoCards())
				s.Lose(way, "/restoreJobs")
				diags := r.Apply(p)
				jobs := s.RestoreJobs(payments, ledger)
				diags.WantError(t, "Restore of Cluster ledger ("+ledger+") May Have Been Started", fmt.Sprint(jobs[len(jobs)-1]["id"]))
				providertest.WantEqual(t, len(jobs)-before, 1)
				wantRequests(t, s.Service, 1)
			})
		}
	}
}
