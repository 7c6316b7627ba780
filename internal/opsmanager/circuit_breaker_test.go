package opsmanager_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// callMany makes a number of calls with ten workers, like Terraform, and returns their
// errors.
func callMany(t *testing.T, client *opsmanager.Client, calls int) []error {
	t.Helper()
	errs := make([]error, calls)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 10 {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(calls); i = next.Add(1) {
				errs[i-1] = ledgerSchedule(t.Context(), client)
			}
		})
	}
	workers.Wait()
	return errs
}

func TestThousandCallsToAnUnavailableServerFailQuickly(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"no response":         func(_ http.ResponseWriter, r *http.Request) { hang(r) },
		"dropped connections": func(_ http.ResponseWriter, r *http.Request) { drop(r) },
		"503":                 status(http.StatusServiceUnavailable),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const timeout = 200 * time.Millisecond
			client := serve(t, handler, retries(4), func(c *opsmanager.Config) { c.Timeout = timeout })
			started := time.Now()
			gaveUp, notSent := 0, 0
			for _, err := range callMany(t, client, 1000) {
				text := wantError(t, err).Error()
				gaveUp += strings.Count(text, "gave up after 5 attempts in ")
				notSent += strings.Count(text, "not sent, because earlier requests to Ops Manager failed")
			}
			// Five attempts of ten workers, and then one probe at a time. Five attempts of each call would take 100 s.
			if passed := time.Since(started); passed > time.Minute {
				t.Errorf("took %s", passed)
			}
			if gaveUp == 0 || gaveUp > 20 {
				t.Errorf("%d of the calls were retried", gaveUp)
			}
			if name == "no response" && notSent < 900 {
				t.Errorf("only %d were not sent", notSent)
			}
		})
	}
}

func TestBreakerClosesWhenTheServerIsAvailableAgain(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	var requests atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if down.Load() {
			status(http.StatusServiceUnavailable)(w, r)
			return
		}
		answer(w, http.StatusOK, "", anyObject)
	}, retries(2))

	down.Store(true)
	for _, want := range []int{3, 1, 1} { // retries only once
		requests.Store(0)
		equal(t, "status", wantError(t, ledgerSchedule(t.Context(), client)).Status, http.StatusServiceUnavailable)
		equal(t, "requests", int(requests.Load()), want)
	}
	down.Store(false)
	for _, err := range callMany(t, client, 1) {
		succeed(t, err)
	}
	for _, err := range callMany(t, client, 50) {
		succeed(t, err)
	}
	down.Store(true)
	requests.Store(0)
	equal(t, "attempts", wantError(t, ledgerSchedule(t.Context(), client)).Attempts, 3)
}

func TestBreakerStaysClosedWhileOtherCallsSucceed(t *testing.T) {
	t.Parallel()
	var failures atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "backupDeployments") {
			failures.Add(1)
			status(http.StatusServiceUnavailable)(w, r)
			return
		}
		answer(w, http.StatusOK, "", anyObject)
	}, retries(3), func(c *opsmanager.Config) { c.RetryWaitMin = 20 * time.Millisecond })
	for range 2 {
		failures.Store(0)
		var failing sync.WaitGroup
		failing.Go(func() {
			equal(t, "attempts", wantError(t, call[http.MethodDelete](t.Context(), client)).Attempts, 4)
		})
		for failures.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		succeed(t, ledgerSchedule(t.Context(), client))
		failing.Wait()
	}
}

func TestBreakerStaysClosedIfRetriesAreDisabled(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		status(http.StatusServiceUnavailable)(w, r)
	}, retries(0))
	callMany(t, client, 30)
	equal(t, "requests", requests.Load(), 30)
}
