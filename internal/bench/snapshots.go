package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"terraform-provider-opsmanager/internal/bench/snapshot"
	"terraform-provider-opsmanager/internal/emulator"
)

const history = header + `
data "opsmanager_config_server_snapshots" "history" {
  project_id = "` + snapshot.Project + `"
  host_id    = "` + snapshot.Host + `"
}
`

// snapshotLists compares reads of a long list, and of one four times as long.
func (b *bench) snapshotLists(ctx context.Context) error {
	if err := b.sameSnapshots(ctx, 1_100); err != nil {
		return err
	}
	counts := []int{b.snapshots, b.manySnapshots}
	var reads []func() (usage, error)
	for _, count := range counts {
		idle, ours, server, err := b.openHistory(ctx, count, 0)
		if err != nil {
			return err
		}
		defer server.Close()
		for _, w := range []*workspace{idle, ours} {
			reads = append(reads, func() (usage, error) { return w.terraform(ctx, "plan") })
		}
	}
	took, err := inTurns(b.rounds, reads...)
	if err != nil {
		return err
	}
	for i, count := range counts {
		const beside = "a data source without I/O"
		theirs, mine := took[2*i], took[2*i+1]
		b.show(row{fmt.Sprintf("plan that reads %d snapshots", count), 0, beside, seconds(theirs.wall), seconds(mine.wall), ratio(mine.wall, theirs.wall), 1.3})
		b.show(row{"its provider's processor time", 0, beside, seconds(theirs.cpu), seconds(mine.cpu), ratio(mine.cpu, theirs.cpu), 0})
		b.show(row{"its provider's peak memory", 0, beside, mebibytes(theirs.peakKiB), mebibytes(mine.peakKiB), ratio(mine.peakKiB, theirs.peakKiB), 1.5})
	}
	times := float64(b.manySnapshots) / float64(b.snapshots)
	growth := func(what string, of func(usage) float64) {
		theirs, ours := of(took[2])/of(took[0])/times, of(took[3])/of(took[1])/times
		b.show(row{fmt.Sprintf("growth of %s from %d to %d snapshots", what, b.snapshots, b.manySnapshots), 0, "without I/O", fmt.Sprintf("%.2f", theirs), fmt.Sprintf("%.2f", ours), ours, 1})
	}
	growth("time", func(u usage) float64 { return u.wall.Seconds() })
	growth("processor time", func(u usage) float64 { return u.cpu.Seconds() })
	growth("peak memory", func(u usage) float64 { return float64(u.peakKiB) })
	return nil
}

// openHistory starts a service with so many snapshots, and a workspace of each
// provider.
func (b *bench) openHistory(ctx context.Context, count int, wait time.Duration) (idle, ours *workspace, server *httptest.Server, err error) {
	host := emulator.Host{ID: snapshot.Host, TypeName: "SHARD_CONFIG", Mirrored: true}
	for i := range count {
		host.Snapshots = append(host.Snapshots, snapshot.Number(i).Document())
	}
	server = httptest.NewServer(emulator.New(emulator.Options{Latency: wait, Seed: &emulator.Seed{
		Projects: []emulator.Project{{ID: snapshot.Project, Name: "History", Hosts: []emulator.Host{host}}},
	}}))
	// Served the same way: with the log levels that ours sets for itself.
	quiet := []string{"TF_LOG_SDK=ERROR", "TF_LOG_SDK_PROTO=ERROR", "TF_LOG_SDK_FRAMEWORK=ERROR", fmt.Sprintf("BENCH_SNAPSHOTS=%d", count)}
	if idle, err = b.stage.open(ctx, "snapshots", b.stage.idle, history, server.URL, quiet...); err == nil {
		ours, err = b.stage.open(ctx, "snapshots", b.stage.ours, history, server.URL, quiet...)
	}
	return idle, ours, server, err
}

// sameSnapshots makes sure that both data sources set the same values.
func (b *bench) sameSnapshots(ctx context.Context, count int) error {
	idle, ours, server, err := b.openHistory(ctx, count, 0)
	if err != nil {
		return err
	}
	defer server.Close()
	var states [2]struct{ Resources []any }
	for i, w := range []*workspace{idle, ours} {
		if _, err := w.terraform(ctx, "apply", "-auto-approve"); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &states[i]); err != nil {
			return err
		}
	}
	if len(states[0].Resources) == 0 || !reflect.DeepEqual(states[0], states[1]) {
		return errors.New("the data source without I/O sets other values than ours")
	}
	return nil
}
