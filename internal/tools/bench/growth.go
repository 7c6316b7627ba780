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
		work    string
		measure func(context.Context, int) (usage, error)
	}{
		{"plan of %d schedules", b.planSchedules},
		{"plan of a policy of %d clusters", b.planPolicy},
		{"plan of the status of %d clusters", b.planStatus},
	} {
		var before usage
		for i, count := range b.growth {
			took, err := of.measure(ctx, count)
			if err != nil {
				return err
			}
			if i > 0 {
				b.showGrowth(fmt.Sprintf(of.work, count), b.growth[i-1], count, before, took)
			}
			before = took
		}
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

// planSchedules measures a plan of unchanged schedules.
func (b *bench) planSchedules(ctx context.Context, count int) (usage, error) {
	f := fleet{schedules: count, wait: latency}
	service := emulator.New(emulator.Options{Seed: clusters(count), Latency: latency})
	server := httptest.NewServer(service)
	defer server.Close()
	w, err := f.open(ctx, b.stage, b.stage.ours, server.URL)
	if err != nil {
		return usage{}, err
	}
	return w.daily(ctx, service, 0, "plan", "-detailed-exitcode")()
}

// planPolicy measures a plan of an unchanged policy.
func (b *bench) planPolicy(ctx context.Context, count int) (usage, error) {
	service := emulator.New(emulator.Options{Seed: clusters(count), Latency: latency})
	server := httptest.NewServer(service)
	defer server.Close()
	w, err := b.openPolicy(ctx, server.URL, atOnce)
	if err != nil {
		return usage{}, err
	}
	return w.daily(ctx, service, 0, "plan", "-detailed-exitcode")()
}

// planStatus measures a first plan of the status.
func (b *bench) planStatus(ctx context.Context, count int) (usage, error) {
	service, err := serveBackedUp(count)
	if err != nil {
		return usage{}, err
	}
	defer service.server.Close()
	w, err := b.stage.open(ctx, b.stage.ours, statusConfiguration, "", service.server.URL)
	if err != nil {
		return usage{}, err
	}
	return service.counted(w.terraform)(ctx, "plan")
}
