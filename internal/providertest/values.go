package providertest

import (
	"maps"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// T has the methods of testing.T and rapid.T that the helpers use.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Values is a configuration or a state: a string, int, bool, nil, []any or Values for each
// attribute. Missing attributes are null.
type Values map[string]any

// Unknown is a value that is known only after the apply.
var Unknown = struct{ unknown string }{"unknown"}

// Dynamic encodes the object of a schema.
func (w *Workspace) Dynamic(schema *tfprotov6.Schema, config Values) *tfprotov6.DynamicValue {
	w.T.Helper()
	return w.dynamicValue(w.Object(schema, config))
}

func (w *Workspace) dynamicValue(value tftypes.Value) *tfprotov6.DynamicValue {
	w.T.Helper()
	d, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		w.T.Fatalf("encode: %v", err)
	}
	return &d
}

// Object returns the object of a schema. It fails on attributes that the schema
// lacks.
func (w *Workspace) Object(schema *tfprotov6.Schema, config Values) tftypes.Value {
	w.T.Helper()
	attributes := map[string]tftypes.Value{}
	for _, attribute := range schema.Block.Attributes {
		attributes[attribute.Name] = w.attribute(attribute.ValueType(), config[attribute.Name])
	}
	for name := range config {
		if _, ok := attributes[name]; !ok {
			w.T.Fatalf("no attribute %s", name)
		}
	}
	return tftypes.NewValue(schema.ValueType(), attributes)
}

func (w *Workspace) attribute(kind tftypes.Type, value any) tftypes.Value {
	w.T.Helper()
	if value == any(Unknown) {
		return tftypes.NewValue(kind, tftypes.UnknownValue)
	}
	switch given := value.(type) {
	case int:
		value = int64(given)
	case []any:
		values := make([]tftypes.Value, len(given))
		for i, element := range given {
			values[i] = w.attribute(elementType(kind), element)
		}
		value = values
	case Values:
		values := map[string]tftypes.Value{}
		switch kind := kind.(type) {
		case tftypes.Object:
			for name, kind := range kind.AttributeTypes {
				values[name] = w.attribute(kind, given[name])
			}
		case tftypes.Map:
			for name, element := range given {
				values[name] = w.attribute(kind.ElementType, element)
			}
		default:
			w.T.Fatalf("%v is no %s", given, kind)
		}
		value = values
	}
	if err := tftypes.ValidateValue(kind, value); err != nil {
		w.T.Fatalf("%v: %v", value, err)
	}
	return tftypes.NewValue(kind, value)
}

func elementType(kind tftypes.Type) tftypes.Type {
	switch kind := kind.(type) {
	case tftypes.List:
		return kind.ElementType
	case tftypes.Set:
		return kind.ElementType
	}
	return nil
}

// object returns a copy of the attributes of an object, or nil if it is null.
func object(t T, value tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	if value.IsNull() {
		return nil
	}
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		t.Fatalf("decode: %v", err)
	}
	return maps.Clone(attributes) // a shallow copy, because the map belongs to the value
}

// Plain returns a value as Values, []any, string, int, bool, nil or Unknown.
func Plain(value tftypes.Value) any {
	switch {
	case !value.IsKnown():
		return Unknown
	case value.IsNull():
		return nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		return decodedAs[string](value)
	case kind.Is(tftypes.Bool):
		return decodedAs[bool](value)
	case kind.Is(tftypes.Number):
		number := decodedAs[big.Float](value)
		n, _ := number.Int64()
		return int(n)
	case strings.HasPrefix(kind.String(), "tftypes.Object"), strings.HasPrefix(kind.String(), "tftypes.Map"):
		found := Values{}
		for name, v := range decodedAs[map[string]tftypes.Value](value) {
			found[name] = Plain(v)
		}
		return found
	}
	found := []any{}
	for _, v := range decodedAs[[]tftypes.Value](value) {
		found = append(found, Plain(v))
	}
	return found
}

func decodedAs[T any](value tftypes.Value) T {
	var decoded T
	if err := value.As(&decoded); err != nil {
		panic(err) // the type is checked above
	}
	return decoded
}
