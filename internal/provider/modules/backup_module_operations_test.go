package modules_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const (
	modulesPath = "/groups/" + providertest.Payments + "/automationConfig"
	agentsPath  = "/groups/" + providertest.Payments + "/agents"
)

func TestOperationsOfModulesSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "activating backup modules, the agents", Sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, Hits: 0,
			Fails: []string{"Unable to Activate Backup Modules", "GET " + agentsPath + "/AUTOMATION"}, Prepare: activateModules},
		providertest.Operation{Name: "activating backup modules, their reports", Sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, Hits: 1,
			Fails: []string{"Unable to Activate Backup Modules", "GET " + agentsPath + "/BACKUP"}, Prepare: activateModules},
		providertest.Operation{Name: "activating backup modules, their list", Sends: []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}, Hits: 2,
			Fails: []string{"Unable to Activate Backup Modules", "GET " + modulesPath}, Prepare: activateModules},
		providertest.Operation{Name: "updating backup modules, their list", Sends: []string{"GET", "GET", "GET", "GET", "GET", "PUT", "GET"}, Hits: 0,
			Fails: []string{"Unable to Change Backup Modules", "GET " + modulesPath}, Prepare: updateModules},
		providertest.Operation{Name: "deactivating backup modules, their list", Sends: []string{"GET", "GET", "GET", "GET", "GET", "PUT", "GET"}, Hits: 0,
			Fails: []string{"Unable to Deactivate Backup Modules", "GET " + modulesPath}, Prepare: deactivateModules},
		providertest.Operation{Name: "refreshing backup modules", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Backup Modules", "GET " + modulesPath}, Prepare: refreshModules},
	)
}

// backupModules returns the configuration of modules that are not active.
func backupModules() values {
	return values{"project_id": providertest.Payments, "hostnames": []any{"reports-0.payments.example.com"}}
}

// hasModule reports whether the module of backupModules is active.
func hasModule(d *providertest.FaultProxy) func() any {
	return func() any {
		return strings.Contains(string(d.AutomationConfig(providertest.Payments)), `{"hostname":"reports-0.payments.example.com"`)
	}
}

// hostCount returns the number of hosts in a state.
func hostCount(m *providertest.Resource) func() any {
	return func() any {
		list, _ := m.Attributes()["hostnames"].([]any)
		return len(list)
	}
}

func activateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	return providertest.Applying(t, m, backupModules()).Watching(hasModule(d), hostCount(m), true, 1)
}

// updateModules removes a host, and deactivates its module.
func updateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	deactivating := backupModules().With(values{"on_destroy": "deactivate"})
	m.Create(deactivating.With(values{"hostnames": []any{"reports-0.payments.example.com", "reports-1.payments.example.com"}}))
	m.Configure() // another process: the one that activates a module does not end it
	m.Refresh()
	return providertest.Applying(
		t, m, deactivating.With(values{"hostnames": []any{"reports-1.payments.example.com"}}),
	).Watching(hasModule(d), hostCount(m), false, 1)
}

func deactivateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(backupModules().With(values{"on_destroy": "deactivate"}))
	return providertest.Destroying(t, m).Watching(hasModule(d), hostCount(m), false, 0)
}

func refreshModules(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(backupModules())
	d.PublishAutomationConfig(providertest.Payments, func(document []byte) []byte {
		return []byte(strings.Replace(string(document), `{"hostname":"reports-0`, `{"hostname":"other`, 1))
	})
	return providertest.Refreshing(m).Watching(hasModule(d), hostCount(m), false, 0)
}
