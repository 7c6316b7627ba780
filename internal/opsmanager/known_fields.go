package opsmanager

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// knownFields are the fields that a struct has for the members of a JSON object. If they are nil, all
// members count as known.
type knownFields []knownField

type knownField struct {
	name   string
	within knownFields // of the object in the field, or of those in its list
}

// knownFieldsOf returns the fields of a struct, or of the structs in a list or at a pointer.
func knownFieldsOf(t reflect.Type) knownFields {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return knownFieldsOf(t.Elem())
	case reflect.Struct:
		known := knownFields{}
		for _, field := range reflect.VisibleFields(t) {
			if field.IsExported() && !field.Anonymous {
				known = append(known, knownField{jsonName(field), knownFieldsOf(field.Type)})
			}
		}
		return known
	}
	return nil
}

// find returns the field of a member as encoding/json finds it. A name with an escape, or with a
// character outside ASCII, may be that of any field.
func (k knownFields) find(name []byte) (within knownFields, isKnown bool) {
	for _, field := range k {
		if len(field.name) == len(name) && strings.EqualFold(field.name, string(name)) {
			return field.within, true
		}
	}
	return nil, k == nil || bytes.ContainsFunc(name, func(r rune) bool { return r == '\\' || r >= 0x80 })
}

// withoutUnknown returns a JSON document with 0 in place of the values that have no field. encoding/json
// needs several times as long to skip them. If the document is not valid, it is returned as it is.
func withoutUnknown(document []byte, known knownFields) []byte {
	p := pruner{document: document}
	if !p.value(known, 0) || p.next() != 0 || p.at < len(document) {
		return document
	}
	return append(p.kept, document[p.from:]...)
}

// pruner replaces values of a JSON document. Its methods report whether the document is valid so far.
type pruner struct {
	document []byte
	at       int    // the position in the document
	kept     []byte // the result for what is before from
	from     int
}

// next returns the next character that is no white space, or 0 at the end.
func (p *pruner) next() byte {
	for ; p.at < len(p.document); p.at++ {
		if c := p.document[p.at]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// value reads a value, and replaces those in it that have no field.
func (p *pruner) value(known knownFields, depth int) bool {
	const deepest = 1_000 // no response of this API has more than ten levels
	switch c := p.next(); {
	case depth > deepest:
		return false
	case c == '{':
		return p.elements('}', func() bool { return p.member(known, depth) })
	case c == '[':
		return p.elements(']', func() bool { return p.value(known, depth+1) })
	case c == '"':
		_, isValid := p.text()
		return isValid
	}
	return p.scalar()
}

// elements reads the elements of an array, or the members of an object.
func (p *pruner) elements(end byte, element func() bool) bool {
	p.at++
	if p.next() == end {
		p.at++
		return true
	}
	for element() {
		c := p.next()
		p.at++
		if c != ',' {
			return c == end
		}
	}
	return false
}

// member reads a member of an object, and replaces its value if it has no field.
func (p *pruner) member(known knownFields, depth int) bool {
	if p.next() != '"' {
		return false
	}
	name, isValid := p.text()
	if !isValid || p.next() != ':' {
		return false
	}
	p.at++
	within, isKnown := known.find(name)
	start := p.at
	if !p.value(within, depth+1) {
		return false
	}
	if !isKnown {
		p.kept = append(append(p.kept, p.document[p.from:start]...), '0')
		p.from = p.at
	}
	return true
}

// text reads a string, and returns it without the quotation marks.
func (p *pruner) text() (content []byte, isValid bool) {
	start, hasEscape := p.at, false
	for p.at++; p.at < len(p.document); p.at++ {
		switch c := p.document[p.at]; {
		case c == '"':
			p.at++
			text := p.document[start:p.at]
			return text[1 : len(text)-1], !hasEscape || json.Valid(text)
		case c == '\\':
			hasEscape = true
			p.at++
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// scalar reads a number, a Boolean value or null.
func (p *pruner) scalar() bool {
	start, isNatural := p.at, true
	for ; p.at < len(p.document) && !endsScalar(p.document[p.at]); p.at++ {
		isNatural = isNatural && '0' <= p.document[p.at] && p.document[p.at] <= '9'
	}
	text := p.document[start:p.at]
	return isNatural && len(text) > 0 && text[0] != '0' || json.Valid(text)
}

func endsScalar(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t'
}
