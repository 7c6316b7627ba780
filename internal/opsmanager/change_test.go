package opsmanager_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// scripted returns a client of a server that responds to each request with the next one of some handlers,
// and then with the last one. The methods of the requests are in seen.
func scripted(t *testing.T, most int, handlers ...http.HandlerFunc) (client *opsmanager.Client, seen *[]string) {
	t.Helper()
	seen = new([]string)
	var mu sync.Mutex
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		*seen = append(*seen, r.Method)
		handlers[min(len(*seen), len(handlers))-1](w, r)
	}, retries(most)), seen
}

func found(description string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		answerOK(w, fmt.Sprintf(`{"id":"NY_NJ","deploymentDescription":%q}`, description))
	}
}

// describe changes the description of a region that was read as "a" to "b". Any other one is errThird.
func describe(ctx context.Context, c *opsmanager.Client) (*opsmanager.DeploymentRegion, error) {
	read := func(ctx context.Context) (*opsmanager.DeploymentRegion, error) {
		return c.DeploymentRegion(ctx, "NY_NJ")
	}
	return opsmanager.Change(ctx, c, opsmanager.ObjectDeploymentRegion, &opsmanager.DeploymentRegion{
		ID: "NY_NJ", DeploymentDescription: new("a"),
	}, read, func(ctx context.Context, live *opsmanager.DeploymentRegion) (*opsmanager.DeploymentRegion, error) {
		switch *live.DeploymentDescription {
		case "b":
			return live, nil
		case "a":
			wanted := *live
			wanted.DeploymentDescription = new("b")
			return c.UpdateDeploymentRegion(ctx, wanted)
		}
		return nil, errThird
	})
}

var errThird = errors.New("a third value")

func TestChangeIsRepeatedAfterARead(t *testing.T) {
	t.Parallel()
	type script = []http.HandlerFunc
	dropped := func(_ http.ResponseWriter, r *http.Request) { drop(r) }
	document := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			answer(w, status, "application/json", fmt.Sprintf(`{"error":%d,"errorCode":%q}`, status, code))
		}
	}
	for name, test := range map[string]struct {
		handlers script
		requests string
		err      string // a part of it
		unclear  bool
	}{
		"no failure":                 {script{found("b")}, "PUT", "", false},
		"a 503, and nothing changed": {script{status(503), found("a"), found("b")}, "PUT GET PUT", "", false},
		"a 429":                      {script{status(429), found("a"), found("b")}, "PUT GET PUT", "", false},
		"an upgrade": {
			script{document(405, "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"), found("a"), found("b")}, "PUT GET PUT", "",
			false,
		},
		"two failures":                    {script{status(502), found("a"), dropped, found("a"), found("b")}, "PUT GET PUT GET PUT", "", false},
		"no response, but it took effect": {script{dropped, found("b")}, "PUT GET", "", false},
		"a read that is repeated":         {script{status(503), status(503), found("a"), found("b")}, "PUT GET GET PUT", "", false},
		"a third value":                   {script{dropped, found("c")}, "PUT GET", errThird.Error(), false},
		"an object that is gone": {
			script{dropped, document(404, "BACKUP_DEPLOYMENT_NOT_FOUND")}, "PUT GET",
			"GET /admin/backup/backupDeployments/NY_NJ: 404", false,
		},
		"a refusal":                       {script{status(409)}, "PUT", "PUT /admin/backup/backupDeployments/NY_NJ: 409", false},
		"a refusal after a lost response": {script{dropped, found("a"), document(409, "CONFLICT")}, "PUT GET PUT", "409", false},
		"a redirect after a lost response": {
			script{dropped, found("a"), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) }},
			"PUT GET PUT", "302", true,
		},
		"a login page after a lost response": {
			script{dropped, found("a"), func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "text/html", "<p>Sign in</p>") }},
			"PUT GET PUT", "not the JSON", true,
		},
		"a 500": {script{status(500)}, "PUT", "500", true},
		"a read that fails": {
			script{status(503), status(403)}, "PUT GET",
			"503 Service Unavailable (FAULT): injected. It was not sent again, because the read before that failed: GET /admin/backup/",
			true,
		},
		"a read that fails, after a 429": {script{status(429), status(403)}, "PUT GET", "429", false},
		"a server that can't return it":  {script{status(503), status(405)}, "PUT GET", "GET /admin/backup/backupDeployments/NY_NJ: 405", true},
		"an outage": {
			script{status(503)}, "PUT GET GET GET",
			"GET /admin/backup/backupDeployments/NY_NJ: 503 Service Unavailable (FAULT): injected (gave up after 3 attempts in ", true,
		},
		"an outage for writes": {
			script{status(503), found("a"), status(503), found("a"), status(503), found("a")}, "PUT GET PUT GET PUT",
			"injected (gave up after 3 attempts in ", true,
		},
		"a certain refusal after the limit": {
			script{status(429), found("a"), status(429), found("a"), status(429)}, "PUT GET PUT GET PUT",
			"(gave up after 3 attempts in ", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, seen := scripted(t, 2, test.handlers...)
			region, err := describe(t.Context(), client)
			equal(t, "requests", strings.Join(*seen, " "), test.requests)
			switch {
			case test.err == "":
				succeed(t, err)
				equal(t, "description", *region.DeploymentDescription, "b")
			case err == nil || !strings.Contains(err.Error(), test.err) || region != nil:
				t.Errorf("got %v, %v", region, err)
			}
			equal(t, "unclear", opsmanager.MayHaveChanged(err), test.unclear)
		})
	}
}

func TestChangeIsSentOnceIfRetriesAreDisabled(t *testing.T) {
	t.Parallel()
	client, seen := scripted(t, 0, status(503))
	_, err := describe(t.Context(), client)
	equal(t, "attempts", wantError(t, err).Attempts, 1)
	equal(t, "requests", strings.Join(*seen, " "), "PUT")
}

func TestChangeWaitsAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	client, _ := scripted(t, 2, status(429, "Retry-After", "1"), found("a"), found("b"))
	begin := time.Now()
	_, err := describe(t.Context(), client)
	succeed(t, err)
	if waited := time.Since(begin); waited < time.Second {
		t.Errorf("waited %s", waited)
	}
}

func TestInterruptedChangeIsNotRepeated(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	client, seen := scripted(t, 2, func(w http.ResponseWriter, r *http.Request) {
		interrupt()
		status(503)(w, r)
	})
	_, err := describe(ctx, client)
	if !opsmanager.MayHaveChanged(err) {
		t.Errorf("got %v", err)
	}
	equal(t, "requests", strings.Join(*seen, " "), "PUT")
}

// Ops Manager may still be working on the request.
func TestNoChangeIsRepeatedAfterItsWriteTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		client := newClient(t, "http://127.0.0.1:9", withoutNetwork(func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r.Method)
			time.Sleep(80 * time.Millisecond)
			status(503)(w, r)
		}), retries(2))
		_, err := describe(opsmanager.WithWriteTimeout(t.Context(), 81*time.Millisecond), client)
		_ = wantError(t, err)
		equal(t, "requests", strings.Join(seen, " "), "PUT")
	})
}

func TestAttemptsOfAChangeAreCountedInTheLog(t *testing.T) {
	t.Parallel()
	var logged []string
	handlers := []http.HandlerFunc{status(503), status(503), found("a"), found("b")}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		handlers[len(logged)](w, r)
	}, func(c *opsmanager.Config) {
		c.Log = func(_ context.Context, _ string, fields ...map[string]any) {
			logged = append(logged, fmt.Sprint(fields[0]["method"], " ", fields[0]["attempt"], " ", fields[0]["status"]))
		}
	})
	_, err := describe(t.Context(), client)
	succeed(t, err)
	equal(t, "log", strings.Join(logged, ", "), "PUT 1 503, GET 1 503, GET 2 200, PUT 2 200")
}

// A server that answers reads only is unavailable for changes: after one that has given up, the next one
// is a probe.
func TestBreakerOpensIfAChangeGivesUp(t *testing.T) {
	t.Parallel()
	var puts int
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			found("a")(w, r)
			return
		}
		puts++
		status(503)(w, r)
	}, retries(2))
	for _, want := range []int{3, 1, 1} {
		puts = 0
		_, err := describe(t.Context(), client)
		equal(t, "attempts", wantError(t, err).Attempts, want)
		equal(t, "requests", puts, want)
	}
}

func TestCancellationEndsTheWaitForARetry(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		ctx, cancel := context.WithCancel(t.Context())
		client := serve(t, status(http.StatusTooManyRequests), func(c *opsmanager.Config) {
			c.RetryWaitMin, c.RetryWaitMax = time.Hour, time.Hour
			c.Log = func(context.Context, string, ...map[string]any) { time.AfterFunc(20*time.Millisecond, cancel) }
		})
		err := call[method](ctx, client)
		equal(t, method+" is interrupted", errors.Is(err, context.Canceled), true)
		equal(t, method+" may have changed", opsmanager.MayHaveChanged(err), false)
		equal(t, method+": attempts", wantError(t, err).Attempts, 1)
	}
}
