package provider_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestQueriedRegionsPlanEmptyAsTheyAre(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	results := w.query(regionType, nil, true, 0)
	if got, want := names(results), []string{"AU_NZ", "EU/West 1", "NY_NJ"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, one := range results {
		exported, ok := plain(one.resource).(values)
		if !ok || len(one.diagnostics) > 0 {
			t.Fatalf("%s comes with %v %v", one.name, exported, one.errors())
		}
		r := w.resource(regionType)
		r.importIdentity(one.identity)
		if !r.state.Equal(one.resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.name, exported, r.attributes())
		}
		wantEmpty(t, r.plan(exported))
	}
	if got := w.query(regionType, nil, false, 2); len(got) != 2 || !got[0].resource.IsNull() {
		t.Errorf("two names were asked for, got %q", names(got))
	}
	for range w.queried(regionType, nil, false, 0) {
		break // who has seen enough is not told more
	}
	documented := openWorkspace(t, startService(t, emulator.Options{Profile: emulator.Documented}), nil)
	wantOne(t, documented.query(regionType, nil, false, 0)[0].errors(), "Unable to List Deployment Regions", "version")
}
