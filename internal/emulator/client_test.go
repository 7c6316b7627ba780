package emulator_test

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// object is a JSON object of the API.
type object = map[string]any

// IDs in the default seed.
const (
	payments  = "64f0c2a19b3d5e7f80a1b2c3"
	analytics = "64f0c2d57c1e4a6b92d3f4e5"

	ledger  = "650a1f3c2e4b6d8091a3b5c7" // replica set, interval 24, base retention 20
	cards   = "650a1f8b5d7092a4c6e8f013" // replica set, interval 6
	orders  = "650a2035b7d9f1e3a5c70924" // sharded
	shard   = "650a2036b7d9f1e3a5c70925" // of orders
	reports = "650a2177e1f3a5b7c9d00e42" // INACTIVE
	scratch = "650a22fad3b5a7c9e1f30817" // of analytics, without a backup configuration

	shardedScratch = "650a22fbd3b5a7c9e1f30818" // of analytics, without a backup configuration

	legacyHost = "4b1d7f0a9c3e5826d4f0b1a7c9e83652"
	modernHost = "e07a5c1b3f9d2846a8c0e5d7b1f39624"

	nowhere = "0123456789abcdef01234567"

	inPayments  = "/groups/" + payments
	inAnalytics = "/groups/" + analytics
)

func schedulePath(project, cluster string) string {
	return "/groups/" + project + "/backupConfigs/" + cluster + "/snapshotSchedule"
}

// client calls an emulator over a real connection. It has its own implementation of Digest,
// so that the one of the emulator is tested independently.
type client struct {
	t       *testing.T
	service *emulator.Emulator
	url     string // of the server, without the base path
	user    string
	key     string
}

// response is a response whose whole body has been read. document is set if the body is an object.
type response struct {
	status   int
	header   http.Header
	body     string
	document object
}

// start starts an emulator with fixed times, unless the test has a clock.
func start(t *testing.T, given ...emulator.Options) *client {
	t.Helper()
	options := emulator.Options{}
	if len(given) > 0 {
		options = given[0]
	}
	service := emulator.New(options.Fixed())
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	return &client{t: t, service: service, url: server.URL, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
}

// do sends a request with a new challenge.
func (c *client) do(method, path, body string) response {
	c.t.Helper()
	challenged, err := c.send(method, path, "", "")
	if err != nil {
		c.t.Fatal(err)
	}
	if challenged.status != 401 {
		c.t.Fatalf("%s %s without credentials: status %d", method, path, challenged.status)
	}
	got, err := c.send(method, path, body, c.authorize(method, emulator.BasePath+path, challenged.header, 1))
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

// startVersion starts an emulator of a version of Ops Manager.
func startVersion(t *testing.T, version string) *client {
	t.Helper()
	return start(t, emulator.Options{ServiceVersion: version})
}

// startWith starts an emulator that decides what the documentation leaves open.
func startWith(t *testing.T, unknowns emulator.Unknowns) *client {
	t.Helper()
	return start(t, emulator.Options{Unknowns: unknowns})
}

func (c *client) get(path string) response    { return c.do(http.MethodGet, path, "") }
func (c *client) delete(path string) response { return c.do(http.MethodDelete, path, "") }

func (c *client) post(path, body string) response  { return c.do(http.MethodPost, path, body) }
func (c *client) put(path, body string) response   { return c.do(http.MethodPut, path, body) }
func (c *client) patch(path, body string) response { return c.do(http.MethodPatch, path, body) }

// send sends a request with an Authorization header, or without one if it is empty.
func (c *client) send(method, path, body, authorization string) (response, error) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+emulator.BasePath+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	if body != "" || method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return c.roundTrip(request)
}

func (c *client) roundTrip(request *http.Request) (response, error) {
	c.t.Helper()
	// A new connection for each request, because the transport retries requests on reused
	// ones.
	request.Close = true
	httpResponse, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return response{}, err
	}
	defer httpResponse.Body.Close()
	body, err := io.ReadAll(httpResponse.Body)
	got := response{status: httpResponse.StatusCode, header: httpResponse.Header, body: string(body)}
	_ = json.Unmarshal(body, &got.document)
	return got, err
}

var challengeNonce = regexp.MustCompile(`nonce="([^"]+)"`)

// authorize answers the challenge in header, according to RFC 7616 if it has qop, and to
// RFC 2069 otherwise.
func (c *client) authorize(method, uri string, header http.Header, count int) string {
	c.t.Helper()
	challenge := header.Get("WWW-Authenticate")
	nonce := challengeNonce.FindStringSubmatch(challenge)
	if nonce == nil {
		c.t.Fatalf("no nonce in %q", challenge)
	}
	d := credentials{user: c.user, key: c.key, realm: "MMS Public API", nonce: nonce[1], method: method, uri: uri}
	if strings.Contains(challenge, `qop="auth"`) {
		d.qop, d.cnonce, d.nc = "auth", "f2a1c93b", fmt.Sprintf("%08x", count)
	}
	return d.String()
}

// credentials are the parameters of an Authorization header.
type credentials struct {
	user, key, realm, nonce, method, uri string
	qop, cnonce, nc                      string
	more                                 string // further parameters, starting with a comma
}

func (d credentials) String() string {
	ha1 := md5Hex(d.user + ":" + d.realm + ":" + d.key)
	ha2 := md5Hex(d.method + ":" + d.uri)
	response := md5Hex(ha1 + ":" + d.nonce + ":" + ha2)
	protection := ""
	if d.qop != "" {
		response = md5Hex(ha1 + ":" + d.nonce + ":" + d.nc + ":" + d.cnonce + ":" + d.qop + ":" + ha2)
		protection = fmt.Sprintf(`, qop=%s, nc=%s, cnonce="%s"`, d.qop, d.nc, d.cnonce)
	}
	return fmt.Sprintf(`Digest username="%s", realm="%s", nonce="%s", uri="%s", response="%s"%s%s`,
		d.user, d.realm, d.nonce, d.uri, response, protection, d.more)
}

func md5Hex(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// panics checks that a call panics.
func panics(t *testing.T, what string, call func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	call()
}

// equal checks a value.
func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// refused checks that a response is an error document.
func (r response) refused(t *testing.T, status int, code string) {
	t.Helper()
	got, _ := r.document["errorCode"].(string)
	if r.status != status || got != code {
		t.Fatalf("got %d %q, want %d %q; body: %s", r.status, got, status, code, r.body)
	}
	if r.document["error"] != float64(status) || r.document["reason"] != http.StatusText(status) || r.document["detail"] == "" {
		t.Errorf("not the documented form of an error: %s", r.body)
	}
	if _, ok := r.document["parameters"].([]any); !ok {
		t.Errorf("no parameters: %s", r.body)
	}
}

// ok checks that a response is a success and returns its document.
func (r response) ok(t *testing.T) object {
	t.Helper()
	if r.status != 200 {
		t.Fatalf("got %d, want 200; body: %s", r.status, r.body)
	}
	return r.document
}

// results returns the results of a list.
func (r response) results(t *testing.T) []object {
	t.Helper()
	elements, ok := r.ok(t)["results"].([]any)
	if !ok {
		t.Fatalf("no results: %s", r.body)
	}
	documents := make([]object, len(elements))
	for i := range elements {
		documents[i], _ = elements[i].(object)
	}
	return documents
}

// relations returns the hrefs of a document's links by relation.
func relations(document object) map[string]string {
	hrefs := map[string]string{}
	links, _ := document["links"].([]any)
	for _, link := range links {
		l, _ := link.(object)
		hrefs[fmt.Sprint(l["rel"])] = fmt.Sprint(l["href"])
	}
	return hrefs
}
