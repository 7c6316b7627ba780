package emulator

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault is something that goes wrong with the next matching requests. Faults
// are looked at in the order of their injection; the first that matches and
// lets nothing pass any more is the one that happens.
//
// The transport of net/http repeats a GET of its own accord when a connection
// that it had used before is closed without an answer: a dropped GET may be
// seen twice by the service and not at all by the client.
type Fault struct {
	Method string // "" is any
	Path   string // a part of the escaped path; "" is any
	Times  int    // how many matching requests it happens to; 0 is one, negative is all that follow
	Skip   int    // how many matching requests pass before

	// Status, Header and Body answer instead of the service, which does not
	// see the request. Header and Body count only with a Status.
	Status int
	Header http.Header
	Body   string

	DropBefore bool          // close the connection, the service does not see the request
	DropAfter  bool          // close the connection without an answer, the service did what was asked
	Delay      time.Duration // passes before the service sees the request, which it doesn't if the client gives up meanwhile
	Truncate   int           // send that many bytes of the body, while Content-Length announces all
	BeforeAuth bool          // happens in front of Digest, as in a proxy; otherwise only requests that passed Digest match
	Unanswered bool          // hang until the client gives up, the service does not see the request
}

// Inject queues a fault.
func (e *Emulator) Inject(fault Fault) {
	fault.Header = fault.Header.Clone()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = append(e.faults, &fault)
}

// ClearFaults removes all faults that have not happened yet.
func (e *Emulator) ClearFaults() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = nil
}

// fault returns what goes wrong with a request, nil for nothing, and counts it.
func (e *Emulator) fault(r *http.Request, beforeAuth bool) *Fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, fault := range e.faults {
		switch {
		case fault.BeforeAuth != beforeAuth,
			fault.Method != "" && fault.Method != r.Method,
			!strings.Contains(r.URL.EscapedPath(), fault.Path):
		case fault.Skip > 0:
			fault.Skip--
		default:
			happening := *fault
			if fault.Times > 0 {
				fault.Times--
			}
			if fault.Times == 0 {
				e.faults = slices.Delete(e.faults, i, i+1)
			}
			return &happening
		}
	}
	return nil
}

// disturb lets a fault happen to what next would answer.
func (f *Fault) disturb(ctx context.Context, next func() reply) reply {
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
		answer = reply{status: f.Status, header: f.Header, body: []byte(f.Body)}
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

// wait lets d pass, or less if ctx ends, which is then the error.
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
