package regions

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// described returns a model that has all required fields.
func described() deploymentRegionModel {
	return deploymentRegionModel{
		DeploymentID:          types.StringValue("NY_NJ"),
		DeploymentDescription: types.StringValue("d"),
		IngestionEndpoint:     types.StringValue("i"),
		RestoreEndpoint:       types.StringValue("r"),
		BQProxyEndpoint:       types.StringValue("b"),
	}
}

func TestRegionHasTheKnownValuesOfAModel(t *testing.T) {
	t.Parallel()
	m := described()
	m.RestoreEndpoint, m.AssignmentEnabled = types.StringUnknown(), types.BoolUnknown()
	m.BQProxyEndpoint, m.IngestionEndpoint = types.StringNull(), types.StringValue("")
	r := m.toAPI()
	if r.ID != "NY_NJ" || *r.DeploymentDescription != "d" || *r.IngestionEndpoint != "" {
		t.Errorf("known values: %+v", r)
	}
	if r.RestoreEndpoint != nil || r.AssignmentEnabled != nil || r.BQProxyEndpoint != nil {
		t.Errorf("null and unknown values: %+v", r)
	}
	if m.isComplete() {
		t.Error("the region is not complete")
	}
}

func TestModelTakesOverTheFieldsOfAResponse(t *testing.T) {
	t.Parallel()
	m := described()
	m.RestoreEndpoint, m.AssignmentEnabled = types.StringUnknown(), types.BoolUnknown()
	m.fromAPI(opsmanager.DeploymentRegion{DeploymentDescription: new("seen")})
	if !m.DeploymentDescription.Equal(types.StringValue("seen")) || !m.IngestionEndpoint.Equal(types.StringValue("i")) {
		t.Errorf("null, and missing in the response: %+v", m)
	}
	if !m.RestoreEndpoint.IsNull() || !m.AssignmentEnabled.IsNull() {
		t.Errorf("unknown, and missing in the response: %+v", m)
	}
	m.fromAPI(opsmanager.DeploymentRegion{RestoreEndpoint: new(""), AssignmentEnabled: new(false)})
	if !m.RestoreEndpoint.Equal(types.StringValue("")) || !m.AssignmentEnabled.Equal(types.BoolValue(false)) {
		t.Errorf("an empty text is a value: %+v", m)
	}
}

func TestMissingFieldsAreNullRequiredFields(t *testing.T) {
	t.Parallel()
	null, unknown := types.StringNull(), types.StringUnknown()
	for name, test := range map[string]struct {
		change func(*deploymentRegionModel)
		want   []string
	}{
		"all": {func(*deploymentRegionModel) {}, nil},
		"none": {
			func(m *deploymentRegionModel) { *m = deploymentRegionModel{} },
			[]string{"deployment_description", "ingestion_endpoint", "restore_endpoint", "bq_proxy_endpoint"},
		},
		"one missing": {func(m *deploymentRegionModel) { m.IngestionEndpoint = null }, []string{"ingestion_endpoint"}},
		"one unknown": {func(m *deploymentRegionModel) { m.IngestionEndpoint = unknown }, nil},
		"only unknown": {
			func(m *deploymentRegionModel) { *m = deploymentRegionModel{RestoreEndpoint: unknown} },
			[]string{"deployment_description", "ingestion_endpoint", "bq_proxy_endpoint"},
		},
		"one unknown, one missing": {
			func(m *deploymentRegionModel) { m.IngestionEndpoint, m.DeploymentDescription = unknown, null }, []string{"deployment_description"},
		},
		"only one": {
			func(m *deploymentRegionModel) { *m = deploymentRegionModel{RestoreEndpoint: types.StringValue("")} },
			[]string{"deployment_description", "ingestion_endpoint", "bq_proxy_endpoint"},
		},
	} {
		m := described()
		test.change(&m)
		if got := m.missingFields(opsmanager.DeploymentRegion{}); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		live := described()
		if got := m.missingFields(live.toAPI()); got != nil {
			t.Errorf("%s: %v, but the live region has all fields", name, got)
		}
	}
}

func TestPlannedRegionHasTheValuesThatAnUpdateSends(t *testing.T) {
	t.Parallel()
	config, prior := described(), described()
	prior.AssignmentEnabled = types.BoolValue(true)
	plan := config
	plan.AssignmentEnabled = types.BoolUnknown()
	config.SkipDestroy, plan.SkipDestroy = types.BoolValue(true), types.BoolValue(true)
	if got := plannedUpdate(config, prior, plan); !got.AssignmentEnabled.Equal(types.BoolValue(true)) || !got.SkipDestroy.ValueBool() {
		t.Errorf("no request: %+v", got)
	}
	config.RestoreEndpoint, plan.RestoreEndpoint = types.StringUnknown(), types.StringUnknown()
	if got := plannedUpdate(config, prior, plan); !got.AssignmentEnabled.Equal(types.BoolValue(true)) || !got.RestoreEndpoint.IsUnknown() {
		t.Errorf("the request has the values of the state: %+v", got)
	}
	prior.AssignmentEnabled = types.BoolNull()
	if got := plannedUpdate(config, prior, plan); !got.AssignmentEnabled.IsUnknown() {
		t.Errorf("the state has no value to send: %+v", got)
	}
	config.RestoreEndpoint = types.StringValue("r")
	if got := plannedUpdate(config, prior, plan); !got.AssignmentEnabled.IsNull() {
		t.Errorf("no request and no known value: %+v", got)
	}
}

func TestMergedRegionTakesMissingFieldsFromAnother(t *testing.T) {
	t.Parallel()
	from := opsmanager.DeploymentRegion{ID: "x", DeploymentDescription: new("old"), RestoreEndpoint: new("old"), AssignmentEnabled: new(true)}
	got := merged(opsmanager.DeploymentRegion{ID: "y", DeploymentDescription: new("new"), AssignmentEnabled: new(false)}, from)
	if got.ID != "y" || *got.DeploymentDescription != "new" || *got.RestoreEndpoint != "old" || *got.AssignmentEnabled || got.BQProxyEndpoint != nil {
		t.Errorf("%+v", got)
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
