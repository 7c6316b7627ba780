// Package tfmodel converts between models, which are structs of attribute values, and
// what Terraform and the API client have.
package tfmodel

import (
	"context"
	"reflect"
	"sync"

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

// Read fills the model that a pointer points to with what a configuration, a plan, a
// state or an identity holds. A number that is not whole is an error on its attribute.
func Read(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	var object types.Object
	diags := from.Get(ctx, &object)
	if diags.HasError() || object.IsNull() { // null fields are the zero ones
		return diags
	}
	values, content := object.Attributes(), reflect.ValueOf(model).Elem()
	for _, field := range modelFields(content.Type()) {
		if number, ok := values[field.name].(notWhole); ok {
			diags.Append(number.diagnostic(path.Root(field.name)))
			continue
		}
		content.FieldByIndex(field.index).Set(reflect.ValueOf(values[field.name]))
	}
	return diags
}

// Write writes a model to a plan, a state, an identity or a listed resource.
func Write(ctx context.Context, to interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}, model any,
) diag.Diagnostics {
	values, valueTypes := map[string]attr.Value{}, map[string]attr.Type{}
	content := reflect.ValueOf(model)
	for _, field := range modelFields(content.Type()) {
		value := content.FieldByIndex(field.index).Interface().(attr.Value) //nolint:forcetypeassert // a model of anything else is a mistake here
		values[field.name], valueTypes[field.name] = value, value.Type(ctx)
	}
	object, diags := types.ObjectValue(valueTypes, values)
	diags.Append(to.Set(ctx, object)...)
	return diags
}

// modelField is the attribute that one field of a model holds.
type modelField struct {
	name  string
	index []int // as reflect.Value.FieldByIndex takes it
}

// The fields of each type of model, a reflect.Type.
var fieldsOfModels sync.Map

// modelFields returns the fields of a model, and of the structs that it embeds.
// It looks them up once for each type: looking them up each time takes reading and
// writing a schedule 1.3 times the processor time.
func modelFields(model reflect.Type) []modelField {
	if known, ok := fieldsOfModels.Load(model); ok {
		return known.([]modelField) //nolint:forcetypeassert // nothing else is stored
	}
	var fields []modelField
	for _, field := range reflect.VisibleFields(model) {
		if name, ok := field.Tag.Lookup("tfsdk"); ok {
			fields = append(fields, modelField{name, field.Index})
		}
	}
	fieldsOfModels.Store(model, fields)
	return fields
}
