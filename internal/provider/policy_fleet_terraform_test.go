package provider_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// policyClusters is the number of clusters of a policy.
var policyClusters = flag.Int("policy", 100, "number of clusters of a policy, at least 50")

const policyConfig = `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
}

resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = [%q]
  concurrency = 32
  schedule    = { daily_snapshot_retention_days = %d, weekly_snapshot_retention_weeks = 4 }
}
`

// policyRun is a workspace with a policy, and the service that it manages.
type policyRun struct {
	providertest.Folder
	s     *providertest.Service
	lists int // requests that list all clusters and their backup configurations
}

// startPolicy starts a service with many clusters, and writes a policy for them.
func startPolicy(t *testing.T, clusters int) (run policyRun, ids []string) {
	t.Helper()
	cli := providertest.CLI(t)
	project := emulator.Project{ID: payments, Name: "Payments"}
	for i := range clusters {
		name := fmt.Sprintf("cluster-%04d", i)
		cluster := emulator.Cluster{
			ID: fmt.Sprintf("%024x", i+1), Name: name, TypeName: "REPLICA_SET", ReplicaSetName: name,
			BackupConfig: object{"statusName": "STARTED"},
		}
		project.Clusters = append(project.Clusters, cluster)
		ids = append(ids, cluster.ID)
	}
	pages := (clusters + 499) / 500
	run = policyRun{
		Folder: providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}},
		s:      providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}}),
		lists:  2 * (2*pages - 1), // each page but the first is checked by another request
	}
	run.configure(15)
	run.Init()
	return run, ids
}

func (r policyRun) configure(daily int) {
	r.Write("main.tf", r.s.Config(fmt.Sprintf(policyConfig, payments, daily)))
}

// sent checks the numbers of the requests that read a schedule, that list, and that change.
func (r policyRun) sent(step string, reads, lists, changes int) {
	r.T.Helper()
	got := [3]int{
		len(r.s.Sent("GET", "/snapshotSchedule")), len(r.s.Sent("GET", "/clusters")) + len(r.s.Sent("GET", "/backupConfigs")),
		len(r.s.Sent("PATCH", "")),
	}
	if want := [3]int{reads, lists, changes}; got != want {
		r.T.Errorf("%s: %v reads, lists and changes, want %v", step, got, want)
	}
	if all := len(r.s.Requests()) - r.s.Challenges(); all != reads+lists+changes {
		r.T.Errorf("%s sent %d requests", step, all)
	}
	r.s.ResetRequests()
}

// shows checks the clusters whose line a plan changes.
func (r policyRun) shows(step string, want ...string) {
	r.T.Helper()
	r.MustRun("plan", "-out=saved")
	var plan struct {
		ResourceChanges []struct {
			Change struct {
				Before, After struct{ Clusters map[string]string }
			}
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(r.MustRun("show", "-json", "saved")), &plan); err != nil {
		r.T.Fatal(err)
	}
	var changed []string
	before, after := plan.ResourceChanges[0].Change.Before.Clusters, plan.ResourceChanges[0].Change.After.Clusters
	for id := range after {
		if before[id] != after[id] {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	if slices.Sort(want); !slices.Equal(changed, want) {
		r.T.Errorf("%s: the plan changes %d clusters %v, want %v", step, len(changed), changed[:min(len(changed), 10)], want[:min(len(want), 10)])
	}
}

func TestTerraformManagesAFleetWithAPolicy(t *testing.T) {
	t.Parallel()
	clusters := *policyClusters
	r, ids := startPolicy(t, clusters)
	drift := func(ids ...string) {
		for _, id := range ids {
			r.s.SetSchedule(payments, id, object{"weeklySnapshotRetentionWeeks": 2})
		}
	}

	r.MustRun("apply", "-auto-approve")
	// The plan and the apply also list the clusters that another product backs up.
	r.sent("the creation", 3*clusters, 3*r.lists+2, clusters)
	r.MustRun("plan", "-detailed-exitcode")
	r.sent("the plan after it", clusters, r.lists+1, 0)

	drift(ids[20:30]...)
	r.shows("the drift of ten", ids[20:30]...)
	r.sent("the plan of the drift", clusters, r.lists+1, 0)
	// What happens between the plan and its apply is left to the next plan.
	drift(ids[40])
	r.s.SetSchedule(payments, ids[20], object{"dailySnapshotRetentionDays": 30})
	added := strings.Repeat("a", 24)
	r.s.AddCluster(payments, emulator.Cluster{ID: added, Name: "added", TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}})
	r.MustRun("apply", "saved")
	r.sent("the repair", 10, 1, 10) // the third-party backups
	r.shows("what came meanwhile", ids[20], ids[40], added)
	r.s.ResetRequests()
	r.MustRun("apply", "saved")
	r.sent("the apply of what came meanwhile", 3, 1, 3)
	r.s.RemoveCluster(payments, added)

	r.configure(30)
	for _, id := range ids[7:10] {
		r.s.Inject(emulator.Fault{Method: "PATCH", Path: id, Times: -1, Status: 500})
	}
	var printed strings.Builder
	r.Out = &printed
	if exitCode, err := r.Run(t.Context(), "apply", "-auto-approve"); err != nil || exitCode != 1 {
		t.Fatalf("exit code %d, %v", exitCode, err)
	}
	providertest.WantContains(t, printed.String(), fmt.Sprintf("3 of %d changes failed", clusters), "cluster-0007 ("+ids[7]+")", "cluster-0008", "cluster-0009")
	r.sent("the change of the policy", 2*clusters, r.lists+2, clusters)
	r.s.ClearFaults()
	r.shows("the failure of three", ids[7:10]...)
	r.s.ResetRequests()
	r.MustRun("apply", "saved")
	r.sent("the rest of the change", 3, 1, 3)
	r.MustRun("plan", "-detailed-exitcode")
	r.s.ResetRequests()
	for _, id := range ids {
		held := r.s.Schedule(payments, id)
		if fmt.Sprint(held["dailySnapshotRetentionDays"], held["weeklySnapshotRetentionWeeks"]) != "30 4" {
			t.Errorf("%s has %v", id, held)
		}
	}

	r.MustRun("destroy", "-auto-approve")
	r.sent("the destroy", clusters, r.lists+1, 0)
}

const singleSchedules = `
resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = toset([%q, %q, %q])

  project_id                    = %q
  cluster_id                    = each.value
  daily_snapshot_retention_days = 15
  reference_hour_of_day         = 3
  reference_time_zone_offset    = "+02:00"
}
`

const onePolicy = `
resource "opsmanager_snapshot_policy" "fleet" {
  cluster_ids = [%q, %q, %q]
  project_ids = [%q]

  schedule = {
    daily_snapshot_retention_days = 15
    reference_hour_of_day         = 3
    reference_time_zone_offset    = "+02:00"
  }
}
`

func TestMovingBetweenSchedulesAndAPolicySendsNoChange(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	s := providertest.StartService(t)
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
	configure := func(resource string) {
		const versions = providertest.RequiredProvider
		w.Write("main.tf", versions+s.Config(fmt.Sprintf(resource, cards, ledger, orders, payments)))
	}
	configure(singleSchedules)
	w.Init()
	w.MustRun("apply", "-auto-approve")
	for _, resource := range []string{onePolicy, singleSchedules} {
		s.ResetRequests()
		configure(resource)
		w.MustRun("apply", "-auto-approve")
		providertest.WantWrites(t, s)
		w.MustRun("plan", "-detailed-exitcode")
	}
}
