package providertest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Checks with a 404 that is about something else than the object: about its project, about its cluster, or about an
// object of another type. Such a response says nothing about the object itself.

// step is a step of a run of Terraform. prepare returns a function that runs it.
type step struct {
	name     string
	isPlan   bool // stores nothing
	creates  bool // without a state
	destroys bool
	imports  bool
	prepare  func(a *Trial) func() Diagnostics
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
			return a.Apply(p)
		}
	}},
	{name: "an import", isPlan: true, imports: true, prepare: func(a *Trial) func() Diagnostics {
		a.applyRegistered()
		a.State = a.Null()
		a.Private = nil
		a.Identity = nil
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

// kinds are the kinds of the objects of otherCodes.
var kinds = map[string]string{
	"GROUP_NOT_FOUND":   "project",
	"CLUSTER_NOT_FOUND": "cluster",
	"HOST_NOT_FOUND":    "host",
}

// namesMissing reports whether messages name the object that a code says is missing, and say that the API key may have lost its
// role. An object that is configured is named by its ID, and one that is not may not be known.
func namesMissing(messages []string, code string, config Values) bool {
	var ids []string
	for attribute, value := range config {
		id, ok := value.(string)
		if ok && strings.HasSuffix(attribute, kinds[code]+"_id") {
			ids = append(ids, regexp.QuoteMeta(id))
		}
	}
	kind := kinds[code]
	named := kind + ` [^.]*(` + strings.Join(ids, "|") + `)`
	names := regexp.MustCompile(`(?i)Ops Manager returns no (such ` + kind + `|` + named + `)`)
	return slices.ContainsFunc(messages, func(message string) bool {
		return names.MatchString(message) && (strings.Contains(message, "the API key has lost its role") || strings.Contains(message, "the API key has no role in it, or has lost it"))
	})
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
			isRefused := false // whatever is missing: a request is then only for the names in messages
			requests := probe.calls(func() { isRefused = len(run().Errors()) > 0 })
			if isRefused {
				continue
			}
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
	errors := diags.Errors()
	switch {
	case len(errors) > 0 && !namesMissing(errors, code, config):
		a.T.Fatalf("no error names the object of %s, and what the key may have lost: %q", code, errors)
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

// inPayments are the values of attributes that name where data sources and queries read.
var inPayments = Values{
	"project_id": Payments,
	"cluster_id": Orders,
	"host_id":    "4b1d7f0a9c3e5826d4f0b1a7c9e83652",
}

// configOf returns a configuration of a data source or a query.
func configOf(t *testing.T, schema *tfprotov6.Schema) Values {
	t.Helper()
	config := Values{}
	for _, a := range schema.Block.Attributes {
		value, isKnown := inPayments[a.Name]
		if a.Required && !isKnown {
			t.Fatalf("inPayments has no value of %s", a.Name)
		}
		if isKnown && (a.Required || a.Optional) {
			config[a.Name] = value
		}
	}
	return config
}

// CheckMissingObjects reads each data source, and runs each query, while Ops Manager returns that a project, a cluster or a
// host is missing, from each request on. What is not read must be named: whoever uses the rest would take it for
// everything there is.
func CheckMissingObjects(t *testing.T) {
	t.Helper()
	schema := NewWorkspace(t, StartService(t)).Schema
	for typeName, of := range schema.DataSourceSchemas {
		config := configOf(t, of)
		checkMissingObjects(t, "data "+typeName, config, func(w *Workspace) (read string, messages []string) {
			data, diags := w.Read(typeName, config)
			return fmt.Sprint(data), slices.Concat(diags.Errors(), diags.Warnings())
		})
	}
	for typeName, of := range schema.ListResourceSchemas {
		config := configOf(t, of)
		checkMissingObjects(t, "list "+typeName, config, func(w *Workspace) (read string, messages []string) {
			count := 0
			for _, one := range w.Query(typeName, config, true, 0) {
				messages = append(messages, slices.Concat(one.Errors(), one.Warnings())...)
				if one.Identity != nil {
					count++
				}
			}
			return fmt.Sprintf("%d objects", count), messages
		})
	}
}

func checkMissingObjects(t *testing.T, name string, config Values, read func(w *Workspace) (read string, messages []string)) {
	start := func(t *testing.T) (*FaultProxy, *Workspace) {
		proxy := StartFaultProxy(t)
		proxy.Service.SetJobConfig(Payments, map[string]any{})
		return proxy, NewWorkspace(t, proxy.Service)
	}
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		proxy, w := start(t)
		whole, messages := read(w)
		if namesMissing(messages, "GROUP_NOT_FOUND", nil) {
			t.Fatalf("without a fault: %q", messages)
		}
		calls := proxy.Service.Calls()
		for _, code := range otherCodes {
			isAsked := func(call string) bool {
				return strings.Contains(call, "/"+kinds[code]+"s/")
			}
			if code != "GROUP_NOT_FOUND" && config[kinds[code]+"_id"] == nil && !slices.ContainsFunc(calls, isAsked) {
				continue
			}
			for i := range calls {
				proxy, w := start(t)
				proxy.Handle(nth(i, true, respondMissing(code)))
				part, messages := read(w)
				isComplete := address.ReplaceAllString(part, "") == address.ReplaceAllString(whole, "")
				if !namesMissing(messages, code, config) && (!isComplete || i == 0) {
					t.Errorf("%s from request %d on: nothing names the object and what the key may have lost: %q\nread %s\ninstead of %s", code, i+1, messages, part, whole)
				}
			}
		}
	})
}
