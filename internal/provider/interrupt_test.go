package provider_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// interruptions are the events that a call may be waiting for when the run is interrupted.
var interruptions = []providertest.Fault{
	{Name: "waiting for a response", Handler: providertest.Hang},
	{Name: "waiting for the response to a change that took effect", Handler: providertest.RespondTooLate, Effect: providertest.Applies},
	{Name: "waiting for a response that arrives soon", Handler: soon, Effect: providertest.Harmless},
	{Name: "waiting before a retry", Handler: providertest.Respond(429, "", "Retry-After", "3600")},
}

// soon responds within the grace period of an interrupted change.
func soon(w http.ResponseWriter, r *http.Request, service http.Handler) {
	time.Sleep(100 * time.Millisecond)
	service.ServeHTTP(w, r)
}

func TestInterruptedOperationStopsWithinASecondAndKeepsItsResults(t *testing.T) {
	t.Parallel()
	for i, f := range interruptions {
		for j, op := range operations {
			// The timeout of a store ends before the wait, so its request fails at once.
			endsBefore := f.Name == "waiting before a retry" && slices.ContainsFunc([]string{"creating a store", "adopting a store", "updating a store"}, func(name string) bool { return strings.HasPrefix(op.name, name) })
			if endsBefore || !providertest.Sampled(i+j, 1) {
				continue
			}
			t.Run(f.Name+"/"+op.name, func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) { interrupted(t, op, f) })
			})
		}
	}
}

func interrupted(t *testing.T, op operation, f providertest.Fault) {
	d := providertest.FaultProxyInMemory(emulator.Options{})
	w := providertest.NewWorkspaceOn(t, d.NewReleasedServer(), d.Service, providertest.Values{"max_retries": nil})
	a := op.prepare(t, d, w)
	heldBefore, storedBefore := a.held(), a.stored()

	hit := op.sends[op.hits]
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	w.Context = ctx
	var at time.Time
	after := 30 * time.Millisecond
	if strings.Contains(strings.ToLower(f.Name), "retry") {
		after = time.Second // the response has to arrive before
	}
	interruptOnce := sync.OnceFunc(func() { at = time.Now(); interrupt() }) // requests in parallel each cause a fault
	d.OnFault = func() { time.AfterFunc(after, interruptOnce) }
	d.Inject(f, hit, op.hits, true)
	diags := a.run()
	<-ctx.Done()
	if passed := time.Since(at); passed > time.Second {
		t.Errorf("stopped %s after the interruption", passed)
	}

	// An interrupted change waits a moment for its response. After a creation, the provider also
	// reads the object. That of a region or a store stores nothing without a response.
	wantHeld, wantStored := heldBefore, storedBefore
	if hit != "GET" && f.Effect != providertest.Prevents {
		wantHeld = a.holds
	}
	if f.Effect == providertest.Harmless && hit != "GET" || f.Effect == providertest.Applies && hit == "POST" && !strings.HasPrefix(op.name, "creating a ") {
		wantStored = a.stores
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
	} else {
		providertest.WantOne(t, diags.Errors(), append(op.fails, "context canceled", "The run was interrupted")...)
		may := hit != "GET" && f.Name != "waiting before a retry" // which is certain to change nothing
		if got := strings.Contains(diags.Errors()[0], providertest.MayHaveChanged); got != may {
			t.Errorf("reports that the change may have taken effect: %t: %s", got, diags.Errors()[0])
		}
	}
	if got := a.stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	seen := d.Clear(t)
	if got := a.held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	of := func(methods []string) int {
		return len(slices.DeleteFunc(slices.Clone(methods), func(method string) bool { return method != hit }))
	}
	if got, want := of(seen), of(op.sends[:op.hits+1]); got != want {
		t.Errorf("sent %q", seen)
	}

	w.Context = context.Background()
	if diags := a.again(); len(diags.Errors()) > 0 {
		t.Errorf("the next run: %q", diags.Errors())
	}
	if held, stored := a.held(), a.stored(); held != a.holds || stored != a.stores {
		t.Errorf("after the next run the service holds %v and the state %v, want %v and %v", held, stored, a.holds, a.stores)
	}
	if created := creations(d.Service); created > 1 {
		t.Errorf("%d creations", created)
	}
}

// Ops Manager may return old values for some time after a change.
func TestInterruptionBeforeTheNewValueIsReturnedIsNotAnAdjustment(t *testing.T) {
	t.Parallel()
	var changes []operation
	for _, op := range operations {
		if slices.Contains([]string{"updating a schedule, its change", "updating a region", "updating a store", "updating a backup configuration, its change", "changing an expiry", "updating a daemon", "updating a job configuration"}, op.name) {
			changes = append(changes, op)
		}
	}
	if len(changes) != 7 {
		t.Fatalf("found %d operations", len(changes))
	}
	for _, op := range changes {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				d := providertest.FaultProxyInMemory(emulator.Options{})
				var old sync.Map // the last response by path
				var isStale atomic.Bool
				d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
					recorded := providertest.Record(r, service)
					body := any(recorded.Body.Bytes())
					if recorded.Code == http.StatusOK && isStale.Load() {
						body, _ = old.LoadOrStore(r.URL.Path, body)
					} else if recorded.Code == http.StatusOK {
						old.Store(r.URL.Path, body)
					}
					recorded.Header().Del("Content-Length")
					providertest.Send(w, recorded, body.([]byte))
				})
				w := providertest.NewWorkspaceOn(t, d.NewReleasedServer(), d.Service, providertest.Values{"max_retries": nil})
				a := op.prepare(t, d, w)
				isStale.Store(true)
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				w.Context = ctx
				time.AfterFunc(2*time.Second, interrupt)
				providertest.WantOne(t, a.run().Errors(), "New Value Not Seen Yet", "when the run was interrupted", "Run terraform plan")
			})
		})
	}
}
