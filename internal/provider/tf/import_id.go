package tf

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ImportID describes the ID of an import, which consists of the values of attributes. The identity of the
// resource, if it has one, has the same attributes.
type ImportID struct {
	Attributes []string
	Texts      []string                   // the descriptions of the attributes in the identity
	Separator  string                     // between the values
	IsValid    func(values []string) bool // if nil, the values must be 24 hexadecimal digits, and the state has them in lower case
	Advice     string                     // how to import the resource, for the error about an ID that is not valid
}

// Schema returns the schema of the identity.
func (id ImportID) Schema() identityschema.Schema {
	all := map[string]identityschema.Attribute{}
	for i, attribute := range id.Attributes {
		all[attribute] = identityschema.StringAttribute{RequiredForImport: true, Description: id.Texts[i]}
	}
	return identityschema.Schema{Attributes: all}
}

// Of returns the attributes of the identity among the values of a resource.
func (id ImportID) Of(values Values) Values {
	identity := Values{}
	for _, attribute := range id.Attributes {
		identity[attribute] = As[types.String](values, attribute) // null without values
	}
	return identity
}

// Set sets the attributes of an imported resource, and returns their values. If they are not valid,
// it adds an error, and returns nil.
func (id ImportID) Set(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) []string {
	values := strings.SplitN(req.ID, id.Separator, len(id.Attributes))
	if req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		values = make([]string, len(id.Attributes))
		for i, attribute := range id.Attributes {
			var value types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(attribute), &value)...)
			values[i] = value.ValueString()
		}
	}
	if resp.Diagnostics.HasError() {
		return nil
	}
	given := strings.Join(values, id.Separator)
	advice := id.Advice
	if id.IsValid == nil {
		advice += " Each ID must be 24 hexadecimal digits."
	}
	values, isValid := id.Check(values)
	if !isValid {
		resp.Diagnostics.AddError("Invalid Import ID", fmt.Sprintf("%s Got %q.", advice, given))
		return nil
	}
	for i, attribute := range id.Attributes {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), values[i])...)
		if resp.Identity != nil {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(attribute), values[i])...)
		}
	}
	return values
}

// Check returns the values of an ID as the state has them, and whether they are valid.
func (id ImportID) Check(values []string) ([]string, bool) {
	if len(values) != len(id.Attributes) || id.IsValid != nil {
		return values, len(values) == len(id.Attributes) && id.IsValid(values)
	}
	lower := make([]string, len(values))
	for i, value := range values {
		lower[i] = strings.ToLower(value) // as Ops Manager does
	}
	return lower, !slices.ContainsFunc(values, func(value string) bool {
		return !IsObjectID(value)
	})
}
