package opsmanager

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// decode decodes the response of a successful call. It rejects an object that has none of the
// expected fields. Such an object comes from another server, and because missing fields keep their
// values, it would look like success.
func decode(content []byte, out any) error {
	content = bytes.TrimSpace(content)
	if out == nil {
		if len(content) > 0 && !jsontext.Value(content).IsValid(likeEncodingJSON) {
			return errUndocumented
		}
		if _, status := failureIn(content); status != 0 {
			return errUndocumented
		}
		return nil
	}
	if len(content) == 0 {
		return ErrEmptyResponse
	}
	if err := decodeDocument(content, out); err != nil {
		return describeJSONError(err, content)
	}
	isKnown, elements := contents(reflect.ValueOf(out).Elem())
	if !isKnown {
		return fmt.Errorf("%w: it has none of the expected fields", errUndocumented)
	}
	if list, ok := out.(interface{ setSize(bytes int) }); ok {
		list.setSize(len(content) + elements*bytesPerElement)
	}
	return nil
}

// likeEncodingJSON makes the library decode and encode what encoding/json does, but for three things. The
// case of names counts. What is unknown keeps its bytes. With ReportErrorsWithLegacySemantics, each document
// would be read twice.
var likeEncodingJSON = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	jsontext.EscapeForHTML(false),
	jsontext.EscapeForJS(false),
	jsontext.PreserveRawStrings(true),
	jsonv1.ReportErrorsWithLegacySemantics(false),
)

// decodeDocument decodes a document. It is slower, but limited, if the document may exceed a limit or has
// a number that is not written as an integer, which are rare.
func decodeDocument(document []byte, out any) error {
	if mostElements(document) <= maxElements && len(document) <= maxText {
		err := json.Unmarshal(document, out, likeEncodingJSON)
		wrongType, ok := errors.AsType[*json.SemanticError](err)
		if !ok || wrongType.JSONKind != '0' {
			return err
		}
	}
	return decodeLimited(document, out)
}

// decodeLimited decodes a document with functions for the types that need them.
func decodeLimited(document []byte, out any) error {
	c := new(counter)
	return json.Unmarshal(document, out, likeEncodingJSON, json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(decodeInteger),
		json.UnmarshalFromFunc(c.decodeText),
		json.UnmarshalFromFunc(c.countObject),
		json.UnmarshalFromFunc(c.keepMember),
	)))
}

// mostElements returns how many elements the arrays of a document have at most.
func mostElements(document []byte) int {
	return bytes.Count(document, []byte(",")) + bytes.Count(document, []byte("["))
}

// counter counts the elements of the arrays of a document, and the unknown members that are kept, while it is
// decoded. What is not kept takes no memory, and does not count.
type counter struct{ elements int }

func (c *counter) count() error {
	if c.elements++; c.elements > maxElements {
		return errTooManyElements
	}
	return nil
}

// countObject counts an object, which the library decodes. Each array has objects or texts.
func (c *counter) countObject(*jsontext.Decoder, identified) error {
	return cmp.Or(c.count(), errors.ErrUnsupported)
}

// keepMember decodes an unknown member that is kept, and counts it.
func (c *counter) keepMember(in *jsontext.Decoder, value *jsontext.Value) error {
	raw, err := in.ReadValue()
	if err != nil {
		return err
	}
	if len(raw) > maxText || len(in.StackPointer().LastToken()) > maxText {
		return errTooMuchText
	}
	*value = raw.Clone()
	return c.count()
}

// decodeText decodes a text, and counts it if it is an element.
func (c *counter) decodeText(in *jsontext.Decoder, text *string) error {
	if kind, _ := in.StackIndex(in.StackDepth()); kind == '[' {
		if err := c.count(); err != nil {
			return err
		}
	}
	if in.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	if *text = token.String(); len(*text) > maxText {
		return errTooMuchText
	}
	return nil
}

// Replaced is a list that a request replaces as a whole. A null in it is an error: a request would send it back as
// something else.
type Replaced[E any] []E

// Elements returns the elements of a list, or none if it is missing.
func (r *Replaced[E]) Elements() []E {
	if r == nil {
		return nil
	}
	return *r
}

// ErrNullElement is the cause of a failure if a list that requests replace has a null.
var ErrNullElement = fmt.Errorf("%w: a list has a null", errUndocumented)

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (r *Replaced[E]) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	var elements []*E
	if err := json.UnmarshalDecode(in, &elements); err != nil {
		return err
	}
	*r = make(Replaced[E], len(elements))
	for i, element := range elements {
		if element == nil {
			return &json.SemanticError{JSONKind: 'n', Err: ErrNullElement}
		}
		(*r)[i] = *element
	}
	return nil
}

// decodeInteger decodes a whole number in all notations. The library only decodes those of an integer.
func decodeInteger(in *jsontext.Decoder, number *int64) error {
	if in.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	if *number, err = parseInteger(value.String()); err != nil {
		return &json.SemanticError{JSONKind: '0', JSONValue: value.Clone()}
	}
	return nil
}

// parseInteger returns a number of a JSON document that is whole and fits into an int64, such as 6.0 and 6e0.
func parseInteger(number string) (int64, error) {
	const longest = 40 // more than an int64 needs, and fast to compute with
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(power, -power) > longest || len(number) > longest {
		return 0, strconv.ErrRange
	}
	value, ok := new(big.Rat).SetString(number)
	if ok && value.IsInt() && value.Num().IsInt64() {
		return value.Num().Int64(), nil
	}
	return 0, strconv.ErrRange
}

// describeJSONError describes the error of decoding a document in terms of JSON instead of Go. It quotes only a number, and
// the ID of an object.
func describeJSONError(err error, document []byte) error {
	var wrongType *json.SemanticError
	var invalid *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooManyElements):
		return errTooManyElements
	case errors.Is(err, errTooMuchText):
		return errTooMuchText
	case errors.As(err, &invalid):
		return fmt.Errorf("%w: %w", errUndocumented, invalid.Err)
	case !errors.As(err, &wrongType):
		return fmt.Errorf("%w: %w", errUndocumented, err)
	}
	var names []string
	for name := range wrongType.JSONPointer.Tokens() {
		if _, err := strconv.Atoi(name); err != nil { // else the index of an element
			names = append(names, name)
		}
	}
	if errors.Is(err, ErrNullElement) {
		return fmt.Errorf("%w: %s", ErrNullElement, placeOf(wrongType.JSONPointer, document))
	}
	found := wrongType.JSONKind.String()
	switch wrongType.JSONKind {
	case '{':
		found = "object"
	case '[':
		found = "array"
	case 't', 'f':
		found = "bool"
	case '0':
		found = strings.TrimSpace("number " + string(wrongType.JSONValue))
	}
	return fmt.Errorf("%w: %s has the wrong type, %s", errUndocumented, cmp.Or(strings.Join(names, "."), "the document"), found)
}

// placeOf returns a place in a document, such as results[2].labels, with the ID of the item if it is in a list of results.
func placeOf(pointer jsontext.Pointer, document []byte) string {
	var place strings.Builder
	item := ""
	for name := range pointer.Tokens() {
		index, err := strconv.Atoi(name)
		switch {
		case err != nil && place.Len() > 0:
			place.WriteString("." + name)
		case err != nil:
			place.WriteString(name)
		default:
			if place.String() == results {
				item = itemID(document, index)
			}
			place.WriteString("[" + name + "]")
		}
	}
	if item != "" {
		place.WriteString(" of " + item)
	}
	return place.String()
}

// results is the member of a list that has its items.
const results = "results"

// itemID returns the ID of an item of a list, or "" if it has none. That of a daemon is its machine with its head directory.
func itemID(list []byte, index int) string {
	in := jsontext.NewDecoder(bytes.NewReader(list), likeEncodingJSON)
	var item struct {
		ID      string        `json:"id"`
		Machine DaemonMachine `json:"machine"`
	}
	for in.StackPointer() != "/"+results {
		if in.StackDepth() == 1 && in.StackPointer() != "" {
			_ = in.SkipValue()
		}
		if _, err := in.ReadToken(); err != nil {
			return ""
		}
	}
	_, _ = in.ReadToken()
	for range index {
		_ = in.SkipValue()
	}
	if json.UnmarshalDecode(in, &item) != nil {
		return ""
	}
	daemon := strings.TrimSuffix(item.Machine.Machine+", "+stringValue(item.Machine.HeadRootDirectory), ", ")
	return Sanitize(cmp.Or(daemon, item.ID))
}

// contents reports whether a value has any besides unknown members, and links, which every document of the
// API has. It returns the number of elements of its lists.
func contents(value reflect.Value) (isKnown bool, elements int) {
	switch kind := value.Kind(); {
	case kind == reflect.Struct:
		for i := range value.NumField() { // Fields would take ten times as long
			hasKnown, more := contents(value.Field(i))
			isKnown = isKnown || hasKnown
			elements = elements + more
		}
	case kind == reflect.Map || value.IsZero(): // unknown members
	case kind == reflect.Pointer:
		_, elements = contents(value.Elem())
		isKnown = true
	case kind == reflect.Slice:
		elements = value.Len()
		for i := range value.Len() {
			_, more := contents(value.Index(i))
			elements += more
		}
		isKnown = value.Type() != reflect.TypeFor[[]Link]()
	default:
		isKnown = true
	}
	return isKnown, elements
}
