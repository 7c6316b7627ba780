// Package emulator implements the backup administration part of the MongoDB Ops Manager
// public API in memory. It is based on the public documentation only.
//
// It verifies HTTP Digest completely, rejects unknown body fields, requires each ID to be one
// path segment, and has the calls and fields of one version of Ops Manager. By default it is also
// strict, so that tests notice mistakes of a client, such as a misspelled query parameter.
// [Options.Lenient] accepts what real servers accept. If the documentation leaves a response open,
// [Unknowns] selects it, or a comment says what was chosen and why. [Options.Switches] describes
// all of that.
//
//	service := httptest.NewServer(emulator.New(emulator.Options{}))
//	defer service.Close()
//	baseURL := service.URL + emulator.BasePath
//
// Emulators share no state, so each test can have its own.
package emulator

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// BasePath is the prefix of all paths of the API.
const BasePath = "/api/public/v1.0"

// The default key pair.
const (
	DefaultPublicKey  = "emulator"
	DefaultPrivateKey = "00000000-1111-2222-3333-444444444444"
)

// The maximum sizes of a request body. Documented ones are far smaller, but an automation
// configuration has all processes of a project.
const (
	maxBodyBytes             = 1 << 20
	maxAutomationConfigBytes = 64 << 20
)

// Profile selects the part of the API that the emulator serves.
type Profile string

const (
	// Full serves all operations of the emulator.
	Full Profile = "full"
	// Documented serves only four operations: PATCH of a snapshot schedule, the list of
	// backup configurations, the list of snapshots of a config server, and DELETE of a
	// deployment region. Other methods on their paths return 405, and other paths return
	// 404 RESOURCE_NOT_FOUND, unless UnknownRoutes is set.
	Documented Profile = "documented"
)

// UnknownRoutes selects the response to an unknown method or path.
type UnknownRoutes string

const (
	// APIDocument returns the API's error document: 404 RESOURCE_NOT_FOUND for a path,
	// 405 for a method.
	APIDocument UnknownRoutes = "document"
	// GoText returns 404 with the plain text of Go's http.NotFound.
	GoText UnknownRoutes = "go"
	// NginxPage returns 404 with the page of nginx.
	NginxPage UnknownRoutes = "nginx"
)

// Options configures an [Emulator]. The zero value behaves as documented, with the default
// seed.
type Options struct {
	// Profile defaults to Full.
	Profile Profile
	// UnknownRoutes defaults to APIDocument. The other responses are the same for unknown
	// methods and unknown paths.
	UnknownRoutes UnknownRoutes
	// PublicKey and PrivateKey are the user name and password for Digest. They default to
	// DefaultPublicKey and DefaultPrivateKey.
	PublicKey, PrivateKey string
	// Seed is the initial state. It defaults to DefaultSeed(). It is copied. New panics if
	// it has invalid IDs or references.
	Seed *Seed
	// Now is the clock. It defaults to time.Now. New reads it for the times of the seed that are
	// relative to the start. It must not call the emulator.
	Now func() time.Time

	// Lenient accepts requests that real servers accept, although the documentation lacks them,
	// such as unknown query parameters. Tests of a client leave it out, so that they notice
	// its mistakes. make emulator sets it.
	Lenient bool
	// Challenge is the name of the parameter of the Digest challenge that offers auth:
	// "qop" (default) as in RFC 7616, "op" as in the public documentation, or "none".
	Challenge string
	// NonceLifetime is how long a nonce is valid. 0 means forever.
	NonceLifetime time.Duration
	// NonceUses is the number of requests that a nonce is valid for. 0 means any number.
	NonceUses int
	// UnlistedCalls is the number of calls that fail with 403 RESOURCE_REQUIRES_ACCESS_LIST, as
	// until the caller's address is on the access list of the key. -1 means all.
	UnlistedCalls int

	// ServiceVersion is the version of Ops Manager, as in X-MongoDB-Service-Version. Calls
	// and fields that this version does not have are unknown. It defaults to the newest.
	ServiceVersion string
	// Unknowns selects the behavior that the documentation leaves open.
	Unknowns Unknowns
	// MaxItemsPerPage is the maximum page size. Larger pages are truncated silently. It
	// defaults to 500 as documented. Ops Manager 4.0 and older have 100.
	MaxItemsPerPage int
	// OmitFields lists fields that returned schedules leave out. Documented examples leave
	// out the hour, the minute and the offset.
	OmitFields []string
	// OmitTotalCount leaves totalCount out of lists.
	OmitTotalCount bool
	// TotalCount, if set, returns the totalCount of a list with a number of items. It must
	// not call the emulator.
	TotalCount func(count int) int
	// Adjust, if set, can change a schedule that is about to be stored. It receives the
	// schedule before and after the update and the sorted names of the fields that were
	// sent. It runs after the built-in coupling of fields, and not if no field was sent.
	// It must not call the emulator.
	Adjust func(before, after map[string]any, sent []string)

	// AdjustRegion, if set, can change a deployment region that is about to be stored. It
	// must not call the emulator.
	AdjustRegion func(region map[string]any)
	// AdjustStore, if set, can change a backup store that is about to be stored. It must
	// not call the emulator.
	AdjustStore func(kind StoreKind, store map[string]any)

	// TransitionReads is the number of reads of a backup configuration that return
	// PROVISIONING or TERMINATING before STARTED or INACTIVE, of the snapshots of a cluster that
	// return a snapshot as incomplete, of the backup agents of a project that lack a new backup
	// module, and of the status of Automation before it achieves a new configuration. It defaults
	// to 2. -1 means none.
	TransitionReads int
	// TransitionTime is how long transitions, snapshots, restores and starts of backup modules take if
	// they are read less often, also a snapshot of a started backup that is incomplete in the seed. It defaults
	// to a minute. -1 means forever.
	TransitionTime time.Duration
	// AwaitApproval keeps a backup in PROVISIONING until SetBackupStatus, as an
	// administrator's approval may be required.
	AwaitApproval bool
	// NoStores makes each start of a backup fail, as without a store that can be assigned: with 409
	// without a code, as observed on 8.0.23, and before 8.0 with 500 UNEXPECTED_ERROR, as reported.
	NoStores bool
	// ModuleHosts selects the hosts of a cluster that need the backup module before its backup
	// leaves PROVISIONING: "none" (default), "shard" for one host of each shard, or "every". The
	// hosts are those of the members, the hosts and the processes in the seed. A cluster without any
	// needs none.
	ModuleHosts string
	// NoAutomationRole refuses the automation configuration, as for a key without the role Project
	// Automation Admin or Project Owner.
	NoAutomationRole bool
	// UnreportedStarts is the number of starts of backups that fail with 409 without a code,
	// as observed until the agents of a new cluster have reported the version of MongoDB.
	UnreportedStarts int

	// RestoreReads is the number of reads of a restore job that return IN_PROGRESS before
	// its end. It defaults to 2. -1 means none.
	RestoreReads int
	// RestoreOutcome is the status that restore jobs end with: FINISHED (default), BROKEN,
	// KILLED, or an undocumented one.
	RestoreOutcome string

	// StaleReads is the number of reads of a schedule, a backup configuration, a deployment
	// region, a backup store, a daemon, a job configuration or an automation configuration that return the state before the last write, and of the
	// restore jobs of a cluster that don't return new ones. StaleResponses makes
	// the response to the write return that state too. This is documented for backup
	// configurations only, but servers that share a database may behave like that.
	StaleReads     int
	StaleResponses bool

	// Latency is the delay before each request is handled.
	Latency time.Duration
	// Unrecorded keeps no request in memory after its response, so Requests returns none. A
	// server that runs for long, and that others can reach, needs it.
	Unrecorded bool
	// OnRequest, if set, is called after each response, by the goroutine that sent it.
	OnRequest func(Request)
	// OnChange, if set, is called with each change that a request made, or that it is the first one to
	// notice, by the goroutine that sent it.
	OnChange func(Change)
}

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
	atStart       watched                     // if the options have OnChange
	deleted       map[string]bool             // the objects that were deleted since, by their ID
	faults        []*Fault
	requests      []*Request
	challenges    int
}

// Defaults returns the options that the zero value stands for.
func Defaults() Options { return Options{Seed: DefaultSeed()}.complete() }

// complete returns the options with defaults in place of zero values.
func (o Options) complete() Options {
	o.Profile = cmp.Or(o.Profile, Full)
	o.UnknownRoutes = cmp.Or(o.UnknownRoutes, APIDocument)
	o.PublicKey = cmp.Or(o.PublicKey, DefaultPublicKey)
	o.PrivateKey = cmp.Or(o.PrivateKey, DefaultPrivateKey)
	o.Challenge = cmp.Or(o.Challenge, "qop")
	o.ServiceVersion = cmp.Or(o.ServiceVersion, NewestVersion)
	o.TransitionReads = cmp.Or(o.TransitionReads, 2)
	o.TransitionTime = cmp.Or(o.TransitionTime, time.Minute)
	o.RestoreReads = cmp.Or(o.RestoreReads, 2)
	o.RestoreOutcome = cmp.Or(o.RestoreOutcome, "FINISHED")
	o.Unknowns.VersionHeader = cmp.Or(o.Unknowns.VersionHeader, "full")
	o.Unknowns.InactiveSchedule = cmp.Or(o.Unknowns.InactiveSchedule, http.StatusConflict)
	o.ModuleHosts = cmp.Or(o.ModuleHosts, "none")
	o.MaxItemsPerPage = cmp.Or(o.MaxItemsPerPage, 500)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Seed == nil {
		o.Seed = readDefaultSeed() // which New copies
	}
	return o
}

// New returns a new emulator. It panics if the options are invalid.
func New(options Options) *Emulator {
	options = options.complete()
	if err := options.Check(); err != nil {
		panic("emulator: " + err.Error())
	}
	played, _ := parseVersion(options.ServiceVersion) // checked
	if err := options.Seed.check(); err != nil {
		panic("emulator: " + err.Error())
	}

	now := options.Now()
	e := &Emulator{
		options: options, version: played, digest: newDigest(options), state: options.Seed.At(now), started: now, now: now,
		lags: map[string]*lag{}, transitions: map[string]*transition{}, running: map[string]*runningSnapshot{}, begun: map[string]bool{}, restores: map[string]*restore{}, downloads: map[string]int{},
		modules: map[string][]*module{}, goals: map[string]*goal{}, deleted: map[string]bool{},
	}
	for i := range e.state.Projects {
		e.runModules(&e.state.Projects[i])
	}
	if e.state.isCopy() {
		e.state.markAsRead()
	} else {
		e.complete()
	}
	if options.OnChange != nil {
		e.atStart = e.watchAll()
	}
	e.routes = slices.Concat(
		e.projectRoutes(), // first, because a project may be named clusters
		e.clusterRoutes(),
		e.clusterSnapshotRoutes(),
		e.restoreJobRoutes(),
		e.snapshotScheduleRoutes(),
		e.backupConfigRoutes(),
		e.hostRoutes(),
		e.agentRoutes(),
		e.automationConfigRoutes(),
		e.controlledFeatureRoutes(),
		e.configServerSnapshotRoutes(),
		e.routesSince(version{7, 0, 4}, e.deploymentRegionRoutes()),
		e.backupStoreRoutes(),
		e.backupDaemonRoutes(),
		e.jobConfigRoutes(),
	)
	if options.Profile == Documented {
		e.routes = slices.DeleteFunc(e.routes, func(r route) bool { return !r.documented })
	}
	return e
}

// complete adds to the seed what Ops Manager would have.
func (e *Emulator) complete() {
	for _, cluster := range e.state.clusters() {
		cluster.complete()
		e.continueSnapshots(cluster)
	}
	for kind, stores := range e.state.BackupStores {
		for _, store := range stores {
			e.setStoreDefaults(kind, store)
		}
	}
	for _, daemon := range e.state.BackupDaemons {
		e.setDaemonDefaults(daemon)
	}
}

// routesSince returns the routes that a version introduced, if the emulator has them.
func (e *Emulator) routesSince(introduced version, routes []route) []route {
	if !e.version.since(introduced) {
		return nil
	}
	return routes
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
	documented      bool     // one of the four operations of the Documented profile
	query           []string // known query parameters
	handle          func(*call) (any, error)
}

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
