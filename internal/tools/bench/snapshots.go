//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
)

const history = header + `
data "opsmanager_config_server_snapshots" "history" {
  project_id = "` + snapshot.Project + `"
  host_id    = "` + snapshot.Host + `"
}
`

// snapshotLists compares reads of a long list, and of a list four times as long.
func (b *bench) snapshotLists(ctx context.Context) error {
	if err := b.compareSnapshots(ctx, 1_100); err != nil {
		return err
	}
	counts := []int{b.snapshots, b.manySnapshots}
	var reads []func() (usage, error)
	for _, count := range counts {
		workspaces, server, err := b.openHistory(ctx, count)
		if err != nil {
			return err
		}
		defer server.Close()
		for _, w := range workspaces {
			reads = append(reads, func() (usage, error) { return w.terraform(ctx, "plan") })
		}
	}
	took, err := inTurns(b.rounds, reads...)
	if err != nil {
		return err
	}
	for i, count := range counts {
		const source = "a data source without I/O"
		theirs, ours := took[2*i], took[2*i+1]
		b.show(row{
			work: fmt.Sprintf("plan that reads %d snapshots", count), latency: 0,
			comparedWith: source, format: "%.3g s",
			theirs: theirs[wallTime], ours: ours[wallTime], most: 1.3,
		})
		b.show(row{
			work: "its provider's CPU time", latency: 0,
			comparedWith: source, format: "%.3g s",
			theirs: theirs[providerTime], ours: ours[providerTime],
		})
		b.show(row{
			work: "its provider's peak memory", latency: 0,
			comparedWith: source, format: "%.0f MiB",
			theirs: theirs[peakMemory], ours: ours[peakMemory], most: 1.5,
		})
	}
	b.showGrowth(fmt.Sprintf("plan that reads %d snapshots", counts[1]), counts[0], counts[1], took[1], took[3])
	return nil
}

// openHistory serves a number of snapshots, and returns a workspace of the idle
// provider and one of ours.
func (b *bench) openHistory(ctx context.Context, count int) (workspaces []*workspace, server *httptest.Server, err error) {
	host := emulator.Host{ID: snapshot.Host, TypeName: "SHARD_CONFIG", Mirrored: true}
	for i := range count {
		host.Snapshots = append(host.Snapshots, snapshot.Document(i))
	}
	server = httptest.NewServer(emulator.New(emulator.Options{Seed: &emulator.Seed{
		Projects: []emulator.Project{{ID: snapshot.Project, Name: "History", Hosts: []emulator.Host{host}}},
	}}))
	for _, provider := range []string{b.stage.idle, b.stage.ours} {
		// Both have the log levels that ours sets for itself.
		w, err := b.stage.open(ctx, provider, history, "", server.URL,
			"TF_LOG_SDK=ERROR", "TF_LOG_SDK_PROTO=ERROR", "TF_LOG_SDK_FRAMEWORK=ERROR", fmt.Sprintf("BENCH_SNAPSHOTS=%d", count))
		if err != nil {
			return nil, server, err
		}
		workspaces = append(workspaces, w)
	}
	return workspaces, server, nil
}

// compareSnapshots fails unless both data sources return the same values.
func (b *bench) compareSnapshots(ctx context.Context, count int) error {
	workspaces, server, err := b.openHistory(ctx, count)
	if err != nil {
		return err
	}
	defer server.Close()
	var states [2][]byte
	for i, w := range workspaces {
		if _, err := w.terraform(ctx, "apply", "-auto-approve"); err != nil {
			return err
		}
		if states[i], err = os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate")); err != nil {
			return err
		}
	}
	if !bytes.Equal(states[0], states[1]) {
		return errors.New("the data source without I/O returns other values than ours")
	}
	return nil
}
