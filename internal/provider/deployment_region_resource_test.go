package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	regionType = "opsmanager_deployment_region"

	// Regions of the emulator's own seed.
	newYork = "NY_NJ"     // bound to a blockstore and a daemon
	oceania = "AU_NZ"     // may be assigned
	europe  = "EU/West 1" // may not
)

// region configures a region of its own, with all that it is created with.
func region(id string, more values) values {
	config := values{
		"deployment_id":          id,
		"deployment_description": "Test",
		"ingestion_endpoint":     "https://om.example.com:8443",
		"restore_endpoint":       "https://om.example.com:8443",
		"bq_proxy_endpoint":      "om.example.com:27217",
	}
	maps.Copy(config, more)
	return config
}

// regionBody is what is sent of that.
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

// calls returns the requests that were answered, without the challenged ones, each as
// 'METHOD path'.
func (s *testService) calls(methods ...string) []string {
	calls := []string{}
	for _, r := range s.Requests() {
		if r.Authenticated && (len(methods) == 0 || slices.Contains(methods, r.Method)) {
			calls = append(calls, r.Method+" "+r.Path)
		}
	}
	return calls
}

// writes are the calls that change something.
func (s *testService) writes() []string { return s.calls("POST", "PUT", "PATCH", "DELETE") }

func wantWrites(t *testing.T, s *testService, want ...string) {
	t.Helper()
	if got := s.writes(); !slices.Equal(got, want) {
		t.Errorf("changed the service with %q, want %q", got, want)
	}
}

// wantBody checks the last body that was sent with a method.
func wantBody(t *testing.T, s *testService, method string, want map[string]any) {
	t.Helper()
	bodies := s.sent(method, "")
	if len(bodies) == 0 {
		t.Fatalf("no %s was sent", method)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(bodies[len(bodies)-1]), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s sent %v, want %v (%v)", method, got, want, err)
	}
}

func wantAttributes(t *testing.T, m *managed, want values) {
	t.Helper()
	for name, value := range want {
		if got := m.attributes()[name]; got != value {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
}

// wantNothing checks that nothing is stored.
func wantNothing(t *testing.T, m *managed) {
	t.Helper()
	if stored := m.attributes(); stored != nil {
		t.Errorf("stored %v", stored)
	}
}

func startedRegion(t *testing.T, profile emulator.Profile) (*testService, *managed) {
	t.Helper()
	s := startService(t, emulator.Options{Profile: profile})
	return s, openWorkspace(t, s, nil).resource(regionType)
}

func TestRegionIsCreatedUpdatedAndDeleted(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	const id = "a/b c%2F?#ü"
	const at = "/admin/backup/backupDeployments/a%2Fb%20c%252F%3F%23%C3%BC"
	config := region(id, nil)
	if told := r.create(config); len(told) > 0 {
		t.Errorf("told %q", told.warnings())
	}
	wantBody(t, s, "POST", regionBody(map[string]any{"id": id}))
	wantAttributes(t, r, values{"deployment_id": id, "deployment_description": "Test", "assignment_enabled": false, "adopt_existing": nil})
	r.refresh()
	wantEmpty(t, r.plan(config))

	config["restore_endpoint"] = "https://elsewhere.example.com"
	p := r.plan(config)
	if got := p.changes(); !slices.Equal(got, []string{"restore_endpoint"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.apply(p, nil)
	wantBody(t, s, "PUT", regionBody(map[string]any{"restoreEndpoint": "https://elsewhere.example.com", "assignmentEnabled": false}))
	r.refresh()
	wantEmpty(t, r.plan(config))

	told := r.destroy()
	if len(told.errors()) > 0 || len(told.warnings()) != 2 {
		t.Fatalf("destroy: %q %q", told.errors(), told.warnings())
	}
	wantWords(t, told.warnings()[0], "Deletion of Deployment Region "+id, "deletes the region in Ops Manager", "skip_destroy = true")
	wantWrites(t, s, "POST /admin/backup/backupDeployments", "PUT "+at, "DELETE "+at)
	wantNothing(t, r)
	if s.Region(id) != nil {
		t.Error("the region is still there")
	}
}

func TestARegionThatExistsIsNotCreated(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	wantOne(t, r.plan(region(europe, nil)).errors(), "[deployment_id]", europe, "Exists Already", "terraform import ADDRESS 'EU/West 1'", "adopt_existing = true", "moved block")

	p := r.plan(region("NEW", nil))
	s.SetRegion("NEW", regionBody(nil)) // after the plan
	wantOne(t, r.apply(p, nil).errors(), "[deployment_id]", "NEW Exists Already", "terraform import ADDRESS NEW")
	wantNothing(t, r)
	wantWrites(t, s)
}

func TestRegionThatExistsIsTakenOverWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := region(oceania, values{"adopt_existing": true, "deployment_description": "Australia and New Zealand"})
	p := r.plan(config)
	wantOne(t, p.warnings(), oceania, "Overwritten Values", `bq_proxy_endpoint: "om-au.example.com:27217" -> "om.example.com:27217"`)
	if strings.Contains(p.warnings()[0], "deployment_description") {
		t.Errorf("a value that agrees is not overwritten: %q", p.warnings()[0])
	}
	if told := r.apply(p, nil); len(told) > 0 {
		t.Errorf("told %v %v", told.errors(), told.warnings())
	}
	wantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ")
	// What is not configured is sent as it was, or the replacement would reset it.
	wantBody(t, s, "PUT", regionBody(map[string]any{"deploymentDescription": "Australia and New Zealand", "assignmentEnabled": true}))
	r.refresh()
	wantEmpty(t, r.plan(config))
}

func TestTakingOverARegionThatAgreesSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.SetRegion(oceania, regionBody(nil))
	if told := r.create(region(oceania, values{"adopt_existing": true})); len(told) > 0 {
		t.Errorf("told %v", told.warnings())
	}
	wantWrites(t, s)
	wantAttributes(t, r, values{"assignment_enabled": true})
}

func TestTakingOverARegionThatDoesNotExistCreatesIt(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", values{"adopt_existing": true, "assignment_enabled": true}))
	wantWrites(t, s, "POST /admin/backup/backupDeployments")
	wantBody(t, s, "POST", regionBody(map[string]any{"id": "NEW", "assignmentEnabled": true}))
}

func TestRegionIsAdoptedAsItIs(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := values{"deployment_id": europe}
	if told := r.create(config); len(told) > 0 {
		t.Errorf("told %v", told.warnings())
	}
	wantWrites(t, s)
	wantAttributes(t, r, values{"deployment_description": "Western Europe, being drained", "bq_proxy_endpoint": "om-eu.example.com:27217", "assignment_enabled": false})
	r.refresh()
	wantEmpty(t, r.plan(config))

	// Configured later, it is changed; no longer configured, it stays so.
	described := region(europe, nil)
	r.create(described)
	wantWrites(t, s, "PUT /admin/backup/backupDeployments/EU%2FWest%201")
	r.refresh()
	wantEmpty(t, r.plan(described))
	wantEmpty(t, r.plan(config))
	if told := r.create(values{"deployment_id": europe, "skip_destroy": true}); len(told.errors()) > 0 {
		t.Error(told.errors())
	}
	wantWrites(t, s, "PUT /admin/backup/backupDeployments/EU%2FWest%201")
	wantAttributes(t, r, values{"deployment_description": "Test", "skip_destroy": true})
}

func TestAdoptionOfARegionThatDoesNotExistFails(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	wantOne(t, r.plan(values{"deployment_id": "NOWHERE"}).errors(), "[deployment_id]", `no region "NOWHERE" to adopt`, "404", "ingestion_endpoint")

	p := r.plan(values{"deployment_id": oceania})
	s.RemoveRegion(oceania) // after the plan
	wantOne(t, r.apply(p, nil).errors(), "[deployment_id]", `no region "AU_NZ" to adopt`, "404")
	wantNothing(t, r)
	wantWrites(t, s)
}

func TestOneFieldOfAnAdoptedRegionIsChangedWithAllOfIt(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := values{"deployment_id": oceania, "assignment_enabled": false}
	p := r.plan(config)
	wantOne(t, p.warnings(), "Overwritten Values", "assignment_enabled: true -> false")
	r.apply(p, nil)
	wantBody(t, s, "PUT", map[string]any{
		"deploymentDescription": "Australia and New Zealand", "ingestionEndpoint": "https://om-au.example.com:8443",
		"restoreEndpoint": "https://om-au.example.com:8443", "bqProxyEndpoint": "om-au.example.com:27217", "assignmentEnabled": false,
	})
	r.refresh()
	wantEmpty(t, r.plan(config))

	config["assignment_enabled"] = true
	p = r.plan(config)
	if got := p.changes(); !slices.Equal(got, []string{"assignment_enabled"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.apply(p, nil)
	if got := s.Region(oceania); got["assignmentEnabled"] != true || got["deploymentDescription"] != "Australia and New Zealand" {
		t.Errorf("the service holds %v", got)
	}
}

func TestWhatTheStateLacksOfARegionIsAskedForWhenItIsChanged(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.Inject(emulator.Fault{Method: "GET", Times: 2, Status: 200, Body: `{"assignmentEnabled": true}`})
	r.create(values{"deployment_id": oceania})
	wantAttributes(t, r, values{"deployment_description": nil, "assignment_enabled": true})

	p := r.plan(values{"deployment_id": oceania, "assignment_enabled": false})
	if told := r.apply(p, nil); len(told) > 0 {
		t.Fatalf("told %q", told.errors())
	}
	wantAttributes(t, r, values{"deployment_description": "Australia and New Zealand", "assignment_enabled": false})
	if got := s.Region(oceania)["bqProxyEndpoint"]; got != "om-au.example.com:27217" {
		t.Errorf("the service holds %v", got)
	}
}

// onEachBareService runs a test on each service that only deletes regions.
func onEachBareService(t *testing.T, test func(t *testing.T, s *testService)) {
	t.Helper()
	for _, options := range services[1:] {
		t.Run(string(options.Profile+emulator.Profile(options.UnknownRoutes)), func(t *testing.T) {
			t.Parallel()
			test(t, startService(t, options))
		})
	}
}

func TestARegionIsAdoptedUnverifiedIfTheServiceCannotShowIt(t *testing.T) {
	t.Parallel()
	onEachBareService(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(regionType)
		config := values{"deployment_id": europe}
		p := r.plan(config)
		wantOne(t, p.warnings(), "[deployment_id]", "Unverified Deployment Region "+europe, "40")
		if told := r.apply(p, nil); len(told) > 0 {
			t.Errorf("the apply told %q %q", told.errors(), told.warnings())
		}
		wantAttributes(t, r, values{"deployment_description": nil, "ingestion_endpoint": nil, "assignment_enabled": nil})
		told := r.refresh()
		wantOne(t, told.warnings(), europe, "Not Refreshed", "a deletion", "40")
		wantAttributes(t, r, values{"deployment_id": europe, "deployment_description": nil})
		wantEmpty(t, r.plan(config))
		// A setting of the resource alone calls nothing, and promises nothing unknown.
		config["skip_destroy"] = true
		p = r.plan(config)
		if got := p.changes(); !slices.Equal(got, []string{"skip_destroy"}) {
			t.Errorf("the plan changes %v", got)
		}
		r.apply(p, nil)
		config["skip_destroy"] = nil
		r.create(config)
		wantWrites(t, s)

		told = r.destroy()
		if len(told.errors()) > 0 || len(told.warnings()) != 2 {
			t.Fatalf("destroy: %q %q", told.errors(), told.warnings())
		}
		wantWords(t, told.warnings()[1], "Deployment Region EU/West 1 Deleted", "didn't show the region", `deployment_id          = "EU/West 1"`, "Not known, and needed too: deployment_description, ingestion_endpoint")
		wantWrites(t, s, "DELETE /admin/backup/backupDeployments/EU%2FWest%201")
		if s.Region(europe) != nil {
			t.Error("the region is still there")
		}
	})
}

func TestAServiceThatOnlyDeletesRegionsSaysSoIfOneIsWritten(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]values{
		"created":    region("NEW", nil),
		"taken over": region(oceania, values{"adopt_existing": true}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := startedRegion(t, emulator.Documented)
			told := r.apply(r.plan(config), nil)
			wantOne(t, told.errors(), "does not create or change regions", "adopt it as it is")
			wantNothing(t, r)
		})
		t.Run(name+" behind a page", func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{Profile: emulator.Documented, UnknownRoutes: emulator.GoText})
			r := openWorkspace(t, s, nil).resource(regionType)
			wantOne(t, r.plan(config).errors(), "Unable to Create Deployment Region", "404 page not found", "Nothing was sent", "adopt the region as it is")
			wantWrites(t, s)
		})
	}
	t.Run("changed in part", func(t *testing.T) {
		t.Parallel()
		onEachBareService(t, func(t *testing.T, s *testService) {
			r := openWorkspace(t, s, nil).resource(regionType)
			config := values{"deployment_id": oceania, "assignment_enabled": false}
			wantOne(t, r.plan(config).errors(), "[assignment_enabled]", "only be written as a whole")

			r.create(values{"deployment_id": oceania})
			told := r.apply(r.plan(config), nil)
			if len(told.errors()) != 1 {
				t.Fatalf("told %q", told.errors())
			}
			wantAttributes(t, r, values{"deployment_id": oceania, "assignment_enabled": nil})
			wantWrites(t, s)
		})
	})
	t.Run("described later", func(t *testing.T) {
		t.Parallel()
		_, r := startedRegion(t, emulator.Documented)
		r.create(values{"deployment_id": oceania})
		told := r.apply(r.plan(region(oceania, nil)), nil)
		wantOne(t, told.errors(), "does not create or change regions")
		wantAttributes(t, r, values{"deployment_id": oceania, "deployment_description": nil})
	})
}

// The page may be a proxy's: a write could create a region that is gone, or
// overwrite one without a look at it.
func TestAPageInsteadOfARegionLeadsToNoWrite(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	r2 := r.workspace.resource(regionType)
	creation := r2.plan(region("NEWER", nil))
	r3 := r.workspace.resource(regionType)
	takeover := r3.plan(region(oceania, values{"adopt_existing": true}))
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 404, Body: "<html><title>Nothing here</title></html>", BeforeAuth: true})
	for name, told := range map[string]diagnostics{
		"an update":   r.apply(r.plan(region("NEW", values{"deployment_description": "Changed"})), nil),
		"a creation":  r2.apply(creation, nil),
		"an adoption": r3.apply(takeover, nil),
	} {
		if got := told.errors(); len(got) != 1 || !strings.Contains(got[0], "Nothing was sent") || !strings.Contains(got[0], "Nothing here") {
			t.Errorf("%s: %q", name, got)
		}
	}
	wantWrites(t, s)
	wantAttributes(t, r, values{"deployment_description": "Test"})
	wantNothing(t, r2)
	wantNothing(t, r3)
}

func TestTakingOverARegionThatCannotBeShownReplacesIt(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.Inject(emulator.Fault{Method: "GET", Path: "backupDeployments", Times: -1, Status: 405, Body: "{}"})
	r.create(region(oceania, values{"adopt_existing": true}))
	r2 := r.workspace.resource(regionType)
	r2.create(region("NEW", nil))
	wantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ", "POST /admin/backup/backupDeployments")
}

func TestAConflictTellsHowToTakeTheRegionOver(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.Inject(emulator.Fault{Method: "GET", Path: "backupDeployments", Times: -1, Status: 405, Body: "{}"})
	told := r.apply(r.plan(region(oceania, nil)), nil)
	wantOne(t, told.errors(), "[deployment_id]", "409", "already exists", "terraform import ADDRESS AU_NZ")
	wantNothing(t, r)
}

func TestARegionIsNotCreatedInPart(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	p := r.plan(region("NEW", values{"restore_endpoint": nil, "bq_proxy_endpoint": nil}))
	if got := p.errors(); len(got) != 2 {
		t.Fatalf("told %q", got)
	}
	wantWords(t, strings.Join(p.errors(), "\n"), "[restore_endpoint]", "[bq_proxy_endpoint]", "all of deployment_description")

	// What is not known yet may complete it, or be none.
	for _, config := range []values{
		region("NEW", values{"restore_endpoint": unknown}),
		{"deployment_id": oceania, "restore_endpoint": unknown},
		region("NEWER", values{"deployment_id": unknown, "adopt_existing": unknown, "assignment_enabled": unknown}),
	} {
		if p := openWorkspace(t, s, nil).resource(regionType).plan(config); len(p.errors())+len(p.warnings()) > 0 {
			t.Errorf("%v: %q %q", config, p.errors(), p.warnings())
		}
	}
	p = r.plan(values{"deployment_id": ""})
	wantOne(t, p.errors(), "deployment_id", "at least 1")
	wantWrites(t, s)
}

func TestValuesThatAreKnownAtApplyAreSent(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	p := r.plan(region("", values{"deployment_id": unknown, "restore_endpoint": unknown}))
	known := values{"deployment_id": "NEW", "restore_endpoint": "https://late.example.com"}
	if told := r.apply(p, known); len(told) > 0 {
		t.Fatalf("told %v", told.errors())
	}
	wantBody(t, s, "POST", regionBody(map[string]any{"id": "NEW", "restoreEndpoint": "https://late.example.com"}))

	// An unknown that turns out to be what the service holds changes nothing.
	p = r.plan(region("NEW", values{"restore_endpoint": unknown}))
	r.apply(p, values{"restore_endpoint": "https://late.example.com"})
	wantWrites(t, s, "POST /admin/backup/backupDeployments")
}

// startedAdjusting starts a service that changes each region that is written.
func startedAdjusting(t *testing.T, adjust func(map[string]any)) (*testService, *managed) {
	t.Helper()
	s := startService(t, emulator.Options{AdjustRegion: adjust})
	return s, openWorkspace(t, s, nil).resource(regionType)
}

func TestWhatANewRegionIsAdjustedToIsNotStored(t *testing.T) {
	t.Parallel()
	_, r := startedAdjusting(t, func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:1" })
	told := r.apply(r.plan(region("NEW", nil)), nil).errors()
	if len(told) != 2 {
		t.Fatalf("told %q", told)
	}
	wantWords(t, told[0], "[bq_proxy_endpoint]", `"om.example.com:27217" was asked for`, `holds "om.example.com:1"`)
	wantWords(t, told[1], "exists on the service now", "terraform import ADDRESS NEW")
	wantNothing(t, r)
}

func TestWhatAnUpdateIsAdjustedToIsStored(t *testing.T) {
	t.Parallel()
	s, r := startedAdjusting(t, func(region map[string]any) { region["bqProxyEndpoint"] = "om.example.com:27217" })
	r.create(region("NEW", nil))
	told := r.apply(r.plan(region("NEW", values{"bq_proxy_endpoint": "om.example.com:2"})), nil)
	wantOne(t, told.errors(), "[bq_proxy_endpoint]", `"om.example.com:2" was asked for`, `holds "om.example.com:27217"`)
	wantAttributes(t, r, values{"bq_proxy_endpoint": "om.example.com:27217", "assignment_enabled": false})
	if got := len(s.calls("GET")); got < 5 {
		t.Errorf("gave up after %d reads", got)
	}
}

func TestAFailedUpdateKeepsTheState(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	s.Inject(emulator.Fault{Method: "PUT", Status: 400, Body: `{"error": 400, "errorCode": "INVALID_ATTRIBUTE", "detail": "Bad port.", "parameters": ["bqProxyEndpoint"]}`})
	told := r.apply(r.plan(region("NEW", values{"bq_proxy_endpoint": "om.example.com:x"})), nil)
	wantOne(t, told.errors(), "[bq_proxy_endpoint]", "Unable to Update Deployment Region", "Bad port.")
	wantAttributes(t, r, values{"bq_proxy_endpoint": "om.example.com:27217"})
}

func TestFieldsThatAnAnswerLeavesOutKeepTheirValues(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := region("NEW", values{"assignment_enabled": true})
	s.Inject(emulator.Fault{Method: "POST", Status: 201, Body: `{"id": "NEW"}`})
	r.create(config)
	wantAttributes(t, r, config)
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: `{"id": "NEW", "links": []}`})
	r.refresh()
	wantAttributes(t, r, config)
	config["deployment_description"] = "Changed"
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id":"NEW"}`})
	r.create(config)
	wantAttributes(t, r, config)
}

func TestACreationWhoseAnswerIsLostIsNotLost(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.Inject(emulator.Fault{Method: "POST", DropAfter: true})
	config := region("NEW", nil)
	wantOne(t, r.create(config).warnings(), "Unanswered Creation of Deployment Region NEW", "did not exist right before")
	wantAttributes(t, r, values{"deployment_id": "NEW", "assignment_enabled": false})
	wantWrites(t, s, "POST /admin/backup/backupDeployments")
	r.refresh()
	wantEmpty(t, r.plan(config))

	// One that did not happen is reported.
	r2 := r.workspace.resource(regionType)
	s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
	told := r2.apply(r2.plan(region("NEWER", nil)), nil)
	wantOne(t, told.errors(), "Unable to Create Deployment Region", "POST /admin/backup/backupDeployments")
	if len(told.warnings()) > 0 {
		t.Errorf("told %q", told.warnings())
	}
	wantNothing(t, r2)

	// Another region is not taken for it.
	p := r2.plan(region("NEWER", nil))
	s.Inject(emulator.Fault{Method: "GET", Path: "NEWER", Status: 404, Body: `{"error": 404, "detail": "No such region."}`})
	s.SetRegion("NEWER", regionBody(map[string]any{"restoreEndpoint": "https://elsewhere.example.com"}))
	s.Inject(emulator.Fault{Method: "POST", Status: 500})
	told = r2.apply(p, nil)
	wantOne(t, told.errors(), "Unable to Create Deployment Region", "500")
	wantOne(t, told.warnings(), "NEWER May Have Been Created", "terraform import ADDRESS NEWER")
	wantNothing(t, r2)
}

// Nothing says that the region is new if the service couldn't show it before.
func TestARegionThatMayHaveBeenThereBeforeIsNotTakenForACreatedOne(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	p := r.plan(region("NEW", nil))
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	s.Inject(emulator.Fault{Method: "GET", Status: 405})
	s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
	told := r.apply(p, nil)
	wantOne(t, told.errors(), "Unable to Create Deployment Region", "POST /admin/backup/backupDeployments")
	wantOne(t, told.warnings(), "NEW May Have Been Created")
	wantNothing(t, r)
}

func TestACreationThatCannotLookFirstSendsNothing(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"a proxy's page": {Status: 404, Body: "<html><title>Nothing here</title></html>"},
		"no right":       {Status: 403, Body: `{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`},
		"a failure":      {Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedRegion(t, emulator.Full)
			p := r.plan(region("NEW", nil))
			fault.Method, fault.Times = "GET", -1
			s.Inject(fault)
			told := r.apply(p, nil)
			wantOne(t, told.errors(), "Unable to Create Deployment Region")
			wantNothing(t, r)
			wantWrites(t, s)
		})
	}
}

func TestRegionDriftIsShownAndUndone(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	config := region("NEW", nil)
	r.create(config)
	s.SetRegion("NEW", map[string]any{"restoreEndpoint": "https://console.example.com", "assignmentEnabled": true})
	r.refresh()
	p := r.plan(config)
	if got := p.changes(); !slices.Equal(got, []string{"restore_endpoint"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.apply(p, nil)
	wantBody(t, s, "PUT", regionBody(map[string]any{"assignmentEnabled": true}))
}

func TestARegionThatIsGoneLeavesTheState(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("NEW", nil))
	s.RemoveRegion("NEW")
	r.identity = nil // as of a Terraform that knows of none
	if told := r.refresh(); len(told) > 0 {
		t.Errorf("told %v", told.errors())
	}
	wantNothing(t, r)
	if r.identity == nil || plainIdentity(t, r.identity)["deployment_id"] != "NEW" {
		t.Error("the removal has no identity, which Terraform before 1.12 refuses")
	}
}

// plainIdentity decodes the identity of a region.
func plainIdentity(t *testing.T, identity *tfprotov6.ResourceIdentityData) values {
	t.Helper()
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"deployment_id": tftypes.String}}
	value, err := identity.IdentityData.Unmarshal(kind)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := plain(value).(values)
	return found
}

func TestWhatTheAnswerToAReplacementLeavesOutIsWhatWasSent(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	config := region("NEW", values{"deployment_description": "Changed", "adopt_existing": true})
	delete(config, "assignment_enabled")
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id": "NEW"}`})
	r.create(config)
	wantAttributes(t, r, config)
	wantAttributes(t, r, values{"assignment_enabled": true})
	wantEmpty(t, r.plan(config))
}

func TestOnlyTheServiceSaysThatARegionIsGone(t *testing.T) {
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
			s, r := startedRegion(t, emulator.Full)
			r.create(region("NEW", nil))
			fault.Times = -1
			fault.Method = "GET"
			s.Inject(fault)
			wantOne(t, r.refresh().errors(), "Unable to Read Deployment Region")
			fault.Method = "DELETE"
			if fault.Body == `{"id": "OTHER"}` {
				fault = emulator.Fault{Method: "DELETE", Status: 410, Times: -1} // a DELETE has no answer to look at
			}
			s.Inject(fault)
			wantOne(t, r.destroy().errors(), "Unable to Delete Deployment Region")
			wantAttributes(t, r, values{"deployment_id": "NEW", "deployment_description": "Test"})
		})
	}
}

func TestAReadThatSaysNothingKeepsTheStateAndWarnsEachTime(t *testing.T) {
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
			s, r := startedRegion(t, emulator.Full)
			r.create(region("NEW", nil))
			fault.Times = -1
			s.Inject(fault)
			for range 2 {
				told := r.refresh()
				wantOne(t, told.warnings(), "[deployment_id]", "Deployment Region NEW Not Refreshed", fmt.Sprint(fault.Status))
				if len(told.errors()) > 0 {
					t.Errorf("told %q", told.errors())
				}
				wantAttributes(t, r, values{"deployment_id": "NEW", "deployment_description": "Test"})
			}
			wantOne(t, r.destroy().errors(), "Unable to Delete Deployment Region")
			wantAttributes(t, r, values{"deployment_id": "NEW"})
		})
	}
}

func TestAProtectedRegionIsNotDestroyed(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(regionType)
		config := values{"deployment_id": oceania, "deletion_protection": true, "skip_destroy": true}
		r.create(config)
		r.configure()
		wantOne(t, r.plan(nil).errors(), "deletion_protection", oceania, "Set deletion_protection = false and apply first, then destroy")

		// Neither is it replaced, nor does a plan that was made before help.
		config["deployment_id"] = europe
		wantOne(t, r.plan(config).errors(), "deletion_protection", oceania)
		config["deployment_id"] = oceania
		destroyed := &planned{config: tftypes.NewValue(r.schema.ValueType(), nil), prior: r.state, after: tftypes.NewValue(r.schema.ValueType(), nil)}
		r.configure()
		wantOne(t, r.apply(destroyed, nil).errors(), "deletion_protection", "nothing was called")
		wantAttributes(t, r, config)
		wantWrites(t, s)

		delete(config, "deletion_protection")
		r.create(config)
		told := r.destroy()
		wantOne(t, told.warnings(), oceania, "nothing is called", "Ops Manager keeps it")
		wantNothing(t, r)
		wantWrites(t, s)
		if s.Region(oceania) == nil {
			t.Error("the region was deleted")
		}
	})
}

func TestAnotherIdReplacesARegion(t *testing.T) {
	t.Parallel()
	s, r := startedRegion(t, emulator.Full)
	r.create(region("OLD", nil))
	r.configure()
	p := r.plan(region("NEW", nil))
	if !p.replaces {
		t.Fatalf("not replaced: %q", p.errors())
	}
	wantOne(t, p.warnings(), "Deletion of Deployment Region OLD")
	if told := r.apply(p, nil); len(told.errors()) > 0 {
		t.Error(told.errors())
	}
	wantWrites(t, s, "POST /admin/backup/backupDeployments", "DELETE /admin/backup/backupDeployments/OLD", "POST /admin/backup/backupDeployments")
}

func TestARegionInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(regionType)
		r.create(values{"deployment_id": newYork})
		told := r.destroy()
		wantOne(t, told.errors(), "Unable to Delete Deployment Region", "409", "ny-blockstore-1", "oplog stores, sync stores and daemons", "skip_destroy = true")
		wantAttributes(t, r, values{"deployment_id": newYork})
		s.UseRegion(newYork)
		if told := r.destroy(); len(told.errors()) > 0 {
			t.Error(told.errors())
		}
	})
}

func TestOnlyARefusalAdvisesToUnbind(t *testing.T) {
	t.Parallel()
	for body, advised := range map[string]bool{
		`{"error": 403, "detail": "It is bound."}`:                     true,
		`{"error": 403, "errorCode": "REGION_IN_USE"}`:                 true,
		`{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`: false,
		`{"error": 403, "errorCode": "USER_UNAUTHORIZED"}`:             false,
	} {
		s, r := startedRegion(t, emulator.Full)
		r.create(values{"deployment_id": oceania})
		s.Inject(emulator.Fault{Method: "DELETE", Status: 403, Body: body})
		told := strings.Join(r.destroy().errors(), "\n")
		if got := strings.Contains(told, "unbind"); got != advised {
			t.Errorf("%s: advised %v: %s", body, got, told)
		}
	}
}

func TestDeletingARegionThatIsGoneSucceeds(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		for _, removed := range []func(){
			func() { s.RemoveRegion(oceania) },
			func() { s.Inject(emulator.Fault{Method: "DELETE", Status: 200, Body: "{}"}) },
			func() { s.Inject(emulator.Fault{Method: "DELETE", Status: 202}) },
		} {
			s.SetRegion(oceania, regionBody(nil))
			r := openWorkspace(t, s, nil).resource(regionType)
			r.create(values{"deployment_id": oceania})
			removed()
			if told := r.destroy(); len(told.errors()) > 0 {
				t.Error(told.errors())
			}
			wantNothing(t, r)
		}
	})
}

func TestRegionIsImportedByAnyID(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		w := openWorkspace(t, s, nil)
		byID, byIdentity := w.resource(regionType), w.resource(regionType)
		told := byID.importID(europe)
		told = append(told, byIdentity.importIdentity(identityOf(t, europe))...)
		description := s.Region(europe)["deploymentDescription"]
		if strings.Contains(t.Name(), "/documented") {
			description = nil
			if got := told.warnings(); len(got) != 4 { // of the import and of the refresh, for each
				t.Errorf("an import that nobody can verify told %q", got)
			}
		} else if len(told) > 0 {
			t.Errorf("told %q", told.warnings())
		}
		for _, r := range []*managed{byID, byIdentity} {
			wantAttributes(t, r, values{"deployment_id": europe, "deployment_description": description})
			if got := plainIdentity(t, r.identity)["deployment_id"]; got != europe {
				t.Errorf("its identity is %v", got)
			}
			wantEmpty(t, r.plan(values{"deployment_id": europe}))
		}
		wantOne(t, w.resource(regionType).importID("").errors(), "Invalid Import ID", "NY_NJ")
		wantWrites(t, s)
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

func TestRegionsWaitForSettingsThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	s, known := startedRegion(t, emulator.Full)
	known.create(region("NEW", nil))
	s.ResetRequests()
	r := openWorkspace(t, s, values{"base_url": unknown, "private_key": unknown}).resource(regionType)
	if p := r.plan(region("NEWER", nil)); len(p.errors())+len(p.warnings()) > 0 {
		t.Errorf("told %v %v", p.errors(), p.warnings())
	}
	r.state = known.state
	wantOne(t, r.refresh().warnings(), "Not Read", "base_url, private_key")
	wantAttributes(t, r, values{"deployment_description": "Test"})
	wantOne(t, r.destroy().errors(), "base_url, private_key")
	wantAttributes(t, r, values{"deployment_description": "Test"})
	wantOne(t, r.apply(r.plan(region("NEW", values{"restore_endpoint": "x"})), nil).errors(), "Unable to Update Deployment Region", "base_url, private_key")
	if got := s.calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
	if told := fmt.Sprint(openWorkspace(t, s, values{"base_url": unknown}).resource(regionType).importID(oceania).warnings()); !strings.Contains(told, "Not Read") {
		t.Errorf("told %s", told)
	}
}
