package opsmanager

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A request would send a null back as an empty text.
func TestNullInAListThatARequestReplacesIsAnError(t *testing.T) {
	t.Parallel()
	for document, out := range map[string]any{
		`{"id": "a", "labels": ["b", null]}`:                new(BackupStore),
		`{"configured": true, "labels": [null]}`:            new(BackupDaemon),
		`{"id": "a", "labelFilter": [null, "b"]}`:           new(JobConfig),
		`{"id": "a", "syncStoreFilter": [null]}`:            new(JobConfig),
		`{"id": "a", "notifications": [{"roles": [null]}]}`: new(AlertConfig),
		`{"id": "a", "notifications": [{}, null]}`:          new(AlertConfig),
		`{"id": "a", "daemonFilter": [null]}`:               new(JobConfig),
		`{"id": "a", "customCertificates": [null]}`:         new(BackupStore),
		`{"results": [{"id": "a", "labels": [null]}]}`:      new(List[BackupStore]),
	} {
		for _, decode := range []func([]byte, any) error{decodeDocument, decodeLimited} {
			err := describeJSONError(decode([]byte(document), out), []byte(document))
			if text := err.Error(); !errors.Is(err, ErrNullElement) || !strings.Contains(text, "a list has a null: ") || strings.HasSuffix(text, " ") {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
	err := decode([]byte(`{"id": "a", "labels": ["b", 1]}`), new(BackupStore))
	if !strings.Contains(err.Error(), "labels has the wrong type, number") {
		t.Errorf("a number among texts: %v", err)
	}
	for _, document := range []string{`{"id": "a", "labels": null}`, `{"id": "a", "labels": []}`, `{"id": "a", "labels": ["", "b"]}`, `{"id": "a"}`} {
		read := BackupStore{}
		if err := decode([]byte(document), &read); err != nil {
			t.Errorf("%s: %v", document, err)
		}
		if (read.Labels == nil) != !strings.Contains(document, "[") {
			t.Errorf("%s: labels are %v", document, read.Labels)
		}
	}
	if err := decode([]byte(`{"id": "a", "tags": ["b", null]}`), new(Project)); err != nil {
		t.Errorf("no request replaces the tags of a project: %v", err)
	}
}

func TestNullInAListNamesItsObject(t *testing.T) {
	t.Parallel()
	for document, test := range map[string]struct {
		out  any
		want string
	}{
		`{"id": "a", "labels": ["b", null]}`:                         {new(BackupStore), "labels"},
		`{"id": "a", "notifications": [{}, {"roles": ["b", null]}]}`: {new(AlertConfig), "notifications[1].roles"},
		`{"links": [{}], "results": [{"id": "a"}, {"labels": [null], "id": "s1"}]}`: {
			new(List[BackupStore]), "results[1].labels of s1",
		},
		`{"results": [{"labels": [null], "machine": {"machine": "h", "headRootDirectory": "/d/"}, "id": "a"}]}`: {
			new(List[BackupDaemon]), "results[0].labels of h, /d/",
		},
		`{"results": [{"labels": [null], "machine": {"machine": "h"}}]}`: {
			new(List[BackupDaemon]), "results[0].labels of h",
		},
		`{"results": [{"labels": [null]}]}`:          {new(List[BackupStore]), "results[0].labels"},
		`{"results": [{"labels": [null], "id": 5}]}`: {new(List[BackupStore]), "results[0].labels"},
		`{"results": [{"labels": [null], "id": "a\u001b[31mb"}]}`: {
			new(List[BackupStore]), "results[0].labels of a [31mb",
		},
		`{"results": [{"id": "p", "snapshotStoreFilter": [null]}]}`: {
			new(List[JobConfig]), "results[0].snapshotStoreFilter of p",
		},
		`{"results": [{"id": "p", "notifications": [{"roles": [null]}]}]}`: {
			new(List[AlertConfig]), "results[0].notifications[0].roles of p",
		},
	} {
		if err := decode([]byte(document), test.out); !errors.Is(err, ErrNullElement) || !strings.HasSuffix(err.Error(), "a list has a null: "+test.want) {
			t.Errorf("%s: got %v, want %s", document, err, test.want)
		}
	}
}

func TestElementIsSentBackWithoutWhatItLacks(t *testing.T) {
	t.Parallel()
	const lists = `{"daemonFilter":[{"headRootDirectory":"/data/"}],"snapshotStoreFilter":[{"id":"a"}],"oplogStoreFilter":[{"type":"oplogStore"}]}`
	const certificates = `{"customCertificates":[{"certString":"a"},{"filename":"b"}]}`
	for document, out := range map[string]any{lists: new(JobConfig), certificates: new(BackupStore)} {
		if err := decode([]byte(document), out); err != nil {
			t.Fatal(err)
		}
		if sent, _ := json.Marshal(out, likeEncodingJSON); string(sent) != document {
			t.Errorf("%s is sent back as %s", document, sent)
		}
	}
}
