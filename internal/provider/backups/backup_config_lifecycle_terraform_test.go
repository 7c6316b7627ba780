package backups_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/providertest"
)

// Terraform plans the replacement before the destroy, so a destroy needs -refresh=false.
func TestTerraformEndsNoBackupOfATaintedResource(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_backup_config.a"
	r := providertest.StartRun(t)
	configure := func(trigger string) { // whose change makes cluster_id known late
		r.Configure(fmt.Sprintf(`
resource "terraform_data" "cluster" {
  input            = %q
  triggers_replace = %q
}

resource "opsmanager_backup_config" "a" {
  project_id = %q
  cluster_id = terraform_data.cluster.output
  on_destroy = "terminate"
}
`, cards, trigger, payments))
	}
	configure("1")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("taint", address)
	configure("2")
	for _, more := range [][]string{nil, {"-refresh=false"}} {
		failed := r.Fails(append([]string{"apply", "-auto-approve"}, more...)...)
		providertest.WantContains(t, failed, "Replacement Would End the Backup", "terraform untaint")
	}
	r.Succeeds("untaint", address)
	providertest.WantWrites(t, r.Service)
	providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "destroy -refresh=false")
	r.Succeeds("destroy", "-auto-approve", "-refresh=false")
	providertest.WantEqual(t, r.Service.BackupConfig(payments, cards)["statusName"], "INACTIVE")
}

// A removed block is the way out that a plan names if it ends a backup and manages it. Terraform does not refresh what it
// forgets, OpenTofu does.
func TestTerraformForgetsABackupThatAnotherAddressManages(t *testing.T) {
	t.Parallel()
	backup := func(name string) string {
		return fmt.Sprintf(
			"resource \"opsmanager_backup_config\" %q {\n  project_id = %q\n  cluster_id = %q\n  on_destroy = \"terminate\"\n}\n", name,
			payments, cards,
		)
	}
	r := providertest.StartRun(t)
	if r.CLI.OpenTofu() || r.CLI.Version.LessThan(version.Must(version.NewVersion("1.7.0"))) {
		t.Skip("Terraform 1.7 has removed blocks")
	}
	r.Configure(backup("one"))
	r.Succeeds("apply", "-auto-approve")
	r.Configure(backup("two") + "removed {\n  from = opsmanager_backup_config.one\n  lifecycle {\n    destroy = false\n  }\n}\n")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
}
