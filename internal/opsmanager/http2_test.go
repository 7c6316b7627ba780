package opsmanager_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/certificates"
)

// frameServer is an HTTP/2 server that sends the frames of a test. It never enlarges the
// window, so a client can send only the first 64 KiB of a body.
type frameServer struct {
	settings []http2.Setting
	silent   bool // sends no settings
	deaf     bool // reads nothing after a request
	complete bool // responds to complete requests only
	respond  func(*frameStream)
}

// frameStream is a request that a frameServer has received.
type frameStream struct {
	id         uint32
	method     string
	authorized bool
	connection int           // its number, from 1
	ended      chan struct{} // closed when the connection ends
	close      func() error

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

// succeed sends a successful response.
func (s *frameStream) succeed(body string) {
	_ = s.headers("200", "content-type", "application/json")
	_ = s.data(body, true)
}

// start starts the server until the end of the test. It returns a function that connects a client
// with a timeout and without retries.
func (s frameServer) start(t *testing.T, authority certificates.Authority) func(timeout time.Duration) *opsmanager.Client {
	t.Helper()
	address := s.listen(t, authority)
	return func(timeout time.Duration) *opsmanager.Client {
		return newClient(t, address, retries(0), func(c *opsmanager.Config) { c.RootCAs, c.Timeout = authority.Pool(), timeout })
	}
}

// listen starts the server until the end of the test, and returns its address.
func (s frameServer) listen(t *testing.T, authority certificates.Authority) (address string) {
	t.Helper()
	certificate, err := authority.Server(time.Hour, "127.0.0.1")
	succeed(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	var running sync.WaitGroup
	t.Cleanup(running.Wait) // the test's context ends before
	context.AfterFunc(t.Context(), func() { _ = listener.Close() })
	running.Go(func() {
		for number := 1; ; number++ {
			plain, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { _ = plain.Close() })
			running.Go(func() {
				s.serve(
					tls.Server(plain, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{http2.NextProtoTLS}}),
					number, &running,
				)
			})
		}
	})
	return "https://" + listener.Addr().String()
}

func (s frameServer) serve(connection io.ReadWriteCloser, number int, running *sync.WaitGroup) {
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
	streams := map[uint32]*frameStream{}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		id := frame.Header().StreamID
		request, begins := frame.(*http2.MetaHeadersFrame)
		if begins {
			authorized := slices.ContainsFunc(request.RegularFields(), func(f hpack.HeaderField) bool { return f.Name == "authorization" })
			streams[id] = &frameStream{id, request.PseudoValue("method"), authorized, number, ended, connection.Close, mu, framer}
		}
		if s.complete {
			part, isPart := frame.(interface{ StreamEnded() bool })
			begins = isPart && part.StreamEnded()
		}
		switch {
		case !begins:
		case s.deaf:
			s.respond(streams[id])
			return
		default:
			running.Go(func() { s.respond(streams[id]) })
		}
	}
}

// longCall has a call for each HTTP method, with a body that is longer than the window of HTTP/2.
var longCall = map[string]caller{
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

// endings are the ways in which a stream or its connection ends without a response.
var endings = func() map[string]func(*frameStream) {
	ways := map[string]func(*frameStream){"the connection is closed": func(s *frameStream) { _ = s.close() }}
	for _, code := range []http2.ErrCode{http2.ErrCodeNo, http2.ErrCodeProtocol, http2.ErrCodeInternal, http2.ErrCodeRefusedStream, http2.ErrCodeCancel} {
		ways["RST_STREAM with "+code.String()] = func(s *frameStream) {
			_ = s.send(func(f *http2.Framer) error { return f.WriteRSTStream(s.id, code) })
		}
	}
	for _, code := range []http2.ErrCode{http2.ErrCodeNo, http2.ErrCodeEnhanceYourCalm} {
		ways["GOAWAY that excludes the stream, with "+code.String()] = func(s *frameStream) { s.goAway(0, code) }
		for last, id := range map[string]func(*frameStream) uint32{
			"the stream": func(s *frameStream) uint32 { return s.id }, "all streams": func(*frameStream) uint32 { return math.MaxInt32 },
		} {
			ways["GOAWAY that includes "+last+", with "+code.String()+", and the connection is closed"] = func(s *frameStream) {
				s.goAway(id(s), code)
				_ = s.close()
			}
		}
	}
	return ways
}()

// goAway announces that streams after the last one are not served.
func (s *frameStream) goAway(last uint32, code http2.ErrCode) {
	_ = s.send(func(f *http2.Framer) error { return f.WriteGoAway(last, code, nil) })
}

// changesByForm has a change for each form of a request.
var changesByForm = map[string]caller{
	"POST": call[http.MethodPost],
	"POST without a body": func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.TakeSnapshot(ctx, payments, ledger, 3)
		return err
	},
	"PATCH":                              changeSchedule,
	"PUT":                                call[http.MethodPut],
	"PUT that is longer than the window": longCall[http.MethodPut],
	"DELETE":                             call[http.MethodDelete],
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
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) { // the second one of the connection, if it is earlier
		t.Errorf("got %v", err)
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("it is not closed")
	}
}

// wantOneEffect checks a change that took effect without a response.
func wantOneEffect(t *testing.T, what string, effects int32, err error) {
	t.Helper()
	e, ok := errors.AsType[*opsmanager.Error](err)
	if !ok || effects != 1 || e.Status != 0 || !opsmanager.IsUnclear(err) || !opsmanager.MayHaveChanged(err) ||
		strings.Contains(err.Error(), "context canceled") {
		t.Errorf("%s: %d effects, want one and an unclear failure: %v", what, effects, err)
	}
}

// connectProxy starts a proxy for CONNECT requests until the end of the test.
func connectProxy(t *testing.T) *url.URL {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = server.Close() }()
		client, _, err := http.NewResponseController(w).Hijack() // before the client sends more
		if err != nil {
			return
		}
		go func() {
			_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
			_, _ = io.Copy(client, server)
			_ = client.Close()
		}()
		_, _ = io.Copy(server, client)
	}))
	t.Cleanup(proxy.Close)
	address, err := opsmanager.ParseProxyURL(proxy.URL)
	succeed(t, err)
	return address
}

func TestChangeIsSentOnceHoweverItsStreamEnds(t *testing.T) {
	t.Parallel()
	authority, proxy := newAuthority(t), connectProxy(t)
	var running sync.WaitGroup
	for name, end := range endings {
		for way, test := range map[string]struct{ behindDigest, proxied bool }{
			"at once":                            {},
			"after a challenge":                  {behindDigest: true},
			"through a proxy, after a challenge": {behindDigest: true, proxied: true},
		} {
			var effects atomic.Int32
			server := frameServer{complete: test.behindDigest, respond: func(s *frameStream) {
				if effects.Add(1) == 1 {
					end(s)
					return
				}
				s.succeed(anyObject)
			}}
			if test.behindDigest {
				server.respond = afterChallenge(server.respond)
			}
			address := server.listen(t, authority)
			running.Go(func() {
				for change, call := range changesByForm {
					if strings.Contains(change, "longer") && test.behindDigest {
						continue // the server waits for the whole request, and never enlarges the window
					}
					effects.Store(0)
					err := call(t.Context(), newClient(t, address, retries(0), func(c *opsmanager.Config) {
						if c.RootCAs = authority.Pool(); test.proxied {
							c.Proxy = proxy
						}
					}))
					wantOneEffect(t, change+" "+way+", "+name, effects.Load(), err)
				}
			})
		}
	}
	running.Wait()
}

// net/http writes to a connection of HTTP/1 even if the context is canceled, if it is quick enough.
func TestConnectionOfHTTP1IsClosedBeforeACopyIsSent(t *testing.T) {
	t.Parallel()
	client := newClient(t, "https://om.example.com", retries(0), func(c *opsmanager.Config) {
		c.Wrap = func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				trace := httptrace.ContextClientTrace(r.Context())
				trace.GotConn(httptrace.GotConnInfo{})
				trace.WroteHeaders() // and then the stream of HTTP/2 ended
				next, _ := net.Pipe()
				trace.GotConn(httptrace.GotConnInfo{Conn: next})
				if err := next.SetDeadline(time.Time{}); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the connection is not closed: %v", err)
				}
				return nil, context.Cause(r.Context())
			})
		}
	})
	wantOneEffect(t, "DELETE", 1, call[http.MethodDelete](t.Context(), client))
}

func TestChangeIsSentOnceOverHTTP1(t *testing.T) {
	t.Parallel()
	for _, proxied := range []bool{false, true} {
		for change, call := range changesByForm {
			var effects atomic.Int32
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					effects.Add(1)
					drop(r)
				}
				answerOK(w, anyObject)
			}))
			t.Cleanup(server.Close)
			client := newClient(t, server.URL, retries(0), func(c *opsmanager.Config) {
				if c.InsecureSkipVerify = true; proxied {
					c.Proxy = connectProxy(t)
				}
			})
			succeed(t, ledgerSchedule(t.Context(), client)) // net/http repeats only what it sent on a used connection
			err := call(t.Context(), client)
			wantOneEffect(t, change, effects.Load(), err)
		}
	}
}

func TestReadMeetsOneClosedConnection(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	for name, end := range endings {
		if strings.HasPrefix(name, "GOAWAY that excludes") || strings.Contains(name, "PROTOCOL") || strings.Contains(name, "REFUSED") {
			var requests atomic.Int32
			server := frameServer{respond: afterChallenge(func(s *frameStream) {
				if requests.Add(1) == 2 {
					end(s)
					return
				}
				s.succeed(anyObject)
			})}
			client := server.start(t, authority)(30 * time.Second)
			for range 3 {
				if err := ledgerSchedule(t.Context(), client); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			equal(t, name+": requests", requests.Load(), 4)
		}
	}
}

func TestConnectionsOfAReadAreBounded(t *testing.T) {
	t.Parallel()
	const attempts, wait = 3, 20 * time.Millisecond
	authority := newAuthority(t)
	var requests, connections atomic.Int32
	http2Server := frameServer{respond: func(s *frameStream) {
		requests.Add(1)
		connections.Store(max(connections.Load(), int32(s.connection)))
		s.goAway(0, http2.ErrCodeNo)
	}}
	client := newClient(t, http2Server.listen(t, authority), retries(attempts-1), func(c *opsmanager.Config) {
		c.RootCAs, c.RetryWaitMin, c.RetryWaitMax = authority.Pool(), wait, wait
	})
	e := wantError(t, ledgerSchedule(t.Context(), client))
	equal(t, "attempts", e.Attempts, attempts)
	if requests.Load() != 3*attempts || connections.Load() > 4*attempts || e.Elapsed < (attempts-1)*wait || !strings.Contains(e.Error(), "3 times in a row") {
		t.Errorf("%d requests on %d connections in %s: %v", requests.Load(), connections.Load(), e.Elapsed, e)
	}
}

func TestReadTriesFewOfManyClosedConnectionsOfHTTP1(t *testing.T) {
	t.Parallel()
	const connections = 10
	var requests atomic.Int32
	meet := meeting(t, connections)
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch number := requests.Add(1); {
		case number > 1+connections:
			drop(r)
		case number > 1:
			meet()
		}
		answerOK(w, anyObject)
	}, retries(0))
	succeed(t, ledgerSchedule(t.Context(), client))
	for _, err := range concurrently(connections, func(int) error { return ledgerSchedule(t.Context(), client) }) {
		t.Error(err)
	}
	fails(t, "read", ledgerSchedule(t.Context(), client), "3 times in a row")
	equal(t, "requests", requests.Load(), 1+connections+3)
}
