package regions_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// regionFields are the fields of a region: the attribute, the API's name, and a value that differs
// from those of the tests' regions.
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

// changedRegion returns a configuration that differs in one attribute other than the given one, and
// the field of that attribute.
func changedRegion(id, except string) (config providertest.Values, field string, value any) {
	config = providertest.Region(id, providertest.Values{"assignment_enabled": true})
	if except == "restore_endpoint" {
		config["bq_proxy_endpoint"] = "changed.example.com:2"
		return config, "bqProxyEndpoint", "changed.example.com:2"
	}
	config["restore_endpoint"] = "https://changed.example.com"
	return config, "restoreEndpoint", "https://changed.example.com"
}

func TestUpdateOfARegionKeepsChangesSinceThePlan(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", providertest.Values{"assignment_enabled": true}))
			config, field, value := changedRegion("NEW", f.attribute)
			p := r.Plan(config)
			s.SetRegion("NEW", map[string]any{f.field: f.other})
			s.ResetRequests()
			diags := r.Apply(p, nil)
			if len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			before := providertest.Region("NEW", providertest.Values{"assignment_enabled": true})[f.attribute]
			providertest.WantOne(t, diags.Warnings(), "Deployment Region NEW Changed Since the Plan", fmt.Sprintf("\n  - %s: %#v -> %#v\n", f.attribute, before, f.other), "keeps", "next plan")
			if got := s.Calls(); !slices.Equal(got, []string{"GET " + providertest.RegionsPath + "/NEW", "PUT " + providertest.RegionsPath + "/NEW"}) {
				t.Errorf("called %q", got)
			}
			providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"assignmentEnabled": true, f.field: f.other, field: value})))
			providertest.WantAttributes(t, r, config) // as planned

			r.MustRefresh()
			p = r.Plan(config)
			if got := p.Changes(); !slices.Equal(got, []string{f.attribute}) {
				t.Errorf("the next plan changes %v", got)
			}
			r.Apply(p, nil)
			r.MustBeSettled(config)
		})
	}
}

// regionWithout returns a region as a document in which a field is missing or null.
func regionWithout(field string, isNull bool) string {
	live := regionBody(map[string]any{"id": "NEW", "assignmentEnabled": true})
	if delete(live, field); isNull {
		live[field] = nil
	}
	return providertest.JSON(live)
}

// A PUT replaces the whole region, so it sends what the region lacks from the state.
func TestFieldThatARegionLacksIsSentAndNamed(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		for _, isNull := range []bool{false, true} {
			t.Run(fmt.Sprint(f.attribute, isNull), func(t *testing.T) {
				t.Parallel()
				s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
				r.Create(providertest.Region("NEW", providertest.Values{"assignment_enabled": true}))
				config, field, value := changedRegion("NEW", f.attribute)
				p := r.Plan(config)
				s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: regionWithout(f.field, isNull)})
				diags := r.Apply(p, nil)
				if len(diags.Errors()) > 0 {
					t.Fatal(diags.Errors())
				}
				providertest.WantOne(t, diags.Warnings(), "Values of Deployment Region NEW Not Returned", "\n  - "+f.attribute+" = ")
				providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"assignmentEnabled": true, field: value})))
			})
		}
	}
}

func TestIgnoredAttributesOfARegionKeepTheirLiveValues(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", providertest.Values{"assignment_enabled": true}))
			r.IgnoreChanges = []string{f.attribute}
			s.SetRegion("NEW", map[string]any{f.field: f.other})
			r.MustRefresh()
			config, field, value := changedRegion("NEW", f.attribute)
			if diags := r.Apply(r.Plan(config), nil); len(diags) > 0 {
				t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
			}
			if held := s.Region("NEW"); held[f.field] != f.other || held[field] != value {
				t.Errorf("the service holds %v", held)
			}
			r.MustBeSettled(config)

			r.IgnoreChanges = []string{"all"}
			s.SetRegion("NEW", map[string]any{field: "https://ignored.example.com:443"})
			r.MustBeSettled(config)
		})
	}
}

func TestUpdateDoesNotCreateARegionThatIsGone(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	p := r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": "https://changed.example.com"}))
	s.RemoveRegion("NEW")
	s.ResetRequests()
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[deployment_id]", "Unable to Update Deployment Region", `"NEW" no longer exists`, "404", "Plan again")
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"restore_endpoint": "https://om.example.com:8443"})
}

func TestUpdateThatChangesNothingSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	p := r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": "https://changed.example.com"}))
	s.SetRegion("NEW", map[string]any{"restoreEndpoint": "https://changed.example.com"})
	s.ResetRequests()
	if diags := r.Apply(p, nil); len(diags) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"restore_endpoint": "https://changed.example.com"})
}

func TestChangeOfAProviderOnlySettingSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	p := r.Plan(providertest.Region("NEW", providertest.Values{"deletion_protection": true, "adopt_existing": true}))
	s.ResetRequests()
	r.Apply(p, nil)
	if got := s.Calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
	providertest.WantAttributes(t, r, providertest.Values{"deletion_protection": true, "adopt_existing": true, "deployment_description": "Test"})
}

func TestProviderWaitsForAServerThatReturnsOldValues(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"in responses to writes":              {StaleResponses: true},
		"in responses to writes and in reads": {StaleResponses: true, StaleReads: 2},
		"in reads":                            {StaleReads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, options)
			r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
			config := providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true, "assignment_enabled": false})
			if diags := r.Apply(r.Plan(config), nil); len(diags) > 0 {
				t.Errorf("adoption: %q %q", diags.Errors(), diags.Warnings())
			}
			for range options.StaleReads {
				r.MustRefresh()
			}
			config["restore_endpoint"] = "https://changed.example.com"
			if diags := r.Apply(r.Plan(config), nil); len(diags) > 0 {
				t.Errorf("update: %q %q", diags.Errors(), diags.Warnings())
			}
			providertest.WantAttributes(t, r, config)
		})
	}
}

func TestFieldsThatOpsManagerAlsoChangesAreReportedAndKeptAsPlanned(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{AdjustRegion: func(region map[string]any) {
		if region["restoreEndpoint"] == "https://changed.example.com" {
			region["assignmentEnabled"], region["bqProxyEndpoint"] = false, "along.example.com:1"
		}
	}})
	config := providertest.Region("NEW", providertest.Values{"assignment_enabled": true})
	r.Create(config)
	config["restore_endpoint"] = "https://changed.example.com"
	diags := r.Apply(r.Plan(config), nil)
	providertest.WantOne(t, diags.Warnings(), "Other Values of Deployment Region NEW Changed", "assignment_enabled: true -> false", `bq_proxy_endpoint: "om.example.com:27217" -> "along.example.com:1"`, "next plan")
	if len(diags.Errors()) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	providertest.WantAttributes(t, r, config)
	r.MustRefresh()
	if got := r.Plan(config).Changes(); !slices.Equal(got, []string{"assignment_enabled", "bq_proxy_endpoint"}) {
		t.Errorf("the next plan changes %v", got)
	}
	providertest.WantWrites(t, s, "POST "+providertest.RegionsPath, "PUT "+providertest.RegionsPath+"/NEW")
}

func TestUnknownValuesAreTakenFromTheResponse(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{AdjustRegion: func(region map[string]any) {
		if region["restoreEndpoint"] == "https://changed.example.com" {
			region["assignmentEnabled"], region["deploymentDescription"] = true, "Along"
		}
	}})
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": false}))
	s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: `{"id": "NEW", "bqProxyEndpoint": "om.example.com:27217"}`})
	r.ImportID("NEW")
	config := providertest.Values{"deployment_id": "NEW", "restore_endpoint": "https://changed.example.com"}
	if diags := r.Apply(r.Plan(config), nil); len(diags) > 0 {
		t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
	}
	providertest.WantAttributes(t, r, providertest.Values{"assignment_enabled": true, "deployment_description": "Along"})
}

func TestProviderDoesNotWaitIfAdjustedValuesCannotBeRead(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{AdjustRegion: func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:27217" }})
	r.Create(providertest.Region("NEW", nil))
	p := r.Plan(providertest.Region("NEW", providertest.Values{"bq_proxy_endpoint": "om.example.com:2"}))
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 405})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[bq_proxy_endpoint]", "Adjusted")
	if got := s.Calls(); len(got) != 3 {
		t.Errorf("called %q", got)
	}
}

func TestUpdateSkipsItsReadOnlyIfTheRegionWasUnreadable(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	config := providertest.Region("NEW", providertest.Values{"bq_proxy_endpoint": "om.example.com:2"})
	r.MustRefresh()
	p := r.Plan(config)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Status: 405})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "405", "but not now", "Nothing was changed", "Plan again")
	providertest.WantWrites(t, s)

	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 405})
	r.MustRefresh()
	providertest.WantOne(t, r.Apply(r.Plan(config), nil).Warnings(), "NEW Updated Without Reading It First", "ingestion_endpoint", "restore_endpoint", "405")
}

func TestFieldThatBecomesNullIsDrift(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			config := providertest.Region("NEW", providertest.Values{"assignment_enabled": true})
			r.Create(config)
			s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: regionWithout(f.field, true)})
			r.MustRefresh()
			providertest.WantAttributes(t, r, providertest.Values{f.attribute: nil, "deployment_id": "NEW"})
			p := r.Plan(config)
			if got := p.Changes(); !slices.Equal(got, []string{f.attribute}) {
				t.Fatalf("the plan changes %v", got)
			}
			if diags := r.Apply(p, nil); len(diags) > 0 {
				t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
			}
			providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"assignmentEnabled": true})))
		})
	}
}

func TestNullThatOpsManagerReturnsIsADifference(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	p := r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": "https://changed.example.com", "assignment_enabled": true}))
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id": "NEW", "restoreEndpoint": null, "assignmentEnabled": null}`})
	s.Inject(emulator.Fault{Method: "GET", Skip: 1, Times: -1, Status: 503})
	diags := r.Apply(p, nil).Errors()
	if len(diags) != 2 {
		t.Fatalf("got %q", diags)
	}
	providertest.WantContains(t, diags[0], "[restore_endpoint]", "changed it to null")
	providertest.WantContains(t, diags[1], "[assignment_enabled]", "changed it to null")
}

func TestFailedPreviewIsAnError(t *testing.T) {
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
		"another region": {emulator.Fault{Status: 200, Body: `{"id": "OTHER"}`}, `requested region "NEW"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			c.fault.Times = -1
			s.Inject(c.fault)
			for _, config := range []providertest.Values{providertest.Region("NEW", nil), {"deployment_id": "NEW"}, providertest.Region("NEW", providertest.Values{"adopt_existing": true})} {
				r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
				providertest.WantOne(t, r.Plan(config).Errors(), "Unable to Preview Deployment Region", c.words)
			}
		})
	}
	t.Run("an unreachable address", func(t *testing.T) {
		t.Parallel()
		s, _ := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r := providertest.NewWorkspace(t, s, providertest.Values{"base_url": "http://127.0.0.1:1"}).NewResource(providertest.RegionType)
		providertest.WantOne(t, r.Plan(providertest.Region("NEW", nil)).Errors(), "Unable to Preview Deployment Region", "could not be reached")
	})
}

func TestRegionThatThePlanCreatesCanBeAdopted(t *testing.T) {
	t.Parallel()
	s, creator := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	adopter := creator.Workspace.NewResource(providertest.RegionType)
	creation := creator.Plan(providertest.Region("NEW", nil))
	adoption := adopter.Plan(providertest.Values{"deployment_id": "NEW"})
	if len(adoption.Errors()) > 0 {
		t.Fatalf("got %q", adoption.Errors())
	}
	providertest.WantOne(t, adoption.Warnings(), "[deployment_id]", "Deployment Region NEW in Two Resources", "refer to its deployment_id")
	if third := adopter.Workspace.NewResource(providertest.RegionType).Plan(providertest.Values{"deployment_id": "NEW"}); len(third.Errors()) > 0 {
		t.Errorf("a second adoption: %q", third.Errors())
	}
	creator.Apply(creation, nil)
	if diags := adopter.Apply(adoption, nil); len(diags) > 0 {
		t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
	}
	providertest.WantAttributes(t, adopter, providertest.Values{"deployment_description": "Test"})
	providertest.WantWrites(t, s, "POST "+providertest.RegionsPath)
}

func TestTwoResourcesThatSetValuesOfOneRegionAreAnError(t *testing.T) {
	t.Parallel()
	one := providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true})
	other := providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true, "deployment_description": "Other"})
	t.Run("both new", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Plan(one)
		providertest.WantOne(t, r.Workspace.NewResource(providertest.RegionType).Plan(other).Errors(), "[deployment_id]", "Two Resources", providertest.Oceania, "overwrite the values of the other")
	})
	t.Run("the new one is planned last", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(one)
		r.Plan(one)
		providertest.WantOne(t, r.Workspace.NewResource(providertest.RegionType).Plan(other).Errors(), "[deployment_id]", "Two Resources")
	})
	t.Run("the new one is planned first", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(one)
		r.Workspace.NewResource(providertest.RegionType).Plan(other)
		providertest.WantOne(t, r.Plan(one).Errors(), "[deployment_id]", "Two Resources")
	})
	t.Run("both in the state", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(one)
		r.Configure()
		imported := r.Workspace.NewResource(providertest.RegionType)
		imported.ImportID(providertest.Oceania)
		if diags := r.Plan(one); len(diags.Diagnostics) > 0 {
			t.Fatalf("got %q %q", diags.Errors(), diags.Warnings())
		}
		providertest.WantOne(t, imported.Plan(other).Errors(), "[deployment_id]", "Two Resources", "overwrite the values of the other")
	})
	t.Run("both in the state, one sets nothing", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(one)
		r.Configure()
		imported := r.Workspace.NewResource(providertest.RegionType)
		imported.ImportID(providertest.Oceania)
		imported.Plan(providertest.Values{"deployment_id": providertest.Oceania})
		p := r.Plan(one)
		providertest.WantOne(t, p.Warnings(), "Deployment Region AU_NZ in Two Resources", "destroying either one deletes it for both")
		if len(p.Errors()) > 0 {
			t.Errorf("got %q", p.Errors())
		}
	})
	t.Run("the second of three sets nothing", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Plan(one)
		r.Workspace.NewResource(providertest.RegionType).Plan(providertest.Values{"deployment_id": providertest.Oceania})
		providertest.WantOne(t, r.Workspace.NewResource(providertest.RegionType).Plan(other).Errors(), "[deployment_id]", "overwrite the values of the other")
	})
	t.Run("one sets nothing", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Plan(providertest.Values{"deployment_id": providertest.Oceania})
		p := r.Workspace.NewResource(providertest.RegionType).Plan(providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": true})
		providertest.WantOne(t, p.Warnings(), "Deployment Region AU_NZ in Two Resources", "destroying either one deletes it for both")
		if len(p.Errors()) > 0 {
			t.Errorf("got %q", p.Errors())
		}
	})
}

func TestRenamedResourceDoesNotDeleteItsRegion(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]providertest.Values{
		"adopted":    {"deployment_id": providertest.Oceania},
		"taken over": providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true}),
	} {
		t.Run(name+", the old address first", func(t *testing.T) {
			t.Parallel()
			_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			old.Create(config)
			old.Configure()
			if diags := old.Plan(nil).Errors(); len(diags) > 0 {
				t.Fatalf("got %q", diags)
			}
			providertest.WantOne(t, old.Workspace.NewResource(providertest.RegionType).Plan(config).Errors(), "[deployment_id]", providertest.Oceania, "moved {", "removed block")
		})
		t.Run(name+", the new address first", func(t *testing.T) {
			t.Parallel()
			_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			old.Create(config)
			old.Configure()
			if diags := old.Workspace.NewResource(providertest.RegionType).Plan(config).Errors(); len(diags) > 0 {
				t.Fatalf("got %q", diags)
			}
			providertest.WantOne(t, old.Plan(nil).Errors(), "[deployment_id]", providertest.Oceania, "moved {", "removed block")
		})
	}
	// An object that is also at another address, or a leftover deposed object.
	for name, c := range map[string]struct{ has, config providertest.Values }{
		"unchanged":    {providertest.Values{"deployment_id": providertest.Oceania}, providertest.Values{"deployment_id": providertest.Oceania}},
		"to change":    {providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true}), providertest.Region(providertest.Oceania, providertest.Values{"deployment_description": "Changed"})},
		"with a value": {providertest.Values{"deployment_id": providertest.Oceania}, providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": false}},
	} {
		both := func(t *testing.T) (kept, other *providertest.Resource) {
			t.Helper()
			_, kept = providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			kept.Create(c.has)
			kept.Configure()
			copied := *kept
			return kept, &copied
		}
		words := []string{"[deployment_id]", providertest.Oceania, "moved {", "removed block with destroy = false", "terraform state rm ADDRESS", "deposed"}
		t.Run(name+" at another address, destroyed first", func(t *testing.T) {
			t.Parallel()
			kept, other := both(t)
			if diags := other.Plan(nil).Errors(); len(diags) > 0 {
				t.Fatalf("got %q", diags)
			}
			providertest.WantOne(t, kept.Plan(c.config).Errors(), words...)
		})
		t.Run(name+" at another address, destroyed last", func(t *testing.T) {
			t.Parallel()
			kept, other := both(t)
			if diags := kept.Plan(c.config).Errors(); len(diags) > 0 {
				t.Fatalf("got %q", diags)
			}
			providertest.WantOne(t, other.Plan(nil).Errors(), words...)
		})
	}
	t.Run("the old address is forgotten", func(t *testing.T) {
		t.Parallel()
		s, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		old.Create(providertest.Values{"deployment_id": providertest.Oceania, "skip_destroy": true})
		old.Configure()
		destroy, renamed := old.Plan(nil), old.Workspace.NewResource(providertest.RegionType)
		p := renamed.Plan(providertest.Values{"deployment_id": providertest.Oceania})
		if len(destroy.Errors())+len(p.Errors()) > 0 {
			t.Fatalf("got %q %q", destroy.Errors(), p.Errors())
		}
		old.Apply(destroy, nil)
		renamed.Apply(p, nil)
		providertest.WantWrites(t, s)
		providertest.WantAttributes(t, renamed, providertest.Values{"deployment_description": "Australia and New Zealand"})
	})
}

func TestReplacementChecksTheNewRegionBeforeItDeletesTheOldOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to providertest.Values
		words    []string
	}{
		"adopts a missing region":    {providertest.Values{"deployment_id": providertest.Oceania}, providertest.Values{"deployment_id": "AU_NZX"}, []string{`no region "AU_NZX" to adopt`}},
		"creates an existing region": {providertest.Region("OLD", nil), providertest.Region(providertest.Europe, nil), []string{providertest.Europe, "Already Exists"}},
		"is incomplete":              {providertest.Region("OLD", nil), providertest.Region("NEW", providertest.Values{"restore_endpoint": nil}), []string{"[restore_endpoint]", "Incomplete Deployment Region"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(c.from)
			r.Configure()
			s.ResetRequests()
			p := r.Plan(c.to)
			providertest.WantOne(t, p.Errors(), c.words...)
			providertest.WantWrites(t, s)
		})
	}
	for name, c := range map[string]struct{ from, to providertest.Values }{
		"keeps the old region":      {providertest.Region("OLD", providertest.Values{"skip_destroy": true}), providertest.Region("NEW", providertest.Values{"skip_destroy": true})},
		"adopts an existing region": {providertest.Values{"deployment_id": providertest.Oceania}, providertest.Values{"deployment_id": providertest.Europe}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(c.from)
			r.Configure()
			p := r.Plan(c.to)
			if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			providertest.WantAttributes(t, r, c.to)
		})
	}
	t.Run("overwrites", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(providertest.Region("OLD", nil))
		r.Configure()
		p := r.Plan(providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true}))
		if len(p.Warnings()) != 2 {
			t.Fatalf("got %q %q", p.Errors(), p.Warnings())
		}
		providertest.WantContains(t, p.Warnings()[0], "Deletion of Deployment Region OLD")
		providertest.WantContains(t, p.Warnings()[1], "Overwritten Values of Deployment Region AU_NZ", `"Australia and New Zealand" -> "Test"`)
	})
}

// terraform plan -replace and replace_triggered_by force a replacement.
func TestForcedReplacementIsPlannedOnlyIfItCanSucceed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config providertest.Values
		words  []string // of the error, if there is one
	}{
		"created":                   {providertest.Region("NEW", nil), []string{"[adopt_existing]", "NEW", "adopt_existing = true", "untaint"}},
		"created and adopted":       {providertest.Region("NEW", providertest.Values{"adopt_existing": true}), nil},
		"created, protected":        {providertest.Region("NEW", providertest.Values{"deletion_protection": true}), []string{"[deletion_protection]", "NEW", "and apply, then"}},
		"created, kept":             {providertest.Region("NEW", providertest.Values{"skip_destroy": true}), []string{"[adopt_existing]", "NEW", "skip_destroy", "untaint"}},
		"created, kept and adopted": {providertest.Region("NEW", providertest.Values{"skip_destroy": true, "adopt_existing": true}), nil},
		"adopted":                   {providertest.Values{"deployment_id": providertest.Oceania}, []string{"[deployment_id]", providertest.Oceania, "create it again", "untaint"}},
		"adopted, with a setting":   {providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": true}, []string{"create it again"}},
		"adopted, protected":        {providertest.Values{"deployment_id": providertest.Oceania, "deletion_protection": true}, []string{"[deletion_protection]"}},
		"adopted, kept":             {providertest.Values{"deployment_id": providertest.Oceania, "skip_destroy": true}, nil},
	} {
		replaced := func(t *testing.T, s *providertest.Service, r *providertest.Resource, p *providertest.Plan) {
			t.Helper()
			s.ResetRequests()
			if c.words != nil {
				providertest.WantOne(t, p.Errors(), c.words...)
				return
			}
			if len(p.Errors()) > 0 || !p.Replaces {
				t.Fatalf("got %q", p.Errors())
			}
			if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			if c.config["skip_destroy"] != nil {
				providertest.WantWrites(t, s)
			} else {
				providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NEW", "POST "+providertest.RegionsPath)
			}
			providertest.WantAttributes(t, r, c.config)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(c.config)
			r.Configure()
			replaced(t, s, r, r.PlanReplacement(c.config))
		})
		t.Run(name+", tainted", func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(c.config)
			r.Configure()
			r.Tainted = true
			r.MustRefresh()
			p := r.Plan(c.config)
			if c.words == nil && c.config["skip_destroy"] == nil {
				providertest.WantOne(t, p.Warnings(), "Deletion of Deployment Region NEW")
			}
			replaced(t, s, r, p)
		})
	}
}

func TestForcedReplacementOfAnIncompleteRegionIsAnError(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.SetRegion("NEW", regionBody(map[string]any{"restoreEndpoint": nil}))
	r.ImportID("NEW")
	providertest.WantOne(t, r.PlanReplacement(providertest.Region("NEW", providertest.Values{"restore_endpoint": nil})).Errors(), "[deployment_id]", "Unable to Replace Deployment Region", "requires deployment_description")
}

func TestUnknownValuesAreNotRejected(t *testing.T) {
	t.Parallel()
	s, _ := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	plan := func(config providertest.Values) []string {
		return providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType).Plan(config).Errors()
	}
	late := providertest.Region(providertest.Oceania, nil)
	for _, text := range []string{"deployment_description", "ingestion_endpoint", "restore_endpoint", "bq_proxy_endpoint"} {
		late[text] = providertest.Unknown
	}
	for name, config := range map[string]providertest.Values{
		"an unknown adopt_existing": providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": providertest.Unknown}),
		"all required fields":       late,
	} {
		if got := plan(config); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	providertest.WantOne(t, plan(providertest.Region(providertest.Oceania, providertest.Values{"restore_endpoint": providertest.Unknown})), "Already Exists")
	bare := providertest.StartService(t, emulator.Options{Profile: emulator.Documented})
	if got := providertest.NewWorkspace(t, bare, nil).NewResource(providertest.RegionType).Plan(providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": providertest.Unknown}).Errors(); len(got) > 0 {
		t.Errorf("a setting: %q", got)
	}

	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
	r.Create(providertest.Region("NEW", providertest.Values{"skip_destroy": true}))
	// A creation after create_before_destroy that fails would leave a deposed object.
	providertest.WantOne(t, r.PlanReplacement(providertest.Region("NEW", providertest.Values{"skip_destroy": true, "adopt_existing": providertest.Unknown})).Errors(), "[adopt_existing]", "Unable to Replace")
}

func TestDestroyedRegionCanBeCreatedAgain(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	r.Destroy()
	r.Create(providertest.Region("NEW", nil))
	providertest.WantWrites(t, s, "POST "+providertest.RegionsPath, "DELETE "+providertest.RegionsPath+"/NEW", "POST "+providertest.RegionsPath)
}

func TestRecordedReplacementDoesNotAffectOtherPlans(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Region("NEW", providertest.Values{"deletion_protection": true, "adopt_existing": true})
	r.Create(config)
	config["deployment_description"] = "Changed"
	p := r.Plan(config)
	if !strings.Contains(string(p.Private), "replaced") {
		t.Fatalf("the plan has %s, so the test proves nothing", p.Private)
	}
	r.Apply(p, nil)
	if strings.Contains(string(r.Private), "replaced") {
		t.Errorf("the state has %s", r.Private)
	}
	config["deletion_protection"] = nil
	r.Create(config)
	r.MustBeSettled(config)

	// The last plan counts, not the first one.
	r.Configure()
	p = r.PlanReplacement(config)
	if diags := r.Apply(p, nil); len(p.Errors())+len(diags.Errors()) > 0 {
		t.Errorf("got %q %q", p.Errors(), diags.Errors())
	}

	imported := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
	imported.ImportID("NEW")
	delete(config, "adopt_existing")
	providertest.WantEmptyPlan(t, imported.Plan(config))
	imported.Configure()
	config["deployment_description"] = "Again"
	imported.Create(config)
}

func TestRegionDeletedOutsideTerraformIsCreatedAgain(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]providertest.Values{"created": nil, "protected": {"deletion_protection": true}, "kept": {"skip_destroy": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			config := providertest.Region("NEW", more)
			r.Create(config)
			config["deployment_description"] = "Changed"
			r.Create(config)
			s.RemoveRegion("NEW")
			r.Configure()
			r.MustRefresh()
			providertest.WantNoState(t, r)
			if diags := r.Create(config); len(diags) > 0 {
				t.Errorf("got %q", diags.Warnings())
			}
			providertest.WantAttributes(t, r, config)
		})
	}
	// Updates by earlier versions left this data in the state.
	t.Run("with data of a plan in the state", func(t *testing.T) {
		t.Parallel()
		s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		config := providertest.Region("NEW", providertest.Values{"deletion_protection": true})
		r.Create(config)
		r.Private = r.Plan(config).Private
		s.RemoveRegion("NEW")
		r.Configure()
		r.MustRefresh()
		r.Create(config)
	})
}

func TestRegionIsKeptWithCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Region("NEW", providertest.Values{"adopt_existing": true})
	r.Create(config)
	s.ResetRequests()
	r.CreateBeforeDestroy = true
	diags := r.Apply(r.PlanReplacement(config), nil)
	if len(diags.Errors()) > 0 {
		t.Fatalf("got %q", diags.Errors())
	}
	providertest.WantOne(t, diags.Warnings(), "Deployment Region NEW Not Deleted", "create_before_destroy")
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, config)
	r.MustBeSettled(config)

	// A replacement by a different region deletes the old one.
	next := providertest.Region("NEXT", nil)
	p := r.Plan(next)
	if len(p.Errors()) > 0 {
		t.Fatalf("got %q", p.Errors())
	}
	diags = r.Apply(p, nil)
	if len(diags.Errors()) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	providertest.WantContains(t, strings.Join(diags.Warnings(), "\n"), "Deployment Region NEW Deleted")
	providertest.WantWrites(t, s, "POST "+providertest.RegionsPath, "DELETE "+providertest.RegionsPath+"/NEW")
}

func TestDeletedRegionIsReportedWithAllFields(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	s.SetRegion("NEW", map[string]any{"deploymentDescription": "A \"${live}\" %{ value\n\u202e\U0001d173\\", "assignmentEnabled": true})
	diags := r.Destroy()
	deleted := diags.Warnings()[1]
	providertest.WantContains(t, deleted, "Deployment Region NEW Deleted", "To create the region again", `
  resource "opsmanager_deployment_region" "example" {
    deployment_id          = "NEW"
    deployment_description = "A \"$${live}\" %%{ value\n\u202e\U0001d173\\"
    ingestion_endpoint     = "https://om.example.com:8443"
    restore_endpoint       = "https://om.example.com:8443"
    bq_proxy_endpoint      = "om.example.com:27217"
    assignment_enabled     = true
  }`)
	if strings.Contains(deleted, "Not known") || strings.Contains(deleted, "in the Terraform state") {
		t.Errorf("got %s", deleted)
	}

	r.Create(providertest.Region("OTHER", nil))
	s.SetRegion("OTHER", map[string]any{"deploymentDescription": "Live"})
	s.Inject(emulator.Fault{Method: "GET", Status: 503})
	providertest.WantContains(t, r.Destroy().Warnings()[1], "Deployment Region OTHER Deleted", "settings in the Terraform state", `deployment_description = "Test"`)

	r.Create(providertest.Region("NEW", nil))
	s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: regionWithout("restoreEndpoint", true)})
	providertest.WantContains(t, r.Destroy().Warnings()[1], "Deployment Region NEW Deleted", "required too, but unknown: restore_endpoint.")
}

func TestWriteWithoutAResponseIsReported(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{"a lost response": {DropAfter: true}, "a failure": {Status: 500}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", nil))
			fault.Method, fault.Times = "PUT", -1
			s.Inject(fault)
			diags := r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})), nil)
			providertest.WantOne(t, diags.Errors(), "Unable to Update Deployment Region", providertest.MayHaveChanged)
			providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Test"})

			fault.Method = "DELETE"
			s.Inject(fault)
			diags = r.Destroy()
			providertest.WantOne(t, diags.Errors(), "Unable to Delete Deployment Region", providertest.MayHaveChanged)
			if len(diags.Warnings()) != 2 {
				t.Fatalf("got %q", diags.Warnings())
			}
			providertest.WantContains(t, diags.Warnings()[1], "Deployment Region NEW May Have Been Deleted", "the next plan shows", `deployment_id          = "NEW"`)
			providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW"})
		})
	}
	t.Run("a refusal", func(t *testing.T) {
		t.Parallel()
		s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(providertest.Region("NEW", nil))
		s.UseRegion("NEW", "a store")
		if diags := r.Destroy(); len(diags.Warnings()) != 1 || strings.Contains(diags.Errors()[0], providertest.MayHaveChanged) {
			t.Errorf("got %q %q", diags.Warnings(), diags.Errors())
		}
		s.Inject(emulator.Fault{Method: "PUT", Status: 400})
		if diags := r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})), nil); strings.Contains(diags.Errors()[0], providertest.MayHaveChanged) {
			t.Errorf("got %q", diags.Errors())
		}
	})
}

func TestRunInterruptedBeforeADeletionDeletesNothing(t *testing.T) {
	t.Parallel()
	for _, f := range []providertest.Fault{{Handler: providertest.Hang}, {Handler: func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := providertest.Record(r, service)
		time.Sleep(100 * time.Millisecond)
		providertest.Send(w, recorded, recorded.Body.Bytes())
	}}} {
		d := providertest.StartFaultProxy(t, emulator.Options{})
		w := providertest.NewWorkspace(t, d.Service, nil)
		r := w.NewResource(providertest.RegionType)
		r.Create(providertest.Region("NEW", nil))
		w.Configure()
		r.MustRefresh()
		p := r.Plan(nil)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		w.Context = ctx
		d.OnFault = func() { time.AfterFunc(20*time.Millisecond, interrupt) }
		d.Inject(f, "GET", 0, true)
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Delete Deployment Region", "interrupted", "nothing was deleted")
		if seen := d.Clear(t); slices.Contains(seen, "DELETE") || d.Region("NEW") == nil {
			t.Errorf("sent %q", seen)
		}
		providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW"})
	}
}

func TestResponseForAnotherRegionPreventsADeletion(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	r.Configure()
	p := r.Plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: `{"id": "OTHER"}`})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Delete Deployment Region", `requested region "NEW"`, "Nothing was deleted")
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW"})
}

func TestRegionDeletedByAnUnansweredAttemptIsReported(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 1}).NewResource(providertest.RegionType)
	r.Create(providertest.Region("NEW", nil))
	r.Configure()
	p := r.Plan(nil)
	s.SetRegion("NEW", map[string]any{"deploymentDescription": "Live"})
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "DELETE", DropAfter: true})
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Warnings(), "Deployment Region NEW Deleted", "earlier attempt", `deployment_description = "Live"`)
	if len(diags.Errors()) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NEW")
	providertest.WantNoState(t, r)

	// A region that did not exist before is not reported.
	r.Create(providertest.Region("NEW", nil))
	r.Configure()
	p = r.Plan(nil)
	s.RemoveRegion("NEW")
	if diags := r.Apply(p, nil); len(diags) > 0 {
		t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
	}
	providertest.WantNoState(t, r)
}

// A destroy in the same plan may delete the region to adopt.
func TestRegionWithAnUnknownIDIsAdoptedOnlyIfThePlanDeletesNone(t *testing.T) {
	t.Parallel()
	adoption := providertest.Values{"deployment_id": providertest.Unknown}
	t.Run("its own", func(t *testing.T) {
		t.Parallel()
		for _, config := range []providertest.Values{adoption, {"deployment_id": providertest.Unknown, "assignment_enabled": true}} {
			_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Values{"deployment_id": providertest.Oceania})
			r.Configure()
			providertest.WantOne(t, r.Plan(config).Errors(), "[deployment_id]", "Unknown ID", "still manages it")
		}
	})
	t.Run("the region of the same resource, kept", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(providertest.Values{"deployment_id": providertest.Oceania, "skip_destroy": true})
		r.Configure()
		if diags := r.Plan(adoption).Errors(); len(diags) > 0 {
			t.Errorf("got %q", diags)
		}
	})
	t.Run("the region of the same resource, created", func(t *testing.T) {
		t.Parallel()
		for _, more := range []providertest.Values{nil, {"skip_destroy": true}, {"adopt_existing": true}, {"adopt_existing": providertest.Unknown, "skip_destroy": true}} {
			_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			applied := maps.Clone(more)
			delete(applied, "adopt_existing")
			r.Create(providertest.Region("NEW", applied))
			r.Configure()
			config := providertest.Region("NEW", more)
			config["deployment_id"] = providertest.Unknown
			providertest.WantOne(t, r.Plan(config).Errors(), "[deployment_id]", "known when you plan", "-target")
		}
	})
	t.Run("a region to create, in either order", func(t *testing.T) {
		t.Parallel()
		_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		old.Create(providertest.Region("NEW", nil))
		renamed := old.NewResource(providertest.RegionType)
		config := providertest.Region("NEW", providertest.Values{"deployment_id": providertest.Unknown})
		old.Configure()
		old.Plan(nil)
		providertest.WantOne(t, renamed.Plan(config).Errors(), "[deployment_id]", "moved block", "-target")
		old.Configure()
		renamed.Plan(config)
		providertest.WantOne(t, old.Plan(nil).Errors(), "[deployment_id]", "moved block", "-target")
	})
	t.Run("a tainted region", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct {
			config providertest.Values
			known  providertest.Values
		}{
			{providertest.Region("NEW", providertest.Values{"deployment_id": providertest.Unknown, "adopt_existing": true}), providertest.Values{"deployment_id": "NEW"}},
			{providertest.Values{"deployment_id": providertest.Unknown}, providertest.Values{"deployment_id": "NEW"}},
			{providertest.Values{"deployment_id": "NEW"}, nil}, // not refreshed
		} {
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", nil))
			r.Tainted = true
			r.Configure()
			s.ResetRequests()
			providertest.WantOne(t, r.Apply(r.Plan(test.config), test.known).Errors(), "[deployment_id]", "Unable to Replace Deployment Region", "terraform untaint")
			providertest.WantWrites(t, s)
			r.Tainted = false
			if diags := r.Destroy(); len(diags.Errors()) > 0 {
				t.Errorf("a destroy afterwards: %q", diags.Errors())
			}
		}
	})
	t.Run("another region, destroyed first", func(t *testing.T) {
		t.Parallel()
		_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		old.Create(providertest.Values{"deployment_id": providertest.Oceania})
		old.Configure()
		if diags := old.Plan(nil).Errors(); len(diags) > 0 {
			t.Fatalf("got %q", diags)
		}
		providertest.WantOne(t, old.Workspace.NewResource(providertest.RegionType).Plan(adoption).Errors(), "[deployment_id]", "Unknown ID", "known", "-target")
	})
	t.Run("another region, destroyed last", func(t *testing.T) {
		t.Parallel()
		_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		old.Create(providertest.Values{"deployment_id": providertest.Oceania})
		old.Configure()
		if diags := old.Workspace.NewResource(providertest.RegionType).Plan(adoption).Errors(); len(diags) > 0 {
			t.Fatalf("got %q", diags)
		}
		providertest.WantOne(t, old.Plan(nil).Errors(), "[deployment_id]", "Unknown ID", "known", "-target")
	})
	t.Run("another region, kept", func(t *testing.T) {
		t.Parallel()
		_, old := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		old.Create(providertest.Values{"deployment_id": providertest.Oceania, "skip_destroy": true})
		old.Configure()
		adopter := old.Workspace.NewResource(providertest.RegionType)
		if diags := append(old.Plan(nil).Errors(), adopter.Plan(adoption).Errors()...); len(diags) > 0 {
			t.Errorf("got %q", diags)
		}
	})
}

func TestImportOfAMissingRegionReportsTheReason(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	providertest.WantOne(t, r.ImportID("NOWHERE").Errors(), "Unable to Import Deployment Region", `no region "NOWHERE"`, "No deployment region with ID NOWHERE exists")
	s.Inject(emulator.Fault{Method: "GET", Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "Not yours."}`})
	providertest.WantOne(t, r.ImportID(providertest.Oceania).Errors(), "Unable to Import Deployment Region", "Not yours.", "Global Backup Admin")
}

// Terraform generates a configuration without the field that Ops Manager leaves out.
func TestGeneratedConfigurationOfAnIncompleteRegionIsValid(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.SetRegion("NEW", regionBody(map[string]any{"restoreEndpoint": nil, "assignmentEnabled": true}))
	r.ImportID("NEW")
	config := providertest.Region("NEW", providertest.Values{"restore_endpoint": nil, "assignment_enabled": true})
	providertest.WantEmptyPlan(t, r.Plan(config))

	config["deployment_description"] = "Changed"
	diags := r.Apply(r.Plan(config), nil)
	providertest.WantOne(t, diags.Errors(), "[restore_endpoint]", "Unable to Update Deployment Region", "must send the whole region", "Configure restore_endpoint as well")
	providertest.WantWrites(t, s)
	config["restore_endpoint"] = "https://om.example.com:8443"
	r.Create(config)
	providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"deploymentDescription": "Changed", "assignmentEnabled": true})))
}

// A write sends all required fields, and the apply would have no value for this one.
func TestPlanFailsIfAnAdoptionCannotSucceed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config providertest.Values
		words  []string
	}{
		"a change":                       {providertest.Values{"deployment_id": "NEW", "assignment_enabled": false}, []string{"[restore_endpoint]", "Unable to Adopt Deployment Region", "Configure restore_endpoint as well"}},
		"a change with an unknown value": {providertest.Values{"deployment_id": "NEW", "assignment_enabled": false, "ingestion_endpoint": providertest.Unknown}, []string{"[restore_endpoint]"}},
		"a field that may be set":        {providertest.Values{"deployment_id": "NEW", "assignment_enabled": false, "restore_endpoint": providertest.Unknown}, nil},
		"no change":                      {providertest.Values{"deployment_id": "NEW", "assignment_enabled": true}, nil},
		"a possible change":              {providertest.Values{"deployment_id": "NEW", "assignment_enabled": providertest.Unknown}, nil},
		"nothing set":                    {providertest.Values{"deployment_id": "NEW"}, nil},
		"all set":                        {providertest.Region("NEW", providertest.Values{"adopt_existing": true, "assignment_enabled": false}), nil},
	} {
		for _, isNull := range []bool{false, true} {
			t.Run(fmt.Sprint(name, isNull), func(t *testing.T) {
				t.Parallel()
				s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
				s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 200, Body: regionWithout("restoreEndpoint", isNull)})
				p := r.Plan(c.config)
				if c.words != nil {
					providertest.WantOne(t, p.Errors(), c.words...)
				} else if len(p.Errors()) > 0 {
					t.Errorf("got %q", p.Errors())
				}
			})
		}
	}
}

func TestChangedEndpointsInAnUnusualFormProduceAWarning(t *testing.T) {
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
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			config := providertest.Region("NEW", providertest.Values{attribute: form})
			p := r.Plan(config)
			if unusual {
				providertest.WantOne(t, p.Warnings(), "["+attribute+"]", "Unusual "+attribute+" of Deployment Region NEW", fmt.Sprintf("%q", form))
			} else if len(p.Warnings()) > 0 {
				t.Errorf("%s %q: %q", attribute, form, p.Warnings())
			}
			r.Apply(p, nil)
			if got := r.Plan(config).Warnings(); len(got) > 0 {
				t.Errorf("unchanged: %q", got)
			}
			// There is no warning about a value that the region already has.
			adopted := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
			if got := adopted.Plan(providertest.Region("NEW", providertest.Values{attribute: form, "adopt_existing": true})).Warnings(); len(got) > 0 {
				t.Errorf("an unchanged value: %q", got)
			}
		}
	}
	_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	providertest.WantOne(t, r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": "ftp://x"})).Warnings(), "Unusual restore_endpoint")
	r.Configure()
	p := r.Plan(providertest.Region("NEXT", providertest.Values{"bq_proxy_endpoint": "https://x"}))
	providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Unusual bq_proxy_endpoint of Deployment Region NEXT")
}

// Terraform does not configure the provider to plan a destroy.
func TestDestroyIsPlannedWithoutAConfiguredProvider(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Values{"deployment_id": providertest.Oceania})
	r.Server = s.NewServer(0)
	providertest.WantOne(t, r.Plan(nil).Warnings(), "Deletion of Deployment Region AU_NZ")
}

// No plan knows that both are the same region.
func TestRegionIsSetOnceIfItsIDWasUnknown(t *testing.T) {
	t.Parallel()
	s, one := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	two, three := one.NewResource(providertest.RegionType), one.NewResource(providertest.RegionType)
	config := providertest.Region("NEW", providertest.Values{"deployment_id": providertest.Unknown, "adopt_existing": true})
	changed := providertest.With(config, providertest.Values{"deployment_description": "Changed"})
	first, second, third := one.Plan(config), two.Plan(changed), three.Plan(providertest.Values{"deployment_id": providertest.Unknown})
	known := providertest.Values{"deployment_id": "NEW"}
	one.Configure()
	if diags := one.Apply(first, known); len(diags.Errors()) > 0 {
		t.Fatalf("apply: %q", diags.Errors())
	}
	providertest.WantOne(t, two.Apply(second, known).Errors(), "Deployment Region in Two Resources", "-refresh=false")
	providertest.WantNoState(t, two)
	if diags := three.Apply(third, known); len(diags.Errors()) > 0 {
		t.Errorf("a resource that sets nothing: %q", diags.Errors())
	}
	providertest.WantWrites(t, s, "POST "+providertest.RegionsPath)

	one.Configure() // the next run
	if diags := two.Apply(two.Plan(providertest.With(changed, known)), nil); len(diags.Errors()) > 0 {
		t.Errorf("in the next run: %q", diags.Errors())
	}
}

func TestRegionIsSetOnceIfItsIDWasUnknownAndBothAreAppliedAtTheSameTime(t *testing.T) {
	t.Parallel()
	s, one := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	two := one.NewResource(providertest.RegionType)
	config := providertest.Region("NEW", providertest.Values{"deployment_id": providertest.Unknown, "adopt_existing": true})
	p, q := one.Plan(config), two.Plan(providertest.With(config, providertest.Values{"deployment_description": "Changed"}))
	known := providertest.Values{"deployment_id": "NEW"}
	one.Configure()
	s.Inject(emulator.Fault{Method: http.MethodPost, Delay: time.Second})
	before := len(s.Calls())
	var first, second providertest.Diagnostics
	var group sync.WaitGroup
	group.Go(func() { first = one.Apply(p, known) })
	providertest.Await(t, "the read before the creation", func() bool { return len(s.Calls()) >= before+2 })
	second = two.Apply(q, known)
	group.Wait()
	if errors := first.Errors(); len(errors) > 0 {
		t.Errorf("got %q", errors)
	}
	providertest.WantOne(t, second.Errors(), "Deployment Region in Two Resources")
}
