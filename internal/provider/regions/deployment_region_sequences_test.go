package regions_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// regionSideEffects are ways in which a service adjusts a region. Each of them receives the
// region before and after a write.
var regionSideEffects = map[string]func(before, after map[string]any){
	"none": nil,
	"appends a slash to endpoints": func(_, after map[string]any) {
		if endpoint, _ := after["restoreEndpoint"].(string); endpoint != "" && endpoint[len(endpoint)-1] != '/' {
			after["restoreEndpoint"] = endpoint + "/"
		}
	},
	"disables assignment with each write": func(_, after map[string]any) { after["assignmentEnabled"] = false },
	"never changes a description": func(before, after map[string]any) {
		if before != nil {
			after["deploymentDescription"] = before["deploymentDescription"]
		}
	},
}

// regionSequence is a sequence of runs on one region.
type regionSequence struct {
	*providertest.Trial
	config     providertest.Values
	reads      int  // number of reads that return old values
	lags       bool // the response to a write has the old values, too
	sideEffect func(before, after map[string]any)

	mu    sync.Mutex // held while a request is served: a client may not wait for its end
	fault *regionFault
	late  func() // a write that has outlasted its timeout, or nil
}

// regionFault is what happens to the next write.
type regionFault struct {
	name    string
	hit     bool
	theirs  map[string]any // what others wrote when the write failed
	happens func(f *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler)
}

// drawRegionFault draws a fault. Others may change or create the region at the same time.
func drawRegionFault(t *rapid.T, id string) *regionFault {
	drift := drawRegionDrift(t)
	faults := []regionFault{
		{name: "refused", happens: func(_ *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler) {
			providertest.Respond(http.StatusBadRequest, `{"error": 400, "errorCode": "INVALID_BACKUP_DEPLOYMENT", "detail": "Refused."}`)(w, r, service)
		}},
		{name: "lost before it is served", happens: func(_ *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler) {
			providertest.Drop(w, r, service)
		}},
		{name: "lost after it is served", happens: func(f *regionSequence, w http.ResponseWriter, r *http.Request, _ http.Handler) {
			f.serve(httptest.NewRecorder(), r, f.Service)
			providertest.Drop(w, r, nil)
		}},
		{name: "served after its timeout", happens: func(f *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler) {
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body) // a DELETE has none
			f.late = func() {
				exists := f.Service.Region(id) != nil
				if r.Method != http.MethodPost {
					f.Service.RemoveRegion(id)
				}
				if r.Method == http.MethodPut || r.Method == http.MethodPost && !exists {
					f.Service.SetRegion(id, providertest.With(map[string]any{"assignmentEnabled": false}, body, map[string]any{"id": id})) // the default of the service
				}
			}
			providertest.Drop(w, r, service)
		}},
		{name: "failed while others do the same", happens: func(f *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler) {
			if r.Method == http.MethodDelete {
				f.Service.RemoveRegion(id)
			} else {
				f.serve(httptest.NewRecorder(), r, f.Service)
			}
			providertest.Respond(http.StatusInternalServerError, "")(w, r, service)
		}},
		{name: "failed while others do something else", happens: func(f *regionSequence, w http.ResponseWriter, r *http.Request, service http.Handler) {
			f.Service.SetRegion(id, providertest.With(regionBody(map[string]any{"assignmentEnabled": true}), drift))
			f.fault.theirs = f.Service.Region(id)
			providertest.Respond(http.StatusInternalServerError, "")(w, r, service)
		}},
	}
	return &faults[rapid.IntRange(0, len(faults)-1).Draw(t, "fault")]
}

// drawUnknownMembers draws members that the provider does not know. nil removes one.
func drawUnknownMembers(t *rapid.T) map[string]any {
	members := map[string]any{}
	for _, name := range []string{"newSetting", "newObject"} {
		if drawn := rapid.SampledFrom([]any{"keep", nil, "a", 1.0, map[string]any{"zone": "z", "limits": []any{1.0, "two"}}}).Draw(t, name); drawn != "keep" {
			members[name] = drawn
		}
	}
	return members
}

// unknownMembers returns the members of the region that the provider does not know, or nil if the
// region does not exist.
func (f *regionSequence) unknownMembers() map[string]any {
	members := f.Live(f.Registration.Config)
	for field := range regionAttributes {
		delete(members, field)
	}
	return members
}

// drawRegionConfig draws a valid configuration. Whether it can be applied depends on whether the
// region exists.
func drawRegionConfig(t *rapid.T, id string) providertest.Values {
	config := providertest.Values{"deployment_id": id}
	if rapid.IntRange(0, 3).Draw(t, "describes") > 0 {
		config["deployment_description"] = rapid.SampledFrom([]string{"One", "Two", ""}).Draw(t, "description")
		for _, attribute := range []string{"ingestion_endpoint", "restore_endpoint"} {
			config[attribute] = rapid.SampledFrom([]string{"https://one.example.com", "https://two.example.com/", "https://three.example.com:8443"}).Draw(t, attribute)
		}
		config["bq_proxy_endpoint"] = rapid.SampledFrom([]string{"one.example.com:27217", "two.example.com:27217"}).Draw(t, "proxy")
	}
	for _, attribute := range []string{"assignment_enabled", "deletion_protection"} {
		if drawn := rapid.SampledFrom([]any{nil, nil, true, false}).Draw(t, attribute); drawn != nil {
			config[attribute] = drawn
		}
	}
	if drawn := rapid.SampledFrom([]any{nil, nil, "keep", "delete"}).Draw(t, "on_destroy"); drawn != nil {
		config["on_destroy"] = drawn
	}
	return config
}

// drawRegionDrift draws changes of a region outside Terraform.
func drawRegionDrift(t *rapid.T) map[string]any {
	drift := map[string]any{}
	for _, field := range []string{"deploymentDescription", "ingestionEndpoint", "restoreEndpoint", "bqProxyEndpoint"} {
		if rapid.Bool().Draw(t, "changes "+field) {
			drift[field] = rapid.SampledFrom([]string{"drifted", "drifted twice", ""}).Draw(t, field)
		}
	}
	if rapid.Bool().Draw(t, "changes assignments") {
		drift["assignmentEnabled"] = rapid.Bool().Draw(t, "assignments")
	}
	return drift
}

// serve responds like the service of this sequence: with its side effect, and without the hidden
// fields.
func (f *regionSequence) serve(w http.ResponseWriter, r *http.Request, service http.Handler) {
	if fault := f.fault; fault != nil && !fault.hit && r.Method != http.MethodGet && r.Header.Get("Authorization") != "" {
		fault.hit = true
		fault.happens(f, w, r, service)
		return
	}
	before := f.Live(f.Registration.Config)
	providertest.Rewrite(func(r *http.Request, document map[string]any) {
		if after := f.Live(f.Registration.Config); providertest.IsWrite(r) && after != nil && f.sideEffect != nil {
			f.sideEffect(before, after)
			f.Service.SetRegion(f.Registration.ID(f.Registration.Config), after)
			if !f.lags || before == nil {
				maps.Copy(document, after)
			}
		}
		for _, field := range f.Hidden {
			delete(document, field)
		}
	})(w, r, service)
}

// checkResult checks the result of a run.
func (f *regionSequence) checkResult(diags providertest.Diagnostics, config providertest.Values) {
	f.T.Helper()
	if len(diags.Errors()) == 0 {
		f.Applied = config
	}
	f.CatchUp(f.reads)
	if !f.State.IsNull() {
		f.CheckSettled(config)
	}
}

// apply applies a plan. It fails if a member that the provider does not know changes without a warning.
func (f *regionSequence) apply(p *providertest.Plan, late providertest.Values) providertest.Diagnostics {
	f.T.Helper()
	if f.fault != nil && f.fault.name == "failed while others do something else" {
		f.Restart()
		diags := f.Apply(p, late)
		f.mu.Lock()
		defer f.mu.Unlock()
		if is := f.Live(f.Registration.Config); f.fault.hit && !reflect.DeepEqual(is, f.fault.theirs) {
			f.T.Fatalf("others wrote %v, and the service holds %v", f.fault.theirs, is)
		}
		return diags
	}
	was := f.unknownMembers()
	diags := f.CheckApply(p, late)
	is := f.unknownMembers()
	if p.Replaces || was == nil || is == nil {
		return diags
	}
	for _, name := range []string{"newSetting", "newObject"} {
		if !reflect.DeepEqual(was[name], is[name]) {
			f.T.Fatalf("%s was %v and is %v, which no plan showed: %q", name, was[name], is[name], diags.Warnings())
		}
	}
	return diags
}

// setFault sets what happens to the next write, once no request is served.
func (f *regionSequence) setFault(fault *regionFault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// attemptWithFault plans and applies a configuration, or destroys the region, while its first write
// fails.
func (f *regionSequence) attemptWithFault(config providertest.Values, fault *regionFault) {
	f.T.Helper()
	f.CheckRefresh()
	wasNull := f.State.IsNull()
	p := f.CheckPlan(config)
	if p == nil || wasNull && config == nil {
		return
	}
	f.setFault(fault)
	var late providertest.Values
	if config != nil {
		late = providertest.Values{}
	}
	diags := f.apply(p, late)
	f.setFault(nil)
	if config != nil {
		f.config = config
	}
	if wasNull && !f.State.IsNull() && fault.hit {
		f.T.Fatalf("the creation failed (%s), and the resource has a state: %q", fault.name, diags.Warnings())
	}
	f.checkResult(diags, f.config)
}

// attempt plans and applies a configuration. between changes the service after the plan.
func (f *regionSequence) attempt(config providertest.Values, between func()) {
	f.T.Helper()
	f.CheckRefresh()
	p := f.CheckPlan(config)
	if p == nil {
		return
	}
	if between != nil {
		between()
	}
	diags := f.apply(p, providertest.Values{})
	if len(diags.Errors()) > 0 && f.sideEffect == nil && f.Hidden == nil && between == nil {
		f.T.Fatalf("apply: %q", diags.Errors())
	}
	f.config = config
	f.checkResult(diags, config)
}

func TestEverySequenceOfRegionRunsConverges(t *testing.T) {
	t.Parallel()
	registered := regionRegistrations()
	providertest.CheckSequences(t, func(t *rapid.T) {
		r := registered[rapid.IntRange(0, len(registered)-1).Draw(t, "registration")]
		reads := rapid.IntRange(0, 2).Draw(t, "number of stale reads")
		r.Options = emulator.Options{StaleReads: reads, StaleResponses: rapid.Bool().Draw(t, "stale responses to writes")}
		sideEffect := rapid.SampledFrom(append(slices.Sorted(maps.Keys(regionSideEffects)), slices.Repeat([]string{"none"}, 4)...)).Draw(t, "sideEffect")
		hidden := rapid.SampledFrom([][]string{nil, nil, {"assignmentEnabled"}, {"restoreEndpoint"}, {"deploymentDescription", "bqProxyEndpoint"}}).Draw(t, "hidden")
		f := &regionSequence{Trial: r.Start(t), config: r.Config, reads: reads, lags: r.Options.StaleResponses, sideEffect: regionSideEffects[sideEffect]}
		f.Hidden = hidden
		f.Unrequested = sideEffect != "none"
		f.Proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.serve(w, r, service)
		})
		id := r.ID(r.Config)

		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			if f.late != nil && rapid.Bool().Draw(t, "the late write is served") {
				f.late()
				f.late = nil
			}
			switch action := rapid.SampledFrom([]string{"apply", "apply", "fault", "fault", "fault", "saved plan", "drift", "unknown members", "remove", "ignore", "import", "destroy", "replace", "taint", "move"}).Draw(t, "action"); action {
			case "fault":
				config := drawRegionConfig(t, id)
				if rapid.IntRange(0, 3).Draw(t, "destroys") == 0 {
					if f.destroys() == nil {
						continue
					}
					config = nil
				}
				f.attemptWithFault(config, drawRegionFault(t, id))
			case "unknown members":
				if members := drawUnknownMembers(t); f.Service.Region(id) != nil {
					f.Service.SetRegion(id, members)
				}
			case "apply":
				f.attempt(drawRegionConfig(t, id), nil)
			case "saved plan":
				drift := drawRegionDrift(t)
				f.attempt(drawRegionConfig(t, id), func() {
					if f.Service.Region(id) != nil {
						f.Service.SetRegion(id, drift)
					}
				})
			case "drift":
				drift := drawRegionDrift(t)
				if f.Service.Region(id) == nil {
					whole := regionBody(map[string]any{"assignmentEnabled": true})
					maps.Copy(whole, drift)
					drift = whole
				}
				f.Service.SetRegion(id, drift)
				f.checkResult(nil, f.config)
			case "remove":
				f.Service.RemoveRegion(id)
				f.CheckRefresh()
				if f.Attributes() != nil {
					t.Fatalf("the region is gone, and the state holds %v", f.Attributes())
				}
			case "ignore":
				f.IgnoreChanges = rapid.SampledFrom([][]string{nil, {"all"}, {"assignment_enabled"}, {"restore_endpoint", "deployment_description"}}).Draw(t, "ignored")
			case "import":
				f.imports()
			case "destroy":
				if p := f.destroys(); p != nil {
					f.apply(p, nil)
				}
			case "replace", "taint":
				if f.State.IsNull() {
					continue
				}
				f.CreateBeforeDestroy = rapid.Bool().Draw(t, "create before destroy")
				f.CheckRefresh()
				f.Tainted = action == "taint" && !f.State.IsNull()
				plan := f.Plan
				if action == "replace" {
					plan = f.PlanReplacement
				}
				p := plan(f.config)
				if f.Tainted = false; len(p.Errors()) > 0 {
					continue
				}
				f.Tainted = action == "taint"
				diags := f.apply(p, providertest.Values{})
				f.Tainted = false
				f.checkResult(diags, f.config)
			case "move":
				f.State, f.Private, f.Identity = f.Null(), nil, nil
			}
		}
	})
}

// imports imports the region by its ID, and checks that the plan of the exported configuration is
// empty.
func (f *regionSequence) imports() {
	f.T.Helper()
	f.Restart()
	imported := &providertest.Trial{Registration: f.Registration, Service: f.Service, Resource: f.NewResource(providertest.RegionType)}
	diags := imported.ImportID(f.Registration.ID(f.Registration.Config))
	if (f.Live(f.Registration.Config) == nil) != imported.State.IsNull() {
		f.T.Fatalf("imported %v, and the service holds %v: %q", imported.Attributes(), f.Live(f.Registration.Config), diags.Errors())
	}
	if imported.State.IsNull() {
		return
	}
	f.Resource.State, f.Resource.Private, f.Resource.Identity = imported.State, imported.Private, imported.Identity
	if len(f.Hidden) > 0 {
		return // hidden fields are missing in the exported configuration
	}
	ignored := f.IgnoreChanges
	f.IgnoreChanges = nil
	if p := f.Plan(f.Attributes()); !p.IsEmpty() || len(p.Errors()) > 0 {
		f.T.Fatalf("the plan of an exported configuration changes %v: %q", p.Changes(), p.Errors())
	}
	f.IgnoreChanges = ignored
}

// destroys plans a destroy. It returns nil if there is no state, or the region is protected.
func (f *regionSequence) destroys() *providertest.Plan {
	f.T.Helper()
	f.CheckRefresh()
	if f.State.IsNull() {
		return nil
	}
	p := f.Plan(nil)
	if isProtected := f.Registration.Protects(f.Attributes()); isProtected != (len(p.Errors()) > 0) {
		f.T.Fatalf("protected %v: %q", isProtected, p.Errors())
	}
	if len(p.Errors()) > 0 {
		return nil
	}
	return p
}
