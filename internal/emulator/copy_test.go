package emulator_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestACopyIsServedAsReadUntilAChange(t *testing.T) {
	t.Parallel()
	const project, cluster = "64f0c2a19b3d5e7f80a1b2c3", "650a1f3c2e4b6d8091a3b5c7"
	seed, err := emulator.ReadSeed(strings.NewReader(`{
		"copy": {"format": 1},
		"projects": [{
			"id": "` + project + `", "name": "Payments", "orgId": "64f0c2a19b3d5e7f80a1b2c2", "document": {"id": "` + project + `"},
			"backupJobConfig": {"id": "` + project + `", "labelFilter": ["b", "a"]},
			"clusters": [{
				"id": "` + cluster + `", "name": "ledger", "typeName": "REPLICA_SET", "document": {"id": "` + cluster + `"},
				"backupConfig": {"clusterId": "` + cluster + `", "statusName": "STARTED", "later": 1},
				"listedBackupConfig": {"clusterId": "` + cluster + `", "statusName": "STARTED"},
				"snapshotSchedule": {"clusterId": "` + cluster + `", "dailySnapshotRetentionDays": 30, "later": 1},
				"restoreJobs": [{"id": "66e0000000000000000000a1", "statusName": "FINISHED"}]
			}]
		}],
		"backupStores": {"blockstores": [{"id": "a", "uri": "mongodb://****:****@h:1", "later": 1}]},
		"backupDaemons": [{"machine": {"machine": "d", "headRootDirectory": "/h/"}, "later": 1}],
		"deploymentRegions": [{"id": "EU", "later": 1}]
	}`))
	succeed(t, err)
	var changed []emulator.Change
	c := start(t, emulator.Options{Seed: seed, Lenient: true, OnChange: func(change emulator.Change) { changed = append(changed, change) }})
	const configs, group = "/groups/" + project + "/backupConfigs", "/groups/" + project
	read := func() {
		for _, path := range []string{
			"/groups", group, group + "/clusters", configs, configs + "/" + cluster, configs + "/" + cluster + "/snapshotSchedule",
			group + "/clusters/" + cluster + "/restoreJobs",
			group + "/clusters/" + cluster + "/restoreJobs/66e0000000000000000000a1", "/admin/backup/groups",
			"/admin/backup/groups/" + project, "/admin/backup/snapshot/mongoConfigs",
			"/admin/backup/snapshot/mongoConfigs/a", "/admin/backup/daemon/configs", "/admin/backup/backupDeployments", "/admin/backup/backupDeployments/EU",
		} {
			if response := c.get(path); response.status != 200 || strings.Contains(response.body, "as read") {
				t.Errorf("%s: %d %s", path, response.status, response.body)
			}
		}
	}
	read()
	for path, body := range map[string]string{
		configs + "/" + cluster:                       `{"statusName":"STOPPED"}`,
		configs + "/" + cluster + "/snapshotSchedule": `{"dailySnapshotRetentionDays":60}`,
	} {
		if response := c.patch(path, body); response.status != 200 || strings.Contains(response.body, "as read") {
			t.Errorf("%s: %d %s", path, response.status, response.body)
		}
	}
	for path, body := range map[string]string{
		"/admin/backup/groups/" + project:       `{"labelFilter":["c"]}`,
		"/admin/backup/snapshot/mongoConfigs/a": `{"uri":"mongodb://h:2"}`,
		"/admin/backup/backupDeployments/EU": `{"deploymentDescription":"Europe",
			"ingestionEndpoint":"https://i","restoreEndpoint":"https://r","bqProxyEndpoint":"h:1"}`,
	} {
		if response := c.put(path, body); response.status != 200 || strings.Contains(response.body, "as read") {
			t.Errorf("%s: %d %s", path, response.status, response.body)
		}
	}
	read()
	equal(t, len(changed), 5)
	for _, change := range changed {
		for _, field := range change.Fields {
			if strings.Contains(field.Name, "as read") {
				t.Errorf("%s: %v", change.Object, field)
			}
		}
	}
}
