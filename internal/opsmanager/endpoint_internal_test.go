package opsmanager

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestSegmentsOfAPathAreEscaped(t *testing.T) {
	t.Parallel()
	var requested string
	c := clientOf(func(r *http.Request) *http.Response {
		requested = r.URL.RequestURI()
		return answerOf(http.StatusNoContent, http.Header{}, nil)
	})
	e := get("admin", "x/y")
	e.query = map[string][]string{"a": {"b"}}
	if err := c.do(t.Context(), e, nil, nil); err != nil || requested != "/api/public/v1.0/admin/x%2Fy?a=b" {
		t.Errorf("requested %q (%v)", requested, err)
	}
}

// Only Change repeats a request that may change something.
func TestRetriesDependOnTheEndpointAndNotOnTheMethod(t *testing.T) {
	t.Parallel()
	const transient, permanent = `{"error":409,"errorCode":"TRANSIENT"}`, `{"error":409,"errorCode":"IN_USE"}`
	for _, test := range []struct {
		name           string
		endpoint       endpoint
		status         int
		body           string
		retried        bool
		mayHaveChanged bool
	}{
		{"a POST that only reads", endpoint{method: "POST", effect: readOnly}, 503, "", true, false},
		{"a PUT that starts something", endpoint{method: "PUT", effect: starts}, 503, "", false, true},
		{"a POST that changes", endpoint{method: "POST"}, 429, "", true, false},
		{"a change, with a listed code", endpoint{method: "PUT", retryCodes: []string{"X", "TRANSIENT"}}, 409, transient, true, false},
		{"a listed code", endpoint{method: "POST", effect: starts, retryCodes: []string{"X", "TRANSIENT"}}, 409, transient, true, false},
		{"another code", endpoint{method: "POST", effect: starts, retryCodes: []string{"TRANSIENT"}}, 409, permanent, false, false},
		{"no code", endpoint{method: "POST", effect: starts, retryCodes: []string{"TRANSIENT"}}, 409, "", false, false},
		{"an upgrade", endpoint{method: "POST", effect: starts}, 405, `{"error":405,"errorCode":"WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"}`, true, false},
		{"a rate limit", endpoint{method: "POST", effect: starts}, 429, "", true, false},
		{"another 405", endpoint{method: "POST", effect: starts}, 405, `{"error":405,"errorCode":"X"}`, false, false},
		{"no listed codes", endpoint{method: "POST", effect: starts}, 409, transient, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			begin := func() *Client {
				requests = 0
				c := clientOf(func(*http.Request) *http.Response {
					requests++
					return answerOf(test.status, http.Header{}, []byte(test.body))
				})
				c.config.MaxRetries, c.config.RetryWaitMin = 2, time.Millisecond
				return c
			}
			if err := begin().do(t.Context(), test.endpoint, nil, nil); err == nil || (requests > 1) != (test.endpoint.effect == readOnly) {
				t.Errorf("without Change, %d requests: %v", requests, err)
			}
			c := begin()
			read := func(context.Context) (*struct{}, error) { return nil, nil }
			_, err := Change(t.Context(), c, ObjectBackupConfig, nil, read, func(ctx context.Context, live *struct{}) (*struct{}, error) {
				return live, c.do(ctx, test.endpoint, nil, nil)
			})
			var e *Error
			if !errors.As(err, &e) || e.Status != test.status || test.body != "" && e.Code == "" {
				t.Fatalf("got %v", err)
			}
			if (requests == 3) != test.retried || requests != e.Attempts {
				t.Errorf("%d requests: %v", requests, err)
			}
			if MayHaveChanged(err) != test.mayHaveChanged {
				t.Errorf("may have changed something: %t", !test.mayHaveChanged)
			}
		})
	}
}

func TestOnlyChangesHaveAGracePeriodAfterCancellation(t *testing.T) {
	t.Parallel()
	for _, effect := range []effect{changes, starts, readOnly} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := clientOf(func(r *http.Request) *http.Response {
				cancel()
				select {
				case <-r.Context().Done():
					return answerOf(http.StatusBadRequest, http.Header{}, nil)
				case <-time.After(20 * time.Millisecond):
					return answerOf(http.StatusNoContent, http.Header{}, nil)
				}
			})
			err := c.do(ctx, endpoint{method: "POST", effect: effect}, nil, nil)
			if answered := err == nil; answered == (effect == readOnly) {
				t.Errorf("%v: got %v", effect, err)
			}
		})
	}
}
