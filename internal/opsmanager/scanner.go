package opsmanager

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scan decodes a JSON document like encoding/json, which needs several times as long for a list of
// snapshots, because it also reads the members without a field, and twice. scan reports false, and
// leaves out as it was, if the document is not valid, has too many elements, or is one that only
// encoding/json decodes. The type of out must consist of structs, also embedded ones, lists, texts, whole
// numbers, Boolean values, and pointers to them. elements becomes the number of elements of the lists.
func scan(document []byte, out any, elements *int) bool {
	const shortest = 2 * maxElements // in bytes, of a document with too many elements
	if len(document) >= shortest {
		if _, err := countElements(document); err != nil {
			return false
		}
	}
	s, to := scanner{document: document, decoded: elements}, reflect.New(reflect.TypeOf(out).Elem()).Elem()
	if !s.value(to, fieldsOf(to.Type()), 0) || s.next() != 0 || s.at < len(document) {
		return false
	}
	reflect.ValueOf(out).Elem().Set(to)
	return true
}

// scannedField is a field of a struct.
type scannedField struct {
	name   string // in JSON
	index  []int
	within []scannedField // of the struct in the field, at its pointer or in its list
}

// fieldsOf returns the fields of a struct, of those in a list, or of the one at a pointer.
func fieldsOf(t reflect.Type) (fields []scannedField) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(t.Elem())
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if field.IsExported() && !field.Anonymous {
				fields = append(fields, scannedField{jsonName(field), field.Index, fieldsOf(field.Type)})
			}
		}
	}
	return fields
}

// scanner reads a JSON document once, from the beginning to the end. Its methods report false for
// what is not valid, or what only encoding/json decodes.
type scanner struct {
	document []byte
	at       int  // the position of what is read next
	decoded  *int // number of elements of lists
}

// next returns the next character that is not white space, or 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.document); s.at++ {
		if c := s.document[s.at]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// value decodes a value, whose struct has some fields.
func (s *scanner) value(to reflect.Value, fields []scannedField, depth int) bool {
	c := s.next()
	if to.Kind() == reflect.Pointer && c != 'n' {
		if !to.IsNil() {
			return false // the member is there twice
		}
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	switch kind := to.Kind(); {
	case kind == reflect.Struct && c == '{':
		return s.elements(depth, func(name []byte) bool {
			i, isSure := find(fields, name)
			if i < 0 {
				return isSure && s.skip(depth+1)
			}
			return s.value(to.FieldByIndex(fields[i].index), fields[i].within, depth+1)
		})
	case kind == reflect.Slice && c == '[' && to.IsNil():
		to.Set(reflect.MakeSlice(to.Type(), 0, 0))
		return s.elements(depth, func([]byte) bool {
			to.Grow(1)
			to.SetLen(to.Len() + 1)
			*s.decoded++
			return s.value(to.Index(to.Len()-1), fields, depth+1)
		})
	case kind == reflect.String && c == '"':
		text, isPlain := s.text()
		to.SetString(string(text))
		return isPlain && utf8.Valid(text) && bytes.IndexByte(text, '\\') < 0
	}
	return s.scalarInto(to)
}

// scalarInto decodes a number, a Boolean value or null.
func (s *scanner) scalarInto(to reflect.Value) bool {
	start := s.at
	if !s.scalar() {
		return false
	}
	text := string(s.document[start:s.at])
	switch kind := to.Kind(); {
	case text == "null":
		if kind == reflect.Pointer || kind == reflect.Slice {
			to.SetZero()
		}
		return true
	case kind == reflect.Bool && (text == "true" || text == "false"):
		to.SetBool(text == "true")
		return true
	case kind == reflect.Int64:
		number, err := strconv.ParseInt(text, 10, 64)
		to.SetInt(number)
		return err == nil
	}
	return false
}

// find returns the index of a field by the name of a member, as encoding/json finds it, or -1. It is
// not sure of a name with an escape or with a character outside ASCII.
func find(fields []scannedField, name []byte) (index int, isSure bool) {
	for i, field := range fields {
		if len(field.name) == len(name) && strings.EqualFold(field.name, string(name)) {
			return i, true
		}
	}
	return -1, !bytes.ContainsFunc(name, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf })
}

// elements reads an array or an object. element reads an element, or the value of the member with a name.
func (s *scanner) elements(depth int, element func(name []byte) bool) bool {
	const deepest = 100 // no response of this API has more than ten levels
	opening := s.document[s.at]
	closing := opening + 2
	if s.at++; depth > deepest {
		return false
	}
	if s.next() == closing {
		s.at++
		return true
	}
	for {
		var name []byte
		if opening == '{' {
			if s.next() != '"' {
				return false
			}
			var isValid bool
			if name, isValid = s.text(); !isValid || s.next() != ':' {
				return false
			}
			s.at++
		}
		if !element(name) {
			return false
		}
		c := s.next()
		s.at++
		if c != ',' {
			return c == closing
		}
	}
}

// skip reads a value.
func (s *scanner) skip(depth int) bool {
	switch s.next() {
	case '{', '[':
		return s.elements(depth, func([]byte) bool { return s.skip(depth + 1) })
	case '"':
		_, isValid := s.text()
		return isValid
	}
	return s.scalar()
}

// text reads a string, and returns what is between the quotation marks.
func (s *scanner) text() (content []byte, isValid bool) {
	start, hasEscape := s.at, false
	for s.at++; s.at < len(s.document); s.at++ {
		switch c := s.document[s.at]; {
		case c == '"':
			s.at++
			text := s.document[start:s.at]
			return text[1 : len(text)-1], !hasEscape || json.Valid(text)
		case c == '\\':
			hasEscape = true
			s.at++
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// scalar reads a number, a Boolean value or null.
func (s *scanner) scalar() bool {
	start, isNatural := s.at, true
	for ; s.at < len(s.document) && !endsScalar(s.document[s.at]); s.at++ {
		isNatural = isNatural && '0' <= s.document[s.at] && s.document[s.at] <= '9'
	}
	text := s.document[start:s.at]
	return isNatural && len(text) > 0 && text[0] != '0' || json.Valid(text)
}

func endsScalar(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
}
