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
	"terraform-provider-opsmanager/internal/provider/providertest"
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
