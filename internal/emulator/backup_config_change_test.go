package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	fraud    = "650a1e4a0f2c3d5b7e9f1a2b" // STOPPED, excludes fraud.scratch and staging, not managed by Automation
	invoices = "650a20d18c3e5f7092b4d6a8" // STOPPED, sharded, includes invoices.issued and invoices.paid
)

func configPath(cluster string) string {
	return inPayments + "/backupConfigs/" + cluster
}

// change changes a backup configuration of the first project.
func (c *client) change(cluster, body string) response {
	c.t.Helper()
	return c.patch(configPath(cluster), body)
}

// config reads a backup configuration of the first project.
func (c *client) config(cluster string) object {
	c.t.Helper()
	return c.get(configPath(cluster)).ok(c.t)
}

func TestChangeOfABackupConfigSetsOnlyTheFieldsThatAreSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cluster, body string
		want          object
	}{
		{ledger, `{}`, object{}},
		{ledger, `{"groupId":"` + payments + `","clusterId":"` + strings.ToUpper(ledger) + `","links":[],"provisioned":false}`, object{}},
		{ledger, `{"provisioned":true}`, object{}},
		{ledger, `{"authMechanismName":"NONE"}`, object{}},
		{ledger, `{"sslEnabled":false}`, object{"sslEnabled": false}},
		{ledger, `{"encryptionEnabled":false}`, object{"encryptionEnabled": false}},
		{ledger, `{"encryptionEnabled":true}`, object{}},
		{cards, `{"encryptionEnabled":true,"syncSource":"PRIMARY"}`, object{"encryptionEnabled": true}},
		{ledger, `{"preferredMember":"ledger-1.payments.example.com:27017"}`, object{"preferredMember": "ledger-1.payments.example.com:27017"}},
		{invoices, `{"preferredMember":"unlisted:27017"}`, object{"preferredMember": "unlisted:27017"}},
		{ledger, `{"preferredMember":""}`, object{}},
		{ledger, `{"storageEngineName":"WIRED_TIGER","syncSource":"primary"}`, object{}},
		{ledger, `{"storageEngineName":"MEMORY_MAPPED","syncSource":"ledger-0.payments.example.com:27017"}`, object{"storageEngineName": "MEMORY_MAPPED"}},
		{ledger, `{"syncSource":"SECONDARY"}`, object{}},
		{ledger, `{"disableCertificateRevocationCheck":true}`, object{}},
		{ledger, `{"excludedNamespaces":["a","c.d.e"]}`, object{"excludedNamespaces": []any{"a", "c.d.e"}}},
		{ledger, `{"includedNamespaces":["a"],"syncSource":"PRIMARY"}`, object{"excludedNamespaces": nil, "includedNamespaces": []any{"a"}}},
		{fraud, `{"excludedNamespaces":["staging","fraud.scratch","more"]}`, object{"excludedNamespaces": []any{"staging", "fraud.scratch", "more"}}},
		{fraud, `{"excludedNamespaces":["staging"],"syncSource":"PRIMARY"}`, object{"excludedNamespaces": []any{"staging"}}},
		{fraud, `{"includedNamespaces":["a"],"syncSource":"PRIMARY"}`, object{"excludedNamespaces": nil, "includedNamespaces": []any{"a"}}},
		{invoices, `{"includedNamespaces":["invoices.paid"]}`, object{"includedNamespaces": []any{"invoices.paid"}}},
		{invoices, `{"excludedNamespaces":[]}`, object{}},
		{invoices, `{"excludedNamespaces":["a"],"syncSource":"PRIMARY"}`, object{"excludedNamespaces": []any{"a"}, "includedNamespaces": nil}},
		{orders, `{"multiRegionBackupEnabled":false}`, object{"multiRegionBackupEnabled": false}},
		{invoices, `{"multiRegionBackupEnabled":true}`, object{"multiRegionBackupEnabled": true}}, // it has no shards
		{cards, `{"multiRegionBackupEnabled":true}`, object{"multiRegionBackupEnabled": true, "multiRegionMisconfigured": true}},
		{cards, `{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"cards-rs","deploymentId":"NY_NJ"}]}`, object{"multiRegionBackupEnabled": true}},
		{fraud, `{"authMechanismName":"PLAIN","username":"u","password":"p"}`, object{"authMechanismName": "PLAIN"}},
		{fraud, `{"authMechanismName":"MONGODB_X509"}`, object{"authMechanismName": "MONGODB_X509"}},
	} {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			before := c.config(test.cluster)
			returned := c.change(test.cluster, test.body).ok(t)
			equal(t, changed(before, returned), test.want)
			equal(t, c.config(test.cluster), returned)
		})
	}
}

func TestChangeOfABackupConfigIsRejected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cluster string
		field   string
		status  int
		code    string
	}{
		{ledger, `"availableMembers":[]`, 400, "ATTRIBUTE_READ_ONLY"},
		{ledger, `"multiRegionMisconfigured":false`, 400, "ATTRIBUTE_READ_ONLY"},
		{ledger, `"StatusName":"STOPPED"`, 400, "INVALID_ATTRIBUTE"},
		{ledger, `"snapshotIntervalHours":6`, 400, "INVALID_ATTRIBUTE"},
		{ledger, `"statusName":7`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"statusName":null`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"encryptionEnabled":"true"`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"excludedNamespaces":"a"`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"excludedNamespaces":[7]`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"snapshotStore":"s3"`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"links":{}`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"groupId":"` + analytics + `"`, 400, "GROUP_MISMATCH"},
		{ledger, `"clusterId":"` + cards + `"`, 400, "GROUP_MISMATCH"},
		{ledger, `"statusName":"RUNNING"`, 400, "INVALID_ENUM_VALUE"},
		{ledger, `"storageEngineName":"IN_MEMORY","syncSource":"PRIMARY"`, 400, "INVALID_ENUM_VALUE"},
		{ledger, `"syncSource":"nearest"`, 400, "INVALID_ENUM_VALUE"},
		{ledger, `"preferredMember":"cards-0.payments.example.com:27017"`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{reports, `"preferredMember":"no-port"`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},

		{ledger, `"excludedNamespaces":["admin"]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"excludedNamespaces":["a","local.b"]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"excludedNamespaces":[""]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"includedNamespaces":[".b"]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"includedNamespaces":["a."]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"includedNamespaces":["a.system.users"]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{ledger, `"includedNamespaces":["a"],"excludedNamespaces":["b"]`, 400, "INVALID_FILTERLIST"},
		{ledger, `"includedNamespaces":["a"]`, 409, "MISSING_SYNC_SOURCE"},
		{invoices, `"includedNamespaces":["invoices.paid","new"]`, 409, "MISSING_SYNC_SOURCE"},
		{invoices, `"excludedNamespaces":["a"]`, 409, "MISSING_SYNC_SOURCE"},
		{fraud, `"excludedNamespaces":["staging"]`, 409, "MISSING_SYNC_SOURCE"},
		{fraud, `"excludedNamespaces":[]`, 409, "MISSING_SYNC_SOURCE"},
		{ledger, `"storageEngineName":"WIRED_TIGER"`, 409, "MISSING_SYNC_SOURCE"},
		{ledger, `"storageEngineName":"MEMORY_MAPPED"`, 409, "MISSING_SYNC_SOURCE"},
		{cards, `"encryptionEnabled":true`, 409, "MISSING_SYNC_SOURCE"},

		{ledger, `"authMechanismName":"PLAIN"`, 409, "CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER"},
		{ledger, `"username":"u"`, 409, "CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER"},
		{ledger, `"password":"p"`, 409, "CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER"},
		{fraud, `"authMechanismName":"SCRAM"`, 400, "INVALID_AUTH_MECHANISM"},
		{fraud, `"authMechanismName":"MONGODB_X509","sslEnabled":false`, 400, "AUTH_MECHANISM_REQUIRES_SSL"},
		{fraud, `"username":"u","password":"p"`, 400, "CANNOT_SET_CREDENTIALS_FOR_AUTH_MECHANISM"},
		{fraud, `"authMechanismName":"GSSAPI","password":"p"`, 400, "CANNOT_SET_PASSWORD_FOR_AUTH_MECHANISM"},
		{fraud, `"authMechanismName":"PLAIN"`, 400, "MISSING_CREDENTIALS_FOR_AUTH_MECHANISM"},
		{fraud, `"authMechanismName":"MONGODB_CR","username":"u"`, 400, "MISSING_CREDENTIALS_FOR_AUTH_MECHANISM"},
		{fraud, `"authMechanismName":"PLAIN","password":"p"`, 400, "MISSING_CREDENTIALS_FOR_AUTH_MECHANISM"},

		{ledger, `"snapshotStore":{"snapshotStoreType":"s3blockstore"}`, 400, "MISSING_ATTRIBUTE"},
		{ledger, `"snapshotStore":{"snapshotStoreId":"","snapshotStoreType":"s3blockstore"}`, 400, "MISSING_ATTRIBUTE"},
		{ledger, `"snapshotStore":{"snapshotStoreId":"a","snapshotStoreType":"blockstore"}`, 400, "INVALID_ENUM_VALUE"},
		{ledger, `"snapshotStore":{"snapshotStoreId":7,"snapshotStoreType":"s3blockstore"}`, 400, "INVALID_JSON_ATTRIBUTE"},
		{ledger, `"snapshotStore":{"snapshotStoreId":"a","snapshotStoreType":"s3blockstore","id":"a"}`, 400, "INVALID_ATTRIBUTE"},
		{cards, `"deploymentConfigs":[]`, 400, "MISSING_ATTRIBUTE"},
		{cards, `"multiRegionBackupEnabled":true,"deploymentConfigs":["NY_NJ"]`, 400, "INVALID_JSON_ATTRIBUTE"},
		{cards, `"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"cards-rs"}]`, 400, "MISSING_ATTRIBUTE"},
		{cards, `"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"ledger-rs","deploymentId":"NY_NJ"}]`, 400, "MISSING_OR_INVALID_ATTRIBUTE"},
		{cards, `"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"cards-rs","deploymentId":"MOON"}]`, 404, "BACKUP_DEPLOYMENT_NOT_FOUND"},
		{
			orders, `"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"orders-shard-0","deploymentId":"AU_NZ"}]`, 409,
			"BACKUP_ACTIVE_BACKUP_JOBS",
		},
	} {
		t.Run(test.field, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			before := c.service.BackupConfig(payments, test.cluster)
			// Valid fields are not stored either.
			c.change(test.cluster, `{"disableCertificateRevocationCheck":true,`+test.field+`}`).refused(t, test.status, test.code)
			if got := changed(before, c.service.BackupConfig(payments, test.cluster)); len(got) > 0 {
				t.Errorf("changed %v", got)
			}
		})
	}
	c := start(t)
	c.service.SetBackupConfig(payments, fraud, object{"authMechanismName": "MONGODB_X509"})
	c.change(fraud, `{"sslEnabled":false}`).refused(t, 400, "AUTH_MECHANISM_REQUIRES_SSL")
	c.service.SetBackupConfig(payments, fraud, object{"authMechanismName": "PLAIN", "username": "u"})
	c.change(fraud, `{"username":"other"}`).refused(t, 400, "MISSING_PASSWORD")
	for _, body := range []string{` `, `null`, `[]`, `{`, `{} {}`} {
		c.change(ledger, body).refused(t, 400, "INVALID_JSON")
	}
}

func TestRegionOfAShardCanBeAssignedOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	assign := func(region string) response {
		return c.change(orders, `{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"orders-shard-0","deploymentId":"`+region+`"}]}`)
	}
	assign("NY_NJ").ok(t)
	c.service.SetBackupStatus(payments, orders, "INACTIVE")
	if got := assign("AU_NZ").ok(t); got["multiRegionMisconfigured"] != false || got["deploymentConfigs"] != nil {
		t.Errorf("got %v", got)
	}
	want := []any{object{"rsId": "orders-shard-0", "deploymentId": "AU_NZ"}, object{"rsId": "orders-shard-1", "deploymentId": "AU_NZ"}}
	equal(t, c.service.BackupConfig(payments, orders)["deploymentConfigs"], want)
}

func TestSnapshotStoreIsReturnedOnlyByItsChange(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.change(ledger, `{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"s3-1"}}`).ok(t)
	equal(t, got["snapshotStore"], object{"snapshotStoreType": "s3blockstore", "snapshotStoreId": "s3-1"})
	if got := c.config(ledger)["snapshotStore"]; got != nil {
		t.Errorf("GET returned %v", got)
	}
	stale := start(t, emulator.Options{StaleResponses: true})
	if got := stale.change(ledger, `{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"s3-1"}}`).ok(t)["snapshotStore"]; got != nil {
		t.Errorf("a stale response to PATCH has %v", got)
	}
}

func TestCredentialsAreReplacedAndRemovedWithTheMechanism(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, step := range []struct {
		body     string
		username any
	}{
		{`{"authMechanismName":"PLAIN","username":"u","password":"hunter2"}`, "u"},
		{`{"password":"hunter3"}`, "u"},
		{`{"username":"u"}`, "u"},
		{`{"authMechanismName":"MONGODB_CR"}`, "u"},
		{`{"username":"v","password":"hunter2"}`, "v"},
		{`{"authMechanismName":"NONE"}`, nil},
	} {
		answer := c.change(fraud, step.body)
		answer.ok(t)
		if stored := c.service.BackupConfig(payments, fraud)["username"]; stored != step.username || strings.Contains(answer.body, "hunter") {
			t.Errorf("%s stored %v and answered %s", step.body, stored, answer.body)
		}
	}
	c.service.SetBackupConfig(payments, fraud, object{"authMechanismName": "PLAIN"})
	c.change(fraud, `{"sslEnabled":true}`).ok(t) // whose credentials are unknown
}

func TestAvailableMembersAreReturnedWithTheConfig(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get(configPath(ledger) + "/availableMembers").ok(t)
	want := []any{"ledger-0.payments.example.com:27017", "ledger-1.payments.example.com:27017", "ledger-2.payments.example.com:27017"}
	if !reflect.DeepEqual(got["availableMembers"], want) || got["clusterId"] != ledger {
		t.Errorf("got %v", got)
	}
	equal(t, c.get(configPath(fraud) + "/availableMembers").ok(t)["availableMembers"], []any{})
	c.get(inAnalytics+"/backupConfigs/"+scratch+"/availableMembers").refused(t, 404, "BACKUP_CONFIG_NOT_FOUND")
}

func TestVersionLacksNewerFieldsAndCalls(t *testing.T) {
	t.Parallel()
	introduced := map[string]struct{ older, since string }{
		`{"multiRegionBackupEnabled":true}`: {"7.0.3", "7.0.4"},
		`{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"cards-rs","deploymentId":"NY_NJ"}]}`: {"6.0.27", "8.0.0"},
		`{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"s3-1"}}`:                    {"8.0.5", "8.0.6.100"},
		`{"disableCertificateRevocationCheck":true}`:                                                         {"8.0.26", "8.0.27"},
	}
	for body, versions := range introduced {
		older := startVersion(t, versions.older)
		older.change(cards, body).refused(t, 400, "INVALID_ATTRIBUTE")
		startVersion(t, versions.since).change(cards, body).ok(t)
		startVersion(t, "10.0.0").change(cards, body).ok(t)
	}
	older := startVersion(t, "7.0.3")
	if got := older.config(orders); got["multiRegionBackupEnabled"] != nil || got["multiRegionMisconfigured"] != nil || got["statusName"] != "STARTED" {
		t.Errorf("7.0.3 returns %v", got)
	}
	older.get(regionsPath).refused(t, 404, "RESOURCE_NOT_FOUND")
	startVersion(t, "7.0.4").do(http.MethodGet, regionsPath, "").ok(t)
}

func TestInvalidVersionsAreRejected(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"8.0", "v8.0.1", "8.0.1x", "latest", "8.0.99999999999999999999"} {
		panics(t, version, func() { emulator.New(emulator.Options{ServiceVersion: version}) })
	}
}

func TestNamespacesAreReturnedAsTheUnknownsSay(t *testing.T) {
	t.Parallel()
	lists := func(document object) string {
		return fmt.Sprint(document["excludedNamespaces"], document["includedNamespaces"])
	}
	for _, test := range []struct {
		unknowns              emulator.Unknowns
		fraud, invoices, none string
	}{
		{emulator.Unknowns{}, "[fraud.scratch staging] <nil>", "<nil> [invoices.issued invoices.paid]", "[] <nil>"},
		{emulator.Unknowns{BothNamespaceLists: true}, "[fraud.scratch staging] []", "[] [invoices.issued invoices.paid]", "[] []"},
		{emulator.Unknowns{IgnoresNamespaces: true}, "[] <nil>", "[] <nil>", "[] <nil>"},
	} {
		c := startWith(t, test.unknowns)
		for cluster, want := range map[string]string{fraud: test.fraud, invoices: test.invoices, ledger: test.none} {
			if got := lists(c.config(cluster)); got != want {
				t.Errorf("%+v: got %s, want %s", test.unknowns, got, want)
			}
		}
	}
	c := startWith(t, emulator.Unknowns{IgnoresNamespaces: true})
	equal(t, lists(c.change(fraud, `{"excludedNamespaces":["a"]}`).ok(t)), "[] <nil>")
	c.change(fraud, `{"excludedNamespaces":["admin"]}`).refused(t, 400, "MISSING_OR_INVALID_ATTRIBUTE")
}

func TestFieldsAreReturnedAsTheUnknownsSay(t *testing.T) {
	t.Parallel()
	const body = `{"disableCertificateRevocationCheck":true,"syncSource":"PRIMARY","authMechanismName":"PLAIN","username":"u","password":"p"}`
	answered := start(t).change(fraud, body).ok(t)
	for _, field := range []string{"disableCertificateRevocationCheck", "syncSource", "username", "password"} {
		if _, there := answered[field]; there {
			t.Errorf("%s is %v", field, answered[field])
		}
	}

	stored := start(t)
	stored.service.SetBackupConfig(payments, ledger, object{"password": "p", "snapshotStore": object{}, "excludedNamespaces": nil})
	if got := slices.Sorted(maps.Keys(stored.config(ledger))); !reflect.DeepEqual(got, []string{
		"authMechanismName", "clusterId", "encryptionEnabled", "groupId", "links", "multiRegionBackupEnabled",
		"multiRegionMisconfigured", "sslEnabled", "statusName", "storageEngineName",
	}) {
		t.Errorf("got %v", got)
	}
	omits := startWith(t, emulator.Unknowns{OmitsFalse: true}).config(cards)
	if _, there := omits["encryptionEnabled"]; there || omits["sslEnabled"] != true {
		t.Errorf("got %v", omits)
	}

	inactive := object{"statusName": "INACTIVE"}
	for _, test := range []struct {
		unknowns emulator.Unknowns
		want     []string
	}{
		{emulator.Unknowns{}, []string{
			"authMechanismName", "clusterId", "encryptionEnabled", "excludedNamespaces", "groupId", "links", "multiRegionBackupEnabled",
			"multiRegionMisconfigured", "sslEnabled", "statusName",
		}},
		{emulator.Unknowns{BareInactive: true}, []string{"clusterId", "groupId", "links", "statusName"}},
	} {
		c := startWith(t, test.unknowns)
		c.service.SetBackupConfig(payments, ledger, inactive)
		if got := slices.Sorted(maps.Keys(c.config(ledger))); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v: got %v", test.unknowns, got)
		}
	}
}

func TestNewBackupConfigIsAsObserved(t *testing.T) {
	t.Parallel()
	want := object{
		"groupId": analytics, "clusterId": scratch, "statusName": "INACTIVE", "authMechanismName": "NONE",
		"encryptionEnabled": false, "sslEnabled": false, "excludedNamespaces": []any{},
		"multiRegionBackupEnabled": false, "multiRegionMisconfigured": false,
	}
	c := start(t)
	c.service.SetBackupConfig(analytics, scratch, object{"statusName": "INACTIVE"})
	got := c.get(inAnalytics + "/backupConfigs/" + scratch).ok(t)
	delete(got, "links")
	equal(t, got, want)
	got = startVersion(t, "7.0.3").config(reports)
	if _, there := got["multiRegionBackupEnabled"]; there {
		t.Errorf("7.0.3 returns %v", got)
	}
}

// A client of others sends back what it has read, except for the status.
func TestLenientEmulatorTakesBackWhatItReturned(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{ledger, orders, fraud} {
		c := start(t, emulator.Options{Lenient: true})
		for _, path := range []string{configPath(cluster), schedulePath(payments, cluster)} {
			before := c.get(path).ok(t)
			delete(before, "statusName")
			sent, err := json.Marshal(before)
			succeed(t, err)
			after := c.patch(path, string(sent)).ok(t)
			delete(after, "statusName")
			if !reflect.DeepEqual(after, before) {
				t.Errorf("%s: before %v, after %v", path, before, after)
			}
		}
	}
	c := start(t, emulator.Options{Lenient: true})
	c.change(ledger, `{"multiRegionMisconfigured":true}`).refused(t, 400, "ATTRIBUTE_READ_ONLY")
	start(t).change(ledger, `{"multiRegionMisconfigured":false}`).refused(t, 400, "ATTRIBUTE_READ_ONLY")
}

func TestUnmonitoredClusterIsMissingOrInConflict(t *testing.T) {
	t.Parallel()
	path := inAnalytics + "/backupConfigs/" + scratch
	for _, method := range []string{http.MethodGet, http.MethodPatch} {
		start(t).do(method, path, `{}`).refused(t, 404, "BACKUP_CONFIG_NOT_FOUND")
		startWith(t, emulator.Unknowns{UnmonitoredIsConflict: true}).do(method, path, `{}`).refused(t, 409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE")
	}
}
