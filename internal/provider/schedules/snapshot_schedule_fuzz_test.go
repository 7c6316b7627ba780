package schedules_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"terraform-provider-opsmanager/internal/providertest"
)

func FuzzScheduleImportID(f *testing.F) {
	form := regexp.MustCompile(`\A[0-9a-fA-F]{24}/[0-9a-fA-F]{24}\z`)
	f.Fuzz(func(t *testing.T, id string) {
		if !utf8.ValidString(id) || id == "" {
			return // Terraform does not have such texts, and treats an empty one as missing
		}
		state, diags := providertest.ImportUnconfigured(t, providertest.ScheduleType, id)
		if !form.MatchString(id) {
			providertest.WantOne(t, diags, "Invalid Import ID", "project_id/cluster_id", "24 hexadecimal digits")
			if state != nil {
				t.Errorf("%q was imported as %v", id, state)
			}
			return
		}
		if diags != nil || fmt.Sprintf("%s/%s", state["project_id"], state["cluster_id"]) != strings.ToLower(id) {
			t.Errorf("%q was imported as %v: %q", id, state, diags)
		}
	})
}
