// Package regions implements the resources and the data source of deployment regions.
package regions

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// regionModel has the attributes of a region.
type regionModel tfmodel.Values

// requiredFields are the fields that creating or replacing a region requires.
var requiredFields = tfmodel.Fields[opsmanager.DeploymentRegion]{
	tfmodel.TextField("deployment_description", func(r *opsmanager.DeploymentRegion) **string { return &r.DeploymentDescription }),
	tfmodel.TextField("ingestion_endpoint", func(r *opsmanager.DeploymentRegion) **string { return &r.IngestionEndpoint }),
	tfmodel.TextField("restore_endpoint", func(r *opsmanager.DeploymentRegion) **string { return &r.RestoreEndpoint }),
	tfmodel.TextField("bq_proxy_endpoint", func(r *opsmanager.DeploymentRegion) **string { return &r.BQProxyEndpoint }),
}

// regionFields are the fields of a region that a configuration can set. A null of a response is a value.
var regionFields = func() tfmodel.Fields[opsmanager.DeploymentRegion] {
	all := append(slices.Clone(requiredFields), tfmodel.BoolField("assignment_enabled", func(r *opsmanager.DeploymentRegion) **bool { return &r.AssignmentEnabled }))
	for i, f := range all {
		all[i] = f.OrNull(func(r *opsmanager.DeploymentRegion) bool {
			return slices.ContainsFunc(r.Nulls, func(name string) bool { return regionCodes.Attributes[name] == f.Attribute })
		})
	}
	return all
}()

// id returns the ID of a region, or "" if it is unknown.
func (m regionModel) id() string { return m.identity().DeploymentID.ValueString() }

// flag returns an attribute that is a Boolean value.
func (m regionModel) flag(attribute string) types.Bool { return tfmodel.As[types.Bool](m, attribute) }

// toAPI returns the region without the fields that are null or unknown.
func (m regionModel) toAPI() opsmanager.DeploymentRegion {
	r := opsmanager.DeploymentRegion{ID: m.id()}
	regionFields.Set(&r, m)
	return r
}

// changesFrom returns the fields whose value is known and differs from a prior state.
func (m regionModel) changesFrom(prior regionModel) opsmanager.DeploymentRegion {
	changed := opsmanager.DeploymentRegion{ID: m.id()}
	regionFields.SetChanges(&changed, m, prior)
	return changed
}

// isComplete reports whether all required fields are known.
func (m regionModel) isComplete() bool { return len(requiredFields.Missing(m.toAPI())) == 0 }

// mayBeComplete reports whether no required field is null. An unknown one may become
// null.
func (m regionModel) mayBeComplete() bool {
	return len(m.missingFields(opsmanager.DeploymentRegion{})) == 0
}

// hasRequiredField reports whether at least one required field is known.
func (m regionModel) hasRequiredField() bool { return !requiredFields.AreMissing(m.toAPI()) }

// hasField reports whether at least one field is not null.
func (m regionModel) hasField() bool {
	return slices.ContainsFunc(regionFields, func(f regionField) bool { return !m[f.Attribute].IsNull() })
}

type regionField = tfmodel.Field[opsmanager.DeploymentRegion]

// missingFields returns the attributes of the required fields that are missing both in
// the model and in a live region.
func (m regionModel) missingFields(live opsmanager.DeploymentRegion) []string {
	return slices.DeleteFunc(requiredFields.Missing(live), func(attribute string) bool { return !m[attribute].IsNull() })
}

// documented has the documented format of fields, by attribute: what a text should be, or "" if it has
// the format.
var documented = map[string]func(text string) string{"ingestion_endpoint": expectsURL, "restore_endpoint": expectsURL, "bq_proxy_endpoint": expectsAddress}

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
