package emulator

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is a failure of the next matching requests. Faults are checked in the order in
// which they were injected. The first one that matches and has no requests left to skip is
// applied.
//
// The transport of net/http repeats a GET if a reused connection is closed without a
// response, so the emulator may receive a dropped GET twice without the client noticing.
type Fault struct {
	Method string // any method if empty
	Path   string // substring of the escaped path; any path if empty
	Times  int    // number of matching requests that fail; 0 means one, a negative number means all
	Skip   int    // number of matching requests that succeed before

	// Status, Header and Body are the response. The request is not served. Header and
	// Body are ignored without a Status.
	Status int
	Header http.Header
	Body   string

	DropBefore bool          // close the connection without serving the request
	DropAfter  bool          // serve the request, then close the connection without a response
	Delay      time.Duration // wait before serving the request, which is not served if the client gives up meanwhile
	Truncate   int           // send only this many bytes of the body, with the full Content-Length
	BeforeAuth bool          // fail before Digest, like a proxy; otherwise only authenticated requests match
	Unanswered bool          // wait until the client gives up, without serving the request
}

// faults are the faults that remain.
type faults struct {
	mu    sync.Mutex
	queue []*Fault
}

// Inject queues a fault.
func (f *faults) Inject(fault Fault) {
	fault.Header = fault.Header.Clone()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, &fault)
}

// ClearFaults removes all remaining faults.
func (f *faults) ClearFaults() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = nil
}

// fault returns the fault of a request and counts it, or nil if there is none.
func (f *faults) fault(r *http.Request, beforeAuth bool) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.queue {
		switch {
		case fault.BeforeAuth != beforeAuth,
			fault.Method != "" && fault.Method != r.Method,
			!strings.Contains(r.URL.EscapedPath(), fault.Path):
		case fault.Skip > 0:
			fault.Skip--
		default:
			applied := *fault
			if fault.Times > 0 {
				fault.Times--
			}
			if fault.Times == 0 {
				f.queue = slices.Delete(f.queue, i, i+1)
			}
			return &applied
		}
	}
	return nil
}

// apply returns the response of next with the fault applied.
func (f *Fault) apply(ctx context.Context, next func() reply) reply {
	if f == nil {
		return next()
	}
	if wait(ctx, f.Delay) != nil {
		return dropped
	}
	if f.Unanswered {
		<-ctx.Done()
		return dropped
	}
	if f.DropBefore {
		return dropped
	}
	var answer reply
	if f.Status != 0 {
		answer = reply{
			status: f.Status,
			header: f.Header,
			body:   []byte(f.Body),
		}
	} else {
		answer = next()
	}
	if f.DropAfter {
		return dropped
	}
	if f.Truncate > 0 {
		answer.truncate = f.Truncate
	}
	return answer
}

// wait waits for d, or until ctx ends, and then returns its error.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
