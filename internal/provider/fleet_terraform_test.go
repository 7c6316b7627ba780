package provider_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// forEachImports is the first version of Terraform and OpenTofu with for_each in import blocks.
var forEachImports = version.Must(version.NewVersion("1.7.0"))

// fleetClusters is the number of clusters to import. Hundreds of them take minutes.
var fleetClusters = flag.Int("fleet", 60, "number of clusters to import, at least 60")

// fleetSeed returns a seed with many clusters, and the IDs of those with a schedule. Every sixth
// cluster is sharded, and its shards and config servers are listed, too. The backup of some
// clusters, including sharded ones, was never started.
func fleetSeed() (seed *emulator.Seed, manageable []string) {
	project := emulator.Project{ID: payments, Name: "Payments"}
	id := func(n int) string { return fmt.Sprintf("%024x", n) }
	next := 1
	add := func(c emulator.Cluster, status string) string {
		c.ID, next = id(next), next+1
		c.BackupConfig = object{"statusName": status}
		project.Clusters = append(project.Clusters, c)
		return c.ID
	}
	for i := range *fleetClusters {
		name, status := fmt.Sprintf("cluster-%03d", i), "STARTED"
		if i%10 == 8 {
			status = "INACTIVE"
		}
		whole := emulator.Cluster{Name: name, TypeName: "REPLICA_SET", ReplicaSetName: name + "-rs"}
		if i%6 == 0 {
			whole = emulator.Cluster{Name: name, TypeName: "SHARDED_REPLICA_SET"}
		}
		clusterID := add(whole, status)
		if status != "INACTIVE" {
			manageable = append(manageable, clusterID)
		}
		if i%6 != 0 {
			continue
		}
		for shard := range 2 {
			shardName := fmt.Sprintf("%s-shard-%d", name, shard)
			add(emulator.Cluster{Name: name, TypeName: "REPLICA_SET", ReplicaSetName: shardName, ShardName: shardName, ShardOf: clusterID}, status)
		}
		add(emulator.Cluster{Name: name, TypeName: "CONFIG_SERVER_REPLICA_SET", ReplicaSetName: name + "-config", ShardOf: clusterID}, status)
	}
	return &emulator.Seed{Projects: []emulator.Project{project}}, manageable
}

const fleetConfig = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}

data "opsmanager_project" "payments" {
  name = "Payments"
}

data "opsmanager_clusters" "all" {
  project_id = data.opsmanager_project.payments.project_id
}

data "opsmanager_backup_configs" "all" {
  project_id = data.opsmanager_project.payments.project_id
}

locals {
  backed_up = toset([
    for config in data.opsmanager_backup_configs.all.results :
    config.cluster_id if config.status_name != "INACTIVE"
  ])
  fleet = {
    for cluster in data.opsmanager_clusters.all.results :
    cluster.name => cluster.cluster_id if cluster.has_schedule && contains(local.backed_up, cluster.cluster_id)
  }
}
`

const fleetImports = `
import {
  for_each = local.fleet
  to       = opsmanager_snapshot_schedule.fleet[each.key]
  id       = "${data.opsmanager_project.payments.project_id}/${each.value}"
}
`

const fleetSchedules = `
resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = local.fleet

  project_id = data.opsmanager_project.payments.project_id
  cluster_id = each.value
}
`

const fleetPolicy = `
locals {
  tiers = {
    gold   = { interval = 6, daily = 30, weekly = 12, monthly = 24 }
    silver = { interval = 12, daily = 15, weekly = 8, monthly = 12 }
    bronze = { interval = 24, daily = 7, weekly = 4, monthly = 6 }
  }
  tier_of = {
    for name, id in local.fleet :
    name => ["gold", "silver", "bronze"][tonumber(trimprefix(name, "cluster-")) % 3]
  }
}

resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = local.fleet

  project_id = data.opsmanager_project.payments.project_id
  cluster_id = each.value

  snapshot_interval_hours           = local.tiers[local.tier_of[each.key]].interval
  daily_snapshot_retention_days     = local.tiers[local.tier_of[each.key]].daily
  weekly_snapshot_retention_weeks   = local.tiers[local.tier_of[each.key]].weekly
  monthly_snapshot_retention_months = local.tiers[local.tier_of[each.key]].monthly
}
`

func TestTerraformImportsAndManagesAFleet(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.Version.LessThan(forEachImports) {
		t.Skipf("for_each in import blocks needs %s; this is %s %s", forEachImports, cli.Name, cli.Version)
	}
	seed, manageable := fleetSeed()
	s := providertest.StartService(t, emulator.Options{Seed: seed})
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}

	// The data sources send one request each: for the project, its clusters, its backup configurations and
	// the clusters that another product backs up. Each list fits on one page of 500.
	const finding = 4
	requests := func(step string, reads, changes int) {
		t.Helper()
		if got := len(s.Sent("GET", "")); got != finding+reads {
			t.Errorf("%s read %d times, want %d", step, got, finding+reads)
		}
		if got := len(s.Sent("PATCH", "")); got != changes {
			t.Errorf("%s changed %d schedules, want %d", step, got, changes)
		}
		s.ResetRequests()
	}
	plan := func(step string) {
		t.Helper()
		if printed := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(printed, "No changes.") {
			t.Errorf("%s the plan is not empty:\n%s", step, printed)
		}
	}

	w.Write("main.tf", s.Config(fleetConfig))
	w.Write("imports.tf", fleetImports)
	w.Write("fleet.tf", fleetSchedules)
	w.Init()
	printed := w.MustRun("apply", "-auto-approve")
	if want := fmt.Sprintf("Resources: %d imported, 0 added, 0 changed, 0 destroyed.", len(manageable)); !strings.Contains(printed, want) {
		t.Fatalf("%q is not in what the import printed:\n%s", want, printed[max(0, len(printed)-500):])
	}
	requests("the import", len(manageable), 0)
	plan("after the import")
	requests("the plan after it", len(manageable), 0)

	w.Write("fleet.tf", fleetPolicy)
	printed = w.MustRun("apply", "-auto-approve")
	if want := fmt.Sprintf("Resources: 0 added, %d changed, 0 destroyed.", len(manageable)); !strings.Contains(printed, want) {
		t.Fatalf("%q is not in what the policy printed:\n%s", want, printed[max(0, len(printed)-500):])
	}
	// Each schedule is read again before it is changed, and the third-party backups of the project in the plan and the apply.
	requests("the policy", 2*len(manageable)+2, len(manageable))
	plan("after the policy")
	requests("the plan after it", len(manageable), 0)
}
