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

const usual = 10 // the default concurrency

// policyRuns compares a policy with as many schedules, and with the requests that it can't do without.
func (b *bench) policyRuns(ctx context.Context) error {
	if err := b.compareWithSchedules(ctx); err != nil {
		return err
	}
	for _, concurrency := range []int{usual, atOnce} {
		if err := b.compareWithClient(ctx, concurrency); err != nil {
			return err
		}
	}
	return nil
}

// compareWithSchedules compares a policy with as many schedules. Terraform needs minutes to apply 4,000 of them.
func (b *bench) compareWithSchedules(ctx context.Context) error {
	const singles = "as many opsmanager_snapshot_schedule"
	const mostProcessorTime = 0.25
	size := fmt.Sprintf("a policy of %d clusters", b.schedules)
	f := fleet{schedules: b.schedules, wait: latency}
	service := emulator.New(emulator.Options{Seed: clusters(f.schedules), Latency: latency})
	server := httptest.NewServer(service)
	defer server.Close()
	theirs, err := f.open(ctx, b.stage, b.stage.ours, server.URL)
	if err != nil {
		return err
	}
	ours, err := b.openPolicy(ctx, server.URL, atOnce)
	if err != nil {
		return err
	}
	plan := func(w *workspace) func() (usage, error) {
		return w.daily(ctx, service, 0, "plan", "-detailed-exitcode", fmt.Sprintf("-parallelism=%d", atOnce))
	}
	plans, err := inTurns(b.rounds, plan(theirs), plan(ours))
	if err != nil {
		return err
	}
	single, err := theirs.daily(ctx, service, 1, "apply", "-auto-approve", fmt.Sprintf("-parallelism=%d", atOnce))()
	if err != nil {
		return err
	}
	change, err := ours.daily(ctx, service, 2, "apply", "-auto-approve")()
	if err != nil {
		return err
	}
	for _, run := range []struct {
		work         string
		theirs, ours usage
		most         float64 // of the time
	}{
		{"plan of " + size + ", unchanged", plans[0], plans[1], 0}, // most of it waits for as many responses as theirs
		{"apply that changes " + size, single, change, 0.1},
	} {
		b.show(row{
			work: run.work, latency: latency,
			comparedWith: singles, format: "%.3g s",
			theirs: run.theirs[wallTime], ours: run.ours[wallTime], most: run.most,
		})
		b.show(row{
			work: "its provider's CPU time", latency: latency,
			comparedWith: singles, format: "%.3g s",
			theirs: run.theirs[providerTime], ours: run.ours[providerTime], most: mostProcessorTime,
		})
		b.show(row{
			work: "Terraform's own CPU time", latency: latency,
			comparedWith: singles, format: "%.3g s",
			theirs: run.theirs[cliTime], ours: run.ours[cliTime], most: mostProcessorTime,
		})
	}
	return nil
}

// openPolicy returns a workspace whose state has the policy.
func (b *bench) openPolicy(ctx context.Context, address string, concurrency int) (*workspace, error) {
	w, err := b.stage.open(ctx, b.stage.ours, fmt.Sprintf(policyConfiguration, concurrency), "", address)
	if err != nil {
		return nil, err
	}
	_, err = w.terraform(ctx, "apply", "-auto-approve")
	return w, err
}

// daily returns a function that runs Terraform with one of the dailies, and counts the requests.
func (w *workspace) daily(ctx context.Context, service *emulator.Emulator, number int, args ...string) func() (usage, error) {
	return func() (usage, error) {
		service.ResetRequests()
		took, err := w.terraform(ctx, append(args, fmt.Sprintf("-var=daily=%d", dailies[number]))...)
		took[requests] = float64(len(service.Requests()) - service.Challenges())
		return took, err
	}
}

// compareWithClient compares a policy with the same requests of the client alone, without the lists of clusters and backup
// configurations, by as many workers.
func (b *bench) compareWithClient(ctx context.Context, concurrency int) error {
	const clientOnly = "the same requests without Terraform"
	size := fmt.Sprintf("a policy of %d clusters, %d at a time", b.manySchedules, concurrency)
	service := emulator.New(emulator.Options{Seed: clusters(b.manySchedules), Latency: latency})
	server := httptest.NewServer(service)
	defer server.Close()
	w, err := b.openPolicy(ctx, server.URL, concurrency)
	if err != nil {
		return err
	}
	applied := 0
	read, write, err := b.clientRuns(ctx, server.URL, concurrency, &applied)
	if err != nil {
		return err
	}
	took, err := inTurns(b.rounds,
		func() (usage, error) {
			applied++
			return w.daily(ctx, service, applied, "apply", "-auto-approve")()
		},
		func() (usage, error) { return w.daily(ctx, service, applied, "plan", "-detailed-exitcode")() },
		read, write,
	)
	if err != nil {
		return err
	}
	change, plan, reads, writes := took[0], took[1], took[2][wallTime], took[3][wallTime]
	most := 0.0
	if concurrency == usual {
		most = 1.2
		least := float64(b.manySchedules)
		lists := float64(listRequests(b.manySchedules))
		b.show(row{
			work: "requests of the plan of " + size, latency: latency,
			comparedWith: "the minimum", format: "%.0f",
			theirs: least + lists, ours: plan[requests], most: 1,
		})
		// The apply lists third-party backups again.
		b.show(row{
			work: "requests of an apply that changes " + size, latency: latency,
			comparedWith: "the minimum", format: "%.0f",
			theirs: 3*least + lists + 1, ours: change[requests], most: 1,
		})
	}
	b.show(row{
		work: "plan of " + size + ", unchanged", latency: latency,
		comparedWith: clientOnly, format: "%.3g s",
		theirs: reads, ours: plan[wallTime], most: most,
	})
	b.show(row{
		work: "apply that changes " + size, latency: latency,
		comparedWith: clientOnly, format: "%.3g s",
		theirs: 2*reads + writes, ours: change[wallTime], most: most,
	})
	b.show(row{
		work: "its provider's peak memory", latency: latency,
		comparedWith: "150 MiB", format: "%.0f MiB",
		theirs: 150, ours: change[peakMemory], most: 1,
	})
	return nil
}

// clientRuns returns functions with which a client reads as many schedules, and sets what was applied last.
func (b *bench) clientRuns(
	ctx context.Context, address string, workers int, applied *int,
) (reads, writes func() (usage, error), err error) {
	client, _, err := connect(address)
	read := func(ctx context.Context, id string) error {
		_, err := client.SnapshotSchedule(ctx, snapshot.Project, id)
		return err
	}
	write := func(ctx context.Context, id string) error {
		change := opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: new(int64(dailies[*applied]))}
		_, err := client.UpdateSnapshotSchedule(ctx, snapshot.Project, id, change)
		return err
	}
	return timed(each(ctx, b.manySchedules, workers, read)), timed(each(ctx, b.manySchedules, workers, write)), err
}

// listRequests returns the number of requests for the lists of a project: of clusters and of their backup
// configurations, each of whose pages but the first is checked by another request, and of third-party backups.
func listRequests(clusterCount int) int { return 1 + 2*(2*((clusterCount+499)/500)-1) }
