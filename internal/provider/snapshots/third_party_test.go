package snapshots_test

import (
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestNoSnapshotIsRequestedOfAClusterOfAnotherProduct(t *testing.T) {
	t.Parallel()
	const title = "[cluster_id] Cluster Backed Up by Another Product"
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{ThirdPartyBackup: true})
		p := r.Plan(onDemand(nil))
		if len(p.Errors()) > 0 {
			t.Fatal(p.Errors())
		}
		s.SetThirdPartyBackup(providertest.Payments, providertest.Orders, "ACTIVE")
		r.Configure()
		providertest.WantOne(t, r.Apply(p, nil).Errors(), title, "Another product backs up cluster", "leaves it alone")
		r.Configure()
		providertest.WantOne(t, r.Plan(onDemand(nil)).Errors(), title)
		providertest.WantOne(t, r.PlanAction(providertest.OnDemandSnapshotType, onDemand(nil)).Errors(), title)

		s.Inject(emulator.Fault{Path: "/backup/third_party/group/" + providertest.Payments + "/clusters", Times: -1, Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, Header: http.Header{"Content-Type": {"application/json"}}})
		r.Configure()
		for _, warnings := range [][]string{r.Plan(onDemand(nil)).Warnings(), r.PlanAction(providertest.OnDemandSnapshotType, onDemand(nil)).Warnings()} {
			providertest.WantOne(t, warnings, "Snapshot of Cluster orders ("+providertest.Orders+") May Fail", "500 Internal Server Error", "can't tell whether another product backs up cluster", "Project Backup Admin or Project Owner")
		}
		s.SetThirdPartyBackup(providertest.Payments, providertest.Orders, "")
		r.Configure()
		providertest.WantOne(t, create(r, onDemand(nil)).Errors(), "[cluster_id] Third-Party Backup Not Known", "no changes were made")
		wantTaken(t, s, 0, 0)
	})
}
