package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestEachChangeIsToldInWordsWithoutSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []emulator.Change
	c := start(t, emulator.Options{OnChange: func(change emulator.Change) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, change)
	}})
	const cluster = "/groups/64f0c2a19b3d5e7f80a1b2c3/backupConfigs/650a1f3c2e4b6d8091a3b5c7"
	const owner = ` of cluster "ledger" in project "Payments"`
	for _, step := range []struct {
		method, path, body string
		want               []emulator.Change
	}{
		{http.MethodGet, cluster, "", nil},
		{http.MethodPatch, cluster + "/snapshotSchedule", `{"dailySnapshotRetentionDays":60}`, []emulator.Change{
			{Verb: "changed", Object: "the snapshot schedule" + owner, Fields: []emulator.FieldChange{{"dailySnapshotRetentionDays", "30", "60"}}},
		}},
		{http.MethodPatch, cluster + "/snapshotSchedule", `{"dailySnapshotRetentionDays":60}`, nil},
		{http.MethodPatch, cluster + "/snapshotSchedule", `{"dailySnapshotRetentionDays":61}`, nil},
		{http.MethodPatch, cluster, `{"statusName":"STOPPED"}`, []emulator.Change{
			{Verb: "changed", Object: "the backup configuration" + owner, Fields: []emulator.FieldChange{{"statusName", `"STARTED"`, `"STOPPED"`}}},
		}},
		{http.MethodDelete, "/groups/64f0c2a19b3d5e7f80a1b2c3/clusters/650a1f3c2e4b6d8091a3b5c7/snapshots/66d2a1b0c4d6e8f0a2b4c601", "", []emulator.Change{
			{Verb: "deleted", Object: "the snapshot 66d2a1b0c4d6e8f0a2b4c601" + owner, Fields: nil},
		}},
		{http.MethodPost, "/admin/backup/oplog/mongoConfigs", `{"id":"new","uri":"mongodb://u:hush@h:1","labels":["a"]}`, []emulator.Change{
			{Verb: "created", Object: `the Mongo oplog store "new"`, Fields: []emulator.FieldChange{
				{"assignmentEnabled", "", "false"}, {"encryptedCredentials", "", "false"}, {"id", "", `"new"`}, {"labels", "", `["a"]`},
				{"loadFactor", "", "1"}, {"ssl", "", "false"}, {"uri", "", emulator.NotShown},
			}},
		}},
		{http.MethodPut, "/admin/backup/oplog/mongoConfigs/new", `{
			"uri": "mongodb://u:hush2@h:1", "labels": ["a"],
			"oidc": {"enabled": true, "method": "callback", "tokenUri": "https://k:hush4@t", "clientId": "i", "clientSecret": "hush3"}
		}`, []emulator.Change{
			{Verb: "changed", Object: `the Mongo oplog store "new"`, Fields: []emulator.FieldChange{
				{"oidc.clientId", "", `"i"`}, {"oidc.clientSecret", "", emulator.NotShown}, {"oidc.enabled", "", "true"},
				{"oidc.method", "", `"callback"`}, {"oidc.tokenUri", "", emulator.NotShown},
				{"uri", emulator.NotShown, emulator.NotShown},
			}},
		}},
		{http.MethodPut, "/admin/backup/groups/64f0c2d57c1e4a6b92d3f4e5", `{"labelFilter":["production","east"],
			"snapshotStoreFilter":[{"id":"ny-s3-1","type":"s3blockstore"}],"daemonFilter":[{"machine":"b"},{"machine":"a"}]}`, []emulator.Change{
			{
				Verb: "changed", Object: `the job configuration of project "Analytics"`,
				Fields: []emulator.FieldChange{{"daemonFilter", "", `[{"machine":"a"},{"machine":"b"}]`}},
			},
		}},
		{http.MethodPut, "/admin/backup/groups/64f0c2d57c1e4a6b92d3f4e5", `{"labelFilter":["west","east"],
			"snapshotStoreFilter":[{"id":"ny-s3-1","type":"s3blockstore"}],"daemonFilter":[{"machine":"a"},{"machine":"b"}]}`, []emulator.Change{
			{
				Verb: "changed", Object: `the job configuration of project "Analytics"`,
				Fields: []emulator.FieldChange{{"labelFilter", `["east","production"]`, `["east","west"]`}},
			},
		}},
		{http.MethodPut, "/groups/64f0c2a19b3d5e7f80a1b2c3/automationConfig", `{"auth":{"key":"hush"}}`, []emulator.Change{
			{
				Verb: "changed", Object: `the automation configuration of project "Payments"`,
				Fields: []emulator.FieldChange{{"content", emulator.NotShown, emulator.NotShown}},
			},
		}},
	} {
		told = nil
		c.do(step.method, step.path, step.body)
		for i := range told {
			if told[i].ID == "" {
				t.Errorf("%s has no ID", told[i].Object)
			}
			told[i].ID = ""
		}
		if !reflect.DeepEqual(told, step.want) {
			t.Errorf("%s %s %s:\ngot  %v\nwant %v", step.method, step.path, step.body, told, step.want)
		}
		for _, change := range told {
			for _, field := range change.Fields {
				if strings.Contains(field.From+field.To, "hush") {
					t.Errorf("%s: %v", change.Object, field)
				}
			}
		}
	}
}

// recorded collects the changes that an emulator tells.
type recorded struct {
	mu   sync.Mutex
	told []emulator.Change
}

func (r *recorded) add(change emulator.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, change)
}

// take returns what was told since the last time, in words.
func (r *recorded) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := inWords(r.told)
	r.told = nil
	return found
}

var snapshotID = regexp.MustCompile(`(snapshot|restore job) [0-9a-f]{24}`)

// inWords returns changes in short words: without fields of new objects, and without IDs.
func inWords(changes []emulator.Change) []string {
	found := []string{}
	for _, change := range changes {
		text := change.Verb + " " + snapshotID.ReplaceAllString(change.Object, "$1")
		for _, field := range change.Fields {
			if field.Name == "statusName" || field.Name == "complete" || field.Name == "loadFactor" {
				text += fmt.Sprintf("; %s %s to %s", field.Name, field.From, field.To)
			}
		}
		if change.InTime {
			text += "; in time"
		}
		found = append(found, text)
	}
	return found
}

func wantChanges(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

const (
	inReports = ` of cluster "reports" in project "Payments"`
	inOrders  = ` of cluster "orders" in project "Payments"`
	inLedger  = ` of cluster "ledger" in project "Payments"`
)

func TestWhatReadsBringForwardIsToldOnce(t *testing.T) {
	t.Parallel()
	var r recorded
	c := start(t, emulator.Options{OnChange: r.add, TransitionReads: 1, RestoreReads: 1})
	const project = "/groups/64f0c2a19b3d5e7f80a1b2c3"
	const reports = project + "/backupConfigs/650a2177e1f3a5b7c9d00e42"
	c.patch(reports, `{"statusName":"STARTED"}`)
	wantChanges(t, "the start", r.take(), `changed the backup configuration`+inReports+`; statusName "INACTIVE" to "PROVISIONING"`)
	c.get(reports)
	wantChanges(t, "the first read", r.take())
	c.get(project + "/backupConfigs")
	wantChanges(t, "the list", r.take(),
		`changed the backup configuration`+inReports+`; statusName "PROVISIONING" to "STARTED"; in time`,
		`created the snapshot`+inReports+`; complete  to false; in time`)
	for range 3 {
		c.get(project + "/clusters/650a2177e1f3a5b7c9d00e42/snapshots")
	}
	wantChanges(t, "the reads of the snapshots", r.take(), `changed the snapshot`+inReports+`; complete false to true; in time`)

	jobs := project + "/clusters/650a1f3c2e4b6d8091a3b5c7/restoreJobs"
	c.post(jobs, `{"snapshotId":"66d2a1b0c4d6e8f0a2b4c601","delivery":{"methodName":"HTTP","maxDownloads":1,"expirationHours":1}}`)
	r.take()
	for range 3 {
		c.get(jobs)
	}
	wantChanges(t, "the reads of the restore", r.take(), `changed the restore job`+inLedger+`; statusName "IN_PROGRESS" to "FINISHED"; in time`)

	wantChanges(t, "in the end", inWords(c.service.Changes()),
		`created the restore job`+inLedger+`; statusName  to "FINISHED"`,
		`changed the backup configuration`+inReports+`; statusName "INACTIVE" to "STARTED"`,
		`created the snapshot`+inReports+`; complete  to true`)
}

// Ops Manager returns neither, so only what the emulator tells shows them.
func TestTheTargetOfARestoreAndAStoreAreTold(t *testing.T) {
	t.Parallel()
	var r recorded
	c := start(t, emulator.Options{OnChange: r.add})
	const project = "/groups/64f0c2a19b3d5e7f80a1b2c3"
	const cards = "650a1f8b5d7092a4c6e8f013"
	jobs := project + "/clusters/650a1f3c2e4b6d8091a3b5c7/restoreJobs"
	delivery := `{"methodName":"AUTOMATED_RESTORE","targetGroupId":"64f0c2a19b3d5e7f80a1b2c3","targetClusterId":"` + cards + `"}`
	answers := []string{
		c.post(jobs, `{"snapshotId":"66d2a1b0c4d6e8f0a2b4c601","delivery":`+delivery+`}`).body,
		c.patch(project+"/backupConfigs/"+cards, `{"snapshotStore":{"snapshotStoreId":"ny-s3-1","snapshotStoreType":"s3blockstore"}}`).body,
		c.get(jobs).body,
		c.get(project + "/backupConfigs/" + cards).body,
	}
	told := map[string]string{}
	for _, change := range r.told {
		for _, field := range change.Fields {
			told[field.Name] = field.To
		}
	}
	if target, store := told["delivery.targetClusterId"], told["snapshotStore.snapshotStoreId"]; target != `"`+cards+`"` || store != `"ny-s3-1"` {
		t.Errorf("target %s, store %s, in %v", target, store, r.told)
	}
	for i, answer := range answers {
		if strings.Contains(answer, "targetClusterId") || i != 1 && strings.Contains(answer, "snapshotStore") {
			t.Errorf("response %d: %s", i+1, answer)
		}
	}
}

func TestTheLastReadOfATransitionDeletesNothing(t *testing.T) {
	t.Parallel()
	var r recorded
	seed := emulator.DefaultSeed()
	seed.Projects[0].Clusters[0].Snapshots = nil // one of them is being taken
	c := start(t, emulator.Options{OnChange: r.add, Seed: seed, TransitionReads: 1, TransitionTime: -1})
	const orders = "/groups/64f0c2a19b3d5e7f80a1b2c3/backupConfigs/650a2035b7d9f1e3a5c70924"
	c.patch(orders, `{"statusName":"STOPPED"}`)
	c.patch(orders, `{"statusName":"TERMINATING"}`)
	r.take()
	for range 3 {
		c.get(orders)
	}
	if told := strings.Join(r.take(), "\n"); !strings.Contains(told, `to "INACTIVE"; in time`) || strings.Contains(told, "deleted") {
		t.Errorf("the reads told:\n%s", told)
	}
}

func TestWhatTimeChangesIsToldWithTheNextRequest(t *testing.T) {
	t.Parallel()
	var r recorded
	var passed atomic.Int64
	seed := emulator.DefaultSeed()
	seed.Projects[0].Clusters[0].Snapshots = nil // one of them is being taken
	c := start(t, emulator.Options{OnChange: r.add, Seed: seed, Now: func() time.Time { return emulator.FixedStart.Add(time.Duration(passed.Load())) }})
	const project, id = "/groups/64f0c2a19b3d5e7f80a1b2c3", "650a2035b7d9f1e3a5c70924"
	c.patch(project+"/backupConfigs/"+id, `{"statusName":"STOPPED"}`)
	each := func(change string) []string {
		return []string{
			"changed the backup configuration" + inOrders + change,
			`changed the backup configuration of replica set "orders-shard-0"` + inOrders + change,
			`changed the backup configuration of replica set "orders-shard-1"` + inOrders + change,
			`changed the backup configuration of replica set "orders-config"` + inOrders + change,
		}
	}
	wantChanges(t, "the stop", r.take(), each(`; statusName "STARTED" to "STOPPED"`)...)
	c.patch(project+"/backupConfigs/"+id, `{"statusName":"TERMINATING"}`)
	gone := "deleted the snapshot" + inOrders
	wantChanges(t, "the end", r.take(), append(each(`; statusName "STOPPED" to "TERMINATING"`), gone, gone)...)

	passed.Add(int64(2 * time.Minute))
	c.get("/admin/backup/daemon/configs")
	ended := each(`; statusName "TERMINATING" to "INACTIVE"; in time`)
	wantChanges(t, "two minutes later", r.take(), slices.Insert(ended, 1, "changed the snapshot schedule"+inOrders+"; in time")...)

	c.patch(project+"/backupConfigs/650a2177e1f3a5b7c9d00e42", `{"statusName":"STARTED"}`)
	r.take()
	passed.Add(int64(2 * time.Minute))
	ended = slices.Insert(each(`; statusName "STARTED" to "INACTIVE"`), 1, "changed the snapshot schedule"+inOrders)
	wantChanges(t, "in the end", inWords(c.service.Changes()), append(append(ended,
		`changed the backup configuration`+inReports+`; statusName "INACTIVE" to "STARTED"`,
		`created the snapshot`+inReports+`; complete  to true`), gone, gone)...)
}

func TestTheSummaryComparesWithTheStart(t *testing.T) {
	t.Parallel()
	var r recorded
	c := start(t, emulator.Options{OnChange: r.add})
	const schedule = "/groups/64f0c2a19b3d5e7f80a1b2c3/backupConfigs/650a1f3c2e4b6d8091a3b5c7/snapshotSchedule"
	const stores = "/admin/backup/oplog/mongoConfigs"
	wantChanges(t, "nothing", inWords(c.service.Changes()))
	before := c.service.Schedule("64f0c2a19b3d5e7f80a1b2c3", "650a1f3c2e4b6d8091a3b5c7")["dailySnapshotRetentionDays"]
	for _, body := range []string{`{"dailySnapshotRetentionDays":60}`, fmt.Sprintf(`{"dailySnapshotRetentionDays":%v}`, before)} {
		c.patch(schedule, body)
	}
	c.post(stores, `{"id":"passing","uri":"mongodb://h:1"}`)
	c.delete(stores + "/passing")
	equal(t, len(r.take()), 4)
	wantChanges(t, "what is as it was", inWords(c.service.Changes()))

	list := c.get(stores + "?assignableOnly=false")
	var held struct{ Results []object }
	if err := json.Unmarshal([]byte(list.body), &held); err != nil || len(held.Results) == 0 {
		t.Fatalf("%v: %s", err, list.body)
	}
	id := fmt.Sprint(held.Results[0]["id"])
	c.service.UseBackupStore(emulator.OplogStore, id)
	c.delete(stores + "/" + id)
	wantChanges(t, "a deleted store", inWords(c.service.Changes()), `deleted the Mongo oplog store "`+id+`"`)
	c.post(stores, `{"id":"`+id+`","uri":"mongodb://other:1","loadFactor":3}`)
	got := inWords(c.service.Changes())
	if len(got) != 1 || !strings.HasPrefix(got[0], emulator.Replaced+` the Mongo oplog store "`+id+`"`) {
		t.Errorf("got %v", got)
	}
}

func TestTheSnapshotsOfACopyAreWatched(t *testing.T) {
	t.Parallel()
	const project, cluster = "64f0c2a19b3d5e7f80a1b2c3", "650a1f3c2e4b6d8091a3b5c7"
	seed, err := emulator.ReadSeed(strings.NewReader(`{"copy": {"format": 1},
		"projects": [{"id": "` + project + `", "name": "Payments", "document": {}, "clusters": [{
		"id": "` + cluster + `", "name": "ledger", "typeName": "REPLICA_SET", "document": {},
		"backupConfig": {"statusName": "STARTED"}, "snapshotSchedule": {"dailySnapshotRetentionDays": 30},
		"copiedSnapshots": [{"id": "66d2a1b0c4d6e8f0a2b4c601", "complete": true}, {"id": "66d2a1b0c4d6e8f0a2b4c602", "complete": true}]
	}]}]}`))
	succeed(t, err)
	var r recorded
	c := start(t, emulator.Options{OnChange: r.add, Seed: seed})
	const snapshots, config = "/groups/" + project + "/clusters/" + cluster + "/snapshots", "/groups/" + project + "/backupConfigs/" + cluster
	c.get(snapshots)
	c.patch(config+"/snapshotSchedule", `{"dailySnapshotRetentionDays":60}`)
	wantChanges(t, "a schedule", r.take(), "changed the snapshot schedule"+inLedger)
	c.patch(config, `{"statusName":"STOPPED"}`)
	wantChanges(t, "a stop", r.take(), "changed the backup configuration"+inLedger+`; statusName "STARTED" to "STOPPED"`)
	c.delete(snapshots + "/66d2a1b0c4d6e8f0a2b4c601")
	wantChanges(t, "a deletion", r.take(), "deleted the snapshot"+inLedger)
	c.patch(config, `{"statusName":"TERMINATING"}`)
	wantChanges(t, "the end", r.take(), "changed the backup configuration"+inLedger+`; statusName "STOPPED" to "TERMINATING"`, "deleted the snapshot"+inLedger)
	wantChanges(t, "the summary", inWords(c.service.Changes()),
		"changed the backup configuration"+inLedger+`; statusName "STARTED" to "TERMINATING"`, "changed the snapshot schedule"+inLedger,
		"deleted the snapshot"+inLedger, "deleted the snapshot"+inLedger)
}
