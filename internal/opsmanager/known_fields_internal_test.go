package opsmanager

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestMembersWithoutAFieldAreLeftOut(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)
	for document, want := range map[string]string{
		`{"results": [{"id": "a", "parts": [{"id": {"deep": [1, -2.5e3, true]}}], "complete": true}], "more": "\\\"\u0041"}`: `{"results":[{"id":"a","complete":true}]}`,
		`{"results": [{"ID": "a", "created": {"time": 1, "zone": null, "date": "d"}}, {"parts": []}, {}]}`:                   `{"results":[{"ID":"a","created":{"time":1,"date":"d"}},{},{}]}`,
		`{"results": [{"missingShards": [{"id": "a"}, {}], "\u0069d": "b", "ıd": 1}]}`:                                       `{"results":[{"missingShards":[{},{}],"\u0069d":"b","ıd":1}]}`,
		"[]":                               "[]",
		" null ":                           "null",
		`{"totalCount": {"id": {"a": 1}}}`: `{"totalCount":{"id": {"a": 1}}}`,
		// These are not valid.
		`{"parts": [01]}`:         `{"parts": [01]}`,
		"{\"parts\": [\"\x01\"]}": "{\"parts\": [\"\x01\"]}",
		`{"parts": [}]}`:          `{"parts": [}]}`,
		`{"parts": [1, ]}`:        `{"parts": [1, ]}`,
		`{"parts": 1`:             `{"parts": 1`,
		`{"parts": 1} 2`:          `{"parts": 1} 2`,
		`{"parts": ` + deep + "}": `{"parts": ` + deep + "}",
	} {
		if got := string(withoutUnknown([]byte(document), restorePointFields)); got != want {
			t.Errorf("%s became\n%s, want\n%s", document, got, want)
		}
	}
}

// encoding/json decodes what is left of a document as it decodes the whole document.
func FuzzWithoutUnknown(f *testing.F) {
	for _, seed := range []string{
		`{"totalCount": 2, "links": [{"rel": "self", "href": "https://om.example.com/"}], "results": [{"id": "a", "complete": true, "parts": [{"dataSizeBytes": 1.5e-7}]}, {"ID": "\ud800\"", "Created": {"increment": -0}}]}`,
		` { "a" : [ ] , "results" : null , "TOTALCOUNT" : 3 } `, `{"results": [{"missingShards": [{"x": "y"}]}], "results": 1}`, "[{}, {\"\": false}]", "0", `"\x"`, "{\"a\": 01}", "{\"\xff\": [1,]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var whole, rest List[RestorePoint]
		pruned := withoutUnknown(append([]byte{}, document...), restorePointFields)
		want, got := json.Unmarshal(document, &whole), json.Unmarshal(pruned, &rest)
		if (want == nil) != (got == nil) || !reflect.DeepEqual(whole, rest) {
			t.Errorf("%q: %v, %+v\n%q: %v, %+v", document, want, whole, pruned, got, rest)
		}
		if json.Valid(document) != json.Valid(pruned) {
			t.Errorf("%q became %q", document, pruned)
		}
	})
}
