package regions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// regionBody returns the request body of that configuration.
func regionBody(more map[string]any) map[string]any {
	body := map[string]any{
		"deploymentDescription": "Test",
		"ingestionEndpoint":     "https://om.example.com:8443",
		"restoreEndpoint":       "https://om.example.com:8443",
		"bqProxyEndpoint":       "om.example.com:27217",
	}
	maps.Copy(body, more)
	return body
}

func TestRegionIsCreatedUpdatedAndDeleted(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	const id = "a/b c%2F?#ü"
	const at = "/admin/backup/backupDeployments/a%2Fb%20c%252F%3F%23%C3%BC"
	config := providertest.Region(id, nil)
	if diags := r.Create(config); len(diags) > 0 {
		t.Errorf("got %q", diags.Warnings())
	}
	providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(map[string]any{"id": id})))
	providertest.WantAttributes(t, r, providertest.Values{"deployment_id": id, "deployment_description": "Test", "assignment_enabled": false, "adopt_existing": nil})
	r.MustBeSettled(config)

	config["restore_endpoint"] = "https://elsewhere.example.com"
	p := r.Plan(config)
	if got := p.Changes(); !slices.Equal(got, []string{"restore_endpoint"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.Apply(p, nil)
	providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"restoreEndpoint": "https://elsewhere.example.com", "assignmentEnabled": false})))
	r.MustBeSettled(config)

	diags := r.Destroy()
	if len(diags.Errors()) > 0 || len(diags.Warnings()) != 2 {
		t.Fatalf("destroy: %q %q", diags.Errors(), diags.Warnings())
	}
	providertest.WantContains(t, diags.Warnings()[0], "Deletion of Deployment Region "+id, "deletes the region in Ops Manager", "skip_destroy = true")
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments", "PUT "+at, "DELETE "+at)
	providertest.WantNoState(t, r)
	if s.Region(id) != nil {
		t.Error("the region is still there")
	}
}

func TestExistingRegionIsNotCreated(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	providertest.WantOne(t, r.Plan(providertest.Region(providertest.Europe, nil)).Errors(), "[deployment_id]", providertest.Europe, "Already Exists", "terraform import ADDRESS 'EU/West 1'", "adopt_existing = true", "moved block")

	p := r.Plan(providertest.Region("NEW", nil))
	s.SetRegion("NEW", regionBody(nil)) // after the plan
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[deployment_id]", "NEW Already Exists", "terraform import ADDRESS NEW")
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, s)
}

func TestExistingRegionIsAdoptedIfConfigured(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true, "deployment_description": "Australia and New Zealand"})
	p := r.Plan(config)
	providertest.WantOne(t, p.Warnings(), providertest.Oceania, "Overwritten Values", `bq_proxy_endpoint: "om-au.example.com:27217" -> "om.example.com:27217"`)
	if strings.Contains(p.Warnings()[0], "deployment_description") {
		t.Errorf("a value that agrees is not overwritten: %q", p.Warnings()[0])
	}
	if diags := r.Apply(p, nil); len(diags) > 0 {
		t.Errorf("got %v %v", diags.Errors(), diags.Warnings())
	}
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ")
	// A PUT also sends the live values of fields that are not configured. Otherwise it would reset
	// them.
	providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"deploymentDescription": "Australia and New Zealand", "assignmentEnabled": true})))
	r.MustBeSettled(config)
}

func TestAdoptionWithoutADifferenceSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.SetRegion(providertest.Oceania, regionBody(nil))
	if diags := r.Create(providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true})); len(diags) > 0 {
		t.Errorf("got %v", diags.Warnings())
	}
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"assignment_enabled": true})
}

func TestAdoptExistingCreatesARegionThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", providertest.Values{"adopt_existing": true, "assignment_enabled": true}))
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments")
	providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(map[string]any{"id": "NEW", "assignmentEnabled": true})))
}

func TestRegionIsAdoptedWithoutAChange(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Values{"deployment_id": providertest.Europe}
	if diags := r.Create(config); len(diags) > 0 {
		t.Errorf("got %v", diags.Warnings())
	}
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Western Europe, being drained", "bq_proxy_endpoint": "om-eu.example.com:27217", "assignment_enabled": false})
	r.MustBeSettled(config)

	// A configured field is changed. When it is no longer configured, it keeps its value.
	described := providertest.Region(providertest.Europe, nil)
	r.Create(described)
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/EU%2FWest%201")
	r.MustBeSettled(described)
	providertest.WantEmptyPlan(t, r.Plan(config))
	if diags := r.Create(providertest.Values{"deployment_id": providertest.Europe, "skip_destroy": true}); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/EU%2FWest%201")
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Test", "skip_destroy": true})
}

func TestAdoptionOfARegionThatDoesNotExistFails(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	providertest.WantOne(t, r.Plan(providertest.Values{"deployment_id": "NOWHERE"}).Errors(), "[deployment_id]", `no region "NOWHERE" to adopt`, "404", "ingestion_endpoint")

	p := r.Plan(providertest.Values{"deployment_id": providertest.Oceania})
	s.RemoveRegion(providertest.Oceania) // after the plan
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[deployment_id]", `no region "AU_NZ" to adopt`, "404")
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, s)
}

func TestChangeOfOneFieldSendsTheWholeRegion(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": false}
	p := r.Plan(config)
	providertest.WantOne(t, p.Warnings(), "Overwritten Values", "assignment_enabled: true -> false")
	r.Apply(p, nil)
	providertest.WantLastSent(t, s, "PUT", `{"deploymentDescription": "Australia and New Zealand", "ingestionEndpoint": "https://om-au.example.com:8443",
		"restoreEndpoint": "https://om-au.example.com:8443", "bqProxyEndpoint": "om-au.example.com:27217", "assignmentEnabled": false}`)
	r.MustBeSettled(config)

	config["assignment_enabled"] = true
	p = r.Plan(config)
	if got := p.Changes(); !slices.Equal(got, []string{"assignment_enabled"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.Apply(p, nil)
	if got := s.Region(providertest.Oceania); got["assignmentEnabled"] != true || got["deploymentDescription"] != "Australia and New Zealand" {
		t.Errorf("the service holds %v", got)
	}
}

func TestChangeOfARegionRequiresTheFieldsThatTheStateLacks(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: `{"assignmentEnabled": true}`})
	r.Create(providertest.Values{"deployment_id": providertest.Oceania})
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": nil, "assignment_enabled": true})

	p := r.Plan(providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": false})
	if diags := r.Apply(p, nil); len(diags) > 0 {
		t.Fatalf("got %q", diags.Errors())
	}
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Australia and New Zealand", "assignment_enabled": false})
	if got := s.Region(providertest.Oceania)["bqProxyEndpoint"]; got != "om-au.example.com:27217" {
		t.Errorf("the service holds %v", got)
	}
}

// onEachBareService runs a test on each service that supports only the deletion of regions.
func onEachBareService(t *testing.T, test func(t *testing.T, s *providertest.Service)) {
	t.Helper()
	for _, options := range providertest.AllServices[1:] {
		t.Run(string(options.Profile+emulator.Profile(options.UnknownRoutes)), func(t *testing.T) {
			t.Parallel()
			test(t, providertest.StartService(t, options))
		})
	}
}

func TestUnreadableRegionIsAdoptedUnverified(t *testing.T) {
	t.Parallel()
	onEachBareService(t, func(t *testing.T, s *providertest.Service) {
		r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
		config := providertest.Values{"deployment_id": providertest.Europe}
		p := r.Plan(config)
		providertest.WantOne(t, p.Warnings(), "[deployment_id]", "Unverified Deployment Region "+providertest.Europe, "40")
		if diags := r.Apply(p, nil); len(diags) > 0 {
			t.Errorf("apply: %q %q", diags.Errors(), diags.Warnings())
		}
		providertest.WantAttributes(t, r, providertest.Values{"deployment_description": nil, "ingestion_endpoint": nil, "assignment_enabled": nil})
		diags := r.Refresh()
		providertest.WantOne(t, diags.Warnings(), providertest.Europe, "Not Refreshed", "a deletion", "40")
		providertest.WantAttributes(t, r, providertest.Values{"deployment_id": providertest.Europe, "deployment_description": nil})
		providertest.WantEmptyPlan(t, r.Plan(config))
		// Changing a setting of the resource sends no request and makes no value unknown.
		config["skip_destroy"] = true
		p = r.Plan(config)
		if got := p.Changes(); !slices.Equal(got, []string{"skip_destroy"}) {
			t.Errorf("the plan changes %v", got)
		}
		r.Apply(p, nil)
		config["skip_destroy"] = nil
		r.Create(config)
		providertest.WantWrites(t, s)

		diags = r.Destroy()
		if len(diags.Errors()) > 0 || len(diags.Warnings()) != 2 {
			t.Fatalf("destroy: %q %q", diags.Errors(), diags.Warnings())
		}
		providertest.WantContains(t, diags.Warnings()[1], "Deployment Region EU/West 1 Deleted", "did not return the region", `deployment_id          = "EU/West 1"`, "These are required too, but unknown: deployment_description, ingestion_endpoint")
		providertest.WantWrites(t, s, "DELETE /admin/backup/backupDeployments/EU%2FWest%201")
		if s.Region(providertest.Europe) != nil {
			t.Error("the region is still there")
		}
	})
}

func TestWriteToAnAPIThatOnlyDeletesRegionsHasAdvice(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]providertest.Values{
		"created":    providertest.Region("NEW", nil),
		"taken over": providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Documented})
			diags := r.Apply(r.Plan(config), nil)
			providertest.WantOne(t, diags.Errors(), "can't create or change regions", "adopt it without changing it")
			providertest.WantNoState(t, r)
		})
		t.Run(name+" behind a page", func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{Profile: emulator.Documented, UnknownRoutes: emulator.GoText})
			r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
			providertest.WantOne(t, r.Plan(config).Errors(), "Unable to Create Deployment Region", "404 Not Found: the response was text/plain", "No change was sent", "adopt the region without changing it")
			providertest.WantWrites(t, s)
		})
	}
	t.Run("one field is changed", func(t *testing.T) {
		t.Parallel()
		onEachBareService(t, func(t *testing.T, s *providertest.Service) {
			r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
			config := providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": false}
			providertest.WantOne(t, r.Plan(config).Errors(), "[assignment_enabled]", "must send the whole region")

			r.Create(providertest.Values{"deployment_id": providertest.Oceania})
			diags := r.Apply(r.Plan(config), nil)
			if len(diags.Errors()) != 1 {
				t.Fatalf("got %q", diags.Errors())
			}
			providertest.WantAttributes(t, r, providertest.Values{"deployment_id": providertest.Oceania, "assignment_enabled": nil})
			providertest.WantWrites(t, s)
		})
	})
	t.Run("known after apply", func(t *testing.T) {
		t.Parallel()
		onEachBareService(t, func(t *testing.T, s *providertest.Service) {
			late := providertest.Values{"deployment_id": providertest.Oceania, "deployment_description": providertest.Unknown,
				"ingestion_endpoint": providertest.Unknown, "restore_endpoint": providertest.Unknown, "bq_proxy_endpoint": providertest.Unknown}
			for _, config := range []providertest.Values{late, {"deployment_id": "NEW", "assignment_enabled": providertest.Unknown}} {
				if p := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType).Plan(config); len(p.Errors()) > 0 {
					t.Errorf("%v: %q", config, p.Errors())
				}
			}
		})
	})
	t.Run("described later", func(t *testing.T) {
		t.Parallel()
		_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Documented})
		r.Create(providertest.Values{"deployment_id": providertest.Oceania})
		diags := r.Apply(r.Plan(providertest.Region(providertest.Oceania, nil)), nil)
		providertest.WantOne(t, diags.Errors(), "can't create or change regions")
		providertest.WantAttributes(t, r, providertest.Values{"deployment_id": providertest.Oceania, "deployment_description": nil})
	})
}

// The page may come from a proxy. A write could create a region that is gone, or overwrite one that
// was not read.
func TestPageInsteadOfARegionPreventsAWrite(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	r2 := r.Workspace.NewResource(providertest.RegionType)
	creation := r2.Plan(providertest.Region("NEWER", nil))
	r3 := r.Workspace.NewResource(providertest.RegionType)
	takeover := r3.Plan(providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true}))
	r4 := r.Workspace.NewResource(providertest.RegionType)
	partial := r4.Plan(providertest.Values{"deployment_id": "EU/West 1", "assignment_enabled": true})
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 404, Body: "<html><title>Nothing here</title></html>", BeforeAuth: true})
	for name, diags := range map[string]providertest.Diagnostics{
		"an update":   r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})), nil),
		"a creation":  r2.Apply(creation, nil),
		"an adoption": r3.Apply(takeover, nil),
	} {
		if got := diags.Errors(); len(got) != 1 || !strings.Contains(got[0], "No change was sent") || !strings.Contains(got[0], "Nothing here") {
			t.Errorf("%s: %q", name, got)
		}
	}
	providertest.WantOne(t, r4.Apply(partial, nil).Errors(), "[assignment_enabled]", "must send the whole region")
	providertest.WantNoState(t, r4)
	providertest.WantWrites(t, s)
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Test"})
	providertest.WantNoState(t, r2)
	providertest.WantNoState(t, r3)
}

func TestAdoptionOfAnUnreadableRegionReplacesIt(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.Inject(emulator.Fault{Method: "GET", Path: "backupDeployments", Times: -1, Status: 405, Body: "{}"})
	providertest.WantOne(t, r.Create(providertest.Region(providertest.Oceania, providertest.Values{"adopt_existing": true})).Warnings(), "Unverified Deployment Region AU_NZ", "overwrite its values")
	r2 := r.Workspace.NewResource(providertest.RegionType)
	if diags := r2.Create(providertest.Region("NEW", nil)); len(diags) > 0 {
		t.Errorf("got %q", diags.Warnings())
	}
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ", "POST /admin/backup/backupDeployments")
}

func TestConflictExplainsHowToAdoptTheRegion(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.Inject(emulator.Fault{Method: "GET", Path: "backupDeployments", Times: -1, Status: 405, Body: "{}"})
	diags := r.Apply(r.Plan(providertest.Region(providertest.Oceania, nil)), nil)
	providertest.WantOne(t, diags.Errors(), "[deployment_id]", "409", "already exists", "terraform import ADDRESS AU_NZ")
	providertest.WantNoState(t, r)
}

func TestIncompleteRegionIsNotCreated(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	p := r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": nil, "bq_proxy_endpoint": nil}))
	if got := p.Errors(); len(got) != 2 {
		t.Fatalf("got %q", got)
	}
	providertest.WantContains(t, strings.Join(p.Errors(), "\n"), "[restore_endpoint]", "[bq_proxy_endpoint]", "requires deployment_description")

	// Unknown values may complete the configuration, or be null.
	for _, config := range []providertest.Values{
		providertest.Region("NEW", providertest.Values{"restore_endpoint": providertest.Unknown}),
		{"deployment_id": providertest.Oceania, "restore_endpoint": providertest.Unknown},
		providertest.Region("NEWER", providertest.Values{"deployment_id": providertest.Unknown, "adopt_existing": providertest.Unknown, "assignment_enabled": providertest.Unknown}),
	} {
		if p := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType).Plan(config); len(p.Errors())+len(p.Warnings()) > 0 {
			t.Errorf("%v: %q %q", config, p.Errors(), p.Warnings())
		}
	}
	p = r.Plan(providertest.Values{"deployment_id": ""})
	providertest.WantOne(t, p.Errors(), "deployment_id", "at least 1")
	providertest.WantWrites(t, s)
}

func TestValuesThatAreKnownAtApplyAreSent(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	p := r.Plan(providertest.Region("", providertest.Values{"deployment_id": providertest.Unknown, "restore_endpoint": providertest.Unknown}))
	known := providertest.Values{"deployment_id": "NEW", "restore_endpoint": "https://late.example.com"}
	if diags := r.Apply(p, known); len(diags) > 0 {
		t.Fatalf("got %v", diags.Errors())
	}
	providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(map[string]any{"id": "NEW", "restoreEndpoint": "https://late.example.com"})))

	// An unknown value that turns out to be the live one changes nothing.
	p = r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": providertest.Unknown}))
	r.Apply(p, providertest.Values{"restore_endpoint": "https://late.example.com"})
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments")
}

func TestAdjustedNewRegionIsNotStored(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{AdjustRegion: func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:1" }})
	diags := r.Apply(r.Plan(providertest.Region("NEW", nil)), nil).Errors()
	if len(diags) != 2 {
		t.Fatalf("got %q", diags)
	}
	providertest.WantContains(t, diags[0], "[bq_proxy_endpoint]", `sent "om.example.com:27217"`, `changed it to "om.example.com:1"`)
	providertest.WantContains(t, diags[1], "now exists in Ops Manager", "terraform import ADDRESS NEW")
	providertest.WantNoState(t, r)
}

func TestAdjustedValuesOfARegionUpdateAreStored(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{AdjustRegion: func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:27217" }})
	r.Create(providertest.Region("NEW", nil))
	diags := r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"bq_proxy_endpoint": "om.example.com:2"})), nil)
	providertest.WantOne(t, diags.Errors(), "[bq_proxy_endpoint]", `sent "om.example.com:2"`, `changed it to "om.example.com:27217"`)
	providertest.WantAttributes(t, r, providertest.Values{"bq_proxy_endpoint": "om.example.com:27217", "assignment_enabled": false})
	if got := len(s.Calls("GET")); got < 5 {
		t.Errorf("gave up after %d reads", got)
	}
}

func TestFailedUpdateKeepsTheState(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	s.Inject(emulator.Fault{Method: "PUT", Status: 400, Body: `{"error": 400, "errorCode": "INVALID_ATTRIBUTE", "detail": "Bad port.", "parameters": ["bqProxyEndpoint"]}`})
	diags := r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"bq_proxy_endpoint": "om.example.com:x"})), nil)
	providertest.WantOne(t, diags.Errors(), "[bq_proxy_endpoint]", "Unable to Update Deployment Region", "Bad port.")
	providertest.WantAttributes(t, r, providertest.Values{"bq_proxy_endpoint": "om.example.com:27217"})
}

func TestMissingFieldsOfAResponseKeepTheirValues(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Region("NEW", providertest.Values{"assignment_enabled": true})
	s.Inject(emulator.Fault{Method: "POST", Status: 201, Body: `{"id": "NEW"}`})
	r.Create(config)
	providertest.WantAttributes(t, r, config)
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: `{"id": "NEW", "links": []}`})
	r.MustRefresh()
	providertest.WantAttributes(t, r, config)
	config["deployment_description"] = "Changed"
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id":"NEW"}`})
	r.Create(config)
	providertest.WantAttributes(t, r, config)
}

func TestCreationWithoutAResponseIsRecognized(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.Inject(emulator.Fault{Method: "POST", DropAfter: true})
	config := providertest.Region("NEW", nil)
	providertest.WantOne(t, r.Create(config).Warnings(), "Deployment Region NEW May Belong to Someone Else", "did not exist before")
	providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW", "assignment_enabled": false})
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments")
	r.MustBeSettled(config)

	// A creation that had no effect is reported.
	r2 := r.Workspace.NewResource(providertest.RegionType)
	s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
	diags := r2.Apply(r2.Plan(providertest.Region("NEWER", nil)), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region", "POST /admin/backup/backupDeployments")
	if len(diags.Warnings()) > 0 {
		t.Errorf("got %q", diags.Warnings())
	}
	providertest.WantNoState(t, r2)

	// Another region is not mistaken for the created one.
	p := r2.Plan(providertest.Region("NEWER", nil))
	s.Inject(emulator.Fault{Method: "GET", Path: "NEWER", Status: 404, Body: `{"error": 404, "detail": "No such region."}`})
	s.SetRegion("NEWER", regionBody(map[string]any{"restoreEndpoint": "https://elsewhere.example.com"}))
	s.Inject(emulator.Fault{Method: "POST", Status: 500})
	diags = r2.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region", "500")
	providertest.WantOne(t, diags.Warnings(), "NEWER May Have Been Created", "terraform import ADDRESS NEWER")
	providertest.WantNoState(t, r2)
}

// If Ops Manager could not return the region before, the provider can't tell whether it is new.
func TestRegionThatMayHaveExistedIsNotTreatedAsCreated(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	p := r.Plan(providertest.Region("NEW", nil))
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	s.Inject(emulator.Fault{Method: "GET", Status: 405})
	s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region", "POST /admin/backup/backupDeployments")
	providertest.WantOne(t, diags.Warnings(), "NEW May Have Been Created")
	providertest.WantNoState(t, r)
}

func TestCreationSendsNothingIfItsFirstReadFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"a proxy's page": {Status: 404, Body: "<html><title>Nothing here</title></html>"},
		"no right":       {Status: 403, Body: `{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`},
		"a failure":      {Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			p := r.Plan(providertest.Region("NEW", nil))
			fault.Method, fault.Times = "GET", -1
			s.Inject(fault)
			diags := r.Apply(p, nil)
			providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region")
			providertest.WantNoState(t, r)
			providertest.WantWrites(t, s)
		})
	}
}

func TestRegionDriftIsShownAndReverted(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	config := providertest.Region("NEW", nil)
	r.Create(config)
	s.SetRegion("NEW", map[string]any{"restoreEndpoint": "https://console.example.com", "assignmentEnabled": true})
	r.MustRefresh()
	p := r.Plan(config)
	if got := p.Changes(); !slices.Equal(got, []string{"restore_endpoint"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.Apply(p, nil)
	providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"assignmentEnabled": true})))
}

func TestRegionThatIsGoneIsRemovedFromTheState(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("NEW", nil))
	s.RemoveRegion("NEW")
	r.Identity = nil // as in a version of Terraform without identities
	if diags := r.Refresh(); len(diags) > 0 {
		t.Errorf("got %v", diags.Errors())
	}
	providertest.WantNoState(t, r)
	if r.Identity == nil || plainIdentity(t, r.Identity)["deployment_id"] != "NEW" {
		t.Error("the removal has no identity, and Terraform before 1.12 rejects that")
	}
}

// plainIdentity decodes the identity of a region.
func plainIdentity(t *testing.T, identity *tfprotov6.ResourceIdentityData) providertest.Values {
	t.Helper()
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"deployment_id": tftypes.String}}
	value, err := identity.IdentityData.Unmarshal(kind)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := providertest.Plain(value).(providertest.Values)
	return found
}

func TestMissingFieldsInTheResponseToAPutHaveTheSentValues(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	config := providertest.Region("NEW", providertest.Values{"deployment_description": "Changed", "adopt_existing": true})
	delete(config, "assignment_enabled")
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id": "NEW"}`})
	r.Create(config)
	providertest.WantAttributes(t, r, config)
	providertest.WantAttributes(t, r, providertest.Values{"assignment_enabled": true})
	providertest.WantEmptyPlan(t, r.Plan(config))
}

func TestOnlyAResponseOfTheAPIMeansThatARegionIsGone(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"a malformed id":      {Status: 404, Body: `{"error": 404, "errorCode": "INVALID_DEPLOYMENT_ID", "detail": "x"}`},
		"no right":            {Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED"}`},
		"a login page":        {Status: 200, Body: "<html><title>Log in</title></html>"},
		"another region":      {Status: 200, Body: `{"id": "OTHER"}`},
		"a dropped answer":    {DropAfter: true},
		"an internal failure": {Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", nil))
			fault.Times = -1
			fault.Method = "GET"
			s.Inject(fault)
			providertest.WantOne(t, r.Refresh().Errors(), "Unable to Read Deployment Region")
			fault.Method = "DELETE"
			if fault.Body == `{"id": "OTHER"}` {
				fault = emulator.Fault{Method: "DELETE", Status: 410, Times: -1} // the response to a DELETE has no body to check
			}
			s.Inject(fault)
			providertest.WantOne(t, r.Destroy().Errors(), "Unable to Delete Deployment Region")
			providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW", "deployment_description": "Test"})
		})
	}
}

func TestInconclusiveReadKeepsTheStateAndProducesAWarning(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"405":               {Status: 405},
		"501":               {Status: 501},
		"404":               {Status: 404, Body: `{"error": 404, "errorCode": "RESOURCE_NOT_FOUND"}`},
		"a proxy's page":    {Status: 404, Body: "<html><title>Nothing here</title></html>", BeforeAuth: true},
		"plain text":        {Status: 404, Body: "404 page not found\n"},
		"nothing":           {Status: 404},
		"a gateway's 404":   {Status: 404, Body: `{"error": 404, "message": "no route"}`},
		"another gateway's": {Status: 404, Body: `{"error": 500}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", nil))
			fault.Times = -1
			s.Inject(fault)
			for range 2 {
				diags := r.Refresh()
				providertest.WantOne(t, diags.Warnings(), "[deployment_id]", "Deployment Region NEW Not Refreshed", fmt.Sprint(fault.Status))
				if len(diags.Errors()) > 0 {
					t.Errorf("got %q", diags.Errors())
				}
				providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW", "deployment_description": "Test"})
			}
			providertest.WantOne(t, r.Destroy().Errors(), "Unable to Delete Deployment Region")
			providertest.WantAttributes(t, r, providertest.Values{"deployment_id": "NEW"})
		})
	}
}

func TestProtectedRegionIsNotDestroyed(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
		config := providertest.Values{"deployment_id": providertest.Oceania, "deletion_protection": true, "skip_destroy": true}
		r.Create(config)
		r.Configure()
		providertest.WantOne(t, r.Plan(nil).Errors(), "deletion_protection", providertest.Oceania, "Set deletion_protection = false and apply, then destroy")

		// It is not replaced either, not even by an earlier plan.
		config["deployment_id"] = providertest.Europe
		providertest.WantOne(t, r.Plan(config).Errors(), "deletion_protection", providertest.Oceania)
		config["deployment_id"] = providertest.Oceania
		destroyed := &providertest.Plan{Config: tftypes.NewValue(r.ResourceSchema.ValueType(), nil), Prior: r.State, After: tftypes.NewValue(r.ResourceSchema.ValueType(), nil)}
		r.Configure()
		providertest.WantOne(t, r.Apply(destroyed, nil).Errors(), "deletion_protection", "no request was sent")
		providertest.WantAttributes(t, r, config)
		providertest.WantWrites(t, s)

		delete(config, "deletion_protection")
		r.Create(config)
		diags := r.Destroy()
		providertest.WantOne(t, diags.Warnings(), providertest.Oceania, "does not call Ops Manager", "Ops Manager keeps the region")
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
		if s.Region(providertest.Oceania) == nil {
			t.Error("the region was deleted")
		}
	})
}

func TestAnotherIDReplacesARegion(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	r.Create(providertest.Region("OLD", nil))
	r.Configure()
	p := r.Plan(providertest.Region("NEW", nil))
	if !p.Replaces {
		t.Fatalf("not replaced: %q", p.Errors())
	}
	providertest.WantOne(t, p.Warnings(), "Deletion of Deployment Region OLD")
	if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments", "DELETE /admin/backup/backupDeployments/OLD", "POST /admin/backup/backupDeployments")
}

func TestRegionInUseCannotBeDeleted(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
		r.Create(providertest.Values{"deployment_id": providertest.NewYork})
		diags := r.Destroy()
		providertest.WantOne(t, diags.Errors(), "Unable to Delete Deployment Region", "409", "ny-blockstore-1", "oplog stores, sync stores and daemons", "skip_destroy = true")
		providertest.WantAttributes(t, r, providertest.Values{"deployment_id": providertest.NewYork})
		s.UseRegion(providertest.NewYork)
		if diags := r.Destroy(); len(diags.Errors()) > 0 {
			t.Error(diags.Errors())
		}
	})
}

func TestOnlyARefusedDeletionHasAdviceToUnbind(t *testing.T) {
	t.Parallel()
	for body, advised := range map[string]bool{
		`{"error": 403, "detail": "It is bound."}`:                     true,
		`{"error": 403, "errorCode": "REGION_IN_USE"}`:                 true,
		`{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`: false,
		`{"error": 403, "errorCode": "USER_UNAUTHORIZED"}`:             false,
	} {
		s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(providertest.Values{"deployment_id": providertest.Oceania})
		s.Inject(emulator.Fault{Method: "DELETE", Status: 403, Body: body})
		diags := strings.Join(r.Destroy().Errors(), "\n")
		if got := strings.Contains(diags, "unbind"); got != advised {
			t.Errorf("%s: advised %v: %s", body, got, diags)
		}
	}
}

func TestDeletionOfAMissingRegionSucceeds(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		for _, removed := range []func(){
			func() { s.RemoveRegion(providertest.Oceania) },
			func() { s.Inject(emulator.Fault{Method: "DELETE", Status: 200, Body: "{}"}) },
			func() { s.Inject(emulator.Fault{Method: "DELETE", Status: 202}) },
		} {
			s.SetRegion(providertest.Oceania, regionBody(nil))
			r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
			r.Create(providertest.Values{"deployment_id": providertest.Oceania})
			removed()
			if diags := r.Destroy(); len(diags.Errors()) > 0 {
				t.Error(diags.Errors())
			}
			providertest.WantNoState(t, r)
		}
	})
}

func TestRegionIsImportedByAnyID(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		w := providertest.NewWorkspace(t, s, nil)
		byID, byIdentity := w.NewResource(providertest.RegionType), w.NewResource(providertest.RegionType)
		diags := byID.ImportID(providertest.Europe)
		diags = append(diags, byIdentity.ImportIdentity(identityOf(t, providertest.Europe))...)
		description := s.Region(providertest.Europe)["deploymentDescription"]
		if strings.Contains(t.Name(), "/documented") {
			description = nil
			if got := diags.Warnings(); len(got) != 4 { // one of the import and one of the refresh
				t.Errorf("want four warnings that the import is unverified, got %q", got)
			}
		} else if len(diags) > 0 {
			t.Errorf("got %q", diags.Warnings())
		}
		for _, r := range []*providertest.Resource{byID, byIdentity} {
			providertest.WantAttributes(t, r, providertest.Values{"deployment_id": providertest.Europe, "deployment_description": description})
			if got := plainIdentity(t, r.Identity)["deployment_id"]; got != providertest.Europe {
				t.Errorf("its identity is %v", got)
			}
			providertest.WantEmptyPlan(t, r.Plan(providertest.Values{"deployment_id": providertest.Europe}))
		}
		providertest.WantOne(t, w.NewResource(providertest.RegionType).ImportID("").Errors(), "Invalid Import ID", "NY_NJ")
		providertest.WantWrites(t, s)
	})
}

func identityOf(t *testing.T, id string) *tfprotov6.ResourceIdentityData {
	t.Helper()
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"deployment_id": tftypes.String}}
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, map[string]tftypes.Value{"deployment_id": tftypes.NewValue(tftypes.String, id)}))
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &value}
}

func TestRegionsKeepTheirStateIfSettingsAreUnknown(t *testing.T) {
	t.Parallel()
	s, known := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	known.Create(providertest.Region("NEW", nil))
	s.ResetRequests()
	r := providertest.NewWorkspace(t, s, providertest.Values{"base_url": providertest.Unknown, "private_key": providertest.Unknown}).NewResource(providertest.RegionType)
	if p := r.Plan(providertest.Region("NEWER", nil)); len(p.Errors())+len(p.Warnings()) > 0 {
		t.Errorf("got %v %v", p.Errors(), p.Warnings())
	}
	r.State = known.State
	providertest.WantOne(t, r.Refresh().Warnings(), "Not Read", "base_url, private_key")
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Test"})
	providertest.WantOne(t, r.Destroy().Errors(), "base_url, private_key")
	providertest.WantAttributes(t, r, providertest.Values{"deployment_description": "Test"})
	providertest.WantOne(t, r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"restore_endpoint": "x"})), nil).Errors(), "Unable to Update Deployment Region", "base_url, private_key")
	if got := s.Calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
	if diags := fmt.Sprint(providertest.NewWorkspace(t, s, providertest.Values{"base_url": providertest.Unknown}).NewResource(providertest.RegionType).ImportID(providertest.Oceania).Warnings()); !strings.Contains(diags, "Not Read") {
		t.Errorf("got %s", diags)
	}
}
