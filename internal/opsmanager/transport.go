package opsmanager

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// As many connections are kept as Terraform has workers when it is told to have
// many; more only wait in line at the service.
const maxIdleConnections = 64

const (
	// The largest answer that is read. A page of 500 snapshots, the largest that
	// the API serves, is about one mebibyte.
	maxAnswerBytes = 32 << 20
	// As much is read of an answer that is a failure; an error document is
	// smaller than one kibibyte.
	maxFailureBytes = 64 << 10
)

// ErrAnswerTooLarge is why an answer was not read to its end.
var ErrAnswerTooLarge = fmt.Errorf("the answer is larger than %d MiB, which nothing in this API is", maxAnswerBytes>>20)

// ParseBaseURL reads the address of a service, 'https://host:8443' say, with or
// without a trailing slash, and with or without /api/public/v1.0. Its errors don't
// repeat the address, which may be a key that was put in the wrong place.
func ParseBaseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, errors.New("this is not a URL; give the address of Ops Manager, such as https://opsmanager.example.com:8443")
	}
	switch {
	case strings.Contains(address, "@"): // first, so that no other error repeats a password
		return nil, errors.New("the address must not hold a user name or a password; the key pair has attributes of its own")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the scheme must be https or http, as in https://opsmanager.example.com:8443")
	case u.Hostname() == "":
		return nil, errors.New("the host is missing; give an address such as https://opsmanager.example.com:8443")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address must not hold a query or a fragment")
	}
	if path := strings.TrimRight(u.Path, "/"); path != "" && path != apiPath+defaultVersion {
		return nil, fmt.Errorf("the path must be empty or %s", apiPath+defaultVersion)
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.Host}
	if _, err := url.Parse(base.String()); err != nil { // a zone with characters that are escaped
		return nil, errors.New("the host cannot be called; give an address such as https://opsmanager.example.com:8443")
	}
	return base, nil
}

// IsPlainHTTP reports whether a client would send everything, digests included, in
// the clear over a network: to a base URL, by way of a proxy, which may be nil.
func IsPlainHTTP(base, proxy *url.URL) bool {
	return base.Scheme == "http" && (!isThisMachine(base) || proxy != nil && !isThisMachine(proxy))
}

func isThisMachine(address *url.URL) bool {
	ip := net.ParseIP(address.Hostname())
	return strings.EqualFold(address.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// ParseProxyURL reads the address of an HTTP, HTTPS or SOCKS5 proxy.
func ParseProxyURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("this is not the address of a proxy, such as http://proxy.example.com:3128")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return u, nil
	}
	return nil, errors.New("the scheme of a proxy must be http, https, socks5 or socks5h")
}

// AddRootCAs adds the certificates of a PEM document to a pool; nil stands for
// the system's. Every block must be a certificate, and there must be one.
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
			return nil, fmt.Errorf("a CA file holds certificates only; this one holds a %q", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d cannot be read: %w", found+1, err)
		}
		roots.AddCert(certificate)
		found++
	}
	if found == 0 {
		return nil, errors.New("there is no PEM certificate in it; a CA file starts with -----BEGIN CERTIFICATE-----")
	}
	// The decoder skips what it cannot read.
	if begun := bytes.Count(document, []byte("-----BEGIN ")); begun > found {
		return nil, fmt.Errorf("only %d of its %d PEM blocks can be read; the file may be cut off", found, begun)
	}
	return roots, nil
}

// newTransport stacks, inside out: TLS and proxy, then Digest, then the reading
// of answers.
func newTransport(config Config) http.RoundTripper {
	wire := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library says so
	if config.Proxy != nil {
		wire.Proxy = http.ProxyURL(config.Proxy)
	}
	wire.TLSClientConfig = &tls.Config{
		RootCAs:            config.RootCAs,
		Certificates:       config.Certificates,
		InsecureSkipVerify: config.InsecureSkipVerify, //nolint:gosec // what the user asked for; the provider warns
	}
	wire.MaxIdleConns = maxIdleConnections
	wire.MaxIdleConnsPerHost = maxIdleConnections
	wire.MaxResponseHeaderBytes = 1 << 20
	return newBufferingTransport(newDigestTransport(config.PublicKey, config.PrivateKey, wire))
}

// grace is how long the answer to a change is still waited for when a run is
// interrupted.
const grace = 400 * time.Millisecond

// graceful lets a change that is under way be answered although its context has
// been cancelled, so that the caller knows what was done.
type graceTransport struct{ next http.RoundTripper }

func (g graceTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-longer.Done():
		}
	})()
	return g.next.RoundTrip(request.WithContext(longer))
}

// bufferingTransport reads an answer to its end before handing it on: a connection
// that breaks half-way is then a failure like any other, and is retried like one.
// Of an answer that says why a call failed, the beginning is enough.
//
// Large answers take turns, from when they are read until their body is closed:
// however many requests are under way, there is one of them in memory.
type bufferingTransport struct {
	next  http.RoundTripper
	large chan struct{} // held by the request with a large answer
}

func newBufferingTransport(next http.RoundTripper) bufferingTransport {
	return bufferingTransport{next: next, large: make(chan struct{}, 1)}
}

func (w bufferingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(request)
	if err != nil {
		return nil, hideResponseLine(err)
	}
	body := response.Body
	defer func() { _ = body.Close() }()
	if _, err := response.Location(); err != nil {
		response.Header.Del("Location") // net/http's error of a malformed one would show all of it
	}
	switch {
	case succeeded(response):
		err = w.read(request.Context(), response)
	case response.StatusCode == http.StatusSwitchingProtocols:
		response.Body, response.ContentLength = http.NoBody, 0 // what follows is no answer, and has no end
	default:
		var answer []byte
		if answer, err = io.ReadAll(io.LimitReader(body, maxFailureBytes)); err != nil {
			err = fmt.Errorf("%s: %w", statusText(response), err)
		}
		response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// read reads the answer of a call that succeeded, in chunks: one buffer that grows
// would be copied, and take twice the memory.
func (w bufferingTransport) read(ctx context.Context, response *http.Response) (err error) {
	const chunkBytes = 2 << 20
	chunk, err := io.ReadAll(io.LimitReader(response.Body, chunkBytes)) // most answers are some kibibytes
	if err != nil {
		return err
	}
	chunks, size, done := []io.Reader{bytes.NewReader(chunk)}, int64(len(chunk)), func() {}
	if size == chunkBytes {
		select {
		case w.large <- struct{}{}:
			done = sync.OnceFunc(func() { <-w.large })
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for read := size; read == chunkBytes; {
		buffer := bytes.NewBuffer(make([]byte, 0, chunkBytes+bytes.MinRead)) // which doesn't grow
		read, err = buffer.ReadFrom(io.LimitReader(response.Body, chunkBytes))
		size += read
		if err == nil && size > maxAnswerBytes {
			err = ErrAnswerTooLarge
		}
		if err != nil {
			done()
			return err
		}
		chunks = append(chunks, buffer)
	}
	response.Body, response.ContentLength = bufferedBody{io.MultiReader(chunks...), done}, size
	return nil
}

// bufferedBody is an answer in memory.
type bufferedBody struct {
	io.Reader
	done func()
}

func (a bufferedBody) Close() error {
	a.done()
	return nil
}

// hideResponseLine leaves the line of an answer that is not HTTP out of the error of
// net/http, which shows all of it.
func hideResponseLine(err error) error {
	text := err.Error()
	for _, what := range []string{"malformed MIME header", "malformed HTTP"} {
		if strings.Contains(text, what) {
			return fmt.Errorf("the answer is not HTTP: %s", what)
		}
	}
	return err
}
