package schedules_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/providertest"
)

const cardsSchedule = "opsmanager_snapshot_schedule.cards"

func holds(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(cardsSchedule, tfjsonpath.New(attribute), value)
}

func does(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(cardsSchedule, action)}}
}

func TestTerraformManagesAScheduleFromAdoptionToDestroy(t *testing.T) {
	t.Parallel()
	providertest.OnServices(t, providertest.AllServices[:2], func(t *testing.T, s *providertest.Service) {
		const first = `
  snapshot_interval_hours       = 12
  daily_snapshot_retention_days = 0
  reference_hour_of_day         = 1
  reference_time_zone_offset    = "+02:00"`
		const second = `
  snapshot_interval_hours       = 12
  daily_snapshot_retention_days = 15
  reference_hour_of_day         = 1
  reference_time_zone_offset    = "+02:00"`
		sentFirst := `{"snapshotIntervalHours": 12, "dailySnapshotRetentionDays": 0, "referenceHourOfDay": 23, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`
		sentSecond := `{"dailySnapshotRetentionDays": 15}`
		sentThird := `{"referenceHourOfDay": 23, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`
		providertest.Terraform(t,
			resource.TestStep{
				Config:           s.CardsConfig(first),
				ConfigPlanChecks: does(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					holds("daily_snapshot_retention_days", knownvalue.Int64Exact(0)),
					holds("reference_hour_of_day", knownvalue.Int64Exact(1)),
					holds("reference_minute_of_hour", knownvalue.Int64Exact(0)),
					holds("weekly_snapshot_retention_weeks", knownvalue.Int64Exact(4)),
					holds("cluster_checkpoint_interval_min", knownvalue.Null()),
				},
			},
			resource.TestStep{
				PreConfig:        func() { wantSent(t, s, sentFirst) },
				Config:           s.CardsConfig(second),
				ConfigPlanChecks: does(plancheck.ResourceActionUpdate),
			},
			resource.TestStep{
				PreConfig: func() {
					wantSent(t, s, sentFirst, sentSecond)
					s.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"referenceHourOfDay": 4, "weeklySnapshotRetentionWeeks": 30})
				},
				Config: s.CardsConfig(second),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(cardsSchedule, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(cardsSchedule, tfjsonpath.New("reference_hour_of_day"), knownvalue.Int64Exact(1)),
					plancheck.ExpectKnownValue(cardsSchedule, tfjsonpath.New("weekly_snapshot_retention_weeks"), knownvalue.Int64Exact(30)),
				}},
			},
			resource.TestStep{
				PreConfig:         func() { wantSent(t, s, sentFirst, sentSecond, sentThird) },
				ResourceName:      cardsSchedule,
				ImportState:       true,
				ImportStateId:     providertest.Payments + "/" + providertest.Cards,
				ImportStateVerify: true,
				// An import has no configured offset, so the time is in UTC, as Ops Manager stores
				// it.
				ImportStateVerifyIdentifierAttribute: "cluster_id",
				ImportStateVerifyIgnore:              []string{"reference_hour_of_day", "reference_time_zone_offset", "overwrites"},
			},
		)
		wantSent(t, s, sentFirst, sentSecond, sentThird) // the destroy at the end sends no request
		if got := fmt.Sprint(s.Schedule(providertest.Payments, providertest.Cards)["dailySnapshotRetentionDays"]); got != "15" {
			t.Errorf("after the destroy, daily snapshots are kept for %s days", got)
		}
	})
}
