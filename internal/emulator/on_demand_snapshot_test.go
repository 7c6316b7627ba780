package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// completed reads the snapshots of a cluster several times. It returns for each read which
// snapshots are complete.
func (c *client) completed(path string, reads int) (got []string) {
	c.t.Helper()
	for range reads {
		var complete []any
		for _, snapshot := range c.get(path + "?completed=all").results(c.t) {
			complete = append(complete, snapshot["complete"])
		}
		got = append(got, fmt.Sprint(complete...))
	}
	return got
}

func TestSnapshotOnDemandTakesSomeReads(t *testing.T) {
	t.Parallel()
	c := start(t)
	before := time.Now().Add(-time.Second)
	got := c.post(snapshotsOfOrders+"/onDemandSnapshot?retentionDays=15", "").ok(t)
	at, _ := got["timestamp"].(object)
	if got["clusterName"] != "orders" || got["id"] != nil || at["date"] == nil || at["increment"] != 1.0 {
		t.Errorf("got %v", got)
	}
	if requested := time.Unix(int64(at["time"].(float64)), 0); requested.Before(before) || requested.After(time.Now()) {
		t.Errorf("requested at %v", requested)
	}
	c.post(snapshotsOfOrders+"/onDemandSnapshot?retentionDays=15", "").refused(t, 400, "UNFINISHED_ON_DEMAND_SNAPSHOT")
	equal(t, c.completed(snapshotsOfOrders, 4), []string{"false true true", "false true true", "true true true", "true true true"})
	taken := c.get(snapshotsOfOrders).results(t)[0]
	created, _ := taken["created"].(object)
	if created["time"] != at["time"].(float64)+1 { // observed: later than the response says
		t.Errorf("created %v, requested %v", created, at)
	}
	day, _ := time.Parse(time.RFC3339, created["date"].(string))
	if taken["expires"] != day.AddDate(0, 0, 15).Format(time.RFC3339) || taken["doNotDelete"] != false {
		t.Errorf("got %v", taken)
	}
	if parts, _ := taken["parts"].([]any); len(parts) != 3 {
		t.Errorf("parts %v", parts)
	}
	c.post(snapshotsOfOrders+"/onDemandSnapshot?retentionDays=1", "").ok(t)
	equal(t, c.completed(snapshotsOfOrders, 1), []string{"false true true true"})
}

func TestSnapshotOnDemandIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	request := func(cluster, query string) response {
		return c.post(inPayments+"/clusters/"+cluster+"/snapshots/onDemandSnapshot"+query, "")
	}
	request(orders, "").refused(t, 400, "MISSING_QUERY_PARAMETER")
	for _, days := range []string{"", "0", "-1", "1.5", "x"} {
		request(orders, "?retentionDays="+days).refused(t, 400, "BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID")
	}
	request(orders, "?retentionDays=1&days=1").refused(t, 400, "INVALID_QUERY_PARAMETER")
	request(ledger, "?retentionDays=1").refused(t, 400, "UNFINISHED_ON_DEMAND_SNAPSHOT")
	request(cards, "?retentionDays=1").refused(t, 500, "UNEXPECTED_ERROR") // no snapshot yet
	request(shard, "?retentionDays=1").refused(t, 400, "BACKUP_JOB_NOT_FOUND")
	request(reports, "?retentionDays=1").refused(t, 400, "BACKUP_JOB_NOT_FOUND")
	request(nowhere, "?retentionDays=1").refused(t, 404, "CLUSTER_NOT_FOUND")
	equal(t, len(c.service.Snapshots(payments, orders)), 2)
}

func TestSnapshotOnDemandRequires7012(t *testing.T) {
	t.Parallel()
	for version, status := range map[string]int{"6.0.27": 404, "7.0.11": 404, "7.0.12": 200, "8.0.0": 200} {
		c := startVersion(t, version)
		got := c.post(snapshotsOfOrders+"/onDemandSnapshot?retentionDays=1", "")
		if got.status != status {
			t.Errorf("%s: %d %s", version, got.status, got.body)
		}
		if status == 404 {
			got.refused(t, 404, "RESOURCE_NOT_FOUND")
		}
	}
}

func TestFirstSnapshotFollowsTheStart(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{TransitionReads: 1})
	path := inPayments + "/clusters/" + reports + "/snapshots"
	c.change(reports, `{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY"}`).ok(t)
	c.statuses(reports, 3)
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").refused(t, 500, "UNEXPECTED_ERROR")
	equal(t, c.completed(path, 2), []string{"", "false"})
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").refused(t, 400, "UNFINISHED_ON_DEMAND_SNAPSHOT")
	equal(t, c.completed(path, 1), []string{"true"})
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").ok(t)
}
