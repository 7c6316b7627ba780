package opsmanager

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// circuitBreaker opens when a call exhausts its retries while no other call succeeds.
// While it is open, one probe at a time is sent, without retries, and other calls fail at
// once. A successful probe closes it. So a run with a thousand resources waits for an
// unavailable server once, and not a thousand times. The reads of a Change are no other calls.
type circuitBreaker struct {
	answered atomic.Int64          // number of answered calls
	cause    atomic.Pointer[error] // the failure that opened the breaker; nil while it is closed
	probe    sync.Mutex            // held by the probe
	reported sync.Map              // what was reported once for all calls; see Client.IsReported
}

// errNotSent is the cause of a call that failed because the breaker was open.
var errNotSent = errors.New("not sent, because earlier requests to Ops Manager failed")

// allow returns how many retries a call may use, or an error if the breaker is open
// and another probe is in progress. The caller must call done with the attempts and the
// failure, which is nil if the call was answered. done reports that.
func (b *circuitBreaker) allow(maxRetries int) (retries int, done func(made *attempts, failure error) (isAnswered bool), err error) {
	release := func() {}
	if cause := b.cause.Load(); cause != nil {
		if !b.probe.TryLock() {
			return 0, nil, fmt.Errorf("%w: %w", errNotSent, *cause)
		}
		maxRetries = 0
		release = b.probe.Unlock
	}
	return maxRetries, func(made *attempts, failure error) bool {
		defer release()
		switch {
		case failure == nil:
			b.answered.Add(1)
			b.cause.Store(nil)
		case made.number > 1 && made.number > maxRetries && b.answered.Load() == made.answered:
			b.cause.Store(&failure)
		}
		return failure == nil
	}, nil
}

// IsReported reports whether it was called before with what someone reports once for all calls or objects of a
// client, such as a cause that each call fails with. Without a client, it returns false.
func (c *Client) IsReported(what string) bool {
	if c == nil {
		return false
	}
	_, isReported := c.breaker.reported.LoadOrStore(what, true)
	return isReported
}

// unavailability returns why the server did not answer a call, or nil if it did. A
// rejection is an answer; 502, 503 and 504 are not.
func unavailability(response *http.Response, err error) error {
	if err == nil && isUnavailable(response.StatusCode) {
		return errors.New(statusText(response.StatusCode))
	}
	return err
}

// isUnavailable reports whether a server or the proxy in front of it sends a status
// while the server is down or restarting.
func isUnavailable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}
