package regions_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestOperationsOfADeploymentRegionSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "creating a region, its read", Sends: []string{"GET", "POST"}, Hits: 0,
			Fails: []string{"Unable to Create Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: createRegion},
		providertest.Operation{Name: "creating a region", Creates: true, Sends: []string{"GET", "POST"}, Hits: 1,
			Fails: []string{"Unable to Create Deployment Region", "POST " + providertest.RegionsPath}, Prepare: createRegion},
		providertest.Operation{Name: "refreshing a region", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: refreshRegion},
		providertest.Operation{Name: "updating a region, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
			Fails: []string{"Unable to Update Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: updateRegion},
		providertest.Operation{Name: "updating a region", Sends: []string{"GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Update Deployment Region", "PUT " + providertest.RegionsPath + "/NEW"}, Prepare: updateRegion},
		providertest.Operation{Name: "deleting a region", Sends: []string{"GET", "DELETE"}, Hits: 1,
			Fails: []string{"Unable to Delete Deployment Region", "DELETE " + providertest.RegionsPath + "/NEW"}, Prepare: deleteRegion},
	)
}

func TestRegionThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "region", Prepare: updateRegion, Method: "PUT", Attribute: "deployment_description", Field: "deploymentDescription", Third: "Theirs",
			Other: "newSetting", Theirs: "theirs", Object: "Deployment Region NEW", Set: setRegion, Get: getRegion,
		},
		providertest.Contested{
			Name: "deleted region", Prepare: deleteRegion, Method: "DELETE", Attribute: "ingestion_endpoint", Field: "ingestionEndpoint", Third: "https://theirs.example.com",
			Object: "Deployment Region NEW", Set: setRegion, Get: getRegion, Remove: func(d *providertest.FaultProxy) { d.RemoveRegion("NEW") },
		},
	)
}

// An Ops Manager that can't return a region can't show whether another client has changed it, either.
func TestWriteOfARegionThatCannotBeReadIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Profile: emulator.Documented})
	r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 2}).NewResource(providertest.RegionType)
	r.ImportID("NY_NJ")
	r.Configure()
	p := r.Plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "DELETE", Status: 503})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Delete Deployment Region", "503", "It was not sent again, because the read before that failed: GET "+providertest.RegionsPath+"/NY_NJ: 405")
	providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NY_NJ")
}

func getRegion(d *providertest.FaultProxy) map[string]any { return d.Region("NEW") }

func descriptionHeld(d *providertest.FaultProxy, id string) func() any {
	return func() any { return d.Region(id)["deploymentDescription"] }
}

func createRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	return providertest.Applying(t, m, providertest.Region("NEW", nil)).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Test", "Test").Importing(m, "NEW")
}

func refreshRegion(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	d.SetRegion("NEW", map[string]any{"deploymentDescription": "Changed elsewhere"})
	return providertest.Refreshing(m).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Changed elsewhere", "Changed elsewhere")
}

func updateRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	d.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": false}))
	m.ImportID("NEW")
	return providertest.Applying(t, m, providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})).
		Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Changed", "Changed")
}

func deleteRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	return providertest.Destroying(t, m).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), nil, nil)
}

func setRegion(d *providertest.FaultProxy, fields map[string]any) { d.SetRegion("NEW", fields) }
