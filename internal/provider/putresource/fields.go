package putresource

import (
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Field describes a field of an object, and the attribute that sets it.
type Field struct {
	Attribute   string
	At          any // points to the field of a sample: a **bool, **int64, **string or **opsmanager.Replaced[string]
	Description string
	IsRequired  bool               // to create an object
	Absence     tf.Absence         // what a response without it says
	Validators  []validator.String // of a text; a number is 1 or more
	New         validator.String   // the rule for a new text, or nil
}

// Described has the fields of an object, and their attributes.
type Described[T any] struct {
	Fields     tf.Fields[T]
	Attributes map[string]schema.Attribute // the fields and the ID, without those that all types have
	Required   []string                    // the attributes that a creation requires, and that no PUT may lack
}

// Describe returns fields of objects, and adds their attributes to others. sample is any object: each Field points to one of
// its fields.
func Describe[T any](sample *T, fields []Field, others map[string]schema.Attribute) Described[T] {
	all := Described[T]{Attributes: others}
	for _, f := range fields {
		if f.IsRequired {
			f.Description += " Required on creation."
			all.Required = append(all.Required, f.Attribute)
		}
		if f.New != nil {
			f.Validators = append(f.Validators, tf.NewValue(f.New))
		}
		f.Description += tf.Kept
		add := func(field tf.Field[T], attribute schema.Attribute) {
			all.Fields = append(all.Fields, field.Absent(f.Absence))
			others[f.Attribute] = attribute
		}
		switch at := f.At.(type) {
		case **bool:
			add(tf.BoolField(f.Attribute, At(sample, at)), tf.BoolAttribute(f.Description))
		case **int64:
			isPositive := tf.NewValue(int64validator.AtLeast(1))
			add(tf.NumberField(f.Attribute, At(sample, at)), tf.NumberAttribute(f.Description, isPositive))
		case **string:
			add(tf.TextField(f.Attribute, At(sample, at)), tf.TextAttribute(f.Description, f.Validators...))
		case **opsmanager.Replaced[string]:
			add(tf.TextsField(f.Attribute, At(sample, at)), tf.TextsAttribute(f.Description))
		}
	}
	return all
}

// NewID returns an attribute that is an ID, or a part of one, whose form Ops Manager does not document.
func NewID(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          tf.PathSegmentValidators(),
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		MarkdownDescription: description,
	}
}

// PathID returns the ID of objects whose form Ops Manager does not document. The advice says how to import one.
func PathID(attribute, description, advice string) tf.ImportID {
	return tf.ImportID{
		Attributes: []string{attribute},
		IsValid:    func(values []string) bool { return !opsmanager.IsInvalidID(values[0]) },
		Texts:      []string{description},
		Advice:     advice + " It must not be empty and " + tf.PathSegmentRule + ".",
	}
}

// NewText returns a required attribute that is a text. New values have to follow a rule.
func NewText(description string, rule validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          []validator.String{tf.NewValue(rule)},
		MarkdownDescription: description,
	}
}

// At returns a function that returns a pointer to the field of an object that a pointer into a sample points to.
func At[T, F any](sample *T, at **F) func(*T) **F {
	index := indexOf(reflect.ValueOf(sample).Elem(), at)
	return func(object *T) **F {
		return reflect.ValueOf(object).Elem().FieldByIndex(index).Addr().Interface().(**F) //nolint:forcetypeassert // as in the sample
	}
}

// indexOf returns the index of the field of a struct at a pointer, as [reflect.Value.FieldByIndex] takes it.
func indexOf(sample reflect.Value, at any) []int {
	for i := range sample.NumField() {
		field := sample.Field(i)
		if field.Addr().Interface() == at {
			return []int{i}
		}
		if field.Kind() == reflect.Struct {
			if rest := indexOf(field, at); rest != nil {
				return append([]int{i}, rest...)
			}
		}
	}
	return nil
}
