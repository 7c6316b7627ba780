package tf

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A model is a struct with a field for each attribute of a schema; the tag tfsdk has the
// name of the attribute. The framework can read and write such structs too, but it
// compiles a regular expression for each field each time
// (hashicorp/terraform-plugin-framework#725), and converts a list three times before it
// is in the state. It does neither with objects. With structs, a plan of many schedules
// takes 1.4 times the processor time, and a list of snapshots 1.3 times.
//
// A field with the tag * has the values of all attributes. If another field has one of them,
// that one is written.

// Read returns a model with the values of a configuration, a plan, a state or an identity, as ReadValues does.
func Read[T any](ctx context.Context, from Source, diags *diag.Diagnostics) (model T) {
	if values := ReadValues(ctx, from, diags); values != nil { // null fields are the zero ones
		set(&model, values)
	}
	return model
}

// ReadObject returns the values of the attributes of an object, as ReadValues does. Those of a null
// or unknown object are empty.
func ReadObject(object types.Object, at path.Path) (Values, diag.Diagnostics) {
	values := object.Attributes()
	return values, wholeNumbers(values, at)
}

// set sets the fields of a model.
func set(model any, values map[string]attr.Value) {
	content := reflect.ValueOf(model).Elem()
	for _, field := range modelFields(content.Type()) {
		if field.name == allAttributes {
			content.FieldByIndex(field.index).Set(reflect.ValueOf(values))
			continue
		}
		content.FieldByIndex(field.index).Set(reflect.ValueOf(values[field.name]))
	}
}

// ReadValues returns the values of a configuration, a plan, a state or an identity by
// attribute, or nil if it is null. A number that is not whole is an error on its
// attribute.
func ReadValues(ctx context.Context, from Source, diags *diag.Diagnostics) Values {
	var object types.Object
	problems := from.Get(ctx, &object)
	values := object.Attributes()
	problems.Append(wholeNumbers(values, path.Empty())...)
	diags.Append(problems...)
	if problems.HasError() || object.IsNull() {
		return nil
	}
	return values
}

// As returns the value of an attribute as one of a type. It is the zero value, which is null, if the
// attribute is missing.
func As[T attr.Value](values Values, attribute string) T {
	value, _ := values[attribute].(T)
	return value
}

// wholeNumbers returns an error for each number that is not whole.
func wholeNumbers(values map[string]attr.Value, at path.Path) (diags diag.Diagnostics) {
	for name, value := range values {
		if number, ok := value.(notWhole); ok {
			diags.Append(number.diagnostic(at.AtName(name)))
		}
	}
	return diags
}

// Source is a configuration, a plan, a state or an identity.
type Source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// Write writes a model to a plan, a state, an identity or a listed resource.
func Write(ctx context.Context, to destination, model any, diags *diag.Diagnostics) {
	WriteValues(ctx, to, ValuesOf(model), diags)
}

// ValuesOf returns the values of a model by attribute.
func ValuesOf(model any) Values {
	named := Values{}
	values := Values{}
	content := reflect.ValueOf(model)
	for _, field := range modelFields(content.Type()) {
		switch value := content.FieldByIndex(field.index).Interface().(type) {
		case Values:
			maps.Copy(values, value)
		case attr.Value:
			named[field.name] = value
		}
	}
	maps.Copy(values, named)
	return values
}

// WriteValues writes a value for each attribute to a plan, a state, an identity or a
// listed resource.
func WriteValues(ctx context.Context, to destination, values Values, diags *diag.Diagnostics) {
	valueTypes := make(map[string]attr.Type, len(values))
	for name, value := range values {
		valueTypes[name] = value.Type(ctx)
	}
	object, problems := types.ObjectValue(valueTypes, values)
	diags.Append(problems...)
	converted, err := terraformValue(ctx, object, object.Type(ctx).TerraformType(ctx))
	if err != nil {
		diags.AddError("Unable to Convert Values", err.Error()) // the values of a resource type are always valid
		return
	}
	diags.Append(to.Set(ctx, converted)...)
}

// terraformValue converts a value to one of Terraform, with a given type. The framework does that
// too, but it builds and keeps a type for each object, which is a third of the memory of a long list.
func terraformValue(ctx context.Context, value attr.Value, as tftypes.Type) (tftypes.Value, error) {
	if value.IsNull() {
		return tftypes.NewValue(as, nil), nil
	}
	if value.IsUnknown() {
		return tftypes.NewValue(as, tftypes.UnknownValue), nil
	}
	var err error
	switch as := as.(type) {
	case tftypes.Object:
		attributes := value.(interface{ Attributes() map[string]attr.Value }).Attributes() //nolint:forcetypeassert // the type says so
		converted := make(map[string]tftypes.Value, len(attributes))
		for name, attribute := range attributes {
			if converted[name], err = terraformValue(ctx, attribute, as.AttributeTypes[name]); err != nil {
				return tftypes.Value{}, err
			}
		}
		return tftypes.NewValue(as, converted), nil
	case tftypes.List:
		elements := value.(types.List).Elements() //nolint:forcetypeassert // the type says so
		converted := make([]tftypes.Value, len(elements))
		for i, element := range elements {
			if converted[i], err = terraformValue(ctx, element, as.ElementType); err != nil {
				return tftypes.Value{}, err
			}
		}
		return tftypes.NewValue(as, converted), nil
	case tftypes.Map:
		elements := value.(types.Map).Elements() //nolint:forcetypeassert // the type says so
		converted := make(map[string]tftypes.Value, len(elements))
		for key, element := range elements {
			if converted[key], err = terraformValue(ctx, element, as.ElementType); err != nil {
				return tftypes.Value{}, err
			}
		}
		return tftypes.NewValue(as, converted), nil
	}
	return value.ToTerraformValue(ctx)
}

// destination is a plan, a state, an identity or a listed resource.
type destination interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

// allAttributes is the tag of a field that has the values of all attributes.
const allAttributes = "*"

// modelField is the attribute that one field of a model holds.
type modelField struct {
	name  string // or allAttributes
	index []int  // as reflect.Value.FieldByIndex takes it
}

// The fields of each model by its reflect.Type.
var fieldsOfModels sync.Map

// modelFields returns the fields of a model, and of the structs that it embeds. It looks
// them up once for each type. Otherwise, reading and writing a schedule takes 1.3 times
// the processor time.
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

// ReadPrivate decodes the document of a key into a value, and reports whether there was
// one that could be decoded.
func ReadPrivate(ctx context.Context, private PrivateState, key string, into any, diags *diag.Diagnostics) bool {
	document, found := private.GetKey(ctx, key)
	diags.Append(found...)
	return len(document) > 0 && json.Unmarshal(document, into) == nil // a different version may have written it
}

// WritePrivate stores a value as the document of a key.
func WritePrivate(ctx context.Context, private PrivateState, key string, value any, diags *diag.Diagnostics) {
	document, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to Write the Private State", Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, key, document)...)
}

// PrivateState is the data that Terraform keeps for a resource in addition to its state.
type PrivateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}
