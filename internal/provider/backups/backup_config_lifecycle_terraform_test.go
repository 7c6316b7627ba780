package backups_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
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
`, name, cluster, trigger, more, providertest.Payments)
}

func TestTerraformEndsNoBackupThatIsRenamedWhileItsIDIsUnknown(t *testing.T) {
	t.Parallel()
	const terminates = "  status_name = \"STARTED\"\n  on_destroy  = \"terminate\"\n"
	r := providertest.StartRun(t, emulator.Options{})
	r.Configure(lateConfig("a", providertest.Cards, "1", terminates))
	r.Succeeds("apply", "-auto-approve")
	r.Configure(lateConfig("z", providertest.Cards, "2", terminates))
	for _, parallelism := range []string{"-parallelism=1", "-parallelism=10"} {
		providertest.WantContains(t, r.Fails("apply", "-auto-approve", parallelism), "Backup to Adopt Is Not Known Yet", "moved block")
	}
	providertest.WantWrites(t, r.Service)
	r.Configure(lateConfig("z", providertest.Cards, "1", terminates))
	providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Backup Ended and Managed in One Plan")
	r.Configure(lateConfig("z", providertest.Cards, "1", terminates) + "moved {\n  from = opsmanager_backup_config.a\n  to   = opsmanager_backup_config.z\n}\n")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
}

func TestTerraformEndsNoBackupOfATaintedResource(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_backup_config.a"
	known := func(more string) string {
		return fmt.Sprintf("resource \"opsmanager_backup_config\" \"a\" {\n  project_id = %q\n  cluster_id = %q\n%s\n}\n", providertest.Payments, providertest.Cards, more)
	}
	for _, onDestroy := range providertest.Sample(2, "terminate", "stop") {
		t.Run(onDestroy, func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRun(t, emulator.Options{})
			ends := fmt.Sprintf("  on_destroy = %q\n", onDestroy)
			r.Configure(known(ends))
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("taint", address)
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-refresh=false"), "Replacement Would End the Backup", "terraform untaint")
			r.Succeeds("untaint", address)
			r.Succeeds("plan", "-detailed-exitcode")
			providertest.WantWrites(t, r.Service)

			r = providertest.StartRun(t, emulator.Options{})
			r.Configure(lateConfig("a", providertest.Cards, "1", ends))
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("taint", address)
			r.Configure(lateConfig("a", providertest.Cards, "2", ends))
			providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Replacement Would End the Backup", "terraform untaint")
			r.Succeeds("untaint", address)
			providertest.WantWrites(t, r.Service)
			providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "destroy -refresh=false") // Terraform plans the replacement first
			r.Succeeds("destroy", "-auto-approve", "-refresh=false")
			if got := r.Service.BackupConfig(providertest.Payments, providertest.Cards)["statusName"]; got == "STARTED" {
				t.Errorf("a destroy does not end the backup: it is %v", got)
			}
		})
	}
}

func TestTerraformGeneratesAValidConfigurationOfABackupInTransition(t *testing.T) {
	t.Parallel()
	for _, status := range providertest.Sample(2, "TERMINATING", "PROVISIONING") {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRun(t, emulator.Options{TransitionReads: 1_000})
			r.Service.SetBackupStatus(providertest.Payments, reports, status)
			r.Configure(fmt.Sprintf("import {\n  to = opsmanager_backup_config.reports\n  id = \"%s/%s\"\n}\n", providertest.Payments, reports))
			r.Succeeds("plan", "-generate-config-out=generated.tf")
			providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
			r.Succeeds("plan", "-detailed-exitcode")
			r.Service.SetBackupStatus(providertest.Payments, reports, "INACTIVE")
			providertest.WantContains(t, r.Succeeds("plan"), "Status of the Backup of Cluster reports ("+reports+") Will Not Be Changed", "Remove status_name")
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("plan", "-detailed-exitcode")
			providertest.WantWrites(t, r.Service)
		})
	}
}
