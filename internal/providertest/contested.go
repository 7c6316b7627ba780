package providertest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Contested is an operation whose first write fails while another client changes the same object.
type Contested struct {
	Name      string
	Prepare   func(t *testing.T, d *FaultProxy, w *Workspace) *Attempt
	Method    string // of the write
	Attribute string // that the other client changes
	Field     string // of the attribute, in the API
	Object    string // its name in messages, or other words of the error
	Set       func(d *FaultProxy, fields map[string]any)
	Get       func(d *FaultProxy) map[string]any
	Third     any // value that the other client sets

	// All others are optional.

	Code     string // of a 409 that is temporary
	Other    string // another field, which the provider does not know if the write is a PUT,
	Theirs   any    // and the value that the other client sets
	IsAbsent bool   // whether the operation creates the object
	// Remove removes the object that the operation deletes or resets.
	Remove func(d *FaultProxy)
	// IsUnique reports whether no other object gets the ID of one that was deleted.
	IsUnique bool
}

// failedWrites are how the first write fails. A failure calls the service if the write takes effect.
var failedWrites = map[string]Handler{
	"502":             Respond(502, ""),
	"503":             Respond(503, ""),
	"429":             Respond(429, ""),
	"an upgrade":      Respond(405, `{"error": 405, "errorCode": "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"}`, "Content-Type", "application/json"),
	"dropped before":  drop,
	"dropped after":   DropAfter,
	"a temporary 409": nil, // with the code of the operation
}

// meanwhile is a service whose first write of a method fails. Then another client changes something.
type meanwhile struct {
	*Service
	method  string // none before it is set
	failure Handler
	change  func()
	seen    []string // the methods from the first write on
}

func (m *meanwhile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" && (len(m.seen) > 0 || r.Method == m.method) {
		m.seen = append(m.seen, r.Method)
		if len(m.seen) == 1 {
			defer m.change()
			m.failure(w, r, m.Emulator)
			return
		}
	}
	m.Emulator.ServeHTTP(w, r)
}

// Run runs the operation. Its first write fails while another client makes a change. The check gets the
// methods of its requests from that write on.
func (c Contested) Run(
	t *testing.T,
	failure string,
	change func(d *FaultProxy, a *Attempt),
	check func(t *testing.T, d *FaultProxy, a *Attempt, diags Diagnostics, seen []string),
) {
	t.Helper()
	handler := failedWrites[failure]
	if failure == "a temporary 409" {
		handler = Respond(409, fmt.Sprintf(`{"error": 409, "errorCode": %q}`, c.Code), "Content-Type", "application/json")
	}
	InBubble(t, func(t *testing.T) {
		m := &meanwhile{failure: handler}
		m.Service = ServiceBehind(m, emulator.New(emulator.Options{}.Fixed()))
		d := &FaultProxy{Service: m.Service}
		a := c.Prepare(t, d, NewWorkspace(t, m.Service, Values{"max_retries": 2}))
		m.method = c.Method
		m.change = func() { change(d, a) }
		diags := a.Run()
		check(t, d, a, diags, m.seen)
	})
}

// WantRequests checks the methods of requests. After the last write, there may be more reads.
func WantRequests(t *testing.T, seen []string, want ...string) {
	t.Helper()
	if seen = withoutReadsAfter(seen, want); !slices.Equal(seen, want) {
		t.Errorf("sent %q, want %q", seen, want)
	}
}

// withoutReadsAfter returns the methods of requests without the reads that follow the wanted ones.
func withoutReadsAfter(seen, want []string) []string {
	for len(seen) > len(want) && seen[len(seen)-1] == http.MethodGet {
		seen = seen[:len(seen)-1]
	}
	return seen
}

// CheckContested checks that a write that failed is repeated only if it overwrites what the plan showed.
func CheckContested(t *testing.T, operations ...Contested) {
	t.Helper()
	for _, c := range operations {
		for _, failure := range slices.Sorted(maps.Keys(failedWrites)) {
			if failedWrites[failure] == nil && c.Code == "" {
				continue
			}
			run := func(name string, check func(t *testing.T, c Contested, failure string)) {
				t.Run(c.Name+", "+failure+", "+name, func(t *testing.T) {
					t.Parallel()
					check(t, c, failure)
				})
			}
			if c.Other != "" {
				run("another field", checkAnotherField)
			}
			if !c.IsUnique || failure != "dropped after" {
				run("a third value", checkThirdValue)
			}
			if c.Remove != nil {
				run("the object is gone", checkRemoved)
			} else if !c.IsAbsent { // the other fields of a new object would differ
				run("the same change", checkSameChange)
			}
		}
	}
}

// checkAnotherField checks that a repeated write keeps what another client has changed.
func checkAnotherField(t *testing.T, c Contested, failure string) {
	change := func(d *FaultProxy, _ *Attempt) {
		c.Set(d, map[string]any{c.Other: c.Theirs})
	}
	c.Run(t, failure, change, func(t *testing.T, d *FaultProxy, a *Attempt, diags Diagnostics, seen []string) {
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
		seen = slices.CompactFunc(seen, func(a, b string) bool {
			return a == "GET" && b == "GET"
		}) // two reads may tell a mask
		want := []string{c.Method, "GET", c.Method}
		if failure == "dropped after" {
			want = want[:2]
		}
		WantRequests(t, seen, want...)
		held := c.Get(d)
		if fmt.Sprint(held[c.Other]) != fmt.Sprint(c.Theirs) || fmt.Sprint(held[c.Field]) != fmt.Sprint(a.Holds) {
			t.Errorf("the service holds %v", held)
		}
	})
}

// checkThirdValue checks that a write is not repeated over a value that the plan did not show.
func checkThirdValue(t *testing.T, c Contested, failure string) {
	change := func(d *FaultProxy, _ *Attempt) {
		c.Set(d, map[string]any{c.Field: c.Third})
	}
	c.Run(t, failure, change, func(t *testing.T, d *FaultProxy, _ *Attempt, diags Diagnostics, seen []string) {
		words := []string{c.Object, " changed since the plan: ", c.Attribute + " is ", ", and the plan showed ", "Plan again."}
		if c.IsAbsent {
			words = []string{c.Object, "It was not sent again, because the read before that failed: it exists now"}
		}
		WantOne(t, diags.Errors(), words...)
		got := strings.Contains(strings.Join(diags.Errors(), ""), tf.RefreshFirst)
		if got != (c.Remove != nil) {
			t.Errorf("only a destroy advises to refresh first: %q", diags.Errors())
		}
		WantRequests(t, seen, c.Method, "GET")
		held := c.Get(d)
		if fmt.Sprint(held[c.Field]) != fmt.Sprint(c.Third) {
			t.Errorf("the service holds %v", held)
		}
	})
}

// checkSameChange checks that a write is not repeated if another client has made the same change.
func checkSameChange(t *testing.T, c Contested, failure string) {
	change := func(d *FaultProxy, a *Attempt) {
		c.Set(d, map[string]any{c.Field: a.Holds})
	}
	c.Run(t, failure, change, func(t *testing.T, d *FaultProxy, a *Attempt, diags Diagnostics, seen []string) {
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
		WantRequests(t, seen, c.Method, "GET")
		held := c.Get(d)
		if fmt.Sprint(held[c.Field]) != fmt.Sprint(a.Holds) {
			t.Errorf("the service holds %v", held)
		}
	})
}

// checkRemoved checks that a deletion is not repeated if the object is gone.
func checkRemoved(t *testing.T, c Contested, failure string) {
	remove := func(d *FaultProxy, _ *Attempt) { c.Remove(d) }
	c.Run(t, failure, remove, func(t *testing.T, _ *FaultProxy, _ *Attempt, diags Diagnostics, seen []string) {
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
		WantRequests(t, seen, c.Method, "GET")
	})
}
