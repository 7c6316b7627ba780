package provider_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
)

// How often a request is repeated in these tests, and for how long one that is
// not answered is waited for.
const (
	retries  = 2
	patience = time.Second
)

// fault is something that goes wrong with a request.
type fault struct {
	name string

	// One of them makes it happen: what answers instead of the service, or what
	// happens to the connections that are opened from then on.
	answer     func(w http.ResponseWriter, r *http.Request, service http.Handler)
	connection func(*door)

	does       effect
	repeats    repetition
	challenges int           // it is one of Digest, which gives up after so many
	unclear    bool          // whether the service did what was asked cannot be told from it
	inBody     bool          // it is one of an answer's body: an answer without one is not struck
	secure     bool          // it is one of TLS
	slow       bool          // it takes as long as the provider waits
	takes      time.Duration // at least, each time that it is repeated

	words []string // what the user reads where it stays
}

// effect is what a fault leaves of the request that it strikes.
type effect int

const (
	prevents effect = iota // the service has not seen it
	applies                // the service did it, and the answer was spoilt
	harmless               // nothing: the answer can be used
)

// repetition is which requests are sent again.
type repetition int

const (
	never     repetition = iota // the fault does not pass by itself
	unlessNew                   // all but a creation, which may have happened
	always                      // nothing can have come of the request
)

const (
	badGateway = "<html><head><title>502 Bad Gateway</title></head><body>proxy.example.com</body></html>"
	overloaded = "<html><head><title>Back in a moment</title></head></html>"
	failedPage = "<html><head><title>Internal error</title></head></html>"
	signIn     = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"
)

var faults = []fault{
	{name: "401 for a stale nonce", answer: stale, repeats: always, challenges: 5, words: []string{"401 Unauthorized"}},
	{name: "401 for a key that was deleted", answer: denied, repeats: always, challenges: 2, words: []string{"401 Unauthorized", "does not accept the key pair"}},

	{name: "429", answer: says(429, ""), repeats: always, words: []string{"429 Too Many Requests", "Lower -parallelism, or raise max_retries"}},
	{name: "429 with seconds to wait", answer: says(429, "", "Retry-After", "1"), repeats: always, takes: longestWait, words: []string{"429 Too Many Requests"}},
	{name: "429 with a date to wait for", answer: inAnHour, repeats: always, takes: longestWait, words: []string{"429 Too Many Requests"}},

	{name: "500 with a page", answer: says(500, failedPage), unclear: true, words: []string{"500 Internal Server Error", `"Internal error"`, "the log of the Ops Manager application"}},
	{name: "502 with a page", answer: says(502, badGateway), repeats: unlessNew, unclear: true, words: []string{"502 Bad Gateway", "or a proxy in front of it"}},
	{name: "503 with a page", answer: says(503, overloaded), repeats: unlessNew, unclear: true, words: []string{"503 Service Unavailable", `"Back in a moment"`}},
	{name: "504 with a page", answer: says(504, badGateway), repeats: unlessNew, unclear: true, words: []string{"504 Gateway Timeout"}},

	{name: "refused connection", connection: (*door).close, repeats: always, unclear: true, words: []string{"connection refused", "could not be reached"}},
	{name: "dropped before the change", answer: drop, repeats: unlessNew, unclear: true, words: []string{"EOF", "could not be reached"}},
	{name: "dropped after the change", answer: dropAfter, does: applies, repeats: unlessNew, unclear: true, words: []string{"EOF", "could not be reached"}},

	{name: "no answer", answer: hang, slow: true, repeats: unlessNew, unclear: true, words: []string{"no answer within " + patience.String(), "request_timeout and max_retries"}},
	{name: "an answer that comes too late", answer: tooLate, slow: true, does: applies, repeats: unlessNew, unclear: true, words: []string{"no answer within " + patience.String(), "request_timeout and max_retries"}},

	{name: "JSON that the network cuts off", answer: cutOff, inBody: true, does: applies, repeats: unlessNew, unclear: true, words: []string{"unexpected EOF"}},
	{name: "JSON that is cut short", answer: cutShort, inBody: true, does: applies, unclear: true, words: []string{`the response was application/json: "{`, "Nothing was concluded from it"}},
	{name: "a login page", answer: says(200, signIn, "Content-Type", "text/html"), unclear: true, words: []string{"not the JSON that the API documents", `text/html: "Sign in"`, "a login page, a proxy"}},
	{name: "another content type", answer: asText, does: harmless},
	{name: "a body of a gigabyte", answer: gigabyte, unclear: true, words: []string{"larger than 32 MiB", "is not the Ops Manager API"}},

	{name: "a redirect to another host", answer: says(302, "", "Location", "http://elsewhere.invalid/login?ticket=1"), words: []string{"302 Found: redirects to http://elsewhere.invalid/login", "set base_url"}},
	{name: "a redirect to https", answer: toHTTPS, words: []string{"301 Moved Permanently: redirects to https://127.0.0.1", "set base_url"}},

	{name: "a certificate of an unknown authority", connection: shows(func() *tls.Certificate { return certificates().stranger }), secure: true, unclear: true, words: []string{"unknown authority", "ca_cert_file"}},
	{name: "a certificate that has expired", connection: shows(func() *tls.Certificate { return certificates().expired }), secure: true, unclear: true, words: []string{"expired"}},
	{name: "a certificate for another host", connection: shows(func() *tls.Certificate { return certificates().elsewhere }), secure: true, unclear: true, words: []string{"192.0.2.1", "use that name in base_url"}},
}

// mayHaveChanged ends the error of a change whose outcome is unknown.
const mayHaveChanged = "The change may have taken effect. Run terraform plan to see."

type answer = func(http.ResponseWriter, *http.Request, http.Handler)

func says(status int, page string, header ...string) answer {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, page)
	}
}

func inAnHour(w http.ResponseWriter, r *http.Request, service http.Handler) {
	says(429, "", "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))(w, r, service)
}

func toHTTPS(w http.ResponseWriter, r *http.Request, service http.Handler) {
	says(301, "", "Location", "https://"+r.Host+r.URL.Path)(w, r, service)
}

// answered lets the service do what is asked, and keeps its answer.
func answered(r *http.Request, service http.Handler) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, r)
	return recorder
}

func send(w http.ResponseWriter, recorded *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), recorded.Header())
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// denied is the service's answer to credentials that it does not take.
func denied(w http.ResponseWriter, r *http.Request, service http.Handler) {
	r.Header.Del("Authorization")
	recorded := answered(r, service)
	send(w, recorded, recorded.Body.Bytes())
}

// stale is its answer to a nonce that has had its time.
func stale(w http.ResponseWriter, r *http.Request, service http.Handler) {
	r.Header.Del("Authorization")
	recorded := answered(r, service)
	offered := recorded.Header().Get("WWW-Authenticate")
	recorded.Header().Set("WWW-Authenticate", strings.Replace(offered, "stale=false", "stale=true", 1))
	send(w, recorded, recorded.Body.Bytes())
}

func drop(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

func dropAfter(_ http.ResponseWriter, r *http.Request, service http.Handler) {
	answered(r, service)
	panic(http.ErrAbortHandler)
}

func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // only then a client that leaves is noticed
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

func tooLate(_ http.ResponseWriter, r *http.Request, service http.Handler) {
	answered(r, service)
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// cutOff breaks the connection in the middle of a body.
func cutOff(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := answered(r, service)
	whole := recorded.Body.Bytes()
	recorded.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	send(w, recorded, whole[:len(whole)/2])
}

// cutShort sends half a body as if it were all of it.
func cutShort(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := answered(r, service)
	half := recorded.Body.Bytes()[:recorded.Body.Len()/2]
	recorded.Header().Set("Content-Length", strconv.Itoa(len(half)))
	send(w, recorded, half)
}

func asText(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := answered(r, service)
	recorded.Header().Set("Content-Type", "text/plain")
	send(w, recorded, recorded.Body.Bytes())
}

// gigabyte streams one, for as long as somebody reads.
func gigabyte(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for range 1 << 10 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func shows(certificate func() *tls.Certificate) func(*door) {
	return func(d *door) { d.certificate = certificate() }
}

// operation is what the provider is told to do, with the service behind a door.
type operation struct {
	name    string
	sends   []string // the methods of its requests, where nothing goes wrong
	strikes int      // which of them the fault strikes
	fails   []string // what the user reads where that one fails
	prepare func(t *testing.T, d *door, w *workspace) *attempt
}

// attempt is an operation with everything done that comes before it.
type attempt struct {
	run   func() diagnostics
	again func() diagnostics // a later run, up to an empty plan

	held   func() any // what the service holds
	stored func() any // what the state holds
	holds  any        // what the service holds when it is done
	stores any        // what the state holds then
}

const (
	schedulePath = "/groups/" + payments + "/backupConfigs/" + cards + "/snapshotSchedule"
	regionsAt    = "/admin/backup/backupDeployments"
)

var operations = []operation{
	{name: "adopting a schedule, its read", sends: []string{"GET", "PATCH"}, strikes: 0,
		fails: []string{"Unable to Adopt Snapshot Schedule", "GET " + schedulePath}, prepare: adoptSchedule},
	{name: "adopting a schedule, its change", sends: []string{"GET", "PATCH"}, strikes: 1,
		fails: []string{"Unable to Adopt Snapshot Schedule", "PATCH " + schedulePath}, prepare: adoptSchedule},
	{name: "refreshing a schedule", sends: []string{"GET"},
		fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, prepare: refreshSchedule},
	{name: "updating a schedule, its read", sends: []string{"GET", "PATCH"}, strikes: 0,
		fails: []string{"Unable to Update Snapshot Schedule", "GET " + schedulePath}, prepare: updateSchedule},
	{name: "updating a schedule, its change", sends: []string{"GET", "PATCH"}, strikes: 1,
		fails: []string{"Unable to Update Snapshot Schedule", "PATCH " + schedulePath}, prepare: updateSchedule},

	{name: "creating a region, its look", sends: []string{"GET", "POST"}, strikes: 0,
		fails: []string{"Unable to Create Deployment Region", "GET " + regionsAt + "/NEW"}, prepare: createRegion},
	{name: "creating a region", sends: []string{"GET", "POST"}, strikes: 1,
		fails: []string{"Unable to Create Deployment Region", "POST " + regionsAt}, prepare: createRegion},
	{name: "adopting a region", sends: []string{"GET"},
		fails: []string{"Unable to Adopt Deployment Region", "GET " + regionsAt + "/AU_NZ"}, prepare: adoptRegion},
	{name: "refreshing a region", sends: []string{"GET"},
		fails: []string{"Unable to Read Deployment Region", "GET " + regionsAt + "/NEW"}, prepare: refreshRegion},
	{name: "updating a region, its look", sends: []string{"GET", "PUT"}, strikes: 0,
		fails: []string{"Unable to Update Deployment Region", "GET " + regionsAt + "/NEW"}, prepare: updateRegion},
	{name: "updating a region", sends: []string{"GET", "PUT"}, strikes: 1,
		fails: []string{"Unable to Update Deployment Region", "PUT " + regionsAt + "/NEW"}, prepare: updateRegion},
	{name: "deleting a region", sends: []string{"GET", "DELETE"}, strikes: 1,
		fails: []string{"Unable to Delete Deployment Region", "DELETE " + regionsAt + "/NEW"}, prepare: deleteRegion},

	{name: "listing backup configurations", sends: []string{"GET"},
		fails: []string{"Unable to List Backup Configurations", "/backupConfigs"}, prepare: listing(backupConfigsType, values{"project_id": payments}, 9)},
	{name: "listing snapshots", sends: []string{"GET"},
		fails: []string{"Unable to List Config Server Snapshots", "/snapshots"}, prepare: listing(snapshotsType, values{"project_id": payments, "host_id": mirroredHost}, 4)},

	{name: "finding a project", sends: []string{"GET"},
		fails: []string{"Unable to Read Project", "GET /groups/byName/Payments"}, prepare: showing(projectType, values{"name": "Payments"}, "project_id", payments)},
	{name: "listing clusters", sends: []string{"GET"},
		fails: []string{"Unable to List Clusters", "GET /groups/" + payments + "/clusters"}, prepare: listing(clustersType, values{"project_id": payments}, 9)},
	{name: "showing a cluster", sends: []string{"GET"},
		fails: []string{"Unable to Read Cluster", "GET /groups/" + payments + "/clusters/" + cards}, prepare: showing(clusterType, values{"project_id": payments, "cluster_id": cards}, "name", "cards")},
	{name: "showing a schedule", sends: []string{"GET"},
		fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, prepare: showing(scheduleType, values{"project_id": payments, "cluster_id": cards}, "daily_snapshot_retention_days", 7)},
	{name: "showing a backup configuration", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Configuration", "/backupConfigs/" + cards}, prepare: showing(backupConfigType, values{"project_id": payments, "cluster_id": cards}, "status_name", "STARTED")},
	{name: "listing a cluster's snapshots", sends: []string{"GET"},
		fails: []string{"Unable to List Cluster Snapshots", "/clusters/" + orders + "/snapshots"}, prepare: listing(clusterSnapshotsType, values{"project_id": payments, "cluster_id": orders}, 2)},
	{name: "listing regions", sends: []string{"GET"},
		fails: []string{"Unable to List Deployment Regions", "GET " + regionsAt}, prepare: listing(regionsType, values{}, 3)},
}

// applying is an attempt to apply the plan of a configuration.
func applying(t *testing.T, m *managed, config values) *attempt {
	t.Helper()
	p := m.plan(config)
	if len(p.errors()) > 0 {
		t.Fatalf("plan: %v", p.errors())
	}
	return &attempt{
		run: func() diagnostics { return m.apply(p, nil) },
		again: func() diagnostics {
			if told := m.refresh(); len(told.errors()) > 0 {
				return told
			}
			p := m.plan(config)
			if len(p.errors()) > 0 {
				return p.diagnostics
			}
			if !p.isEmpty() {
				if told := m.apply(p, nil); len(told.errors()) > 0 {
					return told
				}
			}
			wantEmpty(t, m.plan(config))
			return nil
		},
	}
}

// refreshing is an attempt to see what somebody else changed.
func refreshing(m *managed) *attempt {
	return &attempt{run: m.refresh, again: m.refresh}
}

func (a *attempt) watching(held, stored func() any, holds, stores any) *attempt {
	a.held, a.stored, a.holds, a.stores = held, stored, holds, stores
	return a
}

func dailyHeld(d *door) func() any {
	return func() any { return d.Schedule(payments, cards)["dailySnapshotRetentionDays"] }
}

func attribute(m *managed, name string) func() any {
	return func() any { return m.attributes()[name] }
}

func descriptionHeld(d *door, id string) func() any {
	return func() any { return d.Region(id)["deploymentDescription"] }
}

func daily(days int) values { return schedule(cards, values{"daily_snapshot_retention_days": days}) }

func adoptSchedule(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(scheduleType)
	return applying(t, m, daily(15)).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 15.0, 15)
}

func updateSchedule(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(scheduleType)
	m.create(daily(15))
	return applying(t, m, daily(30)).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 30.0, 30)
}

func refreshSchedule(_ *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(scheduleType)
	m.create(daily(15))
	d.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 60.0})
	return refreshing(m).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 60.0, 60)
}

func createRegion(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(regionType)
	return applying(t, m, region("NEW", nil)).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Test", "Test")
}

func adoptRegion(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(regionType)
	return applying(t, m, values{"deployment_id": oceania}).
		watching(descriptionHeld(d, oceania), attribute(m, "deployment_description"), "Australia and New Zealand", "Australia and New Zealand")
}

func refreshRegion(_ *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(regionType)
	m.create(region("NEW", nil))
	d.SetRegion("NEW", map[string]any{"deploymentDescription": "Somebody else's"})
	return refreshing(m).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Somebody else's", "Somebody else's")
}

func updateRegion(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(regionType)
	m.create(region("NEW", nil))
	return applying(t, m, region("NEW", values{"deployment_description": "Changed"})).
		watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Changed", "Changed")
}

func deleteRegion(t *testing.T, d *door, w *workspace) *attempt {
	m := w.resource(regionType)
	m.create(region("NEW", nil))
	w.configure()
	m.refresh() // which has the challenge of the new client
	a := applying(t, m, nil).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), nil, nil)
	a.again = func() diagnostics {
		if told := m.refresh(); len(told.errors()) > 0 || m.state.IsNull() {
			return told
		}
		return m.destroy()
	}
	return a
}

// listing reads a data source that has so many results.
func listing(typeName string, config values, count int) func(*testing.T, *door, *workspace) *attempt {
	return reading(typeName, config, count, func(found values) any {
		if items, ok := found["results"].([]any); ok {
			return len(items)
		}
		return nil
	})
}

// showing reads a data source that has one value.
func showing(typeName string, config values, attribute string, value any) func(*testing.T, *door, *workspace) *attempt {
	return reading(typeName, config, value, func(found values) any { return found[attribute] })
}

func reading(typeName string, config values, stores any, seen func(values) any) func(*testing.T, *door, *workspace) *attempt {
	return func(t *testing.T, _ *door, w *workspace) *attempt {
		w.mustRead(t, typeName, config)
		var found values
		read := func() (told diagnostics) {
			found, told = w.read(typeName, config)
			return told
		}
		return (&attempt{run: read, again: read}).watching(func() any { return nil }, func() any { return seen(found) }, nil, stores)
	}
}

// expectation is how an operation ends that a fault strikes.
type expectation struct {
	succeeds bool
	changes  bool     // the service holds what was asked for
	seen     []string // the methods of the requests that reached the service
	words    []string // what the user reads where it fails
	takes    time.Duration
}

// expect says how an operation ends. A request is repeated if that is harmless,
// and an operation fails with its request; but a creation whose outcome is
// unclear is looked for.
func expect(op operation, f fault, stays bool) expectation {
	struck := op.sends[op.strikes]
	if f.does == harmless || f.inBody && struck == "DELETE" {
		return expectation{succeeds: true, changes: true, seen: op.sends}
	}

	sent := 1
	if f.repeats == always || f.repeats == unlessNew && struck != "POST" {
		switch {
		case !stays:
			sent = 2
		case f.challenges > 0:
			sent = f.challenges
		default:
			sent = 1 + retries
		}
	}
	e := expectation{
		succeeds: sent > 1 && !stays,
		changes:  struck != "GET" && f.does == applies,
		words:    slices.Concat(op.fails, f.words),
		takes:    time.Duration(sent-1) * f.takes,
	}
	if stays && sent > 1 && f.challenges == 0 {
		e.words = append(e.words, fmt.Sprintf("(gave up after %d attempts in ", sent))
	}
	looks := 0
	if struck == "POST" && f.unclear && !e.succeeds {
		looks = 1
		e.succeeds = e.changes
	}
	if f.connection != nil {
		sent, looks = sent-1, 0 // the service sees only the one that gets through
		if !e.succeeds {
			sent = 0
		}
	}

	e.seen = slices.Concat(op.sends[:op.strikes], slices.Repeat([]string{struck}, sent), slices.Repeat([]string{"GET"}, looks))
	if e.succeeds {
		e.changes = true
		e.seen = append(e.seen, op.sends[op.strikes+1:]...)
	}
	return e
}

// Every fault strikes every request of every operation: once, so that it passes,
// and from then on. What is asserted is what the user reads, what the state
// holds, what the service holds, which requests were sent, and that the next run
// without the fault converges.
func TestEveryOperationSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range cases(false) {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			survive(t, c.op, c.fault, c.stays)
		})
	}
}

// These wait most of the time, so that more of them run at once than there are
// processors.
func TestEveryOperationSurvivesEveryFaultThatTakesTime(t *testing.T) {
	t.Parallel()
	var group errgroup.Group
	group.SetLimit(12)
	for _, c := range cases(true) { //nolint:paralleltest // they run side by side as it is
		group.Go(func() error {
			t.Run(c.String(), func(t *testing.T) { survive(t, c.op, c.fault, c.stays) })
			return nil
		})
	}
	_ = group.Wait()
}

// struck is an operation with a fault that strikes it.
type struck struct {
	fault fault
	op    operation
	stays bool
}

func (c struck) String() string {
	if c.stays {
		return c.fault.name + "/" + c.op.name + "/for good"
	}
	return c.fault.name + "/" + c.op.name + "/once"
}

// cases are all of them, slow faults or others.
func cases(slow bool) []struck {
	var found []struck
	for _, f := range faults {
		for _, op := range operations {
			if f.slow == slow {
				found = append(found, struck{f, op, false}, struck{f, op, true})
			}
		}
	}
	return found
}

func survive(t *testing.T, op operation, f fault, stays bool) {
	d := openDoor(t, emulator.Options{}, f.secure)
	settings := values{"max_retries": retries}
	if f.secure {
		settings["ca_cert_pem"] = certificates().authority
	}
	if f.slow {
		settings["request_timeout"] = patience.String()
	}
	if f.connection != nil && f.repeats == always && !stays {
		settings["max_retries"] = 20 // the door takes a moment to open again
	}
	a := op.prepare(t, d, openWorkspace(t, d.testService, settings))
	heldBefore, storedBefore := a.held(), a.stored()

	want := expect(op, f, stays)
	d.strike(f, op.sends[op.strikes], op.strikes, stays)
	started := time.Now()
	told := a.run()
	passed := time.Since(started)
	seen := d.heal(t)

	wantHeld, wantStored := heldBefore, storedBefore
	if want.changes {
		wantHeld = a.holds
	}
	if want.succeeds {
		wantStored = a.stores
		if len(told.errors()) > 0 {
			t.Errorf("told %q", told.errors())
		}
	} else {
		wantOne(t, told.errors(), want.words...)
		// Without a connection the service has not seen the request.
		may := op.sends[op.strikes] != "GET" && f.unclear && f.connection == nil
		if got := strings.Contains(told.errors()[0], mayHaveChanged); got != may {
			t.Errorf("says that the change may have taken effect: %t, want %t: %s", got, may, told.errors()[0])
		}
	}
	if got := a.stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	if got := a.held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	if !slices.Equal(seen, want.seen) {
		t.Errorf("sent %q, want %q", seen, want.seen)
	}
	if passed < want.takes {
		t.Errorf("repeated after %s, want %s at least", passed, want.takes)
	}

	if told := a.again(); len(told.errors()) > 0 {
		t.Errorf("the next run: %q", told.errors())
	}
	if held, stored := a.held(), a.stored(); held != a.holds || stored != a.stores {
		t.Errorf("after the next run the service holds %v and the state %v, want %v and %v", held, stored, a.holds, a.stores)
	}
	if created := d.created(); created > 1 {
		t.Errorf("%d creations", created)
	}
}

// created counts the creations that the service did.
func (s *testService) created() int {
	count := 0
	for _, r := range s.Requests() {
		if r.Method == "POST" && r.Status < 300 {
			count++
		}
	}
	return count
}

// A nonce dies in the middle of each operation, of age or of use.
func TestNoncesThatDieSoonAreReplacedWithoutAWord(t *testing.T) {
	t.Parallel()
	const lifetime = 100 * time.Millisecond
	for name, options := range map[string]emulator.Options{
		"of age":              {NonceLifetime: lifetime},
		"after each use":      {NonceUses: 1},
		"after five requests": {NonceUses: 5},
	} {
		for _, op := range operations {
			t.Run(name+"/"+op.name, func(t *testing.T) {
				t.Parallel()
				d := openDoor(t, options, false)
				a := op.prepare(t, d, openWorkspace(t, d.testService, nil))
				time.Sleep(options.NonceLifetime)
				d.ResetRequests()
				if told := a.run(); len(told.errors()) > 0 {
					t.Errorf("told %q", told.errors())
				}
				if held, stored := a.held(), a.stored(); held != a.holds || stored != a.stores {
					t.Errorf("the service holds %v and the state %v, want %v and %v", held, stored, a.holds, a.stores)
				}
				methods := []string{}
				for _, call := range d.calls() {
					method, _, _ := strings.Cut(call, " ")
					methods = append(methods, method)
				}
				if !slices.Equal(methods, op.sends) {
					t.Errorf("%q were answered, want %q", methods, op.sends)
				}
				if name != "after five requests" && d.Challenges() == 0 {
					t.Error("no nonce died")
				}
			})
		}
	}
}

// Workers use up each other's nonces, and all of them are served.
func TestManyRefreshesSurviveNoncesOfFiveRequests(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{NonceUses: 5})
	w := openWorkspace(t, s, nil)
	first := w.resource(scheduleType)
	first.create(daily(15))
	s.ResetRequests()
	const refreshes = 100
	var group errgroup.Group
	group.SetLimit(10)
	for range refreshes {
		group.Go(func() error {
			m := *first
			if told := m.refresh(); len(told.errors()) > 0 {
				return errors.New(told.errors()[0])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if got := len(s.calls("GET")); got != refreshes {
		t.Errorf("%d were answered, want %d", got, refreshes)
	}
	if got := s.Challenges(); got < refreshes/5-1 || got > refreshes {
		t.Errorf("%d challenges", got)
	}
}

// A run with many resources on a service that is dead ends about when its first
// failures do, and they say how long they took.
func TestADoomedRunIsBoundedAndSaysHowLongItTook(t *testing.T) {
	t.Parallel()
	d := openDoor(t, emulator.Options{}, false)
	w := openWorkspace(t, d.testService, values{"max_retries": retries, "request_timeout": patience.String()})
	first := w.resource(scheduleType)
	first.create(daily(15))
	d.strike(fault{answer: hang}, "GET", 0, true)
	const resources, workers = 200, 10
	var patient, atOnce atomic.Int32
	var group errgroup.Group
	group.SetLimit(workers)
	started := time.Now()
	for range resources {
		group.Go(func() error {
			m := *first
			told := m.refresh().errors()
			wantOne(t, told, "Unable to Read Snapshot Schedule", "no answer within "+patience.String())
			if strings.Contains(told[0], "(gave up after 3 attempts in ") {
				patient.Add(1)
			}
			if strings.Contains(told[0], "not sent, because earlier requests to Ops Manager failed") {
				atOnce.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait()
	// Three attempts side by side and one more, where being patient with each
	// resource would take twenty times three.
	if passed := time.Since(started); passed > 20*patience {
		t.Errorf("%d resources took %s", resources, passed)
	}
	if patient.Load() == 0 || patient.Load() > workers || atOnce.Load() < resources*9/10 {
		t.Errorf("%d gave up, %d were not sent", patient.Load(), atOnce.Load())
	}
}

func TestACreationThatNobodyCanTellOfIsWarnedOfAndNotRepeated(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	p := r.plan(region("NEW", nil))
	s.Inject(emulator.Fault{Method: "POST", DropAfter: true})
	s.Inject(emulator.Fault{Method: "GET", Skip: 1, Times: -1, Status: 503})
	told := r.apply(p, nil)
	wantOne(t, told.errors(), "Unable to Create Deployment Region", "EOF")
	wantOne(t, told.warnings(), "[deployment_id]", "Deployment Region NEW May Have Been Created", "terraform import ADDRESS NEW")
	wantNothing(t, r)

	s.ClearFaults()
	wantOne(t, r.plan(region("NEW", nil)).errors(), "Deployment Region NEW Exists Already", "terraform import ADDRESS NEW")
	if got := s.created(); got != 1 {
		t.Errorf("%d creations", got)
	}
}
