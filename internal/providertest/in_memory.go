package providertest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
)

// InBubble runs a test in a bubble of testing/synctest, in which waits take no time, and a busy machine doesn't
// change what happens. Its clock starts after the objects of the seed were created.
func InBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	Certificates() // on the real clock, because other tests have the same ones
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
	})
}

// EachInBubble runs a test for each row of a table, in a bubble of its own.
func EachInBubble[T any](t *testing.T, rows map[string]T, test func(t *testing.T, row T)) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			InBubble(t, func(t *testing.T) { test(t, row) })
		})
	}
}

// PlanBoth plans two resources of one run, and returns what both plans say.
type PlanBoth func(one, other func() *Plan) Diagnostics

// EachOrder runs a test in bubbles, with both orders in which Terraform may plan two resources.
func EachOrder(t *testing.T, test func(t *testing.T, plan PlanBoth)) {
	t.Helper()
	for _, isReversed := range []bool{false, true} {
		t.Run(fmt.Sprintf("reversed %v", isReversed), func(t *testing.T) {
			InBubble(t, func(t *testing.T) {
				test(t, func(one, other func() *Plan) Diagnostics {
					if isReversed {
						one, other = other, one
					}
					return append(one().Diagnostics, other().Diagnostics...)
				})
			})
		})
	}
}

// CheckSequences runs random sequences in a bubble.
func CheckSequences(t *testing.T, sequence func(t *rapid.T)) {
	t.Helper()
	InBubble(t, func(t *testing.T) { rapid.Check(untimed{t}, sequence) })
}

// untimed is a test for rapid in a bubble, where nothing may ask for the deadline of a test.
type untimed struct{ rapid.TB }

// inMemoryURL is an address for services in memory. Nothing calls it.
const inMemoryURL = "http://127.0.0.1:9"

// StartResourceInMemory is StartResource without a network, for InBubble.
func StartResourceInMemory(t T, typeName string, options ...emulator.Options) (*Service, *Resource) {
	t.Helper()
	s := ServiceInMemory(options...)
	return s, NewWorkspace(t, s).NewResource(typeName)
}

// UnderFault runs a test with a proxy that can cause a fault, and a provider with more settings. Unless the fault
// needs a network, the test runs in a bubble of testing/synctest, in which waits take no time.
func UnderFault(t *testing.T, f Fault, options emulator.Options, settings Values, test func(t *testing.T, p *FaultProxy, w *Workspace)) {
	t.Helper()
	Certificates() // not issued in a bubble, whose clock starts in the past
	settings = With(settings)
	if f.Slow {
		settings["request_timeout"] = Timeout.String()
	}
	switch {
	case f.TLS:
		settings["ca_cert_pem"] = Certificates().Authority
		p := StartTLSFaultProxy(t, options)
		test(t, p, NewWorkspace(t, p.Service, settings))
	case f.Connection != nil:
		p := StartFaultProxy(t, options)
		test(t, p, NewWorkspace(t, p.Service, settings))
	default:
		InBubble(t, func(t *testing.T) {
			p := FaultProxyInMemory(options)
			test(t, p, NewWorkspace(t, p.Service, settings))
		})
	}
}

// FaultProxyInMemory is StartFaultProxy without a network, for InBubble.
func FaultProxyInMemory(options ...emulator.Options) *FaultProxy {
	p := &FaultProxy{Service: ServiceInMemory(options...)}
	p.inMemory = p
	return p
}

// ServiceInMemory is StartService without a network, for InBubble.
func ServiceInMemory(options ...emulator.Options) *Service {
	e := emulator.New(Chosen(options).Fixed())
	return ServiceBehind(e, e)
}

// ServiceBehind returns a service in memory behind a handler.
func ServiceBehind(handler http.Handler, e *emulator.Emulator) *Service {
	return &Service{
		Emulator: e,
		URL:      inMemoryURL,
		inMemory: handler,
	}
}

// inMemory is a transport that calls a handler.
type inMemory struct{ http.Handler }

// RoundTrip implements [http.RoundTripper]. If the handler aborts, the connection ends without a response.
func (m inMemory) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	defer func() {
		switch aborted := recover(); aborted {
		case nil:
		case http.ErrAbortHandler:
			response = nil
			err = io.EOF
		default:
			panic(aborted)
		}
		if ended := r.Context().Err(); ended != nil {
			response = nil
			err = ended
		}
	}()
	received := r.Clone(r.Context())
	received.Host = r.URL.Host
	received.RequestURI = r.URL.RequestURI()
	if received.Body == nil {
		received.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	m.ServeHTTP(limitedRecorder{recorder}, received)
	_ = received.Body.Close()
	response = recorder.Result()
	response.Request = r
	for name, values := range response.Header {
		if canonical := http.CanonicalHeaderKey(name); canonical != name { // as a network returns it
			delete(response.Header, name)
			response.Header[canonical] = values
		}
	}
	if announced, err := strconv.Atoi(response.Header.Get("Content-Length")); err == nil && announced > recorder.Body.Len() {
		response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(recorder.Body.Bytes()), cutOffReader{}))
	}
	return response, nil
}

// limitedRecorder stops a handler that writes more than the client reads.
type limitedRecorder struct{ *httptest.ResponseRecorder }

func (r limitedRecorder) Write(p []byte) (int, error) {
	const limit = 33 << 20
	switch {
	case r.Body.Len() > limit:
		return 0, io.ErrShortWrite
	case len(p) >= 1<<20 && r.Body.Available() < len(p):
		r.Body.Grow(limit + len(p)) // otherwise, the buffer is copied each time that it grows
	}
	return r.ResponseRecorder.Write(p)
}

// cutOffReader is the end of a body that is shorter than announced.
type cutOffReader struct{}

func (cutOffReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
