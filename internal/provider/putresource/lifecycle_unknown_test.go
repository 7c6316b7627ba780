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
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		exists(s, object{"newSetting": "a", "newLimit": 3.0, "newObject": object{"zone": "z", "racks": []any{1.0, "two"}}})
		r.ImportID("NEW")
		p := r.Plan(region(values{"deployment_description": "Changed"}))
		s.SetRegion("NEW", object{"newSetting": nil, "newLimit": 4.0})
		r.Apply(p).WantNone(t)
		providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(object{
			"deploymentDescription": "Changed", "assignmentEnabled": true, "newLimit": 4, "newObject": object{"zone": "z", "racks": []any{1, "two"}},
		})))
	})
}

// A PUT may store the mask of a secret.
func TestMemberThatMayBeAMaskedSecretIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, masked := range map[string]any{"a mask": "****", "the name of a secret": object{"token": "5f2a"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				r.Create(region(nil))
				s.SetRegion("NEW", object{"newSetting": masked})
				s.ResetRequests()
				p := r.Plan(region(values{"deployment_description": "Changed"}))
				r.Apply(p).WantError(t, "[deployment_id]", "Unknown Secret", "newSetting", "newer version")
				providertest.WantWrites(t, s)
			})
		})
	}
}

// It may be a mask of an unknown form.
func TestMemberThatDiffersInEachResponseIsNeverSent(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy := providertest.FaultProxyInMemory()
		r := regionOn(t, proxy.Service)
		r.Create(region(nil))
		reads := 0
		proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
			reads++
			document["newSetting"] = fmt.Sprint("5f2a-", reads)
		}))
		proxy.ResetRequests()
		p := r.Plan(region(values{"deployment_description": "Changed"}))
		r.Apply(p).WantError(t, "Unknown Secret", "newSetting")
		providertest.WantWrites(t, proxy.Service)
	})
}

// Leaving it out would reset what someone has set.
func TestMemberThatOpsManagerRejectsPreventsAnUpdate(t *testing.T) {
	t.Parallel()
	rejects := emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}}
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		s.SetRegion("NEW", object{"newLimit": 3.0})
		s.ResetRequests()
		p := r.Plan(region(values{"deployment_description": "Changed"}))
		r.Apply(p).WantError(t, "Unable to Update Deployment Region", "(INVALID_ATTRIBUTE)", "newLimit")
		providertest.WantWrites(t, s, "PUT "+at)
	}, rejects)
}
