package opsmanager_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"terraform-provider-opsmanager/internal/certificates"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// frameServer is an HTTP/2 server that sends the frames of a test. It never enlarges the
// window, so a client can send only the first 64 KiB of a body.
type frameServer struct {
	settings []http2.Setting
	silent   bool // sends no settings
	deaf     bool // reads nothing after a request
	respond  func(*frameStream)
}

// frameStream is a request that a frameServer has received.
type frameStream struct {
	id         uint32
	authorized bool
	ended      chan struct{} // closed when the connection ends

	mu     *sync.Mutex // guards writes
	framer *http2.Framer
}

func (s *frameStream) send(frame func(*http2.Framer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return frame(s.framer)
}

// headers sends a status and headers.
func (s *frameStream) headers(status string, header ...string) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	fields := append([]string{":status", status}, header...)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return s.send(func(f *http2.Framer) error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: block.Bytes(), EndHeaders: true})
	})
}

// data sends a part of the body.
func (s *frameStream) data(text string, isLast bool) error {
	return s.send(func(f *http2.Framer) error { return f.WriteData(s.id, isLast, []byte(text)) })
}

// forever sends something every 5 ms until the connection ends.
func (s *frameStream) forever(send func() error) {
	for send() == nil {
		select {
		case <-s.ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// trickle sends headers and an endless body.
func (s *frameStream) trickle(status string, header ...string) {
	_ = s.headers(status, header...)
	s.forever(func() error { return s.data(" ", false) })
}

// start starts the server until the end of the test. It returns a function that connects a client
// with a timeout and without retries.
func (s frameServer) start(t *testing.T, authority certificates.Authority) func(timeout time.Duration) *opsmanager.Client {
	t.Helper()
	certificate, err := authority.Server(time.Hour, "127.0.0.1")
	succeed(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	var running sync.WaitGroup
	t.Cleanup(running.Wait) // the test's context ends before
	context.AfterFunc(t.Context(), func() { _ = listener.Close() })
	running.Go(func() {
		for {
			plain, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { _ = plain.Close() })
			running.Go(func() {
				s.serve(tls.Server(plain, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{http2.NextProtoTLS}}), &running)
			})
		}
	})
	return func(timeout time.Duration) *opsmanager.Client {
		return newClient(t, "https://"+listener.Addr().String(), retries(0), func(c *opsmanager.Config) {
			c.RootCAs, c.Timeout = authority.Pool(), timeout
		})
	}
}

func (s frameServer) serve(connection io.ReadWriter, running *sync.WaitGroup) {
	ended := make(chan struct{})
	defer close(ended)
	if _, err := io.CopyN(io.Discard, connection, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(connection, connection)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if !s.silent {
		_ = framer.WriteSettings(s.settings...)
	}
	mu := new(sync.Mutex)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		if request, ok := frame.(*http2.MetaHeadersFrame); ok {
			authorized := slices.ContainsFunc(request.RegularFields(), func(f hpack.HeaderField) bool { return f.Name == "authorization" })
			stream := &frameStream{request.StreamID, authorized, ended, mu, framer}
			if s.deaf {
				s.respond(stream)
				return
			}
			running.Go(func() { s.respond(stream) })
		}
	}
}

// longCall has a call for each HTTP method, with a body that is longer than the window of HTTP/2.
var longCall = map[string]func(context.Context, *opsmanager.Client) error{
	http.MethodGet: call[http.MethodGet],
	http.MethodPatch: func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.UpdateBackupConfig(ctx, payments, ledger, opsmanager.BackupConfigChange{ExcludedNamespaces: &[]string{strings.Repeat("n", 100<<10)}})
		return err
	},
	http.MethodPut: func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.UpdateDeploymentRegion(ctx, longRegion(100<<10))
		return err
	},
	http.MethodPost: func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.CreateDeploymentRegion(ctx, longRegion(100<<10))
		return err
	},
}

func longRegion(bytes int) opsmanager.DeploymentRegion {
	long := region("NY_NJ")
	long.DeploymentDescription = new(strings.Repeat("d", bytes))
	return long
}

// endlessResponses are servers whose responses do not end.
var endlessResponses = map[string]frameServer{
	"success, a byte now and then": {respond: func(s *frameStream) { s.trickle("200") }},
	"success, silence":             {respond: func(s *frameStream) { _ = s.headers("200") }},
	"success, half a body": {respond: func(s *frameStream) {
		_ = s.headers("200", "content-length", "100")
		_ = s.data("{", false)
	}},
	"success, compressed, silence":                 {respond: func(s *frameStream) { _ = s.headers("200", "content-encoding", "gzip") }},
	"server error, a byte now and then":            {respond: func(s *frameStream) { s.trickle("500") }},
	"server error, silence":                        {respond: func(s *frameStream) { _ = s.headers("500") }},
	"redirect, a byte now and then":                {respond: func(s *frameStream) { s.trickle("302", "location", "/") }},
	"first challenge, a byte now and then":         {respond: func(s *frameStream) { s.trickle("401", "www-authenticate", digestChallenge) }},
	"challenge, then success, a byte now and then": {respond: afterChallenge(func(s *frameStream) { s.trickle("200") })},
	"challenge, then another one, a byte now and then": {respond: afterChallenge(func(s *frameStream) {
		s.trickle("401", "www-authenticate", digestChallenge+", stale=true")
	})},
	"nothing": {respond: func(*frameStream) {}},
	"no window": {
		settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}},
		respond:  func(s *frameStream) { s.trickle("200") },
	},
	"no stream allowed": {
		settings: []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}},
		respond:  func(s *frameStream) { s.trickle("200") },
	},
	"pings": {respond: func(s *frameStream) {
		_ = s.headers("200")
		s.forever(func() error { return s.send(func(f *http2.Framer) error { return f.WritePing(false, [8]byte{}) }) })
	}},
	"the connection is announced to close": {respond: func(s *frameStream) {
		_ = s.send(func(f *http2.Framer) error { return f.WriteGoAway(s.id, http2.ErrCodeNo, nil) })
		s.trickle("200")
	}},
	"a connection that is not read": {
		deaf:     true,
		settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1 << 30}},
		respond: func(s *frameStream) {
			_ = s.send(func(f *http2.Framer) error { return f.WriteWindowUpdate(0, 1<<30) })
			s.trickle("200")
		},
	},
}

// brokenResponses are servers whose responses net/http rejects.
var brokenResponses = map[string]frameServer{
	"no settings":       {silent: true, respond: func(s *frameStream) { s.trickle("200") }},
	"interim responses": {respond: func(s *frameStream) { s.forever(func() error { return s.headers("103") }) }},
	"bad compression":   {respond: func(s *frameStream) { s.trickle("200", "content-encoding", "gzip") }},
	"a reset": {respond: func(s *frameStream) {
		_ = s.headers("200")
		_ = s.data("{", false)
		_ = s.send(func(f *http2.Framer) error { return f.WriteRSTStream(s.id, http2.ErrCodeCancel) })
	}},
}

const digestChallenge = `Digest realm="r", nonce="n", qop="auth"`

// afterChallenge responds to a request with credentials, and challenges any other.
func afterChallenge(respond func(*frameStream)) func(*frameStream) {
	return func(s *frameStream) {
		if s.authorized {
			respond(s)
			return
		}
		_ = s.headers("401", "www-authenticate", digestChallenge)
		_ = s.data("{}", true)
	}
}

//nolint:paralleltest // it looks at the goroutines of the process
func TestHTTP2ResponsesThatDoNotEndAreTimedOutAndInterrupted(t *testing.T) {
	const soon = 300 * time.Millisecond
	authority := newAuthority(t)
	var running sync.WaitGroup
	for _, servers := range []map[string]frameServer{endlessResponses, brokenResponses} {
		for name, server := range servers {
			connect := server.start(t, authority)
			for method, call := range longCall {
				for cause, client := range map[error]*opsmanager.Client{context.DeadlineExceeded: connect(soon), context.Canceled: connect(0)} {
					ctx, interrupt := context.WithCancel(t.Context())
					if errors.Is(cause, context.Canceled) {
						time.AfterFunc(soon, interrupt)
					}
					running.Go(func() {
						defer interrupt()
						ended := make(chan error, 1)
						go func() { ended <- call(ctx, client) }()
						select {
						case err := <-ended:
							if _, isBroken := brokenResponses[name]; err == nil || !isBroken && !errors.Is(err, cause) {
								t.Errorf("%s of %s: got %v, want %v", method, name, err, cause)
							}
						case <-time.After(30 * time.Second):
							t.Errorf("%s of %s did not end; want %v", method, name, cause)
						}
					})
				}
			}
		}
	}
	running.Wait()
	var left string
	for range 100 {
		stacks := make([]byte, 1<<20)
		left = string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(left, "http2clientStream") && !strings.Contains(left, "opsmanager.bufferingTransport") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("goroutines are left:\n%s", left)
}

func TestConnectionThatTheServerDoesNotReadIsClosed(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	server := endlessResponses["a connection that is not read"]
	respond := server.respond
	server.respond = func(s *frameStream) {
		respond(s)
		close(closed)
	}
	_, err := server.start(t, newAuthority(t))(time.Second).UpdateDeploymentRegion(t.Context(), longRegion(64<<20))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("it is not closed")
	}
}
