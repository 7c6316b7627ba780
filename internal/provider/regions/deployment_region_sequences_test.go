package regions_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
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
	for _, attribute := range []string{"assignment_enabled", "adopt_existing", "deletion_protection", "skip_destroy"} {
		if drawn := rapid.SampledFrom([]any{nil, nil, true, false}).Draw(t, attribute); drawn != nil {
			config[attribute] = drawn
		}
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
	diags := f.CheckApply(p, providertest.Values{})
	if len(diags.Errors()) > 0 && f.sideEffect == nil && f.Hidden == nil && between == nil {
		f.T.Fatalf("apply: %q", diags.Errors())
	}
	f.config = config
	f.checkResult(diags, config)
}

// unlessHidden limits what can be created. A change sends all required fields, so a region with a
// hidden one can be adopted only without a change, or with all required fields.
func unlessHidden(creatable func(providertest.Values, map[string]any) bool, hidden []string) func(providertest.Values, map[string]any) bool {
	return func(config providertest.Values, live map[string]any) bool {
		enabled, describes := config["assignment_enabled"], config["restore_endpoint"] != nil
		if live != nil && !describes && enabled != nil && enabled != live["assignmentEnabled"] && len(hidden) > 0 && hidden[0] != "assignmentEnabled" {
			return false
		}
		return creatable(config, live)
	}
}

func TestEverySequenceOfRegionRunsConverges(t *testing.T) {
	t.Parallel()
	registered := regionRegistrations()[:3]
	rapid.Check(t, func(t *rapid.T) {
		r := registered[rapid.IntRange(0, len(registered)-1).Draw(t, "registration")]
		reads := rapid.IntRange(0, 2).Draw(t, "number of stale reads")
		r.Options = emulator.Options{StaleReads: reads, StaleResponses: rapid.Bool().Draw(t, "stale responses to writes")}
		sideEffect := rapid.SampledFrom(append(slices.Sorted(maps.Keys(regionSideEffects)), slices.Repeat([]string{"none"}, 4)...)).Draw(t, "sideEffect")
		hidden := rapid.SampledFrom([][]string{nil, nil, {"assignmentEnabled"}, {"restoreEndpoint"}, {"deploymentDescription", "bqProxyEndpoint"}}).Draw(t, "hidden")
		r.Creatable = unlessHidden(r.Creatable, hidden)
		var ending []func()
		defer func() {
			for _, end := range ending {
				end()
			}
		}()
		f := &regionSequence{Trial: r.Start(t, func(end func()) { ending = append(ending, end) }), config: r.Config, reads: reads, lags: r.Options.StaleResponses, sideEffect: regionSideEffects[sideEffect]}
		f.Hidden = hidden
		f.Unrequested = sideEffect != "none"
		f.Proxy.Handle(f.serve)
		id := r.ID(r.Config)

		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			switch action := rapid.SampledFrom([]string{"apply", "apply", "saved plan", "drift", "remove", "ignore", "import", "destroy", "replace", "taint", "move"}).Draw(t, "action"); action {
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
					f.CheckApply(p, nil)
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
				diags := f.CheckApply(p, providertest.Values{})
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
