package snapshots_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// Terraform fails because of the postcondition. It neither taints the resource nor takes another
// snapshot.
func TestTerraformTakesOneSnapshotThoughTheResponseIsLost(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 1000}})
	s.Inject(losses["dropped after"])
	config := s.Config(fmt.Sprintf(`
resource "opsmanager_on_demand_snapshot" "test" {
  project_id     = %q
  cluster_id     = %q
  retention_days = 7

  timeouts = {
    create = "1s"
  }

  lifecycle {
    postcondition {
      condition     = self.complete
      error_message = "The snapshot is not complete."
    }
  }
}`, providertest.Payments, providertest.Orders))
	failed := regexp.MustCompile("The snapshot is not complete")
	providertest.Terraform(t,
		resource.TestStep{Config: config, ExpectError: failed},
		resource.TestStep{Config: config, ExpectError: failed},
		resource.TestStep{
			PreConfig: func() {
				id, _ := taken(s)[0]["id"].(string)
				s.SetSnapshot(providertest.Payments, providertest.Orders, id, map[string]any{"complete": true}) // and it appears
			},
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
	wantTaken(t, s, 1, 1)
}
