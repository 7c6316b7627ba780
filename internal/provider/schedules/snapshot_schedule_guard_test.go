package schedules_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestGuardOfAPolicyCoversAClusterThatItLeavesInAnyOrderOfThePlans(t *testing.T) {
	t.Parallel()
	for _, policyFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("policy first %v", policyFirst), func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, providertest.PolicyType, emulator.Options{})
			guard := providertest.Values{"retention_protection": true}
			r.Create(policy(daily(30), providertest.With(only(providertest.Cards, fraud), guard)))
			r.Workspace.Configure()
			schedule := r.Workspace.NewResource(providertest.ScheduleType)
			var errors []string
			plans := []func(){
				func() {
					if errors = append(errors, r.Refresh().Errors()...); len(errors) == 0 {
						errors = append(errors, r.Plan(policy(daily(30), providertest.With(only(fraud), guard))).Errors()...)
					}
				},
				func() {
					errors = append(errors, schedule.Plan(providertest.Schedule(providertest.Cards, daily(7))).Errors()...)
				},
			}
			if !policyFirst {
				slices.Reverse(plans)
			}
			plans[0]()
			plans[1]()
			providertest.WantOne(t, errors, "Would Be Reduced", "30 -> 7")
		})
	}
}

func TestGuardOfAScheduleCoversTheClusterThatItLeavesInAnyOrderOfThePlans(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("guarded first %v", first), func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, providertest.ScheduleType, emulator.Options{})
			guard := providertest.Values{"retention_protection": true}
			r.Create(providertest.Schedule(providertest.Cards, providertest.With(daily(30), guard)))
			r.Workspace.Configure()
			other := r.Workspace.NewResource(providertest.ScheduleType)
			var errors []string
			plans := []func(){
				func() {
					if errors = append(errors, r.Refresh().Errors()...); len(errors) == 0 {
						errors = append(errors, r.Plan(providertest.Schedule(fraud, guard)).Errors()...)
					}
				},
				func() {
					errors = append(errors, other.Plan(providertest.Schedule(providertest.Cards, daily(7))).Errors()...)
				},
			}
			if !first {
				slices.Reverse(plans)
			}
			plans[0]()
			plans[1]()
			providertest.WantOne(t, errors, "Would Be Reduced", "30 -> 7")
		})
	}
}

func TestGuardOfASchedulePreventsWhatAnotherOnePlannedBeforeItsRefresh(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.ScheduleType, emulator.Options{})
	r.Create(providertest.Schedule(providertest.Cards, providertest.With(daily(30), providertest.Values{"retention_protection": true})))
	r.Workspace.Configure()
	errors := r.Workspace.NewResource(providertest.ScheduleType).Plan(providertest.Schedule(providertest.Cards, daily(7))).Errors()
	providertest.WantOne(t, append(errors, r.Refresh().Errors()...), "Would Be Reduced", "30 -> 7")
}
