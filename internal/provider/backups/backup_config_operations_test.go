package backups_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const backupConfigPath = "/groups/" + payments + "/backupConfigs/" + cards

func TestOperationsOfABackupConfigurationSurviveEveryFault(t *testing.T) {
	t.Parallel()
	adopting, updating := []string{"GET", "GET", "GET", "PATCH", "GET"}, []string{"GET", "GET", "PATCH", "GET"}
	providertest.CheckOperations(t,
		providertest.Operation{Name: "adopting a backup configuration, its read", Sends: adopting, Hits: 0, Prepare: adoptBackupConfig,
			Fails: []string{"Unable to Adopt Backup Configuration", "GET " + backupConfigPath}},
		providertest.Operation{Name: "adopting a backup configuration, its owner", Sends: adopting, Hits: 2, Prepare: adoptBackupConfig,
			Fails: []string{"Third-Party Backup Not Known", "GET /backup/third_party/group/" + payments + "/clusters"}},
		providertest.Operation{Name: "adopting a backup configuration, its change", Sends: adopting, Hits: 3, Prepare: adoptBackupConfig,
			Fails: []string{"Unable to Adopt Backup Configuration", "PATCH " + backupConfigPath}},
		providertest.Operation{Name: "refreshing a backup configuration", Sends: []string{"GET"}, Prepare: refreshBackupConfig,
			Fails: []string{"Unable to Read Backup Configuration", "GET " + backupConfigPath}},
		providertest.Operation{Name: "updating a backup configuration, its read", Sends: updating, Hits: 0, Prepare: updateBackupConfig,
			Fails: []string{"Unable to Update Backup Configuration", "GET " + backupConfigPath}},
		providertest.Operation{Name: "updating a backup configuration, its change", Sends: updating, Hits: 2, Prepare: updateBackupConfig,
			Fails: []string{"Unable to Update Backup Configuration", "PATCH " + backupConfigPath}},
		providertest.Operation{Name: "stopping a backup, its read", Sends: updating, Hits: 0, Prepare: stopBackup,
			Fails: []string{"Unable to End the Backup", "GET " + backupConfigPath}},
	)
}

func TestBackupConfigurationThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "backup configuration", Prepare: excludeNamespace, Method: "PATCH", Attribute: "excluded_namespaces",
			Field: "excludedNamespaces", Third: []any{"a", "theirs"},
			Other: "preferredMember", Theirs: "theirs-0:27017", Object: "The backup configuration of cluster cards (" + cards + ")",
			Set: func(d *providertest.FaultProxy, fields object) {
				d.SetBackupConfig(payments, cards, fields)
			},
			Get: func(d *providertest.FaultProxy) object {
				return d.BackupConfig(payments, cards)
			},
		},
	)
}

// The status is requested once, and after a refusal only if it is still the one from before.
func TestStatusIsNotRequestedAgainIfAnotherClientHasChangedIt(t *testing.T) {
	t.Parallel()
	c := providertest.Contested{Prepare: stopBackup, Method: "PATCH"}
	for status, want := range map[string][]string{"STARTED": {"PATCH", "GET", "PATCH"}, "STOPPED": {"PATCH"}} {
		change := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
			d.SetBackupStatus(payments, cards, status)
		}
		c.Run(t, "429", change, func(t *testing.T, _ *providertest.FaultProxy, a *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			if len(diags.Errors()) > 0 || a.Held() != "STOPPED" {
				t.Errorf("got %q, and the service holds %v", diags.Errors(), a.Held())
			}
			providertest.WantRequests(t, seen, want...)
		})
	}
}

func backupFieldHeld(d *providertest.FaultProxy, field string) func() any {
	return func() any { return d.BackupConfig(payments, cards)[field] }
}

// backupOverTLS is a configuration of a backup, which connects over TLS at first.
func backupOverTLS(enabled bool) values {
	return backupConfig(cards, values{"ssl_enabled": enabled})
}

// watchTLS watches that TLS is turned off.
func watchTLS(d *providertest.FaultProxy, m *providertest.Resource, a *providertest.Attempt) *providertest.Attempt {
	return a.Watching(backupFieldHeld(d, "sslEnabled"), providertest.Stored(m, "ssl_enabled"), false, false)
}

func adoptBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	return watchTLS(d, m, providertest.Applying(t, m, backupOverTLS(false)))
}

func updateBackupConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	return watchTLS(d, m, providertest.Applying(t, m, backupOverTLS(false)))
}

func refreshBackupConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true))
	d.SetBackupConfig(payments, cards, object{"sslEnabled": false})
	return watchTLS(d, m, providertest.Refreshing(m))
}

func stopBackup(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	m.Create(backupOverTLS(true).With(values{"on_destroy": "stop"}))
	return providertest.Destroying(t, m).Watching(backupFieldHeld(d, "statusName"), providertest.Stored(m, "on_destroy"), "STOPPED", nil)
}

// excludeNamespace excludes another namespace.
func excludeNamespace(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	of := func(names ...any) values {
		return backupConfig(cards, values{"excluded_namespaces": names})
	}
	d.SetBackupConfig(payments, cards, object{"excludedNamespaces": []any{"a"}})
	m.Create(of("a"))
	return providertest.Applying(t, m, of("a", "b")).Watching(
		backupFieldHeld(d, "excludedNamespaces"), providertest.Stored(m, "excluded_namespaces"), []any{"a", "b"}, []any{"a", "b"},
	)
}
