package alerts_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// The suite manages an imported alert configuration, because each creation creates another one.
func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, alertConfigRegistrations())
}
