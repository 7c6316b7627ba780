package stores_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, storeRegistrations())
}
