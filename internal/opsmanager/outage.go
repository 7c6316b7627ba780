package opsmanager

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// outage is the time in which the service does not serve. It begins when a call
// gives up after retries while no other call was served either. As long as it
// lasts, one call at a time finds out with one attempt whether the service is
// back, and the others fail at once: a run of a thousand resources is patient
// with a dead service once, and not a thousand times.
type outage struct {
	served  atomic.Int64          // how many calls were
	cause   atomic.Pointer[error] // why the last one was not; nil where there is no outage
	finding sync.Mutex            // held by the call that finds out
}

// errNotSent is of a request that was not worth sending.
var errNotSent = errors.New("not sent, because Ops Manager did not serve the requests before it either")

// attend returns how many retries a call is worth, or why it is not worth
// sending. done is told how often it was tried, and why it was not served.
func (o *outage) attend(retries int) (worth int, done func(attempts int, failure error), err error) {
	found := func() {}
	if cause := o.cause.Load(); cause != nil {
		if !o.finding.TryLock() {
			return 0, nil, fmt.Errorf("%w: %w", errNotSent, *cause)
		}
		retries, found = 0, o.finding.Unlock
	}
	before := o.served.Load()
	return retries, func(attempts int, failure error) {
		defer found()
		switch {
		case failure == nil:
			o.served.Add(1)
			o.cause.Store(nil)
		case attempts > 1 && attempts > retries && o.served.Load() == before:
			o.cause.Store(&failure)
		}
	}, nil
}

// notServed returns why a call was not served; nil where it was, if only with a
// refusal.
func notServed(response *http.Response, err error) error {
	if err == nil && isAtFault(response.StatusCode) {
		return errors.New(statusOf(response))
	}
	return err
}

// isAtFault says whether a status is that of a service which is down or being
// restarted, or of the proxy in front of it.
func isAtFault(status int) bool {
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
