package opsmanager_test

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

const alertConfigID = "66a0c1d2e3f405162738495b"

const wholeAlertConfigJSON = `{
	"id": "` + alertConfigID + `", "groupId": "` + payments + `", "eventTypeName": "BAD_CLUSTERSHOTS", "typeName": "BACKUP", "enabled": true,
	"created": "2024-03-01T08:00:00Z", "updated": "2024-03-02T08:00:00Z", "matchers": [], "links": [],
	"threshold": {"operator": "GREATER_THAN", "threshold": 2.5, "units": "RAW"},
	"notifications": [
		{"id": "1", "typeName": "GROUP", "delayMin": 0, "intervalMin": 5, "emailEnabled": true, "smsEnabled": false, "roles": ["GROUP_OWNER"], "newSetting": {"a": 1.0}},
		{"id": "2", "typeName": "USER", "delayMin": 1, "intervalMin": 60, "username": "jane", "emailEnabled": false, "smsEnabled": true},
		{"id": "3", "typeName": "EMAIL", "emailAddress": "a@example.com"},
		{"id": "4", "typeName": "SMS", "mobileNumber": "2125550100"}
	],
	"newSetting": "a"
}`

// The request of a replacement has every field except those that only responses have, and what is unknown as it was.
const replacedAlertConfigJSON = `{
	"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true,
	"threshold": {"operator": "GREATER_THAN", "threshold": 2.5, "units": "RAW"},
	"notifications": [
		{"typeName": "GROUP", "delayMin": 0, "intervalMin": 5, "emailEnabled": true, "smsEnabled": false, "roles": ["GROUP_OWNER"], "newSetting": {"a": 1.0}},
		{"typeName": "USER", "delayMin": 1, "intervalMin": 60, "username": "jane", "emailEnabled": false, "smsEnabled": true},
		{"typeName": "EMAIL", "emailAddress": "a@example.com"},
		{"typeName": "SMS", "mobileNumber": "2125550100"}
	],
	"newSetting": "a"
}`

func TestEveryFieldOfAnAlertConfigurationIsReadAndSentBack(t *testing.T) {
	t.Parallel()
	var sent any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			body, _ := io.ReadAll(r.Body)
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
		}
		answerOK(w, wholeAlertConfigJSON)
	})
	got, err := client.AlertConfig(t.Context(), payments, alertConfigID)
	succeed(t, err)
	equal(t, "event", *got.EventTypeName, "BAD_CLUSTERSHOTS")
	equal(t, "threshold", *got.Threshold.Threshold, 2.5)
	equal(t, "roles", (*(*got.Notifications)[0].Roles)[0], "GROUP_OWNER")
	equal(t, "user", *(*got.Notifications)[1].Username, "jane")
	equal(t, "number", *(*got.Notifications)[3].MobileNumber, "2125550100")
	_, err = client.UpdateAlertConfig(t.Context(), payments, alertConfigID, *got)
	succeed(t, err)
	var want any
	if err := json.Unmarshal([]byte(replacedAlertConfigJSON), &want); err != nil || !reflect.DeepEqual(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

func TestAlertConfigurationsOfTheEmulator(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	ctx := t.Context()
	created, err := client.CreateAlertConfig(ctx, payments, opsmanager.AlertConfig{
		EventTypeName: new("RESYNC_REQUIRED"), Enabled: new(true),
		Notifications: &opsmanager.Replaced[opsmanager.AlertNotification]{{
			TypeName: new("EMAIL"), EmailAddress: new("a@example.com"), DelayMin: new(int64(0)),
		}},
	})
	succeed(t, err)
	id := *created.ID
	(*created.Notifications)[0].DelayMin, created.Enabled = new(int64(10)), new(false)
	disabled, err := client.UpdateAlertConfig(ctx, payments, id, *created)
	succeed(t, err)
	equal(t, "enabled", *disabled.Enabled, false)
	equal(t, "delay", *(*disabled.Notifications)[0].DelayMin, 10)
	listed, err := client.ListAlertConfigs(ctx, payments)
	succeed(t, err)
	equal(t, "configurations", len(listed.Results), len(service.AlertConfigs(payments)))
	succeed(t, client.DeleteAlertConfig(ctx, payments, id))
	if _, err := client.AlertConfig(ctx, payments, id); !opsmanager.IsMissing(err, opsmanager.ObjectAlertConfig) {
		t.Errorf("want 'gone', got %v", err)
	}
	alerts, err := client.ListOpenAlerts(ctx, payments)
	succeed(t, err)
	equal(t, "alerts", len(alerts.Results), 2)
	equal(t, "event", *alerts.Results[0].EventTypeName, "BACKUP_AGENT_DOWN")
}

func TestAResponseWithAnotherAlertConfigurationIsAnError(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answerOK(w, wholeAlertConfigJSON)
	})
	_, err := client.AlertConfig(t.Context(), payments, nowhere)
	equal(t, "error", wantError(t, err).Err.Error() != "", true)
}

func TestErrorsAboutAlertConfigurationsNameTheRole(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	equal(t, "role", wantError(t, client.DeleteAlertConfig(t.Context(), payments, alertConfigID)).Role, opsmanager.ProjectMonitoringAdmin)
	_, err := client.ListAlertConfigs(t.Context(), payments)
	equal(t, "role", wantError(t, err).Role, opsmanager.ProjectReadOnly)
}
