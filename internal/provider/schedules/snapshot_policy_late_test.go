package schedules_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestPolicyAddsNoClusterWhileOnlySomeFieldsAreKnown(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	final := values{"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 12}
	early := final.With(values{"weekly_snapshot_retention_weeks": unknown})
	for _, step := range []string{"creation", "another cluster"} {
		p := r.Plan(policy(early, only(cards, fraud)))
		p.WantError(t, "Can't Be Planned", "weekly_snapshot_retention_weeks", "known when you plan")
		if step == "creation" {
			r.Create(policy(final, only(cards)))
			r.MustRefresh()
		}
	}
	r.Plan(policy(early, only(cards))).WantNoErrors(t)
}

// A value of a cluster that joins is compared with the plan, also one that the plan saw as the policy wants it.
func TestClusterThatJoinsKeepsWhatAnotherClientChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, meanwhile int
		mode              values
		isDone            bool
	}{
		"a value that the plan showed as different":  {7, 30, nil, false},
		"a value that the plan showed as the wanted": {60, 30, nil, false},
		"a value that is the wanted one now":         {7, 60, nil, true},
		"a shorter retention that is longer now":     {7, 90, minimum, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t)
			setDaily(s, ledger, test.before)
			p := joinPolicy(t, r, values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 9}, test.mode)
			setDaily(s, ledger, test.meanwhile)
			diags := r.Apply(p)
			if test.isDone {
				diags.WantNoErrors(t)
				return
			}
			diags.WantError(t, fmt.Sprintf("daily_snapshot_retention_days is %d, and the plan showed %d", test.meanwhile, test.before))
			providertest.WantEqual(t, dailyOf(s, ledger), fmt.Sprint(test.meanwhile))
		})
	}
}
