package putresource

import (
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Field describes a field of an object, and the attribute that sets it.
type Field struct {
	Attribute   string
	At          any // where a sample object has it: a **bool, **int64, **string or **opsmanager.Replaced[string]
	Description string
	IsRequired  bool               // to create an object
	Absence     tfmodel.Absence    // unless it is that of the type of the field
	Validators  []validator.String // of a text; a number is 1 or more
}

// Described has what the fields of an object are for a Type.
type Described[T any] struct {
	Fields     tfmodel.Fields[T]
	Attributes map[string]schema.Attribute
	Required   []string
}

// With returns the attributes of the fields, and others.
func (d Described[T]) With(others map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(others, d.Attributes)
	return others
}

// Describe returns fields of an object. Each of them is where the sample has it.
func Describe[T any](sample *T, fields []Field) Described[T] {
	all := Described[T]{Attributes: map[string]schema.Attribute{}}
	for _, f := range fields {
		description := f.Description
		if f.IsRequired {
			description += " Required on creation."
			all.Required = append(all.Required, f.Attribute)
		}
		field, attribute := describe[T](f, indexOf(reflect.ValueOf(sample).Elem(), f.At), description+attributes.Kept)
		if f.Absence != tfmodel.Unsaid {
			field = field.Absent(f.Absence)
		}
		all.Fields, all.Attributes[f.Attribute] = append(all.Fields, field), attribute
	}
	return all
}

func describe[T any](f Field, index []int, description string) (tfmodel.Field[T], schema.Attribute) {
	switch f.At.(type) {
	case **bool:
		return tfmodel.BoolField(f.Attribute, in[T, bool](index)), attributes.Bool(description)
	case **int64:
		return tfmodel.NumberField(f.Attribute, in[T, int64](index)), attributes.Number(description, attributes.NewValue(int64validator.AtLeast(1)))
	case **string:
		return tfmodel.TextField(f.Attribute, in[T, string](index)), attributes.Text(description, f.Validators...)
	}
	return tfmodel.TextsField(f.Attribute, in[T, opsmanager.Replaced[string]](index)), attributes.Texts(description)
}

// indexOf returns the index of the field of a struct that a pointer points to, as [reflect.Value.FieldByIndex] takes it.
func indexOf(sample reflect.Value, pointer any) []int {
	for i := range sample.NumField() {
		field := sample.Field(i)
		if field.Addr().Interface() == pointer {
			return []int{i}
		}
		if field.Kind() == reflect.Struct {
			if rest := indexOf(field, pointer); rest != nil {
				return append([]int{i}, rest...)
			}
		}
	}
	return nil
}

// in returns a function that returns where an object has the field with an index.
func in[T, F any](index []int) func(*T) **F {
	return func(object *T) **F {
		return reflect.ValueOf(object).Elem().FieldByIndex(index).Addr().Interface().(**F) //nolint:forcetypeassert // Describe has asked
	}
}
