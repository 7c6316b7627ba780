package provider_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// retries is the value of max_retries in these tests.
const retries = 2

// operation is an operation of the provider, with the service behind a fault proxy.
type operation struct {
	name    string
	sends   []string // the methods of its requests if nothing fails
	hits    int      // index of the request that the fault hits
	fails   []string // words of the error if that request fails
	prepare func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt
}

// attempt is a prepared operation.
type attempt struct {
	run   func() providertest.Diagnostics
	again func() providertest.Diagnostics // another run, until the plan is empty

	held   func() any // what the service holds
	stored func() any // what the state holds
	holds  any        // what the service holds after success
	stores any        // what the state holds after success
}

const (
	backupConfigPath = "/groups/" + providertest.Payments + "/backupConfigs/" + providertest.Cards
	schedulePath     = backupConfigPath + "/snapshotSchedule"
	snapshotsPath    = "/groups/" + providertest.Payments + "/clusters/" + providertest.Orders + "/snapshots"

	newestSnapshot = "66d45311c4d6e8f0a2b4c703" // of orders
)

var operations = []operation{
	{name: "adopting a schedule, its read", sends: []string{"GET", "PATCH"}, hits: 0,
		fails: []string{"Unable to Adopt Snapshot Schedule", "GET " + schedulePath}, prepare: adoptSchedule},
	{name: "adopting a schedule, its change", sends: []string{"GET", "PATCH"}, hits: 1,
		fails: []string{"Unable to Adopt Snapshot Schedule", "PATCH " + schedulePath}, prepare: adoptSchedule},
	{name: "refreshing a schedule", sends: []string{"GET"},
		fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, prepare: refreshSchedule},
	{name: "updating a schedule, its read", sends: []string{"GET", "PATCH"}, hits: 0,
		fails: []string{"Unable to Update Snapshot Schedule", "GET " + schedulePath}, prepare: updateSchedule},
	{name: "updating a schedule, its change", sends: []string{"GET", "PATCH"}, hits: 1,
		fails: []string{"Unable to Update Snapshot Schedule", "PATCH " + schedulePath}, prepare: updateSchedule},

	{name: "adopting the schedules of a policy", sends: []string{"GET", "GET", "GET", "PATCH"}, hits: 3,
		fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, prepare: adoptPolicy},
	{name: "refreshing a policy, its clusters", sends: []string{"GET", "GET", "GET"}, hits: 0,
		fails: []string{"Unable to List Clusters", "GET /groups/" + providertest.Payments + "/clusters"}, prepare: refreshPolicy},
	{name: "refreshing a policy, its schedules", sends: []string{"GET", "GET", "GET"}, hits: 2,
		fails: []string{"Unable to Read Snapshot Schedules", "GET " + schedulePath}, prepare: refreshPolicy},
	{name: "updating a policy, its read", sends: []string{"GET", "PATCH"}, hits: 0,
		fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "GET " + schedulePath}, prepare: updatePolicy},
	{name: "updating a policy, its change", sends: []string{"GET", "PATCH"}, hits: 1,
		fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, prepare: updatePolicy},

	{name: "creating a region, its read", sends: []string{"GET", "POST", "GET"}, hits: 0,
		fails: []string{"Unable to Create Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, prepare: createRegion},
	{name: "creating a region", sends: []string{"GET", "POST", "GET"}, hits: 1,
		fails: []string{"Unable to Create Deployment Region", "POST " + providertest.RegionsPath}, prepare: createRegion},
	{name: "adopting a region", sends: []string{"GET"},
		fails: []string{"Unable to Create Deployment Region", "GET " + providertest.RegionsPath + "/AU_NZ"}, prepare: adoptRegion},
	{name: "refreshing a region", sends: []string{"GET"},
		fails: []string{"Unable to Read Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, prepare: refreshRegion},
	{name: "updating a region, its read", sends: []string{"GET", "PUT"}, hits: 0,
		fails: []string{"Unable to Update Deployment Region", "GET " + providertest.RegionsPath + "/NEW"}, prepare: updateRegion},
	{name: "updating a region", sends: []string{"GET", "PUT"}, hits: 1,
		fails: []string{"Unable to Update Deployment Region", "PUT " + providertest.RegionsPath + "/NEW"}, prepare: updateRegion},
	{name: "deleting a region", sends: []string{"GET", "DELETE"}, hits: 1,
		fails: []string{"Unable to Delete Deployment Region", "DELETE " + providertest.RegionsPath + "/NEW"}, prepare: deleteRegion},

	{name: "creating a store, its read", sends: []string{"GET", "POST", "GET", "GET", "GET"}, hits: 0,
		fails: []string{"Unable to Create S3 Blockstore", "GET " + storesPath + "/new"}, prepare: createStore},
	{name: "creating a store", sends: []string{"GET", "POST", "GET", "GET", "GET"}, hits: 1,
		fails: []string{"Unable to Create S3 Blockstore", "POST " + storesPath}, prepare: createStore},
	{name: "adopting a store, its read", sends: []string{"GET", "PUT", "GET"}, hits: 0,
		fails: []string{"Unable to Create S3 Blockstore", "GET " + storesPath + "/new"}, prepare: adoptStore},
	{name: "adopting a store", sends: []string{"GET", "PUT", "GET"}, hits: 1,
		fails: []string{"Unable to Adopt S3 Blockstore", "PUT " + storesPath + "/new"}, prepare: adoptStore},
	{name: "refreshing a store", sends: []string{"GET"},
		fails: []string{"Unable to Read S3 Blockstore", "GET " + storesPath + "/new"}, prepare: refreshStore},
	{name: "updating a store, its read", sends: []string{"GET", "PUT", "GET"}, hits: 0,
		fails: []string{"Unable to Update S3 Blockstore", "GET " + storesPath + "/new"}, prepare: updateStore},
	{name: "updating a store", sends: []string{"GET", "PUT", "GET"}, hits: 1,
		fails: []string{"Unable to Update S3 Blockstore", "PUT " + storesPath + "/new"}, prepare: updateStore},
	{name: "deleting a store, its read", sends: []string{"GET", "DELETE"}, hits: 0,
		fails: []string{"Unable to Delete S3 Blockstore", "GET " + storesPath + "/new"}, prepare: deleteStore},
	{name: "deleting a store", sends: []string{"GET", "DELETE"}, hits: 1,
		fails: []string{"Unable to Delete S3 Blockstore", "DELETE " + storesPath + "/new"}, prepare: deleteStore},

	{name: "adopting a daemon, its read", sends: []string{"GET", "PUT"}, hits: 0,
		fails: []string{"Unable to Create Backup Daemon", "GET " + daemonsPath}, prepare: adoptDaemon},
	{name: "adopting a daemon", sends: []string{"GET", "PUT"}, hits: 1,
		fails: []string{"Unable to Adopt Backup Daemon", "PUT " + daemonsPath}, prepare: adoptDaemon},
	{name: "configuring a daemon, its list", sends: []string{"GET", "GET", "PUT", "GET"}, hits: 1,
		fails: []string{"Unable to Create Backup Daemon", "GET /admin/backup/daemon/configs"}, prepare: configureDaemon},
	{name: "configuring a daemon", sends: []string{"GET", "GET", "PUT", "GET"}, hits: 2,
		fails: []string{"Unable to Create Backup Daemon", "PUT /admin/backup/daemon/configs/om-eu.example.com"}, prepare: configureDaemon},
	{name: "refreshing a daemon", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Daemon", "GET " + daemonsPath}, prepare: refreshDaemon},
	{name: "updating a daemon, its read", sends: []string{"GET", "PUT"}, hits: 0,
		fails: []string{"Unable to Update Backup Daemon", "GET " + daemonsPath}, prepare: updateDaemon},
	{name: "updating a daemon", sends: []string{"GET", "PUT"}, hits: 1,
		fails: []string{"Unable to Update Backup Daemon", "PUT " + daemonsPath}, prepare: updateDaemon},
	{name: "deleting a daemon, its read", sends: []string{"GET", "DELETE"}, hits: 0,
		fails: []string{"Unable to Delete Backup Daemon", "GET " + daemonsPath}, prepare: deleteDaemon},
	{name: "deleting a daemon", sends: []string{"GET", "DELETE"}, hits: 1,
		fails: []string{"Unable to Delete Backup Daemon", "DELETE " + daemonsPath}, prepare: deleteDaemon},

	{name: "creating a job configuration, its read", sends: []string{"GET", "PUT", "GET", "GET", "GET"}, hits: 0,
		fails: []string{"Unable to Create Backup Job Configuration", "GET " + jobConfigPath}, prepare: createJobConfig},
	{name: "creating a job configuration", sends: []string{"GET", "PUT", "GET", "GET", "GET"}, hits: 1,
		fails: []string{"Unable to Create Backup Job Configuration", "PUT " + jobConfigPath}, prepare: createJobConfig},
	{name: "refreshing a job configuration", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Job Configuration", "GET " + jobConfigPath}, prepare: refreshJobConfig},
	{name: "updating a job configuration, its read", sends: []string{"GET", "PUT", "GET"}, hits: 0,
		fails: []string{"Unable to Update Backup Job Configuration", "GET " + jobConfigPath}, prepare: updateJobConfig},
	{name: "updating a job configuration", sends: []string{"GET", "PUT", "GET"}, hits: 1,
		fails: []string{"Unable to Update Backup Job Configuration", "PUT " + jobConfigPath}, prepare: updateJobConfig},
	{name: "activating backup modules, the agents", sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, hits: 0,
		fails: []string{"Unable to Activate Backup Modules", "GET " + agentsPath + "/AUTOMATION"}, prepare: activateModules},
	{name: "activating backup modules, their reports", sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, hits: 1,
		fails: []string{"Unable to Activate Backup Modules", "GET " + agentsPath + "/BACKUP"}, prepare: activateModules},
	{name: "activating backup modules, their list", sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, hits: 2,
		fails: []string{"Unable to Activate Backup Modules", "GET " + modulesPath}, prepare: activateModules},
	{name: "updating backup modules, their reports", sends: updateModulesRequests, hits: 0,
		fails: []string{"Unable to Change Backup Modules", "GET " + agentsPath + "/BACKUP"}, prepare: updateModules},
	{name: "updating backup modules, their list", sends: updateModulesRequests, hits: 1,
		fails: []string{"Unable to Change Backup Modules", "GET " + modulesPath}, prepare: updateModules},
	{name: "updating backup modules, their list before the deactivation", sends: updateModulesRequests, hits: 2,
		fails: []string{"Unable to Change Backup Modules", "GET " + modulesPath}, prepare: updateModules},
	{name: "deactivating backup modules, their list", sends: []string{"GET", "PUT", "GET"}, hits: 0,
		fails: []string{"Unable to Deactivate Backup Modules", "GET " + modulesPath}, prepare: deactivateModules},
	{name: "refreshing backup modules", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Modules", "GET " + modulesPath}, prepare: refreshModules},
	{name: "resetting a job configuration, its read", sends: []string{"GET", "PUT"}, hits: 0,
		fails: []string{"Unable to Reset Backup Job Configuration", "GET " + jobConfigPath}, prepare: resetJobConfig},
	{name: "resetting a job configuration", sends: []string{"GET", "PUT"}, hits: 1,
		fails: []string{"Unable to Reset Backup Job Configuration", "PUT " + jobConfigPath}, prepare: resetJobConfig},

	{name: "adopting a backup configuration, its read", sends: []string{"GET", "GET", "PATCH", "GET"}, hits: 0,
		fails: []string{"Unable to Adopt Backup Configuration", "GET " + backupConfigPath}, prepare: adoptBackupConfig},
	{name: "adopting a backup configuration, its change", sends: []string{"GET", "GET", "PATCH", "GET"}, hits: 2,
		fails: []string{"Unable to Adopt Backup Configuration", "PATCH " + backupConfigPath}, prepare: adoptBackupConfig},
	{name: "refreshing a backup configuration", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Configuration", "GET " + backupConfigPath}, prepare: refreshBackupConfig},
	{name: "updating a backup configuration, its read", sends: []string{"GET", "PATCH", "GET"}, hits: 0,
		fails: []string{"Unable to Update Backup Configuration", "GET " + backupConfigPath}, prepare: updateBackupConfig},
	{name: "updating a backup configuration, its change", sends: []string{"GET", "PATCH", "GET"}, hits: 1,
		fails: []string{"Unable to Update Backup Configuration", "PATCH " + backupConfigPath}, prepare: updateBackupConfig},
	{name: "stopping a backup, its read", sends: []string{"GET", "PATCH", "GET"}, hits: 0,
		fails: []string{"Unable to End the Backup", "GET " + backupConfigPath}, prepare: stopBackup},

	{name: "refreshing a snapshot", sends: []string{"GET"},
		fails: []string{"Unable to Read Snapshot", "GET " + snapshotsPath + "/" + newestSnapshot}, prepare: refreshSnapshot},
	{name: "changing an expiry, its read", sends: []string{"GET", "PATCH"}, hits: 0,
		fails: []string{"Unable to Change the Expiry of the Snapshot", "GET " + snapshotsPath + "/" + newestSnapshot}, prepare: changeExpiry},
	{name: "changing an expiry", sends: []string{"GET", "PATCH"}, hits: 1,
		fails: []string{"Unable to Change the Expiry of the Snapshot", "PATCH " + snapshotsPath + "/" + newestSnapshot}, prepare: changeExpiry},
	{name: "deleting a snapshot, its later ones", sends: []string{"GET", "GET", "DELETE"}, hits: 1,
		fails: []string{"Unable to Delete Snapshot", "GET " + snapshotsPath}, prepare: deleteSnapshot},
	{name: "deleting a snapshot", sends: []string{"GET", "GET", "DELETE"}, hits: 2,
		fails: []string{"Unable to Delete Snapshot", "DELETE " + snapshotsPath + "/" + newestSnapshot}, prepare: deleteSnapshot},

	{name: "listing backup configurations", sends: []string{"GET"},
		fails: []string{"Unable to List Backup Configurations", "/backupConfigs"}, prepare: listing(providertest.BackupConfigsType, providertest.Values{"project_id": providertest.Payments}, 9)},
	{name: "listing snapshots", sends: []string{"GET"},
		fails: []string{"Unable to List Config Server Snapshots", "/snapshots"}, prepare: listing(providertest.ConfigServerSnapshotsType, providertest.Values{"project_id": providertest.Payments, "host_id": providertest.MirroredHost}, 4)},

	{name: "finding a project", sends: []string{"GET"},
		fails: []string{"Unable to Read Project", "GET /groups/byName/Payments"}, prepare: showing(providertest.ProjectType, providertest.Values{"name": "Payments"}, "project_id", providertest.Payments)},
	{name: "listing projects", sends: []string{"GET"},
		fails: []string{"Unable to List Projects", "GET /groups"}, prepare: listing(providertest.ProjectsType, providertest.Values{}, 2)},
	{name: "listing clusters", sends: []string{"GET"},
		fails: []string{"Unable to List Clusters", "GET /groups/" + providertest.Payments + "/clusters"}, prepare: listing(providertest.ClustersType, providertest.Values{"project_id": providertest.Payments}, 9)},
	{name: "reading a cluster", sends: []string{"GET"},
		fails: []string{"Unable to Read Cluster", "GET /groups/" + providertest.Payments + "/clusters/" + providertest.Cards}, prepare: showing(providertest.ClusterType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards}, "name", "cards")},
	{name: "reading a schedule", sends: []string{"GET"},
		fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, prepare: showing(providertest.ScheduleType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards}, "daily_snapshot_retention_days", 7)},
	{name: "reading a backup configuration", sends: []string{"GET", "GET"}, hits: 0,
		fails: []string{"Unable to Read Backup Configuration", "/backupConfigs/" + providertest.Cards}, prepare: showing(providertest.BackupConfigType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards}, "status_name", "STARTED")},
	{name: "listing a cluster's snapshots", sends: []string{"GET"},
		fails: []string{"Unable to List Cluster Snapshots", "/clusters/" + providertest.Orders + "/snapshots"}, prepare: listing(providertest.ClusterSnapshotsType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders}, 2)},
	{name: "listing restore jobs", sends: []string{"GET"},
		fails: []string{"Unable to List Restore Jobs", "/clusters/" + providertest.Orders + "/restoreJobs"}, prepare: listing(providertest.RestoreJobsType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders}, 0)},
	{name: "listing regions", sends: []string{"GET"},
		fails: []string{"Unable to List Deployment Regions", "GET " + providertest.RegionsPath}, prepare: listing(providertest.RegionsType, providertest.Values{}, 3)},
	{name: "reading the backup status, its project", sends: statusRequests, hits: 0,
		fails: []string{"Unable to Read Backup Status", "GET /groups/" + providertest.Payments}, prepare: readStatus},
	{name: "reading the backup status, all projects", sends: slices.Repeat([]string{"GET"}, 11), hits: 0,
		fails: []string{"Unable to Read Backup Status", "GET /groups"}, prepare: readAllStatus},
	{name: "reading the backup status, its clusters", sends: statusRequests, hits: 1,
		fails: []string{"Unable to Read Backup Status", "GET /groups/" + providertest.Payments + "/clusters"}, prepare: readStatus},
	{name: "reading the backup status, its configurations", sends: statusRequests, hits: 2,
		fails: []string{"Unable to Read Backup Status", "GET /groups/" + providertest.Payments + "/backupConfigs"}, prepare: readStatus},
	{name: "listing hosts", sends: []string{"GET"},
		fails: []string{"Unable to List Hosts", "GET /groups/" + providertest.Payments + "/hosts"}, prepare: listing(providertest.HostsType, providertest.Values{"project_id": providertest.Payments}, 8)},
	{name: "reading a job configuration", sends: []string{"GET"},
		fails: []string{"Unable to Read Backup Job Configuration", "GET " + jobConfigPath}, prepare: readJobConfig},
	{name: "listing stores", sends: []string{"GET", "GET", "GET", "GET", "GET", "GET"},
		fails: []string{"Unable to List Backup Stores", "GET /admin/backup/"}, prepare: listing(providertest.StoresType, providertest.Values{}, 11)},
	{name: "listing daemons", sends: []string{"GET"},
		fails: []string{"Unable to List Backup Daemons", "GET /admin/backup/daemon/configs"}, prepare: listDaemons},
}

// applying returns an attempt to apply the plan of a configuration.
func applying(t *testing.T, m *providertest.Resource, config providertest.Values) *attempt {
	t.Helper()
	p := m.Plan(config)
	if len(p.Errors()) > 0 {
		t.Fatalf("plan: %v", p.Errors())
	}
	return &attempt{
		run: func() providertest.Diagnostics { return m.Apply(p, nil) },
		again: func() providertest.Diagnostics {
			if diags := m.Refresh(); len(diags.Errors()) > 0 {
				return diags
			}
			p := m.Plan(config)
			if len(p.Errors()) > 0 {
				return p.Diagnostics
			}
			if !p.IsEmpty() {
				if diags := m.Apply(p, nil); len(diags.Errors()) > 0 {
					return diags
				}
			}
			providertest.WantEmptyPlan(t, m.Plan(config))
			return nil
		},
	}
}

// refreshing returns an attempt to read an out-of-band change.
func refreshing(m *providertest.Resource) *attempt {
	return &attempt{run: m.Refresh, again: m.Refresh}
}

func (a *attempt) watching(held, stored func() any, holds, stores any) *attempt {
	a.held, a.stored, a.holds, a.stores = held, stored, holds, stores
	return a
}

func dailyHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.Schedule(providertest.Payments, providertest.Cards)["dailySnapshotRetentionDays"] }
}

func attribute(m *providertest.Resource, name string) func() any {
	return func() any { return m.Attributes()[name] }
}

func descriptionHeld(d *providertest.FaultProxy, id string) func() any {
	return func() any { return d.Region(id)["deploymentDescription"] }
}

func daily(days int) providertest.Values {
	return providertest.Schedule(providertest.Cards, providertest.Values{"daily_snapshot_retention_days": days})
}

func adoptSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.ScheduleType)
	return applying(t, m, daily(15)).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 15.0, 15)
}

func updateSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(daily(15))
	return applying(t, m, daily(30)).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 30.0, 30)
}

func refreshSchedule(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(daily(15))
	d.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"dailySnapshotRetentionDays": 60.0})
	return refreshing(m).watching(dailyHeld(d), attribute(m, "daily_snapshot_retention_days"), 60.0, 60)
}

// cardsPolicy is a policy for one cluster.
func cardsPolicy(days int) providertest.Values {
	return providertest.Values{
		"project_ids": []any{providertest.Payments}, "cluster_ids": []any{providertest.Cards}, "schedule": providertest.Values{"daily_snapshot_retention_days": days},
	}
}

// watchPolicy watches the retention of the cluster, and its line in the state, without the value that the
// last change replaced.
func watchPolicy(d *providertest.FaultProxy, m *providertest.Resource, a *attempt, days int) *attempt {
	line := func() any {
		lines, _ := m.Attributes()["clusters"].(providertest.Values)
		text, _, _ := strings.Cut(fmt.Sprint(lines[providertest.Cards]), " (was ")
		return text
	}
	return a.watching(dailyHeld(d), line, float64(days), fmt.Sprintf("cards: daily_snapshot_retention_days %d", days))
}

func adoptPolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.PolicyType)
	return watchPolicy(d, m, applying(t, m, cardsPolicy(15)), 15)
}

func updatePolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	return watchPolicy(d, m, applying(t, m, cardsPolicy(30)), 30)
}

func refreshPolicy(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	d.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"dailySnapshotRetentionDays": 60.0})
	return watchPolicy(d, m, refreshing(m), 60)
}

func backupFieldHeld(d *providertest.FaultProxy, field string) func() any {
	return func() any { return d.BackupConfig(providertest.Payments, providertest.Cards)[field] }
}

// backupOverTLS is a configuration of a backup, which connects over TLS at first.
func backupOverTLS(enabled bool) providertest.Values {
	return providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards, "ssl_enabled": enabled}
}

func adoptBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupConfigType)
	return applying(t, m, backupOverTLS(false)).watching(backupFieldHeld(d, "sslEnabled"), attribute(m, "ssl_enabled"), false, false)
}

func updateBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	return applying(t, m, backupOverTLS(false)).watching(backupFieldHeld(d, "sslEnabled"), attribute(m, "ssl_enabled"), false, false)
}

func refreshBackupConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	d.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"sslEnabled": false})
	return refreshing(m).watching(backupFieldHeld(d, "sslEnabled"), attribute(m, "ssl_enabled"), false, false)
}

func stopBackup(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupConfigType)
	config := backupOverTLS(true)
	config["on_destroy"] = "stop"
	m.Create(config)
	return destroying(t, m).watching(backupFieldHeld(d, "statusName"), attribute(m, "on_destroy"), "STOPPED", nil)
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

func refreshSnapshot(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := importedSnapshot(d, w)
	d.SetSnapshot(providertest.Payments, providertest.Orders, newestSnapshot, map[string]any{"expires": "2099-01-01T00:00:00Z"})
	return refreshing(m).watching(expiryHeld(d), attribute(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func changeExpiry(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := importedSnapshot(d, w)
	return applying(t, m, onDemandSnapshot(providertest.Values{"retention_days": nil, "expires": "2099-01-01T00:00:00Z"})).
		watching(expiryHeld(d), attribute(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func deleteSnapshot(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := importedSnapshot(d, w)
	d.SetSnapshot(providertest.Payments, providertest.Orders, "76d45311c4d6e8f0a2b4c704", map[string]any{ // can replace it
		"complete": true, "created": map[string]any{"date": "2025-09-02T01:15:03Z", "increment": 1},
	})
	if diags := m.Apply(m.Plan(onDemandSnapshot(providertest.Values{"retention_days": nil, "on_destroy": "delete"})), nil); len(diags.Errors()) > 0 {
		t.Fatalf("apply: %v", diags.Errors())
	}
	return destroying(t, m).watching(expiryHeld(d), attribute(m, "expires"), nil, nil)
}

func createRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.RegionType)
	return applying(t, m, providertest.Region("NEW", providertest.Values{"adopt_existing": true})).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Test", "Test")
}

func adoptRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.RegionType)
	return applying(t, m, providertest.Values{"deployment_id": providertest.Oceania, "adopt_existing": true}).
		watching(descriptionHeld(d, providertest.Oceania), attribute(m, "deployment_description"), "Australia and New Zealand", "Australia and New Zealand")
}

func refreshRegion(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	d.SetRegion("NEW", map[string]any{"deploymentDescription": "Changed elsewhere"})
	return refreshing(m).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Changed elsewhere", "Changed elsewhere")
}

func updateRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.RegionType)
	d.SetRegion("NEW", map[string]any{
		"deploymentDescription": "Test", "ingestionEndpoint": "https://om.example.com:8443", "restoreEndpoint": "https://om.example.com:8443", "bqProxyEndpoint": "om.example.com:27217", "assignmentEnabled": false,
	})
	m.ImportID("NEW") // a creation would wait for the settle time
	return applying(t, m, providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})).
		watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), "Changed", "Changed")
}

func deleteRegion(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.RegionType)
	m.Create(providertest.Region("NEW", nil))
	return destroying(t, m).watching(descriptionHeld(d, "NEW"), attribute(m, "deployment_description"), nil, nil)
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

func createStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	return applying(t, m, providertest.With(store(d, 2), providertest.Values{"adopt_existing": true})).watching(factorHeld(d), attribute(m, "load_factor"), 2.0, 2)
}

func adoptStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	w.Configure() // another run adopts it
	m = w.NewResource(providertest.S3BlockstoreType)
	return applying(t, m, providertest.With(store(d, 3), providertest.Values{"adopt_existing": true})).watching(factorHeld(d), attribute(m, "load_factor"), 3.0, 3)
}

func refreshStore(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	d.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"loadFactor": 3})
	return refreshing(m).watching(factorHeld(d), attribute(m, "load_factor"), 3.0, 3)
}

func updateStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return applying(t, m, store(d, 3)).watching(factorHeld(d), attribute(m, "load_factor"), 3.0, 3)
}

func deleteStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return destroying(t, m).watching(factorHeld(d), attribute(m, "load_factor"), nil, nil)
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

func adoptDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.DaemonType)
	return applying(t, m, daemon(daemonMachine, 2)).watching(workersHeld(d, daemonMachine), attribute(m, "num_workers"), 2.0, 2)
}

func configureDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	const machine = "om-eu.example.com" // registered, and not configured
	m := w.NewResource(providertest.DaemonType)
	return applying(t, m, daemon(machine, 2)).watching(workersHeld(d, machine), attribute(m, "num_workers"), 2.0, 2)
}

func refreshDaemon(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	d.SetBackupDaemon(daemonMachine, headDirectory, map[string]any{"numWorkers": 3})
	return refreshing(m).watching(workersHeld(d, daemonMachine), attribute(m, "num_workers"), 3.0, 3)
}

func updateDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	return applying(t, m, daemon(daemonMachine, 3)).watching(workersHeld(d, daemonMachine), attribute(m, "num_workers"), 3.0, 3)
}

func deleteDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(daemon(daemonMachine, 2))
	return destroying(t, m).watching(workersHeld(d, daemonMachine), attribute(m, "num_workers"), nil, nil)
}

func listDaemons(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	d.RemoveBackupDaemon("om-new.example.com", headDirectory) // it would register after some requests
	return listing(providertest.DaemonsType, nil, 3)(t, d, w)
}

const jobConfigPath = "/admin/backup/groups/" + providertest.Payments

// jobConfig returns the job configuration of a project, with a certificate.
func jobConfig(certificate string) providertest.Values {
	return providertest.Values{"project_id": providertest.Payments, "label_filter": []any{"east"}, "kmip_client_cert_path": certificate}
}

func certificateHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.JobConfig(providertest.Payments)["kmipClientCertPath"] }
}

func createJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.JobConfigType)
	return applying(t, m, jobConfig("/a.pem")).watching(certificateHeld(d), attribute(m, "kmip_client_cert_path"), "/a.pem", "/a.pem")
}

func refreshJobConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(jobConfig("/a.pem"))
	d.SetJobConfig(providertest.Payments, map[string]any{"kmipClientCertPath": "/b.pem"})
	return refreshing(m).watching(certificateHeld(d), attribute(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func updateJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(jobConfig("/a.pem"))
	return applying(t, m, jobConfig("/b.pem")).watching(certificateHeld(d), attribute(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func resetJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(providertest.With(jobConfig("/a.pem"), providertest.Values{"on_destroy": "reset"}))
	hasFilter := func() any {
		labels, _ := d.JobConfig(providertest.Payments)["labelFilter"].([]any)
		return len(labels) > 0
	}
	return destroying(t, m).watching(hasFilter, attribute(m, "kmip_client_cert_path"), false, nil)
}

const (
	modulesPath = "/groups/" + providertest.Payments + "/automationConfig"
	agentsPath  = "/groups/" + providertest.Payments + "/agents"
)

// backupModules returns the configuration of modules that are not active.
func backupModules() providertest.Values {
	return providertest.Values{"project_id": providertest.Payments, "hostnames": []any{"reports-0.payments.example.com"}}
}

// hasModule reports whether the module of backupModules is active.
func hasModule(d *providertest.FaultProxy) func() any {
	return func() any {
		return strings.Contains(string(d.AutomationConfig(providertest.Payments)), `{"hostname":"reports-0.payments.example.com"`)
	}
}

// hosts returns the number of hosts in a state.
func hosts(m *providertest.Resource) func() any {
	return func() any {
		list, _ := m.Attributes()["hostnames"].([]any)
		return len(list)
	}
}

func activateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupModuleType)
	return applying(t, m, backupModules()).watching(hasModule(d), hosts(m), true, 1)
}

// updateModulesRequests are the methods of the requests of updateModules: for the reports, for the list
// before the activation, for which nothing is left, and for the deactivation.
var updateModulesRequests = []string{"GET", "GET", "GET", "PUT", "GET"}

// updateModules removes a host, and deactivates its module.
func updateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupModuleType)
	deactivating := providertest.With(backupModules(), providertest.Values{"on_destroy": "deactivate"})
	m.Create(providertest.With(deactivating, providertest.Values{"hostnames": []any{"reports-0.payments.example.com", "reports-1.payments.example.com"}}))
	m.Configure() // another process: the one that activates a module does not end it
	m.Refresh()
	return applying(t, m, providertest.With(deactivating, providertest.Values{"hostnames": []any{"reports-1.payments.example.com"}})).watching(hasModule(d), hosts(m), false, 1)
}

func deactivateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(providertest.With(backupModules(), providertest.Values{"on_destroy": "deactivate"}))
	return destroying(t, m).watching(hasModule(d), hosts(m), false, 0)
}

func refreshModules(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(backupModules())
	d.PublishAutomationConfig(providertest.Payments, func(document []byte) []byte {
		return []byte(strings.Replace(string(document), `{"hostname":"reports-0`, `{"hostname":"other`, 1))
	})
	return refreshing(m).watching(hasModule(d), hosts(m), false, 0)
}

// destroying is an attempt to destroy a resource.
func destroying(t *testing.T, m *providertest.Resource) *attempt {
	t.Helper()
	m.Configure()
	m.Refresh() // which has the challenge of the new client
	a := applying(t, m, nil)
	a.again = func() providertest.Diagnostics {
		if diags := m.Refresh(); len(diags.Errors()) > 0 || m.State.IsNull() {
			return diags
		}
		return m.Destroy()
	}
	return a
}

// listing returns an attempt to read a data source with a number of results.
func listing(typeName string, config providertest.Values, count int) func(*testing.T, *providertest.FaultProxy, *providertest.Workspace) *attempt {
	return reading(typeName, config, count, func(found providertest.Values) any {
		if items, ok := found["results"].([]any); ok {
			return len(items)
		}
		return nil
	})
}

// showing returns an attempt to read a data source with one value.
func showing(typeName string, config providertest.Values, attribute string, value any) func(*testing.T, *providertest.FaultProxy, *providertest.Workspace) *attempt {
	return reading(typeName, config, value, func(found providertest.Values) any { return found[attribute] })
}

func reading(typeName string, config providertest.Values, stores any, seen func(providertest.Values) any) func(*testing.T, *providertest.FaultProxy, *providertest.Workspace) *attempt {
	return func(t *testing.T, _ *providertest.FaultProxy, w *providertest.Workspace) *attempt {
		w.MustRead(t, typeName, config)
		var found providertest.Values
		read := func() (diags providertest.Diagnostics) {
			found, diags = w.Read(typeName, config)
			return diags
		}
		return (&attempt{run: read, again: read}).watching(func() any { return nil }, func() any { return seen(found) }, nil, stores)
	}
}

// statusRequests are the methods of the requests for the status of the backups of Payments: for the
// project, its clusters, their configurations, and the snapshots of five clusters.
var statusRequests = slices.Repeat([]string{"GET"}, 8)

// statusConfig reads the clusters one after the other.
var statusConfig = providertest.Values{"project_ids": []any{providertest.Payments}, "concurrency": 1}

// statusProblems are the codes of the problems, by cluster. Those of Payments come first.
var statusProblems = map[string]string{
	providertest.Cards: "NO_SNAPSHOT", "650a1e4a0f2c3d5b7e9f1a2b": "STOPPED", "650a20d18c3e5f7092b4d6a8": "STOPPED", "650a2177e1f3a5b7c9d00e42": "NOT_BACKED_UP",
	"650a22f9d3b5a7c9e1f30816": "NO_SNAPSHOT", "650a22fad3b5a7c9e1f30817": "NOT_BACKED_UP",
}

// statusReadings are the ways to read the backup status, with the number of their requests.
var statusReadings = map[string]struct {
	config             providertest.Values
	requests, clusters int
}{
	"one project":    {statusConfig, len(statusRequests), 6},
	"with schedules": {providertest.With(statusConfig, providertest.Values{"include_schedules": true}), len(statusRequests) + 5, 6},
	// The projects, the clusters and configurations of both, and the snapshots of six clusters.
	"all projects": {providertest.Values{"concurrency": 1}, 1 + 4 + 6, 8},
}

func readStatus(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	return reading(providertest.BackupStatusType, statusConfig, 4, problemCount)(t, d, w)
}

func readAllStatus(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	return reading(providertest.BackupStatusType, statusReadings["all projects"].config, len(statusProblems), problemCount)(t, d, w)
}

func problemCount(found providertest.Values) any {
	if problems, ok := found["problems"].(providertest.Values); ok {
		return len(problems)
	}
	return nil
}

func readJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(providertest.Values{"project_id": providertest.Payments})
	return showing(providertest.JobConfigType, providertest.Values{"project_id": providertest.Payments}, "project_id", providertest.Payments)(t, d, w)
}

// once are the settings of a provider that repeats a request once.
var once = providertest.Values{"max_retries": 1}

// Each fault hits each request of the backup status, once or for good. Either the data source fails,
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
						providertest.UnderFault(t, f, emulator.Options{}, once, func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
							statusUnder(t, f, d, w, hit, lasts, reading.config, reading.clusters)
						})
					})
				}
			}
		}
	}
}

func statusUnder(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, hit int, lasts bool, config providertest.Values, count int) {
	w.MustRead(t, providertest.ProjectType, providertest.Values{"project_id": providertest.Payments}) // answers the challenge
	d.Inject(f, "GET", hit, lasts)
	found, diags := w.Read(providertest.BackupStatusType, config)
	seen := d.Clear(t)
	if len(diags.Errors()) > 0 {
		providertest.WantOne(t, diags.Errors(), "[project_ids]", "Unable to Read Backup Status", "could not be ")
		return
	}
	clusters, _ := found["clusters"].(providertest.Values)
	problems, _ := found["problems"].(providertest.Values)
	if len(clusters) != count {
		t.Errorf("%d clusters", len(clusters))
	}
	unread := 0
	for id, value := range clusters {
		cluster, _ := value.(providertest.Values)
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

// expectation is the outcome of an operation that a fault hits.
type expectation struct {
	succeeds bool
	changes  bool     // the change took effect
	seen     []string // the methods of the requests that reached the service
	words    []string // words of the error, if it fails
	takes    time.Duration
}

// expect returns the expected outcome of an operation. A request is retried if that is safe: a change only
// after a read, which may show that nothing is left to do. If a request fails, so does its operation; but
// if the outcome of a creation is unknown, the provider reads the object.
func expect(op operation, f providertest.Fault, lasts bool) expectation {
	hit := op.sends[op.hits]
	if f.Effect == providertest.Harmless || f.InBody && hit == "DELETE" {
		return expectation{succeeds: true, changes: true, seen: op.sends}
	}

	sent := 1
	if f.Retried == providertest.Always || f.Retried == providertest.UnlessCreate && hit != "POST" {
		switch {
		case !lasts:
			sent = 2
		case f.Challenges > 0:
			sent = f.Challenges
		default:
			sent = 1 + retries
		}
	}
	e := expectation{
		succeeds: sent > 1 && !lasts,
		changes:  hit != "GET" && f.Effect == providertest.Applies,
		words:    slices.Concat(op.fails, f.Words),
		takes:    time.Duration(sent-1) * f.Delay,
	}
	if lasts && sent > 1 && f.Challenges == 0 {
		e.words = append(e.words, fmt.Sprintf("(gave up after %d attempts in ", sent))
	}
	isStoreTooSlow := f.Slow && strings.HasSuffix(op.name, " a store") && hit != "GET" && hit != "DELETE"
	requests := slices.Repeat([]string{hit}, sent)
	reads, isNew := map[string]int{"creating a region": 1, "creating a store": 1, "creating a job configuration": 1, "configuring a daemon": 2}[op.name]
	before := 1 // requests before a deletion is repeated
	if op.name == "deleting a snapshot" {
		reads, before = 2, 2 // also the list
	}
	if isRepeatedAfterARead := sent > 1 && f.Challenges == 0 && hit != "GET" && (hit != "POST" || isNew); isRepeatedAfterARead && !isStoreTooSlow {
		again := append(slices.Repeat([]string{"GET"}, max(reads, 1)), hit)
		requests = slices.Repeat(again, sent)[len(again)-1:]
		if e.changes {
			e.succeeds, requests = true, requests[:1+before]
		}
		if e.changes && isNew { // it does not store what may be another one
			e.succeeds, e.words = false, append(slices.Concat(op.fails, f.Words), "it exists now")
		}
	}
	if hit == "POST" && f.Unclear && !e.succeeds && !isNew { // it stores nothing that it doesn't know
		requests = append(requests, "GET")
		e.succeeds = e.changes
	}
	if f.Connection != nil { // the service receives only the successful requests
		requests = requests[1:]
		if !e.succeeds {
			requests = nil
		}
	}

	if isStoreTooSlow {
		// The resource's own timeout is over, so nothing is repeated.
		requests, e.succeeds, e.changes = requests[:1], false, f.Effect == providertest.Applies
		e.words = append(slices.Clone(op.fails), f.Words[0], "raise the resource's timeouts")
	}

	if f.Slow && strings.HasSuffix(op.name, "ing a store, its read") && op.name != "deleting a store, its read" {
		requests, e.succeeds, e.changes = requests[:1], false, false // the timeout is that of the whole operation
		e.words, e.takes = op.fails, 0
	}

	e.seen = slices.Concat(op.sends[:op.hits], requests)
	if e.succeeds {
		e.changes = true
		e.seen = append(e.seen, op.sends[op.hits+1:]...)
	}
	return e
}

// Each fault hits each request of each operation, once or permanently. The test checks the
// diagnostics, the state, the service and the requests, and that the next run without the fault
// converges.
func TestEveryOperationSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range cases() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			settings := providertest.Values{"max_retries": retries}
			if c.fault.Connection != nil && c.fault.Retried == providertest.Always && !c.lasts {
				settings["max_retries"] = 20 // the proxy needs a moment to listen again
			}
			providertest.UnderFault(t, c.fault, emulator.Options{}, settings, func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
				survive(t, d, w, c.op, c.fault, c.lasts)
			})
		})
	}
}

// faultCase is an operation and the fault that hits it.
type faultCase struct {
	fault providertest.Fault
	op    operation
	lasts bool
}

func (c faultCase) String() string {
	if c.lasts {
		return c.fault.Name + "/" + c.op.name + "/for good"
	}
	return c.fault.Name + "/" + c.op.name + "/once"
}

// cases returns the cases. In the sample, each fault hits each operation either once or permanently.
func cases() []faultCase {
	var found []faultCase
	for i, f := range providertest.Faults {
		if f.Words == nil && f.Effect != providertest.Harmless {
			continue
		}
		for j, op := range operations {
			for k, lasts := range []bool{false, true} {
				if providertest.Sampled(i+j+k, 2) {
					found = append(found, faultCase{f, op, lasts})
				}
			}
		}
	}
	return found
}

func survive(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace, op operation, f providertest.Fault, lasts bool) {
	a := op.prepare(t, d, w)
	heldBefore, storedBefore := a.held(), a.stored()

	want := expect(op, f, lasts)
	d.Inject(f, op.sends[op.hits], op.hits, lasts)
	started := time.Now()
	diags := a.run()
	passed := time.Since(started)
	seen := d.Clear(t)

	wantHeld, wantStored := heldBefore, storedBefore
	if want.changes {
		wantHeld = a.holds
	}
	if want.succeeds {
		wantStored = a.stores
		if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
	} else {
		providertest.WantOne(t, diags.Errors(), want.words...)
		// Without a connection, the service did not receive the request.
		may := op.sends[op.hits] != "GET" && f.Unclear && f.Connection == nil
		if got := strings.Contains(diags.Errors()[0], providertest.MayHaveChanged); got != may {
			t.Errorf("says that the change may have taken effect: %t, want %t: %s", got, may, diags.Errors()[0])
		}
	}
	if got := a.stored(); got != wantStored {
		t.Errorf("the state holds %v, want %v", got, wantStored)
	}
	if got := a.held(); got != wantHeld {
		t.Errorf("the service holds %v, want %v", got, wantHeld)
	}
	// A slow provider may send its request after the proxy listens again.
	if missed := f.Connection != nil && !lasts && slices.Equal(seen, op.sends); !missed && !slices.Equal(seen, want.seen) {
		t.Errorf("sent %q, want %q", seen, want.seen)
	}
	if passed < want.takes {
		t.Errorf("repeated after %s, want %s at least", passed, want.takes)
	}

	if diags := a.again(); len(diags.Errors()) > 0 {
		t.Errorf("the next run: %q", diags.Errors())
	}
	if held, stored := a.held(), a.stored(); held != a.holds || stored != a.stores {
		t.Errorf("after the next run the service holds %v and the state %v, want %v and %v", held, stored, a.holds, a.stores)
	}
	if created := creations(d.Service); created > 1 {
		t.Errorf("%d creations", created)
	}
}

// creations returns the number of objects that the service created.
func creations(s *providertest.Service) int {
	count := 0
	for _, r := range s.Requests() {
		if r.Method == "POST" && r.Status < 300 {
			count++
		}
	}
	return count
}

// A nonce expires during each operation, because of its age or its use.
func TestExpiredNoncesAreReplacedSilently(t *testing.T) {
	t.Parallel()
	const lifetime = 500 * time.Millisecond // longer than an operation on a slow machine
	for name, options := range map[string]emulator.Options{
		"of age":              {NonceLifetime: lifetime},
		"after each use":      {NonceUses: 1},
		"after five requests": {NonceUses: 5},
	} {
		for i, op := range operations {
			if !providertest.Sampled(i, 1) {
				continue
			}
			t.Run(name+"/"+op.name, func(t *testing.T) {
				t.Parallel()
				d := providertest.StartFaultProxy(t, options)
				a := op.prepare(t, d, providertest.NewWorkspace(t, d.Service, nil))
				time.Sleep(options.NonceLifetime)
				d.ResetRequests()
				if diags := a.run(); len(diags.Errors()) > 0 {
					t.Errorf("got %q", diags.Errors())
				}
				if held, stored := a.held(), a.stored(); held != a.holds || stored != a.stores {
					t.Errorf("the service holds %v and the state %v, want %v and %v", held, stored, a.holds, a.stores)
				}
				methods := []string{}
				for _, call := range d.Calls() {
					method, _, _ := strings.Cut(call, " ")
					methods = append(methods, method)
				}
				if !slices.Equal(methods, op.sends) {
					t.Errorf("%q were answered, want %q", methods, op.sends)
				}
				if name != "after five requests" && d.Challenges() == 0 {
					t.Error("no nonce expired")
				}
			})
		}
	}
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
	w := providertest.NewWorkspace(t, d.Service, providertest.Values{"max_retries": retries, "request_timeout": providertest.Timeout.String()})
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

func TestCreationWithUnknownOutcomeIsReportedAndNotRetried(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.RegionType)
	p := r.Plan(providertest.Region("NEW", nil))
	s.Inject(emulator.Fault{Method: "POST", DropAfter: true})
	s.Inject(emulator.Fault{Method: "GET", Skip: 1, Times: -1, Status: 503})
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Deployment Region", "EOF", "may have taken effect", "Nothing was stored", "import or adopt")
	providertest.WantNoState(t, r)

	s.ClearFaults()
	providertest.WantOne(t, r.Plan(providertest.Region("NEW", nil)).Errors(), "Deployment Region NEW Already Exists", "terraform import ADDRESS NEW")
	if got := creations(s); got != 1 {
		t.Errorf("%d creations", got)
	}
}

// Each fault hits each request of the creation of a snapshot, once or until the apply ends. Each
// apply requests one snapshot at most, succeeds only if that is complete, and otherwise stores
// nothing.
func TestTakingASnapshotSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	sends := []string{"GET", "GET", "GET", "POST", "GET", "GET"} // cluster, ready, schedule, requested, in progress, complete
	for i, f := range providertest.Faults {
		for hit := range sends {
			for k, lasts := range []bool{false, true} {
				if f.Slow && hit > 3 || !providertest.Sampled(i+hit+k, 2) && (hit != 3 || !providertest.Sampled(i+k, 1)) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%t", f.Name, hit, lasts), func(t *testing.T) {
					t.Parallel()
					options := emulator.Options{TransitionReads: 1, Unknowns: emulator.Unknowns{HidesRunningSnapshot: hit%2 == 0}}
					providertest.UnderFault(t, f, options, once, func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
						takeOneSnapshot(t, f, d, w, sends[hit], hit, lasts)
					})
				})
			}
		}
	}
}

func takeOneSnapshot(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, method string, hit int, lasts bool) {
	m := w.NewResource(providertest.OnDemandSnapshotType)
	timeout := "30s"
	if lasts || f.TLS || f.Connection != nil {
		timeout = "4s" // the search goes on until then
	}
	within := func(timeout string) providertest.Values {
		return onDemandSnapshot(providertest.Values{"timeouts": providertest.Values{"create": timeout}})
	}
	config := within(timeout)
	requests := func() int { return len(d.Sent("POST", "/onDemandSnapshot")) }
	p := m.Plan(config)
	d.Inject(f, method, hit, lasts)
	failed := len(m.Apply(p, nil).Errors()) > 0
	d.Clear(t)
	if requests() > 1 {
		t.Errorf("%d requests", requests())
	}
	if failed {
		config = within("2m") // the next apply has to succeed, also on a busy machine
	}
	for range 4 {
		switch state := m.Attributes(); {
		case failed && state != nil:
			t.Fatalf("the apply failed, and the state has %v", state)
		case !failed && state["complete"] != true:
			t.Fatalf("the apply succeeded, and the state has %v", state)
		}
		w.Configure()
		if diags := m.Refresh(); len(diags.Errors()) > 0 {
			t.Fatalf("refresh: %q", diags.Errors())
		}
		before := requests()
		p := m.Plan(config)
		if !failed && !p.IsEmpty() {
			t.Fatalf("the next plan changes %v", p.Changes())
		}
		if diags := m.Apply(p, nil); len(p.Errors())+len(diags.Errors()) > 0 {
			t.Fatalf("apply: %q %q", p.Errors(), diags.Errors())
		}
		if sent := requests() - before; sent > 1 || sent == 1 && !failed {
			t.Fatalf("%d more requests", sent)
		}
		failed = false
	}
}

// restoreIntoCards returns the configuration of a restore of a snapshot of ledger into cards.
func restoreIntoCards(drill string) providertest.Values {
	return providertest.Values{
		"project_id": providertest.Payments, "cluster_id": providertest.Ledger, "snapshot_id": "66b0c530c4d6e8f0a2b4c600",
		"target_project_id": providertest.Payments, "target_cluster_id": providertest.Cards, "target_cluster_name": "cards",
		"triggers": providertest.Values{"drill": drill}, "timeouts": providertest.Values{"create": "3s", "update": "3s"},
	}
}

// Each fault hits each request of a restore, once or until the apply ends. Whatever happens, no
// further apply starts a second restore. If the outcome of the request is not known, the restore is
// never FINISHED.
func TestNoFaultStartsASecondRestore(t *testing.T) {
	t.Parallel()
	sends := []string{"GET", "POST", "GET", "GET"} // the target, the request, in progress, finished
	for i, f := range providertest.Faults {
		for hit, method := range sends {
			for j, lasts := range []bool{false, true} {
				for k, updates := range []bool{false, true} {
					if number := i + hit + j + k; !providertest.Sampled(number, 4) && (method != "POST" || !providertest.Sampled(number, 2)) {
						continue
					}
					t.Run(fmt.Sprintf("%s/request %d/lasts %t/update %t", f.Name, hit+1, lasts, updates), func(t *testing.T) {
						t.Parallel()
						providertest.UnderFault(t, f, emulator.Options{RestoreReads: 1}, once, func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
							restoreOnce(t, f, d, w, method, hit, lasts, updates)
						})
					})
				}
			}
		}
	}
}

func restoreOnce(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, method string, hit int, lasts, updates bool) {
	m := w.NewResource(providertest.RestoreJobType)
	config := restoreIntoCards("1")
	if updates {
		m.Create(config)
		config = restoreIntoCards("2")
		m.Configure()
		m.Refresh()
	}
	before, prior := len(d.RestoreJobs(providertest.Payments, providertest.Ledger)), m.Attributes()
	p := m.Plan(config)
	d.Inject(f, method, hit, lasts)
	failed := len(m.Apply(p, nil).Errors()) > 0
	d.Clear(t)
	started := d.RestoreJobs(providertest.Payments, providertest.Ledger)[before:]
	isRecorded := fmt.Sprint(m.Attributes()) != fmt.Sprint(prior)
	if !isRecorded && len(started) > 0 || len(started) > 1 {
		t.Errorf("started %v, and the state is %v", started, m.Attributes())
	}
	for range 3 {
		m.Configure()
		if diags := m.Refresh(); len(diags.Errors()) > 0 {
			t.Fatalf("refresh: %q", diags.Errors())
		}
		p := m.Plan(config)
		switch {
		case failed && isRecorded:
			providertest.WantOne(t, p.Errors(), "May Have Been Started", "terraform import", "change triggers")
			continue
		case !failed:
			providertest.WantEmptyPlan(t, p)
		}
		if diags := m.Apply(p, nil); len(p.Errors())+len(diags.Errors()) > 0 {
			t.Fatalf("apply: %q %q", p.Errors(), diags.Errors())
		}
		failed = false
	}
	jobs := d.RestoreJobs(providertest.Payments, providertest.Ledger)[before:]
	status, id := m.Attributes()["status_name"], m.Attributes()["id"]
	switch {
	case len(jobs) > 1:
		t.Errorf("started %d restores", len(jobs))
	case status == "FINISHED":
		if len(jobs) == 0 || id != jobs[0]["id"] {
			t.Errorf("started %v, and the state has %v", jobs, m.Attributes())
		}
	case status != "UNKNOWN" || id != nil || !failed:
		t.Errorf("started %v, and the state has %v", jobs, m.Attributes())
	}
}
