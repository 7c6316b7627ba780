package opsmanager

import (
	"errors"
	"iter"
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
// machine.newSetting for one of an object in it.
func UnknownNames(object any) []string {
	var names []string
	for name := range unknownMembers(object) {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownMembers returns the unknown members of an object, with the names of [UnknownNames]. Those of
// objects in a list have the same names.
func unknownMembers(object any) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) { eachUnknown(reflect.ValueOf(object), "", yield) }
}

// eachUnknown calls yield with each unknown member of a value until the result is false. The path of its
// object is empty, or ends with a dot.
func eachUnknown(value reflect.Value, path string, yield func(string, jsontext.Value) bool) (more bool) {
	more = true
	if fields, ok := value.Interface().(UnknownFields); ok {
		for _, name := range fields.names() {
			more = more && yield(path+name, fields.members[name])
		}
		return more
	}
	switch value.Kind() {
	case reflect.Pointer:
		return value.IsNil() || eachUnknown(value.Elem(), path, yield)
	case reflect.Slice:
		for i := range value.Len() {
			more = more && eachUnknown(value.Index(i), path, yield)
		}
	case reflect.Struct:
		for field, held := range value.Fields() {
			inner := path
			if name := jsonName(field); name != "-" {
				inner += name + "."
			}
			more = more && (!field.IsExported() || eachUnknown(held, inner, yield))
		}
	}
	return more
}

// unknownTexts returns the texts in the unknown members of an object, because each may be a secret.
// It leaves out those that look like the name of a constant, which are parts of error codes, and
// all after the first hundred.
func unknownTexts(object any) []string {
	const most = 100
	var found []string
	for name, value := range unknownMembers(object) {
		for _, text := range textsIn(name, value) {
			if isConstant := strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""; !isConstant && len(found) < most {
				found = append(found, text)
			}
		}
	}
	return found
}

// textsIn returns an iterator over the texts in a member of an object, with the name of the innermost
// member that they are in. A name may be that of [UnknownNames].
func textsIn(name string, member jsontext.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var value any
		if json.Unmarshal(member, &value, likeEncodingJSON) == nil {
			eachText(name[strings.LastIndexByte(name, '.')+1:], value, yield)
		}
	}
}

// eachText calls yield with each text in a decoded value until the result is false.
func eachText(name string, value any, yield func(name, text string) bool) (more bool) {
	switch value := value.(type) {
	case string:
		return yield(name, value)
	case []any:
		for _, element := range value {
			if !eachText(name, element, yield) {
				return false
			}
		}
	case map[string]any:
		for _, inner := range slices.Sorted(maps.Keys(value)) {
			if !eachText(inner, value[inner], yield) {
				return false
			}
		}
	}
	return true
}
