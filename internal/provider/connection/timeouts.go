package connection

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TimeoutsAttribute returns the attribute timeouts of a resource.
func TimeoutsAttribute(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, opts)
	nested, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}
	nested.MarkdownDescription = "How long an apply waits for Ops Manager."
	for name, timeout := range nested.Attributes {
		if text, ok := timeout.(schema.StringAttribute); ok {
			text.Validators = append(text.Validators, timeoutValidator{})
			nested.Attributes[name] = text
		}
	}
	return nested
}

// NullTimeouts returns the value of an attribute timeouts that is not configured. The zero
// value has no types, so the framework rejects it.
func NullTimeouts(attribute schema.Attribute) timeouts.Value {
	if nested, ok := attribute.GetType().(attr.TypeWithAttributeTypes); ok {
		return timeouts.Value{Object: types.ObjectNull(nested.AttributeTypes())}
	}
	return timeouts.Value{}
}

// timeoutValidator rejects a timeout that is over at once.
type timeoutValidator struct{}

func (timeoutValidator) Description(context.Context) string { return "must be longer than 0" }

func (v timeoutValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v timeoutValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	text := req.ConfigValue.ValueString()
	if timeout, err := time.ParseDuration(text); err == nil && timeout <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Timeout", fmt.Sprintf("%q %s.", text, v.Description(ctx)))
	}
}
