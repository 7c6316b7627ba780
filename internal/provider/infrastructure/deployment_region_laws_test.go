package infrastructure_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestRegionKeepsWhatAnotherClientChangesBeforeAnyRead(t *testing.T) {
	t.Parallel()
	providertest.CheckLateChanges(t, regionRegistrations()[0])
}

func TestMaskInARegionIsNeverSentBack(t *testing.T) {
	t.Parallel()
	providertest.CheckMasks(t, regionRegistrations()[0])
}

func TestAbsenceOfAFieldOfARegion(t *testing.T) {
	t.Parallel()
	providertest.CheckAbsences(t, regionRegistrations()[0], map[string]string{
		"deploymentDescription": providertest.Needed, "ingestionEndpoint": providertest.Needed, "restoreEndpoint": providertest.Needed,
		"bqProxyEndpoint": providertest.Needed, "assignmentEnabled": providertest.Unsaid,
	})
}
