package connection

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// objectID is the form of the ids of projects and clusters. The service answers
// 404 for any other, which reads as if the object did not exist.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var objectID = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)

// IsObjectID reports whether a text has the form of the ID of a project or a cluster.
func IsObjectID(text string) bool { return objectID.MatchString(text) }

// ObjectIDValidators accept the ids of projects and clusters.
func ObjectIDValidators() []validator.String {
	return []validator.String{stringvalidator.RegexMatches(objectID, "must be 24 hexadecimal digits")}
}

// ObjectIDModifier plans a replacement if the ID of a project or a cluster changes.
// Ops Manager takes either case for the same ID, so the state's spelling stays.
type ObjectIDModifier struct{}

// Description implements [planmodifier.String].
func (ObjectIDModifier) Description(context.Context) string {
	return "Another ID forces replacement."
}

// MarkdownDescription implements [planmodifier.String].
func (m ObjectIDModifier) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

// PlanModifyString implements [planmodifier.String].
func (ObjectIDModifier) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	switch {
	case req.State.Raw.IsNull() || req.Plan.Raw.IsNull() || req.PlanValue.Equal(req.StateValue):
	case strings.EqualFold(req.PlanValue.ValueString(), req.StateValue.ValueString()):
		resp.PlanValue = req.StateValue
	default:
		resp.RequiresReplace = true
	}
}

// PathSegmentValidators accept any ID that can be part of a URL's path. They are for
// IDs whose form Ops Manager does not document.
func PathSegmentValidators() []validator.String {
	return []validator.String{stringvalidator.LengthAtLeast(1), stringvalidator.NoneOf(".", "..")}
}
