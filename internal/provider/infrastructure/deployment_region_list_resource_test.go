package infrastructure_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestQueriedRegionsHaveAnEmptyPlan(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	results := w.Query(providertest.RegionType, nil, true, 0)
	if got, want := providertest.Names(results), []string{"AU_NZ", "EU/West 1", "NY_NJ"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, one := range results {
		exported, ok := providertest.Plain(one.Resource).(values)
		if !ok || len(one.Diagnostics) > 0 {
			t.Fatalf("%s comes with %v %v", one.Name, exported, one.Errors())
		}
		r := w.NewResource(providertest.RegionType)
		r.ImportIdentity(one.Identity)
		if !r.State.Equal(one.Resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.Name, exported, r.Attributes())
		}
		providertest.WantEmptyPlan(t, r.Plan(exported))
	}
}
