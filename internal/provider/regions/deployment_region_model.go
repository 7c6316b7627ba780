// Package regions implements the resources and the data source of deployment regions.
package regions

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

// regionText is a field that a region cannot be written without.
type regionText struct {
	attribute string
	field     string // as the API names it
	format    func(string) string
	model     func(*deploymentRegionModel) *types.String
	api       func(*opsmanager.DeploymentRegion) **string
}

var regionTexts = []regionText{
	{
		attribute: "deployment_description", field: "deploymentDescription",
		model: func(m *deploymentRegionModel) *types.String { return &m.DeploymentDescription },
		api:   func(r *opsmanager.DeploymentRegion) **string { return &r.DeploymentDescription },
	},
	{
		attribute: "ingestion_endpoint", field: "ingestionEndpoint", format: urlFault,
		model: func(m *deploymentRegionModel) *types.String { return &m.IngestionEndpoint },
		api:   func(r *opsmanager.DeploymentRegion) **string { return &r.IngestionEndpoint },
	},
	{
		attribute: "restore_endpoint", field: "restoreEndpoint", format: urlFault,
		model: func(m *deploymentRegionModel) *types.String { return &m.RestoreEndpoint },
		api:   func(r *opsmanager.DeploymentRegion) **string { return &r.RestoreEndpoint },
	},
	{
		attribute: "bq_proxy_endpoint", field: "bqProxyEndpoint", format: addressFault,
		model: func(m *deploymentRegionModel) *types.String { return &m.BQProxyEndpoint },
		api:   func(r *opsmanager.DeploymentRegion) **string { return &r.BQProxyEndpoint },
	},
}

// toAPI returns the region as the model has it. What is null or unknown is
// not in it.
func (m *deploymentRegionModel) toAPI() opsmanager.DeploymentRegion {
	r := opsmanager.DeploymentRegion{ID: m.DeploymentID.ValueString()}
	for _, t := range regionTexts {
		*t.api(&r) = tfmodel.StringPointer(*t.model(m))
	}
	r.AssignmentEnabled = tfmodel.BoolPointer(m.AssignmentEnabled)
	return r
}

// fromAPI takes over what an answer shows. A field that the answer leaves out
// keeps its value; one that it says is null becomes null, and so does one that is
// still unknown.
func (m *deploymentRegionModel) fromAPI(shown opsmanager.DeploymentRegion) {
	for _, t := range regionTexts {
		value := t.model(m)
		switch seen := *t.api(&shown); {
		case seen != nil:
			*value = types.StringValue(*seen)
		case slices.Contains(shown.Nulls, t.field):
			*value = types.StringNull()
		}
		*value = tfmodel.KnownOrNull(*value)
	}
	switch {
	case shown.AssignmentEnabled != nil:
		m.AssignmentEnabled = types.BoolValue(*shown.AssignmentEnabled)
	case slices.Contains(shown.Nulls, assignmentField):
		m.AssignmentEnabled = types.BoolNull()
	}
	m.AssignmentEnabled = types.BoolPointerValue(tfmodel.BoolPointer(m.AssignmentEnabled))
}

// assignmentField is the API's name for assignment_enabled.
const assignmentField = "assignmentEnabled"

// applied returns the planned model with what was unknown taken from the service.
// What was known stays, or Terraform reports an inconsistent result.
func (m deploymentRegionModel) applied(held opsmanager.DeploymentRegion) deploymentRegionModel {
	seen := m
	seen.fromAPI(held)
	for _, t := range regionTexts {
		if t.model(&m).IsUnknown() {
			*t.model(&m) = *t.model(&seen)
		}
	}
	if m.AssignmentEnabled.IsUnknown() {
		m.AssignmentEnabled = seen.AssignmentEnabled
	}
	return m
}

// changesFrom returns the fields whose value is known and differs from a prior
// state's.
func (m *deploymentRegionModel) changesFrom(prior deploymentRegionModel) opsmanager.DeploymentRegion {
	changes := m.toAPI()
	for _, t := range regionTexts {
		if t.model(m).Equal(*t.model(&prior)) {
			*t.api(&changes) = nil
		}
	}
	if m.AssignmentEnabled.Equal(prior.AssignmentEnabled) {
		changes.AssignmentEnabled = nil
	}
	return changes
}

// describes reports whether the model holds all four texts of a region, without
// which it cannot be created or replaced.
func (m *deploymentRegionModel) describes() bool { return isComplete(m.toAPI()) }

// maybeDescribes reports whether the model may come to hold all four texts when
// its unknown values are known.
func (m *deploymentRegionModel) maybeDescribes() bool {
	for _, t := range regionTexts {
		if t.model(m).IsNull() {
			return false
		}
	}
	return true
}

// knowsText reports whether one of the four texts is known.
func (m *deploymentRegionModel) knowsText() bool {
	request := m.toAPI()
	return slices.ContainsFunc(regionTexts, func(t regionText) bool { return *t.api(&request) != nil })
}

// lacksFor reports whether a region can't be written as the model has it, because
// both lack a text.
func (m *deploymentRegionModel) lacksFor(live opsmanager.DeploymentRegion) bool {
	return slices.ContainsFunc(regionTexts, func(t regionText) bool { return t.model(m).IsNull() && *t.api(&live) == nil })
}

// sets reports whether the model has, or may have, a value for the service.
func (m *deploymentRegionModel) sets() bool {
	return !m.AssignmentEnabled.IsNull() || slices.ContainsFunc(regionTexts, func(t regionText) bool { return !t.model(m).IsNull() })
}

// isComplete reports whether a region can be written as it is.
func isComplete(r opsmanager.DeploymentRegion) bool { return len(lacking(r)) == 0 }

// lacking names the texts that a region lacks.
func lacking(r opsmanager.DeploymentRegion) []string {
	var missing []string
	for _, t := range regionTexts {
		if *t.api(&r) == nil {
			missing = append(missing, t.attribute)
		}
	}
	return missing
}

// missingTexts names the texts that a configuration lacks although it has others
// of the four. An unknown value may be either.
func (m *deploymentRegionModel) missingTexts() []string {
	if !m.knowsText() {
		return nil
	}
	var missing []string
	for _, t := range regionTexts {
		if t.model(m).IsNull() {
			missing = append(missing, t.attribute)
		}
	}
	return missing
}

// filled returns a region with the fields that it leaves out taken from another
// one. A field that it says is null is not left out.
func filled(r, from opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	for _, t := range regionTexts {
		if *t.api(&r) == nil && !slices.Contains(r.Nulls, t.field) {
			*t.api(&r) = *t.api(&from)
		}
	}
	if r.AssignmentEnabled == nil && !slices.Contains(r.Nulls, assignmentField) {
		r.AssignmentEnabled = from.AssignmentEnabled
	}
	return r
}

// regionDifferences compares what is wanted of a region with what the service
// holds.
func regionDifferences(wanted, held opsmanager.DeploymentRegion) []tfmodel.Difference {
	null := func(value *string, field string) *string {
		if value == nil && slices.Contains(held.Nulls, field) {
			return new("null")
		}
		return value
	}
	var found []tfmodel.Difference
	for _, t := range regionTexts {
		found = tfmodel.AppendDifference(found, t.attribute, quoted(*t.api(&wanted)), null(quoted(*t.api(&held)), t.field), "")
	}
	return tfmodel.AppendDifference(found, "assignment_enabled", spelled(wanted.AssignmentEnabled), null(spelled(held.AssignmentEnabled), assignmentField), "")
}

// plannedRegion returns what an update may promise. A value that is not
// configured keeps its state. If the state has none and the service is called,
// the value is known after the apply.
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

// quoted shows where a text begins and ends.
func quoted(text *string) *string {
	if text == nil {
		return nil
	}
	q := strconv.Quote(*text)
	return &q
}

func spelled(flag *bool) *string {
	if flag == nil {
		return nil
	}
	return new(strconv.FormatBool(*flag))
}

// urlFault says what is unusual about the address of an endpoint that is
// documented as an HTTP or HTTPS URL; nothing if it is one.
func urlFault(text string) string {
	address, err := url.Parse(text)
	if err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() != "" {
		return ""
	}
	return "is not an http or https URL with a host, such as https://opsmanager-ny.example.com:8443"
}

// addressFault says what is unusual about an address that is documented as
// domain:port; nothing if it is one.
func addressFault(text string) string {
	host, port, err := net.SplitHostPort(text)
	number, notANumber := strconv.ParseUint(port, 10, 16)
	if err == nil && host != "" && !strings.ContainsAny(host, "/@ ") && notANumber == nil && number > 0 {
		return ""
	}
	return "is not domain:port without a scheme, such as opsmanager-ny.example.com:27217"
}

// hcl returns the region as a configuration to paste, indented.
func (m *deploymentRegionModel) hcl() string {
	var text strings.Builder
	line := func(attribute, value string) { fmt.Fprintf(&text, "    %-22s = %s\n", attribute, value) }
	text.WriteString("  resource \"opsmanager_deployment_region\" \"example\" {\n")
	line("deployment_id", hclString(m.DeploymentID.ValueString()))
	for _, t := range regionTexts {
		if value := t.model(m); !value.IsNull() {
			line(t.attribute, hclString(value.ValueString()))
		}
	}
	if !m.AssignmentEnabled.IsNull() {
		line("assignment_enabled", strconv.FormatBool(m.AssignmentEnabled.ValueBool()))
	}
	text.WriteString("  }")
	return text.String()
}

// hclString quotes a text as a string of a configuration.
func hclString(text string) string {
	var quoted strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			quoted.WriteString("\\" + string(r))
		case r == '\n':
			quoted.WriteString(`\n`)
		case unicode.IsPrint(r):
			quoted.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			fmt.Fprintf(&quoted, `\U%08x`, r)
		}
	}
	return `"` + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(quoted.String()) + `"`
}
