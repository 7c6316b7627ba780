package monitoring_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const alertsType = "opsmanager_backup_alerts"

func TestBackupAlertsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_backup_alerts", Config: values{"project_ids": []any{providertest.Payments}}, Hits: []int{0, 1, 2}, Lacks: "8.0.23",
	})
}

func readAlerts(t *testing.T, o emulator.Options, config values, change func(*providertest.Service)) values {
	t.Helper()
	s, w := open(t, o)
	if change != nil {
		change(s)
	}
	return w.MustRead(t, alertsType, config)
}

func TestOpenAlertsAboutBackupsAreRead(t *testing.T) {
	t.Parallel()
	data := readAlerts(t, emulator.Options{}, nil, nil)
	const id = "66b1d2e3f405162738495a6b"
	alerts, _ := data["alerts"].(values)
	alert, _ := alerts[id].(values)
	for attribute, want := range map[string]any{
		"project_id": providertest.Payments, "project_name": "Payments", "event_type": "BACKUP_AGENT_DOWN",
		"alert_configuration_id": "66a0c1d2e3f405162738495e",
		"host":                   "archive-0.payments.example.com:27017", "cluster_id": nil, "acknowledged_until": nil,
	} {
		if alert[attribute] != want {
			t.Errorf("%s is %v, want %v", attribute, alert[attribute], want)
		}
	}
	// A closed alert, and one about a host, are left out.
	if want := (values{id: "Payments: BACKUP_AGENT_DOWN is open, about archive-0.payments.example.com:27017."}); len(alerts) != 1 ||
		!reflect.DeepEqual(data["problems"], want) {
		t.Errorf("got %v, %v", alerts, data["problems"])
	}
	if want := (values{}); !reflect.DeepEqual(data["monitoring_down"], want) {
		t.Errorf("monitoring is down: %v", data["monitoring_down"])
	}
}

func TestEveryFieldOfAnAlertIsRead(t *testing.T) {
	t.Parallel()
	data := readAlerts(t, emulator.Options{}, values{"project_ids": []any{analytics}}, func(s *providertest.Service) {
		s.AddAlert(analytics, object{
			"id": first, "alertConfigId": second, "eventTypeName": "OPLOG_BEHIND", "status": "OPEN", "created": "2026-01-01T00:00:00Z",
			"lastNotified":      "2026-01-01T00:05:00Z",
			"acknowledgedUntil": "2026-02-01T00:00:00Z", "clusterId": third, "clusterName": "events", "replicaSetName": "events-rs", "hostnameAndPort": "h:1",
		})
		s.AddAlert(analytics, object{"id": second, "status": "OPEN"}) // not known to be about something else
	})
	whole := values{
		"project_id": analytics, "project_name": "Analytics", "event_type": "OPLOG_BEHIND", "alert_configuration_id": second, "created": "2026-01-01T00:00:00Z",
		"acknowledged_until": "2026-02-01T00:00:00Z", "cluster_id": third, "cluster_name": "events", "host": "h:1",
	}
	none := values{}
	for attribute := range whole {
		none[attribute] = nil
	}
	none["project_id"], none["project_name"] = analytics, "Analytics"
	if want := (values{first: whole, second: none}); !reflect.DeepEqual(data["alerts"], want) {
		t.Errorf("got  %v\nwant %v", data["alerts"], want)
	}
	if problems, _ := data["problems"].(values); problems[first] != "Analytics: OPLOG_BEHIND is open, about events." {
		t.Errorf("got %v", problems)
	}
}

func TestProjectsWithoutAnEnabledConfigurationAreUnwatched(t *testing.T) {
	t.Parallel()
	disabled := func(s *providertest.Service) {
		for _, config := range s.AlertConfigs(analytics) {
			if config["eventTypeName"] == "OPLOG_BEHIND" {
				s.SetAlertConfig(analytics, fmt.Sprint(config["id"]), object{"enabled": false})
			}
			if config["eventTypeName"] == "MONITORING_AGENT_DOWN" { // of one host only
				s.SetAlertConfig(
					analytics, fmt.Sprint(config["id"]),
					object{"matchers": []any{object{"fieldName": "HOSTNAME", "operator": "EQUALS", "value": "a"}}},
				)
			}
			if config["eventTypeName"] == "RESYNC_REQUIRED" {
				s.SetAlertConfig(analytics, fmt.Sprint(config["id"]), object{"notifications": []any{}})
			}
		}
	}
	for name, test := range map[string]struct {
		config values
		want   values
	}{
		"all events": {nil, values{
			providertest.Payments: "Payments: no enabled alert configuration for BAD_CLUSTERSHOTS, RS_STATE_CHANGED_AUDIT, " +
				"CLUSTER_STATE_CHANGED_AUDIT, INCONSISTENT_BACKUP_CONFIGURATION.",
			analytics: "Analytics: no enabled alert configuration for RESYNC_REQUIRED, OPLOG_BEHIND, MONITORING_AGENT_DOWN, " +
				"BAD_CLUSTERSHOTS, RS_STATE_CHANGED_AUDIT, CLUSTER_STATE_CHANGED_AUDIT.",
		}},
		"some events": {values{"important_events": []any{"OPLOG_BEHIND", "MONITORING_AGENT_DOWN"}}, values{
			analytics: "Analytics: no enabled alert configuration for MONITORING_AGENT_DOWN, OPLOG_BEHIND.",
		}},
		"no events": {values{"important_events": []any{}}, values{}},
	} {
		if data := readAlerts(t, emulator.Options{}, test.config, disabled); !reflect.DeepEqual(data["unwatched"], test.want) {
			t.Errorf("%s: got %v", name, data["unwatched"])
		}
	}
}

// An important event counts although its name says nothing about backups.
func TestImportantEventsOfAnyNameAreRead(t *testing.T) {
	t.Parallel()
	data := readAlerts(t, emulator.Options{}, values{"important_events": []any{"HOST_DOWN"}}, func(s *providertest.Service) {
		s.AddAlert(analytics, object{"id": first, "eventTypeName": "HOST_DOWN", "status": "OPEN"})
		s.AddAlert(analytics, object{"id": second, "eventTypeName": "NO_PRIMARY", "status": "OPEN"})
	})
	problems, _ := data["problems"].(values)
	if problems[first] != "Analytics: HOST_DOWN is open, about the project." || problems[second] != nil {
		t.Errorf("got %v", problems)
	}
}

func TestMonitoringIsNotKnownToBeUpWithoutAConfiguration(t *testing.T) {
	t.Parallel()
	const (
		unknown = "Analytics: it is not known whether monitoring is down, because no enabled alert configuration watches MONITORING_AGENT_DOWN."
		down    = "Analytics: monitoring is down, so other alerts are silent."
	)
	for _, test := range []struct {
		isWatched, isOpen bool
		want              string
	}{{false, false, unknown}, {false, true, down}, {true, true, down}} {
		data := readAlerts(t, emulator.Options{}, values{"important_events": []any{}}, func(s *providertest.Service) {
			for _, config := range s.AlertConfigs(analytics) {
				if config["eventTypeName"] == "MONITORING_AGENT_DOWN" {
					s.SetAlertConfig(analytics, fmt.Sprint(config["id"]), object{"enabled": test.isWatched})
				}
			}
			if test.isOpen {
				s.AddAlert(analytics, object{"id": first, "eventTypeName": "MONITORING_AGENT_DOWN", "status": "OPEN"})
			}
		})
		if want := (values{analytics: test.want}); !reflect.DeepEqual(data["monitoring_down"], want) {
			t.Errorf("%+v: got %v", test, data["monitoring_down"])
		}
	}
}

func TestEveryPageOfAlertsAndConfigurationsIsRead(t *testing.T) {
	t.Parallel()
	more := func(s *providertest.Service) {
		s.AddAlert(providertest.Payments, object{"id": first, "eventTypeName": "OPLOG_BEHIND", "status": "OPEN"})
	}
	whole, paged := readAlerts(t, emulator.Options{}.Fixed(), nil, more), readAlerts(t, emulator.Options{MaxItemsPerPage: 1}.Fixed(), nil, more)
	if alerts, _ := whole["alerts"].(values); len(alerts) != 2 || !reflect.DeepEqual(whole, paged) {
		t.Errorf("got  %v\nwant %v", paged, whole)
	}
}

// A project that can't be read is named, also if others can.
func TestAlertsOfAProjectThatCannotBeReadAreAnError(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"alerts", "alertConfigs"} {
		s, w := open(t)
		s.Inject(emulator.Fault{
			Path: analytics + "/" + list, Times: -1, Status: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`,
		})
		_, diags := w.Read(alertsType, nil)
		diags.WantError(t, "Unable to Read Backup Alerts", "Analytics ("+analytics+") could not be read", "Project Read Only")
	}
}

func TestAnAlertWithoutAnIDIsAnError(t *testing.T) {
	t.Parallel()
	s, w := open(t)
	s.AddAlert(providertest.Payments, object{"id": nil, "eventTypeName": "OPLOG_BEHIND", "status": "OPEN"})
	_, diags := w.Read(alertsType, nil)
	diags.WantError(t, "Unable to Read Backup Alerts", "has no ID")
}
