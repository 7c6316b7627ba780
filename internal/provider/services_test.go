package provider_test

import (
	"maps"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesWorkOnEachService(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		w := providertest.NewWorkspace(t, s)
		guarded, place := w.NewResource(providertest.ScheduleType), w.NewResource(providertest.RegionType)
		daily := providertest.Schedule(ledger, values{"daily_snapshot_retention_days": 30})
		guarded.Create(daily)
		place.ImportID(providertest.Europe)
		for _, m := range []*providertest.Resource{guarded, place} {
			m.Refresh().WantNoErrors(t)
		}
		providertest.WantEmptyPlan(t, guarded.Plan(daily))
		providertest.WantEmptyPlan(t, place.Plan(values{"deployment_id": providertest.Europe}))
		before := maps.Clone(s.Schedule(payments, ledger))
		for _, m := range []*providertest.Resource{guarded, place} {
			m.Destroy().WantNoErrors(t)
		}
		if s.Region(providertest.Europe) != nil || s.Schedule(payments, ledger)["dailySnapshotRetentionDays"] != before["dailySnapshotRetentionDays"] {
			t.Error("the region is still there, or the schedule isn't")
		}
	})
}
