package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestTerraformManagesAScheduleByProjectAndClusterName(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	providertest.Terraform(t, resource.TestStep{
		Config: s.Config(`
data "opsmanager_project" "payments" {
  name = "Payments"
}

data "opsmanager_clusters" "payments" {
  project_id = data.opsmanager_project.payments.project_id
}

data "opsmanager_cluster" "orders" {
  project_id = data.opsmanager_project.payments.project_id
  name       = "orders"
  type_name  = "SHARDED_REPLICA_SET"
}

resource "opsmanager_snapshot_schedule" "orders" {
  project_id              = data.opsmanager_cluster.orders.project_id
  cluster_id              = data.opsmanager_cluster.orders.cluster_id
  snapshot_retention_days = 5
}

output "whole" {
  value = sort([for c in data.opsmanager_clusters.payments.results : c.name if c.has_schedule])
}`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("whole", knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("cards"), knownvalue.StringExact("fraud"), knownvalue.StringExact("invoices"),
				knownvalue.StringExact("ledger"), knownvalue.StringExact("orders"), knownvalue.StringExact("reports"),
			})),
		},
	})
	if got := s.Schedule(providertest.Payments, providertest.Orders)["snapshotRetentionDays"]; fmt.Sprint(got) != "5" {
		t.Errorf("daily snapshots are kept for %v days", got)
	}
}

func TestTerraformReadsAListOnceTheAddressIsKnown(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	providertest.Terraform(t, resource.TestStep{
		Config: fmt.Sprintf(`
resource "terraform_data" "address" {
  input = %q
}

provider "opsmanager" {
  base_url    = terraform_data.address.output
  public_key  = %q
  private_key = %q
}

data "opsmanager_backup_configs" "all" {
  project_id = %q
  depends_on = [terraform_data.address]
}

resource "opsmanager_snapshot_schedule" "cards" {
  project_id = %[4]q
  cluster_id = %[5]q
}

output "count" {
  value = data.opsmanager_backup_configs.all.total_count
}`, s.URL, emulator.DefaultPublicKey, emulator.DefaultPrivateKey, providertest.Payments, providertest.Cards),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("count", knownvalue.NotNull())},
	})
}
