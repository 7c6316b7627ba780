//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"net/http/httptest"

	"terraform-provider-opsmanager/internal/emulator"
)

// growths measures what more clusters cost. Each row compares a number of clusters with the one before it, and its ratio is the
// exponent of the growth: 1 is linear.
func (b *bench) growths(ctx context.Context) error {
	for _, of := range []struct {
		work   string
		rounds int
		open   func(context.Context, int) (*planned, error)
	}{
		{"plan of %d schedules", 1, b.openSchedules}, // Terraform needs minutes for 10,000
		{"plan of a policy of %d clusters", b.rounds, b.openFleetPolicy},
		{"plan of the status of %d clusters", b.rounds, b.openStatus},
	} {
		if err := b.compareSizes(ctx, of.work, of.rounds, of.open); err != nil {
			return err
		}
	}
	return nil
}

// planned is a plan of a number of objects that a server has.
type planned struct {
	plan   func() (usage, error)
	server *httptest.Server
}

// compareSizes plans all numbers of clusters in turns.
func (b *bench) compareSizes(ctx context.Context, work string, rounds int, open func(context.Context, int) (*planned, error)) error {
	var plans []func() (usage, error)
	for _, count := range b.growth {
		one, err := open(ctx, count)
		if err != nil {
			return err
		}
		defer one.server.Close()
		plans = append(plans, one.plan)
	}
	took, err := inTurns(rounds, plans...)
	if err != nil {
		return err
	}
	for i := 1; i < len(took); i++ {
		b.showGrowth(fmt.Sprintf(work, b.growth[i]), b.growth[i-1], b.growth[i], took[i-1], took[i])
	}
	return nil
}

// showGrowth compares a longer run with a shorter one. One without requests has no latency.
func (b *bench) showGrowth(work string, few, many int, before, after usage) {
	for _, figure := range []struct {
		name, format string
		index        int
		most         float64
	}{
		{work, "%.3g s", wallTime, 0}, // Terraform's own time grows faster with the number of resources
		{"its provider's CPU time", "%.3g s", providerTime, 1.1},
		{"its provider's peak memory", "%.0f MiB", peakMemory, 1.1},
		{"its requests", "%.0f", requests, 1.1},
	} {
		theirs, ours := before[figure.index], after[figure.index]
		r := row{work: figure.name, latency: latency, comparedWith: fmt.Sprintf("that of %d, as an exponent", few), most: figure.most}
		if before[requests] == 0 {
			r.latency = 0
		}
		if theirs > 0 {
			exponent := math.Log(ours/theirs) / math.Log(float64(many)/float64(few))
			b.print(r, fmt.Sprintf(figure.format, theirs), fmt.Sprintf(figure.format, ours), exponent)
		}
	}
}

// openSchedules opens a plan of unchanged schedules.
func (b *bench) openSchedules(ctx context.Context, count int) (*planned, error) {
	f := fleet{schedules: count, wait: latency}
	service := emulator.New(emulator.Options{Seed: clusters(count), Latency: latency})
	server := httptest.NewServer(service)
	w, err := f.open(ctx, b.stage, b.stage.ours, server.URL)
	if err != nil {
		return nil, err
	}
	return &planned{w.daily(ctx, service, 0, "plan", "-detailed-exitcode"), server}, nil
}

// openFleetPolicy opens a plan of an unchanged policy.
func (b *bench) openFleetPolicy(ctx context.Context, count int) (*planned, error) {
	service := emulator.New(emulator.Options{Seed: clusters(count), Latency: latency})
	server := httptest.NewServer(service)
	w, err := b.openPolicy(ctx, server.URL, atOnce)
	if err != nil {
		return nil, err
	}
	return &planned{w.daily(ctx, service, 0, "plan", "-detailed-exitcode"), server}, nil
}

// openStatus opens a first plan of the status.
func (b *bench) openStatus(ctx context.Context, count int) (*planned, error) {
	service, err := serveBackedUp(count)
	if err != nil {
		return nil, err
	}
	w, err := b.stage.open(ctx, b.stage.ours, statusConfiguration, "", service.server.URL)
	if err != nil {
		return nil, err
	}
	plan := func() (usage, error) { return service.counted(w.terraform)(ctx, "plan") }
	return &planned{plan, service.server}, nil
}
