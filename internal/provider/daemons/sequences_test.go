package daemons_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// drawUnknowns draws the facts that the documentation of daemons and job configurations leaves
// open.
func drawUnknowns(t *rapid.T) emulator.Unknowns {
	return emulator.Unknowns{
		ReturnsUnconfiguredDaemons: rapid.Bool().Draw(t, "returns unconfigured daemons"),
		MissingDaemonHasNoCode:     rapid.Bool().Draw(t, "no code for a missing daemon"),
		ReturnsEmptyFilters:        rapid.Bool().Draw(t, "returns empty filters"),
		MasksKMIPPassword:          rapid.Bool().Draw(t, "masks the password"),
	}
}

// server changes what the provider sees of a service.
type server struct {
	masks bool          // each response has a different mask of a password
	reads int           // number of responses
	slow  bool          // a PUT is answered with 504, and takes effect later
	late  *http.Request // the last such PUT
}

func (s *server) handle(w http.ResponseWriter, r *http.Request, service http.Handler) {
	if s.slow && r.Method == http.MethodPut {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		s.late = r.Clone(context.Background())
		s.late.Body = io.NopCloser(bytes.NewReader(body))
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		if s.reads++; s.masks && document["kmipClientCertPassword"] != nil {
			document["kmipClientCertPassword"] = fmt.Sprintf("c0rrect-%d", s.reads)
		}
	})(w, r, service)
}

// catchUp makes the last slow PUT take effect.
func (s *server) catchUp(service http.Handler) {
	if s.slow = false; s.late != nil {
		service.ServeHTTP(httptest.NewRecorder(), s.late)
	}
	s.late = nil
}

// object returns the registered object as the service holds it, or nil.
func object(a *providertest.Trial, id string) map[string]any {
	if a.Registration.TypeName == providertest.JobConfigType {
		return a.Service.JobConfig(id)
	}
	return a.Service.BackupDaemon(daemonParts(id))
}

// drawConfig draws some of the registered changes of a configuration, and leaves out some
// attributes that have no ID. A job configuration without a filter counts as removed, so it isn't
// drawn.
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
	if r.TypeName == providertest.JobConfigType && !hasFilter(r.Fields(config)) {
		return providertest.With(r.Config)
	}
	return config
}

// In each sequence of applies, outside changes, destroys and replacements, an apply changes what
// its plan shows, and the next plan is empty or shows what is left.
func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	registered := slices.Concat(daemonRegistrations(), jobConfigRegistrations())
	providertest.CheckSequences(t, func(t *rapid.T) {
		r := rapid.SampledFrom(registered).Draw(t, "registration")
		reads := rapid.IntRange(0, 2).Draw(t, "number of stale reads")
		r.Options = emulator.Options{
			ServiceVersion: rapid.SampledFrom([]string{"7.0.0", emulator.NewestVersion}).Draw(t, "version"), Unknowns: drawUnknowns(t),
			StaleReads: reads, StaleResponses: rapid.Bool().Draw(t, "stale responses to writes"),
		}
		r.Creatable = func(providertest.Values, map[string]any) bool { return true } // its process is running
		a := r.Start(t)
		s := &server{masks: rapid.Bool().Draw(t, "masks")}
		a.Proxy.Handle(s.handle)
		config, id := r.Config, r.ID(r.Config)
		var newSetting any // of the object, which the provider doesn't know
		checkHidden := func() {
			held := object(a, id)
			if held == nil {
				newSetting = nil
			}
			if is := held["newSetting"]; fmt.Sprint(is) != fmt.Sprint(newSetting) {
				t.Fatalf("newSetting was %v and is %v", newSetting, is)
			}
			if password := held["kmipClientCertPassword"]; password != nil && password != "c0rrect-horse" && password != "c0rrect-other" {
				t.Fatalf("the password is %v", password)
			}
		}
		settle := func(diags providertest.Diagnostics) {
			if len(diags.Errors()) == 0 {
				a.Applied = config
			}
			if a.CatchUp(reads); !a.State.IsNull() {
				a.CheckSettled(config)
			}
			checkHidden()
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
			switch action := rapid.SampledFrom([]string{"apply", "apply", "saved plan", "slow", "drift", "new setting", "new setting and apply", "remove", "ignore", "destroy", "replace", "taint", "taint without refresh"}).Draw(t, "action"); action {
			case "apply":
				config = drawConfig(t, a.Registration)
				attempt(a.CheckPlan, func() {})
			case "saved plan":
				config = drawConfig(t, a.Registration)
				attempt(a.CheckPlan, drift)
			case "slow":
				config = drawConfig(t, a.Registration)
				a.CheckRefresh()
				if p := a.CheckPlan(config); p != nil {
					s.slow = true
					diags := a.CheckApply(p, providertest.Values{})
					if s.late != nil && len(diags.Errors()) == 0 {
						t.Fatal("a PUT without a response is a success")
					}
					s.catchUp(a.Proxy.Emulator)
				}
				a.CatchUp(reads)
				attempt(a.CheckPlan, func() {})
			case "new setting", "new setting and apply":
				if object(a, id) != nil {
					newSetting = rapid.SampledFrom([]any{nil, "a", true, map[string]any{"limits": []any{1.5, nil}, "mode": "b"}}).Draw(t, "new setting")
					r.SetObject(a.Service, id, map[string]any{"newSetting": newSetting})
				}
				if action == "new setting and apply" {
					config = drawConfig(t, a.Registration)
					attempt(a.CheckPlan, drift)
				}
			case "drift":
				drift()
				settle(nil)
			case "remove":
				r.RemoveObject(a.Service, r.ID(r.Config))
				newSetting = nil
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
				checkHidden()
			case "replace", "taint", "taint without refresh":
				if a.CheckRefresh(); a.State.IsNull() {
					continue
				}
				if action == "taint without refresh" {
					a.Restart()
				}
				a.CreateBeforeDestroy = rapid.Bool().Draw(t, "create before destroy")
				a.Tainted = action != "replace"
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
