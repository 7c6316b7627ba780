package emulator_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	lasting    = "66b0c530c4d6e8f0a2b4c600" // a snapshot of ledger that does not expire
	expired    = "66d3f330c4d6e8f0a2b4c602" // of ledger
	incomplete = "66d544b0c4d6e8f0a2b4c603" // of ledger
	ofOrders   = "66d45311c4d6e8f0a2b4c703"
)

func restorePath(cluster string) string {
	return inPayments + "/clusters/" + cluster + "/restoreJobs"
}

// into is the delivery to a cluster.
func into(cluster string) string {
	return `"delivery": {"methodName": "AUTOMATED_RESTORE", "targetGroupId": "` + payments + `", "targetClusterId": "` + cluster + `"}`
}

// link is the delivery to a link, with more fields.
func link(more string) string { return `"delivery": {"methodName": "HTTP"` + more + `}` }

func (c *client) restore(cluster, source, delivery string) response {
	c.t.Helper()
	return c.post(restorePath(cluster), "{"+source+", "+delivery+"}")
}

// startRestores starts an emulator with the default seed without restore jobs.
func startRestores(t *testing.T, options emulator.Options) *client {
	t.Helper()
	options.Seed = emulator.DefaultSeed()
	for i := range options.Seed.Projects {
		for j := range options.Seed.Projects[i].Clusters {
			options.Seed.Projects[i].Clusters[j].RestoreJobs = nil
		}
	}
	return start(t, options)
}

var ofLasting, intoCards = ofSnapshot(lasting), into(cards)

func ofSnapshot(id string) string { return `"snapshotId": "` + id + `"` }

func TestRestoreOfAReplicaSetIsOneJobThatEndsAfterSomeReads(t *testing.T) {
	t.Parallel()
	for outcome, delivered := range map[string]string{"FINISHED": "READY", "BROKEN": "FAILED", "KILLED": "INTERRUPTED"} {
		c := startRestores(t, emulator.Options{RestoreOutcome: outcome})
		jobs := c.restore(ledger, ofLasting, intoCards).results(t)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs", len(jobs))
		}
		id := fmt.Sprint(jobs[0]["id"])
		equal(t, relations(jobs[0])["self"], c.url+emulator.BasePath+restorePath(ledger)+"/"+id)
		for field, want := range (object{
			"batchId": nil, "snapshotId": lasting, "statusName": "IN_PROGRESS", "groupId": payments, "clusterId": ledger,
			"clusterName": "ledger", "pointInTime": false, "encryptionEnabled": true,
			"delivery": object{"methodName": "HTTP", "statusName": "NOT_STARTED"},
		}) {
			equal(t, jobs[0][field], want)
		}
		var statuses []any
		for range 4 {
			statuses = append(statuses, c.get(restorePath(ledger) + "/" + id).ok(t)["statusName"])
		}
		equal(t, statuses, []any{"IN_PROGRESS", "IN_PROGRESS", outcome, outcome})
		listed := c.get(restorePath(ledger)).results(t)
		delivery, _ := listed[0]["delivery"].(object)
		if len(listed) != 1 || delivery["statusName"] != delivered || delivery["url"] != nil {
			t.Errorf("%s: listed %v", outcome, listed)
		}
		equal(t, delivery["methodName"], "HTTP")
	}
}

func TestRestoreOfAShardedClusterIsABatchWithAJobForEachShard(t *testing.T) {
	t.Parallel()
	for namesShard, want := range map[bool][]any{false: {orders, orders}, true: {shard, "650a2036b7d9f1e3a5c70926"}} {
		c := startRestores(t, emulator.Options{Unknowns: emulator.Unknowns{ShardJobsNameTheCluster: !namesShard}})
		c.restore(orders, ofSnapshot(ofOrders), into(orders)).results(t)
		c.service.EndRestore(payments, orders, fmt.Sprint(c.service.RestoreJobs(payments, orders)[0]["id"]), "BROKEN")
		c.service.StartRestore(payments, orders, nil)
		jobs := c.get(restorePath(orders) + "?batchId=" + fmt.Sprint(c.service.RestoreJobs(payments, orders)[0]["batchId"])).results(t)
		if len(jobs) != 2 || jobs[0]["batchId"] == nil || jobs[0]["batchId"] != jobs[1]["batchId"] || jobs[0]["id"] == jobs[1]["id"] {
			t.Fatalf("got %v", jobs)
		}
		if jobs[0]["statusName"] != "BROKEN" || jobs[1]["statusName"] != "IN_PROGRESS" {
			t.Errorf("got %v", jobs)
		}
		if got := []any{jobs[0]["clusterId"], jobs[1]["clusterId"]}; !slices.Equal(got, want) || (jobs[0]["snapshotId"] == ofOrders) == namesShard {
			t.Errorf("clusters %v, snapshot %v", got, jobs[0]["snapshotId"])
		}
		equal(t, len(c.get(restorePath(orders)).results(t)), 4)
	}
}

// A drill of a sharded cluster has a target in the fleet: another cluster with as many shards.
func TestRestoreOfAShardedClusterGoesIntoAnotherOne(t *testing.T) {
	t.Parallel()
	c := start(t)
	target := `"delivery": {"methodName": "AUTOMATED_RESTORE", "targetGroupId": "` + analytics + `", "targetClusterId": "` + shardedScratch + `"}`
	equal(t, len(c.restore(orders, ofSnapshot(ofOrders), target).results(t)), 2)
}

func TestRestoreRequiresOneSourceAndOneDelivery(t *testing.T) {
	t.Parallel()
	const second = `"pointInTimeUTCMillis": 1756650605000`
	for name, test := range map[string]struct {
		cluster, source, delivery string
		status                    int
		code                      string
	}{
		"an unknown snapshot":            {ledger, ofSnapshot(nowhere), intoCards, 404, "SNAPSHOT_NOT_FOUND"},
		"a snapshot of another cluster":  {ledger, ofSnapshot(ofOrders), intoCards, 404, "SNAPSHOT_NOT_FOUND"},
		"an incomplete snapshot":         {ledger, ofSnapshot(incomplete), intoCards, 409, "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT"},
		"two sources":                    {ledger, ofLasting + "," + second, intoCards, 400, "MISSING_ONE_OF_ATTRIBUTES"},
		"no source":                      {ledger, `"snapshotId": null`, intoCards, 400, "MISSING_ONE_OF_ATTRIBUTES"},
		"a time before all ranges":       {ledger, `"pointInTimeUTCMillis": 1000`, intoCards, 400, "INVALID_PIT_RESTORE_TIME"},
		"a time in a gap":                {ledger, `"pointInTimeUTCMillis": 1756594800000`, intoCards, 400, "INVALID_PIT_RESTORE_TIME"},
		"a time without a snapshot":      {cards, second, intoCards, 404, "UNABLE_T0_FIND_SNAPSHOT_PRIOR_TO_PIT_RESTORE_OPTIME"},
		"an oplog entry without ordinal": {ledger, `"oplogTs": "1756650605"`, intoCards, 400, "MISSING_ATTRIBUTE"},
		"an ordinal without an entry":    {ledger, `"oplogInc": 1`, intoCards, 400, "MISSING_ONE_OF_ATTRIBUTES"},
		"a time that is a text":          {ledger, `"pointInTimeUTCMillis": "now"`, intoCards, 400, "INVALID_JSON_ATTRIBUTE"},
		"a shard":                        {shard, ofSnapshot(ofOrders), intoCards, 400, "AUTOMATED_RESTORE_OF_SHARD_NOT_ALLOWED"},
		"an unknown field":               {ledger, ofLasting + `, "force": true`, intoCards, 400, "INVALID_ATTRIBUTE"},
		"an unknown cluster":             {nowhere, ofLasting, intoCards, 404, "CLUSTER_NOT_FOUND"},

		"no target":                   {ledger, ofLasting, into(nowhere), 403, "CANNOT_RESTORE_TO_TARGET"},
		"a sharded target":            {ledger, ofLasting, into(orders), 403, "CANNOT_RESTORE_TO_TARGET"},
		"a target with fewer shards":  {orders, ofSnapshot(ofOrders), into(invoices), 403, "CANNOT_RESTORE_TO_TARGET"},
		"a shard as target":           {ledger, ofLasting, into(shard), 403, "CANNOT_RESTORE_TO_TARGET"},
		"a target without Automation": {ledger, ofLasting, into(fraud), 403, "CANNOT_RESTORE_TO_TARGET"},
		"a target without a project": {
			ledger, ofLasting, `"delivery": {"methodName": "AUTOMATED_RESTORE", "targetClusterId": "` + cards + `"}`, 400,
			"MISSING_ATTRIBUTE",
		},
		"no method":                    {ledger, ofLasting, `"delivery": {}`, 400, "MISSING_ATTRIBUTE"},
		"another method":               {ledger, ofLasting, `"delivery": {"methodName": "SCP"}`, 400, "UNSUPPORTED_DELIVERY_METHOD"},
		"an unknown field of delivery": {ledger, ofLasting, link(`, "password": "x"`), 400, "INVALID_ATTRIBUTE"},
		"a link without a limit":       {ledger, ofLasting, link(""), 400, "MISSING_ATTRIBUTE"},
		"no downloads":                 {ledger, ofLasting, link(`, "maxDownloads": 0`), 400, "ATTRIBUTE_NEGATIVE_OR_ZERO"},
		"an expiry in the past": {
			ledger, ofLasting, link(`, "maxDownloads": 1, "expires": "2020-01-01T00:00:00Z"`), 400, "EXPIRATION_DATE_IN_PAST",
		},
		"two expiries": {
			ledger, ofLasting, link(`, "maxDownloads": 1, "expires": "2120-01-01T00:00:00Z", "expirationHours": 1`), 400, "",
		},
		"an expiry of no hours": {ledger, ofLasting, link(`, "maxDownloads": 1, "expirationHours": 0`), 400, "ATTRIBUTE_NEGATIVE_OR_ZERO"},
		"an expiry after the snapshot": {
			ledger, ofSnapshot(expired), link(`, "maxDownloads": 1, "expires": "2120-01-01T00:00:00Z"`), 409,
			"LINK_EXPIRATION_AFTER_SNAPSHOT_DELETION",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startRestores(t, emulator.Options{})
			c.restore(test.cluster, test.source, test.delivery).refused(t, test.status, test.code)
			if jobs := c.service.RestoreJobs(payments, test.cluster); len(jobs) > 0 {
				t.Errorf("started %v", jobs)
			}
		})
	}
}

func TestExpiredSnapshotMayBeRestorable(t *testing.T) {
	t.Parallel()
	c := startRestores(t, emulator.Options{})
	c.restore(ledger, ofSnapshot(expired), intoCards).results(t)
}

func TestPointInTimeAndOplogEntryInARangeAreRestored(t *testing.T) {
	t.Parallel()
	for source, timestamp := range map[string]object{
		`"pointInTimeUTCMillis": 1756607405000`:           {"date": "2025-08-31T02:30:05Z", "increment": 1.0},
		`"pointInTimeUTCMillis": 1.756607405e12`:          {"date": "2025-08-31T02:30:05Z", "increment": 1.0},
		`"oplogTs": "1756607405", "oplogInc": "3"`:        {"date": "2025-08-31T02:30:05Z", "increment": 3.0},
		`"oplogTs": 1756694421, "oplogInc": 4`:            {"date": "2025-09-01T02:40:21Z", "increment": 4.0},
		`"pointInTimeUTCMillis": 1756694421999`:           {"date": "2025-09-01T02:40:21Z", "increment": 1.0},
		`"oplogTs": "1756607405", "oplogInc": 2147483647`: {"date": "2025-08-31T02:30:05Z", "increment": 2147483647.0},
	} {
		c := startRestores(t, emulator.Options{})
		job := c.restore(ledger, source, intoCards).results(t)[0]
		if job["pointInTime"] != true || job["snapshotId"] != expired || !reflect.DeepEqual(job["timestamp"], timestamp) {
			t.Errorf("%s: got %v", source, job)
		}
	}
}

func TestRestoreIntoAClusterExcludesAnother(t *testing.T) {
	t.Parallel()
	for version, code := range map[string]string{
		"8.0.12": "CONCURRENT_RESTORES", "8.0.13": "CONCURRENT_RESTORES_JOB_IDS", "7.0.19": "CONCURRENT_RESTORES_JOB_IDS",
		"7.0.18": "CONCURRENT_RESTORES",
	} {
		c := startRestores(t, emulator.Options{ServiceVersion: version})
		id := fmt.Sprint(c.restore(ledger, ofLasting, intoCards).results(t)[0]["id"])
		refused := c.restore(ledger, ofLasting, intoCards)
		refused.refused(t, 409, code)
		if named := strings.Contains(refused.body, id); named != (code == "CONCURRENT_RESTORES_JOB_IDS") {
			t.Errorf("%s: %s", version, refused.body)
		}
		c.restore(ledger, ofLasting, into(ledger)).results(t)
		c.restore(ledger, ofLasting, link(`, "maxDownloads": 1`)).results(t)
		c.service.EndRestore(payments, ledger, id, "KILLED")
		c.restore(ledger, ofLasting, intoCards).results(t)
	}
}

func TestLinkIsValidForSomeTime(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	c := startRestores(t, emulator.Options{RestoreReads: -1, Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	delivery := func(i int) object {
		t.Helper()
		id := fmt.Sprint(c.service.RestoreJobs(payments, ledger)[i]["id"])
		found, _ := c.get(restorePath(ledger) + "/" + id).ok(t)["delivery"].(object)
		return found
	}
	c.restore(ledger, ofLasting, link(`, "maxDownloads": "2", "expirationHours": "3"`)).results(t)
	until, err := time.Parse(time.RFC3339, fmt.Sprint(delivery(0)["expires"]))
	if err != nil || time.Until(until) > 3*time.Hour || time.Until(until) < 2*time.Hour {
		t.Errorf("expires %v", delivery(0)["expires"])
	}
	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
	c.restore(ledger, ofLasting, link(`, "maxDownloads": 9, "expires": "`+soon+`"`)).results(t)
	later.Store(int64(time.Hour))
	equal(t, delivery(1)["statusName"], "EXPIRED")
}

func TestLinkIsReturnedAtOnceAndLostByAFailure(t *testing.T) {
	t.Parallel()
	c := startRestores(t, emulator.Options{RestoreReads: 1})
	url := func(job object) any {
		delivery, _ := job["delivery"].(object)
		return delivery["url"]
	}
	job := c.restore(ledger, ofLasting, link(`, "maxDownloads": 1`)).results(t)[0]
	path := restorePath(ledger) + "/" + fmt.Sprint(job["id"])
	c.get(path).ok(t)
	if first, last := url(job), url(c.get(path).ok(t)); first == nil || last != first {
		t.Errorf("first %v, last %v", first, last)
	}
	failed := c.restore(ledger, ofLasting, link(`, "maxDownloads": 1`)).results(t)[0]
	c.service.EndRestore(payments, ledger, fmt.Sprint(failed["id"]), "BROKEN")
	if got := url(c.get(restorePath(ledger) + "/" + fmt.Sprint(failed["id"])).ok(t)); got != nil {
		t.Errorf("a failed restore has the link %v", got)
	}
}

func TestUnknownRestoreJobIsNotFound(t *testing.T) {
	t.Parallel()
	c := startRestores(t, emulator.Options{})
	c.get(restorePath(ledger)+"/"+nowhere).refused(t, 404, "RESTORE_JOB_NOT_FOUND")
	c.get(restorePath(ledger)+"/first").refused(t, 404, "INVALID_JOB_ID")
	c.get(restorePath(nowhere)).refused(t, 404, "CLUSTER_NOT_FOUND")
	equal(t, len(c.get(restorePath(ledger)+"?batchId="+nowhere).results(t)), 0)
}

func TestTimeRangesAreABareArray(t *testing.T) {
	t.Parallel()
	c := startRestores(t, emulator.Options{})
	for cluster, want := range map[string]string{
		ledger: `[{"end":{"date":"2025-08-30T20:15:00Z","increment":1},"snapshotId":"66d2a1b0c4d6e8f0a2b4c601",` +
			`"start":{"date":"2025-08-30T02:30:04Z","increment":2}},` +
			`{"end":{"date":"2025-09-01T02:40:21Z","increment":1},"snapshotId":"66d3f330c4d6e8f0a2b4c602",` +
			`"start":{"date":"2025-08-31T02:30:05Z","increment":2}}]`,
		orders: `[{"configServerType":"DEDICATED","end":{"date":"2025-09-01T02:40:24Z","increment":1},"shardCount":2,` +
			`"snapshotId":"66d3e2a1c4d6e8f0a2b4c702","start":{"date":"2025-08-31T17:15:02Z","increment":2}}]`,
		cards: `[]`,
	} {
		if got := c.timeRanges(cluster); got.status != 200 || strings.TrimSpace(got.body) != want {
			t.Errorf("got %d %s, want %s", got.status, got.body, want)
		}
	}
	c.timeRanges(nowhere).refused(t, 404, "CLUSTER_NOT_FOUND")
	c.post(restorePath(ledger)+"/restorableTimeRanges", "{}").refused(t, 400, "INVALID_JSON")
}

func (c *client) timeRanges(cluster string) response {
	c.t.Helper()
	return c.post(restorePath(cluster)+"/restorableTimeRanges", "")
}

func TestOldVersionsHaveNoTimeRanges(t *testing.T) {
	t.Parallel()
	for version, status := range map[string]int{"8.0.5": 405, "8.0.6": 200, "9.0.0": 200} {
		if got := startRestores(t, emulator.Options{ServiceVersion: version}).timeRanges(ledger); got.status != status {
			t.Errorf("%s: got %d", version, got.status)
		}
	}
}

func TestSeedMayHaveRestoreJobs(t *testing.T) {
	t.Parallel()
	const seed = `{"projects": [{"id": "64f0c2a19b3d5e7f80a1b2c3", "name": "p", "clusters": [{
		"id": "650a1f3c2e4b6d8091a3b5c7", "name": "c", "typeName": "REPLICA_SET", %s}]}]}`
	for field, valid := range map[string]bool{
		`"restoreJobs": [{"id": "66d45311c4d6e8f0a2b4c7aa", "statusName": "FINISHED"}]`: true,
		`"restoreJobs": [{"status": "FINISHED"}]`:                                       false,
		`"restorableTimeRanges": [{"shardCount": 1}]`:                                   true,
		`"restorableTimeRanges": [{"shards": 1}]`:                                       false,
	} {
		read, err := emulator.ReadSeed(strings.NewReader(fmt.Sprintf(seed, field)))
		if (err == nil) != valid {
			t.Errorf("%s: %v", field, err)
		}
		if valid && strings.Contains(field, "FINISHED") {
			c := start(t, emulator.Options{Seed: read})
			if got := c.get(restorePath(ledger)).results(t); len(got) != 1 || got[0]["statusName"] != "FINISHED" {
				t.Errorf("got %v", got)
			}
		}
	}
}
