package schedules_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
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
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
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
				ImportStateVerifyIgnore:              []string{"reference_hour_of_day", "reference_time_zone_offset"},
			},
		)
		wantSent(t, s, sentFirst, sentSecond, sentThird) // the destroy at the end sends no request
		if got := fmt.Sprint(s.Schedule(providertest.Payments, providertest.Cards)["dailySnapshotRetentionDays"]); got != "15" {
			t.Errorf("after the destroy, daily snapshots are kept for %s days", got)
		}
	})
}

func TestTerraformAppliesThreeSchedulesWithOneChallenge(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		const fraud = "650a1e4a0f2c3d5b7e9f1a2b"
		config := s.Config(fmt.Sprintf(`
resource "opsmanager_snapshot_schedule" "all" {
  count = 3

  project_id                      = %q
  cluster_id                      = [%q, %q, %q][count.index]
  weekly_snapshot_retention_weeks = 7
}`, providertest.Payments, providertest.Ledger, providertest.Cards, fraud))
		providertest.Terraform(t, resource.TestStep{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{providertest.AfterPlan(s.ResetRequests)}},
			ConfigStateChecks: []statecheck.StateCheck{providertest.AfterApply(func() {
				want := `{"weeklySnapshotRetentionWeeks": 7}`
				wantSent(t, s, want, want, want)
				if got := s.Challenges(); got != 1 {
					t.Errorf("%d challenges in one apply", got)
				}
			})},
		})
	})
}

func TestTerraformKeepsTheStateIfAProxyAnswers(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	config := s.CardsConfig("  snapshot_interval_hours = 6")
	providertest.Terraform(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig: func() {
				s.Inject(emulator.Fault{Times: -1, Status: 404, Body: "<html><title>No such page</title></html>", BeforeAuth: true})
			},
			RefreshState: true,
			ExpectError:  regexp.MustCompile(`(?s)Unable to Read Snapshot Schedule.*No such page.*proxy`),
		},
		resource.TestStep{
			PreConfig:        func() { s.ClearFaults() },
			Config:           config,
			ConfigPlanChecks: does(plancheck.ResourceActionNoop),
		},
		resource.TestStep{
			PreConfig: func() {
				s.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"statusName": "INACTIVE"})
			},
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(cardsSchedule, plancheck.ResourceActionCreate),
			}},
		},
	)
}

func TestTerraformPlansARejectedAdoptionAgain(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	providertest.Terraform(t,
		resource.TestStep{
			Config: s.CardsConfig("  cluster_checkpoint_interval_min = 15"),
			PreConfig: func() {
				s.Inject(emulator.Fault{Method: "GET", Path: "/clusters/", Times: -1, Status: 503})
			},
			ExpectError: regexp.MustCompile(`(?s)cluster_checkpoint_interval_min = 15.*CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET.*Remove`),
		},
		resource.TestStep{
			Config:           s.CardsConfig("  weekly_snapshot_retention_weeks = 9"),
			ConfigPlanChecks: does(plancheck.ResourceActionCreate),
		},
	)
}

func TestTerraformStoresTheAdjustedValuesOfAnUpdate(t *testing.T) {
	t.Parallel()
	stubborn := false
	s := providertest.StartService(t, emulator.Options{Adjust: func(_, after map[string]any, _ []string) {
		if stubborn {
			after["weeklySnapshotRetentionWeeks"] = 3
		}
	}})
	config := s.CardsConfig("  weekly_snapshot_retention_weeks = 9")
	providertest.Terraform(t,
		resource.TestStep{Config: s.CardsConfig("  weekly_snapshot_retention_weeks = 8")},
		resource.TestStep{
			PreConfig:   func() { stubborn = true },
			Config:      config,
			ExpectError: regexp.MustCompile(`(?s)Ops Manager Adjusted the Value.*sent\s+9\s.*changed\s+it\s+to\s+3`),
		},
		resource.TestStep{
			PreConfig: func() { stubborn = false },
			Config:    config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(cardsSchedule, plancheck.ResourceActionUpdate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{holds("weekly_snapshot_retention_weeks", knownvalue.Int64Exact(9))},
		},
	)
}
