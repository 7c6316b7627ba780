package tf

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// ProjectIDText and ClusterIDText describe the IDs of a resource that each cluster has one of.
const (
	ProjectIDText = "ID of the project that the cluster belongs to."
	ClusterIDText = "ID of the replica set or of the whole sharded cluster, not of a shard."
)

// objectID matches the IDs of projects and clusters. For any other ID, Ops Manager
// returns 404, as if the object did not exist.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var objectID = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)

// IsObjectID reports whether a text has the form of the ID of a project or a cluster.
func IsObjectID(text string) bool { return objectID.MatchString(text) }

// ObjectIDValidators accept the IDs of projects and clusters.
func ObjectIDValidators() []validator.String {
	return []validator.String{stringvalidator.RegexMatches(objectID,
		"must be 24 hexadecimal digits (opsmanager_project and opsmanager_cluster find the IDs of projects and clusters by name)")}
}

// ObjectIDAttribute returns the attribute of a resource for the ID of a project or a cluster. A different ID
// forces replacement.
func ObjectIDAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		PlanModifiers:       []planmodifier.String{objectIDModifier{}},
		Validators:          ObjectIDValidators(),
		MarkdownDescription: description,
	}
}

// ActionObjectID returns the attribute of an action for the ID of a project or a cluster.
func ActionObjectID(description string) actionschema.StringAttribute {
	return actionschema.StringAttribute{
		Required:            true,
		Validators:          ObjectIDValidators(),
		MarkdownDescription: description,
	}
}

// objectIDModifier plans a replacement if the ID of a project or a cluster changes. If
// only its case changes, the plan keeps the ID of the state.
type objectIDModifier struct{}

func (objectIDModifier) Description(context.Context) string {
	return "Another ID forces replacement."
}

func (m objectIDModifier) MarkdownDescription(ctx context.Context) string {
	return m.Description(ctx)
}

func (objectIDModifier) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
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
	return []validator.String{stringvalidator.LengthAtLeast(1), aPathSegment}
}

// aPathSegment rejects an ID that would change the path it is part of.
var aPathSegment = TextValidator{
	Title: "Invalid ID",
	Rule:  PathSegmentRule,
	Problem: func(text string) string {
		if text == "" || !opsmanager.IsInvalidID(text) {
			return ""
		}
		return fmt.Sprintf("%q can't be an ID: it %s. Some proxies would send the request to a different path.", text, PathSegmentRule)
	},
}

// PathSegmentRule describes the IDs that PathSegmentValidators reject, for the end of a sentence.
const PathSegmentRule = "must not be or contain '.', '..' or an empty path segment"
