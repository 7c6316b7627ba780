package emulator

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// The maximum sizes of a request body. Documented ones are far smaller, but an automation
// configuration has all processes of a project.
const (
	maxBodyBytes             = 1 << 20
	maxAutomationConfigBytes = 64 << 20
)

// Request is a request that the emulator received.
type Request struct {
	Method string
	// Path is the escaped path as sent by the client, without BasePath.
	Path  string
	Query string
	// Header has the header fields without Authorization.
	Header http.Header
	// Authenticated reports whether Digest authentication succeeded.
	Authenticated bool
	// Challenged reports whether the response is a Digest challenge that a client answers with its
	// next request: the request had no credentials, or an expired nonce.
	Challenged bool
	Body       []byte
	// Status is the status of the response. It is 0 while the request is in progress, and
	// if the connection was closed.
	Status int
}

// Emulator is an emulated Ops Manager. It implements [http.Handler]. Its methods are safe
// for concurrent use.
type Emulator struct {
	options Options
	version version
	digest  *digest
	types   resourceTypes
	routes  []route

	mu            sync.Mutex
	state         *Seed
	started, now  time.Time                   // on the clock: when New was called, and when the last request arrived
	endings       []ending                    // what ends as time passes, the next one first
	lags          map[string]*lag             // by the path of the written object
	transitions   map[string]*transition      // in progress, by the ID of the cluster
	refusedStarts int                         // of UnreportedStarts
	unlisted      int                         // calls that UnlistedCalls refused
	running       map[string]*runningSnapshot // by the ID of the snapshot
	begun         map[string]bool             // the IDs of the snapshots that were begun
	modules       map[string][]*module        // the backup modules that run, did or will, by the ID of the project
	goals         map[string]*goal            // that are not achieved yet, by the ID of the project
	restores      map[string]*restore         // the running restore jobs, by their ID
	downloads     map[string]int              // of links, by the ID of the restore job
	refusedPoints int                         // number of points in time that were refused, because their oplog has not arrived
	failingProbes int                         // of buckets; negative means all
	atStart       documents                   // if the options have OnChange
	deleted       map[string]bool             // the objects that were deleted since, by their ID
	faults        []*Fault
	requests      []*Request
	challenges    int
}

// find finds the project and the cluster that a path names. A malformed ID is a 404, not a 400.
func (e *Emulator) find(c *call) *refusal {
	if id, named := c.vars["project"]; named {
		if !objectID.MatchString(id) {
			return refuse(http.StatusNotFound, "INVALID_GROUP_ID", "An invalid group ID "+id+" was specified.", id)
		}
		if c.project = e.state.project(strings.ToLower(id)); c.project == nil {
			if e.state.Copy.limited() {
				return refuse(http.StatusUnauthorized, "NOT_IN_GROUP", "The copy does not have the group "+id+".", id)
			}
			// NOT_IN_GROUP (401) is documented for this too, but also for missing rights, so
			// this code is more helpful.
			return refuse(http.StatusNotFound, "GROUP_NOT_FOUND", "No group with ID "+id+" exists.", id)
		}
	}
	if id, named := c.vars["cluster"]; named {
		if !objectID.MatchString(id) {
			return refuse(http.StatusNotFound, "INVALID_CLUSTER_ID", "An invalid cluster ID "+id+" was specified.", id)
		}
		if c.cluster = c.project.cluster(strings.ToLower(id)); c.cluster == nil {
			return refuse(http.StatusNotFound, "CLUSTER_NOT_FOUND", "No cluster with ID "+id+" exists in group "+c.project.ID+".", id, c.project.ID)
		}
	}
	return nil
}

// ServeHTTP handles a request. To close the connection, it panics with
// [http.ErrAbortHandler].
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var most int64 = maxBodyBytes
	if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, noSecrets), "/automationConfig") {
		most = maxAutomationConfigBytes
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	request := e.record(r, body)

	var answer reply
	if err != nil {
		answer = e.failure(refuse(http.StatusRequestEntityTooLarge, "", "The request body could not be read."))
	} else {
		answer = e.handleRequest(r, body, request)
	}

	// The request is recorded before the response is sent, so a client that has the response finds
	// it in Requests.
	e.mu.Lock()
	request.Status = answer.status
	done := *request
	e.mu.Unlock()
	if e.options.OnRequest != nil {
		defer e.options.OnRequest(done)
	}
	answer.send(w)
}

// handleRequest applies the latency, the faults before authentication, Digest and the
// faults after it to a request, and serves it.
func (e *Emulator) handleRequest(r *http.Request, body []byte, request *Request) reply {
	if wait(r.Context(), e.options.Latency) != nil {
		return dropped
	}
	return e.fault(r, true).apply(r.Context(), func() reply {
		target := e.target(r)
		if !strings.HasPrefix(target.EscapedPath()+"/", BasePath+"/") {
			return notFound("text/html;charset=utf-8", "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body><h1>Page not found</h1></body></html>\n")
		}
		if verdict := e.digest.check(r); verdict != accepted {
			e.mu.Lock()
			request.Challenged = verdict == stale || r.Header.Get("Authorization") == ""
			e.mu.Unlock()
			return e.challenge(r, verdict == stale)
		}
		r.URL = target
		e.mu.Lock()
		request.Authenticated = true
		isListed := e.options.UnlistedCalls >= 0 && e.unlisted >= e.options.UnlistedCalls
		if !isListed {
			e.unlisted++
		}
		e.mu.Unlock()
		if !isListed {
			return e.failure(notOnAccessList(r))
		}
		return e.fault(r, false).apply(r.Context(), func() reply { return e.serve(r, body) })
	})
}

// target returns the URL of a request. If the emulator is lenient, a slash before and after its
// path don't matter: MongoDB's Kubernetes operator sends the second one, and a base URL that
// ends with a slash leads to the first one.
func (e *Emulator) target(r *http.Request) *url.URL {
	if !e.options.Lenient {
		return r.URL
	}
	trimmed := *r.URL
	trimmed.RawPath = "/" + strings.Trim(r.URL.EscapedPath(), "/")
	trimmed.Path, _ = url.PathUnescape(trimmed.RawPath) // the server has parsed it
	return &trimmed
}

// route is an operation. A segment in braces in its pattern matches any single segment of
// a percent-encoded path.
type route struct {
	method, pattern string
	traits          traits
	query           []string // known query parameters
	handle          func(*call) (any, error)
}

// traits are what is special about an operation.
type traits int

const (
	documented traits = 1 << iota // one of the four operations of the Documented profile
	uncopied                      // the survey does not read it, so no copy has it
)

// call is a request to the handler of a route. The handler is called with the state
// locked. It returns a document, a list, or nil for no content.
type call struct {
	*http.Request
	vars    map[string]string
	project *Project // that the path names, if it does
	cluster *Cluster
	query   url.Values
	body    []byte
	status  int      // of a success; 200 if the handler leaves it 0
	changes []Change // that the call made, or noticed
}

func (e *Emulator) serve(r *http.Request, body []byte) reply {
	path := strings.TrimPrefix(r.URL.EscapedPath(), BasePath)
	segments := strings.Split(path, "/")
	var allowed []string
	for _, route := range e.routes {
		vars, ok := route.match(segments)
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
	// No error code is documented for an unknown method.
	answer := e.failure(refuse(http.StatusMethodNotAllowed, "", "The method "+r.Method+" is not allowed for this resource."))
	answer.header.Set("Allow", strings.Join(allowed, ", "))
	return answer
}

// match matches the segments of an escaped path and returns its variables. It decodes after
// splitting, so an encoded slash is part of its segment. Dot segments match nothing, because they are
// resolved before a request reaches a real server.
func (r route) match(have []string) (vars map[string]string, ok bool) {
	if strings.Count(r.pattern, "/") != len(have)-1 {
		return nil, false
	}
	want := strings.Split(r.pattern, "/")
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

// record records a request, unless the options say otherwise.
func (e *Emulator) record(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	request := &Request{
		Method: r.Method,
		Path:   strings.TrimPrefix(r.URL.EscapedPath(), BasePath),
		Query:  r.URL.RawQuery,
		Header: header,
		Body:   body,
	}
	if e.options.Unrecorded {
		return request
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	return request
}

// Requests returns all requests since the last reset in order of arrival, including those
// that received a challenge. If [Options.Unrecorded] is set, it returns none.
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

// ResetRequests clears the requests and the number of challenges.
func (e *Emulator) ResetRequests() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests, e.challenges = nil, 0
}

// Challenges returns the number of Digest challenges that were sent since the last reset.
func (e *Emulator) Challenges() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.challenges
}
