package opsmanager

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestListOfSnapshotsIsScanned(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("{},", maxElements)
	deep := strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)
	for document, isScanned := range map[string]bool{
		` { "totalCount" : 2 , "links" : [ {"rel": "self", "href": "h"} ], "results" : [
			{"id": "a", "groupId": null, "complete": true, "created": {"date": "d", "time": 1, "increment": 1}, "expires": "e", "parts": [{"id": {"deep": [1, -2.5e3, true]}}]},
			{"ID": "ü", "clusterId": "c", "complete": false, "created": null, "missingShards": [{"id": "a"}, {}], "more": "\\\"\u0041"}, {"missingShards": []}, {} ] } `: true,
		`{"results": [], "totalCount": -3}`: true,
		`{"results": [null]}`:               true,
		`null`:                              true,
		// Only encoding/json decodes these.
		`{"results": [{"\u0069d": "a"}]}`:            false,
		`{"results": [{"ıd": "a"}]}`:                 false,
		`{"results": [{"id": "\u0061"}]}`:            false,
		"{\"results\": [{\"id\": \"\xff\"}]}":        false,
		`{"totalCount": 1, "totalCount": 2}`:         false,
		`{"results": [{}], "results": [{}]}`:         false,
		`{"totalCount": 1.0}`:                        false,
		`{"results": {"id": "a"}}`:                   false,
		`{"results": [{"id": 1}]}`:                   false,
		`[]`:                                         false,
		`{"results": [{"created": {"time": 1e2}}]}`:  false,
		`{"totalCount": 12345678901234567890}`:       false,
		`{"results": [` + many + `{}]}`:              false,
		`{"results": [], "parts": [` + many + `{}]}`: false,
		`{"results": [], "parts": ` + deep + `}`:     false,
		// These are not valid.
		`{"results": [{"parts": [01]}]}`:           false,
		"{\"results\": [{\"parts\": [\"\x01\"]}]}": false,
		`{"results": [{"parts": [}]}]}`:            false,
		`{"results": [{"parts": [1, ]}]}`:          false,
		`{"results": [{"parts": nul}]}`:            false,
		`{"results": [{"parts": "\x"}]}`:           false,
		`{"results": [{"id": "a"`:                  false,
		`{"results": []} 2`:                        false,
		``:                                         false,
	} {
		var scanned, decoded List[RestorePoint]
		if got := scan([]byte(document), &scanned, new(int)); got != isScanned {
			t.Errorf("%.200s: scanned %t", document, got)
		}
		if err := json.Unmarshal([]byte(document), &decoded); isScanned && (err != nil || !reflect.DeepEqual(scanned, decoded)) {
			t.Errorf("%s\nis %+v\nwant %+v, %v", document, scanned, decoded, err)
		}
		if !isScanned && !reflect.DeepEqual(scanned, List[RestorePoint]{}) {
			t.Errorf("%.200s left %+v", document, scanned)
		}
	}
}

// wholeSnapshots has each field of a snapshot.
const wholeSnapshots = `{"totalCount": 1, "links": [], "results": [{
	"id": "a", "groupId": "b", "clusterId": "c", "clusterName": "d", "complete": true, "doNotDelete": false, "expires": "e", "isPossiblyInconsistent": true,
	"created": {"date": "f", "increment": 2, "time": 3}, "lastOplogAppliedTimestamp": {"date": "g", "increment": 4, "time": 5},
	"namespaceFilterList": {"filterList": ["h", "i"], "filterType": "denyList"},
	"parts": [{"clusterId": "j", "completedTime": "k", "compressionSetting": "l", "dataSizeBytes": 6, "fileSizeBytes": 7, "storageSizeBytes": 8, "encryptionEnabled": true,
		"masterKeyUUID": "m", "fcv": "n", "hostId": "o", "machineId": "p", "mongodVersion": "q", "replicaSetName": "r", "replicaState": "s", "typeName": "t"}],
	"missingShards": [{"id": "u", "groupId": "v", "clusterName": "w", "typeName": "x", "replicaSetName": "y", "shardName": "z", "lastHeartbeat": "A"}],
	"links": [{"rel": "B", "href": "C"}]}]}`

func TestEachFieldOfASnapshotIsScanned(t *testing.T) {
	t.Parallel()
	if !isScannedAlike[RestorePoint](t, wholeSnapshots) || !isScannedAlike[ClusterSnapshot](t, wholeSnapshots) || !isScannedAlike[Snapshot](t, wholeSnapshots) {
		t.Error("not scanned")
	}
}

// isScannedAlike reports whether a list is scanned. If it is, it must be what encoding/json decodes.
func isScannedAlike[T any](t *testing.T, document string) bool {
	t.Helper()
	var scanned, decoded List[T]
	if !scan([]byte(document), &scanned, new(int)) {
		return false
	}
	if err := json.Unmarshal([]byte(document), &decoded); err != nil || !reflect.DeepEqual(scanned, decoded) {
		t.Errorf("%q is %+v, want %+v, %v", document, scanned, decoded, err)
	}
	return true
}

// What is scanned is what encoding/json decodes.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		wholeSnapshots,
		`{"totalCount": 2, "links": [{"rel": "self", "href": "https://om.example.com/"}], "results": [{"id": "a", "complete": true, "parts": [{"dataSizeBytes": 1.5e-7}]}, {"ID": "b\"", "Created": {"increment": -0}}]}`,
		` { "a" : [ ] , "results" : null , "TOTALCOUNT" : 3 } `, `{"results": [{"missingShards": [{"x": "y"}]}], "results": 1}`, "[{}, {\"\": false}]", "0", `"\x"`, "{\"a\": 01}", "{\"\xff\": [1,]}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, document string) {
		isScannedAlike[RestorePoint](t, document)
		isScannedAlike[ClusterSnapshot](t, document)
		isScannedAlike[Snapshot](t, document)
	})
}
