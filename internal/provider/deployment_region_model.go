package provider

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

type deploymentRegionModel struct {
	DeploymentID types.String `tfsdk:"deployment_id"`

	DeploymentDescription types.String `tfsdk:"deployment_description"`
	IngestionEndpoint     types.String `tfsdk:"ingestion_endpoint"`
	RestoreEndpoint       types.String `tfsdk:"restore_endpoint"`
	BQProxyEndpoint       types.String `tfsdk:"bq_proxy_endpoint"`
	AssignmentEnabled     types.Bool   `tfsdk:"assignment_enabled"`

	AdoptExisting      types.Bool `tfsdk:"adopt_existing"`
	DeletionProtection types.Bool `tfsdk:"deletion_protection"`
	SkipDestroy        types.Bool `tfsdk:"skip_destroy"`
}

// regionText is a field that a region cannot be written without: all four of
// them are configured, or none.
type regionText struct {
	attribute string
	model     func(*deploymentRegionModel) *types.String
	api       func(*opsmanager.DeploymentRegion) **string
}

var regionTexts = []regionText{
	{
		attribute: "deployment_description",
		model:     func(m *deploymentRegionModel) *types.String { return &m.DeploymentDescription },
		api:       func(r *opsmanager.DeploymentRegion) **string { return &r.DeploymentDescription },
	},
	{
		attribute: "ingestion_endpoint",
		model:     func(m *deploymentRegionModel) *types.String { return &m.IngestionEndpoint },
		api:       func(r *opsmanager.DeploymentRegion) **string { return &r.IngestionEndpoint },
	},
	{
		attribute: "restore_endpoint",
		model:     func(m *deploymentRegionModel) *types.String { return &m.RestoreEndpoint },
		api:       func(r *opsmanager.DeploymentRegion) **string { return &r.RestoreEndpoint },
	},
	{
		attribute: "bq_proxy_endpoint",
		model:     func(m *deploymentRegionModel) *types.String { return &m.BQProxyEndpoint },
		api:       func(r *opsmanager.DeploymentRegion) **string { return &r.BQProxyEndpoint },
	},
}

// request returns the region as the model has it. What is null or unknown is
// not in it.
func (m *deploymentRegionModel) request() opsmanager.DeploymentRegion {
	r := opsmanager.DeploymentRegion{ID: m.DeploymentID.ValueString()}
	for _, t := range regionTexts {
		*t.api(&r) = stringPointer(*t.model(m))
	}
	r.AssignmentEnabled = boolPointer(m.AssignmentEnabled)
	return r
}

// observe takes over what the service shows. What an answer leaves out keeps
// its value, and what is still unknown then is null.
func (m *deploymentRegionModel) observe(shown opsmanager.DeploymentRegion) {
	for _, t := range regionTexts {
		value := t.model(m)
		if seen := *t.api(&shown); seen != nil {
			*value = types.StringValue(*seen)
		}
		*value = knownOrNull(*value)
	}
	if shown.AssignmentEnabled != nil {
		m.AssignmentEnabled = types.BoolValue(*shown.AssignmentEnabled)
	}
	m.AssignmentEnabled = types.BoolPointerValue(boolPointer(m.AssignmentEnabled))
}

// describes reports whether the model holds a whole region, and so one that can
// be created or replaced.
func (m *deploymentRegionModel) describes() bool { return isWhole(m.request()) }

// maybeDescribes reports whether it may still come to describe a region, when
// unknown values are known.
func (m *deploymentRegionModel) maybeDescribes() bool {
	for _, t := range regionTexts {
		if t.model(m).IsNull() {
			return false
		}
	}
	return true
}

// isWhole reports whether a region can be written as it is.
func isWhole(r opsmanager.DeploymentRegion) bool {
	for _, t := range regionTexts {
		if *t.api(&r) == nil {
			return false
		}
	}
	return true
}

// missingTexts names the fields that a configuration lacks although it has
// others of the four. An unknown value may be either.
func (m *deploymentRegionModel) missingTexts() []string {
	var missing []string
	configured := false
	for _, t := range regionTexts {
		switch value := *t.model(m); {
		case value.IsNull():
			missing = append(missing, t.attribute)
		case !value.IsUnknown():
			configured = true
		}
	}
	if !configured {
		return nil
	}
	return missing
}

// filled returns a region with what it lacks taken from another one, so that a
// replacement resets nothing.
func filled(r, from opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	for _, t := range regionTexts {
		if *t.api(&r) == nil {
			*t.api(&r) = *t.api(&from)
		}
	}
	if r.AssignmentEnabled == nil {
		r.AssignmentEnabled = from.AssignmentEnabled
	}
	return r
}

// regionDifferences compares what is wanted of a region with what the service
// holds.
func regionDifferences(wanted, held opsmanager.DeploymentRegion) []difference {
	var found []difference
	for _, t := range regionTexts {
		found = appendDifference(found, t.attribute, quoted(*t.api(&wanted)), quoted(*t.api(&held)), "")
	}
	return appendDifference(found, "assignment_enabled", wanted.AssignmentEnabled, held.AssignmentEnabled, "")
}

// plannedRegion says what an update may promise: what nobody configured keeps
// its state, since a replacement sends it along. What the state does not have is
// the service's to say, if it is called at all.
func plannedRegion(config, prior, plan deploymentRegionModel) deploymentRegionModel {
	called := !config.AssignmentEnabled.IsNull() && !config.AssignmentEnabled.Equal(prior.AssignmentEnabled)
	for _, t := range regionTexts {
		wanted := *t.model(&config)
		called = called || !wanted.IsNull() && !wanted.Equal(*t.model(&prior))
	}
	for _, t := range regionTexts {
		held := *t.model(&prior)
		if t.model(&config).IsNull() && (!called || !held.IsNull()) {
			*t.model(&plan) = held
		}
	}
	if config.AssignmentEnabled.IsNull() && (!called || !prior.AssignmentEnabled.IsNull()) {
		plan.AssignmentEnabled = prior.AssignmentEnabled
	}
	return plan
}

// boolPointer returns nil for null and for unknown, where the framework's own
// method points to a false for unknown.
func boolPointer(v types.Bool) *bool {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueBoolPointer()
}

// quoted shows where a text begins and ends.
func quoted(text *string) *string {
	if text == nil {
		return nil
	}
	q := strconv.Quote(*text)
	return &q
}
