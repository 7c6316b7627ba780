package opsmanager

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// knownFields are the fields that a struct has for the members of a JSON object.
type knownFields []knownField

type knownField struct {
	name   string
	within knownFields // of the object in the field, or of those in its list; nil if it has another value
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
	return nil, bytes.ContainsFunc(name, func(r rune) bool { return r == '\\' || r >= 0x80 })
}

// withoutUnknown returns a JSON document without the members that have no field, because encoding/json
// needs several times as long to skip them. A document that is not valid is returned as it is.
func withoutUnknown(document []byte, known knownFields) []byte {
	p := pruner{document: document}
	if !p.copy(known, 0) || p.next() != 0 || p.at < len(document) {
		return document
	}
	return p.copied
}

// pruner copies a part of a JSON document. Its methods report whether the document is valid so far.
type pruner struct {
	document []byte
	at       int // the position in the document
	copied   []byte
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

// copy copies a value. Objects keep only the known fields, unless these are nil.
func (p *pruner) copy(known knownFields, depth int) bool {
	c := p.next()
	if known == nil || c != '{' && c != '[' {
		start := p.at
		if !p.skip(depth) {
			return false
		}
		p.copied = append(p.copied, p.document[start:p.at]...)
		return true
	}
	p.copied = append(p.copied, c)
	empty := len(p.copied)
	separate := func() {
		if len(p.copied) > empty {
			p.copied = append(p.copied, ',')
		}
	}
	isValid := p.elements(depth, func(name []byte) bool {
		within, isKnown := known, true
		if c == '{' {
			within, isKnown = known.find(name)
		}
		if !isKnown {
			return p.skip(depth + 1)
		}
		separate()
		if c == '{' {
			p.copied = append(append(append(p.copied, '"'), name...), '"', ':')
		}
		return p.copy(within, depth+1)
	})
	p.copied = append(p.copied, c+2) // the closing bracket
	return isValid
}

// skip reads a value.
func (p *pruner) skip(depth int) bool {
	switch p.next() {
	case '{', '[':
		return p.elements(depth, func([]byte) bool { return p.skip(depth + 1) })
	case '"':
		_, isValid := p.text()
		return isValid
	}
	return p.scalar()
}

// elements reads an array or an object. element reads an element, or the value of the member with a name.
func (p *pruner) elements(depth int, element func(name []byte) bool) bool {
	const deepest = 1_000 // no response of this API has more than ten levels
	opening := p.document[p.at]
	closing := opening + 2
	if p.at++; depth > deepest {
		return false
	}
	if p.next() == closing {
		p.at++
		return true
	}
	for {
		var name []byte
		if isValid := true; opening == '{' {
			if p.next() != '"' {
				return false
			}
			if name, isValid = p.text(); !isValid || p.next() != ':' {
				return false
			}
			p.at++
		}
		if !element(name) {
			return false
		}
		c := p.next()
		p.at++
		if c != ',' {
			return c == closing
		}
	}
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
