package monitoring_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// statusRequests is the number of requests for the status of the backups of Payments: for the
// project, its clusters, their configurations, and the snapshots of five clusters.
const statusRequests = 8

// statusConfig reads the clusters one after the other.
var statusConfig = values{"project_ids": []any{providertest.Payments}, "concurrency": 1}

// statusProblems are the codes of the problems, by cluster. Those of Payments come first.
var statusProblems = map[string]string{
	providertest.Cards: "NO_SNAPSHOT", "650a1e4a0f2c3d5b7e9f1a2b": "STOPPED", "650a20d18c3e5f7092b4d6a8": "STOPPED",
	"650a2177e1f3a5b7c9d00e42": "NOT_BACKED_UP",
	"650a22f9d3b5a7c9e1f30816": "NO_SNAPSHOT", "650a22fad3b5a7c9e1f30817": "NOT_BACKED_UP",
	"650a22fbd3b5a7c9e1f30818": "NOT_BACKED_UP",
}

// statusReadings are the ways to read the backup status, with the number of their requests.
var statusReadings = map[string]struct {
	config             values
	requests, clusters int
}{
	"one project":          {statusConfig, statusRequests, 6},
	"with schedules":       {statusConfig.With(values{"include_schedules": true}), statusRequests + 5, 6},
	"with recovery points": {statusConfig.With(values{"include_recovery_points": true}), statusRequests, 6},
	// The projects, the clusters and configurations of both, and the snapshots of six clusters.
	"all projects": {values{"concurrency": 1}, 1 + 4 + 6, 9},
}

// Each fault hits each request of the backup status, once or permanently. Either the data source fails,
// or it has every cluster, and one that was not read is a problem.
func TestNoFaultMakesAnUnreadClusterLookHealthy(t *testing.T) {
	t.Parallel()
	for name, reading := range statusReadings {
		for i, f := range providertest.Faults {
			for hit := range reading.requests {
				for k, lasts := range []bool{false, true} {
					if f.Slow && hit > 4 || !providertest.Sampled(i+hit+k, 4) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%d/%t", name, f.Name, hit, lasts), func(t *testing.T) {
						t.Parallel()
						read := func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
							statusUnder(t, f, d, w, hit, lasts, reading.config, reading.clusters)
						}
						providertest.UnderFault(t, f, emulator.Options{}, values{"max_retries": 1}, read)
					})
				}
			}
		}
	}
}

func statusUnder(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, hit int, lasts bool, config values, count int) {
	w.MustRead(t, providertest.ProjectType, values{"project_id": providertest.Payments}) // answers the challenge
	d.Inject(f, "GET", hit, lasts)
	found, diags := w.Read(providertest.BackupStatusType, config)
	seen := d.Clear(t)
	if len(diags.Errors()) > 0 {
		diags.WantError(t, "[project_ids]", "Unable to Read Backup Status", "could not be ")
		return
	}
	clusters, _ := found["clusters"].(values)
	problems, _ := found["problems"].(values)
	if len(clusters) != count {
		t.Errorf("%d clusters", len(clusters))
	}
	unread := 0
	for id, value := range clusters {
		cluster, _ := value.(values)
		if cluster["code"] == "UNREAD" {
			unread++
		} else if cluster["code"] != any(statusProblems[id]) && (cluster["code"] != nil || statusProblems[id] != "") {
			t.Errorf("%s has the code %v, want %q", id, cluster["code"], statusProblems[id])
		}
		if (cluster["code"] == nil) != (problems[id] == nil) {
			t.Errorf("%s has the code %v and the problem %v", id, cluster["code"], problems[id])
		}
		hasSchedule := config["include_schedules"] == true && cluster["code"] != "NOT_BACKED_UP" && cluster["code"] != "UNREAD"
		if (cluster["schedule"] != nil) != hasSchedule {
			t.Errorf("%s has the code %v and the schedule %v", id, cluster["code"], cluster["schedule"])
		}
	}
	// An Ops Manager that can't return a schedule by GET returns it by PATCH.
	byPatch := slices.Contains(seen, "PATCH")
	if unread > 1 || lasts && f.Effect != providertest.Harmless && !byPatch {
		t.Errorf("%d clusters were not read, and it did not fail", unread)
	}
}
