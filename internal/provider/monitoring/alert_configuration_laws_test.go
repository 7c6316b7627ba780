package monitoring_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// The suite manages an imported alert configuration, because each creation creates another one.
func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, alertConfigRegistrations())
}

func TestElementsOfAListOfAnAlertConfigurationKeepWhatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	providertest.CheckElements(t, alertConfigRegistrations()[0], providertest.Elements{
		Attribute: "notifications", Field: "notifications",
		First: email("dba@example.com", 60), Second: group(nil), Third: email("ops@example.com", 60), Changed: email("dba@example.com", 30),
	})
}

func TestAlertConfigurationKeepsWhatAnotherClientChangesBeforeAnyRead(t *testing.T) {
	t.Parallel()
	providertest.CheckLateChanges(t, alertConfigRegistrations()[0])
}

func TestMaskInAnAlertConfigurationIsNeverSentBack(t *testing.T) {
	t.Parallel()
	providertest.CheckMasks(t, alertConfigRegistrations()[0])
	providertest.CheckMasks(t, alertConfigRegistrations()[1])
}

func TestAbsenceOfAFieldOfAnAlertConfiguration(t *testing.T) {
	t.Parallel()
	providertest.CheckAbsences(t, alertConfigRegistrations()[0], map[string]string{
		"enabled": providertest.Needed, "notifications": providertest.Unsaid, "threshold": providertest.UnsetOnceReturned,
	})
}
