package alerts_test

import (
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const managedPath = "/groups/" + providertest.Payments + "/alertConfigs/" + managedID

var managedConfig = providertest.Values{"project_id": providertest.Payments, "event_type": "RESYNC_REQUIRED", "notifications": []any{email("a@example.com", 60)}}

// imported returns an imported alert configuration. Each creation creates another one.
func imported(d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Resource {
	d.SetAlertConfig(providertest.Payments, managedID, map[string]any{
		"eventTypeName": "RESYNC_REQUIRED", "enabled": true, "notifications": notified("a@example.com"),
	})
	m := w.NewResource(alertConfigType)
	m.ImportID(providertest.Payments + "/" + managedID)
	return m
}

func enabledHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.AlertConfig(providertest.Payments, managedID)["enabled"] }
}

func TestEveryOperationSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	replaced := func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
		m := imported(d, w)
		changed := providertest.With(managedConfig, providertest.Values{"enabled": false, "notifications": []any{email("b@example.com", 60)}})
		return providertest.Applying(t, m, changed).Watching(enabledHeld(d), providertest.Stored(m, "enabled"), false, false)
	}
	refreshed := func(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
		m := imported(d, w)
		d.SetAlertConfig(providertest.Payments, managedID, map[string]any{"enabled": false})
		return providertest.Refreshing(m).Watching(enabledHeld(d), providertest.Stored(m, "enabled"), false, false)
	}
	const unable = "Unable to "
	providertest.CheckOperations(t,
		providertest.Operation{Name: "disabling, its read", Sends: []string{"GET", "PUT"}, Hits: 0, Fails: []string{unable + "Update Alert Configuration", "GET " + managedPath}, Prepare: disable},
		providertest.Operation{Name: "disabling", Sends: []string{"GET", "PUT"}, Hits: 1, Fails: []string{unable + "Update Alert Configuration", "PUT " + managedPath}, Prepare: disable},
		providertest.Operation{Name: "replacing", Sends: []string{"GET", "PUT"}, Hits: 1, Fails: []string{unable + "Update Alert Configuration", "PUT " + managedPath}, Prepare: replaced},
		providertest.Operation{Name: "refreshing", Sends: []string{"GET"}, Fails: []string{unable + "Read Alert Configuration", "GET " + managedPath}, Prepare: refreshed},
		providertest.Operation{Name: "deleting", Sends: []string{"GET", "DELETE"}, Hits: 1, Fails: []string{unable + "Delete Alert Configuration", "DELETE " + managedPath}, Prepare: deleteConfig},
	)
}

func TestRefusedCreationIsRepeated(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 3}).NewResource(alertConfigType)
	s.Inject(emulator.Fault{Method: http.MethodPost, Times: 2, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"0"}}})
	r.MustApply(watched)
	r.MustBeSettled(watched)
	if got := s.Writes(); len(got) != 3 {
		t.Errorf("sent %q", got)
	}
}

func disable(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := imported(d, w)
	return providertest.Applying(t, m, providertest.With(managedConfig, providertest.Values{"enabled": false})).Watching(enabledHeld(d), providertest.Stored(m, "enabled"), false, false)
}

func changeNotifications(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := imported(d, w)
	held := func() any { return d.AlertConfig(providertest.Payments, managedID)["notifications"] }
	return providertest.Applying(t, m, providertest.With(managedConfig, providertest.Values{"notifications": []any{email("b@example.com", 60)}})).Watching(held, providertest.Stored(m, "event_type"), notified("b@example.com"), "RESYNC_REQUIRED")
}

// notified is a notification by email, as Ops Manager returns it.
func notified(address string) []any {
	return []any{map[string]any{"typeName": "EMAIL", "emailAddress": address, "delayMin": 0.0, "intervalMin": 60.0}}
}

func deleteConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := imported(d, w)
	return providertest.Destroying(t, m).Watching(enabledHeld(d), providertest.Stored(m, "enabled"), nil, nil)
}

func TestConfigurationThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	set := func(d *providertest.FaultProxy, fields map[string]any) {
		d.SetAlertConfig(providertest.Payments, managedID, fields)
	}
	get := func(d *providertest.FaultProxy) map[string]any {
		return d.AlertConfig(providertest.Payments, managedID)
	}
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "alert configuration", Prepare: changeNotifications, Method: "PUT", Attribute: "notifications", Field: "notifications", Third: notified("c@example.com"),
			Object: "Alert Configuration " + providertest.Payments + "/" + managedID, Set: set, Get: get,
		},
		providertest.Contested{
			Name: "deleted alert configuration", Prepare: deleteConfig, Method: "DELETE", Attribute: "event_type", Field: "eventTypeName", Third: "OPLOG_BEHIND",
			Object: "Alert Configuration " + providertest.Payments + "/" + managedID, IsUnique: true, Set: set, Get: get,
			Remove: func(d *providertest.FaultProxy) { d.RemoveAlertConfig(providertest.Payments, managedID) },
		},
	)
}
