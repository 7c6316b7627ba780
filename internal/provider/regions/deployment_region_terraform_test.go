package regions_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const testRegion = "opsmanager_deployment_region.test"

// describedRegion returns a configuration of a region with an ID and a description.
func describedRegion(s *providertest.Service, id, description string) string {
	return s.Config(fmt.Sprintf(`
resource "opsmanager_deployment_region" "test" {
  deployment_id          = %q
  deployment_description = %q
  ingestion_endpoint     = "https://om.example.com:8443"
  restore_endpoint       = "https://om.example.com:8443"
  bq_proxy_endpoint      = "om.example.com:27217"
}`, id, description))
}

func regionHolds(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(testRegion, tfjsonpath.New(attribute), value)
}

func TestTerraformManagesARegionFromCreationToDestroy(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	const id = "EU/West 2"
	const at = "/admin/backup/backupDeployments/EU%2FWest%202"
	providertest.Terraform(t,
		resource.TestStep{
			Config: describedRegion(s, id, "Test"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(testRegion, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(testRegion, tfjsonpath.New("assignment_enabled")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				regionHolds("deployment_id", knownvalue.StringExact(id)),
				regionHolds("assignment_enabled", knownvalue.Bool(false)),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(map[string]any{"id": id})))
			},
			Config: describedRegion(s, id, "Changed"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(testRegion, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(testRegion, tfjsonpath.New("assignment_enabled"), knownvalue.Bool(false)),
			}},
		},
		resource.TestStep{
			PreConfig: func() {
				providertest.WantLastSent(t, s, "PUT", providertest.JSON(regionBody(map[string]any{"deploymentDescription": "Changed", "assignmentEnabled": false})))
				s.SetRegion(id, map[string]any{"deploymentDescription": "Clicked", "assignmentEnabled": true})
			},
			Config:           describedRegion(s, id, "Changed"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(testRegion, plancheck.ResourceActionUpdate)}},
			ConfigStateChecks: []statecheck.StateCheck{
				regionHolds("deployment_description", knownvalue.StringExact("Changed")),
				regionHolds("assignment_enabled", knownvalue.Bool(true)),
			},
		},
		resource.TestStep{
			ResourceName: testRegion, ImportState: true, ImportStateId: id,
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "deployment_id",
		},
	)
	providertest.WantWrites(t, s, "POST /admin/backup/backupDeployments", "PUT "+at, "PUT "+at, "DELETE "+at)
}
