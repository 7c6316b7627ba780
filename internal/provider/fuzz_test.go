package provider_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"terraform-provider-opsmanager/internal/provider/providertest"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// importedAs imports by id with a provider that calls nothing, because its
// address is not known yet; and again by the identity that came of it.
func importedAs(t *testing.T, typeName, id string) (providertest.Values, []string) {
	t.Helper()
	w, told := configure(t, nil, needed("", providertest.Values{"base_url": providertest.Unknown}))
	if len(told.Errors()) > 0 {
		t.Fatal(told.Errors())
	}
	byID := w.NewResource(typeName)
	told = byID.ImportID(id)
	for _, text := range told.Errors() {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("not printable: %q", text)
		}
	}
	if len(told.Errors()) > 0 {
		return byID.Attributes(), told.Errors()
	}
	byIdentity := w.NewResource(typeName)
	if told := byIdentity.ImportIdentity(byID.Identity); len(told.Errors()) > 0 || !reflect.DeepEqual(byIdentity.Attributes(), byID.Attributes()) {
		t.Errorf("%q is imported as %v, and by its identity as %v: %q", id, byID.Attributes(), byIdentity.Attributes(), told.Errors())
	}
	return byID.Attributes(), nil
}

func FuzzScheduleImportID(f *testing.F) {
	form := regexp.MustCompile(`\A[0-9a-fA-F]{24}/[0-9a-fA-F]{24}\z`)
	f.Fuzz(func(t *testing.T, id string) {
		if !utf8.ValidString(id) || id == "" {
			return // Terraform has no such text, and takes the empty one for none
		}
		state, told := importedAs(t, providertest.ScheduleType, id)
		if !form.MatchString(id) {
			providertest.WantOne(t, told, "Invalid Import ID", "project_id/cluster_id", "24 hexadecimal digits")
			if state != nil {
				t.Errorf("%q is imported as %v", id, state)
			}
			return
		}
		if told != nil || fmt.Sprintf("%s/%s", state["project_id"], state["cluster_id"]) != strings.ToLower(id) {
			t.Errorf("%q is imported as %v: %q", id, state, told)
		}
	})
}

func FuzzRegionImportID(f *testing.F) {
	f.Fuzz(func(t *testing.T, id string) {
		if !utf8.ValidString(id) {
			return // Terraform has no such text
		}
		state, told := importedAs(t, providertest.RegionType, id)
		if opsmanager.IsInvalidID(id) {
			providertest.WantOne(t, told, "Invalid Import ID", "must not be empty")
			return
		}
		if told != nil || state["deployment_id"] != id {
			t.Errorf("%q is imported as %v: %q", id, state, told)
		}
	})
}
