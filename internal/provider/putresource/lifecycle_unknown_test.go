package putresource_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A newer version of Ops Manager has members that the provider does not know.
func TestUpdateKeepsTheMembersThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	unknown := map[string]any{"newSetting": "a", "newLimit": 3.0, "newObject": map[string]any{"zone": "z", "racks": []any{1.0, "two"}}}
	for name, test := range map[string]struct {
		start  func(s *providertest.Service, r *providertest.Resource)
		config providertest.Values
	}{
		"an update": {func(_ *providertest.Service, r *providertest.Resource) {
			r.Create(providertest.Region("NEW", nil))
		}, providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})},
		"an import": {func(s *providertest.Service, r *providertest.Resource) {
			s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
			r.ImportID("NEW")
		}, providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			test.start(s, r)
			s.SetRegion("NEW", unknown)
			r.Create(test.config)
			sent, held := regionBody(map[string]any{"deploymentDescription": "Changed", "assignmentEnabled": s.Region("NEW")["assignmentEnabled"]}), s.Region("NEW")
			for member, value := range unknown {
				sent[member] = value
				if !reflect.DeepEqual(held[member], value) {
					t.Errorf("%s was %v and is %v", member, value, held[member])
				}
			}
			providertest.WantLastSent(t, s, "PUT", providertest.JSON(sent))
		})
	}

	t.Run("a member that is gone", func(t *testing.T) {
		t.Parallel()
		s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
		r.Create(providertest.Region("NEW", nil))
		s.SetRegion("NEW", unknown)
		r.MustRefresh()
		p := r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"}))
		s.SetRegion("NEW", map[string]any{"newSetting": nil, "newObject": nil, "newLimit": 4.0})
		if diags := r.Apply(p, nil); len(diags) > 0 {
			t.Errorf("apply: %q %q", diags.Errors(), diags.Warnings())
		}
		if held := s.Region("NEW"); held["newSetting"] != nil || held["newLimit"] != 4.0 {
			t.Errorf("holds %v", held)
		}
	})
}

// A PUT may store the mask of a secret.
func TestMemberThatMayBeAMaskedSecretIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, masked := range map[string]map[string]any{
		"a mask":               {"newSetting": "****"},
		"the name of a secret": {"newSetting": map[string]any{"token": "5f2a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			r.Create(providertest.Region("NEW", nil))
			s.SetRegion("NEW", masked)
			s.ResetRequests()
			p := r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"}))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "[deployment_id]", "Unknown Secret", "newSetting", "newer version")
			providertest.WantWrites(t, s)
		})
	}
}

// Leaving it out would reset what someone has set.
func TestMemberThatOpsManagerRejectsPreventsAnUpdate(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}})
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
	r.Create(providertest.Region("NEW", nil))
	s.SetRegion("NEW", map[string]any{"newSetting": "secret", "newLimit": 3.0})
	s.ResetRequests()
	diags := r.Apply(r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Update Deployment Region", "(INVALID_ATTRIBUTE)", "newLimit")
	if held := s.Region("NEW"); held["newSetting"] != "secret" || held["deploymentDescription"] != "Test" {
		t.Errorf("the service holds %v", held)
	}
	providertest.WantWrites(t, s, "PUT "+providertest.RegionsPath+"/NEW")
}
