package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Clusters of one project that Ops Manager backs up, and one that another product backs up.
func TestTerraformManagesTheOtherClustersOfAProjectWithThirdPartyBackups(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{ThirdPartyBackup: true, TransitionReads: 1})
	// Ops Manager backs up no cluster beside another product.
	setBackups := func(ours, theirs string) {
		r.Service.SetBackupStatus(providertest.Payments, providertest.Cards, ours)
		r.Service.SetThirdPartyBackup(providertest.Payments, providertest.Cards, theirs)
	}
	setBackups("INACTIVE", "ACTIVE")
	fleet := fmt.Sprintf(`
resource "opsmanager_backup_config" "reports" {
  project_id  = %[1]q
  cluster_id  = %[2]q
  status_name = "STARTED"
}

resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = [%[1]q]
  schedule    = { daily_snapshot_retention_days = 60 }
  depends_on  = [opsmanager_backup_config.reports]
}

data "opsmanager_backup_status" "fleet" {
  project_ids       = [%[1]q]
  include_schedules = true
  depends_on        = [opsmanager_snapshot_policy.fleet]
}

data "opsmanager_clusters" "fleet" {
  project_id = %[1]q
}

output "codes" {
  value = join(" ", [for id, c in data.opsmanager_backup_status.fleet.clusters : "${c.name}=${c.code}" if c.code == "THIRD_PARTY"])
}

output "problems" {
  value = join(" ", keys(data.opsmanager_backup_status.fleet.problems))
}

output "third_party" {
  value = join(" ", [for c in data.opsmanager_clusters.fleet.results : c.name if c.third_party_backup == true])
}
`, providertest.Payments, reports)
	r.Configure(fleet)
	printed := r.Succeeds("apply", "-auto-approve")
	providertest.WantContains(t, printed, "cards ("+providertest.Cards+"): backed up by another product", `codes = "cards=THIRD_PARTY"`, `third_party = "cards"`)
	if problems := printed[strings.LastIndex(printed, "problems = "):]; strings.Contains(problems, providertest.Cards) {
		t.Errorf("cards is a problem:\n%s", problems)
	}
	for _, cluster := range []string{providertest.Ledger, reports} {
		if got := r.Service.Schedule(providertest.Payments, cluster)["dailySnapshotRetentionDays"]; got != 60.0 {
			t.Errorf("%s keeps daily snapshots for %v days", cluster, got)
		}
	}
	providertest.WantContains(t, r.Succeeds("plan", "-detailed-exitcode"), "No changes.")
	r.Configure(fleet)
	setBackups("STARTED", "INACTIVE")
	r.Succeeds("apply", "-auto-approve")
	if got := r.Service.Schedule(providertest.Payments, providertest.Cards)["dailySnapshotRetentionDays"]; got != 60.0 {
		t.Errorf("cards keeps daily snapshots for %v days", got)
	}
	setBackups("INACTIVE", "ACTIVE")
	providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "Left the Snapshot Policy", "The policy skips it now: backed up by another product.")
	providertest.WantContains(t, r.Succeeds("plan", "-detailed-exitcode"), "No changes.")
}
