// Package emulator is an in-memory stand-in for the backup administration part
// of MongoDB Ops Manager's public HTTP API, written from its public
// documentation alone.
//
// It is strict where a client could go wrong unnoticed: HTTP Digest is verified
// in full, unknown query parameters and body fields are refused, ids are one
// path segment each. Where the documentation leaves an answer open, a comment
// says what was picked and why.
//
//	service := httptest.NewServer(emulator.New(emulator.Options{}))
//	defer service.Close()
//	baseURL := service.URL + emulator.BasePath
//
// An [Emulator] shares nothing with another, so that every test can have one.
package emulator

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// BasePath is what every path of the API starts with.
const BasePath = "/api/public/v1.0"

// The key pair of an emulator that was given none.
const (
	DefaultPublicKey  = "emulator"
	DefaultPrivateKey = "00000000-1111-2222-3333-444444444444"
)

// maxBodyBytes bounds a request body; the documented ones are far smaller.
const maxBodyBytes = 1 << 20

// Profile is how much of the API the service answers.
type Profile string

const (
	// Full answers everything that the emulator knows.
	Full Profile = "full"
	// Documented answers four operations and no other: PATCH of a snapshot
	// schedule, the list of backup configurations, the list of snapshots of a
	// config server, and DELETE of a deployment region. Another method on
	// their paths is answered 405, another path 404 RESOURCE_NOT_FOUND, unless
	// UnknownRoutes says otherwise.
	Documented Profile = "documented"
)

// UnknownRoutes is the answer to a method or a path that the service doesn't
// have.
type UnknownRoutes string

const (
	// APIDocument answers with the API's own error document: 404
	// RESOURCE_NOT_FOUND for a path, 405 for a method.
	APIDocument UnknownRoutes = "document"
	// GoText answers 404 with the plain text of Go's http.NotFound.
	GoText UnknownRoutes = "go"
	// NginxPage answers 404 with the page of nginx.
	NginxPage UnknownRoutes = "nginx"
)

// Options say how the service behaves. The zero value is a well-behaved service
// with the default seed.
type Options struct {
	// Profile is Full unless told otherwise.
	Profile Profile
	// UnknownRoutes is APIDocument unless told otherwise. Other answers don't
	// tell an unknown method from an unknown path.
	UnknownRoutes UnknownRoutes
	// PublicKey and PrivateKey are the user name and password of Digest;
	// DefaultPublicKey and DefaultPrivateKey unless told otherwise.
	PublicKey, PrivateKey string
	// Seed is what the service holds at first, DefaultSeed() if nil. It is
	// copied; New panics if its ids or references are wrong.
	Seed *Seed

	// Challenge is how the Digest challenge names its protection: "qop"
	// (default) as RFC 7616 has it, "op" as the public documentation prints
	// it, or "none".
	Challenge string
	// NonceLifetime is how long a nonce is good for; 0 is forever.
	NonceLifetime time.Duration
	// NonceUses is how many requests a nonce is good for; 0 is any number.
	NonceUses int

	// ServiceVersion is the versionString of X-MongoDB-Service-Version.
	ServiceVersion string
	// MaxItemsPerPage is the longest page; a longer one is cut without a
	// word. 0 is the documented 500; Ops Manager 4.0 and older had 100.
	MaxItemsPerPage int
	// OmitFields are left out of every answered schedule. Documented examples
	// leave out the hour, the minute and the offset.
	OmitFields []string
	// OmitTotalCount leaves totalCount out of lists.
	OmitTotalCount bool
	// TotalCount makes the totalCount of a list from its true length; nil
	// leaves it at the truth. It must not call the emulator.
	TotalCount func(count int) int
	// Adjust is a coupling between schedule fields of one's own: it may change
	// after, the schedule that is about to be stored, knowing the one before
	// and the sorted names of the fields that were sent. It runs after the
	// built-in coupling, not at all when nothing was sent, and must not call
	// the emulator.
	Adjust func(before, after map[string]any, sent []string)

	// AdjustRegion may change a deployment region that is about to be stored. It
	// must not call the emulator.
	AdjustRegion func(region map[string]any)

	// StaleReads is how many reads of a schedule or a deployment region show
	// it as it was before the last write; StaleAnswers is whether the answer
	// to the write does so too. Nothing is documented of that: servers that
	// share a database may do it.
	StaleReads   int
	StaleAnswers bool

	// Latency passes before each request is looked at.
	Latency time.Duration
	// OnRequest is called after each request is answered, by the goroutine
	// that answered.
	OnRequest func(Request)
}

// Request is one that reached the service.
type Request struct {
	Method string
	// Path is escaped as the client sent it, without BasePath.
	Path  string
	Query string
	// Header is without Authorization.
	Header http.Header
	// Authenticated says whether Digest was passed.
	Authenticated bool
	Body          []byte
	// Status is what was answered, 0 as long as nothing was: the request is
	// under way, or its connection was closed.
	Status int
}

// Emulator is the service. It implements [http.Handler], and all its methods
// may be called at any time.
type Emulator struct {
	options Options
	digest  *digest
	routes  []route

	mu         sync.Mutex
	state      *Seed
	lags       map[string]*lag // by the path of what was written
	faults     []*Fault
	requests   []*Request
	challenges int
}

// New returns a service of its own. It panics on options that contradict
// themselves.
func New(options Options) *Emulator {
	if options.Profile == "" {
		options.Profile = Full
	}
	if options.UnknownRoutes == "" {
		options.UnknownRoutes = APIDocument
	}
	if options.PublicKey == "" {
		options.PublicKey = DefaultPublicKey
	}
	if options.PrivateKey == "" {
		options.PrivateKey = DefaultPrivateKey
	}
	if options.Challenge == "" {
		options.Challenge = "qop"
	}
	if options.ServiceVersion == "" {
		options.ServiceVersion = "8.0.13"
	}
	if options.MaxItemsPerPage == 0 {
		options.MaxItemsPerPage = 500
	}
	if options.Seed == nil {
		options.Seed = DefaultSeed()
	}
	if options.Profile != Full && options.Profile != Documented {
		panic(fmt.Sprintf("emulator: no profile %q", options.Profile))
	}
	if !slices.Contains([]UnknownRoutes{APIDocument, GoText, NginxPage}, options.UnknownRoutes) {
		panic(fmt.Sprintf("emulator: no answer %q to unknown routes", options.UnknownRoutes))
	}
	if !slices.Contains([]string{"qop", "op", "none"}, options.Challenge) {
		panic(fmt.Sprintf("emulator: no challenge %q", options.Challenge))
	}
	if options.MaxItemsPerPage < 0 {
		panic(fmt.Sprintf("emulator: no page has %d items", options.MaxItemsPerPage))
	}
	if err := options.Seed.check(); err != nil {
		panic("emulator: " + err.Error())
	}

	e := &Emulator{options: options, digest: newDigest(options), state: options.Seed.clone(), lags: map[string]*lag{}}
	e.routes = slices.Concat(
		e.projectRoutes(), // first: a project may be called clusters
		e.clusterRoutes(),
		e.clusterSnapshotRoutes(),
		e.snapshotScheduleRoutes(),
		e.backupConfigRoutes(),
		e.configServerSnapshotRoutes(),
		e.deploymentRegionRoutes(),
	)
	if options.Profile == Documented {
		e.routes = slices.DeleteFunc(e.routes, func(r route) bool { return !r.documented })
	}
	return e
}

// ServeHTTP answers one request. A fault that drops the connection makes it
// panic with [http.ErrAbortHandler], as net/http wants it.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	request := e.arrive(r, body)

	var answer reply
	if err != nil {
		answer = e.failure(refuse(http.StatusRequestEntityTooLarge, "", "The request body could not be read."))
	} else {
		answer = e.attend(r, body, request)
	}

	// Recorded before it is sent: who has the answer finds it in Requests.
	e.mu.Lock()
	request.Status = answer.status
	done := *request
	e.mu.Unlock()
	if e.options.OnRequest != nil {
		defer e.options.OnRequest(done)
	}
	answer.send(w)
}

// attend takes a request through what lies between the network and the
// service: latency, a proxy's faults, Digest, the service's faults.
func (e *Emulator) attend(r *http.Request, body []byte, request *Request) reply {
	if wait(r.Context(), e.options.Latency) != nil {
		return dropped
	}
	return e.fault(r, true).disturb(r.Context(), func() reply {
		if !strings.HasPrefix(r.URL.EscapedPath()+"/", BasePath+"/") {
			return notFoundPage()
		}
		switch e.digest.check(r) {
		case refused:
			return e.challenge(false)
		case stale:
			return e.challenge(true)
		}
		e.mu.Lock()
		request.Authenticated = true
		e.mu.Unlock()
		return e.fault(r, false).disturb(r.Context(), func() reply { return e.serve(r, body) })
	})
}

// route is one operation. A segment of its pattern in braces matches one
// percent-encoded segment of a path, whatever that holds.
type route struct {
	method, pattern string
	documented      bool     // one of the four operations of the Documented profile
	query           []string // the query parameters that are known
	handle          func(*call) (any, error)
}

// call is a request on its way to the handler of its route. The handler runs
// with the state locked and returns a document, a list, or nil for no content.
type call struct {
	*http.Request
	vars  map[string]string
	query url.Values
	body  []byte
}

func (e *Emulator) serve(r *http.Request, body []byte) reply {
	path := strings.TrimPrefix(r.URL.EscapedPath(), BasePath)
	var allowed []string
	for _, route := range e.routes {
		vars, ok := route.match(path)
		if !ok {
			continue
		}
		if route.method == r.Method {
			return e.run(route, &call{Request: r, vars: vars, body: body})
		}
		allowed = append(allowed, route.method)
	}
	if e.options.UnknownRoutes != APIDocument {
		return unknownRoute(e.options.UnknownRoutes)
	}
	if allowed == nil {
		return e.failure(refuse(http.StatusNotFound, "RESOURCE_NOT_FOUND", "Cannot find resource "+BasePath+path+".", BasePath+path))
	}
	// No error code is documented for a method that a resource doesn't have.
	answer := e.failure(refuse(http.StatusMethodNotAllowed, "", "The method "+r.Method+" is not allowed for this resource."))
	answer.header.Set("Allow", strings.Join(allowed, ", "))
	return answer
}

// match compares segment by segment and decodes afterwards, so that an encoded
// slash belongs to its segment. A bare dot segment matches nothing: on its way
// to a real service it would have been resolved to another path.
func (r route) match(path string) (vars map[string]string, ok bool) {
	want, have := strings.Split(r.pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	vars = map[string]string{}
	for i, segment := range have {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, false
		}
		name, variable := strings.CutPrefix(want[i], "{")
		switch {
		case !variable && decoded != want[i]:
			return nil, false
		case variable && (segment == "" || segment == "." || segment == ".."):
			return nil, false
		case variable:
			vars[strings.TrimSuffix(name, "}")] = decoded
		}
	}
	return vars, true
}

// arrive records a request before anything can happen to it.
func (e *Emulator) arrive(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	request := &Request{
		Method: r.Method,
		Path:   strings.TrimPrefix(r.URL.EscapedPath(), BasePath),
		Query:  r.URL.RawQuery,
		Header: header,
		Body:   body,
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	return request
}

// Requests returns every request since the last reset in order of arrival, the
// ones that were answered with a challenge included.
func (e *Emulator) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	requests := make([]Request, len(e.requests))
	for i, request := range e.requests {
		requests[i] = *request
		requests[i].Header = request.Header.Clone()
		requests[i].Body = slices.Clone(request.Body)
	}
	return requests
}

// ResetRequests forgets the requests and the count of challenges.
func (e *Emulator) ResetRequests() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests, e.challenges = nil, 0
}

// Challenges returns how many requests were answered with a Digest challenge
// since the last reset.
func (e *Emulator) Challenges() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.challenges
}
