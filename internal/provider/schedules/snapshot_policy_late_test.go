package schedules_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestPolicyAddsNoClusterWhileOnlySomeFieldsAreKnown(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := newPolicy(t, s)
	final := values{"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 12}
	early := final.With(values{"weekly_snapshot_retention_weeks": providertest.Unknown})
	for _, step := range []string{"creation", "another cluster"} {
		p := r.Plan(policy(early, only(cards, fraud)))
		p.WantError(t, "Can't Be Planned", "weekly_snapshot_retention_weeks", "known when you plan")
		if step == "creation" {
			r.Create(policy(final, only(cards)))
			r.MustRefresh()
		}
	}
	if errors := r.Plan(policy(early, only(cards))).Errors(); len(errors) > 0 {
		t.Errorf("the policy has the cluster already: %q", errors)
	}
}

// A cluster that joins a policy gets only what the plan showed, at its own time of day, and keeps longer retentions.
func TestClusterThatJoinsGetsWhatThePlanShowed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schedule, more values
		live           object
		line, sent     string
	}{
		"an hour at an offset": {
			schedule: values{"reference_hour_of_day": 6, "reference_time_zone_offset": "+02:00"},
			live:     object{"referenceHourOfDay": 5, "referenceMinuteOfHour": 45},
			line:     "cards: reference_hour_of_day 6 (was 7), reference_time_zone_offset +02:00",
			sent:     `{"referenceHourOfDay":4,"referenceMinuteOfHour":45,"referenceTimeZoneOffset":"+0000"}`,
		},
		"a longer retention": {
			schedule: values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 4},
			more:     values{"retention_mode": "minimum", "retention_protection": true},
			live:     object{"dailySnapshotRetentionDays": 90, "weeklySnapshotRetentionWeeks": 2},
			line:     "cards: daily_snapshot_retention_days 90 (kept, more than 60), weekly_snapshot_retention_weeks 4 (was 2)",
			sent:     `{"weeklySnapshotRetentionWeeks":4}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			s.SetSchedule(payments, cards, test.live)
			r := newPolicy(t, s)
			r.MustApply(policy(test.schedule, only(ledger).With(test.more)))
			s.ResetRequests()
			config := policy(test.schedule, only(ledger, cards).With(test.more))
			r.MustRefresh()
			p := r.Plan(config)
			if shown, _ := p.Values()["clusters"].(values); shown[cards] != test.line {
				t.Errorf("the plan shows %q, want %q", shown[cards], test.line)
			}
			r.MustApply(config)
			wantSent(t, s, test.sent)
		})
	}
}

// A value of a cluster that joins is compared with the plan, also one that the plan saw as the policy wants it.
func TestClusterThatJoinsKeepsWhatAnotherClientChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, meanwhile int
		mode              string
		isDone            bool
	}{
		"a value that the plan showed as different":  {7, 30, "exact", false},
		"a value that the plan showed as the wanted": {60, 30, "exact", false},
		"a value that is the wanted one now":         {7, 60, "exact", true},
		"a longer retention that is shorter now":     {90, 30, "minimum", false},
		"a longer retention that is longer now":      {90, 120, "minimum", true},
		"a shorter retention that is longer now":     {7, 90, "minimum", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			set := func(days int) {
				s.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": days})
			}
			mode := values{"retention_mode": test.mode}
			schedule := values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 8}
			set(test.before)
			r := newPolicy(t, s)
			r.MustApply(policy(schedule, only(ledger).With(mode)))
			r.MustRefresh()
			p := r.Plan(policy(schedule, only(ledger, cards).With(mode)))
			set(test.meanwhile)
			errors := r.Apply(p).Errors()
			if test.isDone {
				if len(errors) > 0 {
					t.Error(errors)
				}
				return
			}
			providertest.WantOne(t, errors, fmt.Sprintf("daily_snapshot_retention_days is %d, and the plan showed %d", test.meanwhile, test.before))
			providertest.WantEqual(t, dailyOf(s, cards), fmt.Sprint(test.meanwhile))
		})
	}
}
