package opsmanager

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnknownFields are the members of a JSON object that its struct has no field for. A PUT that
// replaces the object sends them back as they were in the response, because Ops Manager would
// reset them otherwise. Their values may be secrets, so only their names can be read.
type UnknownFields struct{ members map[string]jsontext.Value }

// names returns the names in alphabetical order.
func (u UnknownFields) names() []string { return slices.Sorted(maps.Keys(u.members)) }

// String returns the names, so that no message or log line has the values.
func (u UnknownFields) String() string { return strings.Join(u.names(), ", ") }

// GoString returns the names.
func (u UnknownFields) GoString() string { return u.String() }

// decode decodes an object into known, a pointer to a struct, and keeps the members that the struct
// has no field for. It forgets those that are read-only. Of members with the same name, the last
// one counts. A name in another case is that of a field only if the object doesn't have the field.
// decode returns the names of the fields that are null.
func (u *UnknownFields) decode(in *jsontext.Decoder, known any, readOnly ...string) (nulls []string, err error) {
	u.members = nil
	members, err := readMembers(in)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(members))
	for field, value := range reflect.ValueOf(known).Elem().Fields() {
		own := jsonName(field)
		_, isExact := members[own]
		for _, name := range names {
			if own == "-" || name != own && (isExact || !strings.EqualFold(name, own)) {
				continue
			}
			if members[name].Kind() == 'n' {
				nulls = append(nulls, own)
			}
			err := json.Unmarshal(members[name], value.Addr().Interface(), in.Options())
			if wrongType, ok := errors.AsType[*json.SemanticError](err); ok {
				wrongType.JSONPointer = in.StackPointer().AppendToken(name) + wrongType.JSONPointer
			}
			if err != nil {
				return nil, err
			}
			delete(members, name)
		}
	}
	for name, value := range members {
		if len(name) > maxText || len(value) > maxText {
			return nil, errTooMuchText
		}
		if slices.Contains(readOnly, name) {
			delete(members, name)
		}
	}
	if len(members) > 0 {
		u.members = members
	}
	return nulls, nil
}

// readMembers reads the members of an object. null has none.
func readMembers(in *jsontext.Decoder) (map[string]jsontext.Value, error) {
	if kind := in.PeekKind(); kind != '{' {
		if err := in.SkipValue(); err != nil || kind == 'n' {
			return nil, err
		}
		return nil, &json.SemanticError{JSONKind: kind}
	}
	_, _ = in.ReadToken() // the brace
	members := map[string]jsontext.Value{}
	for in.PeekKind() != '}' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String() // before the next value is read
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if members[text] = value.Clone(); len(members) > maxMembers {
			return nil, errTooManyElements
		}
	}
	_, err := in.ReadToken()
	return members, err
}

// withoutMethods returns a pointer to a struct as one to a type without methods, because the library
// would call the one that calls encode.
func withoutMethods(object any) any {
	value := reflect.ValueOf(object)
	plain := reflect.StructOf(slices.Collect(value.Type().Elem().Fields()))
	return value.Convert(reflect.PointerTo(plain)).Interface()
}

// encode encodes known, a pointer to a struct, together with the members. They come first, so that a
// field wins on a server that doesn't distinguish the case of names.
func (u UnknownFields) encode(known any) ([]byte, error) {
	encoded, err := json.Marshal(withoutMethods(known), likeEncodingJSON)
	if err != nil || len(u.members) == 0 {
		return encoded, err
	}
	members, err := json.Marshal(u.members, likeEncodingJSON)
	if err != nil || string(encoded) == "{}" {
		return members, err
	}
	members[len(members)-1] = ','
	return append(members, encoded[1:]...), nil
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// UnknownNames returns the names of the unknown members of an object, such as newSetting, or
// machine.newSetting for one of an object in it. Those of objects in a list have the same names.
func UnknownNames(object any) []string {
	var names []string
	for _, m := range unknownMembers(reflect.ValueOf(object), "") {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownMember is an unknown member of an object, with the name of [UnknownNames].
type unknownMember struct {
	name  string
	value jsontext.Value
}

// unknownMembers returns the unknown members of a value. The path of its object is empty, or ends with a
// dot.
func unknownMembers(value reflect.Value, path string) (found []unknownMember) {
	if fields, ok := value.Interface().(UnknownFields); ok {
		for _, name := range fields.names() {
			found = append(found, unknownMember{path + name, fields.members[name]})
		}
		return found
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			found = unknownMembers(value.Elem(), path)
		}
	case reflect.Slice:
		for i := range value.Len() {
			found = append(found, unknownMembers(value.Index(i), path)...)
		}
	case reflect.Struct:
		for field, held := range value.Fields() {
			inner := path
			if name := jsonName(field); name != "-" {
				inner += name + "."
			}
			if field.IsExported() {
				found = append(found, unknownMembers(held, inner)...)
			}
		}
	}
	return found
}

// unknownTexts returns the texts in the unknown members of an object, because each may be a secret.
// It leaves out those that look like the name of a constant, which are parts of error codes, and
// all after the first hundred.
func unknownTexts(object any) []string {
	const most = 100
	var found []string
	for _, m := range unknownMembers(reflect.ValueOf(object), "") {
		for _, t := range m.texts() {
			if isConstant := strings.Trim(t.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""; !isConstant && len(found) < most {
				found = append(found, t.text)
			}
		}
	}
	return found
}

// namedText is a text and the name of the innermost member that it is in.
type namedText struct{ name, text string }

// texts returns the texts in a member.
func (m unknownMember) texts() []namedText {
	var value any
	if json.Unmarshal(m.value, &value, likeEncodingJSON) != nil {
		return nil
	}
	return textsIn(m.name[strings.LastIndexByte(m.name, '.')+1:], value)
}

func textsIn(name string, value any) (found []namedText) {
	switch value := value.(type) {
	case string:
		found = []namedText{{name, value}}
	case []any:
		for _, element := range value {
			found = append(found, textsIn(name, element)...)
		}
	case map[string]any:
		for _, inner := range slices.Sorted(maps.Keys(value)) {
			found = append(found, textsIn(inner, value[inner])...)
		}
	}
	return found
}
