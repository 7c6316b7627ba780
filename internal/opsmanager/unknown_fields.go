package opsmanager

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnknownFields are the members of a JSON object that its struct has no field for. A PUT that
// replaces the object sends them back as they were in the response, because Ops Manager would
// reset them otherwise. Their values may be secrets, so only their names are printed. Of members with
// the same name, the last one counts. A name in another case than that of a field is unknown.
type UnknownFields map[string]jsontext.Value

// names returns the names in alphabetical order.
func (u UnknownFields) names() []string { return slices.Sorted(maps.Keys(u)) }

// String returns the names, so that no message or log line has the values.
func (u UnknownFields) String() string { return strings.Join(u.names(), ", ") }

// GoString returns the names.
func (u UnknownFields) GoString() string { return u.String() }

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
			found = append(found, unknownMember{path + name, fields[name]})
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
			if name := jsonName(field); name != "" && name != "-" {
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
			isConstant := strings.Trim(t.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
			if !isConstant && len(found) < most {
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

// MayHaveUnknownSecret reports whether an unknown member is anything but a number or a Boolean. A mask may be null.
func MayHaveUnknownSecret(object any) bool {
	return slices.ContainsFunc(unknownMembers(reflect.ValueOf(object), ""), func(m unknownMember) bool {
		return !strings.ContainsRune("tf0", rune(m.value.Kind()))
	})
}

// UnknownSecrets compares two readings of an object. It returns the names of the unknown members
// that may have a mask in place of a secret: a text in them looks like a mask, or has the name of a
// secret, or differs between the readings, which only a time may do. A PUT that sends them back may replace the secret by its
// mask, and one without them may remove it.
func UnknownSecrets[T any](read, again T) []string {
	first := namedTexts(read)
	second := namedTexts(again)
	var found []string
	for name, texts := range first {
		if !slices.EqualFunc(texts, second[name], namedText.isSame) || slices.ContainsFunc(texts, namedText.mayBeMasked) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// namedTexts returns the texts in the unknown members of an object by the names of UnknownNames.
func namedTexts(object any) map[string][]namedText {
	found := map[string][]namedText{}
	for _, m := range unknownMembers(reflect.ValueOf(object), "") {
		found[m.name] = append(found[m.name], m.texts()...)
	}
	return found
}

// isSame reports whether two readings have the same text or two times.
func (n namedText) isSame(other namedText) bool {
	_, one := time.Parse(time.RFC3339, n.text)
	_, two := time.Parse(time.RFC3339, other.text)
	return n == other || n.name == other.name && one == nil && two == nil
}

// mayBeMasked reports whether a text may be a mask.
func (n namedText) mayBeMasked() bool {
	return IsMask(n.text, InUnknown) || n.text != "" && isSecretName(n.name)
}
