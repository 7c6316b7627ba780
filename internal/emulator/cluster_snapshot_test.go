package emulator_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSnapshotsOfAClusterAreListed(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = snapshotsOfLedger
	for query, want := range map[string][]any{
		"":                           {true, true, true},
		"?completed=true":            {true, true, true},
		"?completed=false":           {false},
		"?completed=all":             {false, true, true, true},
		"?completed=all&pageNum=2":   {},
		"?itemsPerPage=2&pageNum=2":  {true},
		"?completed=all&pretty=true": {false, true, true, true},
	} {
		complete := []any{}
		for _, snapshot := range c.get(path + query).results(t) {
			complete = append(complete, snapshot["complete"])
			equal(t, relations(snapshot)["self"], fmt.Sprint(c.url, emulator.BasePath, path, "/", snapshot["id"]))
			equal(t, []any{snapshot["groupId"], snapshot["clusterId"], snapshot["clusterName"]}, []any{payments, ledger, "ledger"})
			equal(t, snapshot["expires"] == nil, snapshot["doNotDelete"])
		}
		equal(t, complete, want)
	}
	c.get(path+"?completed=some").refused(t, 400, "INVALID_QUERY_PARAMETER")
	c.get(path+"?completed=").refused(t, 400, "INVALID_QUERY_PARAMETER")
	c.get(inPayments+"/clusters/"+nowhere+"/snapshots").refused(t, 404, "CLUSTER_NOT_FOUND")
	equal(t, len(c.get(inAnalytics+"/clusters/"+scratch+"/snapshots").results(t)), 0)
}

const (
	snapshotsOfLedger = inPayments + "/clusters/" + ledger + "/snapshots"
	snapshotsOfOrders = inPayments + "/clusters/" + orders + "/snapshots"

	newest  = "66d3f330c4d6e8f0a2b4c602" // the newest complete snapshot of ledger
	running = "66d544b0c4d6e8f0a2b4c603" // of ledger, being taken
	held    = "66b0c530c4d6e8f0a2b4c600" // of ledger, which must not be deleted
)

func TestSnapshotIsReadByItsID(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get(snapshotsOfLedger + "/" + newest).ok(t)
	listed := c.get(snapshotsOfLedger).results(t)[0]
	equal(t, got, listed)
	created, _ := got["created"].(object)
	equal(t, created, object{"date": "2025-08-31T02:30:05Z", "increment": 1.0, "time": 1756607405.0})
	if got := c.get(snapshotsOfLedger + "/" + running).ok(t); got["complete"] != false || got["expires"] == nil {
		t.Errorf("got %v", got)
	}
	c.get(snapshotsOfLedger+"/"+nowhere).refused(t, 404, "SNAPSHOT_NOT_FOUND")
	c.get(snapshotsOfOrders+"/"+newest).refused(t, 404, "SNAPSHOT_NOT_FOUND")
	c.get(snapshotsOfLedger+"/latest").refused(t, 404, "INVALID_SNAPSHOT_ID")
}

func TestExpiryOfASnapshotIsChanged(t *testing.T) {
	t.Parallel()
	c := start(t)
	path := snapshotsOfLedger + "/" + newest
	c.patch(path, `{"doNotDelete":true}`).refused(t, 400, "ALREADY_EXPIRED")
	c.service.SetSnapshot(payments, ledger, newest, object{"expires": "2099-01-01T00:00:00Z"})
	for _, step := range []struct{ body, expires string }{
		{`{}`, "2099-01-01T00:00:00Z"},
		{`{"expires":"2098-12-01"}`, "2098-12-01T00:00:00Z"},
		{`{"expires":"2098-12-01T12:00:00+02:00","doNotDelete":false}`, "2098-12-01T10:00:00Z"},
		{`{"doNotDelete":true}`, ""},
		{`{"doNotDelete":false,"expires":"2099-01-01T00:00:00Z"}`, "2099-01-01T00:00:00Z"},
	} {
		got := c.patch(path, step.body).ok(t)
		if expires, _ := got["expires"].(string); expires != step.expires || (got["doNotDelete"] == true) != (expires == "") {
			t.Errorf("%s: got %v, %v", step.body, got["expires"], got["doNotDelete"])
		}
	}
	c.patch(path, `{"doNotDelete":true,"expires":"2099-01-01"}`).refused(t, 403, "CANNOT_MODIFY_SNAPSHOT")
	c.patch(snapshotsOfLedger+"/"+held, `{"expires":"2099-01-01"}`).refused(t, 403, "CANNOT_MODIFY_SNAPSHOT")
	c.patch(path, `{"expires":"next week"}`).refused(t, 400, "INVALID_JSON_ATTRIBUTE")
	c.patch(path, `{"doNotDelete":"true"}`).refused(t, 400, "INVALID_JSON_ATTRIBUTE")
	c.patch(path, `{"complete":true}`).refused(t, 400, "ATTRIBUTE_READ_ONLY")
	c.patch(path, `{"retentionDays":3}`).refused(t, 400, "INVALID_ATTRIBUTE")
	c.patch(snapshotsOfLedger+"/"+running, `{"doNotDelete":true}`).refused(t, 400, "CANNOT_MODIFY_IN_PROGRESS_SNAPSHOT_RETENTION")

	c.patch(path, `{"expires":"2001-01-01"}`).ok(t)
	c.patch(path, `{"expires":"2099-01-01"}`).refused(t, 400, "ALREADY_EXPIRED")
}

func TestSnapshotIsDeleted(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.delete(snapshotsOfLedger+"/"+running).refused(t, 400, "CANNOT_DELETE_IN_PROGRESS_SNAPSHOT")
	c.delete(snapshotsOfLedger+"/"+held).refused(t, 403, "")
	if got := c.delete(snapshotsOfLedger + "/" + newest); got.status != 204 || got.body != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	c.delete(snapshotsOfLedger+"/"+newest).refused(t, 404, "SNAPSHOT_NOT_FOUND")
	equal(t, len(c.service.Snapshots(payments, ledger)), 3)
}

func TestUnknownsOfRunningSnapshots(t *testing.T) {
	t.Parallel()
	c := startWith(t, emulator.Unknowns{HidesRunningSnapshot: true, RunningSnapshotLacksExpires: true, OmitsCreatedTime: true})
	c.get(snapshotsOfLedger+"/"+running).refused(t, 404, "SNAPSHOT_NOT_FOUND")
	got := c.get(snapshotsOfLedger + "?completed=false").results(t)[0]
	created, _ := got["created"].(object)
	if got["expires"] != nil || created["time"] != nil || created["date"] == nil {
		t.Errorf("got %v", got)
	}
}
