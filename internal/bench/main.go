// Command bench compares the provider with what Terraform, the plugin framework
// and the network cost anyway, and its client with MongoDB's own. It takes a Unix,
// Go, and Terraform or OpenTofu.
//
// What is compared runs in turns, on the same emulator, in the same run: its
// ratios hold better than its seconds on a machine that is doing other things too.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// sizes are how much of everything there is.
type sizes struct {
	schedules, manySchedules int
	configs                  int
	snapshots, manySnapshots int
	starts, rounds           int // how often: starts of a provider, and everything else
}

var (
	full  = sizes{schedules: 1_000, manySchedules: 4_000, configs: 20_000, snapshots: 20_000, manySnapshots: 80_000, starts: 100, rounds: 3}
	quick = sizes{schedules: 50, manySchedules: 100, configs: 2_000, snapshots: 1_000, manySnapshots: 2_000, starts: 3, rounds: 1}
)

const latency = 20 * time.Millisecond

func main() {
	log.SetFlags(0)
	small := flag.Bool("quick", false, "use small numbers, to see whether it works; its ratios mean nothing")
	only := flag.String("only", "", "comma-separated `parts` to run: clients, start, schedules, snapshots")
	to := flag.String("to", "", "`file` that is given the output too, once there is all of it")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var kept bytes.Buffer
	b := &bench{sizes: full, out: io.MultiWriter(os.Stdout, &kept)}
	if *small {
		b.sizes = quick
	}
	if *to != "" && (*small || *only != "") {
		log.Fatal("bench: only a whole run is kept")
	}
	if err := b.run(ctx, *only); err != nil {
		log.Fatal("bench: ", err)
	}
	if *to != "" {
		if err := os.WriteFile(*to, append([]byte(title), kept.Bytes()...), 0o644); err != nil {
			log.Fatal("bench: ", err)
		}
	}
}

// title heads the file that keeps the output.
const title = `<!-- Written by make bench. -->
# Benchmarks

The last output of ` + "`make bench`" + `. Its ratios hold better elsewhere than its seconds.

`

type bench struct {
	sizes
	stage *stage
	out   io.Writer
	// What was promised in each line, and whether it holds.
	met, missed []string
}

type part struct {
	name string
	run  func(*bench, context.Context) error
}

var parts = []part{
	{"clients", (*bench).clients}, {"start", (*bench).start}, {"schedules", (*bench).scheduleRuns}, {"snapshots", (*bench).snapshotLists},
}

// run runs the parts named in a list, or all of them.
func (b *bench) run(ctx context.Context, only string) error {
	for name := range strings.SplitSeq(only, ",") {
		if only != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("there is no part %q", name)
		}
	}
	dir, err := os.MkdirTemp("", "opsmanager-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if b.stage, err = newStage(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s\n\n", b.stage.machine())
	fmt.Fprintln(b.out, "| work | latency | beside | it takes | ours takes | ratio | at most | |")
	fmt.Fprintln(b.out, "|---|---|---|---|---|---|---|---|")
	for _, part := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), part.name) {
			continue
		}
		if err := part.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Fprintf(b.out, "\n%d of %d figures are met.\n", len(b.met), len(b.met)+len(b.missed))
	for _, what := range b.missed {
		fmt.Fprintf(b.out, "- **Missed**: %s\n", what)
	}
	_, err = fmt.Fprint(b.out, reading)
	return err
}

// reading says how to read the table.
const reading = `
Each pair ran in turns; 'takes' is the median of its rounds, and the ratio is of
those, so below 1 ours takes less. 'At most' is what the project holds itself
to. Latency is what the emulator waits before it looks at a request.

The provider that does nothing has the same schemas, validates nothing, calls
nothing, and is served as a plain provider is: the plugin SDK then writes log
lines that nobody reads, which ours does not. Of an update it leaves more values
unknown, as a provider does that plans nothing itself. The data source without
I/O makes the same values out of nothing, in the same way, and has the same log
levels. Processor time and memory are of the provider's processes, without
Terraform's. 'Growth' is how many times as much the greater number takes,
divided by how many times as many there are; of growth, what stands below
'ratio' is ours alone.

Terraform copies the state of a whole resource once for each of its instances
(AttachStateTransformer, in its internal/terraform). With 4,000 of them that is
two thirds of what it does, during which it asks no provider for anything; so it
moves the ratio of plans towards 1. The same schedules in four resources show
what is left without that. What grows with a list that costs no I/O is the
framework's and Terraform's too.
`

// row is one line of the table.
type row struct {
	work    string
	latency time.Duration
	beside  string
	theirs  string
	ours    string
	ratio   float64
	most    float64 // 0: nothing is promised
}

// show prints a row, and keeps what it says of a promise.
func (b *bench) show(r row) {
	most, verdict := "", ""
	if r.most > 0 {
		said := fmt.Sprintf("%s at %d ms: %.3f, at most %.2f", r.work, r.latency.Milliseconds(), r.ratio, r.most)
		most = fmt.Sprintf("%.2f", r.most)
		if r.ratio <= r.most {
			verdict = "met"
			b.met = append(b.met, said)
		} else {
			verdict = "**missed**"
			b.missed = append(b.missed, said)
		}
	}
	fmt.Fprintf(b.out, "| %s | %d ms | %s | %s | %s | %.3f | %s | %s |\n",
		r.work, r.latency.Milliseconds(), r.beside, r.theirs, r.ours, r.ratio, most, verdict)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3g s", d.Seconds()) }

func mebibytes(kib int64) string { return fmt.Sprintf("%d MiB", kib/1024) }

func ratio[T time.Duration | int64 | float64](ours, theirs T) float64 {
	return float64(ours) / float64(theirs)
}

// inTurns runs each of the alternatives as often as there are rounds, in turns
// that go forth and back, and returns what each took in the median: the machine
// may be doing other things.
func inTurns(rounds int, alternatives ...func() (usage, error)) ([]usage, error) {
	took := make([][]usage, len(alternatives))
	for round := range rounds {
		for i := range alternatives {
			if round%2 == 1 {
				i = len(alternatives) - 1 - i
			}
			one, err := alternatives[i]()
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], one)
		}
	}
	medians := make([]usage, len(alternatives))
	for i, all := range took {
		medians[i] = usage{
			wall:    median(all, func(u usage) time.Duration { return u.wall }),
			cpu:     median(all, func(u usage) time.Duration { return u.cpu }),
			peakKiB: median(all, func(u usage) int64 { return u.peakKiB }),
			own:     median(all, func(u usage) time.Duration { return u.own }),
		}
	}
	return medians, nil
}

func median[T time.Duration | int64](all []usage, of func(usage) T) T {
	var values []T
	for _, one := range all {
		values = append(values, of(one))
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// usage is what a run took. CPU and memory are of providers only.
type usage struct {
	wall    time.Duration
	cpu     time.Duration
	peakKiB int64
	own     time.Duration // processor time of Terraform
}

// timed measures work within this process, which first clears away what the work
// before it has left.
func timed(work func() error) func() (usage, error) {
	return func() (usage, error) {
		runtime.GC()
		started := time.Now()
		err := work()
		return usage{wall: time.Since(started)}, err
	}
}
