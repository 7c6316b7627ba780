package emulator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

const regionsPath = "/admin/backup/backupDeployments"

// regions lists the regions and returns the status, or 0 if the connection was closed.
func (c *client) regions() int {
	c.t.Helper()
	header := c.challenged()
	got, err := c.send(http.MethodGet, regionsPath, "", c.authorize(http.MethodGet, emulator.BasePath+regionsPath, header, 1))
	if err != nil {
		return 0
	}
	return got.status
}

func TestFaultReplacesTheResponse(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.Inject(emulator.Fault{
		Status: 302, Header: http.Header{"Location": {"https://login.example.com/"}, "Content-Type": {"text/html"}},
		Body: "<html>moved</html>",
	})
	got := c.delete(regionsPath + "/AU_NZ")
	if got.status != 302 || got.header.Get("Location") != "https://login.example.com/" || got.header.Get("Content-Type") != "text/html" ||
		got.body != "<html>moved</html>" {
		t.Errorf("got %+v", got)
	}
	equal(t, got.header.Get("Strict-Transport-Security"), "")
	if c.service.Region("AU_NZ") == nil {
		t.Error("the request was served")
	}
	equal(t, c.delete(regionsPath+"/AU_NZ").status, 204)
}

func TestFaultMatchesMethodAndPath(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.Inject(emulator.Fault{Method: http.MethodPut, Status: 503})
	c.service.Inject(emulator.Fault{Path: "EU%2FWest", Status: 502})
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, regionsPath, 200},
		{http.MethodGet, regionsPath + "/EU%2FWest%201", 502},
		{http.MethodGet, regionsPath + "/EU%2FWest%201", 200},
		{http.MethodPut, regionsPath + "/EU%2FWest%201", 503},
	} {
		if got := c.do(test.method, test.path, ""); got.status != test.want {
			t.Errorf("%s %s: status %d, want %d", test.method, test.path, got.status, test.want)
		}
	}
}

func TestFaultsAreSkippedAndRepeatedAsConfigured(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults []emulator.Fault
		want   []int
	}{
		"once":              {[]emulator.Fault{{Status: 503}}, []int{503, 200}},
		"twice":             {[]emulator.Fault{{Status: 503, Times: 2}}, []int{503, 503, 200}},
		"for ever":          {[]emulator.Fault{{Status: 503, Times: -1}}, []int{503, 503, 503, 503}},
		"later":             {[]emulator.Fault{{Status: 503, Skip: 2, Times: 2}}, []int{200, 200, 503, 503, 200}},
		"one after another": {[]emulator.Fault{{Status: 503}, {Status: 429}}, []int{503, 429, 200}},
		"one meanwhile":     {[]emulator.Fault{{Status: 503, Skip: 2}, {Status: 429}}, []int{429, 200, 503, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			for _, fault := range test.faults {
				c.service.Inject(fault)
			}
			for i, want := range test.want {
				if got := c.regions(); got != want {
					t.Errorf("request %d: status %d, want %d", i+1, got, want)
				}
			}
		})
	}
}

func TestClearFaultsRemovesThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.Inject(emulator.Fault{Status: 503, Times: -1})
	if got := c.regions(); got != 503 {
		t.Fatalf("status %d", got)
	}
	c.service.ClearFaults()
	equal(t, c.regions(), 200)
}

func TestFaultIsAppliedBeforeOrAfterAuthentication(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.Inject(emulator.Fault{Status: 503})
	if got, err := c.send(http.MethodGet, regionsPath, "", ""); err != nil || got.status != 401 {
		t.Errorf("without credentials: got %d, %v, want the challenge", got.status, err)
	}
	equal(t, c.regions(), 503)

	c.service.ResetRequests()
	c.service.Inject(emulator.Fault{Status: 502, BeforeAuth: true})
	if got, err := c.send(http.MethodGet, regionsPath, "", ""); err != nil || got.status != 502 {
		t.Errorf("before Digest: got %d, %v", got.status, err)
	}
	if requests := c.service.Requests(); len(requests) != 1 || requests[0].Status != 502 || requests[0].Authenticated || c.service.Challenges() != 0 {
		t.Errorf("recorded %+v", requests)
	}
}

func TestDroppedConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault   emulator.Fault
		applied bool
	}{
		"before the change": {emulator.Fault{DropBefore: true}, false},
		"after the change":  {emulator.Fault{DropAfter: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.service.Inject(test.fault)
			const path = regionsPath + "/AU_NZ"
			authorization := c.authorize(http.MethodDelete, emulator.BasePath+path, c.challenged(), 1)
			if got, err := c.send(http.MethodDelete, path, "", authorization); err == nil {
				t.Fatalf("got a response: %+v", got)
			}
			equal(t, c.service.Region("AU_NZ") == nil, test.applied)
			requests := c.service.Requests()
			if last := requests[len(requests)-1]; last.Status != 0 || !last.Authenticated {
				t.Errorf("recorded %+v", last)
			}
		})
	}
}

func TestTruncatedResponse(t *testing.T) {
	t.Parallel()
	c := start(t)
	whole := c.get(regionsPath)
	c.service.Inject(emulator.Fault{Truncate: 20})
	header := c.challenged()
	got, err := c.send(http.MethodGet, regionsPath, "", c.authorize(http.MethodGet, emulator.BasePath+regionsPath, header, 1))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if got.status != 200 || got.body != whole.body[:20] || got.header.Get("Content-Length") != whole.header.Get("Content-Length") {
		t.Errorf("got %+v", got)
	}

	c.service.Inject(emulator.Fault{Truncate: len(whole.body)})
	equal(t, c.get(regionsPath).body, whole.body)
}

func TestDelayEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(emulator.Options{})
		c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
		const path = emulator.BasePath + regionsPath + "/AU_NZ"
		// remove deletes the region with a timeout and returns how long that took.
		remove := func(deadline time.Duration) (status int, passed time.Duration) {
			recorder := httptest.NewRecorder()
			service.ServeHTTP(recorder, httptest.NewRequest(http.MethodDelete, path, nil))
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			request := httptest.NewRequestWithContext(ctx, http.MethodDelete, path, nil)
			request.Header.Set("Authorization", c.authorize(http.MethodDelete, path, recorder.Header(), 1))
			began := time.Now()
			defer func() {
				passed = time.Since(began)
				if err, _ := recover().(error); errors.Is(err, http.ErrAbortHandler) {
					status = 0
				}
			}()
			recorder = httptest.NewRecorder()
			service.ServeHTTP(recorder, request)
			return recorder.Code, 0
		}

		service.Inject(emulator.Fault{Delay: time.Minute})
		if status, passed := remove(time.Second); status != 0 || passed != time.Second {
			t.Errorf("a client that gives up: status %d after %v", status, passed)
		}
		service.Inject(emulator.Fault{Unanswered: true})
		if status, passed := remove(time.Hour); status != 0 || passed != time.Hour {
			t.Errorf("a request without a response: status %d after %v", status, passed)
		}
		if service.Region("AU_NZ") == nil {
			t.Error("a canceled request was served")
		}
		service.Inject(emulator.Fault{Delay: time.Minute})
		if status, passed := remove(time.Hour); status != 204 || passed != time.Minute {
			t.Errorf("a client that waits: status %d after %v", status, passed)
		}
	})
}

func TestUnansweredRequestIsRecordedImmediately(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.Inject(emulator.Fault{BeforeAuth: true, Unanswered: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, c.url+emulator.BasePath+schedulePath(payments, ledger), strings.NewReader("{}"))
	succeed(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := c.roundTrip(request)
		done <- err
	}()
	for len(c.service.Requests()) == 0 {
		select {
		case err := <-done:
			t.Fatalf("answered: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
