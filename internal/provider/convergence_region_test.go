package provider_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
)

// regionMoods are services that make something else of a region than they were
// asked for. Each gets the region before and after a write.
var regionMoods = map[string]func(before, after map[string]any){
	"obedient": nil,
	"puts a slash after endpoints": func(_, after map[string]any) {
		if endpoint, _ := after["restoreEndpoint"].(string); endpoint != "" && endpoint[len(endpoint)-1] != '/' {
			after["restoreEndpoint"] = endpoint + "/"
		}
	},
	"stops assignments with each write": func(_, after map[string]any) { after["assignmentEnabled"] = false },
	"never changes a description": func(before, after map[string]any) {
		if before != nil {
			after["deploymentDescription"] = before["deploymentDescription"]
		}
	},
}

// regionSequence is a sequence of runs on one region.
type regionSequence struct {
	*trial
	config values
	reads  int  // how many reads lag
	lags   bool // so does the answer to a write
	mood   func(before, after map[string]any)
}

// drawRegionConfig draws a configuration that is valid, though perhaps not for a
// region that exists, or doesn't.
func drawRegionConfig(t *rapid.T, id string) values {
	config := values{"deployment_id": id}
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

// drawRegionClick draws what someone makes of a region in the console.
func drawRegionClick(t *rapid.T) map[string]any {
	click := map[string]any{}
	for _, field := range []string{"deploymentDescription", "ingestionEndpoint", "restoreEndpoint", "bqProxyEndpoint"} {
		if rapid.Bool().Draw(t, "clicks "+field) {
			click[field] = rapid.SampledFrom([]string{"clicked", "clicked twice", ""}).Draw(t, field)
		}
	}
	if rapid.Bool().Draw(t, "clicks assignments") {
		click["assignmentEnabled"] = rapid.Bool().Draw(t, "assignments")
	}
	return click
}

// serve answers as the service of this run does: with its mood, and without the
// fields that it hides.
func (f *regionSequence) serve(w http.ResponseWriter, r *http.Request, service http.Handler) {
	before := f.live(f.of.config)
	rewritten(func(r *http.Request, document map[string]any) {
		if after := f.live(f.of.config); writes(r) && after != nil && f.mood != nil {
			f.mood(before, after)
			f.service.SetRegion(f.of.id(f.of.config), after)
			if !f.lags || before == nil {
				maps.Copy(document, after)
			}
		}
		for _, field := range f.hidden {
			delete(document, field)
		}
	})(w, r, service)
}

// ends checks what every run has to leave behind.
func (f *regionSequence) ends(told diagnostics, config values) {
	f.t.Helper()
	if len(told.errors()) == 0 {
		f.applied = config
	}
	catchUp(f.trial, f.reads)
	if !f.state.IsNull() {
		f.settles(config)
	}
}

// attempt plans and applies a configuration. What is between plan and apply is
// done by others.
func (f *regionSequence) attempt(config values, between func()) {
	f.t.Helper()
	f.refreshes()
	p := f.judged(config)
	if p == nil {
		return
	}
	if between != nil {
		between()
	}
	told := f.carriesOut(p, values{})
	if len(told.errors()) > 0 && f.mood == nil && f.hidden == nil && between == nil {
		f.t.Fatalf("apply: %q", told.errors())
	}
	f.config = config
	f.ends(told, config)
}

// unlessHidden narrows what can be created: a region is changed with all its
// texts, so one that hides some can only be adopted as it is, or with all of them.
func unlessHidden(creatable func(values, map[string]any) bool, hidden []string) func(values, map[string]any) bool {
	return func(config values, live map[string]any) bool {
		enabled, describes := config["assignment_enabled"], config["restore_endpoint"] != nil
		if live != nil && !describes && enabled != nil && enabled != live["assignmentEnabled"] && len(hidden) > 0 && hidden[0] != "assignmentEnabled" {
			return false
		}
		return creatable(config, live)
	}
}

func TestEverySequenceOfRunsOfARegionConverges(t *testing.T) {
	t.Parallel()
	registered := regionRegistrations()[:3]
	rapid.Check(t, func(t *rapid.T) {
		r := registered[rapid.IntRange(0, len(registered)-1).Draw(t, "registration")]
		reads := rapid.IntRange(0, 2).Draw(t, "reads that lag")
		r.options = emulator.Options{StaleReads: reads, StaleAnswers: rapid.Bool().Draw(t, "answers that lag")}
		mood := rapid.SampledFrom(append(slices.Sorted(maps.Keys(regionMoods)), slices.Repeat([]string{"obedient"}, 4)...)).Draw(t, "mood")
		hidden := rapid.SampledFrom([][]string{nil, nil, {"assignmentEnabled"}, {"restoreEndpoint"}, {"deploymentDescription", "bqProxyEndpoint"}}).Draw(t, "hidden")
		r.creatable = unlessHidden(r.creatable, hidden)
		var ending []func()
		defer func() {
			for _, end := range ending {
				end()
			}
		}()
		f := &regionSequence{trial: r.start(t, func(end func()) { ending = append(ending, end) }), config: r.config, reads: reads, lags: r.options.StaleAnswers, mood: regionMoods[mood]}
		f.hidden = hidden
		f.meddles = mood != "obedient"
		f.spoils(f.serve)
		id := r.id(r.config)

		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			switch action := rapid.SampledFrom([]string{"apply", "apply", "saved plan", "click", "remove", "ignore", "import", "destroy", "replace", "taint", "move"}).Draw(t, "action"); action {
			case "apply":
				f.attempt(drawRegionConfig(t, id), nil)
			case "saved plan":
				click := drawRegionClick(t)
				f.attempt(drawRegionConfig(t, id), func() {
					if f.service.Region(id) != nil {
						f.service.SetRegion(id, click)
					}
				})
			case "click":
				click := drawRegionClick(t)
				if f.service.Region(id) == nil {
					whole := regionBody(map[string]any{"assignmentEnabled": true})
					maps.Copy(whole, click)
					click = whole
				}
				f.service.SetRegion(id, click)
				f.ends(nil, f.config)
			case "remove":
				f.service.RemoveRegion(id)
				f.refreshes()
				if f.attributes() != nil {
					t.Fatalf("the region is gone, and the state holds %v", f.attributes())
				}
			case "ignore":
				f.ignoreChanges = rapid.SampledFrom([][]string{nil, {"all"}, {"assignment_enabled"}, {"restore_endpoint", "deployment_description"}}).Draw(t, "ignored")
			case "import":
				f.imports()
			case "destroy":
				if p := f.destroys(); p != nil {
					f.carriesOut(p, nil)
				}
			case "replace", "taint":
				if f.state.IsNull() {
					continue
				}
				f.createBeforeDestroy = rapid.Bool().Draw(t, "create before destroy")
				f.refreshes()
				f.tainted = action == "taint" && !f.state.IsNull()
				p := f.planAs(f.config, action == "replace")
				if f.tainted = false; len(p.errors()) > 0 {
					continue
				}
				f.tainted = action == "taint"
				told := f.carriesOut(p, values{})
				f.tainted = false
				f.ends(told, f.config)
			case "move":
				f.state, f.private, f.identity = f.null(), nil, nil
			}
		}
	})
}

// imports takes the region over by its ID, and expects its exported configuration
// to plan nothing.
func (f *regionSequence) imports() {
	f.t.Helper()
	f.restart()
	imported := &trial{of: f.of, service: f.service, managed: f.resource(regionType)}
	told := imported.importID(f.of.id(f.of.config))
	if (f.live(f.of.config) == nil) != imported.state.IsNull() {
		f.t.Fatalf("imported %v, and the service holds %v: %q", imported.attributes(), f.live(f.of.config), told.errors())
	}
	if imported.state.IsNull() {
		return
	}
	f.managed.state, f.managed.private, f.managed.identity = imported.state, imported.private, imported.identity
	if len(f.hidden) > 0 {
		return // what is hidden is missing in the export
	}
	ignored := f.ignoreChanges
	f.ignoreChanges = nil
	if p := f.plan(f.attributes()); !p.isEmpty() || len(p.errors()) > 0 {
		f.t.Fatalf("an exported configuration changes %v %q", p.changes(), p.errors())
	}
	f.ignoreChanges = ignored
}

// destroys plans a destroy. It returns nil if there is nothing, or the region is
// protected.
func (f *regionSequence) destroys() *planned {
	f.t.Helper()
	f.refreshes()
	if f.state.IsNull() {
		return nil
	}
	p := f.plan(nil)
	if isProtected := f.of.protects(f.attributes()); isProtected != (len(p.errors()) > 0) {
		f.t.Fatalf("protected %v, and told %q", isProtected, p.errors())
	}
	if len(p.errors()) > 0 {
		return nil
	}
	return p
}
