package backups_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestTerraformReadsBothLists(t *testing.T) {
	t.Parallel()
	providertest.OnServices(t, providertest.AllServices[:2], func(t *testing.T, s *providertest.Service) {
		providertest.Terraform(t, resource.TestStep{
			Config: s.Config(fmt.Sprintf(`
data "opsmanager_backup_configs" "all" {
  project_id = %[1]q
}

data "opsmanager_backup_configs" "page" {
  project_id     = %[1]q
  page_num       = 2
  items_per_page = 1
}

data "opsmanager_config_server_snapshots" "all" {
  project_id = %[1]q
  host_id    = %[2]q
}

output "fraud" {
  value = { for c in data.opsmanager_backup_configs.all.results : c.cluster_id => c.status_name }["650a1e4a0f2c3d5b7e9f1a2b"]
}

output "on_page" {
  value = length(data.opsmanager_backup_configs.page.results)
}

output "newest" {
  value = data.opsmanager_config_server_snapshots.all.results[0].created.date
}

output "size" {
  value = data.opsmanager_config_server_snapshots.all.results[1].parts[0].data_size_bytes
}`, providertest.Payments, providertest.MirroredHost)),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("fraud", knownvalue.StringExact("STOPPED")),
				statecheck.ExpectKnownOutputValue("on_page", knownvalue.Int64Exact(1)),
				statecheck.ExpectKnownOutputValue("newest", knownvalue.StringExact("2025-09-01T02:00:03Z")),
				statecheck.ExpectKnownOutputValue("size", knownvalue.Int64Exact(8796630941696)),
			},
		})
	})
}
