package backups_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/providertest"
)

// lateConfig returns the resource block of a backup whose cluster_id is known late, whenever the
// trigger changes.
func lateConfig(name, cluster, trigger, more string) string {
	return fmt.Sprintf(`
resource "terraform_data" "cluster" {
  input            = %[2]q
  triggers_replace = %[3]q
}

resource "opsmanager_backup_config" %[1]q {
  project_id = %[5]q
  cluster_id = terraform_data.cluster.output
%[4]s
}
`, name, cluster, trigger, more, payments)
}

func TestTerraformEndsNoBackupOfATaintedResource(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_backup_config.a"
	known := func(more string) string {
		return fmt.Sprintf("resource \"opsmanager_backup_config\" \"a\" {\n  project_id = %q\n  cluster_id = %q\n%s\n}\n", payments, cards, more)
	}
	for _, onDestroy := range providertest.Sample(2, "terminate", "stop") {
		t.Run(onDestroy, func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRun(t)
			ends := fmt.Sprintf("  on_destroy = %q\n", onDestroy)
			r.Configure(known(ends))
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("taint", address)
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-refresh=false"), "Replacement Would End the Backup", "terraform untaint")
			r.Succeeds("untaint", address)
			r.Succeeds("plan", "-detailed-exitcode")
			providertest.WantWrites(t, r.Service)

			r = providertest.StartRun(t)
			r.Configure(lateConfig("a", cards, "1", ends))
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("taint", address)
			r.Configure(lateConfig("a", cards, "2", ends))
			providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Replacement Would End the Backup", "terraform untaint")
			r.Succeeds("untaint", address)
			providertest.WantWrites(t, r.Service)
			providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "destroy -refresh=false") // Terraform plans the replacement first
			r.Succeeds("destroy", "-auto-approve", "-refresh=false")
			if got := r.Service.BackupConfig(payments, cards)["statusName"]; got == "STARTED" {
				t.Errorf("a destroy does not end the backup: it is %v", got)
			}
		})
	}
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
