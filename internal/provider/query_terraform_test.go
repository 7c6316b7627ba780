package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestTerraformQueriesSchedulesAndRegions(t *testing.T) {
	t.Parallel()
	providertest.SkipWithoutQueriesAndActions(t, providertest.CLI(t))
	s := providertest.StartService(t, emulator.Options{})
	const schedules, regions = providertest.ScheduleType + ".all", providertest.RegionType + ".all"
	ledgers := map[string]knownvalue.Check{"project_id": knownvalue.StringExact(providertest.Payments), "cluster_id": knownvalue.StringExact(providertest.Ledger)}
	resource.Test(t, resource.TestCase{
		IsUnitTest:               true,
		ProtoV6ProviderFactories: providertest.Factories(),
		Steps: []resource.TestStep{
			{Config: s.CardsConfig("")},
			{
				Query: true, // of the configuration of the previous step
				Config: fmt.Sprintf(`
list %q "all" {
  provider         = opsmanager
  include_resource = true

  config {
    project_id = %q
  }
}

list %q "all" {
  provider         = opsmanager
  include_resource = true
}
`, providertest.ScheduleType, providertest.Payments, providertest.RegionType),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(schedules, 5),
					querycheck.ExpectIdentity(schedules, ledgers),
					querycheck.ExpectResourceDisplayName(schedules, queryfilter.ByResourceIdentity(ledgers), knownvalue.StringExact("ledger")),
					querycheck.ExpectResourceKnownValues(schedules, queryfilter.ByResourceIdentity(ledgers), []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("snapshot_retention_days"), KnownValue: knownvalue.Int64Exact(20)},
					}),
					querycheck.ExpectNoIdentity(schedules, map[string]knownvalue.Check{
						"project_id": knownvalue.StringExact(providertest.Payments), "cluster_id": knownvalue.StringExact(providertest.OrdersShard),
					}),
					querycheck.ExpectLength(regions, 3),
					querycheck.ExpectIdentity(regions, map[string]knownvalue.Check{"deployment_id": knownvalue.StringExact(providertest.NewYork)}),
				},
			},
		},
	})
}

// If an item were missing from a list, a configuration that is generated from it would lack a resource.
func TestIncompleteListIsAnErrorOfAQuery(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	w := providertest.NewWorkspace(t, s, nil)
	for typeName, config := range map[string]providertest.Values{providertest.ScheduleType: {"project_id": providertest.Payments}, providertest.RegionType: {}} {
		providertest.WantOne(t, w.Query(typeName, config, false, 0)[0].Errors(), "Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage")
	}
}
