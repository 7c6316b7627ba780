package opsmanager

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// maxIdleConnections is enough for Terraform with a high -parallelism. More would
// only queue in Ops Manager.
const maxIdleConnections = 64

// maxFailureBytes is the number of bytes to read of an error response. Error documents have less than 1 KiB.
const maxFailureBytes = 64 << 10

// ParseBaseURL parses the address of an Ops Manager, such as https://host:8443. A path
// of /api/public/v1.0 and a trailing slash are removed. Errors don't repeat the address,
// because it may be a misplaced key.
func ParseBaseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, errors.New("this is not a URL; give the address of Ops Manager, such as https://opsmanager.example.com:8443")
	}
	switch {
	case strings.Contains(address, "@"): // checked first, so that no other error repeats a password
		return nil, errors.New("the address must not contain a user name or a password; configure the key pair separately")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the scheme must be https or http, as in https://opsmanager.example.com:8443")
	case u.Hostname() == "":
		return nil, errors.New("the host is missing; give an address such as https://opsmanager.example.com:8443")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address must not contain a query or a fragment")
	}
	if path := strings.TrimRight(u.Path, "/"); path != "" && path != apiPath {
		return nil, fmt.Errorf("the path must be empty or %s", apiPath)
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	if _, err := url.Parse(base.String()); err != nil { // a zone with escaped characters
		return nil, errors.New("the host is not valid; give an address such as https://opsmanager.example.com:8443")
	}
	return base, nil
}

// IsPlainHTTP reports whether requests to a base URL cross a network unencrypted.
// The proxy may be nil.
func IsPlainHTTP(base, proxy *url.URL) bool {
	return base.Scheme == "http" && (!IsLoopback(base) || proxy != nil && !IsLoopback(proxy))
}

// ErrOtherMachine is the cause of an [*Error] if [Config].LoopbackOnly kept a request from another machine.
// Nothing was sent.
var ErrOtherMachine = errors.New("not sent, because only this machine may be reached")

// refuseOtherMachines refuses a connection to an address that is not a loopback address. It is called
// with the resolved address, right before the connection.
func refuseOtherMachines(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return ErrOtherMachine
	}
	return nil
}

// IsLoopback reports whether an address is localhost or a loopback address.
func IsLoopback(address *url.URL) bool {
	ip := net.ParseIP(address.Hostname())
	return strings.EqualFold(address.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// isWhole reports whether the address of a proxy has nothing after its host. If it has, the password may contain
// an unescaped slash, and what seems to be the host is a part of it.
func isWhole(proxy *url.URL) bool {
	return strings.Trim(proxy.Path, "/") == "" && proxy.RawQuery == "" && proxy.Fragment == ""
}

// ParseProxyURL parses the address of an HTTP, HTTPS or SOCKS5 proxy.
func ParseProxyURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || !isWhole(u) {
		return nil, errors.New("this is not the address of a proxy, such as http://proxy.example.com:3128")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return u, nil
	}
	return nil, errors.New("the scheme of a proxy must be http, https, socks5 or socks5h")
}

// AddRootCAs adds the certificates in a PEM document to a pool, which defaults to the
// system's. The document must consist of one or more certificates.
func AddRootCAs(roots *x509.CertPool, document []byte) (*x509.CertPool, error) {
	if roots == nil {
		system, err := x509.SystemCertPool()
		if err != nil {
			return nil, fmt.Errorf("the system's certificates cannot be read: %w", err)
		}
		roots = system
	}
	found := 0
	for block, rest := pem.Decode(document); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("a CA file must contain only certificates, but this one contains a %q", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d cannot be read: %w", found+1, err)
		}
		roots.AddCert(certificate)
		found++
	}
	if found == 0 {
		return nil, errors.New("the file contains no PEM certificate; a CA file starts with -----BEGIN CERTIFICATE-----")
	}
	// pem.Decode skips blocks that it cannot parse.
	if begun := bytes.Count(document, []byte("-----BEGIN ")); begun > found {
		return nil, fmt.Errorf("only %d of its %d PEM blocks can be read; the file may be truncated", found, begun)
	}
	return roots, nil
}

// newTransport returns a transport that handles, from the inside out: TLS and the
// proxy, Digest, and buffering.
func newTransport(config Config, large largeAnswers, asksForCertificate *atomic.Bool) http.RoundTripper {
	wire := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented by net/http
	if config.Proxy != nil {
		wire.Proxy = http.ProxyURL(config.Proxy)
	}
	if config.LoopbackOnly {
		wire.Proxy = nil
		wire.DialContext = (&net.Dialer{Timeout: 30 * time.Second, Control: refuseOtherMachines}).DialContext
	}
	wire.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
		if response.StatusCode != http.StatusOK {
			return ProxyRefusal(response.StatusCode)
		}
		return nil
	}
	wire.TLSClientConfig = &tls.Config{
		RootCAs:            config.RootCAs,
		InsecureSkipVerify: config.InsecureSkipVerify, //nolint:gosec // set by the user; the provider warns
		GetClientCertificate: func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			asksForCertificate.Store(true)
			for i := range config.Certificates {
				if asked.SupportsCertificate(&config.Certificates[i]) == nil {
					return &config.Certificates[i], nil
				}
			}
			return &tls.Certificate{}, nil
		},
	}
	wire.MaxIdleConns = maxIdleConnections
	wire.MaxIdleConnsPerHost = maxIdleConnections
	wire.MaxResponseHeaderBytes = 1 << 20
	wire.HTTP2 = &http.HTTP2Config{WriteByteTimeout: config.Timeout} // closes a connection that the server does not read
	var innermost http.RoundTripper = wire
	if config.Wrap != nil {
		innermost = config.Wrap(wire)
	}
	return newDigestTransport(config.PublicKey, config.PrivateKey, config.Timeout, bufferingTransport{
		next:    innermost,
		timeout: config.Timeout,
		large:   large,
		room:    config.Limit,
	})
}

// ErrCertificateRequested is among the causes of an [*Error] if the server, or an HTTPS proxy, requested a
// client certificate, and has not answered any call. Some servers close the connection without saying why, and
// with TLS 1.3, the alert that says it may be lost.
var ErrCertificateRequested = errors.New("the server requested a client certificate")

// ProxyRefusal is the cause of an [*Error] if a proxy answered a CONNECT request with this
// status, and did not connect to Ops Manager. Nothing was sent to Ops Manager.
type ProxyRefusal int

func (p ProxyRefusal) Error() string {
	return "the proxy did not connect to Ops Manager: " + statusText(int(p))
}

// isTemporary reports whether the proxy may connect later. Proxies return 500, 502, 503 or 504
// if they can't reach a server.
func (p ProxyRefusal) isTemporary() bool {
	return p == http.StatusTooManyRequests || p >= http.StatusInternalServerError && p != http.StatusNotImplemented
}

// gracePeriod is how long a change may continue after its context is canceled.
const gracePeriod = 400 * time.Millisecond

// graceTransport is for changes. It waits for the response for a short while after the context is
// canceled, so that the caller learns whether the change took effect.
type graceTransport struct{ next http.RoundTripper }

func (g graceTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	extended, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), callerKey{}, ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(gracePeriod):
			cancel()
		case <-extended.Done():
		}
	})()
	return g.next.RoundTrip(request.WithContext(extended))
}

type callerKey struct{}

// callerContext returns the caller's context, without the grace period. No new request begins after
// it is canceled.
func callerContext(ctx context.Context) context.Context {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		return caller
	}
	return ctx
}

// isChange reports whether the request of a context came through graceTransport.
func isChange(ctx context.Context) bool { return ctx.Value(callerKey{}) != nil }

// bufferingTransport reads each response into memory before it returns it, so a connection that
// breaks in the middle causes an error that can be retried. It reads only the beginning of an
// error response, and it decompresses both.
//
// A large response waits until no other large answer is processed. The next one waits until its body is closed.
type bufferingTransport struct {
	next    http.RoundTripper
	timeout time.Duration // from the request to the end of the response, without waiting for its slot; 0: none

	large largeAnswers  // of the client
	room  chan struct{} // Config.Limit
}

type callsKey struct{}

// calls is what a context says of the calls with it.
type calls struct {
	attempts *attempts     // of the Change that they belong to, or nil
	timeout  time.Duration // of a write, if it is not Config.Timeout
	until    time.Time     // when all attempts of a write end; zero if each attempt may take the timeout
}

func callsOf(ctx context.Context) calls {
	of, _ := ctx.Value(callsKey{}).(calls)
	return of
}

// in returns a context for such calls.
func (c calls) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

// WithWriteTimeout returns a context for writes that make Ops Manager work for long, such as those of
// a store, whose bucket it tests. All attempts may take this time together, instead of
// Config.Timeout each. When it is over, no write is repeated, because Ops Manager may still be
// working on it. Reads keep Config.Timeout.
func WithWriteTimeout(ctx context.Context, timeout time.Duration) context.Context {
	return calls{callsOf(ctx).attempts, timeout, time.Now().Add(timeout)}.in(ctx)
}

// slowWrite is how long an attempt of a slow write may take, in request timeouts.
const slowWrite = 10

// withSlowWrite returns a context for a write whose response must not be lost, because the request can't
// be sent again. Ops Manager validates the blocks of a snapshot before it starts a restore, which was
// seen to take half a minute.
func (c *Client) withSlowWrite(ctx context.Context) context.Context {
	return calls{attempts: callsOf(ctx).attempts, timeout: slowWrite * c.config.Timeout}.in(ctx)
}

func (b bufferingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	defer cancel()
	var own calls
	if request.Method != http.MethodGet {
		own = callsOf(ctx)
	}
	if b.room != nil {
		if err := enter(callerContext(ctx), b.room); err != nil {
			return nil, err
		}
		defer func() { <-b.room }()
	}
	b.timeout = cmp.Or(own.timeout, b.timeout)
	limit := b.limit()
	ends := !own.until.IsZero()
	if ends {
		limit = time.Until(own.until)
	}
	clock := time.AfterFunc(limit, cancel)
	defer clock.Stop()
	attempt := request.Clone(ctx)
	attempt.Header.Set("Accept-Encoding", "gzip")
	response, err := b.roundTrip(attempt, clock)
	switch {
	case err == nil || ctx.Err() == nil || request.Context().Err() != nil:
		return response, err
	case ends:
		return nil, writeTimeoutError{timeoutError(b.timeout)}
	}
	return nil, timeoutError(b.timeout)
}

func (b bufferingTransport) limit() time.Duration { return cmp.Or(b.timeout, math.MaxInt64) }

// timeoutError is the error of a request without a response within this time.
type timeoutError time.Duration

func (t timeoutError) Error() string {
	return fmt.Sprintf("no response within %s", time.Duration(t))
}
func (timeoutError) Timeout() bool     { return true }
func (timeoutError) Temporary() bool   { return true }
func (timeoutError) Is(err error) bool { return err == context.DeadlineExceeded }

// writeTimeoutError is the error of a write after the time of WithWriteTimeout.
type writeTimeoutError struct{ timeoutError }

// IsWriteTimeout reports whether a call failed because the time of WithWriteTimeout was over.
func IsWriteTimeout(err error) bool {
	return is[writeTimeoutError](err)
}

func (b bufferingTransport) roundTrip(request *http.Request, clock *time.Timer) (*http.Response, error) {
	response, err := b.next.RoundTrip(request)
	if err != nil {
		return nil, hideResponseLine(err)
	}
	body := response.Body
	// Closing the body ends its reading. Over HTTP/2, the end of the context alone does not if the
	// response began while the request was still being sent. Closing may wait for the server.
	context.AfterFunc(request.Context(), func() { _ = body.Close() })
	if _, err := response.Location(); err != nil {
		response.Header.Del("Location") // the error of net/http would repeat all of it
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		response.Body = http.NoBody
		response.ContentLength = 0 // what follows is another protocol
		return response, nil
	}
	content, err := decompressed(response)
	switch {
	case err != nil:
	case succeeded(response):
		err = b.read(request.Context(), response, content, clock)
	default:
		var beginning []byte
		if beginning, err = io.ReadAll(io.LimitReader(content, maxFailureBytes)); err != nil {
			err = fmt.Errorf("%s: %w", statusText(response.StatusCode), err)
		}
		response.Body = io.NopCloser(bytes.NewReader(beginning))
		response.ContentLength = int64(len(beginning))
	}
	if err != nil {
		return nil, cmp.Or(request.Context().Err(), err) // a closed body has an error of its own
	}
	return response, nil
}

// decompressed returns a reader of the body of a response without its compression. net/http would
// decompress it too, but closing such a body waits until its header is read.
func decompressed(response *http.Response) (io.Reader, error) {
	if !strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		return response.Body, nil
	}
	content, err := gzip.NewReader(response.Body)
	if err == io.EOF { //nolint:errorlint // the body is empty
		return http.NoBody, nil
	}
	return content, err
}

// read reads the response of a successful call.
func (b bufferingTransport) read(ctx context.Context, response *http.Response, content io.Reader, clock *time.Timer) error {
	const smallBytes = 2 << 20 // most responses are smaller
	length := int64(8 << 10)   // if it is not known
	if response.ContentLength > 0 {
		length = min(response.ContentLength, smallBytes) // without decompression
	}
	whole := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead))
	done := func() {}
	size, err := whole.ReadFrom(io.LimitReader(content, smallBytes))
	if err != nil {
		return err
	}
	if size == smallBytes || mostElements(whole.Bytes()) > manyElements {
		clock.Stop()
		if done, err = b.large.begin(ctx); err != nil {
			return err
		}
		clock.Reset(b.limit())
		first := whole.Bytes()
		whole = bytes.NewBuffer(append(make([]byte, 0, maxResponseBytes/4+1+bytes.MinRead), first...)) // doubled at most twice
		_, err = whole.ReadFrom(io.LimitReader(content, maxResponseBytes+1-size))
		if err == nil && whole.Len() > maxResponseBytes {
			err = ErrResponseTooLarge
		}
		if err != nil {
			done()
			return err
		}
	}
	response.Body = bufferedBody{whole, done}
	response.ContentLength = int64(whole.Len())
	return nil
}

// bufferedBody is the body of a response in memory.
type bufferedBody struct {
	*bytes.Buffer
	done func()
}

func (b bufferedBody) Close() error {
	b.done()
	return nil
}

// contentOf returns the body of a buffered response, without a copy if it is that of a success.
func contentOf(response *http.Response) []byte {
	if body, ok := response.Body.(bufferedBody); ok {
		return body.Bytes()
	}
	content, _ := io.ReadAll(response.Body)
	return content
}

// hideResponseLine replaces the errors of net/http for malformed responses, which repeat the
// malformed line or field, and for the end of an HTTP/2 connection, which repeats a text of the server.
func hideResponseLine(err error) error {
	text, _, hasText := strings.Cut(err.Error(), ", debug=")
	if hasText {
		return errors.New(text)
	}
	for _, what := range []string{
		"malformed MIME header",
		"malformed HTTP",
		"unsupported transfer encoding",
		"too many transfer encodings",
		"bad Content-Length",
		"multiple Content-Length headers",
		"bad trailer key",
		"invalid header field",
	} {
		if strings.Contains(text, what) {
			return fmt.Errorf("the response is not HTTP: %s", what)
		}
	}
	return err
}
