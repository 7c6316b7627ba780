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

// resourceConfiguration is formatted with the number of a resource and its count.
const resourceConfiguration = `
resource "opsmanager_snapshot_schedule" "fleet_%[1]d" {
  count = %[2]d

  project_id = "` + snapshot.Project + `"
  cluster_id = format("%%024x", %[1]d * %[2]d + count.index + 1)

  snapshot_interval_hours         = 24
  snapshot_retention_days         = 2
  daily_snapshot_retention_days   = var.daily
  weekly_snapshot_retention_weeks = 2
  reference_hour_of_day           = 0
}
`

// resourceState is formatted with the number of a resource and its instances.
const resourceState = `{
	"mode": "managed", "type": "opsmanager_snapshot_schedule", "name": "fleet_%d",
	"provider": "provider[\"terraform.local/local/opsmanager\"]", "instances": [%s]
}`

// instanceState is formatted with the index of an instance and its IDs.
const instanceState = `
	"index_key": %d, "schema_version": 0,
	"attributes": {
		%s, "snapshot_interval_hours": 24, "snapshot_retention_days": 2, "daily_snapshot_retention_days": 0,
		"weekly_snapshot_retention_weeks": 2, "monthly_snapshot_retention_months": 1, "point_in_time_window_hours": 24,
		"reference_hour_of_day": 0, "reference_minute_of_hour": 0, "full_incremental_day_of_week": "SUNDAY"
	}`

// dailies are the retentions that successive applies set. They only grow, so no plan warns.
var dailies = []int{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// scheduleRuns compares plans and applies of many schedules. The larger fleets are
// only planned: Terraform writes its whole state for every change, so an apply takes
// ten minutes.
func (b *bench) scheduleRuns(ctx context.Context) error {
	resources := b.manySchedules / b.schedules
	near := 0.0 // ratio of the plan without latency
	for _, f := range []*fleet{
		{resources: 1, schedules: b.schedules, wait: latency, applies: 1}, // no bound, so one run is enough
		{resources: 1, schedules: b.schedules, applies: b.rounds},
		{resources: 1, schedules: b.manySchedules},
		{resources: resources, schedules: b.schedules},
	} {
		ratio, err := f.compare(ctx, b)
		if err != nil {
			return err
		}
		if f.applies > 0 {
			near = ratio
		} else {
			b.show(row{"ratio of the plan of " + f.size(), 0, fmt.Sprintf("that of %d schedules", b.schedules), "%.2f", near, ratio, 1})
		}
	}
	return nil
}

// fleet is a number of schedules in each of some resources.
type fleet struct {
	resources, schedules int
	wait                 time.Duration
	applies              int // rounds
}

// compare compares plans, which find nothing to do, and applies, which change every
// schedule. It returns the ratio of the plans.
func (f *fleet) compare(ctx context.Context, b *bench) (ratio float64, err error) {
	service := emulator.New(emulator.Options{Seed: clusters(f.resources * f.schedules), Latency: f.wait})
	server := httptest.NewServer(service)
	defer server.Close()
	var plans, applies []func() (usage, error)
	var requests, challenges int // of the last run
	for _, provider := range []string{b.stage.idle, b.stage.ours} {
		w, err := f.open(ctx, b.stage, provider, server.URL)
		if err != nil {
			return 0, err
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
	measure := func(requestsOf, work string, rounds, calls, providers int, most float64, alternatives []func() (usage, error)) (float64, error) {
		took, err := inTurns(rounds, alternatives...)
		if err != nil {
			return 0, err
		}
		theirs, ours := took[0], took[1]
		if f.wait > 0 {
			most = 0
		}
		least := calls * f.resources * f.schedules
		b.print(row{work: requestsOf, latency: f.wait, comparedWith: "the minimum", most: 1},
			fmt.Sprintf("%d (challenges: %d)", least, providers), fmt.Sprintf("%d (challenges: %d)", requests, challenges),
			max(float64(requests)/float64(least), float64(challenges)/float64(providers)))
		b.show(row{work, f.wait, idleProvider, "%.3g s", theirs[wallTime], ours[wallTime], most})
		b.show(row{"its provider's CPU time", f.wait, idleProvider, "%.3g s", theirs[providerTime], ours[providerTime], 0})
		b.show(row{"Terraform's own CPU time", f.wait, idleProvider, "%.3g s", theirs[cliTime], ours[cliTime], 0})
		return ours[wallTime] / theirs[wallTime], nil
	}
	ratio, err = measure("requests of a plan of "+f.size(), "plan of "+f.size()+", unchanged", b.rounds, 1, 1, 0.75, plans)
	if err != nil || f.applies == 0 {
		return ratio, err
	}
	// The refresh reads each schedule, and the change reads it again and writes it.
	// Terraform starts one provider for the plan and one for the changes.
	_, err = measure("requests of an apply that changes "+f.size(), "apply that changes "+f.size(), f.applies, 3, 2, 0.9, applies)
	return ratio, err
}

func (f *fleet) size() string {
	if f.resources == 1 {
		return fmt.Sprintf("%d schedules", f.schedules)
	}
	return fmt.Sprintf("%d schedules in %d resources", f.resources*f.schedules, f.resources)
}

// open returns a workspace with all schedules in its configuration and its state.
func (f *fleet) open(ctx context.Context, s *stage, provider, address string) (*workspace, error) {
	configuration := header
	var resources []string
	for r := range f.resources {
		configuration += fmt.Sprintf(resourceConfiguration, r, f.schedules)
		var instances []string
		for i := range f.schedules {
			identity := fmt.Sprintf(`"project_id": %q, "cluster_id": %q`, snapshot.Project, clusterID(r*f.schedules+i))
			instance := fmt.Sprintf(instanceState, i, identity)
			if provider == s.ours { // the other has no identities
				instance += fmt.Sprintf(`, "identity_schema_version": 0, "identity": {%s}`, identity)
			}
			instances = append(instances, "{"+instance+"}")
		}
		resources = append(resources, fmt.Sprintf(resourceState, r, strings.Join(instances, ",")))
	}
	return s.open(ctx, provider, configuration, strings.Join(resources, ","), address)
}
