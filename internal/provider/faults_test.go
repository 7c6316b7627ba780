package provider_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	backupConfigPath = "/groups/" + providertest.Payments + "/backupConfigs/" + providertest.Cards
	schedulePath     = backupConfigPath + "/snapshotSchedule"
	snapshotsPath    = "/groups/" + providertest.Payments + "/clusters/" + providertest.Orders + "/snapshots"

	newestSnapshot = "66d45311c4d6e8f0a2b4c703" // of orders
)

func TestEveryOperationSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t, operations...)
}

var operations = []providertest.Operation{
	{Name: "adopting a schedule, its read", Sends: []string{"GET", "PATCH"}, Hits: 0,
		Fails: []string{"Unable to Adopt Snapshot Schedule", "GET " + schedulePath}, Prepare: adoptSchedule},
	{Name: "adopting a schedule, its change", Sends: []string{"GET", "PATCH"}, Hits: 1,
		Fails: []string{"Unable to Adopt Snapshot Schedule", "PATCH " + schedulePath}, Prepare: adoptSchedule},
	{Name: "refreshing a schedule", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, Prepare: refreshSchedule},
	{Name: "updating a schedule, its read", Sends: []string{"GET", "PATCH"}, Hits: 0,
		Fails: []string{"Unable to Update Snapshot Schedule", "GET " + schedulePath}, Prepare: updateSchedule},
	{Name: "updating a schedule, its change", Sends: []string{"GET", "PATCH"}, Hits: 1,
		Fails: []string{"Unable to Update Snapshot Schedule", "PATCH " + schedulePath}, Prepare: updateSchedule},

	{Name: "adopting the schedules of a policy", Sends: []string{"GET", "GET", "GET", "GET", "PATCH"}, Hits: 4,
		Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, Prepare: adoptPolicy},
	{Name: "refreshing a policy, its clusters", Sends: []string{"GET", "GET", "GET", "GET"}, Hits: 0,
		Fails: []string{"Unable to List Clusters", "GET /groups/" + providertest.Payments + "/clusters"}, Prepare: refreshPolicy},
	{Name: "refreshing a policy, its schedules", Sends: []string{"GET", "GET", "GET", "GET"}, Hits: 3,
		Fails: []string{"Unable to Read Snapshot Schedules", "GET " + schedulePath}, Prepare: refreshPolicy},
	{Name: "updating a policy, its read", Sends: []string{"GET", "PATCH"}, Hits: 0,
		Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "GET " + schedulePath}, Prepare: updatePolicy},
	{Name: "updating a policy, its change", Sends: []string{"GET", "PATCH"}, Hits: 1,
		Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, Prepare: updatePolicy},

	{Name: "creating a region, its read", Sends: []string{"GET", "POST", "GET"}, Hits: 0,
		Fails: []string{"Unable to Create Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: createRegion},
	{Name: "creating a region", Creates: true, Sends: []string{"GET", "POST", "GET"}, Hits: 1,
		Fails: []string{"Unable to Create Deployment Region", "POST " + providertest.RegionsPath}, Prepare: createRegion},
	{Name: "adopting a region", Sends: []string{"GET"},
		Fails: []string{"Unable to Create Deployment Region", "GET " + providertest.RegionsPath + "/AU_NZ"}, Prepare: adoptRegion},
	{Name: "refreshing a region", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: refreshRegion},
	{Name: "updating a region, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
		Fails: []string{"Unable to Update Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, Prepare: updateRegion},
	{Name: "updating a region", Sends: []string{"GET", "PUT"}, Hits: 1,
		Fails: []string{"Unable to Update Deployment Region", "PUT " + providertest.RegionsPath + "/NEW"}, Prepare: updateRegion},
	{Name: "deleting a region", Sends: []string{"GET", "DELETE"}, Hits: 1,
		Fails: []string{"Unable to Delete Deployment Region", "DELETE " + providertest.RegionsPath + "/NEW"}, Prepare: deleteRegion},

	{Name: "creating a store, its read", OwnTimeout: true, Sends: []string{"GET", "POST", "GET", "GET", "GET"}, Hits: 0,
		Fails: []string{"Unable to Create S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: createStore},
	{Name: "creating a store", Creates: true, OwnTimeout: true, Sends: []string{"GET", "POST", "GET", "GET", "GET"}, Hits: 1,
		Fails: []string{"Unable to Create S3 Blockstore", "POST " + storesPath}, Prepare: createStore},
	{Name: "adopting a store, its read", OwnTimeout: true, Sends: []string{"GET", "PUT", "GET"}, Hits: 0,
		Fails: []string{"Unable to Create S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: adoptStore},
	{Name: "adopting a store", OwnTimeout: true, Sends: []string{"GET", "PUT", "GET"}, Hits: 1,
		Fails: []string{"Unable to Adopt S3 Blockstore", "PUT " + storesPath + "/new"}, Prepare: adoptStore},
	{Name: "refreshing a store", Sends: []string{"GET"},
		Fails: []string{"Unable to Read S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: refreshStore},
	{Name: "updating a store, its read", OwnTimeout: true, Sends: []string{"GET", "PUT", "GET"}, Hits: 0,
		Fails: []string{"Unable to Update S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: updateStore},
	{Name: "updating a store", OwnTimeout: true, Sends: []string{"GET", "PUT", "GET"}, Hits: 1,
		Fails: []string{"Unable to Update S3 Blockstore", "PUT " + storesPath + "/new"}, Prepare: updateStore},
	{Name: "deleting a store, its read", Sends: []string{"GET", "DELETE"}, Hits: 0,
		Fails: []string{"Unable to Delete S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: deleteStore},
	{Name: "deleting a store", Sends: []string{"GET", "DELETE"}, Hits: 1,
		Fails: []string{"Unable to Delete S3 Blockstore", "DELETE " + storesPath + "/new"}, Prepare: deleteStore},

	{Name: "adopting a daemon, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
		Fails: []string{"Unable to Create Backup Daemon", "GET " + daemonsPath}, Prepare: adoptDaemon},
	{Name: "adopting a daemon", Sends: []string{"GET", "PUT"}, Hits: 1,
		Fails: []string{"Unable to Adopt Backup Daemon", "PUT " + daemonsPath}, Prepare: adoptDaemon},
	{Name: "configuring a daemon, its list", Sends: []string{"GET", "GET", "PUT", "GET"}, Hits: 1,
		Fails: []string{"Unable to Create Backup Daemon", "GET /admin/backup/daemon/configs"}, Prepare: configureDaemon},
	{Name: "configuring a daemon", Creates: true, Reads: 2, Sends: []string{"GET", "GET", "PUT", "GET"}, Hits: 2,
		Fails: []string{"Unable to Create Backup Daemon", "PUT /admin/backup/daemon/configs/om-eu.example.com"}, Prepare: configureDaemon},
	{Name: "refreshing a daemon", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Backup Daemon", "GET " + daemonsPath}, Prepare: refreshDaemon},
	{Name: "updating a daemon, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
		Fails: []string{"Unable to Update Backup Daemon", "GET " + daemonsPath}, Prepare: updateDaemon},
	{Name: "updating a daemon", Sends: []string{"GET", "PUT"}, Hits: 1,
		Fails: []string{"Unable to Update Backup Daemon", "PUT " + daemonsPath}, Prepare: updateDaemon},
	{Name: "deleting a daemon, its read", Sends: []string{"GET", "DELETE"}, Hits: 0,
		Fails: []string{"Unable to Delete Backup Daemon", "GET " + daemonsPath}, Prepare: deleteDaemon},
	{Name: "deleting a daemon", Sends: []string{"GET", "DELETE"}, Hits: 1,
		Fails: []string{"Unable to Delete Backup Daemon", "DELETE " + daemonsPath}, Prepare: deleteDaemon},

	{Name: "creating a job configuration, its read", Sends: []string{"GET", "PUT", "GET", "GET", "GET"}, Hits: 0,
		Fails: []string{"Unable to Create Backup Job Configuration", "GET " + jobConfigPath}, Prepare: createJobConfig},
	{Name: "creating a job configuration", Creates: true, Sends: []string{"GET", "PUT", "GET", "GET", "GET"}, Hits: 1,
		Fails: []string{"Unable to Create Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: createJobConfig},
	{Name: "refreshing a job configuration", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Backup Job Configuration", "GET " + jobConfigPath}, Prepare: refreshJobConfig},
	{Name: "updating a job configuration, its read", Sends: []string{"GET", "PUT", "GET"}, Hits: 0,
		Fails: []string{"Unable to Update Backup Job Configuration", "GET " + jobConfigPath}, Prepare: updateJobConfig},
	{Name: "updating a job configuration", Sends: []string{"GET", "PUT", "GET"}, Hits: 1,
		Fails: []string{"Unable to Update Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: updateJobConfig},
	{Name: "resetting a job configuration, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
		Fails: []string{"Unable to Reset Backup Job Configuration", "GET " + jobConfigPath}, Prepare: resetJobConfig},
	{Name: "resetting a job configuration", Sends: []string{"GET", "PUT"}, Hits: 1,
		Fails: []string{"Unable to Reset Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: resetJobConfig},

	{Name: "adopting a backup configuration, its read", Sends: []string{"GET", "GET", "GET", "PATCH", "GET"}, Hits: 0,
		Fails: []string{"Unable to Adopt Backup Configuration", "GET " + backupConfigPath}, Prepare: adoptBackupConfig},
	{Name: "adopting a backup configuration, its owner", Sends: []string{"GET", "GET", "GET", "PATCH", "GET"}, Hits: 2,
		Fails: []string{"Third-Party Backup Not Known", "GET /backup/third_party/group/" + providertest.Payments + "/clusters"}, Prepare: adoptBackupConfig},
	{Name: "adopting a backup configuration, its change", Sends: []string{"GET", "GET", "GET", "PATCH", "GET"}, Hits: 3,
		Fails: []string{"Unable to Adopt Backup Configuration", "PATCH " + backupConfigPath}, Prepare: adoptBackupConfig},
	{Name: "refreshing a backup configuration", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Backup Configuration", "GET " + backupConfigPath}, Prepare: refreshBackupConfig},
	{Name: "updating a backup configuration, its read", Sends: []string{"GET", "GET", "PATCH", "GET"}, Hits: 0,
		Fails: []string{"Unable to Update Backup Configuration", "GET " + backupConfigPath}, Prepare: updateBackupConfig},
	{Name: "updating a backup configuration, its change", Sends: []string{"GET", "GET", "PATCH", "GET"}, Hits: 2,
		Fails: []string{"Unable to Update Backup Configuration", "PATCH " + backupConfigPath}, Prepare: updateBackupConfig},
	{Name: "stopping a backup, its read", Sends: []string{"GET", "GET", "PATCH", "GET"}, Hits: 0,
		Fails: []string{"Unable to End the Backup", "GET " + backupConfigPath}, Prepare: stopBackup},

	{Name: "refreshing a snapshot", Sends: []string{"GET"},
		Fails: []string{"Unable to Read Snapshot", "GET " + snapshotsPath + "/" + newestSnapshot}, Prepare: refreshSnapshot},
	{Name: "changing an expiry, its read", Sends: []string{"GET", "PATCH"}, Hits: 0,
		Fails: []string{"Unable to Change the Expiry of the Snapshot", "GET " + snapshotsPath + "/" + newestSnapshot}, Prepare: changeExpiry},
	{Name: "changing an expiry", Sends: []string{"GET", "PATCH"}, Hits: 1,
		Fails: []string{"Unable to Change the Expiry of the Snapshot", "PATCH " + snapshotsPath + "/" + newestSnapshot}, Prepare: changeExpiry},
	{Name: "deleting a snapshot, its later ones", Sends: []string{"GET", "GET", "DELETE"}, Hits: 1,
		Fails: []string{"Unable to Delete Snapshot", "GET " + snapshotsPath}, Prepare: deleteSnapshot},
	{Name: "deleting a snapshot", Reads: 2, Looks: 2, Sends: []string{"GET", "GET", "DELETE"}, Hits: 2,
		Fails: []string{"Unable to Delete Snapshot", "DELETE " + snapshotsPath + "/" + newestSnapshot}, Prepare: deleteSnapshot},
}

func dailyHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.Schedule(providertest.Payments, providertest.Cards)["dailySnapshotRetentionDays"] }
}

func descriptionHeld(d *providertest.FaultProxy, id string) func() any {
	return func() any { return d.Region(id)["deploymentDescription"] }
}

func daily(days int) providertest.Values {
	return providertest.Schedule(providertest.Cards, providertest.Values{"daily_snapshot_retention_days": days})
}

func adoptSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	return providertest.Applying(t, m, daily(15)).Watching(dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 15.0, 15)
}

func updateSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(daily(15))
	return providertest.Applying(t, m, daily(30)).Watching(dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 30.0, 30)
}

func refreshSchedule(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(daily(15))
	d.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"dailySnapshotRetentionDays": 60.0})
	return providertest.Refreshing(m).Watching(dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 60.0, 60)
}

// cardsPolicy is a policy for one cluster.
func cardsPolicy(days int) providertest.Values {
	return providertest.Values{
		"project_ids": []any{providertest.Payments}, "cluster_ids": []any{providertest.Cards}, "schedule": providertest.Values{"daily_snapshot_retention_days": days},
	}
}

// watchPolicy watches the retention of the cluster, and its line in the state, without the value that the
// last change replaced.
func watchPolicy(d *providertest.FaultProxy, m *providertest.Resource, a *providertest.Attempt, days int) *providertest.Attempt {
	line := func() any {
		lines, _ := m.Attributes()["clusters"].(providertest.Values)
		text, _, _ := strings.Cut(fmt.Sprint(lines[providertest.Cards]), " (was ")
		return text
	}
	return a.Watching(dailyHeld(d), line, float64(days), fmt.Sprintf("cards: daily_snapshot_retention_days %d", days))
}

func adoptPolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	return watchPolicy(d, m, providertest.Applying(t, m, cardsPolicy(15)), 15)
}

func updatePolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	return watchPolicy(d, m, providertest.Applying(t, m, cardsPolicy(30)), 30)
}

func refreshPolicy(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	d.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"dailySnapshotRetentionDays": 60.0})
	return watchPolicy(d, m, providertest.Refreshing(m), 60)
}

func backupFieldHeld(d *providertest.FaultProxy, field string) func() any {
	return func() any { return d.BackupConfig(providertest.Payments, providertest.Cards)[field] }
}

// backupOverTLS is a configuration of a backup, which connects over TLS at first.
func backupOverTLS(enabled bool) providertest.Values {
	return providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards, "ssl_enabled": enabled}
}

func adoptBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	return providertest.Applying(t, m, backupOverTLS(false)).Watching(backupFieldHeld(d, "sslEnabled"), providertest.Stored(m, "ssl_enabled"), false, false)
}

func updateBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	return providertest.Applying(t, m, backupOverTLS(false)).Watching(backupFieldHeld(d, "sslEnabled"), providertest.Stored(m, "ssl_enabled"), false, false)
}

func refreshBackupConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	d.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"sslEnabled": false})
	return providertest.Refreshing(m).Watching(backupFieldHeld(d, "sslEnabled"), providertest.Stored(m, "ssl_enabled"), false, false)
}

func stopBackup(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	config := backupOverTLS(true)
	config["on_destroy"] = "stop"
	m.Create(config)
	return providertest.Destroying(t, m).Watching(backupFieldHeld(d, "statusName"), providertest.Stored(m, "on_destroy"), "STOPPED", nil)
}

// onDemandSnapshot returns the configuration of a snapshot of orders.
func onDemandSnapshot(fields providertest.Values) providertest.Values {
	return providertest.With(providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders, "retention_days": 7}, fields)
}

// expiryHeld returns the expiry of the newest snapshot of orders, or nil if it is deleted.
func expiryHeld(d *providertest.FaultProxy) func() any {
	return func() any {
		for _, s := range d.Snapshots(providertest.Payments, providertest.Orders) {
			if s["id"] == newestSnapshot {
				return s["expires"]
			}
		}
		return nil
	}
}

// importedSnapshot returns a resource with the newest snapshot of orders.
func importedSnapshot(d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Resource {
	d.SetSnapshot(providertest.Payments, providertest.Orders, newestSnapshot, map[string]any{"expires": "2098-01-01T00:00:00Z"})
	m := w.NewResource(providertest.OnDemandSnapshotType)
	m.ImportID(providertest.Payments + "/" + providertest.Orders + "/" + newestSnapshot)
	return m
}

func refreshSnapshot(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(d, w)
	d.SetSnapshot(providertest.Payments, providertest.Orders, newestSnapshot, map[string]any{"expires": "2099-01-01T00:00:00Z"})
	return providertest.Refreshing(m).Watching(expiryHeld(d), providertest.Stored(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func changeExpiry(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(d, w)
	return providertest.Applying(t, m, onDemandSnapshot(providertest.Values{"retention_days": nil, "expires": "2099-01-01T00:00:00Z"})).
		Watching(expiryHeld(d), providertest.Stored(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func deleteSnapshot(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(d, w)
	d.SetSnapshot(providertest.Payments, providertest.Orders, "76d45311c4d6e8f0a2b4c704", map[string]any{ // can replace it
		"complete": true, "created": map[string]any{"date": "2025-09-02T01:15:03Z", "increment": 1},
	})
	if diags := m.Apply(m.Plan(onDemandSnapshot(providertest.Values{"retention_days": nil, "on_destroy": "delete"})), nil); len(diags.Errors()) > 0 {
		t.Fatalf("apply: %v", diags.Errors())
	}
	return providertest.Destroying(t, m).Watching(expiryHeld(d), providertest.Stored(m, "expires"), nil, nil)
}

func createRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	return providertest.Applying(t, m, providertest.Region("NEW", providertest.Values{"adopt_existing": true})).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Test", "Test")
}

func adoptRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	return providertest.Applying(t, m, providertest.Values{"deployment_id": providertest.Oceania, "adopt_existing": true}).
		Watching(descriptionHeld(d, providertest.Oceania), providertest.Stored(m, "deployment_description"), "Australia and New Zealand", "Australia and New Zealand")
}

func refreshRegion(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	d.SetRegion("NEW", map[string]any{"deploymentDescription": "Changed elsewhere"})
	return providertest.Refreshing(m).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Changed elsewhere", "Changed elsewhere")
}

func updateRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	d.SetRegion("NEW", map[string]any{
		"deploymentDescription": "Test", "ingestionEndpoint": "https://om.example.com:8443", "restoreEndpoint": "https://om.example.com:8443", "bqProxyEndpoint": "om.example.com:27217", "assignmentEnabled": false,
	})
	m.ImportID("NEW") // a creation would wait for the settle time
	return providertest.Applying(t, m, providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})).
		Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), "Changed", "Changed")
}

func deleteRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	return providertest.Destroying(t, m).Watching(descriptionHeld(d, "NEW"), providertest.Stored(m, "deployment_description"), nil, nil)
}

const storesPath = "/admin/backup/snapshot/s3Configs"

// store returns the configuration of an S3 blockstore that can be deleted at once. Over a network, its
// timeouts are longer than a busy machine needs.
func store(d *providertest.FaultProxy, factor int) providertest.Values {
	timeout := providertest.Timeout
	if !d.IsInMemory() {
		timeout *= 5
	}
	return providertest.Values{
		"timeouts": providertest.Values{"create": timeout.String(), "update": timeout.String()},
		"id":       "new", "uri": "mongodb://db.example.com", "s3_bucket_name": "bucket", "s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5,
		"path_style_access_enabled": true, "sse_enabled": true, "accepted_tos": true, "s3_auth_method": "IAM_ROLE", "assignment_enabled": false, "load_factor": factor,
	}
}

func factorHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.BackupStore(emulator.S3Blockstore, "new")["loadFactor"] }
}

func createStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	return providertest.Applying(t, m, providertest.With(store(d, 2), providertest.Values{"adopt_existing": true})).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 2.0, 2)
}

func adoptStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	w.Configure() // another run adopts it
	m = w.NewResource(providertest.S3BlockstoreType)
	return providertest.Applying(t, m, providertest.With(store(d, 3), providertest.Values{"adopt_existing": true})).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 3.0, 3)
}

func refreshStore(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	d.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"loadFactor": 3})
	return providertest.Refreshing(m).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 3.0, 3)
}

func updateStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return providertest.Applying(t, m, store(d, 3)).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 3.0, 3)
}

func deleteStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return providertest.Destroying(t, m).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), nil, nil)
}

const (
	headDirectory = "/data/backup/"
	daemonMachine = "om-au.example.com" // configured, and not in use
	daemonsPath   = "/admin/backup/daemon/configs/" + daemonMachine + "/%2Fdata%2Fbackup%2F"
)

// daemon returns the configuration of a daemon.
func daemon(machine string, workers int) providertest.Values {
	return providertest.Values{"machine": machine, "head_root_directory": headDirectory, "num_workers": workers, "on_destroy": "delete"}
}

func workersHeld(d *providertest.FaultProxy, machine string) func() any {
	return func() any { return d.BackupDaemon(machine, headDirectory)["numWorkers"] }
}

func adoptDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	return providertest.Applying(t, m, daemon(daemonMachine, 2)).Watching(workersHeld(d, daemonMachine), providertest.Stored(m, "num_workers"), 2.0, 2)
}

func configureDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	const machine = "om-eu.example.com" // registered, and not configured
	m := w.NewResource(providertest.DaemonType)
	return providertest.Applying(t, m, daemon(machine, 2)).Watching(workersHeld(d, machine), providertest.Stored(m, "num_workers"), 2.0, 2)
}

func refreshDaemon(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	d.SetBackupDaemon(daemonMachine, headDirectory, map[string]any{"numWorkers": 3})
	return providertest.Refreshing(m).Watching(workersHeld(d, daemonMachine), providertest.Stored(m, "num_workers"), 3.0, 3)
}

func updateDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	return providertest.Applying(t, m, daemon(daemonMachine, 3)).Watching(workersHeld(d, daemonMachine), providertest.Stored(m, "num_workers"), 3.0, 3)
}

func deleteDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	return providertest.Destroying(t, m).Watching(workersHeld(d, daemonMachine), providertest.Stored(m, "num_workers"), nil, nil)
}

const jobConfigPath = "/admin/backup/groups/" + providertest.Payments

// jobConfig returns the job configuration of a project, with a certificate.
func jobConfig(certificate string) providertest.Values {
	return providertest.Values{"project_id": providertest.Payments, "label_filter": []any{"east"}, "kmip_client_cert_path": certificate}
}

func certificateHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.JobConfig(providertest.Payments)["kmipClientCertPath"] }
}

func createJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	return providertest.Applying(t, m, jobConfig("/a.pem")).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/a.pem", "/a.pem")
}

func refreshJobConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(jobConfig("/a.pem"))
	d.SetJobConfig(providertest.Payments, map[string]any{"kmipClientCertPath": "/b.pem"})
	return providertest.Refreshing(m).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func updateJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(jobConfig("/a.pem"))
	return providertest.Applying(t, m, jobConfig("/b.pem")).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func resetJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(providertest.With(jobConfig("/a.pem"), providertest.Values{"on_destroy": "reset"}))
	hasFilter := func() any {
		labels, _ := d.JobConfig(providertest.Payments)["labelFilter"].([]any)
		return len(labels) > 0
	}
	return providertest.Destroying(t, m).Watching(hasFilter, providertest.Stored(m, "kmip_client_cert_path"), false, nil)
}

// Concurrent requests use up each other's nonces, and all of them succeed.
func TestConcurrentRefreshesSucceedWithNoncesOfFiveRequests(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{NonceUses: 5})
	w := providertest.NewWorkspace(t, s, nil)
	first := w.NewResource(providertest.ScheduleType)
	first.Create(daily(15))
	s.ResetRequests()
	const refreshes = 100
	var group errgroup.Group
	group.SetLimit(10)
	for range refreshes {
		group.Go(func() error {
			m := *first
			if diags := m.Refresh(); len(diags.Errors()) > 0 {
				return errors.New(diags.Errors()[0])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if got := len(s.Calls("GET")); got != refreshes {
		t.Errorf("%d were answered, want %d", got, refreshes)
	}
	if got := s.Challenges(); got < refreshes/5-1 || got > refreshes {
		t.Errorf("%d challenges", got)
	}
}

// If the server does not respond, a run with many resources ends soon after its first failures,
// whose errors have their duration.
func TestRunAgainstADeadServerEndsSoonAndReportsItsDuration(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t, emulator.Options{})
	w := providertest.NewWorkspace(t, d.Service, providertest.Values{"max_retries": 2, "request_timeout": providertest.Timeout.String()})
	first := w.NewResource(providertest.ScheduleType)
	first.Create(daily(15))
	d.Inject(providertest.Fault{Handler: providertest.Hang}, "GET", 0, true)
	const resources, workers = 200, 10
	var patient, atOnce atomic.Int32
	var group errgroup.Group
	group.SetLimit(workers)
	started := time.Now()
	for range resources {
		group.Go(func() error {
			m := *first
			diags := m.Refresh().Errors()
			providertest.WantOne(t, diags, "Unable to Read Snapshot Schedule", "no response within "+providertest.Timeout.String())
			if strings.Contains(diags[0], "(gave up after 3 attempts in ") {
				patient.Add(1)
			}
			if strings.Contains(diags[0], "not sent, because earlier requests to Ops Manager failed") {
				atOnce.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait()
	// Three attempts in parallel and one more. Retrying for each resource would take 60 attempts.
	if passed := time.Since(started); passed > 20*providertest.Timeout {
		t.Errorf("%d resources took %s", resources, passed)
	}
	if patient.Load() == 0 || patient.Load() > workers || atOnce.Load() < resources*9/10 {
		t.Errorf("%d gave up, %d were not sent", patient.Load(), atOnce.Load())
	}
}
