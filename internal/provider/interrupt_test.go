package provider_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

// interruptions are what a call may be busy with when it is interrupted.
var interruptions = []fault{
	{name: "waiting for an answer", answer: hang},
	{name: "waiting for the answer to what was done", answer: tooLate, does: applies},
	{name: "waiting for an answer that comes soon", answer: soon, does: harmless},
	{name: "waiting for an hour, as it was asked to", answer: says(429, "", "Retry-After", "3600")},
	{name: "waiting to try again", answer: says(429, "")},
}

// soon answers within the time that an interrupted change still has.
func soon(w http.ResponseWriter, r *http.Request, service http.Handler) {
	time.Sleep(100 * time.Millisecond)
	service.ServeHTTP(w, r)
}

func TestAnInterruptedOperationStopsWithinASecondAndKeepsWhatWasDone(t *testing.T) {
	t.Parallel()
	for _, f := range interruptions {
		for _, op := range operations {
			t.Run(f.name+"/"+op.name, func(t *testing.T) {
				t.Parallel()
				interrupted(t, op, f)
			})
		}
	}
}

func interrupted(t *testing.T, op operation, f fault) {
	d := openDoor(t, emulator.Options{}, false)
	// The provider as it is shipped, which waits longer than any test does.
	options := provider.Options{Getenv: func(string) string { return "" }}
	server := serve.Unlogged(providerserver.NewProtocol6(provider.NewWithOptions("test", options)())())
	w := openWorkspaceOf(t, server, d.testService, values{"max_retries": nil})
	a := op.prepare(t, d, w)
	heldBefore, storedBefore := a.held(), a.stored()

	struck := op.sends[op.strikes]
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	w.ctx = ctx
	var at time.Time
	d.onStrike = func() {
		time.AfterFunc(30*time.Millisecond, func() { at = time.Now(); interrupt() })
	}
	d.strike(f, struck, op.strikes, true)
	told := a.run()
	<-ctx.Done()
	if passed := time.Since(at); passed > time.Second {
		t.Errorf("stopped %s after the interruption", passed)
	}

	// What changes something is waited for a moment; a creation is looked for too.
	wantHeld, wantStored := heldBefore, storedBefore
	if struck != "GET" && f.does != prevents {
		wantHeld = a.holds
	}
	if f.does == harmless && struck != "GET" || f.does == applies && struck == "POST" {
		wantStored = a.stores
		if len(told.errors()) > 0 {
			t.Errorf("told %q", told.errors())
		}
	} else {
		wantOne(t, told.errors(), append(op.fails, "context canceled", "The run was interrupted")...)
		if got := strings.Contains(told.errors()[0], mayHaveChanged); got != (struck != "GET") {
			t.Errorf("says that the change may have taken effect: %t: %s", got, told.errors()[0])
		}
	}
	if got := a.stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	seen := d.heal(t)
	if got := a.held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	count := 0
	for _, method := range seen {
		if method == struck {
			count++
		}
	}
	if count != 1 {
		t.Errorf("sent %q", seen)
	}

	w.ctx = context.Background()
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
