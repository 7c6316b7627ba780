package putresource_test

import (
	"fmt"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A newer version of Ops Manager has members that the provider does not know.
func TestUpdateKeepsTheMembersThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	inBubble(t, emulator.Options{}, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		exists(s, map[string]any{"newSetting": "a", "newLimit": 3.0, "newObject": map[string]any{"zone": "z", "racks": []any{1.0, "two"}}})
		r.ImportID("NEW")
		p := r.Plan(region(providertest.Values{"deployment_description": "Changed"}))
		s.SetRegion("NEW", map[string]any{"newSetting": nil, "newLimit": 4.0})
		if diags := r.Apply(p, nil); len(diags) > 0 {
			t.Errorf("apply: %q %q", diags.Errors(), diags.Warnings())
		}
		providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{
			"deploymentDescription": "Changed", "assignmentEnabled": true, "newLimit": 4, "newObject": map[string]any{"zone": "z", "racks": []any{1, "two"}},
		})))
	})
}

// A PUT may store the mask of a secret.
func TestMemberThatMayBeAMaskedSecretIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, masked := range map[string]any{"a mask": "****", "the name of a secret": map[string]any{"token": "5f2a"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, emulator.Options{}, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				r.Create(region(nil))
				s.SetRegion("NEW", map[string]any{"newSetting": masked})
				s.ResetRequests()
				p := r.Plan(region(providertest.Values{"deployment_description": "Changed"}))
				providertest.WantOne(t, r.Apply(p, nil).Errors(), "[deployment_id]", "Unknown Secret", "newSetting", "newer version")
				providertest.WantWrites(t, s)
			})
		})
	}
}

// It may be a mask of an unknown form.
func TestMemberThatDiffersInEachResponseIsNeverSent(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy := providertest.FaultProxyInMemory(emulator.Options{})
		r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.RegionType)
		r.Create(region(nil))
		reads := 0
		proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
			reads++
			document["newSetting"] = fmt.Sprint("5f2a-", reads)
		}))
		proxy.ResetRequests()
		p := r.Plan(region(providertest.Values{"deployment_description": "Changed"}))
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting")
		providertest.WantWrites(t, proxy.Service)
	})
}

// Leaving it out would reset what someone has set.
func TestMemberThatOpsManagerRejectsPreventsAnUpdate(t *testing.T) {
	t.Parallel()
	rejects := emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}}
	inBubble(t, rejects, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		s.SetRegion("NEW", map[string]any{"newLimit": 3.0})
		s.ResetRequests()
		p := r.Plan(region(providertest.Values{"deployment_description": "Changed"}))
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Update Deployment Region", "(INVALID_ATTRIBUTE)", "newLimit")
		providertest.WantWrites(t, s, "PUT "+at)
	})
}
