package schedules_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, scheduleRegistrations())
}

func TestAnotherSpellingHasAnEmptyPlan(t *testing.T) {
	t.Parallel()
	providertest.CheckSpellings(t, scheduleRegistrations())
}

func TestGuardAppliesToReplacements(t *testing.T) {
	t.Parallel()
	providertest.CheckGuardedReplacement(t, scheduleRegistrations())
}

func TestGuardKeepsLengthenedRetentions(t *testing.T) {
	t.Parallel()
	providertest.CheckGuardedDrift(t, scheduleRegistrations())
}
