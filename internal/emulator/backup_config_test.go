package emulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestBackupConfigIsListedAndReadWithMoreLinks(t *testing.T) {
	t.Parallel()
	c := start(t)
	group := c.url + emulator.BasePath + inPayments
	byID := map[any]object{}
	for _, config := range c.get(inPayments + "/backupConfigs").results(t) {
		equal(t, relations(config), map[string]string{"self": fmt.Sprint(group, "/backupConfigs/", config["clusterId"])})
		delete(config, "links")
		byID[config["clusterId"]] = config
	}
	equal(t, len(byID), 9) // with those of the shards
	equal(t, byID[ledger], object{
		"groupId": payments, "clusterId": ledger, "statusName": "STARTED", "storageEngineName": "WIRED_TIGER", "authMechanismName": "NONE",
		"encryptionEnabled": true, "sslEnabled": true, "excludedNamespaces": []any{},
		"multiRegionBackupEnabled": false, "multiRegionMisconfigured": false,
	})
	equal(t, []any{byID[reports]["statusName"], byID[reports]["storageEngineName"]}, []any{"INACTIVE", nil})
	equal(t, len(c.get(inAnalytics+"/backupConfigs").results(t)), 1) // of a monitored cluster
	for _, id := range []string{ledger, shard} {
		read := c.get(inPayments + "/backupConfigs/" + id).ok(t)
		equal(t, relations(read), map[string]string{
			"self":                                      group + "/backupConfigs/" + id,
			"http://cloud.mongodb.com/cluster":          group + "/clusters/" + id,
			"http://cloud.mongodb.com/group":            group,
			"http://cloud.mongodb.com/snapshotSchedule": group + "/backupConfigs/" + id + "/snapshotSchedule",
		})
		delete(read, "links")
		equal(t, read, byID[id])
	}
}

func TestUnknownIDsAreRejected(t *testing.T) {
	t.Parallel()
	c := start(t)
	for path, code := range map[string]string{
		"/groups/payments/backupConfigs":                                 "INVALID_GROUP_ID",
		inPayments + "0/backupConfigs":                                   "INVALID_GROUP_ID",
		"/groups/" + nowhere + "/backupConfigs":                          "GROUP_NOT_FOUND",
		"/groups/" + ledger + "/hosts/" + legacyHost + "/snapshots":      "GROUP_NOT_FOUND",
		"/groups/" + nowhere + "/backupConfigs/x":                        "GROUP_NOT_FOUND",
		inPayments + "/backupConfigs/ledger":                             "INVALID_CLUSTER_ID",
		inPayments + "/backupConfigs/" + nowhere:                         "CLUSTER_NOT_FOUND",
		inAnalytics + "/backupConfigs/" + ledger:                         "CLUSTER_NOT_FOUND",
		inAnalytics + "/backupConfigs/" + scratch:                        "BACKUP_CONFIG_NOT_FOUND",
		schedulePath("payments", ledger):                                 "INVALID_GROUP_ID",
		schedulePath(nowhere, ledger):                                    "GROUP_NOT_FOUND",
		schedulePath(payments, "ledger"):                                 "INVALID_CLUSTER_ID",
		schedulePath(payments, nowhere):                                  "CLUSTER_NOT_FOUND",
		schedulePath(analytics, scratch):                                 "BACKUP_CONFIG_NOT_FOUND",
		inPayments + "/hosts/" + ledger + "/snapshots":                   "HOST_NOT_FOUND",
		inAnalytics + "/hosts/" + legacyHost + "/snapshots":              "HOST_NOT_FOUND",
		inPayments + "/hosts/" + modernHost + "/snapshots":               "NOT_CONFIG_SERVER",
		"/groups/not-a-group/hosts/" + legacyHost + "/snapshots?pretty=": "INVALID_QUERY_PARAMETER",
	} {
		status := http.StatusNotFound
		if code == "INVALID_QUERY_PARAMETER" {
			status = http.StatusBadRequest
		}
		c.get(path).refused(t, status, code)
	}
}

func TestIDsAreAcceptedInEitherCase(t *testing.T) {
	t.Parallel()
	c := start(t)
	path := schedulePath(strings.ToUpper(payments), strings.ToUpper(ledger))
	got := c.patch(path, `{"clusterId":"`+strings.ToUpper(ledger)+`"}`).ok(t)
	if got["groupId"] != payments || got["clusterId"] != ledger {
		t.Errorf("got %v", got)
	}
}
