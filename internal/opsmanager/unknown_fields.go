package opsmanager

import (
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// UnknownFields are the members of a JSON object that its struct has no field for. A PUT that
// replaces the object sends them back as they were in the response, because Ops Manager would
// reset them otherwise. Their values may be secrets, so only their names can be read.
type UnknownFields struct{ members map[string]json.RawMessage }

// names returns the names in alphabetical order.
func (u UnknownFields) names() []string { return slices.Sorted(maps.Keys(u.members)) }

// String returns the names, so that no message or log line has the values.
func (u UnknownFields) String() string { return strings.Join(u.names(), ", ") }

// GoString returns the names.
func (u UnknownFields) GoString() string { return u.String() }

// decode decodes a document into known, a pointer to a struct, and keeps the members that the struct
// has no field for. It forgets those that are read-only. Of members with the same name, the last
// one counts. A name in another case is that of a field only if the object doesn't have the field.
func (u *UnknownFields) decode(document []byte, known any, readOnly ...string) error {
	known = withoutMethods(known)
	var members map[string]json.RawMessage
	if json.Unmarshal(document, &members) != nil {
		return json.Unmarshal(document, known) // returns the error
	}
	own := map[string]json.RawMessage{}
	fields := fieldNames(reflect.TypeOf(known).Elem())
	for name, value := range members {
		i := slices.IndexFunc(fields, func(field string) bool { return strings.EqualFold(field, name) })
		if i < 0 || name != fields[i] && members[fields[i]] != nil {
			continue
		}
		if isNumber(value) {
			value = normalizeIntegers(value)
		}
		own[name] = value
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return own[name] != nil || slices.Contains(readOnly, name) })
	if u.members = nil; len(members) > 0 {
		u.members = members
	}
	encoded, err := json.Marshal(own)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, known)
}

// withoutMethods returns a pointer to a struct as one to a type without methods, because
// encoding/json would call those that call decode and encode.
func withoutMethods(object any) any {
	value := reflect.ValueOf(object)
	plain := reflect.StructOf(slices.Collect(value.Type().Elem().Fields()))
	return value.Convert(reflect.PointerTo(plain)).Interface()
}

// encode encodes known, a pointer to a struct, together with the members. They come first, so that a
// field wins on a server that doesn't distinguish the case of names.
func (u UnknownFields) encode(known any) ([]byte, error) {
	encoded, err := json.Marshal(withoutMethods(known))
	if err != nil || len(u.members) == 0 {
		return encoded, err
	}
	members, err := json.Marshal(u.members)
	if err != nil || string(encoded) == "{}" {
		return members, err
	}
	members[len(members)-1] = ','
	return append(members, encoded[1:]...), nil
}

func isNumber(value json.RawMessage) bool { return strings.IndexByte("-0123456789", value[0]) >= 0 }

// fieldNames returns the names of a struct's fields in JSON.
func fieldNames(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		if name := jsonName(field); name != "-" {
			names = append(names, name)
		}
	}
	return names
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
func unknownMembers(object any) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) { eachUnknown(reflect.ValueOf(object), "", yield) }
}

// eachUnknown calls yield with each unknown member of a value until the result is false. The path of its
// object is empty, or ends with a dot.
func eachUnknown(value reflect.Value, path string, yield func(string, json.RawMessage) bool) (more bool) {
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

// hasKnownFields reports whether any field of a struct has a value besides unknown members.
func hasKnownFields(value reflect.Value) bool {
	if value.Kind() != reflect.Struct {
		return !value.IsZero()
	}
	for _, field := range value.Fields() {
		if field.Type() != reflect.TypeFor[UnknownFields]() && hasKnownFields(field) {
			return true
		}
	}
	return false
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
func textsIn(name string, member json.RawMessage) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var value any
		if json.Unmarshal(member, &value) == nil {
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
