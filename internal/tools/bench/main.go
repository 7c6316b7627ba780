//go:build linux

// Command bench compares the provider with a provider that does nothing, and its
// client with MongoDB's Go client. It needs Linux, Go, and Terraform or OpenTofu.
//
// The alternatives take turns on the same emulator, so on a busy machine their
// ratios vary less than their times.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// sizes are the numbers of objects and repetitions.
type sizes struct {
	schedules, manySchedules int
	growth                   []int // numbers of clusters
	configs                  int
	snapshots, manySnapshots int
	starts, rounds           int
}

var (
	full = sizes{
		schedules: 1_000, manySchedules: 4_000, growth: []int{1_000, 4_000, 10_000},
		configs: 20_000, snapshots: 5_000, manySnapshots: 20_000, starts: 100, rounds: 3,
	}
	quick = sizes{
		schedules: 50, manySchedules: 100, growth: []int{50, 100},
		configs: 2_000, snapshots: 1_000, manySnapshots: 2_000, starts: 3, rounds: 1,
	}
)

const (
	latency = 20 * time.Millisecond
	atOnce  = 32 // requests of a policy or of the status
)

var parts = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"clients", (*bench).clients},
	{"start", (*bench).start},
	{"schedules", (*bench).scheduleRuns},
	{"policies", (*bench).policyRuns},
	{"status", (*bench).statusRuns},
	{"copy", (*bench).copies},
	{"growth", (*bench).growths},
	{"snapshots", (*bench).snapshotLists},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	if binary := os.Getenv(launchVariable); binary != "" {
		log.Fatal(launch(binary))
	}
	small := flag.Bool("quick", false, "check that everything runs, with small numbers; the ratios mean nothing")
	only := flag.String("only", "", "run only one `part`: clients, start, schedules, policies, status, copy, growth or snapshots")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := &bench{sizes: full}
	if *small {
		b.sizes = quick
	}
	if err := b.run(ctx, *only); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	sizes
	stage  *stage
	bounds int
	missed int
}

// run runs one part, or all of them if none is named.
func (b *bench) run(ctx context.Context, only string) error {
	dir, err := os.MkdirTemp("", "opsmanager-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if b.stage, err = newStage(ctx, dir); err != nil {
		return err
	}
	fmt.Printf("%s\n\n", b.stage.machine())
	fmt.Print("| work | latency | compared with | theirs | ours | ratio | at most | |\n|---|---|---|---|---|---|---|---|\n")
	for _, part := range parts {
		if only == "" || only == part.name {
			if err := part.run(b, ctx); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	if b.bounds == 0 {
		return fmt.Errorf("there is no part %q", only)
	}
	fmt.Printf("\n%d of %d bounds are met.\n", b.bounds-b.missed, b.bounds)
	return nil
}

// row is a line of the table.
type row struct {
	work         string
	latency      time.Duration
	comparedWith string
	format       string // of theirs and ours, such as "%.3g s"
	theirs, ours float64
	most         float64 // of the ratio; 0 if it has no bound
}

// show prints a row whose ratio is ours to theirs.
func (b *bench) show(r row) {
	b.print(r, fmt.Sprintf(r.format, r.theirs), fmt.Sprintf(r.format, r.ours), r.ours/r.theirs)
}

// print prints a row, and notes whether the ratio is within its bound.
func (b *bench) print(r row, theirs, ours string, ratio float64) {
	most, verdict := "", ""
	if r.most > 0 {
		most, verdict = fmt.Sprintf("%.2f", r.most), "met"
		b.bounds++
		if ratio > r.most {
			verdict = "**missed**"
			b.missed++
		}
	}
	fmt.Printf("| %s | %d ms | %s | %s | %s | %.3f | %s | %s |\n",
		r.work, r.latency.Milliseconds(), r.comparedWith, theirs, ours, ratio, most, verdict)
}

// usage is what a run cost, indexed by the constants.
type usage [5]float64

const (
	wallTime     = iota // in seconds
	providerTime        // CPU time of the providers, in seconds
	cliTime             // CPU time of Terraform, in seconds
	peakMemory          // resident memory of the largest provider, in MiB
	requests            // that the service handled, without challenges
)

// inTurns runs the alternatives in alternating order, and returns the median of each
// figure.
func inTurns(rounds int, alternatives ...func() (usage, error)) ([]usage, error) {
	all := make([][]usage, len(alternatives))
	for round := range rounds {
		for i := range alternatives {
			if round%2 == 1 {
				i = len(alternatives) - 1 - i
			}
			runtime.GC() // the garbage of the previous run
			one, err := alternatives[i]()
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], one)
		}
	}
	medians := make([]usage, len(alternatives))
	for i, runs := range all {
		for figure := range medians[i] {
			slices.SortFunc(runs, func(a, b usage) int { return cmp.Compare(a[figure], b[figure]) })
			medians[i][figure] = (runs[(rounds-1)/2][figure] + runs[rounds/2][figure]) / 2
		}
	}
	return medians, nil
}

// timed measures work in this process.
func timed(work func() error) func() (usage, error) {
	return func() (usage, error) {
		started := time.Now()
		err := work()
		return usage{wallTime: time.Since(started).Seconds()}, err
	}
}
