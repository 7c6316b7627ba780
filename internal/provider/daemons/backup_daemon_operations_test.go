package daemons_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const unusedPath = "/admin/backup/daemon/configs/" + unused + "/%2Fdata%2Fbackup%2F"

func TestOperationsOfABackupDaemonSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "adopting a daemon, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
			Fails: []string{"Unable to Create Backup Daemon", "GET " + unusedPath}, Prepare: adoptDaemon},
		providertest.Operation{Name: "adopting a daemon", Sends: []string{"GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Adopt Backup Daemon", "PUT " + unusedPath}, Prepare: adoptDaemon},
		providertest.Operation{Name: "configuring a daemon, its list", Sends: []string{"GET", "GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Create Backup Daemon", "GET /admin/backup/daemon/configs"}, Prepare: configureDaemon},
		providertest.Operation{Name: "configuring a daemon", Creates: true, Reads: 2, Sends: []string{"GET", "GET", "PUT"}, Hits: 2,
			Fails: []string{"Unable to Create Backup Daemon", "PUT /admin/backup/daemon/configs/" + unconfigured}, Prepare: configureDaemon},
		providertest.Operation{Name: "refreshing a daemon", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Backup Daemon", "GET " + unusedPath}, Prepare: refreshDaemon},
		providertest.Operation{Name: "updating a daemon, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
			Fails: []string{"Unable to Update Backup Daemon", "GET " + unusedPath}, Prepare: updateDaemon},
		providertest.Operation{Name: "updating a daemon", Sends: []string{"GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Update Backup Daemon", "PUT " + unusedPath}, Prepare: updateDaemon},
		providertest.Operation{Name: "deleting a daemon, its read", Sends: []string{"GET", "DELETE"}, Hits: 0,
			Fails: []string{"Unable to Delete Backup Daemon", "GET " + unusedPath}, Prepare: deleteDaemon},
		providertest.Operation{Name: "deleting a daemon", Sends: []string{"GET", "DELETE"}, Hits: 1,
			Fails: []string{"Unable to Delete Backup Daemon", "DELETE " + unusedPath}, Prepare: deleteDaemon},
	)
}

func TestDaemonThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "daemon", Prepare: updateDaemon, Method: "PUT", Attribute: "num_workers", Field: "numWorkers", Third: 9.0,
			Other: "newSetting", Theirs: "theirs", Object: "Backup Daemon " + unused + "|" + headRoot, Set: setDaemon(unused), Get: getDaemon(unused),
		},
		providertest.Contested{
			Name: "daemon that was never configured", Prepare: configureDaemon, Method: "PUT", Field: "numWorkers", Third: 9.0, IsAbsent: true,
			Object: "Unable to Create Backup Daemon", Set: setDaemon(unconfigured), Get: getDaemon(unconfigured),
		},
		providertest.Contested{
			Name: "deleted daemon", Prepare: deleteDaemon, Method: "DELETE", Attribute: "num_workers", Field: "numWorkers", Third: 9.0,
			Object: "Backup Daemon " + unused + "|" + headRoot, Set: setDaemon(unused), Get: getDaemon(unused), Remove: func(d *providertest.FaultProxy) { d.RemoveBackupDaemon(unused, headRoot) },
		},
	)
}

// deletable returns the configuration of a daemon that is deleted with its resource.
func deletable(machine string, workers int) providertest.Values {
	return daemon(machine, providertest.Values{"num_workers": workers, "on_destroy": "delete"})
}

func workersHeld(d *providertest.FaultProxy, machine string) func() any {
	return func() any { return d.BackupDaemon(machine, headRoot)["numWorkers"] }
}

func adoptDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	return providertest.Applying(t, m, deletable(unused, 2)).Watching(workersHeld(d, unused), providertest.Stored(m, "num_workers"), 2.0, 2)
}

func configureDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	return providertest.Applying(t, m, deletable(unconfigured, 2)).Watching(workersHeld(d, unconfigured), providertest.Stored(m, "num_workers"), 2.0, 2)
}

func refreshDaemon(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(deletable(unused, 2))
	d.SetBackupDaemon(unused, headRoot, map[string]any{"numWorkers": 3})
	return providertest.Refreshing(m).Watching(workersHeld(d, unused), providertest.Stored(m, "num_workers"), 3.0, 3)
}

func updateDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(deletable(unused, 2))
	return providertest.Applying(t, m, deletable(unused, 3)).Watching(workersHeld(d, unused), providertest.Stored(m, "num_workers"), 3.0, 3)
}

func deleteDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	m.Create(deletable(unused, 2))
	return providertest.Destroying(t, m).Watching(workersHeld(d, unused), providertest.Stored(m, "num_workers"), nil, nil)
}

func setDaemon(machine string) func(*providertest.FaultProxy, map[string]any) {
	return func(d *providertest.FaultProxy, fields map[string]any) {
		d.SetBackupDaemon(machine, headRoot, fields)
	}
}

func getDaemon(machine string) func(*providertest.FaultProxy) map[string]any {
	return func(d *providertest.FaultProxy) map[string]any { return d.BackupDaemon(machine, headRoot) }
}
