//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
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

variable "daily" {
  default = 0
}
`

// resourceConfiguration is formatted with the count.
const resourceConfiguration = `
resource "opsmanager_snapshot_schedule" "fleet" {
  count = %d

  project_id = "` + snapshot.Project + `"
  cluster_id = format("%%024x", count.index + 1)

  snapshot_interval_hours         = 24
  snapshot_retention_days         = 2
  daily_snapshot_retention_days   = var.daily
  weekly_snapshot_retention_weeks = 2
  reference_hour_of_day           = 0
}
`

// nothingOverwritten is the value of overwrites after an adoption that changed nothing.
const nothingOverwritten = `{
	"snapshot_interval_hours": null, "snapshot_retention_days": null, "daily_snapshot_retention_days": null,
	"weekly_snapshot_retention_weeks": null, "monthly_snapshot_retention_months": null, "point_in_time_window_hours": null,
	"reference_time_of_day": null, "full_incremental_day_of_week": null, "cluster_checkpoint_interval_min": null
}`

// resourceState is formatted with the instances.
const resourceState = `{
	"mode": "managed", "type": "opsmanager_snapshot_schedule", "name": "fleet",
	"provider": "provider[\"terraform.local/local/opsmanager\"]", "instances": [%s]
}`

// instanceState is formatted with the index of an instance, its IDs, and what its adoption has overwritten.
const instanceState = `
	"index_key": %d, "schema_version": 0,
	"attributes": {
		%s, "snapshot_interval_hours": 24, "snapshot_retention_days": 2, "daily_snapshot_retention_days": 0,
		"weekly_snapshot_retention_weeks": 2, "monthly_snapshot_retention_months": 1, "point_in_time_window_hours": 24,
		"reference_hour_of_day": 0, "reference_minute_of_hour": 0, "full_incremental_day_of_week": "SUNDAY",
		"overwrites": %s
	}`

// dailies are the retentions that successive applies set. They only grow, so no plan warns.
var dailies = []int{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// scheduleRuns compares plans and applies of many schedules. The larger fleet is
// only planned: Terraform writes its whole state for every change, so an apply takes
// ten minutes.
func (b *bench) scheduleRuns(ctx context.Context) error {
	for _, f := range []*fleet{
		{schedules: b.schedules, wait: latency},
		{schedules: b.schedules, isAdopted: true},
		{schedules: b.schedules, applies: 1},
		{schedules: b.manySchedules},
	} {
		if err := f.compare(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// fleet is a number of schedules in one resource.
type fleet struct {
	schedules int
	isAdopted bool // otherwise, they were imported
	wait      time.Duration
	applies   int // rounds
}

// compare compares plans, which find nothing to do, and applies, which change every
// schedule.
func (f *fleet) compare(ctx context.Context, b *bench) error {
	service := emulator.New(emulator.Options{Seed: clusters(f.schedules), Latency: f.wait})
	server := httptest.NewServer(service)
	defer server.Close()
	var plans, applies []func() (usage, error)
	var requests, challenges int // of the last run
	for _, provider := range []string{b.stage.idle, b.stage.ours} {
		w, err := f.open(ctx, b.stage, provider, server.URL)
		if err != nil {
			return err
		}
		applied := 0
		run := func(args ...string) (usage, error) {
			service.ResetRequests()
			took, err := w.terraform(ctx, append(args, fmt.Sprintf("-var=daily=%d", dailies[applied]))...)
			if provider == b.stage.ours {
				challenges = service.Challenges()
				requests = len(service.Requests()) - challenges
			}
			return took, err
		}
		plans = append(plans, func() (usage, error) { return run("plan", "-detailed-exitcode") })
		applies = append(applies, func() (usage, error) {
			applied++
			return run("apply", "-auto-approve")
		})
	}
	type minimum struct {
		calls     int // for each schedule
		lists     int
		providers int // processes, each of which is challenged once
	}
	measure := func(requestsOf, work string, rounds int, necessary minimum, most float64, alternatives []func() (usage, error)) error {
		took, err := inTurns(rounds, alternatives...)
		if err != nil {
			return err
		}
		theirs, ours := took[0], took[1]
		if f.wait > 0 {
			most = 0
		}
		least := necessary.calls*f.schedules + necessary.lists
		b.print(row{work: requestsOf, latency: f.wait, comparedWith: "the minimum", most: 1},
			fmt.Sprintf("%d (challenges: %d)", least, necessary.providers), fmt.Sprintf("%d (challenges: %d)", requests, challenges),
			max(float64(requests)/float64(least), float64(challenges)/float64(necessary.providers)))
		b.show(row{
			work: work, latency: f.wait,
			comparedWith: idleProvider, format: "%.3g s",
			theirs: theirs[wallTime], ours: ours[wallTime], most: most,
		})
		b.show(row{
			work: "its provider's CPU time", latency: f.wait,
			comparedWith: idleProvider, format: "%.3g s",
			theirs: theirs[providerTime], ours: ours[providerTime],
		})
		b.show(row{
			work: "Terraform's own CPU time", latency: f.wait,
			comparedWith: idleProvider, format: "%.3g s",
			theirs: theirs[cliTime], ours: ours[cliTime],
		})
		return nil
	}
	toRead := minimum{calls: 1, providers: 1}
	err := measure("requests of a plan of "+f.size(), "plan of "+f.size()+", unchanged", b.rounds, toRead, 0.5, plans)
	if err != nil || f.applies == 0 {
		return err
	}
	// The refresh reads each schedule, and the change reads it again and writes it.
	// Terraform starts one provider for the plan and one for the changes. Each lists third-party backups.
	toChange := minimum{calls: 3, lists: 2, providers: 2}
	return measure("requests of an apply that changes "+f.size(), "apply that changes "+f.size(), f.applies, toChange, 0.9, applies)
}

func (f *fleet) size() string {
	if f.isAdopted {
		return fmt.Sprintf("%d adopted schedules", f.schedules)
	}
	return fmt.Sprintf("%d schedules", f.schedules)
}

// open returns a workspace with all schedules in its configuration and its state.
func (f *fleet) open(ctx context.Context, s *stage, provider, address string) (*workspace, error) {
	overwrites := "null"
	if f.isAdopted {
		overwrites = nothingOverwritten
	}
	var instances []string
	for i := range f.schedules {
		identity := fmt.Sprintf(`"project_id": %q, "cluster_id": %q`, snapshot.Project, clusterID(i))
		instance := fmt.Sprintf(instanceState, i, identity, overwrites)
		if provider == s.ours { // the other has no identities
			instance += fmt.Sprintf(`, "identity_schema_version": 0, "identity": {%s}`, identity)
		}
		instances = append(instances, "{"+instance+"}")
	}
	resources := fmt.Sprintf(resourceState, strings.Join(instances, ","))
	return s.open(ctx, provider, header+fmt.Sprintf(resourceConfiguration, f.schedules), resources, address)
}
