package schedules_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestScheduleOfATerminatedBackupIsGone(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.ScheduleType)
	config := providertest.Schedule(providertest.Cards, providertest.Values{"daily_snapshot_retention_days": 30})
	r.Create(config)
	s.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"statusName": "INACTIVE"})
	if diags := r.Refresh(); len(diags) > 0 {
		t.Errorf("got %v", diags)
	}
	providertest.WantNoState(t, r)
	p := r.Plan(config)
	providertest.WantOne(t, p.Warnings(), providertest.Cards, "No Preview")
}
