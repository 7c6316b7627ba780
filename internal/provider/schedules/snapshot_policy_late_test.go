package schedules_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestPolicyAddsNoClusterWhileOnlySomeFieldsAreKnown(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := newPolicy(t, s)
	final := providertest.Values{"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 12}
	early := providertest.With(final, providertest.Values{"weekly_snapshot_retention_weeks": providertest.Unknown})
	for _, step := range []string{"creation", "another cluster"} {
		p := r.Plan(policy(early, only(providertest.Cards, fraud)))
		providertest.WantOne(t, p.Errors(), "Can't Be Planned", "weekly_snapshot_retention_weeks", "known when you plan")
		if step == "creation" {
			r.Create(policy(final, only(providertest.Cards)))
			r.MustRefresh()
		}
	}
	if errors := r.Plan(policy(early, only(providertest.Cards))).Errors(); len(errors) > 0 {
		t.Errorf("the policy has the cluster already: %q", errors)
	}
}
