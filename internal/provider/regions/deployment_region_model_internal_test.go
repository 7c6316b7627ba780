package regions

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// described returns a model that has all required fields.
func described() regionModel {
	return regionModel{
		"deployment_id":          types.StringValue("NY_NJ"),
		"deployment_description": types.StringValue("d"),
		"ingestion_endpoint":     types.StringValue("i"),
		"restore_endpoint":       types.StringValue("r"),
		"bq_proxy_endpoint":      types.StringValue("b"),
		"assignment_enabled":     types.BoolNull(),
	}
}

func TestMissingFieldsAreNullRequiredFields(t *testing.T) {
	t.Parallel()
	null, unknown := types.StringNull(), types.StringUnknown()
	setNull := func(m regionModel) {
		for _, f := range requiredFields {
			m[f.Attribute] = null
		}
	}
	for name, test := range map[string]struct {
		change func(regionModel)
		want   []string
	}{
		"all":         {func(regionModel) {}, nil},
		"none":        {setNull, []string{"deployment_description", "ingestion_endpoint", "restore_endpoint", "bq_proxy_endpoint"}},
		"one missing": {func(m regionModel) { m["ingestion_endpoint"] = null }, []string{"ingestion_endpoint"}},
		"one unknown": {func(m regionModel) { m["ingestion_endpoint"] = unknown }, nil},
		"only unknown": {
			func(m regionModel) { setNull(m); m["restore_endpoint"] = unknown },
			[]string{"deployment_description", "ingestion_endpoint", "bq_proxy_endpoint"},
		},
		"one unknown, one missing": {
			func(m regionModel) { m["ingestion_endpoint"], m["deployment_description"] = unknown, null }, []string{"deployment_description"},
		},
		"only one": {
			func(m regionModel) { setNull(m); m["restore_endpoint"] = types.StringValue("") },
			[]string{"deployment_description", "ingestion_endpoint", "bq_proxy_endpoint"},
		},
	} {
		m := described()
		test.change(m)
		if got := m.missingFields(opsmanager.DeploymentRegion{}); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if got := m.missingFields(described().toAPI()); len(got) > 0 {
			t.Errorf("%s: %v, but the live region has all fields", name, got)
		}
	}
}

func TestPlannedRegionHasTheValuesThatAnUpdateSends(t *testing.T) {
	t.Parallel()
	planned := func(restoreEndpoint, assignment attr.Value) regionModel {
		config, prior := described(), described()
		config["restore_endpoint"], prior["assignment_enabled"] = restoreEndpoint, assignment
		plan := maps.Clone(config)
		plan["assignment_enabled"] = types.BoolUnknown()
		keepState(config, prior, plan)
		return plan
	}
	unknown, same := types.StringUnknown(), types.StringValue("r")
	if got := planned(same, types.BoolValue(true)); !got["assignment_enabled"].Equal(types.BoolValue(true)) {
		t.Errorf("no request: %+v", got)
	}
	if got := planned(unknown, types.BoolValue(true)); !got["assignment_enabled"].Equal(types.BoolValue(true)) || !got["restore_endpoint"].IsUnknown() {
		t.Errorf("the request has the values of the state: %+v", got)
	}
	if got := planned(unknown, types.BoolNull()); !got["assignment_enabled"].IsUnknown() {
		t.Errorf("the state has no value to send: %+v", got)
	}
	if got := planned(same, types.BoolNull()); !got["assignment_enabled"].IsNull() {
		t.Errorf("no request and no known value: %+v", got)
	}
}

func TestTextsAreQuotedForAShell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"NY_NJ": "NY_NJ", "a/b-c:d": "a/b-c:d", "EU/West 1": "'EU/West 1'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "ü": "'ü'",
	} {
		if got := shellWord(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
