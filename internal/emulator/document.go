package emulator

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// hasID returns a function that reports whether a document has an ID.
func hasID(id any) func(map[string]any) bool {
	return func(document map[string]any) bool { return document["id"] == id }
}

// withID returns the document with an ID, or nil if there is none.
func withID(documents []map[string]any, id string) map[string]any {
	if i := slices.IndexFunc(documents, hasID(id)); i >= 0 {
		return documents[i]
	}
	return nil
}

// put adds a document, or replaces the one with the same ID.
func put(documents []map[string]any, document map[string]any) []map[string]any {
	if i := slices.IndexFunc(documents, hasID(document["id"])); i >= 0 {
		documents[i] = document
		return documents
	}
	return append(documents, document)
}

// addDefaults sets the fields that a document lacks.
func addDefaults(document, defaults map[string]any) {
	for name, value := range defaults {
		if _, has := document[name]; !has {
			document[name] = value
		}
	}
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

// checkIDs returns an error if a document has no ID, or that of another one.
func checkIDs(kind string, documents []map[string]any) error {
	ids := map[string]bool{}
	for _, document := range documents {
		id, _ := document["id"].(string)
		switch {
		case id == "":
			return fmt.Errorf("a %s has no ID", kind)
		case ids[id]:
			return fmt.Errorf("duplicate %s %q", kind, id)
		}
		ids[id] = true
	}
	return nil
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
