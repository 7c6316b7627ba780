package tf

import (
	"context"
	"fmt"
	"strings"
	"time"

	actiontimeouts "github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TimeoutsAttribute returns the attribute timeouts of a resource. Its description has the defaults of all timeouts, so their
// page does not list them again.
func TimeoutsAttribute(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	nested := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute) //nolint:forcetypeassert // always
	var defaults []string
	add := func(operation, text string) {
		if text != "" {
			value := strings.TrimPrefix(strings.TrimSuffix(text, "."), "Defaults to ")
			defaults = append(defaults, "`"+operation+"` "+value)
		}
	}
	add("create", opts.CreateDescription)
	add("update", opts.UpdateDescription)
	add("delete", opts.DeleteDescription)
	nested.MarkdownDescription = "How long to wait for Ops Manager. Defaults: " + strings.Join(defaults, ", ") + "."
	nested.Validators = append(nested.Validators, timeoutsValidator{})
	return nested
}

// ActionTimeouts returns the attribute timeouts of an action.
func ActionTimeouts(ctx context.Context, description string) actionschema.Attribute {
	attribute := actiontimeouts.AttributesWithOpts(ctx, actiontimeouts.Opts{InvokeDescription: description})
	nested := attribute.(actionschema.SingleNestedAttribute) //nolint:forcetypeassert // always
	nested.MarkdownDescription = "How long to wait for Ops Manager."
	nested.Validators = append(nested.Validators, timeoutsValidator{})
	return nested
}

// TimeoutsOf returns the timeouts of a plan or a state.
func TimeoutsOf(values Values) timeouts.Value {
	return As[timeouts.Value](values, "timeouts")
}

// Within returns a context that ends after a timeout of a resource, or after a default if none is set.
func Within(
	ctx context.Context,
	timeout func(context.Context, time.Duration) (time.Duration, diag.Diagnostics),
	unset time.Duration,
	diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	limit, found := timeout(ctx, unset)
	diags.Append(found...)
	return context.WithTimeout(ctx, limit)
}

// timeoutsValidator rejects timeouts that are not longer than 0.
type timeoutsValidator struct{}

func (timeoutsValidator) Description(context.Context) string { return "must be longer than 0" }

func (v timeoutsValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (v timeoutsValidator) ValidateObject(ctx context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	for name, value := range req.ConfigValue.Attributes() {
		text, _ := value.(types.String)
		if timeout, err := time.ParseDuration(text.ValueString()); err == nil && timeout <= 0 {
			detail := fmt.Sprintf("%q %s.", text.ValueString(), v.Description(ctx))
			resp.Diagnostics.AddAttributeError(req.Path.AtName(name), "Invalid Timeout", detail)
		}
	}
}
