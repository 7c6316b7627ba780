package infrastructure_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestRegionIsCreatedUpdatedAndDeleted(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	const id = "a/b c%2F?#ü"
	const at = "/admin/backup/backupDeployments/a%2Fb%20c%252F%3F%23%C3%BC"
	config := providertest.Region(id, nil)
	r.MustApply(config).WantNone(t)
	providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(object{"id": id})))
	providertest.WantAttributes(t, r, values{"deployment_id": id, "deployment_description": "Test", "assignment_enabled": false})
	r.MustApply(config.With(values{"restore_endpoint": "https://elsewhere.example.com"}))
	providertest.WantLastSent(
		t, s, "PUT",
		providertest.JSON(regionBody(object{"restoreEndpoint": "https://elsewhere.example.com", "assignmentEnabled": false})),
	)
	providertest.WantEach(
		t, r.Destroy().Warnings(), []string{"Deployment Region " + id + " Will Be Deleted", "refuses to delete a region while", `on_destroy = "keep"`},
		[]string{"Deployment Region " + id + " Deleted"},
	)
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments", "PUT "+at, "DELETE "+at)
	providertest.WantNoState(t, r)
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

func TestRegionThatCannotBeReadIsImportedAndDeleted(t *testing.T) {
	t.Parallel()
	onEachBareService(t, func(t *testing.T, s *providertest.Service) {
		r := providertest.NewWorkspace(t, s).NewResource(providertest.RegionType)
		diags := r.ImportID(providertest.Europe)
		diags.WantNoErrors(t)
		providertest.WantEach(
			t, diags.Warnings(), []string{"[deployment_id]", "Unverified Deployment Region " + providertest.Europe, "40"},
			[]string{"[deployment_id]", "Not Refreshed", "a deletion", "40"},
		)
		config := values{"deployment_id": providertest.Europe}
		providertest.WantEmptyPlan(t, r.Plan(config))
		r.Create(config.With(values{"deletion_protection": true}))
		r.Create(config)
		providertest.WantWrites(t, s)

		diags = r.Destroy()
		diags.WantNoErrors(t)
		providertest.WantContains(
			t, diags.Warnings()[1], "Deployment Region EU/West 1 Deleted", `deployment_id          = "EU/West 1"`,
			"Add these, which are not shown: deployment_description, ingestion_endpoint",
		)
		providertest.WantWrites(t, s, "DELETE /admin/backup/backupDeployments/EU%2FWest%201")
		if s.Region(providertest.Europe) != nil {
			t.Error("the region is still there")
		}
	})
}

func TestRegionThatCannotBeReadIsNeitherCreatedNorChanged(t *testing.T) {
	t.Parallel()
	onEachBareService(t, func(t *testing.T, s *providertest.Service) {
		w := providertest.NewWorkspace(t, s)
		words := []string{"[deployment_id]", "no change was sent", "terraform import ADDRESS NEW"}
		w.NewResource(providertest.RegionType).Plan(providertest.Region("NEW", nil)).WantError(t, words...)
		r := w.NewResource(providertest.RegionType)
		r.ImportID("NEW")
		r.Apply(r.Plan(providertest.Region("NEW", nil))).WantError(t, words...)
		providertest.WantWrites(t, s)
	})
}

// What was read before must be compared before it is deleted.
func TestRegionThatCanNoLongerBeReadIsNotDeleted(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"405":            {Status: 405},
		"404":            {Status: 404, Body: `{"error": 404, "errorCode": "RESOURCE_NOT_FOUND"}`},
		"a proxy's page": {Status: 404, Body: "<html><title>Nothing here</title></html>", BeforeAuth: true},
		"nothing":        {Status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType)
			r.Create(providertest.Region("NEW", nil))
			s.ResetRequests()
			fault.Method, fault.Times = "GET", -1
			s.Inject(fault)
			r.Refresh().WantError(t, "Unable to Read Deployment Region", fmt.Sprint(fault.Status))
			providertest.WantAttributes(t, r, values{"deployment_description": "Test"})
			r.Destroy().WantError(t, "Unable to Delete Deployment Region", "Nothing was changed")
			providertest.WantWrites(t, s)
		})
	}
}

func TestRegionInUseCannotBeDeleted(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := providertest.NewWorkspace(t, s).NewResource(providertest.RegionType)
		r.ImportID(providertest.NewYork)
		diags := r.Destroy()
		diags.WantError(t, "Unable to Delete Deployment Region", "409", "oplog stores, sync stores and daemons", "deletes all snapshots", `on_destroy = "keep"`)
		providertest.WantAttributes(t, r, values{"deployment_id": providertest.NewYork})
		s.UseRegion(providertest.NewYork)
		r.Destroy().WantNoErrors(t)
	})
}

func TestChangedEndpointsInAnUnusualFormProduceAWarning(t *testing.T) {
	t.Parallel()
	for attribute, forms := range map[string]map[string]bool{
		"ingestion_endpoint": {
			"ftp://om.example.com": true, "om.example.com:8443": true, "https://": true, "": true, "http://om.example.com": false,
			"https://[::1]:8443/path": false,
		},
		"restore_endpoint": {"ftp://om.example.com": true, "//om.example.com": true, "https://om.example.com": false},
		"bq_proxy_endpoint": {
			"https://om.example.com:27217": true, "om.example.com": true, ":27217": true, "om.example.com:0": true,
			"om.example.com:65536": true, "om.example.com:x": true,
			"om.example.com:27217": false, "[::1]:1": false,
		},
		"deployment_description": {"ftp://": false},
	} {
		s, r := providertest.StartResource(t, providertest.RegionType)
		for form, unusual := range forms {
			config := providertest.Region("NEW", values{attribute: form})
			p := r.Plan(config)
			if unusual {
				p.WantWarning(t, "["+attribute+"]", "Unusual "+attribute+" of Deployment Region NEW", fmt.Sprintf("%q", form))
			} else if len(p.Warnings()) > 0 {
				t.Errorf("%s %q: %q", attribute, form, p.Warnings())
			}
		}
		for form := range forms { // there is no warning about a value that the region already has
			config := providertest.Region("NEW", values{attribute: form})
			r.Configure()
			r.Create(config)
			r.Plan(config.With(values{"assignment_enabled": true})).WantNoWarnings(t)
			s.RemoveRegion("NEW")
			r.MustRefresh()
		}
	}
}

// An Ops Manager that can't return a region can't show whether another client has changed it, either.
func TestWriteOfARegionThatCannotBeReadIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Profile: emulator.Documented})
	r := providertest.NewWorkspace(t, s, values{"max_retries": 2}).NewResource(providertest.RegionType)
	r.ImportID("NY_NJ")
	r.Configure()
	p := r.Plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "DELETE", Status: 503})
	r.Apply(p).WantError(
		t, "Unable to Delete Deployment Region", "503",
		"It was not sent again, because the read before that failed: GET "+providertest.RegionsPath+"/NY_NJ: 405",
	)
	providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NY_NJ")
}
