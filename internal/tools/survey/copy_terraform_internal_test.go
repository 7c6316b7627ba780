package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
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
variable "project" { default = "64f0c2a19b3d5e7f80a1b2c3" }
variable "cluster" { default = "650a1f3c2e4b6d8091a3b5c7" }
data "opsmanager_projects" "all" {}
data "opsmanager_project" "one" { name = "Payments" }
data "opsmanager_hosts" "all" { project_id = var.project }
data "opsmanager_cluster" "one" {
  project_id = var.project
  name       = "ledger"
}
data "opsmanager_cluster_snapshots" "all" {
  project_id = var.project
  cluster_id = var.cluster
}
data "opsmanager_restore_jobs" "all" {
  project_id = var.project
  cluster_id = var.cluster
}
data "opsmanager_backup_config" "one" {
  project_id = var.project
  cluster_id = var.cluster
}
data "opsmanager_snapshot_schedule" "one" {
  project_id = var.project
  cluster_id = var.cluster
}
data "opsmanager_backup_stores" "all" {}
data "opsmanager_deployment_regions" "all" {}
data "opsmanager_project_backup_job_config" "one" { project_id = "64f0c2d57c1e4a6b92d3f4e5" }
data "opsmanager_clusters" "all" { project_id = "64f0c2a19b3d5e7f80a1b2c3" }
data "opsmanager_backup_configs" "all" { project_id = "64f0c2a19b3d5e7f80a1b2c3" }
data "opsmanager_backup_daemons" "all" {}
data "opsmanager_backup_status" "all" {}
output "everything" {
  value = { for name, read in {
    projects = jsonencode(data.opsmanager_projects.all)
    project = jsonencode(data.opsmanager_project.one)
    hosts = jsonencode(data.opsmanager_hosts.all)
    cluster = jsonencode(data.opsmanager_cluster.one)
    cluster_snapshots = jsonencode(data.opsmanager_cluster_snapshots.all)
    restore_jobs = jsonencode(data.opsmanager_restore_jobs.all)
    backup_config = jsonencode(data.opsmanager_backup_config.one)
    snapshot_schedule = jsonencode(data.opsmanager_snapshot_schedule.one)
    backup_stores = jsonencode(data.opsmanager_backup_stores.all)
    deployment_regions = jsonencode(data.opsmanager_deployment_regions.all)
    project_backup_job_config = jsonencode(data.opsmanager_project_backup_job_config.one)
    clusters = jsonencode(data.opsmanager_clusters.all)
    backup_configs = jsonencode(data.opsmanager_backup_configs.all)
    backup_daemons = jsonencode(data.opsmanager_backup_daemons.all)
    backup_status = jsonencode(data.opsmanager_backup_status.all)
  } : name => replace(read, "/https?:[^\"]*|\"used_size\":[0-9]+/", "") } // links lead to the server, and the used size grows with each reading
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
  id = "au-nfs-1"
}
import {
  to = opsmanager_project_backup_job_config.a
  id = "64f0c2d57c1e4a6b92d3f4e5"
}
import {
  to = opsmanager_backup_daemon.a
  id = "om-ny.example.com|/data/backup/"
}
resource "opsmanager_blockstore" "a" {
  id  = "new"
  uri = "mongodb://db.example.com:27017"
}
resource "opsmanager_oplog_store" "a" {
  id  = "new"
  uri = "mongodb://db.example.com:27017"
}
resource "opsmanager_sync_store" "a" {
  id  = "new"
  uri = "mongodb://db.example.com:27017"
}
resource "opsmanager_s3_blockstore" "a" {
  id                 = "new"
  uri                = "mongodb://db.example.com:27017"
  s3_auth_method     = "IAM_ROLE"
  s3_bucket_name     = "snapshots"
  s3_bucket_endpoint = "https://s3.example.com"
  s3_max_connections = 50
  path_style_access_enabled = false
  sse_enabled = true
  accepted_tos       = true
}
resource "opsmanager_s3_oplog_store" "a" {
  id                 = "new"
  uri                = "mongodb://db.example.com:27017"
  s3_auth_method     = "IAM_ROLE"
  s3_bucket_name     = "oplogs"
  s3_bucket_endpoint = "https://s3.example.com"
  s3_max_connections = 50
  path_style_access_enabled = false
  sse_enabled = true
  accepted_tos       = true
}
`

// policy leaves out the cluster that existing has a schedule for.
const policy = `
resource "opsmanager_snapshot_policy" "rehearsed" {
  project_ids          = [var.project]
  excluded_cluster_ids = [var.cluster]
  schedule             = { daily_snapshot_retention_days = 60 }
}
`

// notCompared are the types that the configuration lacks, and why.
var notCompared = map[string]string{
	"opsmanager_alert_configuration":     "the copy refuses it",
	"opsmanager_backup_alerts":           "the copy refuses it",
	"opsmanager_backup_module":           "the copy refuses it",
	"opsmanager_config_server_snapshots": "the copy refuses it",
	"opsmanager_on_demand_snapshot":      "it cannot be imported without taking one",
	"opsmanager_restorable_time_ranges":  "the copy refuses it",
	"opsmanager_restore_job":             "it cannot be imported without starting one",
	"opsmanager_snapshot_policy":         "it has no object of its own, and reads schedules",
}

func TestEachTypeIsComparedOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	response, err := providerserver.NewProtocol6(provider.New("dev")())().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	succeed(t, err)
	for kind, names := range map[string][]string{
		`data "`: slices.Collect(maps.Keys(response.DataSourceSchemas)), `(to = |resource ")`: slices.Collect(maps.Keys(response.ResourceSchemas)),
	} {
		for _, name := range names {
			isCompared := regexp.MustCompile(kind + name + `\b`).MatchString(existing)
			if _, isException := notCompared[name]; isCompared == isException {
				t.Errorf("%s%s: compared %t, an exception %t", kind, name, isCompared, isException)
			}
		}
	}
}

func TestAnEmptyPlanIsEmptyOnTheCopy(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	for _, version := range []string{"7.0.11", emulator.NewestVersion} {
		seed := emulator.DefaultSeed()
		seed.StartingDaemons = nil // they register meanwhile
		original := startService(t, emulator.Options{Seed: seed, ServiceVersion: version, Lenient: true, ThirdPartyBackup: true})
		if version == emulator.NewestVersion {
			original.SetThirdPartyBackup(payments, cards, "ACTIVE")
		}
		dir := t.TempDir()
		succeed(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(existing), 0o600))
		terraform := func(s *service, want int, args ...string) string {
			t.Helper()
			var printed strings.Builder
			w := tfcli.Workspace{CLI: cli, Dir: dir, Out: &printed, Env: []string{"OPSMANAGER_REHEARSAL=1"}}
			for _, name := range []string{"OPSMANAGER_BASE_URL", "OPSMANAGER_PUBLIC_KEY", "OPSMANAGER_PRIVATE_KEY"} {
				w.Env = append(w.Env, name+"="+s.getenv(name))
			}
			if got, err := w.Run(t.Context(), args...); err != nil || got != want {
				t.Fatalf("%s: terraform %s: exit code %d, %v\n%s", version, strings.Join(args, " "), got, err, &printed)
			}
			return printed.String()
		}
		terraform(original, 0, "init", "-plugin-dir="+plugins)
		terraform(original, 0, "plan", "-no-color", "-generate-config-out=generated.tf")
		for range 2 { // the data source of stores is read before the stores are created
			terraform(original, 0, "apply", "-no-color", "-auto-approve")
		}
		copied := serveCopy(t, original.makeCopy(t))
		terraform(original, 0, "plan", "-no-color", "-detailed-exitcode")
		terraform(copied, 0, "plan", "-no-color", "-detailed-exitcode")
		copied.SetSchedule(payments, ledger, map[string]any{"dailySnapshotRetentionDays": 7})
		if version != emulator.NewestVersion {
			terraform(copied, 2, "plan", "-no-color", "-detailed-exitcode")
			continue
		}
		succeed(t, os.WriteFile(filepath.Join(dir, "policy.tf"), []byte(policy), 0o600))
		want := "cards (" + cards + "): backed up by another product"
		if printed := terraform(copied, 0, "apply", "-no-color", "-auto-approve"); !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
		for cluster, want := range map[string]any{ledger: original.Schedule(payments, ledger)["dailySnapshotRetentionDays"], orders: 60.0} {
			if got := copied.Schedule(payments, cluster)["dailySnapshotRetentionDays"]; got != want {
				t.Errorf("%s keeps daily snapshots for %v days, want %v", cluster, got, want)
			}
		}
	}
}
