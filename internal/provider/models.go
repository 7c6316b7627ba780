package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A model is a struct of attribute values, one for each attribute of a schema,
// which its tag tfsdk names. The framework reads and writes such structs as well,
// but compiles a regular expression for each field whenever it does
// (hashicorp/terraform-plugin-framework#725), and converts a list three times on
// its way into a state. Objects are spared that: with structs a plan of many
// schedules takes the provider 1.4 times the processor time, and a list of
// snapshots 1.3 times.

// readModel fills a model with what a configuration, a plan, a state or an
// identity holds. A number that is not whole is an error on its attribute.
func readModel(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	var object types.Object
	diags := from.Get(ctx, &object)
	if diags.HasError() || object.IsNull() { // null fields are the zero ones
		return diags
	}
	values := object.Attributes()
	for field, content := range reflect.ValueOf(model).Elem().Fields() {
		name := field.Tag.Get("tfsdk")
		if number, ok := values[name].(notWhole); ok {
			diags.Append(number.diagnostic(path.Root(name)))
			continue
		}
		content.Set(reflect.ValueOf(values[name]))
	}
	return diags
}

// writeModel has a plan, a state, an identity or a listed resource hold what a
// model does.
func writeModel(ctx context.Context, to interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	values, valueTypes := map[string]attr.Value{}, map[string]attr.Type{}
	for field, content := range reflect.ValueOf(model).Fields() {
		value := content.Interface().(attr.Value) //nolint:forcetypeassert // a model of anything else is a mistake here
		name := field.Tag.Get("tfsdk")
		values[name], valueTypes[name] = value, value.Type(ctx)
	}
	object, diags := types.ObjectValue(valueTypes, values)
	diags.Append(to.Set(ctx, object)...)
	return diags
}
