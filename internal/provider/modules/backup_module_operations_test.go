package modules_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const (
	modulesPath = "/groups/" + payments + "/automationConfig"
	agentsPath  = "/groups/" + payments + "/agents"
)

func TestOperationsOfModulesSurviveEveryFault(t *testing.T) {
	t.Parallel()
	activating := []string{"GET", "GET", "GET", "PUT", "GET", "GET", "GET", "GET"}
	ending := []string{"GET", "GET", "GET", "GET", "GET", "PUT", "GET"}
	const activate = "Unable to Activate Backup Modules"
	providertest.CheckOperations(t,
		providertest.Operation{Name: "activating backup modules, the agents", Sends: activating, Hits: 0, Prepare: activateModules,
			Fails: []string{activate, "GET " + agentsPath + "/AUTOMATION"}},
		providertest.Operation{Name: "activating backup modules, their reports", Sends: activating, Hits: 1, Prepare: activateModules,
			Fails: []string{activate, "GET " + agentsPath + "/BACKUP"}},
		providertest.Operation{Name: "activating backup modules, their list", Sends: activating, Hits: 2, Prepare: activateModules,
			Fails: []string{activate, "GET " + modulesPath}},
		providertest.Operation{Name: "updating backup modules, their list", Sends: ending, Hits: 0, Prepare: updateModules,
			Fails: []string{"Unable to Change Backup Modules", "GET " + modulesPath}},
		providertest.Operation{Name: "deactivating backup modules, their list", Sends: ending, Hits: 0, Prepare: deactivateModules,
			Fails: []string{"Unable to Deactivate Backup Modules", "GET " + modulesPath}},
		providertest.Operation{Name: "refreshing backup modules", Sends: []string{"GET"}, Prepare: refreshModules,
			Fails: []string{"Unable to Read Backup Modules", "GET " + modulesPath}},
	)
}

// hasModule reports whether the module of the first host of reports is active.
func hasModule(d *providertest.FaultProxy) func() any {
	return func() any {
		return slices.Contains(modulesIn(d.AutomationConfig(payments)), reports[0])
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
	return providertest.Applying(t, m, modules(hosts(0))).Watching(hasModule(d), hostCount(m), true, 1)
}

// updateModules removes a host, and deactivates its module.
func updateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(modules(hosts(0, 1), deactivating))
	m.Configure() // another process: the one that activates a module does not end it
	m.Refresh()
	return providertest.Applying(t, m, modules(hosts(1), deactivating)).Watching(hasModule(d), hostCount(m), false, 1)
}

func deactivateModules(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(modules(hosts(0), deactivating))
	return providertest.Destroying(t, m).Watching(hasModule(d), hostCount(m), false, 0)
}

func refreshModules(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupModuleType)
	m.Create(modules(hosts(0)))
	publish(d, nil)
	return providertest.Refreshing(m).Watching(hasModule(d), hostCount(m), false, 0)
}
