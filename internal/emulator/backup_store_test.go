package emulator_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const backupPath = "/admin/backup/"

var storePaths = map[emulator.StoreKind]string{
	emulator.Blockstore:      backupPath + "snapshot/mongoConfigs",
	emulator.S3Blockstore:    backupPath + "snapshot/s3Configs",
	emulator.FileSystemStore: backupPath + "snapshot/fileSystemConfigs",
	emulator.OplogStore:      backupPath + "oplog/mongoConfigs",
	emulator.S3OplogStore:    backupPath + "oplog/s3Configs",
	emulator.SyncStore:       backupPath + "sync/mongoConfigs",
}

const (
	mongoFields = `"uri":"mongodb://user:password@db.example.com:27017"`
	s3Fields    = mongoFields + `,"s3BucketName":"bucket","s3BucketEndpoint":"https://s3.example.com","s3MaxConnections":5,` +
		`"pathStyleAccessEnabled":true,"sseEnabled":false,"acceptedTos":true,"disableProxyS3":false,"awsAccessKey":"AKIA0123456789WXYZ","awsSecretKey":"secret-key"`
)

// requiredFields are the fields that each kind of store requires.
var requiredFields = map[emulator.StoreKind]string{
	emulator.Blockstore: mongoFields, emulator.S3Blockstore: s3Fields, emulator.FileSystemStore: `"storePath":"/mnt/store"`,
	emulator.OplogStore: mongoFields, emulator.S3OplogStore: s3Fields, emulator.SyncStore: mongoFields,
}

// forEachKind runs a test for each kind of store.
func forEachKind(t *testing.T, test func(t *testing.T, kind emulator.StoreKind, path string)) {
	t.Helper()
	for _, kind := range emulator.StoreKinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, kind, storePaths[kind])
		})
	}
}

func body(fields ...string) string { return "{" + strings.Join(fields, ",") + "}" }

func TestStoreIsCreatedReadReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		c := start(t, emulator.Options{ServiceVersion: "8.0.25"})
		created := c.post(path, body(`"id":"new"`, `"assignmentEnabled":true`, `"labels":["a","b"]`, requiredFields[kind])).ok(t)
		if created["id"] != "new" || created["assignmentEnabled"] != true || !reflect.DeepEqual(created["labels"], []any{"b", "a"}) {
			t.Errorf("created %v", created)
		}
		equal(t, created["loadFactor"], float64(1))
		equal(t, c.get(path+"/new").ok(t), created)
		// PUT replaces: labels and assignmentEnabled get their defaults.
		replaced := c.put(path+"/new", body(`"id":"new"`, `"usedSize":3`, requiredFields[kind])).ok(t)
		if replaced["assignmentEnabled"] != false || !reflect.DeepEqual(replaced["labels"], []any{}) || replaced["usedSize"] != nil {
			t.Errorf("replaced %v", replaced)
		}
		listed := func(query string) (ids []any) {
			for _, store := range c.get(path + query).results(t) {
				ids = append(ids, store["id"])
			}
			return ids
		}
		if all := listed("?assignableOnly=false"); !slices.Contains(all, any("new")) || len(all) != len(emulator.DefaultSeed().BackupStores[kind])+1 {
			t.Errorf("listed %v", all)
		}
		if assignable := listed(""); slices.Contains(assignable, any("new")) {
			t.Errorf("listed %v", assignable)
		}
		if got := c.delete(path + "/new"); got.status != 204 || c.service.BackupStore(kind, "new") != nil {
			t.Errorf("deleted %d %s", got.status, got.body)
		}
	})
}

// notFound are the codes for stores that do not exist.
var notFound = map[emulator.StoreKind]string{
	emulator.Blockstore: "MONGO_SNAPSHOT_CONFIG_NOT_FOUND", emulator.S3Blockstore: "S3_SNAPSHOT_CONFIG_NOT_FOUND",
	emulator.FileSystemStore: "FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND", emulator.OplogStore: "MONGO_OPLOG_CONFIG_NOT_FOUND",
	emulator.S3OplogStore: "S3_OPLOG_CONFIG_NOT_FOUND", emulator.SyncStore: "MONGO_SYNC_CONFIG_NOT_FOUND",
}

func TestStoreThatDoesNotExistHasACodeForItsKind(t *testing.T) {
	t.Parallel()
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		c := start(t)
		c.get(path+"/none").refused(t, 404, notFound[kind])
		c.put(path+"/none", body(requiredFields[kind])).refused(t, 404, notFound[kind])
	})
}

func TestStoreBodiesAreValidated(t *testing.T) {
	t.Parallel()
	with := func(name, value string) string { return `"` + name + `":` + value }
	for _, test := range []struct {
		kind   emulator.StoreKind
		fields []string
		status int
		code   string
	}{
		{emulator.Blockstore, []string{`"id":"x"`}, 400, "MISSING_ATTRIBUTE"},
		{emulator.Blockstore, []string{mongoFields}, 400, "MISSING_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":""`, mongoFields}, 400, "MISSING_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, `"uri":""`}, 400, "MISSING_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, `"uri":"http://db.example.com"`}, 400, "INVALID_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":7`, mongoFields}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("unknown", "1")}, 400, "INVALID_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("storePath", `"/x"`)}, 400, "INVALID_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("links", "[]")}, 400, "ATTRIBUTE_READ_ONLY"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("ssl", `"true"`)}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("labels", `[1]`)}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("loadFactor", "0")}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("maxCapacityGB", "1.5")}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("writeConcern", `"ALL"`)}, 400, "INVALID_ENUM_VALUE"},
		{emulator.Blockstore, []string{`"id":"x"`, `"uri":"mongodb://unreachable.example.com"`}, 409, "BACKUP_MONGO_CONNECTION_FAILED"},
		{emulator.S3Blockstore, []string{`"id":"x"`, s3Fields, with("maxCapacityGB", "1")}, 400, "INVALID_ATTRIBUTE"},
		{emulator.S3Blockstore, []string{`"id":"x"`, s3Fields, with("s3AuthMethod", `"GUESS"`)}, 400, "INVALID_ENUM_VALUE"},
		{emulator.S3Blockstore, []string{`"id":"x"`, strings.Replace(s3Fields, `"awsSecretKey":"secret-key"`, `"ssl":true`, 1)}, 400, "MISSING_ATTRIBUTE"},
		{
			emulator.S3Blockstore, []string{`"id":"x"`, strings.Replace(s3Fields, `"acceptedTos":true`, `"acceptedTos":false`, 1)}, 409,
			"BACKUP_S3_TOS_NOT_ACCEPTED",
		},
		{emulator.S3Blockstore, []string{`"id":"x"`, strings.Replace(s3Fields, `"bucket"`, `"buc/ket"`, 1)}, 400, "INVALID_ATTRIBUTE"},
		{emulator.S3Blockstore, []string{`"id":"x"`, strings.Replace(s3Fields, `s3.example`, `unreachable`, 1)}, 409, "BACKUP_S3_CONNECTION_FAILED"},
		{emulator.S3Blockstore, []string{`"id":"x"`, s3Fields, with("customCertificates", `[{"filename":"ca.pem"}]`)}, 400, "MISSING_ATTRIBUTE"},
		{emulator.S3Blockstore, []string{`"id":"x"`, s3Fields, with("objectLockEnabled", "true"), with("objectRetentionMode", `"COMPLIANCE"`)}, 400, ""},
		{emulator.S3Blockstore, []string{`"id":"x"`, s3Fields, with("objectRetentionDays", "7"), with("objectRetentionMode", `"COMPLIANCE"`)}, 400, ""},
		{
			emulator.S3Blockstore,
			[]string{`"id":"x"`, s3Fields, with("objectLockEnabled", "true"), with("objectRetentionDays", "7"), with("objectRetentionMode", `"NEVER"`)},
			400, "INVALID_ENUM_VALUE",
		},
		{emulator.FileSystemStore, []string{`"id":"x"`, `"storePath":"mnt"`}, 400, "BACKUP_INVALID_FS_PATH"},
		{emulator.FileSystemStore, []string{`"id":"x"`, `"storePath":"/mnt"`, with("ssl", "true")}, 400, "INVALID_ATTRIBUTE"},
		{
			emulator.Blockstore,
			[]string{`"id":"x"`, mongoFields, with("oidc", `{"enabled":true,"method":"callback","tokenUri":"https://t"}`)}, 400,
			"MISSING_ATTRIBUTE",
		},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("oidc", `{"enabled":true,"method":"magic"}`)}, 400, "INVALID_ENUM_VALUE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("oidc", `{"enabled":"yes"}`)}, 400, "INVALID_JSON_ATTRIBUTE"},
		{emulator.Blockstore, []string{`"id":"x"`, mongoFields, with("oidc", `{"secret":"x"}`)}, 400, "INVALID_ATTRIBUTE"},
	} {
		t.Run(fmt.Sprintf("%s %s", test.kind, test.fields[len(test.fields)-1]), func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.post(storePaths[test.kind], body(test.fields...)).refused(t, test.status, test.code)
			if c.service.BackupStore(test.kind, "x") != nil {
				t.Error("the store was created")
			}
		})
	}
}

func TestOlderVersionsLackFieldsOfStores(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind         emulator.StoreKind
		before, from string
		field, value string
	}{
		{emulator.Blockstore, "8.0.25", "8.0.26", "oidc", `{"enabled":true,"method":"k8s"}`},
		{emulator.S3Blockstore, "4.4.0", "5.0.0", "customCertificates", `[{"filename":"ca.pem","certString":"PEM"}]`},
		{emulator.S3Blockstore, "8.0.18", "8.0.19", "objectLockEnabled", `true`},
		{emulator.S3OplogStore, "8.0.27", "8.0.28", "objectLockEnabled", `true`},
		{emulator.S3Blockstore, "8.0.26", "8.0.27", "objectRetentionDays", `7,"objectLockEnabled":true`},
	} {
		sent := body(`"id":"x"`, requiredFields[test.kind], `"`+test.field+`":`+test.value)
		old := start(t, emulator.Options{ServiceVersion: test.before})
		old.post(storePaths[test.kind], sent).refused(t, 400, "INVALID_ATTRIBUTE")
		old.service.SetBackupStore(test.kind, "held", object{test.field: true})
		if got := old.get(storePaths[test.kind] + "/held").ok(t); got[test.field] != nil {
			t.Errorf("%s returns %s", test.before, test.field)
		}
		c := start(t, emulator.Options{ServiceVersion: test.from})
		if got := c.post(storePaths[test.kind], sent).ok(t); got[test.field] == nil {
			t.Errorf("%s does not return %s", test.from, test.field)
		}
	}
}

func TestSecretsOfStoresAreMaskedByNewerVersions(t *testing.T) {
	t.Parallel()
	const path = backupPath + "snapshot/s3Configs"
	sent := body(`"id":"x"`, s3Fields)
	secrets := func(c *client) string {
		got := c.get(path + "/x").ok(t)
		return fmt.Sprint(got["uri"], " ", got["awsAccessKey"], " ", got["awsSecretKey"])
	}
	old := start(t, emulator.Options{ServiceVersion: "8.0.25"})
	old.post(path, sent).ok(t)
	equal(t, secrets(old), "mongodb://user:password@db.example.com:27017 AKIA0123456789WXYZ secret-key")
	masked := start(t, emulator.Options{ServiceVersion: "8.0.26"})
	masked.post(path, sent).ok(t)
	equal(t, secrets(masked), "mongodb://REDACTED:REDACTED@db.example.com:27017 AKIA****WXYZ ****************")
	equal(t, masked.service.BackupStore(emulator.S3Blockstore, "x")["awsSecretKey"], "secret-key")
	omits := start(t, emulator.Options{ServiceVersion: "8.0.25", Unknowns: emulator.Unknowns{OmitsSecretKey: true}})
	if got := omits.post(path, sent).ok(t); got["awsSecretKey"] != nil {
		t.Errorf("returns %v", got["awsSecretKey"])
	}
}

func TestClientSecretIsMaskedLaterThanOtherSecrets(t *testing.T) {
	t.Parallel()
	const path = backupPath + "sync/mongoConfigs"
	const oidc = `"oidc":{"enabled":true,"method":"callback","tokenUri":"https://t","clientId":"c","clientSecret":"hush"}`
	for version, want := range map[string]string{"8.0.26": "hush", "8.0.27": "[REDACTED]"} {
		c := start(t, emulator.Options{ServiceVersion: version})
		got, _ := c.post(path, body(`"id":"x"`, mongoFields, oidc)).ok(t)["oidc"].(object)
		if got["clientSecret"] != want {
			t.Errorf("%s returns %v, want %s", version, got["clientSecret"], want)
		}
		// A replacement without the client secret, or with its mask, keeps it.
		for _, secret := range []string{``, `,"clientSecret":"[REDACTED]"`} {
			c.put(path+"/x", body(mongoFields, strings.Replace(oidc, `,"clientSecret":"hush"`, secret, 1))).ok(t)
			if held, _ := c.service.BackupStore(emulator.SyncStore, "x")["oidc"].(object); held["clientSecret"] != "hush" {
				t.Errorf("after %q, the client secret is %v", secret, held["clientSecret"])
			}
		}
		// A replacement without oidc removes it.
		c.put(path+"/x", body(mongoFields)).ok(t)
		if held := c.service.BackupStore(emulator.SyncStore, "x")["oidc"]; held != nil {
			t.Errorf("oidc is %v", held)
		}
	}
}

func TestReplacementStoresAMask(t *testing.T) {
	t.Parallel()
	const path = backupPath + "snapshot/s3Configs/x"
	masks := strings.NewReplacer("user:password", "REDACTED:REDACTED", "AKIA0123456789WXYZ", "AKIA****WXYZ", "secret-key", "****************").Replace(s3Fields)
	c := start(t)
	c.post(storePaths[emulator.S3Blockstore], body(`"id":"x"`, s3Fields)).ok(t)
	c.put(path, body(masks)).ok(t)
	held := c.service.BackupStore(emulator.S3Blockstore, "x")
	if held["awsSecretKey"] != "****************" || !strings.Contains(fmt.Sprint(held["uri"]), "REDACTED") ||
		!strings.Contains(fmt.Sprint(held["awsAccessKey"]), "*") {
		t.Errorf("stored %v", held)
	}
}

func TestCertificatesMayBeRedacted(t *testing.T) {
	t.Parallel()
	const certificates = `"customCertificates":[{"filename":"ca.pem","certString":"PEM"}]`
	for redacts, want := range map[bool]string{false: "PEM", true: "[REDACTED]"} {
		c := start(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: redacts}})
		got := c.post(storePaths[emulator.S3OplogStore], body(`"id":"x"`, s3Fields, certificates)).ok(t)
		if text := fmt.Sprint(got["customCertificates"]); !strings.Contains(text, want) {
			t.Errorf("returned %s", text)
		}
		if held := fmt.Sprint(c.service.BackupStore(emulator.S3OplogStore, "x")["customCertificates"]); !strings.Contains(held, "PEM") {
			t.Errorf("stored %s", held)
		}
	}
}

func TestEachWriteOfAnS3StoreProbesItsBucket(t *testing.T) {
	t.Parallel()
	const path = backupPath + "oplog/s3Configs"
	const code = "BACKUP_S3_VALIDATION_FAILED"
	c := start(t)
	c.service.FailProbes(1)
	c.post(path, body(`"id":"x"`, s3Fields)).refused(t, 409, code)
	c.post(path, body(`"id":"x"`, s3Fields)).ok(t)
	c.service.FailProbes(-1)
	for range 2 {
		c.put(path+"/x", body(s3Fields)).refused(t, 409, code)
	}
	c.service.FailProbes(0)
	c.put(path+"/x", body(s3Fields)).ok(t)
	c.service.FailProbes(1) // other kinds have no bucket
	c.post(storePaths[emulator.SyncStore], body(`"id":"x"`, mongoFields)).ok(t)
}

func TestBucketAndObjectLockCannotBeChanged(t *testing.T) {
	t.Parallel()
	const path = backupPath + "snapshot/s3Configs"
	const locked = s3Fields + `,"objectLockEnabled":true,"objectRetentionMode":"GOVERNANCE","objectRetentionDays":7`
	c := start(t)
	if got := c.post(path, body(`"id":"x"`, locked)).ok(t); got["objectLockEnabledAt"] == nil {
		t.Errorf("created %v", got)
	}
	for _, changed := range []string{
		strings.Replace(locked, `"bucket"`, `"other"`, 1), strings.Replace(locked, `Enabled":true,"objectRet`, `Enabled":false,"objectRet`, 1),
		strings.Replace(locked, "GOVERNANCE", "COMPLIANCE", 1), strings.Replace(locked, `Days":7`, `Days":8`, 1),
	} {
		c.put(path+"/x", body(changed)).refused(t, 400, "")
	}
	for _, kept := range []string{locked, s3Fields} {
		if got := c.put(path+"/x", body(kept)).ok(t); got["objectLockEnabled"] != true || got["objectRetentionDays"] != float64(7) {
			t.Errorf("replaced with %s: %v", kept, got)
		}
	}
}

func TestRegionOverrideIsReturnedOnlyIfSet(t *testing.T) {
	t.Parallel()
	c := start(t)
	for override, want := range map[string]any{`"eu-1"`: "eu-1", `""`: nil} {
		id := fmt.Sprintf(`"id":"x%v"`, want)
		got := c.post(storePaths[emulator.S3Blockstore], body(id, s3Fields, `"s3RegionOverride":`+override)).ok(t)
		if got["s3RegionOverride"] != want {
			t.Errorf("%s is returned as %v", override, got["s3RegionOverride"])
		}
	}
}

func TestStoreInUseIsNotDeletedAndGrows(t *testing.T) {
	t.Parallel()
	codes := map[emulator.StoreKind]string{
		emulator.Blockstore: "BACKUP_CANNOT_REMOVE_DB_STORE_CONFIG", emulator.S3Blockstore: "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG",
		emulator.FileSystemStore: "BACKUP_CANNOT_REMOVE_FS_STORE_CONFIG", emulator.OplogStore: "BACKUP_CANNOT_REMOVE_OPLOG_STORE_CONFIG",
		emulator.S3OplogStore: "BACKUP_CANNOT_REMOVE_S3_OPLOG_STORE_CONFIG", emulator.SyncStore: "BACKUP_CANNOT_REMOVE_SYNC_STORE_CONFIG",
	}
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		c := start(t)
		c.post(path, body(`"id":"x"`, requiredFields[kind])).ok(t)
		c.service.UseBackupStore(kind, "x", "project Payments")
		got := c.delete(path + "/x")
		if got.refused(t, 409, codes[kind]); strings.Contains(got.body, "Payments") ||
			!strings.Contains(got.body, "Please make sure no jobs are bound to config") {
			t.Errorf("got %s", got.body)
		}
		first, second := c.get(path+"/x").ok(t), c.get(path+"/x").ok(t)
		if first["usedSize"] != float64(1) || second["usedSize"] != float64(2) {
			t.Errorf("used sizes %v, %v", first["usedSize"], second["usedSize"])
		}
		c.service.UseBackupStore(kind, "x")
		if got := c.delete(path + "/x"); got.status != 204 {
			t.Errorf("unused: status %d", got.status)
		}
	})
}

func TestAssignableStoreMayNotBeDeleted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		unknowns emulator.Unknowns
		refuses  []emulator.StoreKind
	}{
		{emulator.Unknowns{}, []emulator.StoreKind{emulator.S3Blockstore, emulator.S3OplogStore}},
		{emulator.Unknowns{DeletesAssignableStores: true}, nil},
		{emulator.Unknowns{KeepsAssignableStores: true}, emulator.StoreKinds},
	} {
		c := start(t, emulator.Options{Unknowns: test.unknowns})
		for _, kind := range emulator.StoreKinds {
			path := storePaths[kind]
			c.post(path, body(`"id":"x"`, `"assignmentEnabled":true`, requiredFields[kind])).ok(t)
			refused := slices.Contains(test.refuses, kind)
			if got := c.delete(path + "/x"); (got.status == 409) != refused {
				t.Errorf("%+v: %s: status %d", test.unknowns, kind, got.status)
			}
			if refused {
				c.put(path+"/x", body(`"assignmentEnabled":false`, requiredFields[kind])).ok(t)
				if got := c.delete(path + "/x"); got.status != 204 {
					t.Errorf("%s, not assignable: status %d", kind, got.status)
				}
			}
		}
	}
}

func TestPostReplacesAStore(t *testing.T) {
	t.Parallel()
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		c := start(t)
		c.post(path, body(`"id":"x"`, requiredFields[kind], `"labels":["a"]`)).ok(t)
		c.post(path, body(`"id":"x"`, requiredFields[kind])).ok(t)
		if got := c.get(path + "/x").ok(t); len(got["labels"].([]any)) != 0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestPutOfAMissingStoreTestsItsBucket(t *testing.T) {
	t.Parallel()
	c := start(t)
	fields := strings.Replace(s3Fields, "https://", "https://"+emulator.Unreachable+".", 1)
	c.put(storePaths[emulator.S3OplogStore]+"/x", body(fields)).refused(t, 409, "BACKUP_S3_CONNECTION_FAILED")
}

func TestDeletionOfAMissingStore(t *testing.T) {
	t.Parallel()
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		got := start(t).do(http.MethodDelete, path+"/x", "")
		if kind == emulator.S3OplogStore {
			if got.status != 204 || got.body != "" {
				t.Errorf("got %d %s, want a success", got.status, got.body)
			}
			return
		}
		got.refused(t, 404, notFound[kind])
	})
}

// MongoDB's Kubernetes operator sends back the load factor that it has read.
func TestEveryStoreTakesTheLoadFactorThatItReturns(t *testing.T) {
	t.Parallel()
	forEachKind(t, func(t *testing.T, kind emulator.StoreKind, path string) {
		c := start(t)
		equal(t, c.post(path, body(`"id":"x"`, requiredFields[kind])).ok(t)["loadFactor"], 1.0)
		equal(t, c.put(path+"/x", body(requiredFields[kind], `"loadFactor":3`)).ok(t)["loadFactor"], 3.0)
	})
}

func TestConnectionStringCanBeAListOfHosts(t *testing.T) {
	t.Parallel()
	const path = backupPath + "sync/mongoConfigs"
	for uri, isValid := range map[string]bool{
		"db1:27017,db2:27017": true, "db1": true, "db1,db2.example.com:27018": true,
		"db1:": false, "db1,,db2": false, "http://db1": false, "user:password@db1": false, "db1 db2": false,
	} {
		c := start(t)
		text := body(`"id":"x"`, `"uri":"`+uri+`"`)
		if got := c.post(path, text); (got.status == 200) != isValid {
			t.Errorf("%s: %d %s", uri, got.status, got.body)
		}
	}
}

func TestStoresCanBeSet(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.post(storePaths[emulator.OplogStore], body(`"id":"x"`, mongoFields)).ok(t)
	c.service.SetBackupStore(emulator.OplogStore, "x", object{"ssl": true, "writeConcern": nil})
	if got := c.service.BackupStore(emulator.OplogStore, "x"); got["ssl"] != true || got["writeConcern"] != nil {
		t.Errorf("got %v", got)
	}
	c.service.RemoveBackupStore(emulator.OplogStore, "ny-oplog-1") // in use
	if c.service.BackupStore(emulator.OplogStore, "ny-oplog-1") != nil {
		t.Error("the store was not removed")
	}
	defer func() {
		if recover() == nil {
			t.Error("a store that does not exist can be used")
		}
	}()
	c.service.UseBackupStore(emulator.OplogStore, "none", "project Payments")
}

func TestSeedsOfStoresAreChecked(t *testing.T) {
	t.Parallel()
	for seed, want := range map[string]string{
		`{"backupStores":{"tapes":[]}}`:                                                        `unknown kind "tapes"`,
		`{"backupStores":{"syncStores":[{}]}}`:                                                 "has no ID",
		`{"backupStores":{"syncStores":[{"id":"a"},{"id":"a"}]}}`:                              `duplicate store "a"`,
		`{"backupStores":{"syncStores":[{"id":"a","storePath":"/"}]}}`:                         `unknown field "storePath"`,
		`{"backupStores":{"syncStores":[{"id":"a"}]},"storeBindings":{"syncStores":{"b":[]}}}`: `syncStores: there is no store "b"`,
	} {
		if _, err := emulator.ReadSeed(strings.NewReader(seed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", seed, err, want)
		}
	}
	kinds := slices.Sorted(maps.Keys(emulator.DefaultSeed().BackupStores))
	if want := slices.Sorted(slices.Values(emulator.StoreKinds)); !slices.Equal(kinds, want) {
		t.Errorf("the default seed has %v, want %v", kinds, want)
	}
}
