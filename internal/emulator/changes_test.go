package emulator_test

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

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
			{"changed", "", "the snapshot schedule" + owner, []emulator.FieldChange{{"dailySnapshotRetentionDays", "30", "60"}}},
		}},
		{http.MethodPatch, cluster + "/snapshotSchedule", `{"dailySnapshotRetentionDays":60}`, nil},
		{http.MethodPatch, cluster + "/snapshotSchedule", `{"dailySnapshotRetentionDays":61}`, nil},
		{http.MethodPatch, cluster, `{"statusName":"STOPPED"}`, []emulator.Change{
			{"changed", "", "the backup configuration" + owner, []emulator.FieldChange{{"statusName", `"STARTED"`, `"STOPPED"`}}},
		}},
		{http.MethodDelete, "/groups/64f0c2a19b3d5e7f80a1b2c3/clusters/650a1f3c2e4b6d8091a3b5c7/snapshots/66d2a1b0c4d6e8f0a2b4c601", "", []emulator.Change{
			{"deleted", "", "the snapshot 66d2a1b0c4d6e8f0a2b4c601" + owner, nil},
		}},
		{http.MethodPost, "/admin/backup/oplog/mongoConfigs", `{"id":"new","uri":"mongodb://u:hush@h:1","labels":["a"]}`, []emulator.Change{
			{"created", "", `the Mongo oplog store "new"`, []emulator.FieldChange{
				{"assignmentEnabled", "", "false"}, {"encryptedCredentials", "", "false"}, {"id", "", `"new"`}, {"labels", "", `["a"]`}, {"loadFactor", "", "1"}, {"ssl", "", "false"}, {"uri", "", emulator.NotShown},
			}},
		}},
		{http.MethodPut, "/admin/backup/oplog/mongoConfigs/new", `{"uri":"mongodb://u:hush2@h:1","labels":["a"],"oidc":{"enabled":true,"method":"callback","tokenUri":"https://k:hush4@t","clientId":"i","clientSecret":"hush3"}}`, []emulator.Change{
			{"changed", "", `the Mongo oplog store "new"`, []emulator.FieldChange{
				{"oidc.clientId", "", `"i"`}, {"oidc.clientSecret", "", emulator.NotShown}, {"oidc.enabled", "", "true"}, {"oidc.method", "", `"callback"`}, {"oidc.tokenUri", "", emulator.NotShown}, {"uri", emulator.NotShown, emulator.NotShown},
			}},
		}},
		{http.MethodPut, "/admin/backup/groups/64f0c2d57c1e4a6b92d3f4e5", `{"labelFilter":["production","east"],"snapshotStoreFilter":[{"id":"ny-s3-1","type":"s3blockstore"}],"daemonFilter":[{"machine":"b"},{"machine":"a"}]}`, []emulator.Change{
			{"changed", "", `the job configuration of project "Analytics"`, []emulator.FieldChange{{"daemonFilter", "", `[{"machine":"a"},{"machine":"b"}]`}}},
		}},
		{http.MethodPut, "/admin/backup/groups/64f0c2d57c1e4a6b92d3f4e5", `{"labelFilter":["west","east"],"snapshotStoreFilter":[{"id":"ny-s3-1","type":"s3blockstore"}],"daemonFilter":[{"machine":"a"},{"machine":"b"}]}`, []emulator.Change{
			{"changed", "", `the job configuration of project "Analytics"`, []emulator.FieldChange{{"labelFilter", `["east","production"]`, `["east","west"]`}}},
		}},
		{http.MethodPut, "/groups/64f0c2a19b3d5e7f80a1b2c3/automationConfig", `{"auth":{"key":"hush"}}`, []emulator.Change{
			{"changed", "", `the automation configuration of project "Payments"`, []emulator.FieldChange{{"content", emulator.NotShown, emulator.NotShown}}},
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
