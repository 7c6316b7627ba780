package regions_test

import (
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

const testRegion = "opsmanager_deployment_region.test"

// regionConfig returns a configuration of a region with an ID and more attributes.
func regionConfig(s *providertest.Service, id, more string) string {
	return s.Config(fmt.Sprintf(`
resource "opsmanager_deployment_region" "test" {
  deployment_id = %q
%s
}`, id, more))
}

// describedRegion returns a configuration of a region with all required fields.
func describedRegion(s *providertest.Service, id, description, more string) string {
	return regionConfig(s, id, fmt.Sprintf(`
  deployment_description = %q
  ingestion_endpoint     = "https://om.example.com:8443"
  restore_endpoint       = "https://om.example.com:8443"
  bq_proxy_endpoint      = "om.example.com:27217"
%s`, description, more))
}

func regionHolds(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(testRegion, tfjsonpath.New(attribute), value)
}

func regionDoes(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(testRegion, action)}}
}

func TestTerraformManagesARegionFromCreationToDestroy(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	const id = "EU/West 2"
	const at = "/admin/backup/backupDeployments/EU%2FWest%202"
	providertest.Terraform(t,
		resource.TestStep{
			Config: describedRegion(s, id, "Test", ""),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(testRegion, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(testRegion, tfjsonpath.New("assignment_enabled")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				regionHolds("deployment_id", knownvalue.StringExact(id)),
				regionHolds("assignment_enabled", knownvalue.Bool(false)),
				regionHolds("adopt_existing", knownvalue.Null()),
			},
		},
		resource.TestStep{
			PreConfig: func() {
				providertest.WantLastSent(t, s, "POST", providertest.JSON(regionBody(map[string]any{"id": id})))
			},
			Config: describedRegion(s, id, "Changed", ""),
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
			Config:           describedRegion(s, id, "Changed", ""),
			ConfigPlanChecks: regionDoes(plancheck.ResourceActionUpdate),
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

func TestTerraformAdoptsARegionAndForgetsIt(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		providertest.Terraform(t,
			resource.TestStep{
				Config:            regionConfig(s, providertest.NewYork, ""),
				ConfigPlanChecks:  regionDoes(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{regionHolds("deployment_id", knownvalue.StringExact(providertest.NewYork))},
			},
			resource.TestStep{ // the region is bound to a store, so a DELETE would fail
				Config:           regionConfig(s, providertest.NewYork, "skip_destroy = true"),
				ConfigPlanChecks: regionDoes(plancheck.ResourceActionUpdate),
			},
		)
		providertest.WantWrites(t, s)
	})
}

func TestTerraformDestroysARegionOnceItsProtectionIsOff(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		providertest.Terraform(t,
			resource.TestStep{Config: regionConfig(s, providertest.Europe, "deletion_protection = true")},
			resource.TestStep{
				Config: regionConfig(s, providertest.Europe, "deletion_protection = true"), Destroy: true,
				ExpectError: regexp.MustCompile(`(?s)Deployment Region Is Protected.*and\s+apply,`),
			},
			resource.TestStep{
				PreConfig:        func() { providertest.WantWrites(t, s) },
				Config:           regionConfig(s, providertest.Europe, ""),
				ConfigPlanChecks: regionDoes(plancheck.ResourceActionUpdate),
			},
		)
		providertest.WantWrites(t, s, "DELETE /admin/backup/backupDeployments/EU%2FWest%201")
	})
}

func TestTerraformDoesNotCreateAnExistingRegion(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	providertest.Terraform(t,
		resource.TestStep{
			Config:      describedRegion(s, providertest.Oceania, "Test", ""),
			ExpectError: regexp.MustCompile(`(?s)Deployment Region AU_NZ Already Exists.*terraform import ADDRESS AU_NZ`),
		},
		resource.TestStep{
			PreConfig:         func() { providertest.WantWrites(t, s) },
			Config:            describedRegion(s, providertest.Oceania, "Test", "adopt_existing = true"),
			ConfigPlanChecks:  regionDoes(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{regionHolds("assignment_enabled", knownvalue.Bool(true))},
		},
	)
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ", "DELETE /admin/backup/backupDeployments/AU_NZ")
}

func TestTerraformDeletesNoRegionAfterAFailedCreation(t *testing.T) {
	t.Parallel()
	var adjusts atomic.Bool
	adjusts.Store(true)
	s := providertest.StartService(t, emulator.Options{AdjustRegion: func(region map[string]any) {
		if adjusts.Load() {
			region["deploymentDescription"] = "Adjusted"
		}
	}})
	providertest.Terraform(t,
		resource.TestStep{
			Config:      describedRegion(s, providertest.Oceania, "Test", "adopt_existing = true"),
			ExpectError: regexp.MustCompile(`(?s)Ops Manager Adjusted the Value.*sent "Test".*"Adjusted"`),
		},
		resource.TestStep{
			PreConfig:        func() { adjusts.Store(false) },
			Config:           describedRegion(s, providertest.Oceania, "Test", "adopt_existing = true\n skip_destroy = true"),
			ConfigPlanChecks: regionDoes(plancheck.ResourceActionCreate),
		},
	)
	providertest.WantWrites(t, s, "PUT /admin/backup/backupDeployments/AU_NZ", "PUT /admin/backup/backupDeployments/AU_NZ")
}

func TestTerraformCreatesAMissingRegionAgain(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	providertest.Terraform(t,
		resource.TestStep{Config: describedRegion(s, "NEW", "Test", "")},
		resource.TestStep{
			PreConfig:        func() { s.RemoveRegion("NEW") },
			Config:           describedRegion(s, "NEW", "Test", ""),
			ConfigPlanChecks: regionDoes(plancheck.ResourceActionCreate),
		},
	)
}
