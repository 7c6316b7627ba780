package emulator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSchedulesOfTheDefaultSeedAreValid(t *testing.T) {
	t.Parallel()
	c, seed := start(t), emulator.DefaultSeed()
	for _, project := range seed.Projects {
		for _, cluster := range project.Clusters {
			if cluster.SnapshotSchedule != nil {
				body, err := json.Marshal(cluster.SnapshotSchedule)
				succeed(t, err)
				c.patch(schedulePath(project.ID, cluster.ID), string(body)).ok(t)
			}
		}
	}
	seed.Projects[0].Name = "changed"
	equal(t, emulator.DefaultSeed().Projects[0].Name, "Payments")
}

func TestReadSeed(t *testing.T) {
	t.Parallel()
	seed, err := emulator.ReadSeed(strings.NewReader(`{
		"projects": [{"id": "` + payments + `", "name": "One", "clusters": [
			{"id": "` + ledger + `", "name": "a", "typeName": "REPLICA_SET", "backupConfig": {"statusName": "SOMETHING_NEW"}}]}],
		"deploymentRegions": [{"id": "a/b"}], "regionBindings": {"a/b": ["daemon x"]}}`))
	succeed(t, err)
	service := emulator.New(emulator.Options{Seed: seed})
	equal(t, service.Region("a/b"), object{"id": "a/b"})
	want := object{
		"snapshotIntervalHours": 24.0, "snapshotRetentionDays": 2.0, "dailySnapshotRetentionDays": 0.0,
		"weeklySnapshotRetentionWeeks": 2.0, "monthlySnapshotRetentionMonths": 1.0, "pointInTimeWindowHours": 24.0,
		"referenceHourOfDay": 0.0, "referenceMinuteOfHour": 0.0, "referenceTimeZoneOffset": "+0000", "fullIncrementalDayOfWeek": "SUNDAY",
	}
	equal(t, service.Schedule(payments, ledger), want)
}

func TestReadSeedRejectsInvalidSeeds(t *testing.T) {
	t.Parallel()
	project := func(inside string) string {
		return `{"projects": [{"id": "` + payments + `", "name": "P"` + inside + `}]}`
	}
	cluster := func(inside string) string {
		return project(`, "clusters": [{"id": "` + ledger + `", "name": "c", "typeName": "REPLICA_SET"` + inside + `}]`)
	}
	for seed, want := range map[string]string{
		cluster(`, "backupConfig": {"status": ""}`):      `the backup configuration of cluster "c" in project "P": unknown field "status"`,
		cluster(`, "snapshotSchedule": {"interval": 6}`): `the snapshot schedule of cluster "c" in project "P": unknown field "interval"`,

		``:                           "reading the seed",
		`[]`:                         "reading the seed",
		`{} {}`:                      "after the JSON value",
		`{"project": []}`:            `"project"`,
		project(`, "region": "x"`):   `"region"`,
		project(`, "hosts": [{}]`):   "a host has no ID",
		cluster(`, "schedule": {}`):  `"schedule"`,
		cluster(`, "typeName": "X"`): `typeName "X"`,
		cluster(`, "id": "650A1F3C2E4B6D8091A3B5C7"`):                            `"650A1F3C2E4B6D8091A3B5C7" is not 24 lower-case hexadecimal digits`,
		cluster(`, "id": "` + payments + `"`):                                    "cluster: the ID \"" + payments + "\" is already used by a project",
		cluster(`, "shardOf": "` + nowhere + `"`):                                "shardOf",
		cluster(`, "shardOf": "` + ledger + `"`):                                 "shardOf",
		`{"projects": [{"id": "payments"}]}`:                                     `"payments" is not 24 lower-case hexadecimal digits`,
		`{"deploymentRegions": [{}]}`:                                            "has no ID",
		`{"deploymentRegions": [{"id": "a"}, {"id": "a"}]}`:                      `duplicate deployment region "a"`,
		`{"deploymentRegions": [{"id": "a", "uri": ""}]}`:                        `unknown field "uri"`,
		`{"regionBindings": {"a": ["b"]}}`:                                       `no deployment region "a"`,
		project(`, "hosts": [{"id": "a"}, {"id": "a"}]`):                         "host: the ID \"a\" is already used by a host",
		`{"projects": [{"id": "` + payments + `"}, {"id": "` + payments + `"}]}`: "project: the ID \"" + payments + "\" is already used by a project",
		project(`, "clusters": [{"id": "` + ledger + `", "typeName": "REPLICA_SET"}], "hosts": [{"id": "` + ledger + `"}]`): "host: the ID \"" +
			ledger + "\" is already used by a cluster",
		`{"deploymentRegions": [{"id": "a", "z": 1, "y": 1, "x": 1, "w": 1}]}`: `unknown field "w"`,
		`{"regionBindings": {"d": [], "c": [], "b": [], "a": []}}`:             `no deployment region "a"`,
		project(`, "hosts": [{"id": "a", "snapshots": [{"size": 1}]}]`):        ` of host "a" of project "P": unknown field "size"`,
	} {
		_, err := emulator.ReadSeed(strings.NewReader(seed))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want it to contain %q", seed, err, want)
		}
	}
}

func TestObjectsCanBeChangedDirectly(t *testing.T) {
	t.Parallel()
	c := start(t)

	c.service.SetSchedule(payments, ledger, object{"snapshotRetentionDays": 1, "referenceHourOfDay": nil, "somethingNew": []string{"a"}})
	got := c.get(schedulePath(payments, ledger)).ok(t)
	_, there := got["referenceHourOfDay"]
	equal(t, []any{there, got["snapshotRetentionDays"], got["somethingNew"], got["snapshotIntervalHours"]}, []any{false, 1.0, []any{"a"}, 24.0})
	c.service.Schedule(payments, ledger)["snapshotRetentionDays"] = 9.0
	equal(t, c.service.Schedule(payments, ledger)["snapshotRetentionDays"], 1.0)

	c.service.SetBackupConfig(analytics, scratch, object{"statusName": "STARTED"})
	equal(t, c.get(schedulePath(analytics, scratch)).ok(t)["snapshotIntervalHours"], 24.0) // that of a new backup
	c.service.SetBackupConfig(payments, ledger, object{"statusName": "STOPPED"})
	c.service.SetBackupConfig(payments, shard, object{"statusName": "STOPPED"})
	equal(t, c.service.Schedule(payments, ledger)["snapshotRetentionDays"], 1.0)
	equal(t, len(c.service.Schedule(payments, shard)), 0)

	c.service.RemoveCluster(payments, orders)
	c.service.RemoveCluster(payments, orders)
	c.service.RemoveCluster(nowhere, orders)
	c.get(schedulePath(payments, orders)).refused(t, 404, "CLUSTER_NOT_FOUND")
	c.get(inPayments+"/backupConfigs/"+shard).refused(t, 404, "CLUSTER_NOT_FOUND")
	added := emulator.Cluster{ID: strings.Repeat("a", 24), Name: "added", TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}}
	c.service.AddCluster(payments, added)
	added.BackupConfig["statusName"] = "INACTIVE" // of the caller, not of the emulator
	equal(t, c.get(schedulePath(payments, added.ID)).ok(t)["snapshotIntervalHours"], 24.0)

	c.service.SetRegion("new", object{"deploymentDescription": "a", "restoreEndpoint": "b"})
	c.service.SetRegion("new", object{"deploymentDescription": "c", "restoreEndpoint": nil, "id": "other"})
	equal(t, c.service.Region("new"), object{"id": "new", "deploymentDescription": "c"})
	c.service.Region("new")["deploymentDescription"] = "changed"
	equal(t, c.service.Region("new")["deploymentDescription"], "c")
	c.service.RemoveRegion("new")
	equal(t, len(c.service.Region("new")), 0)
}

func TestDirectChangesOfUnknownObjectsPanic(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	for name, change := range map[string]func(){
		"schedule":             func() { service.SetSchedule(payments, nowhere, nil) },
		"schedule elsewhere":   func() { service.SetSchedule(nowhere, ledger, nil) },
		"backup configuration": func() { service.SetBackupConfig(analytics, ledger, nil) },
		"region":               func() { service.UseRegion("nowhere", "daemon x") },
		"no JSON":              func() { service.SetRegion("x", object{"a": func() {}}) },
	} {
		panics(t, name, change)
	}
	if service.Schedule(payments, ledger) == nil {
		t.Error("the emulator is not usable afterwards")
	}
}
