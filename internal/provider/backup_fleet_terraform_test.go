package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tfcli"
)

const backupFleet = allClusters + `
resource "opsmanager_backup_config" "fleet" {
  for_each = { for cluster in data.opsmanager_clusters.all.results : cluster.name => cluster.cluster_id }

  project_id  = data.opsmanager_clusters.all.project_id
  cluster_id  = each.value
  status_name = "STARTED"
}

resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = opsmanager_backup_config.fleet

  project_id                    = each.value.project_id
  cluster_id                    = opsmanager_backup_config.fleet[each.key].cluster_id
  daily_snapshot_retention_days = 15
}
`

func TestTerraformStartsTheBackupOfAWholeFleetAndSchedulesIt(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	count := *fleetClusters
	project := emulator.Project{ID: providertest.Payments, Name: "Payments"}
	for i := range count {
		name := fmt.Sprintf("cluster-%03d", i)
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID: fmt.Sprintf("%024x", i+1), Name: name, TypeName: "REPLICA_SET", ReplicaSetName: name,
			BackupConfig: map[string]any{"statusName": "INACTIVE"},
		})
	}
	s := providertest.StartService(t, emulator.Options{
		Seed:            &emulator.Seed{Projects: []emulator.Project{project}},
		TransitionReads: 1,
	})
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
	requests := func(step string, lists, reads, changes int) {
		t.Helper()
		if got := len(s.Sent("GET", "")); got != lists+reads {
			t.Errorf("%s read %d times, want %d", step, got, lists+reads)
		}
		if got := len(s.Sent("PATCH", "")); got != changes {
			t.Errorf("%s sent %d changes, want %d", step, got, changes)
		}
		s.ResetRequests()
	}

	w.Write("main.tf", s.Config(fmt.Sprintf(backupFleet, providertest.Payments)))
	w.Init()
	printed := w.MustRun("apply", "-auto-approve", "-parallelism=30")
	if want := fmt.Sprintf("Resources: %d added, 0 changed, 0 destroyed.", 2*count); !strings.Contains(printed, want) {
		t.Fatalf("%q is not in what the apply printed:\n%s", want, printed[max(0, len(printed)-500):])
	}
	// The plan reads the backup, its cluster and the schedule, and Terraform plans once
	// more before it applies. Starting a backup takes four more reads, two of them until
	// it is STARTED, and changing its schedule takes one.
	// The data source lists the clusters, and those that another product backs up. The plan and the apply of the
	// backups list the latter once more.
	requests("the apply", 4, 11*count, 2*count)
	for _, cluster := range project.Clusters {
		if got := s.BackupConfig(providertest.Payments, cluster.ID)["statusName"]; got != "STARTED" {
			t.Errorf("the backup of %s is %v", cluster.Name, got)
		}
		if got := s.Schedule(providertest.Payments, cluster.ID)["dailySnapshotRetentionDays"]; got != 15.0 {
			t.Errorf("the schedule of %s keeps daily snapshots for %v days", cluster.Name, got)
		}
	}
	if printed := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(printed, "No changes.") {
		t.Errorf("the plan is not empty:\n%s", printed)
	}
	requests("the plan after it", 2, 2*count, 0)
}
