package providertest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// retries is the value of max_retries while a fault hits an operation.
const retries = 2

// Operation is an operation of a resource or a data source, with the service behind a fault proxy.
type Operation struct {
	Name    string
	Sends   []string // the methods of its requests if nothing fails
	Hits    int      // index of the request that a fault hits
	Fails   []string // words of the error if that request fails
	Prepare func(t *testing.T, d *FaultProxy, w *Workspace) *Attempt

	// All others are optional.

	// Creates reports whether the request creates an object whose ID the configuration has. After a
	// creation whose outcome is not known, the provider reads the object, and does not store what may be
	// another one.
	Creates bool
	// Reads is the number of requests before a change is repeated, and Looks that after which the provider
	// knows that the change took effect. Both default to 1.
	Reads, Looks int
	// OwnTimeout reports whether the timeout of the resource limits the operation.
	OwnTimeout bool

	reads bool // whether no request changes anything, also if it is a POST
}

// isChange reports whether the request that a fault hits changes something.
func (op Operation) isChange() bool { return !op.reads && op.Sends[op.Hits] != "GET" }

// Attempt is a prepared operation.
type Attempt struct {
	Run   func() Diagnostics
	Again func() Diagnostics // another run, until the plan is empty

	Held   func() any // what the service holds
	Stored func() any // what the state holds
	Holds  any        // what the service holds after success
	Stores any        // what the state holds after success
}

// CheckOperations checks that each operation survives every fault, an expired nonce and an interruption.
func CheckOperations(t *testing.T, operations ...Operation) {
	t.Helper()
	for i, op := range operations {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			checkFaults(t, i, op)
			checkNonces(t, i, op)
			checkInterruptions(t, i, op)
		})
	}
}

// checkFaults checks the diagnostics, the state, the service and the requests after each fault, once or
// permanently, and that the next run without the fault converges. In the sample, each fault hits every second
// operation, once or permanently.
func checkFaults(t *testing.T, number int, op Operation) {
	for i, f := range Faults {
		if f.Words == nil && f.Effect != Harmless {
			continue
		}
		for k, name := range []string{"once", "permanently"} {
			if lasts := k == 1; Sampled(i+number+k, 4) {
				t.Run(f.Name+"/"+name, func(t *testing.T) {
					t.Parallel()
					settings := Values{"max_retries": retries}
					if f.Connection != nil && f.Retried == Always && !lasts {
						settings["max_retries"] = 20 // the proxy needs a moment to listen again
					}
					UnderFault(t, f, emulator.Options{ThirdPartyBackup: true}, settings, func(t *testing.T, d *FaultProxy, w *Workspace) {
						survive(t, d, w, op, f, lasts)
					})
				})
			}
		}
	}
}

// checkNonces lets a nonce expire, because of its age or its use.
func checkNonces(t *testing.T, number int, op Operation) {
	const lifetime = 500 * time.Millisecond
	if !Sampled(number, 2) {
		return
	}
	for name, options := range map[string]emulator.Options{
		"a nonce of age":            {NonceLifetime: lifetime},
		"a nonce for each request":  {NonceUses: 1},
		"a nonce for five requests": {NonceUses: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			InBubble(t, func(t *testing.T) {
				d := FaultProxyInMemory(options)
				a := op.Prepare(t, d, NewWorkspace(t, d.Service))
				time.Sleep(2 * options.NonceLifetime)
				d.ResetRequests()
				if diags := a.Run(); len(diags.Errors()) > 0 {
					t.Errorf("got %q", diags.Errors())
				}
				held, stored := a.Held(), a.Stored()
				if held != a.Holds || stored != a.Stores {
					t.Errorf("the service holds %v and the state %v, want %v and %v", held, stored, a.Holds, a.Stores)
				}
				if got := methods(d.Calls()); !slices.Equal(got, op.Sends) {
					t.Errorf("%q were answered, want %q", got, op.Sends)
				}
				if options.NonceUses != 5 && d.Challenges() == 0 {
					t.Error("no nonce expired")
				}
			})
		})
	}
}

// methods returns the methods of calls.
func methods(calls []string) []string {
	found := []string{}
	for _, call := range calls {
		method, _, _ := strings.Cut(call, " ")
		found = append(found, method)
	}
	return found
}

// checkInterruptions checks that an interrupted operation stops within a second, and keeps its results.
func checkInterruptions(t *testing.T, number int, op Operation) {
	for i, f := range interruptions {
		// The timeout of a resource ends before the wait, so its request fails at once.
		endsBefore := f.Name == "waiting before a retry" && op.OwnTimeout
		if endsBefore || !Sampled(i+number, 2) {
			continue
		}
		t.Run("interrupted while "+f.Name, func(t *testing.T) {
			t.Parallel()
			InBubble(t, func(t *testing.T) { interrupted(t, op, f) })
		})
	}
}

// Applying returns an attempt to apply the plan of a configuration.
func Applying(t *testing.T, m *Resource, config Values) *Attempt {
	t.Helper()
	p := m.Plan(config)
	if len(p.Errors()) > 0 {
		t.Fatalf("plan: %v", p.Errors())
	}
	m.Configure()                                                        // an apply is another process
	m.Workspace.MustRead(t, ProjectType, Values{"project_id": Payments}) // which has the challenge of the new client
	return &Attempt{
		Run: func() Diagnostics { return m.Apply(p) },
		Again: func() Diagnostics {
			if diags := m.Refresh(); len(diags.Errors()) > 0 {
				return diags
			}
			p := m.Plan(config)
			if len(p.Errors()) > 0 {
				return p.Diagnostics
			}
			if !p.IsEmpty() {
				if diags := m.Apply(p); len(diags.Errors()) > 0 {
					return diags
				}
			}
			WantEmptyPlan(t, m.Plan(config))
			return nil
		},
	}
}

// Refreshing returns an attempt to read an out-of-band change.
func Refreshing(m *Resource) *Attempt {
	m.restart()
	return &Attempt{Run: m.Refresh, Again: m.Refresh}
}

// restart starts the provider for the next run, and answers the challenge of its client.
func (m *Resource) restart() {
	m.Configure()
	m.Read(ProjectType, Values{"project_id": Payments})
}

// Watching returns an attempt that watches a value of the service, and one of the state.
func (a *Attempt) Watching(held, stored func() any, holds, stores any) *Attempt {
	a.Held = held
	a.Stored = stored
	a.Holds = holds
	a.Stores = stores
	return a
}

// Stored returns an attribute of the state.
func Stored(m *Resource, name string) func() any {
	return func() any { return m.Attributes()[name] }
}

// Destroying is an attempt to destroy a resource.
func Destroying(t *testing.T, m *Resource) *Attempt {
	t.Helper()
	m.Configure()
	m.Refresh()
	a := Applying(t, m, nil)
	a.Again = func() Diagnostics {
		diags := m.Refresh()
		if len(diags.Errors()) > 0 || m.State.IsNull() {
			return diags
		}
		return m.Destroy()
	}
	return a
}

// expectation is the outcome of an operation that a fault hits.
type expectation struct {
	succeeds bool
	changes  bool     // the change took effect
	seen     []string // the methods of the requests that reached the service
	words    []string // words of the error, if it fails
	takes    time.Duration
}

// expect returns the expected outcome of an operation. A request is retried if that is safe: a change only
// after a read, which may show that nothing is left to do. If a request fails, so does its operation; but
// if the outcome of a creation is unknown, the provider reads the object.
func expect(op Operation, f Fault, lasts bool) expectation {
	hit := op.Sends[op.Hits]
	if f.Effect == Harmless || f.InBody && hit == "DELETE" {
		return expectation{
			succeeds: true,
			changes:  true,
			seen:     op.Sends,
		}
	}

	sent := 1
	if f.Retried == Always || f.Retried == UnlessCreate && (!op.isChange() || hit != "POST") {
		switch {
		case !lasts:
			sent = 2
		case f.Challenges > 0:
			sent = f.Challenges
		default:
			sent = 1 + retries
		}
	}
	e := expectation{
		succeeds: sent > 1 && !lasts,
		changes:  op.isChange() && f.Effect == Applies,
		words:    slices.Concat(op.Fails, f.Words),
		takes:    time.Duration(sent-1) * f.Delay,
	}
	if lasts && sent > 1 && f.Challenges == 0 {
		e.words = append(e.words, fmt.Sprintf("(gave up after %d attempts in ", sent))
	}
	isTooSlow := f.Slow && op.OwnTimeout && op.isChange()
	requests := slices.Repeat([]string{hit}, sent)
	isRepeatedAfterARead := sent > 1 && f.Challenges == 0 && op.isChange() && (hit != "POST" || op.Creates)
	if isRepeatedAfterARead && !isTooSlow {
		again := append(slices.Repeat([]string{"GET"}, max(op.Reads, 1)), hit)
		requests = slices.Repeat(again, sent)[len(again)-1:]
		if e.changes {
			e.succeeds = true
			requests = requests[:1+max(op.Looks, 1)]
		}
		if e.changes && op.Creates { // it does not store what may be another one
			e.succeeds = false
			e.words = append(slices.Concat(op.Fails, f.Words), "it exists now")
		}
	}
	if op.isChange() && hit == "POST" && f.Unclear && !e.succeeds && !op.Creates { // it stores nothing that it doesn't know
		requests = append(requests, "GET")
		e.succeeds = e.changes
	}
	if f.Connection != nil { // the service receives only the successful requests
		requests = requests[1:]
		if !e.succeeds {
			requests = nil
		}
	}

	if isTooSlow {
		// The resource's own timeout is over, so nothing is repeated.
		requests = requests[:1]
		e.succeeds = false
		e.changes = f.Effect == Applies
		e.words = append(slices.Clone(op.Fails), f.Words[0], "raise the resource's timeouts")
	}

	if f.Slow && op.OwnTimeout && !op.isChange() {
		requests = requests[:1]
		e.succeeds = false
		e.changes = false // the timeout is that of the whole operation
		e.words = op.Fails
		e.takes = 0
	}

	e.seen = slices.Concat(op.Sends[:op.Hits], requests)
	if e.succeeds {
		e.changes = true
		e.seen = append(e.seen, op.Sends[op.Hits+1:]...)
	}
	return e
}

// survive runs an operation while a fault hits it, and checks everything about it.
func survive(t *testing.T, d *FaultProxy, w *Workspace, op Operation, f Fault, lasts bool) {
	a := op.Prepare(t, d, w)
	heldBefore := a.Held()
	storedBefore := a.Stored()

	want := expect(op, f, lasts)
	d.Inject(f, op.Sends[op.Hits], op.Hits, lasts)
	started := time.Now()
	diags := a.Run()
	passed := time.Since(started)
	seen := d.Clear(t)

	wantHeld := heldBefore
	wantStored := storedBefore
	if want.changes {
		wantHeld = a.Holds
	}
	if want.succeeds {
		wantStored = a.Stores
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
	} else {
		WantOne(t, diags.Errors(), want.words...)
		// Without a connection, the service did not receive the request.
		may := op.isChange() && f.Unclear && f.Connection == nil
		if got := strings.Contains(diags.Errors()[0], MayHaveChanged); got != may {
			t.Errorf("says that the change may have taken effect: %t, want %t: %s", got, may, diags.Errors()[0])
		}
	}
	if got := a.Stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	if got := a.Held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	if !want.succeeds { // the error may have needed a name
		seen = withoutReadsAfter(seen, want.seen)
	}
	// A slow provider may send its request after the proxy listens again.
	missed := f.Connection != nil && !lasts && slices.Equal(seen, op.Sends)
	if !missed && !slices.Equal(seen, want.seen) {
		t.Errorf("sent %q, want %q", seen, want.seen)
	}
	if passed < want.takes {
		t.Errorf("repeated after %s, want %s at least", passed, want.takes)
	}

	if diags := a.Again(); len(diags.Errors()) > 0 {
		t.Errorf("the next run: %q", diags.Errors())
	}
	held, stored := a.Held(), a.Stored()
	if held != a.Holds || stored != a.Stores {
		t.Errorf("after the next run the service holds %v and the state %v, want %v and %v", held, stored, a.Holds, a.Stores)
	}
	if created := creationsOf(d.Service); created > 1 && !op.reads {
		t.Errorf("%d creations", created)
	}
}

// creationsOf returns the number of objects that the service created.
func creationsOf(s *Service) int {
	count := 0
	for _, r := range s.Requests() {
		if r.Method == "POST" && r.Status < 300 {
			count++
		}
	}
	return count
}

// interruptions are the events that a call may be waiting for when the run is interrupted.
var interruptions = []Fault{
	{Name: "waiting for a response", Handler: Hang},
	{Name: "waiting for the response to a change that took effect", Handler: RespondTooLate, Effect: Applies},
	{Name: "waiting for a response that arrives soon", Handler: soon, Effect: Harmless},
	{Name: "waiting before a retry", Handler: Respond(429, "", "Retry-After", "3600")},
}

// soon responds within the grace period of an interrupted change.
func soon(w http.ResponseWriter, r *http.Request, service http.Handler) {
	time.Sleep(100 * time.Millisecond)
	service.ServeHTTP(w, r)
}

// interrupted interrupts an operation that waits.
func interrupted(t *testing.T, op Operation, f Fault) {
	d := FaultProxyInMemory()
	w := NewWorkspaceOn(t, d.NewReleasedServer(), d.Service, Values{"max_retries": nil})
	a := op.Prepare(t, d, w)
	heldBefore := a.Held()
	storedBefore := a.Stored()

	hit := op.Sends[op.Hits]
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	w.Context = ctx
	var at time.Time
	after := 30 * time.Millisecond
	if strings.Contains(strings.ToLower(f.Name), "retry") {
		after = time.Second // the response has to arrive before
	}
	interruptOnce := sync.OnceFunc(func() {
		at = time.Now()
		interrupt()
	}) // requests in parallel each cause a fault
	d.OnFault = func() { time.AfterFunc(after, interruptOnce) }
	d.Inject(f, hit, op.Hits, true)
	diags := a.Run()
	<-ctx.Done()
	if passed := time.Since(at); passed > time.Second {
		t.Errorf("stopped %s after the interruption", passed)
	}

	// An interrupted change waits a moment for its response. After a creation, the provider also
	// reads the object. That of a region or a store stores nothing without a response.
	wantHeld := heldBefore
	wantStored := storedBefore
	if op.isChange() && f.Effect != Prevents {
		wantHeld = a.Holds
	}
	if f.Effect == Harmless && op.isChange() || f.Effect == Applies && op.isChange() && hit == "POST" && !op.Creates {
		wantStored = a.Stores
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
	} else {
		WantOne(t, diags.Errors(), append(op.Fails, "context canceled", "The run was interrupted")...)
		may := op.isChange() && f.Name != "waiting before a retry" // which is certain to change nothing
		if got := strings.Contains(diags.Errors()[0], MayHaveChanged); got != may {
			t.Errorf("reports that the change may have taken effect: %t: %s", got, diags.Errors()[0])
		}
	}
	if got := a.Stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	seen := d.Clear(t)
	if got := a.Held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	of := func(methods []string) int {
		return len(slices.DeleteFunc(slices.Clone(methods), func(method string) bool {
			return method != hit
		}))
	}
	if got, want := of(seen), of(op.Sends[:op.Hits+1]); got != want {
		t.Errorf("sent %q", seen)
	}

	w.Context = context.Background()
	if diags := a.Again(); len(diags.Errors()) > 0 {
		t.Errorf("the next run: %q", diags.Errors())
	}
	held, stored := a.Held(), a.Stored()
	if held != a.Holds || stored != a.Stores {
		t.Errorf("after the next run the service holds %v and the state %v, want %v and %v", held, stored, a.Holds, a.Stores)
	}
	if created := creationsOf(d.Service); created > 1 && !op.reads {
		t.Errorf("%d creations", created)
	}
}
