package provider_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// If an item were missing from a list, a configuration that is generated from it would lack a resource.
func TestIncompleteListIsAnErrorOfAQuery(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	w := providertest.NewWorkspace(t, s)
	for typeName, config := range map[string]values{providertest.ScheduleType: {"project_id": payments}, providertest.RegionType: {}} {
		w.Query(typeName, config, false, 0)[0].WantError(t, "Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage")
	}
}
