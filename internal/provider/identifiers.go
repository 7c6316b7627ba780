package provider

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// objectID is the form of the ids of projects and clusters. The service answers
// 404 for any other, which reads as if the object did not exist.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var objectID = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)

// objectIDValidators accept the ids of projects and clusters.
func objectIDValidators() []validator.String {
	return []validator.String{stringvalidator.RegexMatches(objectID, "must be 24 hexadecimal digits")}
}

// pathSegmentValidators accept what may stand in a path where the form of an id
// is the service's own affair.
func pathSegmentValidators() []validator.String {
	return []validator.String{stringvalidator.LengthAtLeast(1)}
}
