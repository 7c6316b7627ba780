package opsmanager

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Meanwhile, other calls open the breaker, and one of them is its probe.
func TestRefusalOfTheBreakerKeepsAnUnclearAttempt(t *testing.T) {
	t.Parallel()
	c := NewClient(Config{BaseURL: &url.URL{Scheme: "https", Host: "om.example.com"}, MaxRetries: 3, RetryWaitMin: 1, RetryWaitMax: 1})
	c.http.Transport = newDigestTransport("", "", 0, answering(func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet {
			return answerOf(http.StatusOK, http.Header{"Content-Type": {"application/json"}}, []byte(`{"id": "NY"}`))
		}
		return answerOf(http.StatusBadGateway, http.Header{}, nil)
	}))
	read := func(ctx context.Context) (*DeploymentRegion, error) { return c.DeploymentRegion(ctx, "NY") }
	writes := 0
	write := func(ctx context.Context, live *DeploymentRegion) (*DeploymentRegion, error) {
		if writes++; writes == 2 {
			down := errors.New("502 Bad Gateway")
			c.breaker.cause.Store(&down)
			c.breaker.probe.Lock()
		}
		return live, c.DeleteDeploymentRegion(ctx, "NY")
	}
	_, err := Change(t.Context(), c, ObjectDeploymentRegion, &DeploymentRegion{ID: "NY"}, read, write)
	if writes != 2 || !errors.Is(err, errNotSent) || !IsUnclear(err) {
		t.Errorf("%d writes, unclear: %t, %v", writes, IsUnclear(err), err)
	}
}

// Its parameters would take a hundred times as much memory.
func TestLongSuccessIsNotDecodedAsAnErrorDocument(t *testing.T) {
	t.Parallel()
	if _, status := failureIn([]byte(`{"error": 409, "errorCode": "X", "parameters": [` + strings.Repeat("1,", maxFailureBytes) + `1]}`)); status != 0 {
		t.Errorf("got an error document with status %d", status)
	}
}

func TestRetryAfterIsRespectedWithinLimits(t *testing.T) {
	t.Parallel()
	const least, most = 100 * time.Millisecond, time.Minute
	for header, want := range map[string]time.Duration{
		"0": least, "1": time.Second, "60": most, "61": most, "9223372036": most, "9223372037": most,
		"13835058055": most, "18446744074": most, "36028797018963968": most,
		"9223372036854775807": most, "9223372036854775808": least, "-1": least, "soon": least,
		"Fri, 31 Dec 1999 23:59:59 GMT": least, "Fri, 31 Dec 2099 23:59:59 GMT": most,
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			response := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {header}}}
			if got := backoff(least, most, 0, response); got != want {
				t.Errorf("Retry-After %q: waits %s, want %s", header, got, want)
			}
		}
	}
}

func TestWaitsGrowUpToTheirMaximum(t *testing.T) {
	t.Parallel()
	const least, most = 20 * time.Millisecond, 50 * time.Millisecond
	for attempt, want := range []time.Duration{least, 2 * least, most, most} {
		if got := backoff(least, most, attempt, nil); got < want || got > min(want+want/2, most) {
			t.Errorf("attempt %d: waits %s, want %s", attempt, got, want)
		}
	}
}
