package tf

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Values has the values of a configuration, a plan or a state by attribute.
type Values = map[string]attr.Value

// Field is a field of an object of the API that a configuration can set and that is not a
// secret. In the object, the field is a pointer, which is nil if the field is missing.
type Field[T any] struct {
	Attribute string

	absence   Absence
	present   func(*T) attr.Value // null if the field is missing
	empty     attr.Value          // of a list; otherwise nil
	set       func(*T, attr.Value)
	isMissing func(*T) bool
	isMasked  func(*T) bool // may be nil
	copy      func(to, from *T)
	unquoted  bool // whether differences show a text without quotation marks
}

// NewField returns a field. fromAPI gets nil for a missing field, and toAPI returns nil for
// null and for unknown.
func NewField[T, F any](attribute string, at func(*T) **F, fromAPI func(*F) attr.Value, toAPI func(attr.Value) *F) Field[T] {
	return Field[T]{
		Attribute: attribute,
		present:   func(object *T) attr.Value { return fromAPI(*at(object)) },
		set:       func(object *T, value attr.Value) { *at(object) = toAPI(value) },
		isMissing: func(object *T) bool { return *at(object) == nil },
		copy:      func(to, from *T) { *at(to) = *at(from) },
	}
}

// BoolField returns a field that is a Boolean value.
func BoolField[T any](attribute string, at func(*T) **bool) Field[T] {
	return NewField(attribute, at, func(field *bool) attr.Value { return types.BoolPointerValue(field) }, func(value attr.Value) *bool {
		flag, _ := value.(types.Bool)
		return BoolPointer(flag)
	})
}

// NumberField returns a field that is a whole number.
func NumberField[T any](attribute string, at func(*T) **int64) Field[T] {
	return NewField(attribute, at, func(field *int64) attr.Value { return types.Int64PointerValue(field) }, func(value attr.Value) *int64 {
		number, _ := value.(types.Int64)
		return Int64Pointer(number)
	})
}

// TextField returns a field that is a text.
func TextField[T any](attribute string, at func(*T) **string) Field[T] {
	fromAPI := func(field *string) attr.Value { return types.StringPointerValue(Normalized(field)) }
	return NewField(attribute, at, fromAPI, func(value attr.Value) *string {
		text, _ := value.(types.String)
		return StringPointer(text)
	})
}

// SetField returns a field that is a list whose order means nothing. A response without the list says that it is empty,
// unless Absent says something else. The elements are sent in the same order each time.
func SetField[T any, L ~[]E, E any](
	attribute string, at func(*T) **L, elementType attr.Type, fromAPI func(E) attr.Value, toAPI func(attr.Value) E,
) Field[T] {
	f := NewField(attribute, at, func(list *L) attr.Value {
		if list == nil {
			return types.SetNull(elementType)
		}
		elements := []attr.Value{}
		for _, element := range *list {
			elements = append(elements, fromAPI(element))
		}
		return types.SetValueMust(elementType, slices.CompactFunc(sorted(elements), attr.Value.Equal))
	}, func(value attr.Value) *L {
		set, _ := value.(types.Set)
		if set.IsNull() || !IsKnown(set) {
			return nil
		}
		list := L{}
		for _, element := range sorted(slices.Clone(set.Elements())) {
			list = append(list, toAPI(element))
		}
		return &list
	})
	f.empty = types.SetValueMust(elementType, nil)
	f.absence = Unset
	return f
}

// TextsField returns a field that is a list of texts whose order means nothing.
func TextsField[T any, L ~[]string](attribute string, at func(*T) **L) Field[T] {
	fromAPI := func(text string) attr.Value { return types.StringValue(*Normalized(&text)) }
	return SetField(attribute, at, types.StringType, fromAPI, func(value attr.Value) string {
		text, _ := value.(types.String)
		return text.ValueString()
	})
}

func sorted(values []attr.Value) []attr.Value {
	slices.SortFunc(values, func(a, b attr.Value) int {
		return strings.Compare(a.String(), b.String())
	})
	return values
}

// IsKnown reports whether a value and its elements are known.
func IsKnown(value attr.Value) bool {
	converted, err := value.ToTerraformValue(context.Background())
	return err == nil && converted.IsFullyKnown()
}

// Value returns the field of an object, or null. A missing list is empty if that is what its absence says.
func (f Field[T]) Value(object T) attr.Value { return f.value(&object) }

func (f Field[T]) value(object *T) attr.Value {
	if f.empty != nil && f.absence == Unset && f.isMissing(object) {
		return f.empty
	}
	return f.present(object)
}

// Unquoted returns the field with texts that differences show without quotation marks, as
// those that Ops Manager defines.
func (f Field[T]) Unquoted() Field[T] {
	f.unquoted = true
	return f
}

// Fields are the fields of an object of the API.
type Fields[T any] []Field[T]

// Attributes returns the attributes of the fields.
func (all Fields[T]) Attributes() (attributes []string) {
	for _, f := range all {
		attributes = append(attributes, f.Attribute)
	}
	return attributes
}

// Set sets the fields of an object to the values that are known and not null.
func (all Fields[T]) Set(object *T, values Values) {
	for _, f := range all {
		f.set(object, values[f.Attribute])
	}
}

// FromAPI returns values with the fields that a response has, and without those that it says are unset or unknown. returned
// has the attributes that Ops Manager has ever returned. Any other missing field keeps its value, or becomes null if that is
// unknown. So does an empty value, which already says that there is none.
func (all Fields[T]) FromAPI(values Values, response T, returned ...string) Values {
	updated := maps.Clone(values)
	for _, f := range all {
		value, known := values[f.Attribute]
		isForgotten := (f.IsUnset(response, returned) || f.IsLost(response, returned)) && !IsEmpty(value)
		if !known || value.IsUnknown() || isForgotten || !f.isMissing(&response) {
			updated[f.Attribute] = f.value(&response)
		}
	}
	return updated
}

// Applied returns planned values whose unknown values are taken from a response. The
// known values stay, because Terraform would report an inconsistent result otherwise.
func (all Fields[T]) Applied(plan Values, response T) Values {
	done := maps.Clone(plan)
	for _, f := range all {
		if plan[f.Attribute].IsUnknown() {
			done[f.Attribute] = f.value(&response)
		}
	}
	return done
}

// Keep plans the values of the prior state for the fields that are not configured.
func (all Fields[T]) Keep(plan, config, prior Values) {
	for _, f := range all {
		if config[f.Attribute].IsNull() {
			plan[f.Attribute] = prior[f.Attribute]
		}
	}
}

// SetChanges sets the fields whose planned value is known and differs from the prior state.
func (all Fields[T]) SetChanges(object *T, plan, prior Values) {
	for _, f := range all {
		if !plan[f.Attribute].Equal(prior[f.Attribute]) {
			f.set(object, plan[f.Attribute])
		}
	}
}

// Complete returns an object with the fields that it lacks taken from another one.
func (all Fields[T]) Complete(object, from T) T {
	for _, f := range all {
		if f.isMissing(&object) {
			f.copy(&object, &from)
		}
	}
	return object
}

// With returns an object with the fields that another one has.
func (all Fields[T]) With(object, other T) T {
	for _, f := range all {
		if !f.isMissing(&other) {
			f.copy(&object, &other)
		}
	}
	return object
}

// Changed returns an object with the fields that differ from those of a prior one.
func (all Fields[T]) Changed(object, prior T) (changed T) {
	for _, f := range all {
		if !f.value(&object).Equal(f.value(&prior)) {
			f.copy(&changed, &object)
		}
	}
	return changed
}

// Only returns an object with some of the fields of another one.
func (all Fields[T]) Only(object T, keeps func(Field[T]) bool) (some T) {
	for _, f := range all {
		if keeps(f) {
			f.copy(&some, &object)
		}
	}
	return some
}

// Missing returns the attributes of the fields that an object lacks, without those that are empty then.
func (all Fields[T]) Missing(object T) []string {
	var missing []string
	for _, f := range all {
		if f.isMissing(&object) && f.absence != Unset {
			missing = append(missing, f.Attribute)
		}
	}
	return missing
}

// AreMissing reports whether an object lacks all fields.
func (all Fields[T]) AreMissing(object T) bool {
	return !slices.ContainsFunc(all, func(f Field[T]) bool {
		return !f.isMissing(&object)
	})
}

// TextOf returns a value in HCL, without the attributes of objects that are null, and a fraction with the
// digits that it has.
func TextOf(value attr.Value) string {
	switch value := value.(type) {
	case types.String:
		return HCLString(value.ValueString())
	case types.Int64:
		return strconv.FormatInt(value.ValueInt64(), 10)
	case types.Float64:
		return strconv.FormatFloat(value.ValueFloat64(), 'f', -1, 64)
	case types.Object:
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(value.Attributes())) {
			if held := value.Attributes()[name]; !held.IsNull() {
				texts = append(texts, `"`+name+`":`+TextOf(held))
			}
		}
		return "{" + strings.Join(texts, ",") + "}"
	case types.Set:
		var texts []string
		for _, element := range value.Elements() {
			texts = append(texts, TextOf(element))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return value.String()
}

// Literal returns a field in HCL, or nil if it is missing and not a list.
func (f Field[T]) Literal(object *T) *string {
	value := f.value(object)
	switch {
	case value.IsNull() && f.isMissing(object):
		return nil
	case value.IsNull():
		return new("null")
	}
	if text, ok := value.(types.String); ok && f.unquoted && !IsEmpty(value) {
		return new(text.ValueString())
	}
	return new(TextOf(value))
}

// HCLString returns a text as a string literal in HCL, without characters that a terminal interprets.
func HCLString(text string) string {
	var quoted strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			quoted.WriteString("\\" + string(r))
		case r == '\n':
			quoted.WriteString(`\n`)
		case unicode.IsPrint(r):
			quoted.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			fmt.Fprintf(&quoted, `\U%08x`, r)
		}
	}
	return `"` + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(quoted.String()) + `"`
}
