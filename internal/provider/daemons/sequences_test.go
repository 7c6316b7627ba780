package daemons_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// drawUnknowns draws the facts that the documentation of daemons and job configurations leaves
// open.
func drawUnknowns(t *rapid.T) emulator.Unknowns {
	return emulator.Unknowns{
		DaemonSwitchesDefaultToFalse: rapid.Bool().Draw(t, "switches default to false"),
		ReturnsUnconfiguredDaemons:   rapid.Bool().Draw(t, "returns unconfigured daemons"),
		MissingDaemonHasNoCode:       rapid.Bool().Draw(t, "no code for a missing daemon"),
		ReturnsEmptyFilters:          rapid.Bool().Draw(t, "returns empty filters"),
		ShowsKMIPPassword:            rapid.Bool().Draw(t, "shows the password"),
		IgnoresMaskedSecrets:         rapid.Bool().Draw(t, "ignores masked secrets"),
	}
}

// drawConfig draws some of the registered changes of a configuration, and leaves out some
// attributes that have no ID. A job configuration without any value counts as removed, so
// it isn't drawn.
func drawConfig(t *rapid.T, r providertest.Registration) providertest.Values {
	config := providertest.With(r.Config)
	for _, change := range r.Changes {
		if rapid.IntRange(0, 2).Draw(t, "changes") == 0 {
			config = providertest.With(config, change)
		}
	}
	for _, attribute := range slices.Sorted(maps.Values(r.Attributes)) {
		if attribute != "kmip_client_cert_path" && rapid.IntRange(0, 4).Draw(t, "leaves out "+attribute) == 0 {
			delete(config, attribute)
		}
	}
	for _, value := range r.Fields(config) {
		if list, isList := value.([]any); value != nil && (!isList || len(list) > 0) {
			return config
		}
	}
	return providertest.With(r.Config)
}

// In each sequence of applies, outside changes, destroys and replacements, an apply changes what
// its plan shows, and the next plan is empty or shows what is left.
func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	registered := slices.Concat(daemonRegistrations(), jobConfigRegistrations())
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(registered).Draw(t, "registration")
		reads := rapid.IntRange(0, 2).Draw(t, "number of stale reads")
		r.Options = emulator.Options{
			ServiceVersion: rapid.SampledFrom([]string{"7.0.0", emulator.NewestVersion}).Draw(t, "version"), Unknowns: drawUnknowns(t),
			StaleReads: reads, StaleResponses: rapid.Bool().Draw(t, "stale responses to writes"),
		}
		r.Creatable = func(providertest.Values, map[string]any) bool { return true } // its process is running
		var ending []func()
		defer func() {
			for _, end := range ending {
				end()
			}
		}()
		a := r.Start(t, func(end func()) { ending = append(ending, end) })
		config := r.Config
		settle := func(diags providertest.Diagnostics) {
			if len(diags.Errors()) == 0 {
				a.Applied = config
			}
			if a.CatchUp(reads); !a.State.IsNull() {
				a.CheckSettled(config)
			}
		}
		attempt := func(plan func(providertest.Values) *providertest.Plan, between func()) {
			a.CheckRefresh()
			p := plan(config)
			if p == nil || len(p.Errors()) > 0 {
				return
			}
			between()
			settle(a.CheckApply(p, providertest.Values{}))
		}
		drift := func() {
			if a.Live(r.Config) != nil {
				r.SetObject(a.Service, r.ID(r.Config), rapid.SampledFrom(r.Drifts).Draw(t, "drift"))
			}
		}
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			switch action := rapid.SampledFrom([]string{"apply", "apply", "saved plan", "drift", "remove", "ignore", "destroy", "replace", "taint"}).Draw(t, "action"); action {
			case "apply":
				config = drawConfig(t, r)
				attempt(a.CheckPlan, func() {})
			case "saved plan":
				config = drawConfig(t, r)
				attempt(a.CheckPlan, drift)
			case "drift":
				drift()
				settle(nil)
			case "remove":
				r.RemoveObject(a.Service, r.ID(r.Config))
				if machine, _ := r.Config["machine"].(string); machine != "" {
					a.Service.StartBackupDaemon(machine, 1)
				}
				for range reads {
					a.Refresh() // a stale read may still return the object
				}
				a.CheckRefresh()
			case "ignore":
				a.IgnoreChanges = rapid.SampledFrom([][]string{nil, {"all"}, {"labels"}, {"label_filter", "daemon_filter"}}).Draw(t, "ignored")
			case "destroy":
				a.CheckRefresh()
				if a.State.IsNull() {
					continue
				}
				if p := a.Plan(nil); len(p.Errors()) == 0 {
					a.CheckApply(p, nil)
				}
			case "replace", "taint":
				if a.CheckRefresh(); a.State.IsNull() {
					continue
				}
				a.CreateBeforeDestroy = rapid.Bool().Draw(t, "create before destroy")
				a.Tainted = action == "taint"
				plan := a.Plan
				if action == "replace" {
					plan = a.PlanReplacement
				}
				if p := plan(config); len(p.Errors()) == 0 {
					settle(a.CheckApply(p, providertest.Values{}))
				}
				a.Tainted = false
			}
		}
	})
}
