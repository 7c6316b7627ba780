package provider_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

var update = flag.Bool("update", false, "write the warnings and the states into testdata instead of comparing them")

// readableSeed returns a service with 57 clusters in four groups: their schedules keep daily
// snapshots for another number of days. Those of five clusters keep more than 15.
func readableSeed() *emulator.Seed {
	project := emulator.Project{ID: payments, Name: "Payments"}
	for i := range 57 {
		name, days := fmt.Sprintf("cluster-%02d", i), []any{0, 7}[i%2]
		switch {
		case i%12 == 5:
			days = 60
		case i == 33:
			days = 3
		}
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID: fmt.Sprintf("650a0000000000000000%04x", i+1), Name: name, TypeName: "REPLICA_SET", ReplicaSetName: name,
			BackupConfig:     object{"statusName": "STARTED"},
			SnapshotSchedule: object{"dailySnapshotRetentionDays": days},
		})
	}
	return &emulator.Seed{Projects: []emulator.Project{project}}
}

// allClusters has the format of a configuration that reads the clusters of a project.
const allClusters = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}

data "opsmanager_clusters" "all" {
  project_id = %q
}
`

const readableSchedules = allClusters + `
resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = data.opsmanager_clusters.all.ids_by_name

  project_id = data.opsmanager_clusters.all.project_id
  cluster_id = each.value

  daily_snapshot_retention_days = 15
}
`

const readablePolicy = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}

resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = [%q]
  schedule    = { daily_snapshot_retention_days = 15 }
}
`

const readableBackups = allClusters + `
resource "opsmanager_backup_config" "fleet" {
  for_each = data.opsmanager_clusters.all.ids_by_name

  project_id  = data.opsmanager_clusters.all.project_id
  cluster_id  = each.value
  status_name = "STARTED"
}
`

func TestWarningsAboutAFleetAreReadable(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	for _, test := range []struct {
		name, config  string
		plan, destroy int // the maximum number of lines
	}{
		{"schedules", readableSchedules, 150, 30},
		{"policy", readablePolicy, 60, 30},
		{"backups", readableBackups, 5, 15},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{Seed: readableSeed()})
			w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
			w.Write("main.tf", s.Config(fmt.Sprintf(test.config, payments)))
			w.Init()
			check := func(name string, most int, args ...string) {
				t.Helper()
				_, printed, _ := strings.Cut(w.MustRun(args...), "\nPlan: ")
				if lines := strings.Count(printed, "\n"); lines > most {
					t.Errorf("%s has %d lines after the plan, want at most %d", name, lines, most)
				}
				wantWarnings(t, name+".txt", "Plan: "+printed)
			}
			check(test.name+"_plan", test.plan, "plan", "-out=saved") // which suppresses a note about saving it
			w.MustRun("apply", "saved")
			check(test.name+"_destroy", test.destroy, "plan", "-destroy", "-out=saved")
		})
	}
}

// folded matches the warnings that Terraform folds into the first one, or that the provider gives only once, with what is
// not always the same: which one that is.
var folded = regexp.MustCompile(`(?s)(\nWarning: [^\n]+\n).*?(\n\(and \d+ more similar warnings elsewhere\)\n| The same holds for each other[^.]+\.\n)`)

// wantWarnings compares warnings, sorted, with a file in testdata.
func wantWarnings(t *testing.T, name, printed string) {
	t.Helper()
	printed, _, _ = strings.Cut(printed, "\n─")
	plan, rest, warns := strings.Cut(printed, "\nWarning: ")
	var warnings []string
	if warns {
		warnings = strings.Split(rest, "\nWarning: ")
	}
	for i, text := range warnings {
		warnings[i] = folded.ReplaceAllString("\nWarning: "+strings.TrimRight(text, "\n")+"\n", "$1$2")
	}
	slices.Sort(warnings)
	got := plan + strings.Join(warnings, "")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has other warnings; -update writes them:\n%s", path, got)
	}
}
