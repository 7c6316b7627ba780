package providertest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Checks with a failure of each request of each operation. CheckOperations tests the diagnostics
// and retries. These checks test the two rules, and that the next apply recovers from the failure.

// operation is an operation that Terraform performs on a resource.
type operation struct {
	name     string
	replaces bool // creates another object
	imports  bool
	// prepare prepares the operation, and returns a function that runs it.
	prepare func(a *Trial) func()
	after   func(r Registration) Values // returns the configuration that the operation applies, or nil
}

var operations = []operation{
	{
		name: "a creation",
		prepare: func(a *Trial) func() {
			return func() {
				a.Restart()
				a.attemptsToApply(a.Registration.Config)
			}
		},
		after: func(r Registration) Values { return r.Config },
	},
	{
		name: "a refresh and an update",
		prepare: func(a *Trial) func() {
			a.applyRegistered()
			a.drift(a.Registration.Drifts[0])
			return func() {
				a.Restart()
				a.Refresh()
				p := a.Plan(a.Registration.changed())
				a.drift(a.Registration.Drifts[1])
				if len(p.Errors()) == 0 {
					a.attempts(p, a.Registration.changed())
				}
			}
		},
		after: func(r Registration) Values { return r.changed() },
	},
	{
		name:     "a replacement by ID",
		replaces: true,
		prepare: func(a *Trial) func() {
			a.applyRegistered()
			return func() {
				a.Restart()
				a.Refresh()
				a.attemptsToApply(With(a.Registration.Config, a.Registration.Elsewhere))
			}
		},
		after: func(r Registration) Values { return With(r.Config, r.Elsewhere) },
	},
	{
		name: "a destroy",
		prepare: func(a *Trial) func() {
			a.applyRegistered()
			return func() {
				a.Restart()
				a.Refresh()
				if !a.State.IsNull() {
					a.attemptsToApply(nil)
				}
			}
		},
		after: func(Registration) Values { return nil },
	},
	{
		name:    "an import",
		imports: true,
		prepare: func(a *Trial) func() {
			a.applyRegistered()
			a.State = a.Null()
			a.Private = nil
			a.Identity = nil
			return func() {
				a.Restart()
				a.ImportID(a.Registration.ID(a.Registration.Config))
			}
		},
		after: func(r Registration) Values { return r.Config },
	},
}

// operations returns the operations that apply to a registration.
func (r Registration) operations() []operation {
	return slices.DeleteFunc(slices.Clone(operations), func(op operation) bool {
		return op.replaces && r.Imported != nil || op.imports && r.Nested != nil
	})
}

// attempts applies a plan and ignores its errors.
func (a *Trial) attempts(p *Plan, config Values) {
	a.T.Helper()
	if len(a.CheckApply(p, Values{}).Errors()) == 0 {
		a.Applied = config
	}
}

// attemptsToApply plans a configuration and applies it, and ignores all errors.
func (a *Trial) attemptsToApply(config Values) {
	a.T.Helper()
	if p := a.Plan(config); len(p.Errors()) == 0 {
		a.attempts(p, config)
	}
}

// calls runs an operation and returns the number of its requests.
func (a *Trial) calls(run func()) int {
	var count atomic.Int32
	a.Proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		count.Add(1)
		service.ServeHTTP(w, r)
	})
	run()
	a.Proxy.Handle(nil)
	return int(count.Load())
}

// nth applies a Handler to one request, or to that one and all later ones.
func nth(number int, stays bool, happens Handler) Handler {
	var count atomic.Int32
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if n := int(count.Add(1)) - 1; n == number || stays && n > number {
			happens(w, r, service)
			return
		}
		service.ServeHTTP(w, r)
	}
}

// failures returns the faults that make a request fail.
func failures() []Fault {
	return slices.DeleteFunc(slices.Clone(Faults), func(f Fault) bool {
		return f.Handler == nil || f.Slow || f.Effect == Harmless || f.Retried == Always
	})
}

// checkFailedRequests tests that the next apply recovers from each failed request.
func checkFailedRequests(t *testing.T, registrations []Registration) {
	t.Helper()
	onRequests(t, registrations, 47, func(t *testing.T, r Registration, op operation, request int, isDrawn func() bool) {
		for _, failure := range failures() {
			for _, stays := range []bool{false, true} {
				if isDrawn() {
					runCase(t, fmt.Sprintf("%s/request %d/%s/stays %v", op.name, request+1, failure.Name, stays), func(t *testing.T) {
						recovers(t, r, op, func(func()) Handler {
							return nth(request, stays, failure.Handler)
						})
					})
				}
			}
		}
	})
}

// onRequests runs a check on each request of each operation of each registration. The sample has one of n cases.
func onRequests(
	t *testing.T, registrations []Registration, n int,
	check func(t *testing.T, r Registration, op operation, request int, isDrawn func() bool),
) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		isDrawn := r.draws(n)
		for _, op := range r.operations() {
			probe := r.Start(t)
			for request := range probe.calls(op.prepare(probe)) {
				check(t, r, op, request, isDrawn)
			}
		}
	})
}

// recovers runs an operation with a handler, which may interrupt it, and completes it with the next apply.
func recovers(t *testing.T, r Registration, op operation, handler func(interrupt func()) Handler) {
	t.Helper()
	a := r.Start(t)
	run := op.prepare(a)
	had := !a.State.IsNull()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	a.Context = ctx
	a.Proxy.Handle(handler(interrupt))
	run()
	a.Context = context.Background()
	a.Proxy.Handle(nil)
	a.checkNextApply(op, had)
}

// checkNextApply completes a failed operation with the next apply.
func (a *Trial) checkNextApply(op operation, had bool) {
	a.T.Helper()
	wanted := op.after(a.Registration)
	if wanted == nil {
		a.CheckRefresh()
		if a.State.IsNull() {
			return
		}
		errors := a.Destroy().Errors()
		if len(errors) > 0 && !a.Registration.Protects(a.Attributes()) {
			a.T.Fatalf("destroy: %q", errors)
		}
		return
	}
	r := a.Registration
	if had && a.State.IsNull() && a.Live(r.Config) != nil && r.ID(wanted) == r.ID(r.Config) {
		a.T.Fatalf("the state is empty, but the object exists")
	}
	a.checkRecovers(wanted)
}

// interrupts are the moments of a request at which its operation is interrupted.
var interrupts = []struct {
	name   string
	around func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler)
}{
	{"before", func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler) {
		interrupt()
		Hang(w, r, service)
	}},
	{"during", func(interrupt func(), _ http.ResponseWriter, r *http.Request, service http.Handler) {
		Record(r, service)
		interrupt()
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}},
	{"after", func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler) {
		service.ServeHTTP(w, r)
		time.AfterFunc(time.Millisecond, interrupt)
	}},
}

// checkInterruptedRequests tests that the next apply completes an operation that is interrupted before, during or
// after each of its requests; in the sample, at one of these moments.
func checkInterruptedRequests(t *testing.T, registrations []Registration) {
	t.Helper()
	onRequests(t, registrations, len(interrupts), func(t *testing.T, r Registration, op operation, request int, isDrawn func() bool) {
		for _, when := range interrupts {
			if isDrawn() {
				runCase(t, fmt.Sprintf("%s/request %d/%s", op.name, request+1, when.name), func(t *testing.T) {
					recovers(t, r, op, func(interrupt func()) Handler {
						return nth(request, false, func(w http.ResponseWriter, r *http.Request, service http.Handler) {
							when.around(interrupt, w, r, service)
						})
					})
				})
			}
		}
	})
}

// checkBlindPlan tests that a plan that cannot read the object produces a warning, or an error if
// the apply is certain to fail.
func checkBlindPlan(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, thorough, func(t *testing.T, r Registration) {
		for i, failure := range failures() {
			if !r.isItsTurn(i) && !r.isItsTurn(i+1) {
				continue
			}
			a := r.Start(t)
			a.Proxy.Handle(failure.Handler)
			a.Restart()
			p := a.Plan(r.Config)
			if len(p.Errors()) == 0 && !failure.Inconclusive {
				t.Errorf("%s: the plan of a creation has no error: %q", failure.Name, p.Warnings())
			}
			a.Proxy.Handle(nil)

			b := r.startApplied(t)
			b.CheckRefresh()
			b.Proxy.Handle(failure.Handler)
			q := b.Plan(With(r.Config, r.Elsewhere))
			if len(q.Errors()) == 0 && !failure.Inconclusive {
				t.Errorf("%s: the plan of a replacement has no error: %q", failure.Name, q.Warnings())
			}
		}
		for name, handler := range r.Pending {
			a := r.Start(t)
			a.Proxy.Handle(handler)
			a.Restart()
			p := a.Plan(r.Config)
			if len(p.Errors()) > 0 || !mention(p.Warnings(), r.Label(r.ID(r.Config))) {
				t.Errorf("%s: got %q %q", name, p.Errors(), p.Warnings())
			}
		}
	})
}
