package infrastructure_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// The first request for a daemon is a PUT, after a read of the list.
func TestFirstConfigurationOfADaemonSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "configuring a daemon, its list", Sends: []string{"GET", "GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Create Backup Daemon", "GET /admin/backup/daemon/configs"}, Prepare: configureDaemon},
		providertest.Operation{Name: "configuring a daemon", Creates: true, Reads: 2, Sends: []string{"GET", "GET", "PUT"}, Hits: 2,
			Fails: []string{"Unable to Create Backup Daemon", "PUT /admin/backup/daemon/configs/" + unconfigured}, Prepare: configureDaemon},
	)
	providertest.CheckContested(t, providertest.Contested{
		Name: "daemon that was never configured", Prepare: configureDaemon, Method: "PUT", Field: "numWorkers", Third: 9.0,
		IsAbsent: true, Object: "Unable to Create Backup Daemon",
		Set: func(d *providertest.FaultProxy, fields object) {
			d.SetBackupDaemon(unconfigured, headRoot, fields)
		},
		Get: func(d *providertest.FaultProxy) object { return d.BackupDaemon(unconfigured, headRoot) },
	})
}

func configureDaemon(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.DaemonType)
	held := func() any { return d.BackupDaemon(unconfigured, headRoot)["numWorkers"] }
	config := daemon(unconfigured, values{"num_workers": 2})
	return providertest.Applying(t, m, config).Watching(held, providertest.Stored(m, "num_workers"), 2.0, 2)
}
