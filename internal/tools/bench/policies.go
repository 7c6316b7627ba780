//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http/httptest"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
)

// policyConfiguration is formatted with the concurrency.
const policyConfiguration = header + `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = ["` + snapshot.Project + `"]
  concurrency = %d

  schedule = {
    snapshot_interval_hours         = 24
    snapshot_retention_days         = 2
    daily_snapshot_retention_days   = var.daily
    weekly_snapshot_retention_weeks = 2
    reference_hour_of_day           = 0
  }
}
`

// policyRuns compares a policy of many clusters with as many schedules. The bounds are
// those for 4,000 clusters.
func (b *bench) policyRuns(ctx context.Context) error {
	const (
		singles    = "as many opsmanager_snapshot_schedule"
		clientOnly = "the same requests without Terraform"
		wideAtOnce = 64
		usual      = 10 // the default
	)
	with := func(work string, concurrency int) string {
		return fmt.Sprintf("%s, with concurrency = %d", work, concurrency)
	}
	clusterCount := b.manySchedules
	size := fmt.Sprintf("a policy of %d clusters", clusterCount)
	service := emulator.New(emulator.Options{Seed: clusters(clusterCount), Latency: latency})
	server := httptest.NewServer(service)
	defer server.Close()
	f := fleet{resources: 1, schedules: clusterCount, wait: latency}
	theirs, err := f.open(ctx, b.stage, b.stage.ours, server.URL)
	if err != nil {
		return err
	}
	ours, err := b.stage.open(ctx, b.stage.ours, fmt.Sprintf(policyConfiguration, atOnce), "", server.URL)
	if err != nil {
		return err
	}
	wide, err := b.stage.open(ctx, b.stage.ours, fmt.Sprintf(policyConfiguration, wideAtOnce), "", server.URL)
	if err != nil {
		return err
	}
	narrow, err := b.stage.open(ctx, b.stage.ours, fmt.Sprintf(policyConfiguration, usual), "", server.URL)
	if err != nil {
		return err
	}
	var requests int // of the last run of the policy
	run := func(w *workspace, daily int, args ...string) (usage, error) {
		service.ResetRequests()
		took, err := w.terraform(ctx, append(args, fmt.Sprintf("-parallelism=%d", atOnce), fmt.Sprintf("-var=daily=%d", daily))...)
		requests = len(service.Requests()) - service.Challenges()
		return took, err
	}
	if _, err := run(ours, dailies[0], "apply", "-auto-approve"); err != nil {
		return err
	}
	plans, err := inTurns(b.rounds,
		func() (usage, error) { return run(theirs, dailies[0], "plan", "-detailed-exitcode") },
		func() (usage, error) { return run(ours, dailies[0], "plan", "-detailed-exitcode") },
	)
	if err != nil {
		return err
	}
	if _, err := run(ours, dailies[0], "plan", "-detailed-exitcode"); err != nil {
		return err
	}
	planRequests := requests

	// Terraform needs minutes to apply that many schedules, so it does that once.
	single, err := run(theirs, dailies[1], "apply", "-auto-approve")
	if err != nil {
		return err
	}
	applied := 1 // the policy finds the values of the schedules, and has others to change
	changes, err := inTurns(b.rounds, func() (usage, error) {
		applied++
		return run(ours, dailies[applied], "apply", "-auto-approve")
	})
	if err != nil {
		return err
	}
	change := changes[0]
	changeRequests := requests
	if _, err := run(wide, dailies[applied], "apply", "-auto-approve"); err != nil {
		return err
	}
	wideRuns, err := inTurns(b.rounds,
		func() (usage, error) {
			applied++
			return run(wide, dailies[applied], "apply", "-auto-approve")
		},
		func() (usage, error) { return run(wide, dailies[applied], "plan", "-detailed-exitcode") },
	)
	if err != nil {
		return err
	}

	if _, err := run(narrow, dailies[applied], "apply", "-auto-approve"); err != nil {
		return err
	}
	usualRuns, err := inTurns(b.rounds,
		func() (usage, error) {
			applied++
			return run(narrow, dailies[applied], "apply", "-auto-approve")
		},
		func() (usage, error) { return run(narrow, dailies[applied], "plan", "-detailed-exitcode") },
	)
	if err != nil {
		return err
	}

	reads, writes, err := b.clientRuns(ctx, server.URL, atOnce)
	if err != nil {
		return err
	}

	lists := listRequests(clusterCount)
	b.show(row{"requests of the plan of " + size, latency, "the minimum", "%.0f", float64(clusterCount + lists), float64(planRequests), 1})
	b.show(row{"requests of an apply that changes " + size, latency, "the minimum", "%.0f", float64(3*clusterCount + lists), float64(changeRequests), 1})
	b.show(row{"plan of " + size + ", unchanged", latency, singles, "%.3g s", plans[0][wallTime], plans[1][wallTime], 0.25})
	b.show(row{"plan of " + size + ", unchanged", latency, "5 s", "%.3g s", 5, plans[1][wallTime], 1})
	b.show(row{"the same plan", latency, clientOnly, "%.3g s", reads, plans[1][wallTime], 0})
	b.show(row{"its provider's CPU time", latency, singles, "%.3g s", plans[0][providerTime], plans[1][providerTime], 0})
	b.show(row{"Terraform's own CPU time", latency, singles, "%.3g s", plans[0][cliTime], plans[1][cliTime], 0})
	b.show(row{"apply that changes " + size, latency, singles, "%.3g s", single[wallTime], change[wallTime], 0.1})
	b.show(row{"apply that changes " + size, latency, "10 s", "%.3g s", 10, change[wallTime], 1})
	b.show(row{"the same apply", latency, clientOnly, "%.3g s", 2*reads + writes, change[wallTime], 0})
	b.show(row{"its provider's CPU time", latency, singles, "%.3g s", single[providerTime], change[providerTime], 0})
	b.show(row{"Terraform's own CPU time", latency, singles, "%.3g s", single[cliTime], change[cliTime], 0})
	b.show(row{"its provider's peak memory", latency, "150 MiB", "%.0f MiB", 150, change[peakMemory], 1})
	b.show(row{with("the same plan", usual), latency, "5 s", "%.3g s", 5, usualRuns[1][wallTime], 0})
	b.show(row{with("the same apply", usual), latency, "10 s", "%.3g s", 10, usualRuns[0][wallTime], 0})
	b.show(row{with("the same plan", wideAtOnce), latency, "5 s", "%.3g s", 5, wideRuns[1][wallTime], 1})
	b.show(row{with("the same apply", wideAtOnce), latency, "10 s", "%.3g s", 10, wideRuns[0][wallTime], 1})
	b.show(row{"its provider's peak memory", latency, "150 MiB", "%.0f MiB", 150, wideRuns[0][peakMemory], 1})
	return nil
}

// clientRuns measures how long a client needs to read as many schedules, and to change them.
func (b *bench) clientRuns(ctx context.Context, address string, atOnce int) (reads, writes float64, err error) {
	client, _, err := connect(address)
	if err != nil {
		return 0, 0, err
	}
	read := func(ctx context.Context, id string) error {
		_, err := client.SnapshotSchedule(ctx, snapshot.Project, id)
		return err
	}
	write := func(ctx context.Context, id string) error {
		_, err := client.UpdateSnapshotSchedule(ctx, snapshot.Project, id, opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: new(int64(7))})
		return err
	}
	took, err := inTurns(b.rounds, timed(each(ctx, b.manySchedules, atOnce, read)), timed(each(ctx, b.manySchedules, atOnce, write)))
	if err != nil {
		return 0, 0, err
	}
	return took[0][wallTime], took[1][wallTime], nil
}

// listRequests returns the number of requests for the lists of a project: of clusters and of their backup
// configurations, each of whose pages but the first is checked by another request, and of third-party backups.
func listRequests(clusterCount int) int { return 1 + 2*(2*((clusterCount+499)/500)-1) }
