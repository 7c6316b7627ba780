package provider_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// regionFields are the fields of a region: as attributes, as the API names them,
// and a value that the tests' regions don't have.
var regionFields = []struct {
	attribute, field string
	other            any
}{
	{"deployment_description", "deploymentDescription", "Clicked"},
	{"ingestion_endpoint", "ingestionEndpoint", "https://clicked.example.com"},
	{"restore_endpoint", "restoreEndpoint", "https://clicked.example.com"},
	{"bq_proxy_endpoint", "bqProxyEndpoint", "clicked.example.com:1"},
	{"assignment_enabled", "assignmentEnabled", false},
}

// changedRegion is a configuration that differs in one attribute, which is not
// the given one, and the field of that.
func changedRegion(id, except string) (config values, field string, value any) {
	config = region(id, values{"assignment_enabled": true})
	if except == "restore_endpoint" {
		config["bq_proxy_endpoint"] = "changed.example.com:2"
		return config, "bqProxyEndpoint", "changed.example.com:2"
	}
	config["restore_endpoint"] = "https://changed.example.com"
	return config, "restoreEndpoint", "https://changed.example.com"
}

func TestAnUpdateOfARegionKeepsWhatChangedSinceThePlan(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(region("NEW", values{"assignment_enabled": true}))
			config, field, value := changedRegion("NEW", f.attribute)
			p := r.plan(config)
			s.SetRegion("NEW", map[string]any{f.field: f.other})
			s.ResetRequests()
			told := r.apply(p, nil)
			if len(told.errors()) > 0 {
				t.Errorf("told %q", told.errors())
			}
			before := region("NEW", values{"assignment_enabled": true})[f.attribute]
			wantOne(t, told.warnings(), "Deployment Region NEW Changed Since the Plan", fmt.Sprintf("\n  - %s: %#v -> %#v\n", f.attribute, before, f.other), "keeps", "next plan")
			if got := s.calls(); !slices.Equal(got, []string{"GET " + regionsAt + "/NEW", "PUT " + regionsAt + "/NEW"}) {
				t.Errorf("called %q", got)
			}
			wantBody(t, s, "PUT", regionBody(map[string]any{"assignmentEnabled": true, f.field: f.other, field: value}))
			wantAttributes(t, r, config) // as it was planned

			r.refresh()
			p = r.plan(config)
			if got := p.changes(); !slices.Equal(got, []string{f.attribute}) {
				t.Errorf("the next plan changes %v", got)
			}
			r.apply(p, nil)
			r.refresh()
			wantEmpty(t, r.plan(config))
		})
	}
}

func TestIgnoredChangesOfARegionStay(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(region("NEW", values{"assignment_enabled": true}))
			r.ignoreChanges = []string{f.attribute}
			s.SetRegion("NEW", map[string]any{f.field: f.other})
			r.refresh()
			config, field, value := changedRegion("NEW", f.attribute)
			if told := r.apply(r.plan(config), nil); len(told) > 0 {
				t.Errorf("told %q %q", told.errors(), told.warnings())
			}
			if held := s.Region("NEW"); held[f.field] != f.other || held[field] != value {
				t.Errorf("the service holds %v", held)
			}
			r.refresh()
			wantEmpty(t, r.plan(config))

			r.ignoreChanges = []string{"all"}
			s.SetRegion("NEW", map[string]any{field: "https://ignored.example.com:443"})
			r.refresh()
			wantEmpty(t, r.plan(config))
		})
	}
}

func TestAnUpdateDoesNotCreateARegionThatIsGone(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	p := r.plan(region("NEW", values{"restore_endpoint": "https://changed.example.com"}))
	s.RemoveRegion("NEW")
	s.ResetRequests()
	wantOne(t, r.apply(p, nil).errors(), "[deployment_id]", "Unable to Update Deployment Region", `"NEW" no longer exists`, "404", "Plan again")
	wantWrites(t, s)
	wantAttributes(t, r, values{"restore_endpoint": "https://om.example.com:8443"})
}

func TestAnUpdateThatTheServiceHasAlreadySendsNothing(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	p := r.plan(region("NEW", values{"restore_endpoint": "https://changed.example.com"}))
	s.SetRegion("NEW", map[string]any{"restoreEndpoint": "https://changed.example.com"})
	s.ResetRequests()
	if told := r.apply(p, nil); len(told) > 0 {
		t.Errorf("told %q", told.errors())
	}
	wantWrites(t, s)
	wantAttributes(t, r, values{"restore_endpoint": "https://changed.example.com"})
}

func TestASettingOfTheResourceAloneCallsNothing(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	p := r.plan(region("NEW", values{"deletion_protection": true, "adopt_existing": true}))
	s.ResetRequests()
	r.apply(p, nil)
	if got := s.calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
	wantAttributes(t, r, values{"deletion_protection": true, "adopt_existing": true, "deployment_description": "Test"})
}

func TestAServiceThatShowsOldValuesForAWhileIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"in its answer":           {StaleAnswers: true},
		"in its answer and reads": {StaleAnswers: true, StaleReads: 2},
		"in its reads":            {StaleReads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, options)
			r := openWorkspace(t, s, nil).resource(regionType)
			config := region(oceania, values{"adopt_existing": true, "assignment_enabled": false})
			if told := r.apply(r.plan(config), nil); len(told) > 0 {
				t.Errorf("an adoption told %q %q", told.errors(), told.warnings())
			}
			for range options.StaleReads {
				r.refresh()
			}
			config["restore_endpoint"] = "https://changed.example.com"
			if told := r.apply(r.plan(config), nil); len(told) > 0 {
				t.Errorf("an update told %q %q", told.errors(), told.warnings())
			}
			wantAttributes(t, r, config)
		})
	}
}

func TestValuesThatTheServiceChangesAlongAreToldAndKeptAsPlanned(t *testing.T) {
	t.Parallel()
	s, r := startedAdjusting(t, func(region map[string]any) {
		if region["restoreEndpoint"] == "https://changed.example.com" {
			region["assignmentEnabled"], region["bqProxyEndpoint"] = false, "along.example.com:1"
		}
	})
	config := region("NEW", values{"assignment_enabled": true})
	r.create(config)
	config["restore_endpoint"] = "https://changed.example.com"
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.warnings(), "Other Values of Deployment Region NEW Changed", "assignment_enabled: true -> false", `bq_proxy_endpoint: "om.example.com:27217" -> "along.example.com:1"`, "next plan")
	if len(told.errors()) > 0 {
		t.Errorf("told %q", told.errors())
	}
	wantAttributes(t, r, config)
	r.refresh()
	if got := r.plan(config).changes(); !slices.Equal(got, []string{"assignment_enabled", "bq_proxy_endpoint"}) {
		t.Errorf("the next plan changes %v", got)
	}
	wantWrites(t, s, "POST "+regionsAt, "PUT "+regionsAt+"/NEW")
}

func TestWhatThePlanDoesNotKnowIsTakenFromTheAnswer(t *testing.T) {
	t.Parallel()
	s, r := startedAdjusting(t, func(region map[string]any) {
		if region["restoreEndpoint"] == "https://changed.example.com" {
			region["assignmentEnabled"], region["deploymentDescription"] = true, "Along"
		}
	})
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": false}))
	s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: `{"id": "NEW", "bqProxyEndpoint": "om.example.com:27217"}`})
	r.importID("NEW")
	config := values{"deployment_id": "NEW", "restore_endpoint": "https://changed.example.com"}
	if told := r.apply(r.plan(config), nil); len(told) > 0 {
		t.Errorf("told %q %q", told.errors(), told.warnings())
	}
	wantAttributes(t, r, values{"assignment_enabled": true, "deployment_description": "Along"})
}

func TestAServiceThatCannotShowWhatItAdjustedIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s, r := startedAdjusting(t, func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:27217" })
	r.create(region("NEW", nil))
	p := r.plan(region("NEW", values{"bq_proxy_endpoint": "om.example.com:2"}))
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 405})
	wantOne(t, r.apply(p, nil).errors(), "[bq_proxy_endpoint]", "Adjusted")
	if got := s.calls(); len(got) != 3 {
		t.Errorf("called %q", got)
	}
}

func TestAnUpdateSendsARegionUnreadOnlyWhereNoneCanBeRead(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	config := region("NEW", values{"bq_proxy_endpoint": "om.example.com:2"})
	r.refresh()
	p := r.plan(config)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Status: 405})
	wantOne(t, r.apply(p, nil).errors(), "405", "doesn't now", "Nothing was changed", "Plan again")
	wantWrites(t, s)

	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 405})
	r.refresh()
	wantOne(t, r.apply(r.plan(config), nil).warnings(), "NEW Updated Without Reading It First", "ingestion_endpoint", "restore_endpoint", "405")
}

func TestAFieldThatBecomesNullIsDrift(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			config := region("NEW", values{"assignment_enabled": true})
			r.create(config)
			s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: fmt.Sprintf(`{"id": "NEW", %q: null}`, f.field)})
			r.refresh()
			wantAttributes(t, r, values{f.attribute: nil, "deployment_id": "NEW"})
			p := r.plan(config)
			if got := p.changes(); !slices.Equal(got, []string{f.attribute}) {
				t.Fatalf("the plan changes %v", got)
			}
			if told := r.apply(p, nil); len(told) > 0 {
				t.Errorf("told %q %q", told.errors(), told.warnings())
			}
			wantBody(t, s, "PUT", regionBody(map[string]any{"assignmentEnabled": true}))
		})
	}
}

func TestAnAnswerThatSaysNullIsNoAgreement(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	p := r.plan(region("NEW", values{"restore_endpoint": "https://changed.example.com", "assignment_enabled": true}))
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id": "NEW", "restoreEndpoint": null, "assignmentEnabled": null}`})
	s.Inject(emulator.Fault{Method: "GET", Skip: 1, Times: -1, Status: 503})
	told := r.apply(p, nil).errors()
	if len(told) != 2 {
		t.Fatalf("told %q", told)
	}
	wantWords(t, told[0], "[restore_endpoint]", "the service holds null")
	wantWords(t, told[1], "[assignment_enabled]", "the service holds null")
}

func TestAPreviewThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault emulator.Fault
		words string
	}{
		"a wrong key":    {emulator.Fault{Status: 401, Body: `{"error": 401, "detail": "No."}`}, "401"},
		"no right":       {emulator.Fault{Status: 403, Body: `{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`}, "access list"},
		"a failure":      {emulator.Fault{Status: 500}, "500"},
		"an overload":    {emulator.Fault{Status: 503}, "503"},
		"no answer":      {emulator.Fault{DropBefore: true, BeforeAuth: true}, "EOF"},
		"a login page":   {emulator.Fault{Status: 200, Body: "<html><title>Log in</title></html>"}, "Log in"},
		"a malformed id": {emulator.Fault{Status: 404, Body: `{"error": 404, "errorCode": "INVALID_DEPLOYMENT_ID", "detail": "x"}`}, "INVALID_DEPLOYMENT_ID"},
		"another region": {emulator.Fault{Status: 200, Body: `{"id": "OTHER"}`}, `requested region "NEW", got "OTHER"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := startedRegion(t, emulator.Full)
			c.fault.Times = -1
			s.Inject(c.fault)
			for _, config := range []values{region("NEW", nil), {"deployment_id": "NEW"}, region("NEW", values{"adopt_existing": true})} {
				r := openWorkspace(t, s, nil).resource(regionType)
				wantOne(t, r.plan(config).errors(), "Unable to Preview Deployment Region", c.words)
			}
		})
	}
	t.Run("an address that nothing answers at", func(t *testing.T) {
		t.Parallel()
		s, _ := startedRegion(t, emulator.Full)
		r := openWorkspace(t, s, values{"base_url": "http://127.0.0.1:1"}).resource(regionType)
		wantOne(t, r.plan(region("NEW", nil)).errors(), "Unable to Preview Deployment Region", "could not be reached")
	})
}

func TestARegionThatThePlanCreatesCanBeAdopted(t *testing.T) {
	t.Parallel()
	s, creator := startedRegion(t, emulator.Full)
	adopter := creator.workspace.resource(regionType)
	creation := creator.plan(region("NEW", nil))
	adoption := adopter.plan(values{"deployment_id": "NEW"})
	if len(adoption.errors()) > 0 {
		t.Fatalf("told %q", adoption.errors())
	}
	wantOne(t, adoption.warnings(), "[deployment_id]", "Deployment Region NEW in Two Resources", "refer to its deployment_id")
	creator.apply(creation, nil)
	if told := adopter.apply(adoption, nil); len(told) > 0 {
		t.Errorf("told %q %q", told.errors(), told.warnings())
	}
	wantAttributes(t, adopter, values{"deployment_description": "Test"})
	wantWrites(t, s, "POST "+regionsAt)
}

func TestTwoResourcesThatSetValuesOfOneRegionAreRefused(t *testing.T) {
	t.Parallel()
	one := region(oceania, values{"adopt_existing": true})
	other := region(oceania, values{"adopt_existing": true, "deployment_description": "Other"})
	t.Run("both new", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.plan(one)
		wantOne(t, r.workspace.resource(regionType).plan(other).errors(), "[deployment_id]", "Two Resources", oceania, "overwrite the other's")
	})
	t.Run("one new, planned last", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(one)
		r.plan(one)
		wantOne(t, r.workspace.resource(regionType).plan(other).errors(), "[deployment_id]", "Two Resources")
	})
	t.Run("one new, planned first", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(one)
		r.workspace.resource(regionType).plan(other)
		wantOne(t, r.plan(one).errors(), "[deployment_id]", "Two Resources")
	})
	t.Run("both in the state", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(one)
		r.configure()
		imported := r.workspace.resource(regionType)
		imported.importID(oceania)
		if told := r.plan(one); len(told.diagnostics) > 0 {
			t.Fatalf("told %q %q", told.errors(), told.warnings())
		}
		wantOne(t, imported.plan(other).errors(), "[deployment_id]", "Two Resources", "overwrite the other's")
	})
	t.Run("both in the state, one sets nothing", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(one)
		r.configure()
		imported := r.workspace.resource(regionType)
		imported.importID(oceania)
		imported.plan(values{"deployment_id": oceania})
		p := r.plan(one)
		wantOne(t, p.warnings(), "Deployment Region AU_NZ in Two Resources", "Destroying either one deletes it for both")
		if len(p.errors()) > 0 {
			t.Errorf("told %q", p.errors())
		}
	})
	t.Run("one sets nothing", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.plan(values{"deployment_id": oceania})
		p := r.workspace.resource(regionType).plan(values{"deployment_id": oceania, "assignment_enabled": true})
		wantOne(t, p.warnings(), "Deployment Region AU_NZ in Two Resources", "Destroying either one deletes it for both")
		if len(p.errors()) > 0 {
			t.Errorf("told %q", p.errors())
		}
	})
}

func TestARenamedRegionIsNotDeleted(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]values{
		"adopted":    {"deployment_id": oceania},
		"taken over": region(oceania, values{"adopt_existing": true}),
	} {
		t.Run(name+", the old address first", func(t *testing.T) {
			t.Parallel()
			_, old := startedRegion(t, emulator.Full)
			old.create(config)
			old.configure()
			if told := old.plan(nil).errors(); len(told) > 0 {
				t.Fatalf("told %q", told)
			}
			wantOne(t, old.workspace.resource(regionType).plan(config).errors(), "[deployment_id]", oceania, "moved {", "removed block")
		})
		t.Run(name+", the new address first", func(t *testing.T) {
			t.Parallel()
			_, old := startedRegion(t, emulator.Full)
			old.create(config)
			old.configure()
			if told := old.workspace.resource(regionType).plan(config).errors(); len(told) > 0 {
				t.Fatalf("told %q", told)
			}
			wantOne(t, old.plan(nil).errors(), "[deployment_id]", oceania, "moved {", "removed block")
		})
	}
	// As an address that was imported or adopted a second time has it, and a deposed
	// object that was left over.
	for name, c := range map[string]struct{ has, config values }{
		"unchanged":    {values{"deployment_id": oceania}, values{"deployment_id": oceania}},
		"to change":    {region(oceania, values{"adopt_existing": true}), region(oceania, values{"deployment_description": "Changed"})},
		"with a value": {values{"deployment_id": oceania}, values{"deployment_id": oceania, "assignment_enabled": false}},
	} {
		both := func(t *testing.T) (kept, other *managed) {
			t.Helper()
			_, kept = startedRegion(t, emulator.Full)
			kept.create(c.has)
			kept.configure()
			copied := *kept
			return kept, &copied
		}
		words := []string{"[deployment_id]", oceania, "moved {", "removed block with destroy = false", "terraform state rm ADDRESS", "deposed"}
		t.Run(name+" at another address, destroyed first", func(t *testing.T) {
			t.Parallel()
			kept, other := both(t)
			if told := other.plan(nil).errors(); len(told) > 0 {
				t.Fatalf("told %q", told)
			}
			wantOne(t, kept.plan(c.config).errors(), words...)
		})
		t.Run(name+" at another address, destroyed last", func(t *testing.T) {
			t.Parallel()
			kept, other := both(t)
			if told := kept.plan(c.config).errors(); len(told) > 0 {
				t.Fatalf("told %q", told)
			}
			wantOne(t, other.plan(nil).errors(), words...)
		})
	}
	t.Run("forgotten at the old address", func(t *testing.T) {
		t.Parallel()
		s, old := startedRegion(t, emulator.Full)
		old.create(values{"deployment_id": oceania, "skip_destroy": true})
		old.configure()
		destroy, renamed := old.plan(nil), old.workspace.resource(regionType)
		p := renamed.plan(values{"deployment_id": oceania})
		if len(destroy.errors())+len(p.errors()) > 0 {
			t.Fatalf("told %q %q", destroy.errors(), p.errors())
		}
		old.apply(destroy, nil)
		renamed.apply(p, nil)
		wantWrites(t, s)
		wantAttributes(t, renamed, values{"deployment_description": "Australia and New Zealand"})
	})
}

func TestAReplacementLooksBeforeTheOldRegionIsDeleted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to values
		words    []string
	}{
		"adopts what is not there": {values{"deployment_id": oceania}, values{"deployment_id": "AU_NZX"}, []string{`no region "AU_NZX" to adopt`}},
		"creates what is there":    {region("OLD", nil), region(europe, nil), []string{europe, "Exists Already"}},
		"is incomplete":            {region("OLD", nil), region("NEW", values{"restore_endpoint": nil}), []string{"[restore_endpoint]", "Incomplete Deployment Region"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(c.from)
			r.configure()
			s.ResetRequests()
			p := r.plan(c.to)
			wantOne(t, p.errors(), c.words...)
			wantWrites(t, s)
		})
	}
	for name, c := range map[string]struct{ from, to values }{
		"keeps the old one":    {region("OLD", values{"skip_destroy": true}), region("NEW", values{"skip_destroy": true})},
		"adopts what is there": {values{"deployment_id": oceania}, values{"deployment_id": europe}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := startedRegion(t, emulator.Full)
			r.create(c.from)
			r.configure()
			p := r.plan(c.to)
			if told := r.apply(p, nil); len(told.errors()) > 0 {
				t.Errorf("told %q", told.errors())
			}
			wantAttributes(t, r, c.to)
		})
	}
	t.Run("overwrites", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(region("OLD", nil))
		r.configure()
		p := r.plan(region(oceania, values{"adopt_existing": true}))
		if len(p.warnings()) != 2 {
			t.Fatalf("told %q %q", p.errors(), p.warnings())
		}
		wantWords(t, p.warnings()[0], "Deletion of Deployment Region OLD")
		wantWords(t, p.warnings()[1], "Overwritten Values of Deployment Region AU_NZ", `"Australia and New Zealand" -> "Test"`)
	})
}

// As terraform plan -replace does, and replace_triggered_by.
func TestAForcedReplacementIsPlannedOnlyIfItCanSucceed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config values
		words  []string // of the refusal, if there is one
	}{
		"created":                      {region("NEW", nil), []string{"[adopt_existing]", "NEW", "adopt_existing = true", "untaint"}},
		"created and taken over":       {region("NEW", values{"adopt_existing": true}), nil},
		"created, protected":           {region("NEW", values{"deletion_protection": true}), []string{"[deletion_protection]", "NEW", "apply first"}},
		"created, kept":                {region("NEW", values{"skip_destroy": true}), []string{"[adopt_existing]", "NEW", "skip_destroy", "untaint"}},
		"created, kept and taken over": {region("NEW", values{"skip_destroy": true, "adopt_existing": true}), nil},
		"adopted":                      {values{"deployment_id": oceania}, []string{"[deployment_id]", oceania, "create it again", "untaint"}},
		"adopted, with a setting":      {values{"deployment_id": oceania, "assignment_enabled": true}, []string{"create it again"}},
		"adopted, protected":           {values{"deployment_id": oceania, "deletion_protection": true}, []string{"[deletion_protection]"}},
		"adopted, kept":                {values{"deployment_id": oceania, "skip_destroy": true}, nil},
	} {
		replaced := func(t *testing.T, s *testService, r *managed, p *planned) {
			t.Helper()
			s.ResetRequests()
			if c.words != nil {
				wantOne(t, p.errors(), c.words...)
				return
			}
			if len(p.errors()) > 0 || !p.replaces {
				t.Fatalf("told %q", p.errors())
			}
			if told := r.apply(p, nil); len(told.errors()) > 0 {
				t.Errorf("told %q", told.errors())
			}
			if c.config["skip_destroy"] != nil {
				wantWrites(t, s)
			} else {
				wantWrites(t, s, "DELETE "+regionsAt+"/NEW", "POST "+regionsAt)
			}
			wantAttributes(t, r, c.config)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(c.config)
			r.configure()
			replaced(t, s, r, r.planReplacement(c.config))
		})
		t.Run(name+", tainted", func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(c.config)
			r.configure()
			r.tainted = true
			r.refresh()
			p := r.plan(c.config)
			if c.words == nil && c.config["skip_destroy"] == nil {
				wantOne(t, p.warnings(), "Deletion of Deployment Region NEW")
			}
			replaced(t, s, r, p)
		})
	}
}

func TestAForcedReplacementOfARegionInPartIsRefused(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.SetRegion("NEW", regionBody(map[string]any{"restoreEndpoint": nil}))
	r.importID("NEW")
	wantOne(t, r.planReplacement(region("NEW", values{"restore_endpoint": nil})).errors(), "[deployment_id]", "Unable to Replace Deployment Region", "takes all of deployment_description")
}

func TestWhatIsNotKnownYetIsNotRefused(t *testing.T) {
	t.Parallel()
	s, _ := startedRegion(t, emulator.Full)
	plan := func(config values) []string {
		return openWorkspace(t, s, nil).resource(regionType).plan(config).errors()
	}
	late := region(oceania, nil)
	for _, text := range []string{"deployment_description", "ingestion_endpoint", "restore_endpoint", "bq_proxy_endpoint"} {
		late[text] = unknown
	}
	for name, config := range map[string]values{
		"whether it may be taken over": region(oceania, values{"adopt_existing": unknown}),
		"all of its texts":             late,
	} {
		if got := plan(config); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	wantOne(t, plan(region(oceania, values{"restore_endpoint": unknown})), "Exists Already")
	bare := startService(t, emulator.Options{Profile: emulator.Documented})
	if got := openWorkspace(t, bare, nil).resource(regionType).plan(values{"deployment_id": oceania, "assignment_enabled": unknown}).errors(); len(got) > 0 {
		t.Errorf("a setting: %q", got)
	}

	r := openWorkspace(t, s, nil).resource(regionType)
	r.create(region("NEW", values{"skip_destroy": true}))
	if got := r.planReplacement(region("NEW", values{"skip_destroy": true, "adopt_existing": unknown})).errors(); len(got) > 0 {
		t.Errorf("whether it may be taken over again: %q", got)
	}
}

func TestADestroyedRegionCanBeCreatedAgain(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	r.destroy()
	r.create(region("NEW", nil))
	wantWrites(t, s, "POST "+regionsAt, "DELETE "+regionsAt+"/NEW", "POST "+regionsAt)
}

func TestWhatAPlanRemembersForAReplacementDisturbsNoOtherPlan(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := region("NEW", values{"deletion_protection": true, "adopt_existing": true})
	r.create(config)
	config["deployment_description"] = "Changed"
	p := r.plan(config)
	if !strings.Contains(string(p.private), "replaced_region") {
		t.Fatalf("the plan has %s, so that this proves nothing", p.private)
	}
	r.apply(p, nil)
	if strings.Contains(string(r.private), "replaced_region") {
		t.Errorf("the state has %s", r.private)
	}
	config["deletion_protection"] = nil
	r.create(config)
	r.refresh()
	wantEmpty(t, r.plan(config))

	// What the last plan knew counts, not what the first one did.
	r.configure()
	p = r.planReplacement(config)
	if told := r.apply(p, nil); len(p.errors())+len(told.errors()) > 0 {
		t.Errorf("told %q %q", p.errors(), told.errors())
	}

	imported := openWorkspace(t, s, nil).resource(regionType)
	imported.importID("NEW")
	delete(config, "adopt_existing")
	wantEmpty(t, imported.plan(config))
	imported.configure()
	config["deployment_description"] = "Again"
	imported.create(config)
}

func TestARegionThatIsDeletedOutsideTerraformIsCreatedAgain(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]values{"created": nil, "protected": {"deletion_protection": true}, "kept": {"skip_destroy": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			config := region("NEW", more)
			r.create(config)
			config["deployment_description"] = "Changed"
			r.create(config)
			s.RemoveRegion("NEW")
			r.configure()
			r.refresh()
			wantNothing(t, r)
			if told := r.create(config); len(told) > 0 {
				t.Errorf("told %q", told.warnings())
			}
			wantAttributes(t, r, config)
		})
	}
	// As a state of an earlier version has it, whose updates left the data there.
	t.Run("with the data of a plan in the state", func(t *testing.T) {
		t.Parallel()
		s, r := startedRegion(t, emulator.Full)
		config := region("NEW", values{"deletion_protection": true})
		r.create(config)
		r.private = r.plan(config).private
		s.RemoveRegion("NEW")
		r.configure()
		r.refresh()
		r.create(config)
	})
}

func TestARegionThatIsCreatedBeforeItIsDestroyedIsKept(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := region("NEW", values{"adopt_existing": true})
	r.create(config)
	s.ResetRequests()
	r.createBeforeDestroy = true
	told := r.apply(r.planReplacement(config), nil)
	if len(told.errors()) > 0 {
		t.Fatalf("told %q", told.errors())
	}
	wantOne(t, told.warnings(), "Deployment Region NEW Not Deleted", "create_before_destroy")
	wantWrites(t, s)
	wantAttributes(t, r, config)
	r.refresh()
	wantEmpty(t, r.plan(config))

	// Another region is deleted.
	next := region("NEXT", nil)
	p := r.plan(next)
	if len(p.errors()) > 0 {
		t.Fatalf("told %q", p.errors())
	}
	told = r.apply(p, nil)
	if len(told.errors()) > 0 {
		t.Errorf("told %q", told.errors())
	}
	wantWords(t, strings.Join(told.warnings(), "\n"), "Deployment Region NEW Deleted")
	wantWrites(t, s, "POST "+regionsAt, "DELETE "+regionsAt+"/NEW")
}

func TestADeletedRegionIsReportedWithAllItsFields(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	s.SetRegion("NEW", map[string]any{"deploymentDescription": "A \"${live}\" %{ value\n\u202e\U0001d173\\", "assignmentEnabled": true})
	told := r.destroy()
	deleted := told.warnings()[1]
	wantWords(t, deleted, "Deployment Region NEW Deleted", "To create the region again", `
  resource "opsmanager_deployment_region" "example" {
    deployment_id          = "NEW"
    deployment_description = "A \"$${live}\" %%{ value\n\u202e\U0001d173\\"
    ingestion_endpoint     = "https://om.example.com:8443"
    restore_endpoint       = "https://om.example.com:8443"
    bq_proxy_endpoint      = "om.example.com:27217"
    assignment_enabled     = true
  }`)
	if strings.Contains(deleted, "Not known") || strings.Contains(deleted, "in the Terraform state") {
		t.Errorf("told %s", deleted)
	}

	r.create(region("OTHER", nil))
	s.SetRegion("OTHER", map[string]any{"deploymentDescription": "Live"})
	s.Inject(emulator.Fault{Method: "GET", Status: 503})
	wantWords(t, r.destroy().warnings()[1], "Deployment Region OTHER Deleted", "settings in the Terraform state", `deployment_description = "Test"`)
}

func TestALostWriteIsSaidToBePossible(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{"an answer that is lost": {DropAfter: true}, "a failure": {Status: 500}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			r.create(region("NEW", nil))
			fault.Method, fault.Times = "PUT", -1
			s.Inject(fault)
			told := r.apply(r.plan(region("NEW", values{"deployment_description": "Changed"})), nil)
			wantOne(t, told.errors(), "Unable to Update Deployment Region", mayHaveChanged)
			wantAttributes(t, r, values{"deployment_description": "Test"})

			fault.Method = "DELETE"
			s.Inject(fault)
			told = r.destroy()
			wantOne(t, told.errors(), "Unable to Delete Deployment Region", mayHaveChanged)
			if len(told.warnings()) != 2 {
				t.Fatalf("told %q", told.warnings())
			}
			wantWords(t, told.warnings()[1], "Deployment Region NEW May Have Been Deleted", "the next plan shows", `deployment_id          = "NEW"`)
			wantAttributes(t, r, values{"deployment_id": "NEW"})
		})
	}
	t.Run("a refusal", func(t *testing.T) {
		t.Parallel()
		s, r := startedRegion(t, emulator.Full)
		r.create(region("NEW", nil))
		s.UseRegion("NEW", "a store")
		if told := r.destroy(); len(told.warnings()) != 1 || strings.Contains(told.errors()[0], mayHaveChanged) {
			t.Errorf("told %q %q", told.warnings(), told.errors())
		}
		s.Inject(emulator.Fault{Method: "PUT", Status: 400})
		if told := r.apply(r.plan(region("NEW", values{"deployment_description": "Changed"})), nil); strings.Contains(told.errors()[0], mayHaveChanged) {
			t.Errorf("told %q", told.errors())
		}
	})
}

func TestARunThatIsInterruptedBeforeADeletionDeletesNothing(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{{answer: hang}, {answer: func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := answered(r, service)
		time.Sleep(100 * time.Millisecond)
		send(w, recorded, recorded.Body.Bytes())
	}}} {
		d := openDoor(t, emulator.Options{}, false)
		w := openWorkspace(t, d.testService, nil)
		r := w.resource(regionType)
		r.create(region("NEW", nil))
		w.configure()
		r.refresh()
		p := r.plan(nil)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		w.ctx = ctx
		d.onStrike = func() { time.AfterFunc(20*time.Millisecond, interrupt) }
		d.strike(f, "GET", 0, true)
		wantOne(t, r.apply(p, nil).errors(), "Unable to Delete Deployment Region", "interrupted", "nothing was deleted")
		if seen := d.heal(t); slices.Contains(seen, "DELETE") || d.Region("NEW") == nil {
			t.Errorf("sent %q", seen)
		}
		wantAttributes(t, r, values{"deployment_id": "NEW"})
	}
}

func TestAnAnswerAboutAnotherRegionStopsADeletion(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	r.configure()
	p := r.plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: `{"id": "OTHER"}`})
	wantOne(t, r.apply(p, nil).errors(), "Unable to Delete Deployment Region", `requested region "NEW", got "OTHER"`, "Nothing was deleted")
	wantWrites(t, s)
	wantAttributes(t, r, values{"deployment_id": "NEW"})
}

func TestARegionWhoseFirstDeletionWasNotAnsweredIsReported(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, values{"max_retries": 1}).resource(regionType)
	r.create(region("NEW", nil))
	r.configure()
	p := r.plan(nil)
	s.SetRegion("NEW", map[string]any{"deploymentDescription": "Live"})
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "DELETE", DropAfter: true})
	told := r.apply(p, nil)
	wantOne(t, told.warnings(), "Deployment Region NEW Deleted", "earlier attempt", `deployment_description = "Live"`)
	if len(told.errors()) > 0 {
		t.Errorf("told %q", told.errors())
	}
	wantWrites(t, s, "DELETE "+regionsAt+"/NEW", "DELETE "+regionsAt+"/NEW")
	wantNothing(t, r)

	// One that was not there before is not.
	r.create(region("NEW", nil))
	r.configure()
	p = r.plan(nil)
	s.RemoveRegion("NEW")
	if told := r.apply(p, nil); len(told) > 0 {
		t.Errorf("told %q %q", told.errors(), told.warnings())
	}
	wantNothing(t, r)
}

// An adoption needs a region, which a destroy of the same plan may be about to
// delete.
func TestARegionOfUnknownIDIsAdoptedOnlyIfThePlanDeletesNone(t *testing.T) {
	t.Parallel()
	adoption := values{"deployment_id": unknown}
	t.Run("its own", func(t *testing.T) {
		t.Parallel()
		for _, config := range []values{adoption, {"deployment_id": unknown, "assignment_enabled": true}} {
			_, r := startedRegion(t, emulator.Full)
			r.create(values{"deployment_id": oceania})
			r.configure()
			wantOne(t, r.plan(config).errors(), "[deployment_id]", "Unknown ID", "none to adopt")
		}
	})
	t.Run("its own, kept", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(values{"deployment_id": oceania, "skip_destroy": true})
		r.configure()
		if told := r.plan(adoption).errors(); len(told) > 0 {
			t.Errorf("told %q", told)
		}
	})
	t.Run("its own, created", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Full)
		r.create(region("NEW", nil))
		r.configure()
		if told := r.plan(region("NEW", values{"deployment_id": unknown})).errors(); len(told) > 0 {
			t.Errorf("told %q", told)
		}
	})
	t.Run("another one, destroyed first", func(t *testing.T) {
		t.Parallel()
		_, old := startedRegion(t, emulator.Full)
		old.create(values{"deployment_id": oceania})
		old.configure()
		if told := old.plan(nil).errors(); len(told) > 0 {
			t.Fatalf("told %q", told)
		}
		wantOne(t, old.workspace.resource(regionType).plan(adoption).errors(), "[deployment_id]", "Unknown ID", "known", "-target")
	})
	t.Run("another one, destroyed last", func(t *testing.T) {
		t.Parallel()
		_, old := startedRegion(t, emulator.Full)
		old.create(values{"deployment_id": oceania})
		old.configure()
		if told := old.workspace.resource(regionType).plan(adoption).errors(); len(told) > 0 {
			t.Fatalf("told %q", told)
		}
		wantOne(t, old.plan(nil).errors(), "[deployment_id]", "Unknown ID", "known", "-target")
	})
	t.Run("another one, kept", func(t *testing.T) {
		t.Parallel()
		_, old := startedRegion(t, emulator.Full)
		old.create(values{"deployment_id": oceania, "skip_destroy": true})
		old.configure()
		adopter := old.workspace.resource(regionType)
		if told := append(old.plan(nil).errors(), adopter.plan(adoption).errors()...); len(told) > 0 {
			t.Errorf("told %q", told)
		}
	})
}

func TestAnImportSaysWhyThereIsNothingToImport(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	wantOne(t, r.importID("NOWHERE").errors(), "Unable to Import Deployment Region", `no region "NOWHERE"`, "No deployment region with ID NOWHERE exists")
	s.Inject(emulator.Fault{Method: "GET", Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "Not yours."}`})
	wantOne(t, r.importID(oceania).errors(), "Unable to Import Deployment Region", "Not yours.", "Global Backup Admin")
}

// Terraform writes a configuration without the text that the service leaves out.
func TestARegionThatIsShownInPartIsConfiguredInPart(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.SetRegion("NEW", regionBody(map[string]any{"restoreEndpoint": nil, "assignmentEnabled": true}))
	r.importID("NEW")
	config := region("NEW", values{"restore_endpoint": nil, "assignment_enabled": true})
	wantEmpty(t, r.plan(config))

	config["deployment_description"] = "Changed"
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "[restore_endpoint]", "Unable to Update Deployment Region", "only be written as a whole", "Configure restore_endpoint too")
	wantWrites(t, s)
	config["restore_endpoint"] = "https://om.example.com:8443"
	r.create(config)
	wantBody(t, s, "PUT", regionBody(map[string]any{"deploymentDescription": "Changed", "assignmentEnabled": true}))
}

// A region is written with all its texts, and the apply would find none for this
// one.
func TestAnAdoptionThatCannotBeWrittenFailsAtThePlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config values
		words  []string
	}{
		"a change":                 {values{"deployment_id": "NEW", "assignment_enabled": false}, []string{"[restore_endpoint]", "Unable to Adopt Deployment Region", "Configure restore_endpoint too"}},
		"a change, partly known":   {values{"deployment_id": "NEW", "assignment_enabled": false, "ingestion_endpoint": unknown}, []string{"[restore_endpoint]"}},
		"a text that may be set":   {values{"deployment_id": "NEW", "assignment_enabled": false, "restore_endpoint": unknown}, nil},
		"no change":                {values{"deployment_id": "NEW", "assignment_enabled": true}, nil},
		"a change that may be one": {values{"deployment_id": "NEW", "assignment_enabled": unknown}, nil},
		"nothing set":              {values{"deployment_id": "NEW"}, nil},
		"all set":                  {region("NEW", values{"adopt_existing": true, "assignment_enabled": false}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			s.SetRegion("NEW", regionBody(map[string]any{"restoreEndpoint": nil, "assignmentEnabled": true}))
			p := r.plan(c.config)
			if c.words != nil {
				wantOne(t, p.errors(), c.words...)
			} else if len(p.errors()) > 0 {
				t.Errorf("told %q", p.errors())
			}
		})
	}
}

func TestEndpointsOfAnUnusualFormAreWarnedOfWhenTheyChange(t *testing.T) {
	t.Parallel()
	for attribute, forms := range map[string]map[string]bool{
		"ingestion_endpoint": {"ftp://om.example.com": true, "om.example.com:8443": true, "https://": true, "": true, "http://om.example.com": false, "https://[::1]:8443/path": false},
		"restore_endpoint":   {"ftp://om.example.com": true, "//om.example.com": true, "https://om.example.com": false},
		"bq_proxy_endpoint": {
			"https://om.example.com:27217": true, "om.example.com": true, ":27217": true, "om.example.com:0": true, "om.example.com:65536": true, "om.example.com:x": true,
			"om.example.com:27217": false, "[::1]:1": false,
		},
		"deployment_description": {"ftp://": false},
	} {
		for form, unusual := range forms {
			s, r := startedRegion(t, emulator.Full)
			config := region("NEW", values{attribute: form})
			p := r.plan(config)
			if unusual {
				wantOne(t, p.warnings(), "["+attribute+"]", "Unusual "+attribute+" of Deployment Region NEW", fmt.Sprintf("%q", form))
			} else if len(p.warnings()) > 0 {
				t.Errorf("%s %q: %q", attribute, form, p.warnings())
			}
			r.apply(p, nil)
			if got := r.plan(config).warnings(); len(got) > 0 {
				t.Errorf("unchanged: %q", got)
			}
			// Nor for one that is there already.
			adopted := openWorkspace(t, s, nil).resource(regionType)
			if got := adopted.plan(region("NEW", values{attribute: form, "adopt_existing": true})).warnings(); len(got) > 0 {
				t.Errorf("there already: %q", got)
			}
		}
	}
	_, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	wantOne(t, r.plan(region("NEW", values{"restore_endpoint": "ftp://x"})).warnings(), "Unusual restore_endpoint")
	r.configure()
	p := r.plan(region("NEXT", values{"bq_proxy_endpoint": "https://x"}))
	wantWords(t, strings.Join(p.warnings(), "\n"), "Unusual bq_proxy_endpoint of Deployment Region NEXT")
}

func TestAMissionRunsOnEachService(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		w := openWorkspace(t, s, nil)
		guarded, place := w.resource(scheduleType), w.resource(regionType)
		daily := schedule(ledger, values{"daily_snapshot_retention_days": 30})
		guarded.create(daily)
		place.create(values{"deployment_id": europe})
		for _, m := range []*managed{guarded, place} {
			if told := m.refresh(); len(told.errors()) > 0 {
				t.Errorf("told %q", told.errors())
			}
		}
		wantEmpty(t, guarded.plan(daily))
		wantEmpty(t, place.plan(values{"deployment_id": europe}))
		before := maps.Clone(s.Schedule(payments, ledger))
		for _, m := range []*managed{guarded, place} {
			if told := m.destroy(); len(told.errors()) > 0 {
				t.Errorf("told %q", told.errors())
			}
		}
		if s.Region(europe) != nil || s.Schedule(payments, ledger)["dailySnapshotRetentionDays"] != before["dailySnapshotRetentionDays"] {
			t.Error("the region is still there, or the schedule isn't")
		}
	})
}

// A destroy is planned without a configured provider.
func TestADestroyIsPlannedByAProviderThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	_, r := startedRegion(t, emulator.Full)
	r.create(values{"deployment_id": oceania})
	server, err := providers()["opsmanager"]()
	if err != nil {
		t.Fatal(err)
	}
	r.server = server
	p := &planned{config: r.null(), prior: r.state, private: r.private, identity: r.identity}
	r.planChange(p, tftypes.NewValue(r.schema.ValueType(), nil))
	wantOne(t, p.warnings(), "Deletion of Deployment Region AU_NZ")
}
