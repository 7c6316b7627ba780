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

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// regionField is a field of a region that a configuration can set.
type regionField struct {
	attribute string
	name      string // in the API
	required  bool   // to create or replace a region

	expects func(*deploymentRegionModel) string // the documented format, if a known value doesn't have it; may be nil
	value   func(*deploymentRegionModel) attr.Value
	copy    func(to, from *deploymentRegionModel)
	toAPI   func(*opsmanager.DeploymentRegion, *deploymentRegionModel)
	fromAPI func(*deploymentRegionModel, *opsmanager.DeploymentRegion) // null for nil
	copyAPI func(to, from *opsmanager.DeploymentRegion)
	literal func(*opsmanager.DeploymentRegion) *string // in HCL; nil for nil
}

var regionFields = []regionField{
	textField("deployment_description", "deploymentDescription", nil,
		func(m *deploymentRegionModel) *types.String { return &m.DeploymentDescription },
		func(r *opsmanager.DeploymentRegion) **string { return &r.DeploymentDescription }),
	textField("ingestion_endpoint", "ingestionEndpoint", expectsURL,
		func(m *deploymentRegionModel) *types.String { return &m.IngestionEndpoint },
		func(r *opsmanager.DeploymentRegion) **string { return &r.IngestionEndpoint }),
	textField("restore_endpoint", "restoreEndpoint", expectsURL,
		func(m *deploymentRegionModel) *types.String { return &m.RestoreEndpoint },
		func(r *opsmanager.DeploymentRegion) **string { return &r.RestoreEndpoint }),
	textField("bq_proxy_endpoint", "bqProxyEndpoint", expectsAddress,
		func(m *deploymentRegionModel) *types.String { return &m.BQProxyEndpoint },
		func(r *opsmanager.DeploymentRegion) **string { return &r.BQProxyEndpoint }),
	newField("assignment_enabled", "assignmentEnabled",
		func(m *deploymentRegionModel) *types.Bool { return &m.AssignmentEnabled },
		func(r *opsmanager.DeploymentRegion) **bool { return &r.AssignmentEnabled },
		tfmodel.BoolPointer, types.BoolPointerValue, strconv.FormatBool),
}

func textField(attribute, name string, expects func(string) string, model func(*deploymentRegionModel) *types.String, api func(*opsmanager.DeploymentRegion) **string) regionField {
	f := newField(attribute, name, model, api, tfmodel.StringPointer, types.StringPointerValue, hclString)
	f.required = true
	if expects != nil {
		f.expects = func(m *deploymentRegionModel) string { return expects(model(m).ValueString()) }
	}
	return f
}

func newField[V attr.Value, T any](attribute, name string, model func(*deploymentRegionModel) *V, api func(*opsmanager.DeploymentRegion) **T,
	toAPI func(V) *T, fromAPI func(*T) V, literal func(T) string,
) regionField {
	return regionField{
		attribute: attribute, name: name,
		value:   func(m *deploymentRegionModel) attr.Value { return *model(m) },
		copy:    func(to, from *deploymentRegionModel) { *model(to) = *model(from) },
		toAPI:   func(r *opsmanager.DeploymentRegion, m *deploymentRegionModel) { *api(r) = toAPI(*model(m)) },
		fromAPI: func(m *deploymentRegionModel, r *opsmanager.DeploymentRegion) { *model(m) = fromAPI(*api(r)) },
		copyAPI: func(to, from *opsmanager.DeploymentRegion) { *api(to) = *api(from) },
		literal: func(r *opsmanager.DeploymentRegion) *string {
			if *api(r) == nil {
				return nil
			}
			return new(literal(**api(r)))
		},
	}
}

// toAPI returns the region without the fields that are null or unknown.
func (m *deploymentRegionModel) toAPI() opsmanager.DeploymentRegion {
	r := opsmanager.DeploymentRegion{ID: m.DeploymentID.ValueString()}
	for _, f := range regionFields {
		f.toAPI(&r, m)
	}
	return r
}

// fromAPI sets the fields that a response has. A missing field keeps its value, or
// becomes null if that is unknown.
func (m *deploymentRegionModel) fromAPI(response opsmanager.DeploymentRegion) {
	for _, f := range regionFields {
		if !isMissing(f, response) || f.value(m).IsUnknown() {
			f.fromAPI(m, &response)
		}
	}
}

// isMissing reports whether a response lacks a field. A null field is not missing.
func isMissing(f regionField, response opsmanager.DeploymentRegion) bool {
	return f.literal(&response) == nil && !slices.Contains(response.Nulls, f.name)
}

// applied returns a planned model whose unknown values are taken from a response. The
// known values stay, because Terraform would report an inconsistent result otherwise.
func (m deploymentRegionModel) applied(response opsmanager.DeploymentRegion) deploymentRegionModel {
	for _, f := range regionFields {
		if f.value(&m).IsUnknown() {
			f.fromAPI(&m, &response)
		}
	}
	return m
}

// changesFrom returns the fields whose value is known and differs from a prior state.
func (m *deploymentRegionModel) changesFrom(prior deploymentRegionModel) opsmanager.DeploymentRegion {
	changes := m.toAPI()
	for _, f := range regionFields {
		if f.value(m).Equal(f.value(&prior)) {
			f.copyAPI(&changes, &opsmanager.DeploymentRegion{})
		}
	}
	return changes
}

// isComplete reports whether all required fields are known.
func (m *deploymentRegionModel) isComplete() bool { return len(missingFields(m.toAPI())) == 0 }

// mayBeComplete reports whether no required field is null. An unknown one may become
// null.
func (m *deploymentRegionModel) mayBeComplete() bool {
	return len(m.missingFields(opsmanager.DeploymentRegion{})) == 0
}

// hasRequiredField reports whether at least one required field is known.
func (m *deploymentRegionModel) hasRequiredField() bool {
	r := m.toAPI()
	return slices.ContainsFunc(regionFields, func(f regionField) bool { return f.required && f.literal(&r) != nil })
}

// hasField reports whether at least one field is not null.
func (m *deploymentRegionModel) hasField() bool {
	return slices.ContainsFunc(regionFields, func(f regionField) bool { return !f.value(m).IsNull() })
}

// missingFields returns the attributes of the required fields that are missing both in
// the model and in a live region.
func (m *deploymentRegionModel) missingFields(live opsmanager.DeploymentRegion) []string {
	var missing []string
	for _, f := range regionFields {
		if f.required && f.value(m).IsNull() && f.literal(&live) == nil {
			missing = append(missing, f.attribute)
		}
	}
	return missing
}

// missingFields returns the attributes of the required fields that a region lacks.
func missingFields(r opsmanager.DeploymentRegion) []string {
	return new(deploymentRegionModel).missingFields(r)
}

// merged returns a region with the fields that it lacks taken from another one.
func merged(r, from opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	for _, f := range regionFields {
		if isMissing(f, r) {
			f.copyAPI(&r, &from)
		}
	}
	return r
}

// differences compares the wanted fields with those that Ops Manager holds.
func differences(wanted, held opsmanager.DeploymentRegion) []tfmodel.Difference {
	var found []tfmodel.Difference
	for _, f := range regionFields {
		value := f.literal(&held)
		if value == nil && !isMissing(f, held) {
			value = new("null")
		}
		found = tfmodel.AppendDifference(found, f.attribute, f.literal(&wanted), value, "")
	}
	return found
}

// hasFields reports whether a region has a value for any field.
func hasFields(r opsmanager.DeploymentRegion) bool {
	return len(differences(r, opsmanager.DeploymentRegion{})) > 0
}

// hasValue reports whether a region has a value for an attribute.
func hasValue(r opsmanager.DeploymentRegion, attribute string) bool {
	return slices.ContainsFunc(regionFields, func(f regionField) bool { return f.attribute == attribute && f.literal(&r) != nil })
}

// expectsURL returns the documented format of an endpoint, or "" if the text has that format.
func expectsURL(text string) string {
	address, err := url.Parse(text)
	if err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() != "" {
		return ""
	}
	return "an http or https URL with a host, such as https://opsmanager-ny.example.com:8443"
}

// expectsAddress returns the documented format of an address for queryable backups, or ""
// if the text has that format.
func expectsAddress(text string) string {
	host, port, err := net.SplitHostPort(text)
	number, notANumber := strconv.ParseUint(port, 10, 16)
	if err == nil && host != "" && !strings.ContainsAny(host, "/@ ") && notANumber == nil && number > 0 {
		return ""
	}
	return "domain:port without a scheme, such as opsmanager-ny.example.com:27217"
}

// hcl returns the region as an indented resource block.
func (m *deploymentRegionModel) hcl() string {
	var text strings.Builder
	line := func(attribute, value string) { fmt.Fprintf(&text, "    %-22s = %s\n", attribute, value) }
	text.WriteString("  resource \"opsmanager_deployment_region\" \"example\" {\n")
	line("deployment_id", hclString(m.DeploymentID.ValueString()))
	r := m.toAPI()
	for _, f := range regionFields {
		if value := f.literal(&r); value != nil {
			line(f.attribute, *value)
		}
	}
	text.WriteString("  }")
	return text.String()
}

// hclString returns a text as a string literal in HCL.
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
