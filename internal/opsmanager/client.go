// Package opsmanager is a client for the backup administration part of the MongoDB
// Ops Manager public API. It does not depend on Terraform.
//
// A [Client] is safe for concurrent use. All calls share its connections and its
// Digest challenge. Each method calls one operation of the API and is named after
// it. Optional fields of requests and responses are pointers. Methods fail with an
// [*Error], and their results are nil if they fail.
//
// The client repeats calls that may succeed later, if that is safe. [Change] repeats changes of an
// object, after it has read it again. While Ops Manager is down, a
// circuit breaker lets calls fail early. [IsUnclear] tells a refusal from a request that may have taken
// effect. Lists are read with all their pages, or not at all ([ErrIncompleteList]). Large responses are
// processed one at a time, so that they don't take much memory together ([Client.BeginLargeAnswer]). A PUT sends back
// the members of an object that the client doesn't know ([UnknownFields]). Errors quote error documents
// of the API only. They and log lines contain only printable text, and no secret that the client was
// given ([Client.Hide]).
package opsmanager

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/text/encoding/htmlindex"
)

// Config configures a [Client]. BaseURL, PublicKey and PrivateKey are required.
type Config struct {
	BaseURL    *url.URL // as returned by ParseBaseURL
	PublicKey  string   // user name for Digest authentication
	PrivateKey string   // password for Digest authentication; never sent

	RootCAs            *x509.CertPool    // defaults to the system's
	Certificates       []tls.Certificate // client certificates, sent if the server requests one
	InsecureSkipVerify bool
	Proxy              *url.URL // defaults to HTTPS_PROXY, HTTP_PROXY and NO_PROXY

	Timeout      time.Duration // of one attempt, including its response, except for slow operations; 0 means none
	MaxRetries   int           // number of attempts after the first
	RetryWaitMin time.Duration // wait before the first retry, doubled for each further one; defaults to 0.5 s
	RetryWaitMax time.Duration // longest wait, also if Retry-After is longer; defaults to 1 min

	UserAgent string

	// LoopbackOnly makes requests fail unless they go to this machine, whatever a name resolves to, and
	// uses no proxy.
	LoopbackOnly bool

	// Wrap, if set, wraps the transport below Digest: what it returns gets each request as it is sent,
	// and may refuse it with ErrReadOnly.
	Wrap func(http.RoundTripper) http.RoundTripper

	// Limit, if set, has room for as many requests as may be sent at a time. Clients may share it. The
	// wait is not part of Timeout.
	Limit chan struct{}

	// Log, if set, is called after each attempt with its method, path and outcome,
	// by the goroutine that made the call. It never receives a secret.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// Client calls the API of one Ops Manager. Create it with [NewClient].
type Client struct {
	config Config
	http   *http.Client

	serviceVersion atomic.Value // the version that Ops Manager last reported, a string
	secrets        knownSecrets
	proxy          string   // its address and where that comes from; "" if there is none
	names          sync.Map // of clusters and projects, by ID
	breaker        circuitBreaker
	largeAnswers   largeAnswers

	// Set after a server, or an HTTPS proxy, has requested a client certificate.
	asksForCertificate atomic.Bool

	// Set after Ops Manager has returned a schedule by PATCH, but not by GET.
	schedulesByPatchOnly atomic.Bool
}

// NewClient returns a client. It sends no request.
func NewClient(config Config) *Client {
	config.RetryWaitMin = cmp.Or(config.RetryWaitMin, 500*time.Millisecond)
	config.RetryWaitMax = cmp.Or(config.RetryWaitMax, time.Minute)
	if config.Log == nil {
		config.Log = func(context.Context, string, ...map[string]any) {}
	}
	c := &Client{
		config:       config,
		largeAnswers: make(largeAnswers, 1),
		http: &http.Client{
			// Redirects are reported and not followed, because the key pair is for the configured
			// address only.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	c.http.Transport = newTransport(config, c.largeAnswers, &c.asksForCertificate)
	c.Hide(config.PrivateKey)
	proxy, origin := config.Proxy, "proxy_url"
	if proxy == nil && !config.LoopbackOnly && config.BaseURL != nil {
		proxy, _ = http.ProxyFromEnvironment(&http.Request{URL: config.BaseURL}) // none if it is malformed
		origin = strings.ToUpper(config.BaseURL.Scheme) + "_PROXY in the environment, because NO_PROXY does not exempt the host and port"
	}
	if proxy != nil {
		password, _ := proxy.User.Password()
		c.Hide(password)
		if c.proxy = "of " + origin; isWhole(proxy) {
			c.proxy = fmt.Sprintf("%s://%s of %s", proxy.Scheme, proxy.Host, origin)
		}
	}
	return c
}

// Hide adds secrets that the texts of errors and log lines must not contain. The password of a
// connection string and the values of its query are secrets, too. A secret of fewer than four
// characters is not hidden.
func (c *Client) Hide(secrets ...string) { c.secrets.add(secrets...) }

// NameOf returns the printable name of a cluster or a project that the client has read, or "".
func (c *Client) NameOf(id string) string {
	name, _ := c.names.Load(strings.ToLower(id))
	text, _ := name.(string)
	return text
}

// NoteName keeps a name for NameOf.
func (c *Client) NoteName(id, name *string) {
	if id != nil && name != nil {
		c.names.Store(strings.ToLower(*id), Sanitize(*name))
	}
}

// hideReturned hides secrets in a response. It leaves out long ones, because the server decides how
// many parts they have, and each error would take minutes.
func (c *Client) hideReturned(secrets ...string) {
	const longest = 4 << 10 // in bytes; connection strings are shorter
	c.Hide(slices.DeleteFunc(secrets, func(secret string) bool {
		return len(secret) > longest
	})...)
}

// do calls an endpoint with in as its JSON body and decodes the response into out.
// If in is nil, no body is sent. If out is nil, the response must be empty or JSON.
func (c *Client) do(ctx context.Context, e endpoint, in, out any) error {
	got, err := c.exchange(ctx, e, in)
	if err != nil {
		return err
	}
	defer got.close()
	response := got.response
	made := got.made
	content := inUTF8(response.Header, got.content)
	if !succeeded(response) {
		return c.refusal(e, got, content)
	}
	if document, ok := out.(receiver); ok {
		err = document.receive(got.content)
	} else {
		err = decode(content, out)
	}
	if err != nil {
		unusable := unusable(response, content, err, e.quotes, c.hidden(response))
		unusable.unclearBefore = made.unclear
		return c.failure(e, unusable)
	}
	if dated, ok := out.(interface{ setDate(header http.Header) }); ok {
		dated.setDate(response.Header)
	}
	return nil
}

// refusal returns the error of a call with a response that is no success.
func (c *Client) refusal(e endpoint, got *answered, content []byte) *Error {
	failed := got.made.failure(errorFromResponse(got.response, content, e.quotes, c.hidden(got.response)))
	failed.RetryAfter = backoff(0, c.config.RetryWaitMax, 0, got.response)
	return c.failure(e, failed)
}

// answered is the response to a call with its content, which was read, and the attempts. If it is large, no
// other one is processed until it is closed.
type answered struct {
	response *http.Response
	content  []byte
	made     *attempts
}

func (a *answered) close() { _ = a.response.Body.Close() }

// exchange sends the request of a call, again if that may help, and returns the response.
func (c *Client) exchange(ctx context.Context, e endpoint, in any) (*answered, error) {
	request, err := c.newRequest(ctx, e, in)
	if err != nil {
		return nil, c.failure(e, Error{Err: err})
	}
	ofChange := callsOf(ctx).attempts
	made := ofChange
	if made == nil || e.effect == readOnly {
		made = c.newAttempts()
	}
	retries, done, err := c.breaker.allow(c.config.MaxRetries)
	if err != nil {
		return nil, c.failure(e, Error{Err: err, unclearBefore: made.unclear})
	}
	c.Hide(e.secrets...)
	response, err := c.retrying(e, retries, made).Do(made.observed(request)) //nolint:bodyclose // answered.close does
	if err != nil && ctx.Err() == nil {
		err = c.onTheWay(err)
	}
	isAnswered := done(made, unavailability(response, err))
	if ofChange != nil && made != ofChange && isAnswered {
		ofChange.answered++
	}
	made.mayRepeat = made.mayRepeat && made.number <= retries
	if err != nil {
		return nil, c.failure(e, made.failure(Error{Err: err}))
	}
	content := contentOf(response)
	if v := serviceVersion(response.Header); v != "" {
		c.serviceVersion.Store(v)
	}
	return &answered{response, content, made}, nil
}

// onTheWay adds to the error of a call without a response what it met on its way.
func (c *Client) onTheWay(err error) error {
	if c.proxy != "" {
		err = fmt.Errorf("%w; the request was for the proxy %s", err, c.proxy)
	}
	if c.asksForCertificate.Load() && c.breaker.answered.Load() == 0 {
		err = fmt.Errorf("%w; %w", err, ErrCertificateRequested)
	}
	return err
}

// newRequest returns the request of a call.
func (c *Client) newRequest(ctx context.Context, e endpoint, in any) (*retryablehttp.Request, error) {
	if i := slices.IndexFunc(e.path, IsInvalidID); i >= 0 {
		return nil, fmt.Errorf("%q %w", e.path[i], ErrInvalidID)
	}
	if e.directory != "" && IsInvalidDirectory(e.directory) {
		return nil, fmt.Errorf("%q %w", e.directory, ErrInvalidID)
	}
	var body any // retryablehttp requires an untyped nil if there is no body
	if document, ok := in.(verbatim); ok {
		body = []byte(document)
	} else if in != nil {
		encoded, err := json.Marshal(in, likeEncodingJSON)
		if err != nil {
			return nil, err
		}
		body = encoded
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, e.method, e.url(*c.config.BaseURL), body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if in != nil || e.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.config.UserAgent != "" {
		request.Header.Set("User-Agent", c.config.UserAgent)
	}
	return request, nil
}

// failure returns the error of a call, without the secrets that the client knows.
func (c *Client) failure(e endpoint, f Error) *Error {
	hidden := c.secrets.and()
	version, _ := c.serviceVersion.Load().(string)
	f.ServiceVersion = serviceVersionForm.FindString(hidden.sanitize(version, longestLine))
	f.client = c
	f.IsOutage = f.Attempts > 0 && f.Status == 0 && !f.sent || c.breaker.cause.Load() != nil
	if f.Err != nil {
		f.Err = quotable{f.Err, hidden.sanitize(f.Err.Error(), longestText)}
	}
	return e.failure(f)
}

// quotable is an error whose text contains no secrets.
type quotable struct {
	error
	text string
}

func (q quotable) Error() string { return q.text }
func (q quotable) Unwrap() error { return q.error }

// call calls an endpoint with in as its JSON body and returns the decoded response.
// It fails with ErrOtherObject if one of the response's IDs is not the requested one.
func call[T identified](ctx context.Context, c *Client, e endpoint, in any) (*T, error) {
	result := new(T)
	if err := c.do(ctx, e, in, result); err != nil {
		return nil, err
	}
	c.hideReturned(unknownTexts(result)...)
	if object, ok := any(*result).(interface{ secrets() []string }); ok {
		c.hideReturned(object.secrets()...)
	}
	if err := c.checkObject(e, *result); err != nil {
		return nil, err
	}
	return result, nil
}

// receiver is a document that keeps the bytes of a response, to send them back.
type receiver interface{ receive(content []byte) error }

// serviceVersion returns the version in the X-MongoDB-Service-Version header, whose
// value is 'gitHash=<hash>; versionString=<version>'.
func serviceVersion(header http.Header) string {
	_, version, _ := strings.Cut(header.Get("X-MongoDB-Service-Version"), "versionString=")
	version, _, _ = strings.Cut(version, ";")
	return strings.Clone(version) // without the rest of a long header
}

// Version is the first three numbers of a version of Ops Manager.
type Version [3]int

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// VersionBefore returns the version that Ops Manager last reported if it is earlier than another one. Otherwise, or if the
// version is not known, it returns nil.
func (c *Client) VersionBefore(other Version) *Version {
	text, _ := c.serviceVersion.Load().(string)
	var reported Version
	_, err := fmt.Sscanf(text, "%d.%d.%d", &reported[0], &reported[1], &reported[2])
	if err != nil || slices.Compare(reported[:], other[:]) >= 0 {
		return nil
	}
	return &reported
}

// serviceVersionForm is the form of all known versions.
var serviceVersionForm = regexp.MustCompile(`^(\d+\.[\w.]+|master)$`)

// inUTF8 decodes the charset that a response declares. Ops Manager declares ISO-8859-1, also for JSON. A
// text that is valid UTF-8 is taken as such, because other charsets hardly ever produce one by chance.
func inUTF8(header http.Header, content []byte) []byte {
	if utf8.Valid(content) {
		return content
	}
	_, parameters, _ := mime.ParseMediaType(header.Get("Content-Type"))
	charset, err := htmlindex.Get(parameters["charset"])
	if err != nil {
		return content
	}
	decoded, err := charset.NewDecoder().Bytes(content)
	if err != nil {
		return content
	}
	return decoded
}

// succeeded reports whether a status is one that this API uses for success. Others
// below 300 are errors, such as 206 for a part of a resource.
func succeeded(response *http.Response) bool {
	return response.StatusCode >= http.StatusOK && response.StatusCode <= http.StatusNoContent
}

// IsInvalidID reports whether a text cannot be an ID, because a path that contains it could
// lead to another resource: some proxies decode slashes and resolve dots.
func IsInvalidID(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if part == "" || part == "." || part == ".." {
			return true
		}
	}
	return false
}

// IsInvalidDirectory reports whether a text cannot be the directory of a daemon in a path.
// Unlike an ID, it may begin and end with a slash.
func IsInvalidDirectory(text string) bool {
	return IsInvalidID(strings.TrimSuffix(strings.TrimPrefix(text, "/"), "/"))
}

// hidden returns the secrets that the error of a response must not contain. Some debugging servers echo
// requests, with their Digest response.
func (c *Client) hidden(response *http.Response) secrets {
	_, sent, found := strings.Cut(response.Request.Header.Get("Authorization"), `response="`)
	if !found {
		return c.secrets.and()
	}
	digest := strings.TrimSuffix(sent, `"`)
	return c.secrets.and(digest, strings.ToUpper(digest))
}

// ErrOtherObject is the cause of an [*Error] if a response is about another object
// than the requested one. A change may have been made.
var ErrOtherObject = errors.New("the response is for another object")

// ErrEmptyResponse is the cause of an [*Error] if a successful response that should have a document
// is empty. Only a read shows whether a change was made.
var ErrEmptyResponse = fmt.Errorf("%w: it is empty", errUndocumented)

// ErrInvalidID is the cause of an [*Error] if an ID can't be in a path. No request was sent.
var ErrInvalidID = errors.New("cannot be an ID: in a path, it would lead to another resource")

var errUndocumented = errors.New("the response is not the JSON that the API documents")
