package opsmanager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"reflect"
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

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// call has a call for each HTTP method.
var call = map[string]func(context.Context, *opsmanager.Client) error{
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
	tests := map[string]string{
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
	}
	for id, segment := range tests {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			const regions = basePath + "/admin/backup/backupDeployments/"
			var target, escaped string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				target, escaped = r.RequestURI, r.URL.EscapedPath()
				w.WriteHeader(http.StatusNoContent)
			})
			succeed(t, client.DeleteDeploymentRegion(t.Context(), id))
			equal(t, "request target", target, regions+segment)
			equal(t, "escaped path", escaped, regions+segment)
		})
		t.Run(id+" with Digest", func(t *testing.T) {
			t.Parallel()
			client, service := emulate(t)
			service.SetRegion(id, map[string]any{"deploymentDescription": "odd"})
			got, err := client.DeploymentRegion(t.Context(), id)
			succeed(t, err)
			equal(t, "id", got.ID, id)
			succeed(t, client.DeleteDeploymentRegion(t.Context(), id))
		})
	}
}

func TestIDsThatWouldChangeThePathAreRejected(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	for _, id := range []string{"", ".", "..", "x/..", "../x", "a/./b", "/", "x/"} {
		err := client.DeleteDeploymentRegion(t.Context(), id)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q cannot be an ID", id)) {
			t.Errorf("%q: got %v", id, err)
		}
	}
	for _, directory := range []string{"/../", "/data/../", "//"} {
		if err := client.DeleteBackupDaemon(t.Context(), "om.example.com", directory); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q cannot be an ID", directory)) {
			t.Errorf("%q: got %v", directory, err)
		}
	}
	_, err := client.ListBackupConfigs(t.Context(), "", opsmanager.Page{})
	if err == nil || isAnyMissing(err) {
		t.Errorf("got %v", err)
	}
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
		{http.StatusAccepted, " \n"},
		{http.StatusAccepted, `{"status":"deleting"}`},
	} {
		t.Run(fmt.Sprint(test.status, test.body), func(t *testing.T) {
			t.Parallel()
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, test.status, "", test.body) })
			succeed(t, client.DeleteDeploymentRegion(t.Context(), "NY_NJ"))
		})
	}
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusCreated, "application/json", `{"id":"NEW"}`)
	})
	created, err := client.CreateDeploymentRegion(t.Context(), region("NEW"))
	succeed(t, err)
	equal(t, "id", created.ID, "NEW")
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
		{"another type", "application/json", `{"snapshotIntervalHours":"six"}`, "snapshotIntervalHours has the wrong type, string"},
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
			for _, want := range []string{"the response is not the JSON that the API documents", test.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
			if isAnyMissing(err) || opsmanager.IsUnsupported(err) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %q", err)
			}
		})
	}
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "text/html", login) })
	if err := client.DeleteDeploymentRegion(t.Context(), "NY_NJ"); err == nil {
		t.Error("a login page was accepted as the response to a DELETE")
	}
}

func TestErrorHasTheVersionOfOpsManager(t *testing.T) {
	t.Parallel()
	client, _ := emulateWith(t, emulator.Options{ServiceVersion: "7.0.11.500"})
	_, err := client.SnapshotSchedule(t.Context(), payments, nowhere)
	equal(t, "version", wantError(t, err).ServiceVersion, "7.0.11.500")

	for header, want := range map[string]string{
		"versionString=9.1":               "9.1",
		"versionString=9.1 ; gitHash=abc": "9.1",
		"gitHash=abc":                     "",
	} {
		client = serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-MongoDB-Service-Version", header)
			w.WriteHeader(http.StatusConflict)
		})
		err = client.DeleteDeploymentRegion(t.Context(), "NY_NJ")
		equal(t, header, wantError(t, err).ServiceVersion, want)
	}
}

func TestVersionIsComparedOnceOpsManagerHasReportedIt(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"versionString=7.0.11.500.20240801T0000Z": "7.0.11", "versionString=7.0.12": "", "versionString=9.1": "", "versionString=master": "", "gitHash=abc": "",
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-MongoDB-Service-Version", header)
			w.WriteHeader(http.StatusConflict)
		})
		first := opsmanager.Version{7, 0, 12}
		if early := client.VersionBefore(first); early != nil {
			t.Errorf("%s before any response", early)
		}
		_ = client.DeleteDeploymentRegion(t.Context(), "NY_NJ")
		got := ""
		if reported := client.VersionBefore(first); reported != nil {
			got = reported.String()
		}
		equal(t, header, got, want)
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

func TestErrorsAndLogsContainNoSecrets(t *testing.T) {
	t.Parallel()
	const privateKey = "5ecre7-5ecre7-5ecre7"
	outcomes := map[string]http.HandlerFunc{
		"success":  func(w http.ResponseWriter, _ *http.Request) { answerOK(w, anyObject) },
		"conflict": func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusConflict, "", "no") },
		"down":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"dropped":  func(_ http.ResponseWriter, r *http.Request) { drop(r) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://x.invalid/?secret=1", http.StatusFound)
		},
		"not JSON":  func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", "<p>") },
		"wrong key": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
	}
	for name, outcome := range outcomes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var diags, secrets []string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				authorization := r.Header.Get("Authorization")
				if authorization == "" {
					w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n0nce", qop="auth"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				_, response, _ := strings.Cut(authorization, `response="`)
				response, _, _ = strings.Cut(response, `"`)
				mu.Lock()
				secrets = append(secrets, authorization, response)
				mu.Unlock()
				outcome(w, r)
			}, func(c *opsmanager.Config) {
				c.PrivateKey = privateKey
				c.MaxRetries = 1
				c.Log = func(_ context.Context, message string, fields ...map[string]any) {
					mu.Lock()
					defer mu.Unlock()
					diags = append(diags, fmt.Sprint(message, fields))
				}
			})
			_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{Number: 1})
			if err != nil {
				diags = append(diags, err.Error(), fmt.Sprintf("%+v", *wantError(t, err)))
			}
			mu.Lock()
			defer mu.Unlock()
			if len(diags) == 0 || len(secrets) == 0 || secrets[1] == "" {
				t.Fatalf("nothing to compare: %q, %q", diags, secrets)
			}
			for _, secret := range append(secrets, privateKey, "Authorization", "n0nce", "secret=1") {
				for _, text := range diags {
					if strings.Contains(text, secret) {
						t.Errorf("%q is in %q", secret, text)
					}
				}
			}
		})
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

// query parses a query string.
func query(t *testing.T, raw string) url.Values {
	t.Helper()
	values, err := url.ParseQuery(raw)
	succeed(t, err)
	return values
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

func TestJSONWithoutAnyExpectedFieldIsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"status":"ok"}`, `{"links":null}`, `null`} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answerOK(w, body) })
		_, read := client.SnapshotSchedule(t.Context(), payments, ledger)
		_, changed := client.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{})
		_, region := client.DeploymentRegion(t.Context(), "EU")
		for _, err := range []error{read, changed, region} {
			if err == nil || !strings.Contains(err.Error(), "none of the expected fields") {
				t.Errorf("%s: accepted, or another error: %v", body, err)
			}
		}
	}
}

func TestResponseForAnotherObjectIsAnError(t *testing.T) {
	t.Parallel()
	const otherID = "650a1f8b5d7092a4c6e8f013"
	calls := map[string]func(*testing.T, *opsmanager.Client) (any, error){
		"GET a schedule": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.SnapshotSchedule(t.Context(), payments, ledger)
		},
		"PATCH a schedule": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{})
		},
		"GET a backup configuration": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.BackupConfig(t.Context(), payments, ledger)
		},
		"PATCH a backup configuration": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.UpdateBackupConfig(t.Context(), payments, ledger, opsmanager.BackupConfigChange{})
		},
		"GET available members": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.BackupConfigWithMembers(t.Context(), payments, ledger)
		},
		"GET a cluster": func(t *testing.T, c *opsmanager.Client) (any, error) {
			return c.Cluster(t.Context(), payments, ledger)
		},
		"GET a project": func(t *testing.T, c *opsmanager.Client) (any, error) { return c.Project(t.Context(), payments) },
	}
	for name, call := range calls {
		idField, id := "clusterId", ledger
		switch name {
		case "GET a cluster":
			idField = "id"
		case "GET a project":
			idField, id = "id", payments
		}
		type answered struct {
			body, says string
		}
		bodies := []answered{
			{fmt.Sprintf(`{%q: %q, "x": 1}`, idField, otherID), fmt.Sprintf("requested %s %q, got %q", idField, id, otherID)},
			{fmt.Sprintf(`{%q: %q}`, idField, id), ""},
			{fmt.Sprintf(`{%q: %q}`, idField, strings.ToUpper(id)), ""},
			{`{"fullIncrementalDayOfWeek": "", "statusName": "", "typeName": "", "name": ""}`, ""},
		}
		if name != "GET a project" {
			bodies = append(bodies,
				answered{fmt.Sprintf(`{%q: %q, "groupId": %q}`, idField, id, otherID), fmt.Sprintf("requested groupId %q, got %q", payments, otherID)},
				answered{fmt.Sprintf(`{%q: %q, "groupId": %q}`, idField, id, payments), ""})
		}
		for _, test := range bodies {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", test.body) })
			got, err := call(t, client)
			if test.says == "" {
				succeed(t, err)
				continue
			}
			if !errors.Is(err, opsmanager.ErrOtherObject) || !strings.Contains(err.Error(), test.says) || !reflect.ValueOf(got).IsNil() {
				t.Errorf("%s with the response %s: got %v, %v", name, test.body, got, err)
			}
			if isAnyMissing(err) || opsmanager.IsUnsupported(err) || !opsmanager.IsUnclear(err) {
				t.Errorf("%s with the response %s: the outcome should be unclear: %v", name, test.body, err)
			}
		}
	}
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
	if err := client.UpdateAutomationConfig(t.Context(), payments, config); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("got %v", err)
	}
}
