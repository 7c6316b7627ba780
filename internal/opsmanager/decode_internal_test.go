package opsmanager

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// wholeSnapshots has each field of a snapshot.
const wholeSnapshots = `{"totalCount": 1, "links": [], "results": [{
	"id": "a", "groupId": "b", "clusterId": "c", "clusterName": "d", "complete": true, "doNotDelete": false, "expires": "e", "isPossiblyInconsistent": true,
	"created": {"date": "f", "increment": 2, "time": 3}, "lastOplogAppliedTimestamp": {"date": "g", "increment": 4, "time": 5},
	"namespaceFilterList": {"filterList": ["h", "i"], "filterType": "denyList"},
	"parts": [{"clusterId": "j", "completedTime": "k", "compressionSetting": "l", "dataSizeBytes": 6, "fileSizeBytes": 7, "storageSizeBytes": 8,
		"encryptionEnabled": true,
		"masterKeyUUID": "m", "fcv": "n", "hostId": "o", "machineId": "p", "mongodVersion": "q", "replicaSetName": "r", "replicaState": "s", "typeName": "t"}],
	"missingShards": [{"id": "u", "groupId": "v", "clusterName": "w", "typeName": "x", "replicaSetName": "y", "shardName": "z", "lastHeartbeat": "A"}],
	"links": [{"rel": "B", "href": "C"}]}]}`

// decodings are documents that encoding/json decodes, or that are not valid.
var decodings = []string{
	wholeSnapshots,
	`{"results": [{"ıd": "a"}, {"\u0069d": "b"}]}`,
	`{"totalCount": 1, "totalCount": 2, "results": [{"id": "a", "complete": true}, {}], "results": [{"id": null, "parts": null}]}`,
	"{\"results\": [{\"id\": \"\xff\", \"\xff\": 1, \"expires\": \"\\ud800\"}]}",
	`{"results": null, "links": [null, {"rel": null}]}`, `{"results": [null]}`, `null`, ` [] `, `""`, `{}`,
	`{"results": {"id": "a"}}`, `{"results": [{"id": 1}]}`, `{"results": [{"id": [{}]}]}`, `{"totalCount": 1e2, "results": []}`,
	`{"totalCount": 12345678901234567890}`,
	`{"results": [{"created": {"time": 1.5, "date": {"a": 1}}}]}`, `{"results": [{"parts": [01]}]}`, "{\"results\": [{\"parts\": [\"\x01\"]}]}",
	`{"results": [{"parts": [}]}]}`, `{"results": [{"parts": [1, ]}]}`, `{"results": [{"parts": nul}]}`,
	`{"results": [{"unknown": "\x"}]}`, `{"results": [{"id": "a"`, `{"results": []} 2`, ``,
	`{"results": [{"unknown": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}]}`,
}

// checkDecoding checks that a document is decoded as encoding/json decodes it. It is an error if it is one
// of encoding/json, except for a number.
func checkDecoding[T any](t *testing.T, document string) {
	t.Helper()
	var want T
	wantErr := json.Unmarshal([]byte(document), &want)
	var wrongType *json.UnmarshalTypeError
	isNumber := errors.As(wantErr, &wrongType) && strings.HasPrefix(wrongType.Value, "number")
	for _, decode := range []func([]byte, any) error{decodeDocument, decodeLimited} {
		var got T
		err := decode([]byte(document), &got)
		if (err == nil) != (wantErr == nil) && !isNumber || wantErr == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%.300q is %+v, %v\nwant %+v, %v", document, got, err, want, wantErr)
		}
		if text := fmt.Sprint(describeJSONError(err, []byte(document))); strings.Contains(text, "json") {
			t.Errorf("%.300q: the error is not in terms of JSON: %s", document, text)
		}
	}
}

func TestDocumentsAreDecodedLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, document := range decodings {
		checkDecoding[List[ClusterSnapshot]](t, document)
		checkDecoding[List[RestorePoint]](t, document)
	}
}

// checkLimits checks that limits don't change what is decoded.
func checkLimits[T any](t *testing.T, document string) {
	t.Helper()
	var want, got T
	wantErr, err := decodeDocument([]byte(document), &want), decodeLimited([]byte(document), &got)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%.300q is %+v, %v\nwith limits %+v, %v", document, want, wantErr, got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, document := range decodings {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		checkLimits[List[RestorePoint]](t, document)
		checkLimits[List[ClusterSnapshot]](t, document)
		checkLimits[List[BackupConfig]](t, document)
		checkLimits[RestoreJob](t, document)
		checkLimits[BackupStore](t, document)
	})
}

func TestWhatIsDecodedIsLimited(t *testing.T) {
	t.Parallel()
	array := func(element string, count int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", count), ",") + "]"
	}
	for _, test := range []struct {
		out      any
		document string
		want     error
	}{
		{new(List[Project]), `{"results": ` + array("{}", maxElements) + `}`, nil},
		{new(List[Project]), `{"results": ` + array("{}", maxElements+1) + `}`, errTooManyElements},
		{new(List[Project]), `{"results": ` + array("null", maxElements+1) + `}`, errTooManyElements},
		{new(List[ClusterSnapshot]), `{"results": ` + array(`{"parts": `+array("{}", 99)+`}`, maxElements/100+1) + `}`, errTooManyElements},
		{new(List[Snapshot]), `{"results": [{"namespaceFilterList": {"filterList": ` + array(`""`, maxElements) + `}}]}`, errTooManyElements},
		{new(List[Snapshot]), `{"results": [{"unknown": ` + array(`[]`, 2*maxElements) + `}]}`, nil}, // takes no memory
		{new(List[BackupStore]), `{"results": ` + array(`{"customCertificates": `+array("{}", 99)+`}`, maxElements/100+1) + `}`, errTooManyElements},
		{new(List[JobConfig]), `{"results": ` + array(`{"labelFilter": `+array(`""`, 99)+`}`, maxElements/100+1) + `}`, errTooManyElements},
		{new(List[BackupStore]), `{"results": ` + array(`{"a": 1, "b": 2}`, maxElements*3/5) + `}`, errTooManyElements},
		{new(JobConfig), `{"unknown": "` + strings.Repeat(".", maxText-2) + `"}`, nil},
		{new(JobConfig), `{"unknown": ["` + strings.Repeat(".", maxText) + `"]}`, errTooMuchText},
		{new(Project), `{"name": "` + strings.Repeat(`\u0000`, maxText) + `"}`, nil},
		{new(Project), `{"name": "` + strings.Repeat(`\u0000`, maxText+1) + `"}`, errTooMuchText},
	} {
		if err := decodeDocument([]byte(test.document), test.out); test.want == nil && err != nil ||
			!errors.Is(describeJSONError(err, []byte(test.document)), test.want) && test.want != nil {
			t.Errorf("%.60s: %v, want %v", test.document, err, test.want)
		}
	}
}

// The elements of arrays that the client decodes count. Those of a type that counter doesn't know would not.
func TestEachTypeOfElementCounts(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		if seen[of] {
			return
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Slice:
			element := of.Elem()
			if element.Kind() != reflect.String && element.Size() > 0 && !element.Implements(reflect.TypeFor[identified]()) {
				t.Errorf("elements of %s don't count", of)
			}
			check(element)
		case reflect.Pointer:
			check(of.Elem())
		case reflect.Struct:
			for field := range of.Fields() {
				if jsonName(field) != "-" && (field.IsExported() || field.Anonymous) {
					check(field.Type)
				}
			}
		}
	}
	for _, response := range []any{
		List[Agent]{}, List[BackupConfig]{}, List[BackupDaemon]{}, List[BackupStore]{}, List[Cluster]{}, List[ClusterSnapshot]{},
		List[DeploymentRegion]{}, List[Host]{},
		List[JobConfig]{}, List[Project]{}, List[RestoreJob]{}, List[RestorePoint]{}, List[Snapshot]{}, ControlledFeatures{},
		OnDemandSnapshot{}, SnapshotSchedule{},
	} {
		check(reflect.TypeOf(response))
	}
}

func BenchmarkDecode(b *testing.B) {
	_, item, _ := strings.Cut(strings.TrimSuffix(wholeSnapshots, "]}"), `"results": [`)
	document := []byte(`{"results": [` + item + strings.Repeat(","+item, 29) + `]}`)
	b.Run("restore points", func(b *testing.B) { benchmarkDecode[RestorePoint](b, document) })
	b.Run("snapshots", func(b *testing.B) { benchmarkDecode[ClusterSnapshot](b, document) })
}

func benchmarkDecode[T any](b *testing.B, document []byte) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := decode(document, new(List[T])); err != nil {
			b.Fatal(err)
		}
	}
}
