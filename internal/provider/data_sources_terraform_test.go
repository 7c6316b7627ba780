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

func TestTerraformReadsAListOnceTheAddressIsKnown(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
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
}`, s.URL, emulator.DefaultPublicKey, emulator.DefaultPrivateKey, payments, cards),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("count", knownvalue.NotNull())},
	})
}
