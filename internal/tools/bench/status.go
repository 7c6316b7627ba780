//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
)

// statusConfiguration asks which clusters could not be restored, and outputs all that it reads.
const statusConfiguration = header + `
variable "schedules" {
  default = false
}

data "opsmanager_backup_status" "all" {
  max_snapshot_age_hours = 26
  include_schedules      = var.schedules
  concurrency            = 32
}

output "clusters" {
  value = data.opsmanager_backup_status.all.clusters
}

output "problems" {
  value = data.opsmanager_backup_status.all.problems
}
`

// eachStatusConfiguration asks the same with a data source for each cluster.
const eachStatusConfiguration = header + `
data "opsmanager_clusters" "all" {
  project_id = "` + snapshot.Project + `"
}

data "opsmanager_backup_configs" "all" {
  project_id = "` + snapshot.Project + `"
}

locals {
  started  = toset([for config in data.opsmanager_backup_configs.all.results : config.cluster_id if config.status_name == "STARTED"])
  clusters = { for cluster in data.opsmanager_clusters.all.results : cluster.cluster_id => cluster.name if cluster.has_schedule }
}

data "opsmanager_cluster_snapshots" "all" {
  for_each = local.started

  project_id = "` + snapshot.Project + `"
  cluster_id = each.key
}

output "problems" {
  value = {
    for id, name in local.clusters : id => name
    if !try(timecmp(timeadd(data.opsmanager_cluster_snapshots.all[id].newest_complete.created, "26h"), plantimestamp()) >= 0, false)
  }
}
`

// backedUp is a service of started backups, each with daily snapshots. It serves the snapshots from
// memory, because the emulator needs longer for them than the provider.
type backedUp struct {
	*emulator.Emulator
	server    *httptest.Server
	snapshots []byte       // the response to the list of each cluster's snapshots, with {cluster} for its ID
	lists     atomic.Int64 // of snapshots that were served
}

func serveBackedUp(clusterCount int) (*backedUp, error) {
	const days = 30
	var results []map[string]any
	for day := range days {
		one := snapshot.Document(day)
		one["clusterId"] = "{cluster}"
		one["created"] = map[string]any{"date": time.Now().Add(-time.Duration(day*24+1) * time.Hour).UTC().Format(time.RFC3339), "increment": 1}
		results = append(results, one)
	}
	list, err := json.Marshal(map[string]any{"results": results, "totalCount": days})
	b := &backedUp{Emulator: emulator.New(emulator.Options{Seed: clusters(clusterCount), Latency: latency}), snapshots: list}
	b.server = httptest.NewServer(b)
	return b, err
}

func (b *backedUp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/snapshots") || r.Header.Get("Authorization") == "" {
		b.Emulator.ServeHTTP(w, r)
		return
	}
	b.lists.Add(1)
	time.Sleep(latency)
	w.Header().Set("Content-Type", "application/json")
	list := bytes.ReplaceAll(b.snapshots, []byte("{cluster}"), []byte(path.Base(path.Dir(r.URL.Path))))
	w.Header().Set("Content-Length", strconv.Itoa(len(list)))
	_, _ = w.Write(list)
}

// statusRuns measures the status of many clusters. The bounds are those for 4,000 clusters.
func (b *bench) statusRuns(ctx context.Context) error {
	if err := b.statusOf(ctx, false, 5, 150); err != nil {
		return err
	}
	if err := b.statusOf(ctx, true, 10, 192); err != nil {
		return err
	}
	return b.compareStatus(ctx)
}

// statusOf measures a first plan and an unchanged one.
func (b *bench) statusOf(ctx context.Context, schedules bool, seconds, mebibytes float64) error {
	clusterCount := b.manySchedules
	size := fmt.Sprintf("the status of %d clusters", clusterCount)
	if schedules {
		size += " with schedules"
	}
	service, err := serveBackedUp(clusterCount)
	if err != nil {
		return err
	}
	defer service.server.Close()
	var requests int
	run := func(w *workspace, args ...string) (usage, error) {
		service.ResetRequests()
		service.lists.Store(0)
		took, err := w.terraform(ctx, append(args, fmt.Sprintf("-var=schedules=%t", schedules))...)
		requests = len(service.Requests()) - service.Challenges() + int(service.lists.Load())
		return took, err
	}
	w, err := b.stage.open(ctx, b.stage.ours, statusConfiguration, "", service.server.URL)
	if err != nil {
		return err
	}
	firsts, err := inTurns(b.rounds, func() (usage, error) { return run(w, "plan") })
	if err != nil {
		return err
	}
	if _, err := run(w, "apply", "-auto-approve"); err != nil {
		return err
	}
	requestsAlone, outputAlone, err := b.withoutProvider(ctx, service, w)
	if err != nil {
		return err
	}
	unchanged, err := inTurns(b.rounds, func() (usage, error) { return run(w, "plan", "-detailed-exitcode") }, requestsAlone, outputAlone)
	if err != nil {
		return err
	}
	least := 1 + clusterCount + listRequests(clusterCount) // and the list of projects
	if schedules {
		least += clusterCount
	}
	bound := fmt.Sprintf("%.0f s", seconds)
	b.show(row{"requests of a plan of " + size, latency, "the minimum", "%.0f", float64(least), float64(requests), 1})
	for _, plan := range []struct {
		work string
		took usage
	}{{"first plan of " + size, firsts[0]}, {"plan of " + size + ", unchanged", unchanged[0]}} {
		b.show(row{plan.work, latency, bound, "%.3g s", seconds, plan.took[wallTime], 1})
		b.show(row{"its provider's CPU time", latency, bound, "%.3g s", seconds, plan.took[providerTime], 0})
		b.show(row{"Terraform's own CPU time", latency, bound, "%.3g s", seconds, plan.took[cliTime], 0})
		b.show(row{"its provider's peak memory", latency, fmt.Sprintf("%.0f MiB", mebibytes), "%.0f MiB", mebibytes, plan.took[peakMemory], 1})
	}
	if !schedules {
		b.show(row{"the last plan", latency, "net/http and Terraform without a provider", "%.3g s", unchanged[1][wallTime] + unchanged[2][wallTime], unchanged[0][wallTime], 1.5})
	}
	return nil
}

// withoutProvider returns what a plan of the status can't do without: net/http reads the snapshots, and
// Terraform plans an output with the values that the status has in a workspace.
func (b *bench) withoutProvider(ctx context.Context, service *backedUp, status *workspace) (requests, output func() (usage, error), err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	requests = timed(each(ctx, b.manySchedules, atOnce, func(ctx context.Context, id string) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, service.server.URL+"/clusters/"+id+"/snapshots", http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "any")
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}))
	if _, err := status.terraform(ctx, "output", "-json"); err != nil {
		return nil, nil, err
	}
	values := status.printed.String()
	w, err := b.stage.open(ctx, b.stage.ours, `output "all" { value = jsondecode(file("values.json")) }`, "", service.server.URL)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "values.json"), []byte(values), 0o600); err != nil {
		return nil, nil, err
	}
	_, err = w.terraform(ctx, "apply", "-auto-approve")
	return requests, func() (usage, error) { return w.terraform(ctx, "plan", "-detailed-exitcode") }, err
}

// compareStatus compares the status of some clusters with a data source for each of them.
func (b *bench) compareStatus(ctx context.Context) error {
	const each = "a data source for each cluster"
	service, err := serveBackedUp(b.schedules)
	if err != nil {
		return err
	}
	defer service.server.Close()
	var plans []func() (usage, error)
	for _, configuration := range []string{eachStatusConfiguration, statusConfiguration} {
		w, err := b.stage.open(ctx, b.stage.ours, configuration, "", service.server.URL)
		if err != nil {
			return err
		}
		plans = append(plans, func() (usage, error) { return w.terraform(ctx, "plan", "-parallelism=32") })
	}
	took, err := inTurns(b.rounds, plans...)
	if err != nil {
		return err
	}
	b.show(row{fmt.Sprintf("plan of the status of %d clusters", b.schedules), latency, each, "%.3g s", took[0][wallTime], took[1][wallTime], 0.25})
	b.show(row{"its provider's CPU time", latency, each, "%.3g s", took[0][providerTime], took[1][providerTime], 0})
	b.show(row{"Terraform's own CPU time", latency, each, "%.3g s", took[0][cliTime], took[1][cliTime], 0})
	b.show(row{"its provider's peak memory", latency, each, "%.0f MiB", took[0][peakMemory], took[1][peakMemory], 0})
	return nil
}
