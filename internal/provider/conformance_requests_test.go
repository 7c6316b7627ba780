package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// Attacks on each request of each operation. What the user reads, and which
// requests are repeated, is tested in faults_test.go and interrupt_test.go. These
// attacks check the two laws, and that the next apply makes up for what failed.

// work is something that Terraform does with a resource.
type work struct {
	name string
	// prepare does what comes before, and returns what does the work itself.
	prepare func(a *trial) func()
	after   func(r registration) values // the configuration that is applied then; nil if none
}

var works = []work{
	{
		name: "a creation",
		prepare: func(a *trial) func() {
			return func() {
				a.restart()
				if p := a.plan(a.of.config); len(p.errors()) == 0 {
					a.attempts(p, a.of.config)
				}
			}
		},
		after: func(r registration) values { return r.config },
	},
	{
		name: "a refresh and an update",
		prepare: func(a *trial) func() {
			a.applies(a.of.config)
			a.clicks(a.of.clicks[0])
			return func() {
				a.restart()
				a.refresh()
				p := a.plan(a.of.changed())
				a.clicks(a.of.clicks[1])
				if len(p.errors()) == 0 {
					a.attempts(p, a.of.changed())
				}
			}
		},
		after: func(r registration) values { return r.changed() },
	},
	{
		name: "a replacement by ID",
		prepare: func(a *trial) func() {
			a.applies(a.of.config)
			return func() {
				a.restart()
				a.refresh()
				config := with(a.of.config, a.of.elsewhere)
				if p := a.plan(config); len(p.errors()) == 0 {
					a.attempts(p, config)
				}
			}
		},
		after: func(r registration) values { return with(r.config, r.elsewhere) },
	},
	{
		name: "a destroy",
		prepare: func(a *trial) func() {
			a.applies(a.of.config)
			return func() {
				a.restart()
				a.refresh()
				if a.state.IsNull() {
					return
				}
				if p := a.plan(nil); len(p.errors()) == 0 {
					a.attempts(p, nil)
				}
			}
		},
		after: func(registration) values { return nil },
	},
	{
		name: "an import",
		prepare: func(a *trial) func() {
			a.applies(a.of.config)
			a.state, a.private, a.identity = a.null(), nil, nil
			return func() {
				a.restart()
				a.importID(a.of.id(a.of.config))
			}
		},
		after: func(r registration) values { return r.config },
	},
}

// changed is the registered configuration with one of its changes.
func (r registration) changed() values { return with(r.config, r.changes[0]) }

// attempts applies a plan, whatever comes of it.
func (a *trial) attempts(p *planned, config values) {
	a.t.Helper()
	if len(a.carriesOut(p, values{}).errors()) == 0 {
		a.applied = config
	}
}

// sendsOnce has every failure of a connection seen by the client: net/http itself
// repeats what fails on a connection that it used before.
func (a *trial) sendsOnce() { a.http.Config.SetKeepAlivesEnabled(false) }

// calls does a work and counts its requests.
func (a *trial) calls(work func()) int {
	var count atomic.Int32
	a.spoils(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		count.Add(1)
		service.ServeHTTP(w, r)
	})
	work()
	a.spoils(nil)
	return int(count.Load())
}

// nth lets something happen to one request, or to it and all that follow.
func nth(number int, stays bool, happens answer) answer {
	var count atomic.Int32
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if n := int(count.Add(1)) - 1; n == number || stays && n > number {
			happens(w, r, service)
			return
		}
		service.ServeHTTP(w, r)
	}
}

// failures are how a request may fail. What is open leaves it open whether the
// object exists, or comes with the same apply.
var failures = []struct {
	name    string
	happens answer
	open    bool
}{
	{name: "401 of the API", happens: says(401, `{"error": 401, "reason": "Unauthorized", "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, "Content-Type", "application/json")},
	{name: "403 of the API", happens: says(403, `{"error": 403, "reason": "Forbidden", "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST", "detail": "No."}`, "Content-Type", "application/json")},
	{name: "404 page", happens: says(404, signIn, "Content-Type", "text/html"), open: true},
	{name: "404 in plain text", happens: says(404, "404 page not found\n", "Content-Type", "text/plain"), open: true},
	{name: "404 of a gateway", happens: says(404, `{"message": "no route"}`, "Content-Type", "application/json"), open: true},
	{name: "404 without a body", happens: says(404, ""), open: true},
	{name: "404 of a path that the API lacks", happens: says(404, `{"error": 404, "reason": "Not Found", "errorCode": "RESOURCE_NOT_FOUND", "detail": "No."}`, "Content-Type", "application/json"), open: true},
	{name: "405 of the API", happens: says(405, `{"error": 405, "reason": "Method Not Allowed", "detail": "No."}`, "Content-Type", "application/json"), open: true},
	{name: "409 of the API", happens: says(409, `{"error": 409, "reason": "Conflict", "errorCode": "CONFLICT", "detail": "No."}`, "Content-Type", "application/json"), open: true},
	{name: "500 page", happens: says(500, failedPage)},
	{name: "503 page", happens: says(503, overloaded)},
	{name: "a login page", happens: says(200, signIn, "Content-Type", "text/html")},
	{name: "an empty answer", happens: says(200, "", "Content-Type", "application/json")},
	{name: "an empty object", happens: says(200, "{}", "Content-Type", "application/json"), open: true},
	{name: "null", happens: says(200, "null", "Content-Type", "application/json")},
	{name: "no answer before the change", happens: drop},
	{name: "no answer after the change", happens: dropAfter},
	{name: "half an answer", happens: cutOff},
	{name: "half an answer that says it is whole", happens: cutShort},
}

func TestAFailedRequestIsMadeUpForByTheNextApply(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for k, work := range works {
			probe := r.start(t, t.Cleanup)
			requests := probe.calls(work.prepare(probe))
			for i := range requests {
				for j, failure := range failures {
					for l, stays := range []bool{false, true} {
						if number := i + j/2 + k + l; !sampled(number, 4) || !r.isItsTurn(number/4) {
							continue
						}
						t.Run(fmt.Sprintf("%s/request %d/%s/stays %v", work.name, i+1, failure.name, stays), func(t *testing.T) {
							t.Parallel()
							a := r.start(t, t.Cleanup)
							a.sendsOnce()
							run := work.prepare(a)
							had := !a.state.IsNull()
							a.spoils(nth(i, stays, failure.happens))
							run()
							a.spoils(nil)
							a.makesUpFor(work, had)
						})
					}
				}
			}
		}
	})
}

// makesUpFor ends a work that failed with the next apply.
func (a *trial) makesUpFor(work work, had bool) {
	a.t.Helper()
	wanted := work.after(a.of)
	if wanted == nil {
		a.refreshes()
		if a.state.IsNull() {
			return
		}
		if errors := a.destroy().errors(); len(errors) > 0 && !a.of.protects(a.attributes()) {
			a.t.Fatalf("destroy: %q", errors)
		}
		return
	}
	if had && a.state.IsNull() && a.live(a.of.config) != nil && a.of.id(wanted) == a.of.id(a.of.config) {
		a.t.Fatalf("the state is empty, and the object is there")
	}
	a.refreshes()
	if p := a.plan(wanted); len(p.errors()) > 0 {
		if a.judge(p.errors(), wanted); a.state.IsNull() && a.of.created && a.live(wanted) != nil {
			a.recovers(wanted)
		}
		return
	}
	a.recovers(wanted)
}

// An operation is interrupted before, during and after each of its requests.
func TestAnInterruptedRequestIsMadeUpForByTheNextApply(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		run, wait := sideBySide(t)
		defer wait()
		for _, work := range works {
			probe := r.start(t, t.Cleanup)
			requests := probe.calls(work.prepare(probe))
			for i := range requests {
				if !r.isItsTurn(i) {
					continue
				}
				for name, around := range map[string]func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler){
					"before": func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler) {
						interrupt()
						hang(w, r, service)
					},
					"during": func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler) {
						answered(r, service)
						interrupt()
						<-r.Context().Done()
						panic(http.ErrAbortHandler)
					},
					"after": func(interrupt func(), w http.ResponseWriter, r *http.Request, service http.Handler) {
						service.ServeHTTP(w, r)
						time.AfterFunc(time.Millisecond, interrupt)
					},
				} {
					run(fmt.Sprintf("%s/request %d/%s", work.name, i+1, name), func(t *testing.T) {
						a := r.start(t, t.Cleanup)
						a.sendsOnce()
						does := work.prepare(a)
						had := !a.state.IsNull()
						ctx, interrupt := context.WithCancel(t.Context())
						defer interrupt()
						a.ctx = ctx
						a.spoils(nth(i, false, func(w http.ResponseWriter, r *http.Request, service http.Handler) {
							around(interrupt, w, r, service)
						}))
						does()
						a.ctx = context.Background()
						a.spoils(nil)
						a.makesUpFor(work, had)
					})
				}
			}
		}
	})
}

// A plan that has not seen the object says so: it is refused where the apply is
// certain to fail.
func TestAPlanThatCannotLookIsRefused(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, failure := range failures {
			if !r.isItsTurn(i) && !r.isItsTurn(i+1) {
				continue
			}
			a := r.start(t, t.Cleanup)
			a.sendsOnce()
			a.spoils(failure.happens)
			a.restart()
			p := a.plan(r.config)
			if len(p.errors()) == 0 && !failure.open {
				t.Errorf("%s: the plan of a creation is green: %q", failure.name, p.warnings())
			}
			a.spoils(nil)

			b := r.startApplied(t)
			b.sendsOnce()
			b.refreshes()
			b.spoils(failure.happens)
			q := b.plan(with(r.config, r.elsewhere))
			if len(q.errors()) == 0 && !failure.open {
				t.Errorf("%s: the plan of a replacement is green: %q", failure.name, q.warnings())
			}
		}
		for name, answer := range r.pending {
			a := r.start(t, t.Cleanup)
			a.spoils(answer)
			a.restart()
			p := a.plan(r.config)
			if len(p.errors()) > 0 || !mention(p.warnings(), r.called(r.id(r.config))) {
				t.Errorf("%s: told %q %q", name, p.errors(), p.warnings())
			}
		}
	})
}
