package regions_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestCreationWithUnknownOutcomeIsReportedAndNotRetried(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
	p := r.Plan(providertest.Region("NEW", nil))
	s.Inject(emulator.Fault{Method: "POST", DropAfter: true})
	s.Inject(emulator.Fault{Method: "GET", Skip: 1, Times: -1, Status: 503})
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region", "EOF", "may have taken effect", "Nothing was stored", "how to import it")
	providertest.WantNoState(t, r)

	s.ClearFaults()
	providertest.WantOne(t, r.Plan(providertest.Region("NEW", nil)).Errors(), "Deployment Region NEW Already Exists", `id = "NEW"`)
	if got := providertest.Creations(s); got != 1 {
		t.Errorf("%d creations", got)
	}
}
