package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"terraform-provider-opsmanager/internal/bench/snapshot"
	"terraform-provider-opsmanager/internal/emulator"
)

const idleProvider = "a provider that does nothing"

const header = `
terraform {
  required_providers {
    opsmanager = {
      source = "terraform.local/local/opsmanager"
    }
  }
}

provider "opsmanager" {}
`

const variables = `
variable "schedules" { type = number }
variable "daily" { type = number }
`

// fleet is a resource with so many schedules.
const fleet = `
resource "opsmanager_snapshot_schedule" "fleet_%[1]d" {
  count = var.schedules

  project_id = "` + snapshot.Project + `"
  cluster_id = format("%%024x", %[1]d * var.schedules + count.index + 1)

  snapshot_interval_hours         = 24
  snapshot_retention_days         = 2
  daily_snapshot_retention_days   = var.daily
  weekly_snapshot_retention_weeks = 2
  reference_hour_of_day           = 0
}
`

// dailies are the values that applies change the retention to, one after the
// other. Each is longer than the one before, so that nobody is warned.
var dailies = []int{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// scheduleRuns compares plans and applies of many schedules. More of them are
// only planned: Terraform writes its whole state for every change, which takes
// it ten minutes where there are four times as many.
func (b *bench) scheduleRuns(ctx context.Context) error {
	away, err := b.openFleet(ctx, 1, b.schedules, latency)
	if err != nil {
		return err
	}
	defer away.close()
	if _, err := away.plan(ctx, b.rounds); err != nil {
		return err
	}
	if err := away.apply(ctx, 1); err != nil { // nothing is promised
		return err
	}

	near, err := b.openFleet(ctx, 1, b.schedules, 0)
	if err != nil {
		return err
	}
	defer near.close()
	few, err := near.plan(ctx, b.rounds)
	if err != nil {
		return err
	}
	if err := near.apply(ctx, b.rounds); err != nil {
		return err
	}

	for _, resources := range []int{1, b.manySchedules / b.schedules} {
		larger, err := b.openFleet(ctx, resources, b.manySchedules/resources, 0)
		if err != nil {
			return err
		}
		defer larger.close()
		many, err := larger.plan(ctx, b.rounds)
		if err != nil {
			return err
		}
		before, after := ratio(few[1].wall, few[0].wall), ratio(many[1].wall, many[0].wall)
		b.show(row{
			work: "ratio of the plan of " + larger.size(), beside: "that of " + near.size(),
			theirs: fmt.Sprintf("%.2f", before), ours: fmt.Sprintf("%.2f", after), ratio: after / before, most: 1,
		})
	}
	return nil
}

// fleetRun is so many schedules, in so many resources, in a workspace of each
// provider.
type fleetRun struct {
	bench      *bench
	resources  int
	schedules  int // of each resource
	wait       time.Duration
	service    *emulator.Emulator
	server     *httptest.Server
	idle, ours *workspace
	step       [2]int // of dailies, that each workspace is at

	requests, challenges int // that our last run took
}

func (b *bench) openFleet(ctx context.Context, resources, schedules int, wait time.Duration) (*fleetRun, error) {
	f := &fleetRun{
		bench: b, resources: resources, schedules: schedules, wait: wait,
		service: emulator.New(emulator.Options{Seed: clusters(resources * schedules), Latency: wait}),
	}
	f.server = httptest.NewServer(f.service)
	var err error
	if f.idle, err = f.open(ctx, b.stage.idle); err == nil {
		f.ours, err = f.open(ctx, b.stage.ours)
	}
	return f, err
}

// open makes the workspace of a provider, with everything in its state.
func (f *fleetRun) open(ctx context.Context, provider string) (*workspace, error) {
	configuration := header + variables
	for i := range f.resources {
		configuration += fmt.Sprintf(fleet, i)
	}
	w, err := f.bench.stage.open(ctx, "schedules", provider, configuration, f.server.URL, "TF_VAR_schedules="+strconv.Itoa(f.schedules))
	if err != nil {
		return nil, err
	}
	// The provider that does nothing identifies nothing either.
	return w, os.WriteFile(filepath.Join(w.Dir, "terraform.tfstate"), f.state(provider == f.bench.stage.ours), 0o600)
}

func (f *fleetRun) close() { f.server.Close() }

// state is what applying the configuration leaves behind.
func (f *fleetRun) state(identified bool) []byte {
	var resources []any
	for r := range f.resources {
		var instances []any
		for i := range f.schedules {
			cluster := clusterID(r*f.schedules + i)
			instance := map[string]any{
				"index_key": i, "schema_version": 0,
				"attributes": map[string]any{
					"project_id": snapshot.Project, "cluster_id": cluster,
					"snapshot_interval_hours": 24, "snapshot_retention_days": 2, "daily_snapshot_retention_days": dailies[0],
					"weekly_snapshot_retention_weeks": 2, "monthly_snapshot_retention_months": 1, "point_in_time_window_hours": 24,
					"cluster_checkpoint_interval_min": nil, "reference_hour_of_day": 0, "reference_minute_of_hour": 0,
					"reference_time_zone_offset": nil, "full_incremental_day_of_week": "SUNDAY", "prevent_retention_decrease": nil,
				},
			}
			if identified {
				instance["identity_schema_version"] = 0
				instance["identity"] = map[string]any{"project_id": snapshot.Project, "cluster_id": cluster}
			}
			instances = append(instances, instance)
		}
		resources = append(resources, map[string]any{
			"mode": "managed", "type": "opsmanager_snapshot_schedule", "name": fmt.Sprintf("fleet_%d", r),
			"provider": `provider["terraform.local/local/opsmanager"]`, "instances": instances,
		})
	}
	state, err := json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "bench", "outputs": map[string]any{},
		"resources": resources,
	})
	if err != nil {
		panic(err) // it is made of JSON values
	}
	return state
}

// plan compares plans that find nothing to do, and returns what they took.
func (f *fleetRun) plan(ctx context.Context, rounds int) ([]usage, error) {
	run := func(i int, w *workspace) func() (usage, error) {
		return func() (usage, error) {
			f.service.ResetRequests()
			defer f.count(i)
			return w.terraform(ctx, "plan", "-detailed-exitcode", f.daily(i))
		}
	}
	took, err := inTurns(rounds, run(0, f.idle), run(1, f.ours))
	if err != nil {
		return nil, err
	}
	f.showRequests("a plan of "+f.size(), f.resources*f.schedules, 1)
	f.show("plan of "+f.size()+", unchanged", took, 0.75)
	return took, nil
}

// apply compares applies that change every schedule.
func (f *fleetRun) apply(ctx context.Context, rounds int) error {
	run := func(i int, w *workspace) func() (usage, error) {
		return func() (usage, error) {
			f.step[i]++
			f.service.ResetRequests()
			defer f.count(i)
			return w.terraform(ctx, "apply", "-auto-approve", f.daily(i))
		}
	}
	took, err := inTurns(rounds, run(0, f.idle), run(1, f.ours))
	if err != nil {
		return err
	}
	// Each schedule is read by the refresh, read again before it is changed, and
	// changed. Terraform starts one provider for the plan and one for the changes.
	f.showRequests("an apply that changes "+f.size(), 3*f.resources*f.schedules, 2)
	f.show("apply that changes "+f.size(), took, 0.9)
	return nil
}

// size says how many schedules there are.
func (f *fleetRun) size() string {
	if f.resources == 1 {
		return fmt.Sprintf("%d schedules", f.schedules)
	}
	return fmt.Sprintf("%d schedules in %d resources", f.resources*f.schedules, f.resources)
}

func (f *fleetRun) daily(i int) string { return fmt.Sprintf("-var=daily=%d", dailies[f.step[i]]) }

// count keeps what the service was asked by a run of ours.
func (f *fleetRun) count(i int) {
	if i == 1 {
		f.challenges = f.service.Challenges()
		f.requests = len(f.service.Requests()) - f.challenges
	}
}

// showRequests shows what the service was asked by our last run, beside a request
// for each thing to do and one challenge for each provider.
func (f *fleetRun) showRequests(work string, requests, challenges int) {
	f.bench.show(row{
		work: "requests of " + work, latency: f.wait, beside: "what they have to be",
		theirs: fmt.Sprintf("%d and %s", requests, counted(challenges, "challenge")),
		ours:   fmt.Sprintf("%d and %s", f.requests, counted(f.challenges, "challenge")),
		ratio:  max(ratio(int64(f.requests), int64(requests)), ratio(int64(f.challenges), int64(challenges))), most: 1,
	})
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// show shows what both took, with the processor time of the providers and that
// of Terraform. A figure is promised where the network costs nothing.
func (f *fleetRun) show(work string, took []usage, most float64) {
	if f.wait > 0 {
		most = 0
	}
	theirs, ours := took[0], took[1]
	f.bench.show(row{work, f.wait, idleProvider, seconds(theirs.wall), seconds(ours.wall), ratio(ours.wall, theirs.wall), most})
	f.bench.show(row{"its provider's processor time", f.wait, idleProvider, seconds(theirs.cpu), seconds(ours.cpu), ratio(ours.cpu, theirs.cpu), 0})
	f.bench.show(row{"Terraform's own processor time", f.wait, idleProvider, seconds(theirs.own), seconds(ours.own), ratio(ours.own, theirs.own), 0})
}
