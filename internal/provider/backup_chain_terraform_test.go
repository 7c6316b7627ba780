package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

const chainBackups = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}

locals {
  fleet = { %s }
}

resource "opsmanager_backup_config" "fleet" {
  for_each = local.fleet

  project_id  = %q
  cluster_id  = each.value
  status_name = "STARTED"
}
`

// chains are what manages the schedules of backups that the same apply starts.
var chains = map[string]string{
	"a policy of these backups": `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = distinct([for backup in opsmanager_backup_config.fleet : backup.project_id])
  cluster_ids = [for backup in opsmanager_backup_config.fleet : backup.cluster_id]
  schedule    = { daily_snapshot_retention_days = 15 }
}
`,
	"a guarded policy of all but one": `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = distinct([for backup in opsmanager_backup_config.fleet : backup.project_id])
  cluster_ids = [for name, backup in opsmanager_backup_config.fleet : backup.cluster_id if name != "cluster-1"]
  schedule    = { daily_snapshot_retention_days = 15, weekly_snapshot_retention_weeks = 1 } # weekly is 2 by default

  retention_protection            = true
}
`,
	"a policy of the project": `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = ["64f0c2a19b3d5e7f80a1b2c3"]
  schedule    = { daily_snapshot_retention_days = 15 }

  depends_on = [opsmanager_backup_config.fleet]
}
`,
	"a policy of the project that doesn't wait for the backups": `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = ["64f0c2a19b3d5e7f80a1b2c3"]
  schedule    = { daily_snapshot_retention_days = 15 }
}
`,
	"schedules": `
resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = opsmanager_backup_config.fleet

  project_id                    = each.value.project_id
  cluster_id                    = each.value.cluster_id
  daily_snapshot_retention_days = 15

  weekly_snapshot_retention_weeks = 1 # 2 by default
  retention_protection            = true
}
`,
}

func TestTerraformStartsBackupsAndSetsTheirSchedulesInOneApply(t *testing.T) {
	t.Parallel()
	for _, name := range providertest.Sample(
		2, "a policy of the project that doesn't wait for the backups", "a policy of the project",
		"a guarded policy of all but one", "a policy of these backups", "schedules",
	) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schedules := chains[name]
			cli := providertest.CLI(t)
			project := emulator.Project{ID: payments, Name: "Payments"}
			for i := range 6 {
				name := fmt.Sprintf("cluster-%d", i)
				project.Clusters = append(project.Clusters, emulator.Cluster{
					ID: fmt.Sprintf("%024x", i+1), Name: name, TypeName: "REPLICA_SET", ReplicaSetName: name,
					BackupConfig: object{"statusName": "INACTIVE"},
				})
			}
			s := providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}, TransitionReads: 1})
			w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
			configure := func(clusters int) {
				var fleet []string
				for _, c := range project.Clusters[:clusters] {
					fleet = append(fleet, fmt.Sprintf("%s = %q", c.Name, c.ID))
				}
				w.Write("main.tf", s.Config(fmt.Sprintf(chainBackups, strings.Join(fleet, ", "), payments)+schedules))
			}
			configure(3)
			w.Init()
			for _, clusters := range []int{3, 2, 5} { // and one cluster whose backup is never started
				configure(clusters)
				printed := w.MustRun("apply", "-auto-approve")
				for _, alarm := range []string{"Will Be Reduced", "Will Not Be Set"} {
					isOther := alarm == "Will Not Be Set" && strings.Contains(schedules, "project_ids = [\"") // of a cluster whose backup stays INACTIVE
					if strings.Contains(printed, alarm) && !isOther {
						t.Errorf("with %d clusters, the apply warns about new schedules:\n%s", clusters, printed)
					}
				}
				if strings.Contains(schedules, "project_ids = [\"") && !strings.Contains(schedules, "depends_on") {
					w.MustRun("apply", "-auto-approve") // of what was left
				}
				if printed := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(printed, "No changes.") {
					t.Errorf("with %d clusters, the plan after the apply is not empty:\n%s", clusters, printed)
				}
				for _, c := range project.Clusters[:clusters] {
					want := 15.0
					if strings.Contains(schedules, "name !=") && c.Name == "cluster-1" {
						want = 0
					}
					if got := s.Schedule(payments, c.ID)["dailySnapshotRetentionDays"]; got != want {
						t.Errorf("%s keeps daily snapshots for %v days, want %v", c.Name, got, want)
					}
				}
			}
		})
	}
}
