package emulator_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestBackupConfigsOfAProject(t *testing.T) {
	t.Parallel()
	c := start(t)
	byID := map[string]object{}
	for _, config := range c.get(inPayments + "/backupConfigs").results(t) {
		id, _ := config["clusterId"].(string)
		byID[id] = config
		if links := relations(config); len(links) != 1 || links["self"] != c.url+emulator.BasePath+inPayments+"/backupConfigs/"+id {
			t.Errorf("links of %s: %v", id, links)
		}
		if config["groupId"] != payments {
			t.Errorf("groupId of %s: %v", id, config["groupId"])
		}
	}
	if len(byID) != 9 || byID[shard] == nil || byID[orders] == nil {
		t.Errorf("%d configurations, want 9 with those of the shards", len(byID))
	}
	if _, there := byID[reports]["storageEngineName"]; there || byID[reports]["statusName"] != "INACTIVE" {
		t.Errorf("configuration of an inactive backup: %v", byID[reports])
	}
	delete(byID[ledger], "links")
	if want := (object{
		"groupId": payments, "clusterId": ledger, "statusName": "STARTED", "storageEngineName": "WIRED_TIGER", "authMechanismName": "NONE",
		"encryptionEnabled": true, "sslEnabled": true, "excludedNamespaces": []any{},
		"multiRegionBackupEnabled": false, "multiRegionMisconfigured": false,
	}); !reflect.DeepEqual(byID[ledger], want) {
		t.Errorf("got %v, want %v", byID[ledger], want)
	}

	equal(t, len(c.get(inAnalytics+"/backupConfigs").results(t)), 1)
}

func TestSingleBackupConfigHasMoreLinks(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get(inPayments + "/backupConfigs/" + shard).ok(t)
	if got["clusterId"] != shard || got["groupId"] != payments || got["statusName"] != "STARTED" {
		t.Errorf("got %v", got)
	}
	group := c.url + emulator.BasePath + inPayments
	if want := map[string]string{
		"self":                                      group + "/backupConfigs/" + shard,
		"http://cloud.mongodb.com/cluster":          group + "/clusters/" + shard,
		"http://cloud.mongodb.com/group":            group,
		"http://cloud.mongodb.com/snapshotSchedule": group + "/backupConfigs/" + shard + "/snapshotSchedule",
	}; !reflect.DeepEqual(relations(got), want) {
		t.Errorf("links %v, want %v", relations(got), want)
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
