package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
	"terraform-provider-opsmanager/internal/tfcli"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// The configuration is the one that Terraform generates of existing objects.
const existing = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}
provider "opsmanager" {}
data "opsmanager_clusters" "all" { project_id = "64f0c2a19b3d5e7f80a1b2c3" }
data "opsmanager_backup_configs" "all" { project_id = "64f0c2a19b3d5e7f80a1b2c3" }
data "opsmanager_backup_daemons" "all" {}
data "opsmanager_backup_status" "all" {}
output "everything" {
  value = [data.opsmanager_clusters.all, [for c in data.opsmanager_backup_configs.all.results : merge(c, { links = null })], data.opsmanager_backup_daemons.all, data.opsmanager_backup_status.all.clusters]
}
import {
  to = opsmanager_snapshot_schedule.a
  id = "64f0c2a19b3d5e7f80a1b2c3/650a1f3c2e4b6d8091a3b5c7"
}
import {
  to = opsmanager_backup_config.a
  id = "64f0c2a19b3d5e7f80a1b2c3/650a1f3c2e4b6d8091a3b5c7"
}
import {
  to = opsmanager_deployment_region.a
  id = "NY_NJ"
}
import {
  to = opsmanager_file_system_store.a
  id = "FSSTORE"
}
import {
  to = opsmanager_project_backup_job_config.a
  id = "64f0c2d57c1e4a6b92d3f4e5"
}
import {
  to = opsmanager_backup_daemon.a
  id = "om-ny.example.com|/data/backup/"
}
`

func TestAnEmptyPlanIsEmptyOnTheCopy(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	for _, version := range []string{"7.0.11", emulator.NewestVersion} {
		seed := emulator.DefaultSeed()
		seed.StartingDaemons = nil // they register meanwhile
		stores := seed.BackupStores[emulator.FileSystemStore]
		configuration := strings.Replace(existing, "FSSTORE", stores[0]["id"].(string), 1)
		original := startService(t, emulator.Options{Seed: seed, ServiceVersion: version, Lenient: true})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration), 0o600); err != nil {
			t.Fatal(err)
		}
		terraform := func(s *service, want int, args ...string) {
			t.Helper()
			var printed strings.Builder
			w := tfcli.Workspace{CLI: cli, Dir: dir, Out: &printed, Env: []string{"OPSMANAGER_REHEARSAL=1"}}
			for _, name := range []string{"OPSMANAGER_BASE_URL", "OPSMANAGER_PUBLIC_KEY", "OPSMANAGER_PRIVATE_KEY"} {
				w.Env = append(w.Env, name+"="+s.getenv(name))
			}
			if got, err := w.Run(t.Context(), args...); err != nil || got != want {
				t.Fatalf("%s: terraform %s: exit code %d, %v\n%s", version, strings.Join(args, " "), got, err, &printed)
			}
		}
		terraform(original, 0, "init", "-plugin-dir="+plugins)
		terraform(original, 0, "plan", "-no-color", "-generate-config-out=generated.tf")
		terraform(original, 0, "apply", "-no-color", "-auto-approve")
		copied := serveCopy(t, original.makeCopy(t))
		terraform(original, 0, "plan", "-no-color", "-detailed-exitcode")
		terraform(copied, 0, "plan", "-no-color", "-detailed-exitcode")
		copied.SetSchedule(payments, ledger, map[string]any{"dailySnapshotRetentionDays": 7})
		terraform(copied, 2, "plan", "-no-color", "-detailed-exitcode")
	}
}
