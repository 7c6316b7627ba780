package opsmanager_test

import (
	"bytes"
	"crypto/md5" // #nosec G501 -- the algorithm that Ops Manager uses
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// observation is a response of a real Ops Manager that others have published, in a file of
// testdata/observed. The names, types and forms of fields, codes and headers are those of the source.
// The values are our own, and the IDs are those of the emulator's seed.
type observation struct {
	Source  string       `json:"source"`
	Version string       `json:"version"` // of Ops Manager; empty if the source does not say it
	Partial bool         `json:"partial"` // the source shows only some fields of the body
	Before  []apiRequest `json:"before"`  // what the emulator needs before the request
	Request apiRequest   `json:"request"`

	Response struct {
		Status any               `json:"status"` // a number, "2xx" for any success, or "" for any failure
		Header map[string]string `json:"header"`
		Body   any               `json:"body"` // nil if it is empty
	} `json:"response"`
}

// observations returns the observed responses by the names of their files.
func observations(t *testing.T) map[string]observation {
	t.Helper()
	files, err := filepath.Glob("testdata/observed/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no observed responses: %v", err)
	}
	all := map[string]observation{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		var o observation
		if err := decoder.Decode(&o); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if o.Source == "" || o.Request.Method == "" || !regexp.MustCompile(`^(\d+\.\d+(\.\d+.*)?)?$`).MatchString(o.Version) {
			t.Fatalf("%s lacks its source or its request, or has the version %q", file, o.Version)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = o
	}
	return all
}

// status returns the status to serve.
func (o observation) status() int {
	switch status := o.Response.Status.(type) {
	case float64:
		return int(status)
	case string:
		if status == "2xx" {
			return http.StatusOK
		}
	}
	return http.StatusBadRequest
}

// serves returns a client of a server that returns the observed response with a body.
func (o observation) serves(t *testing.T, body any) *opsmanager.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range o.Response.Header {
			w.Header().Set(name, value)
		}
		if body != nil {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(o.status())
		if body != nil {
			_ = json.NewEncoder(w).Encode(body)
		}
	}, retries(0))
}

// undecodedOnPurpose are the observed fields that the client does not read, with the reason.
var undecodedOnPurpose = map[string]string{
	"projects_list: results[].agentApiKey":          "a secret of the agents",
	"projects_list: results[].hostCounts.arbiter":   uselessCount,
	"projects_list: results[].hostCounts.config":    uselessCount,
	"projects_list: results[].hostCounts.master":    uselessCount,
	"projects_list: results[].hostCounts.mongos":    uselessCount,
	"projects_list: results[].hostCounts.primary":   uselessCount,
	"projects_list: results[].hostCounts.secondary": uselessCount,
	"projects_list: results[].hostCounts.slave":     uselessCount,
	"third_party_backups: clusters[].clusterName":   "the list of clusters has the names",
	"third_party_backups: clusters[].jobId":         "an ID of the other product",
	"snapshot_schedule: links[].href":               "no resource exports the links of a schedule",
	"snapshot_schedule: links[].rel":                "no resource exports the links of a schedule",
	"restore_job_create: links[].href":              "the list of the new jobs is read to its end",
	"restore_job_create: links[].rel":               "the list of the new jobs is read to its end",
	"restore_job_create: totalCount":                "the list of the new jobs is read to its end",
	"restore_job_create_sharded: links[].href":      "the list of the new jobs is read to its end",
	"restore_job_create_sharded: links[].rel":       "the list of the new jobs is read to its end",
	"restore_job_create_sharded: totalCount":        "the list of the new jobs is read to its end",
}

const uselessCount = "what a project monitors is in the list of its clusters"

func TestTheClientDecodesEachObservedResponse(t *testing.T) {
	t.Parallel()
	stale := maps.Clone(undecodedOnPurpose)
	for name, o := range observations(t) {
		result, err := o.Request.call(t, o.serves(t, o.Response.Body))
		if o.status() >= 300 {
			o.wantFailure(t, name, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if result == nil {
			continue
		}
		for path, at := range leaves(o.Response.Body, "") {
			key := name + ": " + path
			_, onPurpose := undecodedOnPurpose[key]
			delete(stale, key)
			for _, leaf := range at {
				if got := fieldOf(reflect.ValueOf(result), leaf.keys); reflect.DeepEqual(got, leaf.value) == onPurpose {
					t.Errorf("%s: decoded as %v, observed %v, undecoded on purpose: %v", key, got, leaf.value, onPurpose)
				}
			}
		}
	}
	for key := range stale {
		t.Errorf("%s was not observed", key)
	}
}

// wantFailure checks the error of a failed call.
func (o observation) wantFailure(t *testing.T, name string, err error) {
	t.Helper()
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Status != o.status() {
		t.Errorf("%s: got %v, want the status %d", name, err, o.status())
		return
	}
	document, _ := o.Response.Body.(map[string]any)
	if document["error"] == nil {
		return // a document without a status is not one of the API
	}
	code, _ := document["errorCode"].(string)
	detail, _ := document["detail"].(string)
	parameters, _ := document["parameters"].([]any)
	if e.Code != code || detail != "" && e.Detail != detail || len(e.Parameters) != len(parameters) {
		t.Errorf("%s: got %q, %q, %q", name, e.Code, e.Detail, e.Parameters)
	}
}

// Each field of another type is an error that names the field, and not a value that is left out.
func TestAnObservedFieldOfAnotherTypeIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	for name, o := range observations(t) {
		if o.status() >= 300 || o.Response.Body == nil {
			continue
		}
		for path, at := range leaves(o.Response.Body, "") {
			if _, ignored := undecodedOnPurpose[name+": "+path]; ignored {
				continue
			}
			field := strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "[]")
			_, err := o.Request.call(t, o.serves(t, replaced(o.Response.Body, at[0].keys)))
			if err == nil || !strings.Contains(err.Error(), field+" has the wrong type") {
				t.Errorf("%s: %s is an object, and the error is %v", name, path, err)
			}
		}
	}
}

// leaf is a value of a document. Its keys are the names of fields and the indexes of elements.
type leaf struct {
	keys  []any
	value any
}

// leaves returns the values of a document by path, such as results[].id.
func leaves(document any, path string) map[string][]leaf {
	found := map[string][]leaf{}
	add := func(key any, path string, value any) {
		for path, below := range leaves(value, path) {
			for _, l := range below {
				found[path] = append(found[path], leaf{append([]any{key}, l.keys...), l.value})
			}
		}
	}
	switch document := document.(type) {
	case map[string]any:
		for name, value := range document {
			add(name, strings.TrimPrefix(path+"."+name, "."), value)
		}
	case []any:
		for i, value := range document {
			add(i, path+"[]", value)
		}
	default:
		found[path] = []leaf{{nil, document}}
	}
	return found
}

// fieldOf returns the value at keys in a decoded document, as in JSON, or nil.
func fieldOf(v reflect.Value, keys []any) any {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if len(keys) == 0 {
		encoded, _ := json.Marshal(v.Interface())
		var value any
		_ = json.Unmarshal(encoded, &value)
		return value
	}
	switch key := keys[0].(type) {
	case int:
		if v.Kind() == reflect.Slice && key < v.Len() {
			return fieldOf(v.Index(key), keys[1:])
		}
	case string:
		if v.Kind() != reflect.Struct {
			return nil
		}
		for _, field := range reflect.VisibleFields(v.Type()) {
			if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == key {
				return fieldOf(v.FieldByIndex(field.Index), keys[1:])
			}
		}
	}
	return nil
}

// replaced returns a document with an object in place of the value at keys.
func replaced(document any, keys []any) any {
	if len(keys) == 0 {
		return map[string]any{"unexpected": true}
	}
	switch document := document.(type) {
	case map[string]any:
		changed := maps.Clone(document)
		changed[keys[0].(string)] = replaced(document[keys[0].(string)], keys[1:])
		return changed
	case []any:
		changed := slices.Clone(document)
		changed[keys[0].(int)] = replaced(document[keys[0].(int)], keys[1:])
		return changed
	}
	return document
}

// played are the options with which the emulator plays a response, if the defaults don't.
var played = map[string]emulator.Options{
	"access_list":                    {UnlistedCalls: 1},
	"automation_config_role":         {Keys: []string{emulator.DefaultPublicKey + ":GLOBAL_BACKUP_ADMIN"}},
	"backup_config_unreported":       {UnreportedStarts: 1},
	"backup_config_without_store":    {NoStores: true},
	"delete_with_empty_object":       {Unknowns: emulator.Unknowns{DeleteReturnsObject: true}},
	"version_header_master":          {Unknowns: emulator.Unknowns{VersionHeader: "master"}},
	"version_header_without_version": {Unknowns: emulator.Unknowns{VersionHeader: "hash"}},
}

// differencesOnPurpose are the differences between the observed responses and those of the emulator,
// with the reason.
var differencesOnPurpose = map[string]string{
	"atlas_group: status 200":                                                                              noAtlas,
	"atlas_group: error is missing":                                                                        noAtlas,
	"atlas_group: errorCode is missing":                                                                    noAtlas,
	"atlas_group: parameters[] is missing":                                                                 noAtlas,
	"restore_job_blocks_missing: status 200":                                                               probable,
	"restore_job_blocks_missing: error is missing":                                                         probable,
	"restore_job_blocks_missing: errorCode is missing":                                                     probable,
	"restore_job_validation_unavailable: status 200":                                                       probable,
	"restore_job_validation_unavailable: error is missing":                                                 probable,
	"restore_job_validation_unavailable: errorCode is missing":                                             probable,
	"restore_job_validation_failed: status 200":                                                            probable,
	"restore_job_validation_failed: errorCode is missing":                                                  probable,
	"s3_oplog_store_unreachable: errorCode is BACKUP_S3_VALIDATION_FAILED":                                 refusingBucket,
	"s3_oplog_store_update_missing: errorCode is BACKUP_S3_VALIDATION_FAILED":                              refusingBucket,
	"method_not_allowed:  is missing":                                                                      ownError,
	"method_not_allowed: detail was not observed":                                                          ownError,
	"method_not_allowed: error was not observed":                                                           ownError,
	"method_not_allowed: reason was not observed":                                                          ownError,
	`challenge: header WWW-Authenticate: Digest realm="", domain="", nonce="", algorithm=, qop="", stale=`: wholeChallenge,
	"blockstore_update: usedSize is missing":                                                               emptyStore,
	"third_party_error: status 404":                                                                        listOnly,
	"third_party_error: errorCode is RESOURCE_NOT_FOUND":                                                   listOnly,
	"third_party_error: resource is missing":                                                               listOnly,
	"third_party_error: status is missing":                                                                 listOnly,
	"third_party_error: version is missing":                                                                listOnly,
	"cluster_snapshot: parts[].clusterId is missing":                                                       noPartID,
	"cluster_snapshots_list: results[].parts[].clusterId is missing":                                       noPartID,
}

const (
	noAtlas        = "the emulator has no projects of MongoDB Atlas"
	probable       = "a single source calls it probable; the tests of the provider inject it"
	refusingBucket = "the emulator plays a bucket that refuses a request, and not one that cannot be reached"
	ownError       = "observed on 4.0 only; the tests of the client cover an empty body"
	wholeChallenge = "the source does not show the rest of the header; the emulator sends the documented one"
	listOnly       = "the emulator only lists the clusters of other products"
	emptyStore     = "a new store of the emulator is never used"
	noPartID       = "the seed leaves it out"
)

func TestTheEmulatorReturnsTheObservedFields(t *testing.T) {
	t.Parallel()
	stale := maps.Clone(differencesOnPurpose)
	for name, o := range observations(t) {
		for _, difference := range o.differences(t, name) {
			key := name + ": " + difference
			if _, onPurpose := differencesOnPurpose[key]; !onPurpose {
				t.Errorf("not in the table: %s", key)
			}
			delete(stale, key)
		}
	}
	for key := range stale {
		t.Errorf("in the table, but no difference: %s", key)
	}
}

// differences sends the observed request to the emulator, and compares the responses.
func (o observation) differences(t *testing.T, name string) []string {
	t.Helper()
	options := played[name]
	options.Lenient, options.ThirdPartyBackup = true, true
	if o.Version != "" {
		parts := append(strings.Split(o.Version, "."), "0")
		options.ServiceVersion = strings.Join(parts[:3], ".")
	}
	service := emulator.New(options)
	if document, _ := o.Response.Body.(map[string]any); document["errorCode"] == "BACKUP_S3_CONNECTION_FAILED" {
		service.FailProbes(1)
	}
	for _, request := range o.Before {
		if got := send(service, request, emulator.DefaultPrivateKey); got.Code >= 300 {
			t.Fatalf("%s: %d %s", name, got.Code, got.Body)
		}
	}
	key := emulator.DefaultPrivateKey
	if document, _ := o.Response.Body.(map[string]any); o.status() == http.StatusUnauthorized && document["errorCode"] == nil {
		key = "wrong"
	}
	if strings.HasPrefix(name, "third_party") {
		service.SetThirdPartyBackup("64f0c2a19b3d5e7f80a1b2c3", "650a1f8b5d7092a4c6e8f013", "ACTIVE")
	}
	if name == "controlled_feature" {
		body, _ := o.Response.Body.(map[string]any)
		service.SetControlledFeature(o.Request.segments()[1], body)
	}
	got := send(service, o.Request, key)
	if name == "challenge" {
		got = httptest.NewRecorder()
		service.ServeHTTP(got, o.Request.new(""))
	}

	var found []string
	if status := fmt.Sprint(o.Response.Status); status != fmt.Sprint(got.Code) && (status != "2xx" || got.Code >= 300) && (status != "" || got.Code < 300) {
		found = append(found, fmt.Sprintf("status %d", got.Code))
	}
	for header, value := range o.Response.Header {
		returned := ""
		for name, values := range got.Header() { // names may not have Go's spelling
			if strings.EqualFold(name, header) {
				returned = values[0]
			}
		}
		if shape(returned) != shape(value) {
			found = append(found, fmt.Sprintf("header %s: %s", header, shape(returned)))
		}
	}
	var body any
	if got.Body.Len() > 0 {
		if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v in %s", name, err, got.Body)
		}
	}
	observed, returned := leaves(o.Response.Body, ""), leaves(body, "")
	for path, values := range observed {
		switch {
		case len(returned[path]) == 0:
			found = append(found, path+" is missing")
		case kindOf(values[0].value) != kindOf(returned[path][0].value):
			found = append(found, fmt.Sprintf("%s is %s and not %s", path, kindOf(returned[path][0].value), kindOf(values[0].value)))
		case o.status() >= 300 && !reflect.DeepEqual(values, returned[path]) && path != "":
			found = append(found, fmt.Sprintf("%s is %v", path, returned[path][0].value))
		}
	}
	for path := range returned {
		if len(observed[path]) == 0 && !o.Partial {
			found = append(found, path+" was not observed")
		}
	}
	return found
}

// kindOf returns the type of a value, and the form of a string.
func kindOf(value any) string {
	text, ok := value.(string)
	if !ok {
		return fmt.Sprintf("%T", value)
	}
	for form, pattern := range map[string]string{
		"ID": `^[0-9a-f]{24}$`, "time": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, "address": `^https?://`, "constant": `^[A-Z][A-Z_]+$`,
	} {
		if regexp.MustCompile(pattern).MatchString(text) {
			return "string, " + form
		}
	}
	return "string"
}

// shape returns the form of a header: the names of its parameters.
func shape(header string) string {
	header = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(header, `""`)
	return regexp.MustCompile(`=[\w.-]+`).ReplaceAllString(header, "=")
}

// new returns the request to the emulator.
func (r apiRequest) new(authorization string) *http.Request {
	var body io.Reader
	if r.Body != nil {
		encoded, _ := json.Marshal(r.Body)
		body = bytes.NewReader(encoded)
	}
	request := httptest.NewRequest(r.Method, basePath+r.Path, body)
	request.Header.Set("Content-Type", "application/json")
	request.RemoteAddr = "192.0.2.7:50000"
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return request
}

// send sends a request to the emulator with HTTP Digest as in RFC 2069.
func send(service http.Handler, r apiRequest, key string) *httptest.ResponseRecorder {
	challenged := httptest.NewRecorder()
	service.ServeHTTP(challenged, r.new(""))
	nonce := regexp.MustCompile(`nonce="([^"]*)"`).FindStringSubmatch(challenged.Header().Get("WWW-Authenticate"))[1]
	md5Hex := func(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) } // #nosec G401 -- the algorithm that Ops Manager uses
	uri := basePath + r.Path
	response := md5Hex(md5Hex(emulator.DefaultPublicKey+":MMS Public API:"+key) + ":" + nonce + ":" + md5Hex(r.Method+":"+uri))
	recorder := httptest.NewRecorder()
	service.ServeHTTP(
		recorder,
		r.new(fmt.Sprintf(`Digest username=%q, realm="MMS Public API", nonce=%q, uri=%q, response=%q`, emulator.DefaultPublicKey, nonce, uri, response)),
	)
	return recorder
}
