package providertest

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// FaultProxy is a proxy in front of its own service. It makes requests fail like networks,
// proxies and broken servers do. URL is the address of the proxy.
type FaultProxy struct {
	*Service

	// OnFault, if set before Inject, is called for each request that the fault hits.
	OnFault func()

	server *httptest.Server

	mu          sync.Mutex
	handler     Handler  // responds to all requests with credentials, if not nil
	seen        []string // the methods of the requests since Inject
	fault       Fault
	method      string           // method of the requests that the fault hits
	skip        int              // number of requests of any method that pass before
	lasts       bool             // the fault hits all later requests, not only one
	hits        int              // number of requests that the fault has hit
	certificate *tls.Certificate // presented by the proxy
	isClosed    bool             // nothing listens
	keeper      net.Conn         // reserves the port while nothing listens
}

// IsInMemory reports whether the proxy has no network, so that waits take no time.
func (p *FaultProxy) IsInMemory() bool { return p.server == nil }

// StartFaultProxy starts a service behind a proxy with plain HTTP.
func StartFaultProxy(t *testing.T, options ...emulator.Options) *FaultProxy {
	t.Helper()
	p := newFaultProxy(t, Chosen(options))
	p.closeConnections()
	p.server.Start()
	p.URL = p.server.URL
	return p
}

// StartTLSFaultProxy starts a service behind a proxy with TLS, which presents Certificates.Trusted.
func StartTLSFaultProxy(t *testing.T, options emulator.Options) *FaultProxy {
	t.Helper()
	p := newFaultProxy(t, options)
	p.closeConnections()
	p.certificate = Certificates().Trusted
	p.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*p.certificate}}, nil
	}}
	p.server.StartTLS()
	p.URL = p.server.URL
	return p
}

// newFaultProxy returns a proxy that is not started yet.
func newFaultProxy(t *testing.T, options emulator.Options) *FaultProxy {
	t.Helper()
	p := &FaultProxy{Service: &Service{Emulator: emulator.New(options.Fixed())}}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are expected
	t.Cleanup(func() {
		p.mu.Lock()
		p.isClosed = false // so that nothing opens it again
		p.mu.Unlock()
		p.server.Close()
		p.server.Config.Handler = nil // otherwise, the cleanup keeps the emulator in memory until the parent test ends
	})
	return p
}

// closeConnections closes each connection after its first request. Otherwise net/http repeats
// requests that fail on a reused connection, and the client does not notice the fault.
func (p *FaultProxy) closeConnections() { p.server.Config.SetKeepAlivesEnabled(false) }

// Handle makes a Handler respond to all requests with credentials. nil ends that.
func (p *FaultProxy) Handle(handler Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handler = handler
}

// Inject makes a fault hit the next request of a method, after skip requests of any method. A
// lasting fault also hits all later requests of that method.
func (p *FaultProxy) Inject(f Fault, method string, skip int, lasts bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
	p.hits = 0
	p.fault = f
	p.method = method
	p.skip = skip
	p.lasts = lasts
	if skip == 0 && f.Connection != nil {
		f.Connection(p)
	}
}

// Hits returns the number of requests that the fault has hit. OnFault may call it.
func (p *FaultProxy) Hits() int { return p.hits }

// Clear ends the fault. It returns the methods of the requests since Inject.
func (p *FaultProxy) Clear(t *testing.T) []string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	p.fault = Fault{}
	p.OnFault = nil
	p.certificate = Certificates().Trusted
	if p.isClosed {
		p.open()
	}
	if p.isClosed {
		t.Fatal("the proxy cannot listen on its port again")
	}
	return seen
}

// ServeHTTP passes a request to the service, or to the Handler that replaces the service.
func (p *FaultProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := p.arrive(r); handler != nil {
		handler(w, r, p.Emulator)
		return
	}
	p.Emulator.ServeHTTP(w, r)
}

// arrive records a request. It returns the Handler that replaces the service, if any.
func (p *FaultProxy) arrive(r *http.Request) Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, r.Method)
	switch {
	case p.handler != nil && r.Header.Get("Authorization") != "":
		return p.handler
	case p.fault.Connection != nil && len(p.seen) == p.skip:
		p.fault.Connection(p)
		return nil
	case p.fault.Handler == nil, len(p.seen) <= p.skip, r.Method != p.method, p.hits > 0 && !p.lasts:
		return nil
	}
	p.hits++
	if p.OnFault != nil {
		p.OnFault()
	}
	return p.fault.Handler
}

// present returns a fault that makes the proxy present another certificate.
func present(certificate func() *tls.Certificate) func(*FaultProxy) {
	return func(p *FaultProxy) { p.certificate = certificate() }
}

// close refuses all connections from now on, or for a moment if the fault does not last. The caller
// holds the mutex.
func (p *FaultProxy) close() {
	p.keeper, _ = net.Dial("tcp", p.server.Listener.Addr().String()) //nolint:noctx // to this process
	_ = p.server.Listener.Close()
	p.isClosed = true
	if !p.lasts {
		time.AfterFunc(20*time.Millisecond, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.isClosed {
				p.open()
			}
		})
	}
}

// open listens again after close. The caller holds the mutex.
func (p *FaultProxy) open() {
	for range 100 {
		listener, err := net.Listen("tcp", p.server.Listener.Addr().String()) //nolint:noctx // in this process
		if err == nil {
			p.isClosed = false
			_ = p.keeper.Close()
			p.server.Listener = listener
			go func() { _ = p.server.Config.Serve(listener) }()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
