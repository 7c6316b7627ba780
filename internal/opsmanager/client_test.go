package opsmanager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// IDs in the emulator's default seed.
const (
	payments = "64f0c2a19b3d5e7f80a1b2c3"
	ledger   = "650a1f3c2e4b6d8091a3b5c7" // a replica set with a schedule
	nowhere  = "0123456789abcdef01234567"

	legacyHost = "4b1d7f0a9c3e5826d4f0b1a7c9e83652" // a mirrored config server
)

// anyObject is a response that is valid for every call.
const anyObject = `{"deploymentDescription":"EU","snapshotIntervalHours":24}`

const basePath = "/api/public/v1.0"

// change modifies the configuration of a test's client.
type change func(*opsmanager.Config)

func retries(n int) change {
	return func(c *opsmanager.Config) { c.MaxRetries = n }
}

// newClient returns a client that waits about 1 ms before a retry, and whose timeout is
// much shorter than that of the test.
func newClient(t *testing.T, address string, changes ...change) *opsmanager.Client {
	t.Helper()
	base, err := opsmanager.ParseBaseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	config := opsmanager.Config{
		BaseURL:      base,
		PublicKey:    emulator.DefaultPublicKey,
		PrivateKey:   emulator.DefaultPrivateKey,
		Timeout:      30 * time.Second,
		MaxRetries:   3,
		RetryWaitMin: time.Millisecond,
	}
	for _, change := range changes {
		change(&config)
	}
	return opsmanager.NewClient(config)
}

// emulate starts an emulator with fixed times and returns a client for it.
func emulate(t *testing.T, changes ...change) (*opsmanager.Client, *emulator.Emulator) {
	t.Helper()
	return emulateWith(t, emulator.Options{}, changes...)
}

func emulateWith(t *testing.T, options emulator.Options, changes ...change) (*opsmanager.Client, *emulator.Emulator) {
	t.Helper()
	service := emulator.New(options.Fixed())
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	return newClient(t, server.URL, changes...), service
}

// serve starts a server without authentication and returns a client for it.
func serve(t *testing.T, handler http.HandlerFunc, changes ...change) *opsmanager.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newClient(t, server.URL, changes...)
}

// returning starts a server that returns a document, and returns a client for it.
func returning(t *testing.T, document string, changes ...change) *opsmanager.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { answerOK(w, document) }, changes...)
}

// responding starts a server that responds with a status and a body, and returns a client for it.
func responding(t *testing.T, status int, body string, changes ...change) *opsmanager.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, status, "", body) }, changes...)
}

// withoutNetwork calls a handler in place of a network, for a bubble of testing/synctest.
func withoutNetwork(handler http.HandlerFunc) change {
	return func(c *opsmanager.Config) {
		c.BaseURL = &url.URL{Scheme: "http", Host: "127.0.0.1:9"} // nothing calls it
		c.Wrap = func(http.RoundTripper) http.RoundTripper { return handled(handler) }
	}
}

// handled is a transport that calls a handler.
type handled http.HandlerFunc

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	received := r.Clone(r.Context())
	if received.Body == nil {
		received.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	h(recorder, received)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	response := recorder.Result()
	response.Request = r
	return response, nil
}

// answerOK writes an object, with the status of a success.
func answerOK(w http.ResponseWriter, body string) { answer(w, http.StatusOK, "application/json", body) }

// answer writes a response.
func answer(w http.ResponseWriter, status int, contentType, body string) {
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// drop reads a request and closes the connection.
func drop(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

// hang sends no response. It returns when the client closes the connection.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice
	<-r.Context().Done()
}

// wantError returns an error as an *opsmanager.Error.
func wantError(t *testing.T, err error) *opsmanager.Error {
	t.Helper()
	var e *opsmanager.Error
	if !errors.As(err, &e) {
		t.Fatalf("want an *opsmanager.Error, got %v", err)
	}
	return e
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks that an error has a text.
func fails(t *testing.T, what string, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: got %v, want %q", what, err, text)
	}
}

// logging appends what the client logs to a text.
func logging(text *string) change {
	return func(c *opsmanager.Config) {
		c.Log = func(_ context.Context, message string, fields ...map[string]any) {
			*text += fmt.Sprintln(message, fields)
		}
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// caller calls a client.
type caller = func(context.Context, *opsmanager.Client) error

// call has a call for each HTTP method.
var call = map[string]caller{
	http.MethodGet: func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.DeploymentRegion(ctx, "NY_NJ")
		return err
	},
	http.MethodPatch: func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.UpdateSnapshotSchedule(ctx, payments, ledger, opsmanager.SnapshotSchedule{})
		return err
	},
	http.MethodPut: func(ctx context.Context, c *opsmanager.Client) error {
		return repeating(ctx, c, func(ctx context.Context) error {
			_, err := c.UpdateDeploymentRegion(ctx, region("NY_NJ"))
			return err
		})
	},
	http.MethodPost: func(ctx context.Context, c *opsmanager.Client) error {
		return repeating(ctx, c, func(ctx context.Context) error {
			_, err := c.CreateDeploymentRegion(ctx, region("NEW"))
			return err
		})
	},
	http.MethodDelete: func(ctx context.Context, c *opsmanager.Client) error {
		return repeating(ctx, c, func(ctx context.Context) error { return c.DeleteDeploymentRegion(ctx, "NY_NJ") })
	},
}

// repeating calls write for a Change whose reads are no requests.
func repeating(ctx context.Context, c *opsmanager.Client, write func(context.Context) error) error {
	read := func(context.Context) (*struct{}, error) { return nil, nil }
	_, err := opsmanager.Change(
		ctx, c, opsmanager.ObjectBackupConfig, nil, read,
		func(ctx context.Context, live *struct{}) (*struct{}, error) { return live, write(ctx) },
	)
	return err
}

// ledgerSchedule reads a schedule. Tests that need any call use it.
func ledgerSchedule(ctx context.Context, c *opsmanager.Client) error {
	_, err := c.SnapshotSchedule(ctx, payments, ledger)
	return err
}

// concurrently makes n calls at the same time and returns their errors.
func concurrently(n int, call func(i int) error) []error {
	failures := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { failures[i] = call(i) })
	}
	group.Wait()
	return slices.DeleteFunc(failures, func(err error) bool { return err == nil })
}

func TestRequestsSetAcceptAndUserAgent(t *testing.T) {
	t.Parallel()
	for method, call := range call {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			client, service := emulate(t, func(c *opsmanager.Config) { c.UserAgent = "terraform-provider-opsmanager/1.2.3" })
			_ = call(t.Context(), client) // fails if the region is in use, which is fine
			requests := service.Requests()
			equal(t, "requests", len(requests), 2)
			for _, r := range requests {
				equal(t, "method", r.Method, method)
				equal(t, "Accept", r.Header.Get("Accept"), "application/json")
				equal(t, "User-Agent", r.Header.Get("User-Agent"), "terraform-provider-opsmanager/1.2.3")
				wantType := "application/json"
				if method == http.MethodGet || method == http.MethodDelete {
					wantType = ""
					equal(t, "body", string(r.Body), "")
				}
				equal(t, "Content-Type", r.Header.Get("Content-Type"), wantType)
			}
		})
	}
}

func TestIDIsEscapedAsOnePathSegment(t *testing.T) {
	t.Parallel()
	for id, segment := range map[string]string{
		"plain-1_a~b": "plain-1_a~b",
		"EU/West 1%":  "EU%2FWest%201%25",
		"...":         "...",
		"?a=b":        "%3Fa=b",
		"#fragment":   "%23fragment",
		"ü":           "%C3%BC",
		"a+b&c;d,e":   "a+b&c%3Bd%2Ce",
		"%2F":         "%252F",
		"a\\b\n\x00c": "a%5Cb%0A%00c",
		"x/..y":       "x%2F..y",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			client, service := emulate(t) // which verifies the digest of the path
			service.SetRegion(id, map[string]any{"deploymentDescription": "odd"})
			got, err := client.DeploymentRegion(t.Context(), id)
			succeed(t, err)
			equal(t, "id", got.ID, id)
			equal(t, "path", service.Requests()[0].Path, "/admin/backup/backupDeployments/"+segment)
		})
	}
}

func TestIDsThatWouldChangeThePathAreRejected(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	for _, id := range []string{"", ".", "..", "x/..", "../x", "a/./b", "/", "x/"} {
		fails(t, id, client.DeleteDeploymentRegion(t.Context(), id), fmt.Sprintf("%q cannot be an ID", id))
	}
	for _, directory := range []string{"/../", "/data/../", "//", "/", "//data/", "/data//backup/"} {
		fails(t, directory, client.DeleteBackupDaemon(t.Context(), "om", directory), fmt.Sprintf("%q cannot be an ID", directory))
	}
	_, err := client.ListBackupConfigs(t.Context(), "", opsmanager.Page{})
	fails(t, "no project", err, "cannot be an ID")
	equal(t, "missing", isAnyMissing(err), false)
	equal(t, "requests", len(service.Requests()), 0)
}

func TestEverySuccessStatusIsAccepted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
	}{
		{http.StatusNoContent, ""},
		{http.StatusOK, ""},
		{http.StatusOK, "{}"},
		{http.StatusCreated, anyObject},
		{http.StatusAccepted, " \n"},
		{http.StatusAccepted, `{"status":"deleting"}`},
	} {
		succeed(t, responding(t, test.status, test.body).DeleteDeploymentRegion(t.Context(), "NY_NJ"))
	}
}

func TestSuccessWithAnUndocumentedBodyIsAnError(t *testing.T) {
	t.Parallel()
	login := "<!DOCTYPE html><html><head><style>p{}</style><TITLE lang=en>\n Sign in: go on </TITLE></head><body>secret</body></html>"
	tests := []struct {
		name, contentType, body string
		want                    string
	}{
		{"a login page", "text/html; charset=utf-8", login, `text/html: "Sign in: go on"`},
		{"a truncated document", "application/json", `{"groupId":"64f0`, "unexpected EOF"},
		{"an empty body", "application/json", "", "it is empty"},
		{"two documents", "application/json", "{}{}", "after top-level value"},
		{"another type", "application/json", `{"snapshotIntervalHours":"secret"}`, "snapshotIntervalHours has the wrong type, string"},
		{"a list", "application/json", `[]`, "wrong type, array"},
		{"text", "", "It works!", "; the response was text/plain"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				answer(w, http.StatusOK, test.contentType, test.body)
			})
			_, err := client.SnapshotSchedule(t.Context(), payments, ledger)
			e := wantError(t, err)
			equal(t, "status", e.Status, http.StatusOK)
			equal(t, "requests", requests, 1)
			fails(t, "text", err, "the response is not the JSON that the API documents")
			fails(t, "text", err, test.want)
			if isAnyMissing(err) || opsmanager.IsUnsupported(err) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %q", err)
			}
		})
	}
	fails(t, "DELETE", responding(t, http.StatusOK, login).DeleteDeploymentRegion(t.Context(), "NY_NJ"), "Sign in")
}

func TestVersionOfOpsManagerIsInErrorsAndCompared(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]struct{ version, before string }{
		"versionString=7.0.11.500":                {"7.0.11.500", "7.0.11"},
		"versionString=7.0.11.500.20240801T0000Z": {"7.0.11.500.20240801T0000Z", "7.0.11"},
		"versionString=7.0.12":                    {"7.0.12", ""},
		"versionString=9.1":                       {"9.1", ""},
		"versionString=9.1 ; gitHash=abc":         {"9.1", ""},
		"versionString=master":                    {"master", ""},
		"gitHash=abc":                             {"", ""},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-MongoDB-Service-Version", header)
			w.WriteHeader(http.StatusConflict)
		})
		first := opsmanager.Version{7, 0, 12}
		if early := client.VersionBefore(first); early != nil {
			t.Errorf("%s before any response", early)
		}
		equal(t, header, wantError(t, client.DeleteDeploymentRegion(t.Context(), "NY_NJ")).ServiceVersion, want.version)
		got := ""
		if reported := client.VersionBefore(first); reported != nil {
			got = reported.String()
		}
		equal(t, header, got, want.before)
	}
}

func TestEndlessBodyFailsWithoutMuchMemory(t *testing.T) {
	t.Parallel()
	endless := func(status int, written *atomic.Int64) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth"`)
			}
			w.WriteHeader(status)
			block := []byte(strings.Repeat(" ", 1<<20))
			for {
				n, err := w.Write(block)
				if written.Add(int64(n)); err != nil {
					return
				}
			}
		}
	}
	for _, status := range []int{http.StatusOK, http.StatusUnauthorized, http.StatusBadRequest, http.StatusServiceUnavailable, http.StatusFound} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			var written atomic.Int64
			client := serve(t, endless(status, &written), retries(1))
			_, err := client.SnapshotSchedule(t.Context(), payments, ledger)
			e := wantError(t, err)
			if status != http.StatusOK {
				equal(t, "status", e.Status, status)
			} else if !strings.Contains(err.Error(), "larger than 32 MiB") {
				t.Errorf("got %v", err)
			}
			// Some of it is left in buffers, perhaps of two attempts.
			if read := written.Load() >> 20; read > 128 {
				t.Errorf("%d MiB were read", read)
			}
		})
	}
}

// A server may quote what it has received.
func TestCredentialsAreInNoErrorAndNoLog(t *testing.T) {
	t.Parallel()
	const privateKey = "5ecre7-5ecre7-5ecre7"
	document := func(detail string) string {
		return fmt.Sprintf(`{"error":400,"errorCode":"X","detail":%q}`, "refused "+detail)
	}
	for name, quote := range map[string]func(authorization, response string) string{
		"nothing":                  func(string, string) string { return "" },
		"a message":                func(a, _ string) string { return "GET / HTTP/1.1\r\nAuthorization: " + a + "\r\nAccept: */*" },
		"a title":                  func(a, _ string) string { return "<title>Refused: " + html.EscapeString(a) + "</title>" },
		"an error document":        func(a, _ string) string { return document(a) },
		"the response alone":       func(_, r string) string { return document(r) },
		"the response in capitals": func(_, r string) string { return document(strings.ToUpper(r)) },
		"the response escaped": func(_, r string) string {
			return strings.Replace(document(r), r, fmt.Sprintf("\\u%04x", r[0])+r[1:], 1)
		},
	} {
		for _, status := range []int{http.StatusOK, http.StatusFound, http.StatusBadRequest, http.StatusUnauthorized} {
			shown, sent := "", []string{}
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				authorization := r.Header.Get("Authorization")
				if authorization == "" {
					w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n0nce", qop="auth"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				response := sentDigest(r)["response"]
				sent = append(sent, authorization, response)
				w.Header().Set("X-MongoDB-Service-Version", "versionString="+response)
				w.Header().Set("Location", "https://x.invalid/?response="+response)
				answer(w, status, "text/"+response, quote(authorization, response))
			}, retries(0), logging(&shown), func(c *opsmanager.Config) { c.PrivateKey = privateKey })
			e := wantError(t, ledgerSchedule(t.Context(), client))
			shown += fmt.Sprintf("%v %+v", e, *e)
			equal(t, name+": texts sent", len(sent), 2)
			for _, secret := range append(sent, privateKey, "n0nce", "Authorization", "username=") {
				if strings.Contains(strings.ToLower(shown), strings.ToLower(secret)) {
					t.Errorf("%s, %d: %q is in %q", name, status, secret, shown)
				}
			}
		}
	}
}

func TestEachAttemptIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var logged []map[string]any
	requests := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			drop(r)
		}
		if requests == 2 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answerOK(w, anyObject)
	}, func(c *opsmanager.Config) {
		c.Log = func(_ context.Context, _ string, fields ...map[string]any) { logged = append(logged, fields...) }
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	if len(logged) != 3 {
		t.Fatalf("want 3 entries, got %v", logged)
	}
	for i, fields := range logged {
		equal(t, "attempt", fields["attempt"], any(i+1))
		equal(t, "method", fields["method"], any("GET"))
		equal(t, "path", fields["path"], any("/groups/"+payments+"/backupConfigs/"+ledger+"/snapshotSchedule"))
	}
	if text, _ := logged[0]["error"].(string); text == "" {
		t.Errorf("the dropped connection is not logged: %v", logged[0])
	}
	equal(t, "status", logged[1]["status"], any(http.StatusBadGateway))
	equal(t, "status", logged[2]["status"], any(http.StatusOK))
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	requests := 0
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		requests++
		cancel()
		hang(r)
	})
	err := ledgerSchedule(ctx, client)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	equal(t, "attempts", wantError(t, err).Attempts, 1)
	equal(t, "requests", requests, 1)
}

func TestResponseCountsIfTheContextIsCancelledAfterIt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		ctx, cancel := context.WithCancel(t.Context())
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, status, "", anyObject) }, func(c *opsmanager.Config) {
			c.Log = func(context.Context, string, ...map[string]any) { cancel() }
		})
		err := ledgerSchedule(ctx, client)
		if status == http.StatusOK {
			succeed(t, err)
			continue
		}
		equal(t, "status", wantError(t, err).Status, status)
		equal(t, "attempts", wantError(t, err).Attempts, 1)
	}
}

// decode decodes a JSON object.
func decode(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return object
}

// read returns the body of a request.
func read(t *testing.T, r *http.Request) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

func TestDeclaredCharsetIsDecoded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ contentType, name, want string }{
		"ISO-8859-1":                     {"application/json;charset=ISO-8859-1", "Z\xfcrich", "Zürich"},
		"ISO-8859-1 in quotation marks":  {`application/json; charset="iso-8859-1"`, "Z\xfcrich", "Zürich"},
		"UTF-8 declared as ISO-8859-1":   {"application/json;charset=ISO-8859-1", "Zürich", "Zürich"},
		"a mixture":                      {"application/json;charset=ISO-8859-1", "Zürich\xfc", "ZÃ¼richü"},
		"UTF-8":                          {"application/json;charset=UTF-8", "Zürich", "Zürich"},
		"UTF-8 that is not valid":        {"application/json;charset=UTF-8", "Z\xfcrich", "Z\ufffdrich"},
		"another charset":                {"application/json;charset=Shift_JIS", "\x93\xfa\x96\x7b", "日本"},
		"an unknown charset":             {"application/json;charset=x", "Z\xfcrich", "Z\ufffdrich"},
		"no charset":                     {"application/json", "Z\xfcrich", "Z\ufffdrich"},
		"a malformed type":               {"application/json;;charset", "Zürich", "Zürich"},
		"escapes in a declared document": {"application/json;charset=ISO-8859-1", `Z\u00fcrich`, "Zürich"},
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				answer(w, http.StatusConflict, test.contentType, fmt.Sprintf(`{"error":409,"detail":"%s"}`, test.name))
				return
			}
			answer(w, http.StatusOK, test.contentType, fmt.Sprintf(`{"id":%q,"name":"%s"}`, payments, test.name))
		})
		project, err := client.Project(t.Context(), payments)
		succeed(t, err)
		equal(t, name, *project.Name, test.want)
		equal(t, name+" in an error", wantError(t, client.DeleteDeploymentRegion(t.Context(), "R")).Detail, test.want)
		response, err := client.Raw(t.Context(), http.MethodGet, nil, nil, "groups", payments)
		succeed(t, err)
		if !utf8.Valid(response.Body) && !strings.Contains(test.want, "\ufffd") {
			t.Errorf("%s in a raw response: %q", name, response.Body)
		}
	}
}

// What is sent back must be what was received.
func TestCharsetOfAnAutomationConfigurationIsNotDecoded(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Error("the configuration was sent back")
		}
		answer(w, http.StatusOK, "application/json;charset=ISO-8859-1", "{\"version\":1,\"name\":\"Z\xfcrich\"}")
	})
	config, err := client.AutomationConfig(t.Context(), payments)
	succeed(t, err)
	fails(t, "update", client.UpdateAutomationConfig(t.Context(), payments, config), "is not UTF-8")
}
