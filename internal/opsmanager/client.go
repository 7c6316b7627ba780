// Package opsmanager is a client of the backup administration part of the
// public HTTP API of MongoDB Ops Manager. It knows HTTP and the service, and
// nothing of Terraform.
//
// One [Client] serves any number of goroutines: they share its connections and
// its Digest challenge. A method is named for the operation it calls, takes ids
// and plain structs whose optional fields are pointers, and fails with an
// [*Error].
package opsmanager

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Config says which service a [Client] talks to, and how. Only BaseURL and the
// key pair are needed.
type Config struct {
	BaseURL    *url.URL // as ParseBaseURL returns it
	PublicKey  string   // the user name of the Digest authentication
	PrivateKey string   // its password; sent to no one, used to compute digests

	RootCAs            *x509.CertPool    // nil: the system's
	Certificates       []tls.Certificate // presented to a service that asks for one
	InsecureSkipVerify bool
	Proxy              *url.URL // nil: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say

	Timeout      time.Duration // of one attempt, answer included; 0: none
	MaxRetries   int           // attempts after the first
	RetryWaitMin time.Duration // before the first retry, doubled each time; 0: half a second
	RetryWaitMax time.Duration // at most, also where Retry-After asks for more; 0: a minute

	UserAgent string

	// Log is told of each attempt: its method, path and outcome. Nothing secret
	// is among them. It is called by the goroutine whose call it is. Nil: nobody
	// is told.
	Log func(ctx context.Context, message string, fields ...map[string]any)
}

// Client calls the service.
type Client struct {
	config Config
	http   *http.Client

	// The version that the service last said it has, a string.
	serviceVersion atomic.Value

	outage outage

	largeList chan struct{} // held by the one list that is large

	// Whether the service has been found to change schedules but not to show them.
	schedulesByPatchOnly atomic.Bool
}

// NewClient returns a client. It sends nothing yet.
func NewClient(config Config) *Client {
	if config.RetryWaitMin == 0 {
		config.RetryWaitMin = 500 * time.Millisecond
	}
	if config.RetryWaitMax == 0 {
		config.RetryWaitMax = time.Minute
	}
	if config.Log == nil {
		config.Log = func(context.Context, string, ...map[string]any) {}
	}
	return &Client{
		config:    config,
		largeList: make(chan struct{}, 1),
		http: &http.Client{
			Transport: newTransport(config),
			Timeout:   config.Timeout,
			// An answer that points elsewhere is an answer: the key pair is meant
			// for the configured address alone.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// do calls an endpoint with in as its JSON body, and decodes the answer into
// out. Without an in there is no body; without an out the answer must be empty,
// or JSON that nobody looks at.
func (c *Client) do(ctx context.Context, e endpoint, in, out any) error {
	failure := func(f Error) error {
		f.ServiceVersion, _ = c.serviceVersion.Load().(string)
		return e.failure(f)
	}

	if i := slices.IndexFunc(e.path, IsNoID); i >= 0 {
		return failure(Error{Err: fmt.Errorf("%q %w", e.path[i], errNoID)})
	}
	var body any // retryablehttp takes a nil of no type for 'no body'
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return failure(Error{Err: err})
		}
		body = encoded
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, e.method, e.url(*c.config.BaseURL), body)
	if err != nil {
		return failure(Error{Err: err})
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.config.UserAgent != "" {
		request.Header.Set("User-Agent", c.config.UserAgent)
	}

	retries, done, err := c.outage.attend(c.config.MaxRetries)
	if err != nil {
		return failure(Error{Err: err})
	}
	started, attempts := time.Now(), 0
	response, err := c.retrying(e, retries, &attempts).Do(request)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("no answer within %s: %w", c.config.Timeout, err)
	}
	done(attempts, notServed(response, err))
	if err != nil {
		return failure(Error{Err: err, Attempts: attempts, Elapsed: time.Since(started)})
	}
	defer func() { _ = response.Body.Close() }()
	answer := make([]byte, response.ContentLength) // it is in memory already, see wholeAnswers
	if _, err := io.ReadFull(response.Body, answer); err != nil {
		return failure(Error{Status: response.StatusCode, Err: err})
	}
	answer = withoutDigest(response, answer)
	if v := serviceVersion(response.Header); v != "" {
		c.serviceVersion.Store(v)
	}

	if !succeeded(response) {
		f := errorFromAnswer(response, answer)
		f.Attempts, f.Elapsed = attempts, time.Since(started)
		return failure(f)
	}
	if err := decode(bytes.TrimSpace(answer), out); err != nil {
		return failure(Error{Status: response.StatusCode, Err: fmt.Errorf("%w%s", err, excerpt(response.Header, answer))})
	}
	return nil
}

// objectID is an id of an object: in an answer, and in the path that was called.
type objectID struct {
	field           string // its name in the API
	asked, answered string // answered is empty if the answer leaves it out
	caseSensitive   bool
}

// hexID returns an id of hexadecimal digits, which are the same in either case.
func hexID(field, asked, answered string) objectID {
	return objectID{field: field, asked: asked, answered: answered}
}

// call calls an endpoint with in as its JSON body and returns the answer, or nil
// with an error. It fails with ErrOtherObject if an id in the answer is not the
// one that was asked for.
func call[T any](ctx context.Context, c *Client, e endpoint, in any, ids func(*T) []objectID) (*T, error) {
	answer := new(T)
	if err := c.do(ctx, e, in, answer); err != nil {
		return nil, err
	}
	for _, id := range ids(answer) {
		same := id.answered == id.asked || !id.caseSensitive && strings.EqualFold(id.answered, id.asked)
		if id.answered != "" && !same {
			return nil, e.failure(Error{
				Status: http.StatusOK,
				Err:    fmt.Errorf("%w: %s %q was asked for, and the answer has %q", ErrOtherObject, id.field, id.asked, id.answered),
			})
		}
	}
	return answer, nil
}

// decode reads the answer to a call that succeeded. JSON that holds nothing of
// what was asked for is another server's: absent fields keep their value, so an
// object without any would pass for agreement.
func decode(answer []byte, out any) error {
	if out == nil {
		if len(answer) > 0 && !json.Valid(answer) {
			return errNotDocumented
		}
		return nil
	}
	elements := arrayElements(answer)
	if elements > maxElements {
		return errTooManyElements
	}
	if list, ok := out.(interface{ holds(elements int) }); ok {
		list.holds(elements)
	}
	err := json.Unmarshal(answer, out)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && strings.HasPrefix(other.Value, "number") {
		err = json.Unmarshal(withIntegers(answer), out)
	}
	if err != nil {
		return notDocumented(err)
	}
	if reflect.ValueOf(out).Elem().IsZero() {
		return fmt.Errorf("%w: none of its fields is there", errNotDocumented)
	}
	return nil
}

// serviceVersion returns the version in the X-MongoDB-Service-Version header, whose
// value is 'gitHash=<hash>; versionString=<version>'.
func serviceVersion(header http.Header) string {
	_, version, _ := strings.Cut(header.Get("X-MongoDB-Service-Version"), "versionString=")
	version, _, _ = strings.Cut(version, ";")
	return presentable(version, longestName)
}

// succeeded reports whether an answer is that of a call which succeeded. The other
// statuses below 300 are not of this API: 206 has only a part of something.
func succeeded(response *http.Response) bool {
	return response.StatusCode >= http.StatusOK && response.StatusCode <= http.StatusNoContent
}

// IsNoID reports whether a text cannot be an id, because the path with it would be
// that of another resource.
func IsNoID(text string) bool { return text == "" || text == "." || text == ".." }

// withoutDigest takes the digest response of a request out of its answer: some
// debugging servers show what they were sent.
func withoutDigest(response *http.Response, answer []byte) []byte {
	_, sent, _ := strings.Cut(response.Request.Header.Get("Authorization"), `response="`)
	sent = strings.TrimSuffix(sent, `"`)
	if sent == "" {
		return answer
	}
	for _, form := range []string{sent, strings.ToUpper(sent)} {
		if bytes.Contains(answer, []byte(form)) {
			answer = bytes.ReplaceAll(answer, []byte(form), []byte("…"))
		}
		for _, values := range response.Header {
			for i, value := range values {
				values[i] = strings.ReplaceAll(value, form, "…")
			}
		}
	}
	return answer
}

// ErrOtherObject is the cause of an [*Error] of an answer about another object
// than the one that was asked for. What became of a change is then unknown.
var ErrOtherObject = errors.New("the answer is about another object")

var (
	errNoID          = errors.New("cannot be an id: the path with it would be that of another resource")
	errNotDocumented = errors.New("the answer is not the JSON that the API documents")
)
