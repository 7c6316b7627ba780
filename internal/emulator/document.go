package emulator

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// addDefaults sets the fields that a document lacks.
func addDefaults(document, defaults map[string]any) {
	for name, value := range defaults {
		if _, has := document[name]; !has {
			document[name] = value
		}
	}
}

// addTexts adds the texts that are not empty.
func addTexts(document map[string]any, texts map[string]string) map[string]any {
	for name, text := range texts {
		if text != "" {
			document[name] = text
		}
	}
	return document
}

// merge returns a copy of a document with fields set, or deleted if they are nil.
func merge(document, fields map[string]any) map[string]any {
	merged := copyDocument(document)
	if merged == nil {
		merged = map[string]any{}
	}
	return overlay(merged, copyDocument(fields))
}

// overlay sets fields of a document, or deletes them if they are nil.
func overlay(document, fields map[string]any) map[string]any {
	for name, value := range fields {
		if value == nil {
			delete(document, name)
		} else {
			document[name] = value
		}
	}
	return document
}

// copyDocument returns a deep copy of a document, with values as decoded by
// [json.Unmarshal].
func copyDocument(document map[string]any) map[string]any {
	if document == nil {
		return nil
	}
	copied := make(map[string]any, len(document))
	for name, value := range document {
		if name != asReadField {
			copied[name] = copyValue(value)
		}
	}
	return copied
}

func copyValue(value any) any {
	switch value := value.(type) {
	case nil, bool, float64, string:
		return value
	case []any:
		copied := make([]any, len(value))
		for i, element := range value {
			copied[i] = copyValue(element)
		}
		return copied
	case map[string]any:
		return copyDocument(value)
	}
	var decoded any // from a type that json.Unmarshal doesn't return, such as int
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		panic("emulator: not a JSON document: " + err.Error())
	}
	return decoded
}

// deepCopy returns a deep copy of a seed or of a part of it.
func deepCopy[T any](part T) T {
	return copyPart(reflect.ValueOf(part)).Interface().(T) //nolint:forcetypeassert // it has the same type
}

func copyPart(part reflect.Value) reflect.Value {
	switch value := part.Interface().(type) {
	case map[string]any:
		return reflect.ValueOf(copyDocument(value))
	case json.RawMessage:
		return reflect.ValueOf(slices.Clone(value))
	}
	switch part.Kind() {
	case reflect.Struct:
		copied := reflect.New(part.Type()).Elem()
		for field, value := range part.Fields() {
			copied.FieldByIndex(field.Index).Set(copyPart(value))
		}
		return copied
	case reflect.Slice:
		if part.IsNil() {
			return part
		}
		copied := reflect.MakeSlice(part.Type(), part.Len(), part.Len())
		for i, element := range part.Seq2() {
			copied.Index(int(i.Int())).Set(copyPart(element))
		}
		return copied
	case reflect.Map:
		copied := reflect.MakeMap(part.Type())
		for key, value := range part.Seq2() {
			copied.SetMapIndex(key, copyPart(value))
		}
		return copied
	}
	return part
}

// parseDate parses a time of a document: ISO 8601, or only a date.
func parseDate(value any) (time.Time, bool) {
	text, _ := value.(string)
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// date returns a time as in a document.
func date(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// dateOf returns the time of a timestamp, or the zero time.
func dateOf(timestamp any) time.Time {
	fields, _ := timestamp.(map[string]any)
	at, _ := parseDate(fields["date"])
	return at
}

// rawDocument is a JSON document that a response has byte for byte.
type rawDocument []byte

func encode(document any, pretty bool) []byte {
	var buffer bytes.Buffer
	if raw, ok := document.(rawDocument); ok {
		if !pretty {
			return raw
		}
		_ = json.Indent(&buffer, raw, "", "  ") // it was checked, or a test has stored it
		return buffer.Bytes()
	}
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if pretty {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(document); err != nil {
		panic("emulator: " + err.Error()) // cannot happen: documents consist of JSON values
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// asReadField is a field that the documents of a copy have until a request changes them. No response has
// it, and [copyDocument] leaves it out: what changes a document begins with a copy of it.
const asReadField = "(as read)"

// asReadMark is the value of [asReadField]. No field of a request has this type.
type asReadMark struct{}

// isAsRead reports whether a document is as it was read from the copied Ops Manager.
func isAsRead(document map[string]any) bool {
	_, marked := document[asReadField].(asReadMark)
	return marked
}

// asRead returns a copied document as in a response. Only the links are new, because the old ones lead
// to the copied Ops Manager.
func asRead(document map[string]any, links ...map[string]any) map[string]any {
	answered := maps.Clone(document)
	delete(answered, asReadField)
	answered["links"] = append([]map[string]any{}, links...)
	return answered
}

// members are the members that a JSON object in a request can have, by their name.
type members map[string]member

// member is a member of a JSON object in a request.
type member struct {
	isValid    func(value any) bool // accepts any value if it is nil
	values     []string             // of a text; any if it is nil
	nested     members              // of the value, which is an object or a list of objects
	since      version              // that introduced it
	required   bool
	mayBeEmpty bool // an empty text does not count as missing
	immutable  bool // can be set only when the object is created
	readOnly   bool // rejected
	ignored    bool // accepted, and not used
	secret     bool // never shown
}

// readOnly returns members that a request cannot have.
func readOnly(names ...string) members {
	known := members{}
	for _, name := range names {
		known[name] = member{readOnly: true}
	}
	return known
}

// union returns the members of all parts. Later ones replace earlier ones.
func union(parts ...members) members {
	all := members{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// get returns a field of a document, or a zero value if it has another type.
func get[T any](document map[string]any, name string) T {
	value, _ := document[name].(T)
	return value
}

// hashedID returns the ID of an object that the seed has no ID for.
func hashedID(of ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(of, ""))))[:24]
}

// objectsIn returns an object, or those in a list.
func objectsIn(value any) []map[string]any {
	elements, isList := value.([]any)
	if !isList {
		elements = []any{value}
	}
	var objects []map[string]any
	for _, element := range elements {
		if object, ok := element.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

func hasType[T any](value any) bool { _, ok := value.(T); return ok }

var isText, isBoolean, isObject, isList = hasType[string], hasType[bool], hasType[map[string]any], hasType[[]any]

func isListOf(value any, isElement func(any) bool) bool {
	elements, ok := value.([]any)
	return ok && !slices.ContainsFunc(elements, func(element any) bool {
		return !isElement(element)
	})
}

func isListOfObjects(value any) bool { return isListOf(value, isObject) }

func isListOfTexts(value any) bool { return isListOf(value, isText) }

func isWhole(value any) bool { _, err := wholeNumber(value); return err == nil }

func isPositive(value any) bool { n, err := wholeNumber(value); return err == nil && n > 0 }

func wholeNumber(value any) (int, error) {
	n, _ := value.(json.Number)
	return strconv.Atoi(n.String())
}

// jsonPart is a member of an object or an element of a list in a JSON document, and where its value is.
type jsonPart struct {
	name     string // of a member
	from, to int
}

// in returns the value of a part.
func (p jsonPart) in(document []byte) []byte { return document[p.from:p.to] }

// partsOf returns the members of an object, or the elements of a list, in the order of the document.
// Several members can have the same name.
func partsOf(document []byte, opening json.Delim) ([]jsonPart, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	if token, err := decoder.Token(); err != nil || token != opening {
		return nil, fmt.Errorf("the document does not begin with %s", opening)
	}
	var found []jsonPart
	for decoder.More() {
		var p jsonPart
		if opening == '{' {
			token, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			p.name, _ = token.(string)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		p.to = int(decoder.InputOffset())
		p.from = p.to - len(value)
		found = append(found, p)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the document has text behind its end")
	}
	return found, nil
}

// findMember returns the member with a name; the last one, as JSON parsers do, if there are several.
func findMember(document []byte, name string) (jsonPart, bool) {
	all, _ := partsOf(document, '{')
	for _, p := range slices.Backward(all) {
		if p.name == name {
			return p, true
		}
	}
	return jsonPart{}, false
}

// splice returns a copy of a document with a different value of a part.
func splice(document []byte, p jsonPart, value string) []byte {
	return slices.Concat(document[:p.from], []byte(value), document[p.to:])
}

// insertMember returns a copy of a JSON object with a member behind the last one.
func insertMember(object []byte, name, value string) []byte {
	all, _ := partsOf(object, '{')
	end := all[len(all)-1].to
	return slices.Concat(object[:end], []byte(","+strconv.Quote(name)+":"+value), object[end:])
}
