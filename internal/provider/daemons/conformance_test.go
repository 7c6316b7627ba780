package daemons_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, slices.Concat(daemonRegistrations(), jobConfigRegistrations()))
}

func TestOtherSpellingsOfAProjectAreTheSameProject(t *testing.T) {
	t.Parallel()
	providertest.CheckSpellings(t, jobConfigRegistrations()[:1])
}
