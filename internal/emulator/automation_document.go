package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

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

// versionOf returns the version of an automation configuration, or 0 if it has none.
func versionOf(document []byte) int {
	version, _ := findMember(document, "version")
	return wholeVersion(json.Number(version.in(document)))
}

// wholeVersion returns a positive whole number in any notation of JSON, or 0.
func wholeVersion(number json.Number) int {
	if n, err := strconv.Atoi(number.String()); err == nil {
		return max(n, 0)
	}
	if n, err := number.Float64(); err == nil && n == math.Trunc(n) && n > 0 && n < 1<<53 {
		return int(n)
	}
	return 0
}

// withVersion returns an automation configuration with a different version.
func withVersion(document []byte, version int) []byte {
	text := strconv.Itoa(version)
	if p, ok := findMember(document, "version"); ok {
		return splice(document, p, text)
	}
	if all, _ := partsOf(document, '{'); len(all) > 0 {
		return insertMember(document, "version", text)
	}
	return []byte(`{"version":` + text + `}`)
}

// listElement is an element of a list in an automation configuration.
type listElement struct {
	jsonPart // in the document
	fields   map[string]any
}

// modulesIn returns the elements of backupVersions.
func modulesIn(document []byte) []listElement { return elementsOf(document, "backupVersions") }

// elementsOf returns the elements of a list in an automation configuration.
func elementsOf(document []byte, name string) []listElement {
	value, _ := findMember(document, name)
	all, _ := partsOf(value.in(document), '[')
	elements := make([]listElement, len(all))
	for i, p := range all {
		elements[i].jsonPart = jsonPart{from: value.from + p.from, to: value.from + p.to}
		_ = json.Unmarshal(elements[i].in(document), &elements[i].fields) // nil if it is not an object
	}
	return elements
}

// hostnames returns the hosts of elements, each once.
func hostnames(elements []listElement) []string {
	var names []string
	for _, element := range elements {
		if hostname, ok := element.fields["hostname"].(string); ok && !slices.Contains(names, hostname) {
			names = append(names, hostname)
		}
	}
	return names
}

// process is a process of an automation configuration.
type process struct {
	Hostname string `json:"hostname"`
	Name     string `json:"name"`
	Options  struct {
		Replication struct {
			Name string `json:"replSetName"`
		} `json:"replication"`
	} `json:"args2_6"`
}

// processes returns the processes of an automation configuration.
func (p *Project) processes() []process {
	var found []process
	for _, element := range elementsOf(p.AutomationConfig, "processes") {
		var one process
		_ = json.Unmarshal(element.in(p.AutomationConfig), &one) // what has another type stays empty
		found = append(found, one)
	}
	return found
}
