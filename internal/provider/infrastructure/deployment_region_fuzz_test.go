package infrastructure_test

import (
	"testing"
	"unicode/utf8"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/providertest"
)

func FuzzRegionImportID(f *testing.F) {
	f.Fuzz(func(t *testing.T, id string) {
		if !utf8.ValidString(id) {
			return // Terraform does not have such texts
		}
		state, diags := providertest.ImportUnconfigured(t, providertest.RegionType, id)
		if opsmanager.IsInvalidID(id) {
			providertest.WantOne(t, diags, "Invalid Import ID", "must not be empty")
			return
		}
		if diags != nil || state["deployment_id"] != id {
			t.Errorf("%q is imported as %v: %q", id, state, diags)
		}
	})
}
