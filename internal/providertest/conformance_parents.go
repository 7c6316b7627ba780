package providertest

import (
	"fmt"
	"net/http"
	"testing"
)

// Checks with a 404 that is about something else than the object: about its project, about its cluster, or about an
// object of another type. Such a response says nothing about the object itself.

// step is a step of a run of Terraform. prepare returns a function that runs it.
type step struct {
	name      string
	isPlan    bool // stores nothing
	creates   bool // without a state
	destroys  bool
	imports   bool
	prepare   func(a *Trial) func() Diagnostics
}

var steps = []step{
	{name: "a refresh", prepare: func(a *Trial) func() Diagnostics {
		a.applyRegistered()
		a.CheckRefresh()
		return func() Diagnostics {
			a.Restart()
			return a.Refresh()
		}
	}},
	{name: "the plan of a creation", isPlan: true, creates: true, prepare: func(a *Trial) func() Diagnostics {
		return func() Diagnostics {
			a.Restart()
			return a.Plan(a.Registration.Config).Diagnostics
		}
	}},
	{name: "a creation", creates: true, prepare: func(a *Trial) func() Diagnostics {
		p := a.CheckPlan(a.Registration.Config)
		return func() Diagnostics { return a.CheckApply(p, Values{}) }
	}},
	{name: "an update", prepare: func(a *Trial) func() Diagnostics {
		a.applyRegistered()
		a.CheckRefresh()
		p := a.CheckPlan(a.Registration.changed())
		return func() Diagnostics { return a.CheckApply(p, Values{}) }
	}},
	{name: "the plan of a destroy", isPlan: true, destroys: true, prepare: func(a *Trial) func() Diagnostics {
		a.applyWithEnd()
		return func() Diagnostics {
			a.Restart()
			return a.Plan(nil).Diagnostics
		}
	}},
	{name: "a destroy", destroys: true, prepare: func(a *Trial) func() Diagnostics {
		a.applyWithEnd()
		p := a.Plan(nil)
		return func() Diagnostics {
			if len(p.Errors()) > 0 { // a destroy that is refused sends nothing
				return nil
			}
			a.Restart()
			return a.Apply(p, nil)
		}
	}},
	{name: "an import", isPlan: true, imports: true, prepare: func(a *Trial) func() Diagnostics {
		a.applyRegistered()
		a.State, a.Private, a.Identity = a.Null(), nil, nil
		return func() Diagnostics {
			a.Restart()
			return a.ImportID(a.Registration.ID(a.Registration.Config))
		}
	}},
}

// applyWithEnd applies the registered configuration, with a change that makes a destroy end the object, if there is one.
func (a *Trial) applyWithEnd() {
	a.T.Helper()
	a.applyRegistered()
	for _, change := range a.Registration.Changes {
		if end, _ := change["on_destroy"].(string); end != "" && end != "keep" {
			a.mustApply(With(a.Registration.Config, change))
		}
	}
	a.CheckRefresh()
}

// appliesTo reports whether a resource has a step.
func (s step) appliesTo(r Registration) bool {
	switch {
	case s.creates:
		return r.Imported == nil
	case s.destroys:
		return !protected(r)
	case s.imports:
		return r.Nested == nil
	}
	return true
}

// otherCodes are the codes that say that something else is missing.
var otherCodes = []string{"GROUP_NOT_FOUND", "CLUSTER_NOT_FOUND", "HOST_NOT_FOUND"}

// namedBy returns words of an error with the code of a parent of what is configured. One with another code has the code.
func namedBy(code string, config Values) string {
	switch {
	case code == "GROUP_NOT_FOUND" && (config["project_id"] != nil || config["project_ids"] != nil):
		return "The project does not exist, or the API key has no role in it"
	case code == "CLUSTER_NOT_FOUND" && config["cluster_id"] != nil:
		return "no cluster"
	}
	return code
}

// respondMissing responds that something is missing.
func respondMissing(code string) Handler {
	return Respond(http.StatusNotFound, fmt.Sprintf(`{"error": 404, "errorCode": %q, "detail": "Missing."}`, code), "Content-Type", "application/json")
}

// checkMissingParents tests each request of each step, and all that follow it, with the code of a project, of a
// cluster, or of another object. The state keeps the object, and without an error, all is as without such a response.
func checkMissingParents(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for _, s := range steps {
			if !s.appliesTo(r) {
				continue
			}
			probe := r.Start(t)
			run := s.prepare(probe)
			requests := probe.calls(func() { run() })
			for _, code := range otherCodes {
				for i := range requests {
					runCase(t, fmt.Sprintf("%s/%s from request %d on", s.name, code, i+1), func(t *testing.T) {
						a := r.Start(t)
						run := s.prepare(a)
						a.Proxy.Handle(nth(i, true, respondMissing(code)))
						diags := run()
						a.Proxy.Handle(nil)
						a.checkNothingMissing(s, probe, diags, code, i == 0)
					})
				}
			}
		}
	})
}

// checkNothingMissing compares a step in which something else was missing with one in which all was there.
func (a *Trial) checkNothingMissing(s step, probe *Trial, diags Diagnostics, code string, isBlind bool) {
	a.T.Helper()
	config := a.Registration.Config
	if a.Nested != nil {
		config = a.Nested(config)
	}
	errors, words := diags.Errors(), namedBy(code, config)
	switch {
	case len(errors) > 0 && !mention(errors, words):
		a.T.Fatalf("no error says %q: %q", words, errors)
	case len(errors) == 0 && isBlind && (!s.isPlan || !s.destroys):
		a.T.Fatalf("there is no error, only %q", diags.Warnings())
	case len(errors) > 0 && s.destroys && a.State.IsNull():
		a.T.Fatalf("the object is no longer in the state: %q", errors)
	case len(errors) > 0 || s.isPlan:
	case fmt.Sprint(a.held()) != fmt.Sprint(probe.held()):
		a.T.Fatalf("there is no error, and the service holds %v instead of %v", a.held(), probe.held())
	case fmt.Sprint(a.Attributes()) != fmt.Sprint(probe.Attributes()):
		a.T.Fatalf("there is no error, and the state is %v instead of %v", a.Attributes(), probe.Attributes())
	}
}
