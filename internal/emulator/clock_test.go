package emulator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// clock is a clock that a test sets.
type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time               { return time.Unix(0, c.nanos.Load()).UTC() }
func (c *clock) advance(passed time.Duration) { c.nanos.Add(int64(passed)) }

// startAt starts an emulator with a clock that only the test moves.
func startAt(t *testing.T, at time.Time, options emulator.Options) (*client, *clock) {
	t.Helper()
	moved := &clock{}
	moved.nanos.Store(at.UnixNano())
	options.Now = moved.now
	return start(t, options), moved
}

// slow are options whose reads end nothing.
var slow = emulator.Options{TransitionReads: 1_000_000, RestoreReads: 1_000_000}

// ongoing returns the status of a backup, and the completeness of the snapshots of a cluster.
func (c *client) ongoing(cluster string) string {
	c.t.Helper()
	return fmt.Sprint(c.config(cluster)["statusName"], c.completed(inPayments+"/clusters/"+cluster+"/snapshots", 1))
}

func TestTransitionsAndSnapshotsEndAsTimePasses(t *testing.T) {
	t.Parallel()
	c, moved := startAt(t, emulator.FixedStart, slow)
	want := func(cluster, want string) {
		t.Helper()
		if got := c.ongoing(cluster); got != want {
			t.Errorf("%s: got %s, want %s", moved.now(), got, want)
		}
	}
	c.change(reports, request("STARTED")).ok(t)
	moved.advance(59 * time.Second)
	want(reports, "PROVISIONING[]")
	moved.advance(time.Second)
	want(reports, "STARTED[]") // the first snapshot does not appear yet
	moved.advance(time.Minute)
	want(reports, "STARTED[true]")
	snapshot := c.service.Snapshots(payments, reports)[0]
	if created, _ := json.Marshal(snapshot["created"]); !strings.Contains(string(created), "2025-09-01T02:41:30Z") {
		t.Errorf("created %s", created)
	}

	// What ended once does not end what follows.
	c.change(reports, request("STOPPED")).ok(t)
	c.change(reports, request("TERMINATING")).ok(t)
	moved.advance(30 * time.Second)
	c.service.SetBackupStatus(payments, reports, "STOPPED")
	c.change(reports, request("TERMINATING")).ok(t)
	moved.advance(30 * time.Second)
	want(reports, "TERMINATING[]")
	moved.advance(30 * time.Second)
	want(reports, "INACTIVE[]")

	// All of it happens without a request too.
	c.change(reports, request("STARTED")).ok(t)
	moved.advance(time.Hour)
	equal(t, c.service.BackupConfig(payments, reports)["statusName"], "STARTED")
	want(reports, "STARTED[true]")
}

func TestSnapshotsOfTheSeedAreCompleteAfterSomeTime(t *testing.T) {
	t.Parallel()
	c, moved := startAt(t, emulator.FixedStart, slow)
	const abandoned = "66d544b0c4d6e8f0a2b4c6ff"
	c.service.SetSnapshot(payments, orders, abandoned, object{"complete": false, "created": object{"date": "2025-08-31T20:00:00Z"}})
	path := snapshotsOfLedger
	c.completed(path, 10)
	equal(t, strings.Count(c.completed(path, 1)[0], "true"), 3)
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").refused(t, 400, "UNFINISHED_ON_DEMAND_SNAPSHOT")
	moved.advance(time.Minute)
	done := c.get(path + "/" + incomplete).ok(t)
	text, _ := json.Marshal(done)
	for _, want := range []string{
		`"complete":true`, `"completedTime":"2025-09-01T02:41:30Z"`, `"dataSizeBytes":688268509184`,
		`"lastOplogAppliedTimestamp":{"date":"2025-09-01T02:30:06Z"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").ok(t)
	moved.advance(365 * 24 * time.Hour)
	if got := c.completed(path, 1)[0]; strings.Contains(got, "false") {
		t.Errorf("got %s", got)
	}
	if got := c.completed(snapshotsOfOrders, 1)[0]; strings.Count(got, "true") != 2 || strings.Count(got, "false") != 1 {
		t.Errorf("got %s", got)
	}
}

// A snapshot was abandoned if a later one is complete, or if its backup was stopped.
func TestAbandonedSnapshotsStayIncomplete(t *testing.T) {
	t.Parallel()
	seed, err := emulator.ReadSeed(strings.NewReader(`{"projects": [{"id": "` + payments + `", "clusters": [
		{"id": "` + ledger + `", "typeName": "REPLICA_SET", "backupConfig": {"statusName": "STARTED"}, "snapshots": [
			{"id": "66d2a1b0c4d6e8f0a2b4c601", "complete": false, "created": {"date": "-2h"}},
			{"id": "66d2a1b0c4d6e8f0a2b4c602", "complete": true, "created": {"date": "-1h"}}]},
		{"id": "` + cards + `", "typeName": "REPLICA_SET", "backupConfig": {"statusName": "STOPPED"}, "snapshots": [
			{"id": "66d2a1b0c4d6e8f0a2b4c603", "complete": false, "created": {"date": "-1h"}}]}]}]}`))
	succeed(t, err)
	options := slow
	options.Seed = seed
	c, moved := startAt(t, emulator.FixedStart, options)
	path := snapshotsOfLedger
	c.post(path+"/onDemandSnapshot?retentionDays=1", "").ok(t)
	taken := fmt.Sprint(c.service.Snapshots(payments, ledger)[2]["id"])
	c.service.SetSnapshot(payments, ledger, taken, object{"complete": false})
	moved.advance(time.Hour)
	equal(t, strings.Count(c.completed(path, 1)[0], "false"), 2)
	equal(t, c.ongoing(cards), "STOPPED[false]")
}

func TestRestoresEndAsTimePasses(t *testing.T) {
	t.Parallel()
	c, moved := startAt(t, emulator.FixedStart, slow)
	job := fmt.Sprint(c.restore(ledger, ofLasting, intoCards).results(t)[0]["id"])
	for _, want := range []string{"IN_PROGRESS", "FINISHED"} {
		equal(t, c.get(restorePath(ledger) + "/" + job).ok(t)["statusName"], want)
		moved.advance(time.Minute)
	}

	killed := fmt.Sprint(c.restore(ledger, ofLasting, intoCards).results(t)[0]["id"])
	c.service.EndRestore(payments, ledger, killed, "KILLED")
	moved.advance(time.Minute)
	equal(t, c.get(restorePath(ledger) + "/" + killed).ok(t)["statusName"], "KILLED")

	// The oplog continues while the backup is started.
	ends := func(cluster string) string {
		t.Helper()
		var ranges []struct{ End struct{ Date string } }
		if err := json.Unmarshal([]byte(c.post(restorePath(cluster)+"/restorableTimeRanges", "").body), &ranges); err != nil {
			t.Fatal(err)
		}
		return ranges[len(ranges)-1].End.Date
	}
	c.change(ledger, request("STOPPED")).ok(t)
	moved.advance(5 * time.Hour)
	if ledger, orders := ends(ledger), ends(orders); ledger != "2025-09-01T02:40:21Z" || orders != "2025-09-01T07:43:24Z" {
		t.Errorf("the ranges end at %s and %s", ledger, orders)
	}
	moved.advance(30 * time.Minute)
	at := emulator.FixedStart.Add(5 * time.Hour)
	c.post(restorePath(ledger), fmt.Sprintf(`{"pointInTimeUTCMillis": %d, %s}`, at.UnixMilli(), intoCards)).refused(t, 400, "INVALID_PIT_RESTORE_TIME")
	c.service.SetBackupStatus(payments, ledger, "STARTED")
	c.post(restorePath(ledger), fmt.Sprintf(`{"pointInTimeUTCMillis": %d, %s}`, at.UnixMilli(), intoCards)).ok(t)
}

func TestMalformedRelativeTimesAreRefused(t *testing.T) {
	t.Parallel()
	const seed = `{"projects": [{"id": "` + payments + `", "clusters": [{"id": "` + ledger + `", "typeName": "REPLICA_SET", %s}], "hosts": [{"id": "h", %s}]}]}`
	for _, test := range []struct{ cluster, host, want string }{
		{`"lastHeartbeat": "-1 day"`, `"mirrored": true`, `lastHeartbeat of ` + ledger + `: "-1 day"`},
		{`"snapshots": [{"parts": [{"completedTime": "+x"}]}]`, `"mirrored": true`, `of cluster "` + ledger + `" in project "": completedTime: "+x"`},
		{`"restorableTimeRanges": [{"end": {"date": "-"}}]`, `"mirrored": true`, `date: "-"`},
		{`"restoreJobs": [{"created": "-1d"}]`, `"mirrored": true`, `created: "-1d"`},
		{`"name": "-x"`, `"snapshots": [{"expires": "-1d"}]`, ` of host "h" of project "": expires: "-1d"`},
	} {
		_, err := emulator.ReadSeed(strings.NewReader(fmt.Sprintf(seed, test.cluster, test.host)))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "-26h10m") {
			t.Errorf("error %v, want it to contain %q", err, test.want)
		}
	}
	_, err := emulator.ReadSeed(strings.NewReader(fmt.Sprintf(
		seed, `"name": "-1d", "snapshots": [{"expires": "never", "namespaceFilterList": {"filterList": ["-1d"]}}]`, `"mirrored": true`,
	)))
	if err != nil {
		t.Error(err)
	}
}
