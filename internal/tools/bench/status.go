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

// statusRuns compares the status of many clusters with what it can't do without, and with other ways to ask.
func (b *bench) statusRuns(ctx context.Context) error {
	if err := b.statusOf(ctx, false, 150); err != nil {
		return err
	}
	if err := b.statusOf(ctx, true, 192); err != nil {
		return err
	}
	return b.compareStatus(ctx)
}

// counted returns a function that also counts the requests of a run.
func (s *backedUp) counted(
	run func(context.Context, ...string) (usage, error),
) func(context.Context, ...string) (usage, error) {
	return func(ctx context.Context, args ...string) (usage, error) {
		s.ResetRequests()
		s.lists.Store(0)
		took, err := run(ctx, args...)
		took[requests] = float64(len(s.Requests()) - s.Challenges() + int(s.lists.Load()))
		return took, err
	}
}

// statusOf measures a first plan and an unchanged one, whose state has the outputs.
func (b *bench) statusOf(ctx context.Context, hasSchedules bool, mebibytes float64) error {
	const necessary = "its requests, and Terraform without a provider"
	clusterCount := b.manySchedules
	size := fmt.Sprintf("the status of %d clusters", clusterCount)
	perCluster := 1
	if hasSchedules {
		size += " with schedules"
		perCluster = 2
	}
	service, err := serveBackedUp(clusterCount)
	if err != nil {
		return err
	}
	defer service.server.Close()
	w, err := b.stage.open(ctx, b.stage.ours, statusConfiguration, "", service.server.URL)
	if err != nil {
		return err
	}
	run := func(args ...string) func() (usage, error) {
		args = append(args, fmt.Sprintf("-var=schedules=%t", hasSchedules))
		return func() (usage, error) { return service.counted(w.terraform)(ctx, args...) }
	}
	if _, err := run("apply", "-auto-approve")(); err != nil {
		return err
	}
	alone, err := b.requestsAlone(ctx, service, hasSchedules)
	if err != nil {
		return err
	}
	output, err := b.withoutProvider(ctx, service, w)
	if err != nil {
		return err
	}
	least := float64(1 + perCluster*clusterCount + listRequests(clusterCount)) // and the list of projects
	for _, isFirst := range []bool{false, true} {
		work := "plan of " + size + ", unchanged"
		args := []string{"plan", "-detailed-exitcode"}
		if isFirst {
			work = "first plan of " + size
			args = []string{"plan"}
			for _, of := range []*workspace{w, output} {
				if err := of.forget(); err != nil {
					return err
				}
			}
		}
		took, err := inTurns(b.rounds, run(args...),
			timed(alone),
			func() (usage, error) { return output.terraform(ctx, args...) },
		)
		if err != nil {
			return err
		}
		if isFirst {
			b.show(row{
				work: "its requests", latency: latency,
				comparedWith: "the minimum", format: "%.0f",
				theirs: least, ours: took[0][requests], most: 1,
			})
		}
		b.show(row{
			work: work, latency: latency,
			comparedWith: necessary, format: "%.3g s",
			theirs: took[1][wallTime] + took[2][wallTime], ours: took[0][wallTime], most: 1.3,
		})
		b.show(row{
			work: "its provider's CPU time", latency: latency,
			comparedWith: "Terraform's own", format: "%.3g s",
			theirs: took[0][cliTime], ours: took[0][providerTime],
		})
		b.show(row{
			work: "its provider's peak memory", latency: latency,
			comparedWith: fmt.Sprintf("%.0f MiB", mebibytes), format: "%.0f MiB",
			theirs: mebibytes, ours: took[0][peakMemory], most: 1,
		})
	}
	return nil
}

// requestsAlone returns a function that reads as much as the status does for each cluster: the snapshots with net/http, which does
// not decode them, and the schedules with the client.
func (b *bench) requestsAlone(ctx context.Context, service *backedUp, hasSchedules bool) (func() error, error) {
	client, _, err := connect(service.server.URL)
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	read := func(ctx context.Context, id string) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, service.server.URL+"/clusters/"+id+"/snapshots", http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "any")
		response, err := plain.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		if err == nil && hasSchedules {
			_, err = client.SnapshotSchedule(ctx, snapshot.Project, id)
		}
		return err
	}
	return each(ctx, b.manySchedules, atOnce, read), err
}

// withoutProvider returns a workspace in which Terraform plans an output with the values that the status has in another one.
func (b *bench) withoutProvider(ctx context.Context, service *backedUp, status *workspace) (*workspace, error) {
	if _, err := status.terraform(ctx, "output", "-json"); err != nil {
		return nil, err
	}
	values := status.printed.String()
	w, err := b.stage.open(ctx, b.stage.ours, `output "all" { value = jsondecode(file("values.json")) }`, "", service.server.URL)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "values.json"), []byte(values), 0o600); err != nil {
		return nil, err
	}
	_, err = w.terraform(ctx, "apply", "-auto-approve")
	return w, err
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
	b.show(row{
		work: fmt.Sprintf("plan of the status of %d clusters", b.schedules), latency: latency,
		comparedWith: each, format: "%.3g s",
		theirs: took[0][wallTime], ours: took[1][wallTime], most: 0.25,
	})
	b.show(row{
		work: "its provider's CPU time", latency: latency,
		comparedWith: each, format: "%.3g s",
		theirs: took[0][providerTime], ours: took[1][providerTime],
	})
	b.show(row{
		work: "Terraform's own CPU time", latency: latency,
		comparedWith: each, format: "%.3g s",
		theirs: took[0][cliTime], ours: took[1][cliTime],
	})
	b.show(row{
		work: "its provider's peak memory", latency: latency,
		comparedWith: each, format: "%.0f MiB",
		theirs: took[0][peakMemory], ours: took[1][peakMemory],
	})
	return nil
}
