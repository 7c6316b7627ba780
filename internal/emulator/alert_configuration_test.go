package emulator_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
)

const (
	alertConfigsPath = inPayments + "/alertConfigs"
	oplogWebhook     = "66a0c1d2e3f405162738495b"
	backupAgentDown  = "66a0c1d2e3f405162738495e"
	groupByEmail     = `{"typeName":"GROUP","emailEnabled":true,"smsEnabled":false}`
)

func TestAlertConfigurationIsCreatedReadReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	c := start(t)
	post := func() object {
		created := c.post(alertConfigsPath, `{"eventTypeName":"RESYNC_REQUIRED","notifications":[`+groupByEmail+`]}`)
		if created.status != 200 {
			t.Fatalf("status %d: %s", created.status, created.body)
		}
		return created.document
	}
	first, second := post(), post() // an equal one is accepted
	if first["id"] == second["id"] || first["enabled"] != false {
		t.Errorf("created %v and %v", first, second)
	}
	path := fmt.Sprint(alertConfigsPath, "/", first["id"])
	got := c.put(
		path,
		`{"eventTypeName":"RESYNC_REQUIRED","enabled":true,"notifications":[{"typeName":"EMAIL","emailAddress":"a@example.com","delayMin":3}]}`,
	).ok(t)
	notifications, _ := got["notifications"].([]any)
	want := object{"id": notifications[0].(object)["id"], "typeName": "EMAIL", "emailAddress": "a@example.com", "delayMin": 3.0, "intervalMin": 5.0}
	if got["enabled"] != true || len(notifications) != 1 || !reflect.DeepEqual(notifications[0], want) {
		t.Errorf("replaced %v", got)
	}
	if got := c.get(path).ok(t); got["enabled"] != true || got["groupId"] != payments {
		t.Errorf("read %v", got)
	}
	equal(t, c.delete(path).status, http.StatusNoContent)
	c.get(path).refused(t, 404, "ALERT_CONFIG_NOT_FOUND")
	c.get(alertConfigsPath+"/x").refused(t, 404, "INVALID_ALERT_CONFIG_ID")
}

func TestNewProjectsHaveAlertConfigurations(t *testing.T) {
	t.Parallel()
	c := start(t)
	events := map[any]bool{}
	for _, config := range c.get(inAnalytics + "/alertConfigs").results(t) {
		events[config["eventTypeName"]] = config["enabled"] == true
	}
	for _, event := range []string{"JOINED_GROUP", "MONITORING_AGENT_DOWN", "RESYNC_REQUIRED", "OPLOG_BEHIND"} {
		if !events[event] {
			t.Errorf("%s is missing: %v", event, events)
		}
	}
}

func TestSecretsOfNotificationsAreMasked(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get(alertConfigsPath + "/" + oplogWebhook).ok(t)
	webhook, _ := got["notifications"].([]any)[0].(object)
	if webhook["webhookUrl"] != "****oken" || webhook["webhookSecret"] != "***" {
		t.Errorf("got %v", webhook)
	}
	if stored := c.service.AlertConfig(payments, oplogWebhook); reflect.DeepEqual(stored["notifications"], got["notifications"]) {
		t.Error("the secret is not stored")
	}
}

func TestInvalidAlertConfigurationsAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	const oplog = `{"eventTypeName":"OPLOG_BEHIND","notifications":[`
	for body, code := range map[string]string{
		`{"notifications":[` + groupByEmail + `]}`:                                         "MISSING_ATTRIBUTE",
		`{"eventTypeName":"OPLOG_BEHIND"}`:                                                 "MISSING_NOTIFICATIONS",
		`{"eventTypeName":"OPLOG_BEHIND","notifications":[]}`:                              "MISSING_NOTIFICATIONS",
		`{"eventTypeName":"oplog","notifications":[` + groupByEmail + `]}`:                 "INVALID_ENUM_VALUE",
		`{"eventTypeName":"OPLOG_BEHIND","id":"x","notifications":[` + groupByEmail + `]}`: "ATTRIBUTE_READ_ONLY",
		oplog + groupByEmail + `,` + groupByEmail + `]}`:                                   "TOO_MANY_GROUP_NOTIFICATIONS",
		oplog + `{"typeName":"GROUP"}]}`:                                                   "EMAIL_OR_SMS_REQUIRED_FOR_GROUP_NOTIFICATION",
		oplog + `{"typeName":"GROUP","emailEnabled":true,"roles":[]}]}`:                    "MISSING_ROLES_FOR_GROUP_NOTIFICATION",
		oplog + `{"typeName":"EMAIL","emailAddress":"a","intervalMin":4}]}`:                "NOTIFICATION_INTERVAL_OUT_OF_RANGE",
		oplog + `{"typeName":"WEBHOOK"}]}`:                                                 "WEBHOOK_URL_NOT_SET",
		oplog + `{"typeName":"PIGEON"}]}`:                                                  "UNSUPPORTED_NOTIFICATION_TYPE",
		oplog + `{"typeName":"SMS"}]}`:                                                     "MISSING_ATTRIBUTE",
		oplog + `{"id":"1","typeName":"EMAIL","emailAddress":"a"}]}`:                       "ATTRIBUTE_READ_ONLY",
		`{"eventTypeName":"BAD_CLUSTERSHOTS","threshold":{"operator":"ABOVE"},"notifications":[` +
			groupByEmail + `]}`: "INVALID_ENUM_VALUE",
	} {
		c.post(alertConfigsPath, body).refused(t, 400, code)
	}
}

func TestAlertsOfADisabledOrDeletedConfigurationAreCancelled(t *testing.T) {
	t.Parallel()
	for method, body := range map[string]string{
		http.MethodPut:    `{"eventTypeName":"BACKUP_AGENT_DOWN","enabled":false,"notifications":[` + groupByEmail + `]}`,
		http.MethodDelete: "",
	} {
		c := start(t)
		open := func() (events []any) {
			for _, alert := range c.get(inPayments + "/alerts?status=OPEN").results(t) {
				events = append(events, alert["eventTypeName"])
			}
			return events
		}
		equal(t, open(), []any{"BACKUP_AGENT_DOWN", "HOST_DOWN"})
		c.do(method, alertConfigsPath+"/"+backupAgentDown, body)
		if after := open(); !reflect.DeepEqual(after, []any{"HOST_DOWN"}) {
			t.Errorf("%s: open: %v", method, after)
		}
		equal(t, len(c.get(inPayments+"/alerts").results(t)), 3)
		c.get(inPayments+"/alerts?status=CANCELLED").refused(t, 400, "INVALID_ALERT_STATUS")
	}
}
