package emulator

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// bodyObject returns the body, which must be a JSON object. Its numbers are [json.Number].
func (c *call) bodyObject() (map[string]any, error) {
	invalid := refuse(http.StatusBadRequest, "INVALID_JSON", "The body is not a JSON object.")
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, invalid
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalid
	}
	return object, nil
}

// checkedBody returns the body, whose members it checks. If it changes or replaces an object, before is
// that object.
func (e *Emulator) checkedBody(c *call, before map[string]any, known members) (map[string]any, error) {
	object, err := c.bodyObject()
	if err != nil {
		return nil, err
	}
	if refused := e.checkMembers("", object, before, known); refused != nil {
		return nil, refused
	}
	return object, nil
}

// checkMembers checks the members of an object in a request, and removes those that are ignored. The
// object before it can have members that are not known, which tests add. A request can have them
// too, because a client may send back what it read. The prefix precedes the names in an error.
func (e *Emulator) checkMembers(prefix string, object, before map[string]any, known members) *refusal {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		m, isKnown := known[name]
		isKnown = isKnown && e.version.since(m.since)
		value := object[name]
		text, isText := value.(string)
		switch {
		case !isKnown && before[name] != nil && !e.options.Unknowns.RejectsReturnedMembers:
		case !isKnown && e.options.Unknowns.IgnoresUnknownFields, isKnown && e.options.Lenient && value == nil:
			delete(object, name)
		case !isKnown:
			return invalidAttribute(prefix + name)
		case m.readOnly:
			return readOnlyAttribute(prefix + name)
		case m.isValid != nil && !m.isValid(value), m.values != nil && !isText:
			return invalidType(prefix + name)
		case m.values != nil && !slices.Contains(m.values, text):
			return invalidEnum(prefix+name, text)
		case m.ignored:
			delete(object, name)
		}
		if !isKnown || m.nested == nil {
			continue
		}
		nestedBefore := map[string]any{}
		for _, nested := range objectsIn(before[name]) {
			maps.Copy(nestedBefore, nested)
		}
		for _, nested := range objectsIn(value) {
			if refused := e.checkMembers(prefix+name+".", nested, nestedBefore, m.nested); refused != nil {
				return refused
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		m := known[name]
		if m.required && (object[name] == nil || object[name] == "" && !m.mayBeEmpty) {
			return missingAttribute(prefix + name)
		}
	}
	return nil
}

func hasType[T any](value any) bool { _, ok := value.(T); return ok }

var isText, isBoolean, isObject, isList = hasType[string], hasType[bool], hasType[map[string]any], hasType[[]any]

func isListOf(value any, isElement func(any) bool) bool {
	elements, ok := value.([]any)
	return ok && !slices.ContainsFunc(elements, func(element any) bool { return !isElement(element) })
}

func isListOfObjects(value any) bool { return isListOf(value, isObject) }

func isListOfTexts(value any) bool { return isListOf(value, isText) }

func isWhole(value any) bool { _, err := wholeNumber(value); return err == nil }

func isPositive(value any) bool { n, err := wholeNumber(value); return err == nil && n > 0 }

func wholeNumber(value any) (int, error) {
	n, _ := value.(json.Number)
	return strconv.Atoi(n.String())
}
