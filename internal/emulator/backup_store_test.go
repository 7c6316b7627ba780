package emulator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	backupPath    = "/admin/backup/"
	s3Stores      = backupPath + "snapshot/s3Configs"
	oplogStores   = backupPath + "oplog/mongoConfigs"
	s3OplogStores = backupPath + "oplog/s3Configs"
	syncStores    = backupPath + "sync/mongoConfigs"
)

const (
	mongoFields = `"uri":"mongodb://user:password@db.example.com:27017"`
	s3Fields    = mongoFields + `,"s3BucketName":"bucket","s3BucketEndpoint":"https://s3.example.com","s3MaxConnections":5,` +
		`"pathStyleAccessEnabled":true,"sseEnabled":false,"acceptedTos":true,"disableProxyS3":false,` +
		`"awsAccessKey":"AKIA0123456789WXYZ","awsSecretKey":"secret-key"`
)

// kindOfStore has what differs between the kinds of stores.
type kindOfStore struct {
	path     string
	required string // fields
	notFound string // code of a store that does not exist
	inUse    string // code of the deletion of one that is used
}

var kindsOfStores = map[emulator.StoreKind]kindOfStore{
	emulator.Blockstore: {
		backupPath + "snapshot/mongoConfigs", mongoFields, "MONGO_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_DB_STORE_CONFIG",
	},
	emulator.S3Blockstore: {s3Stores, s3Fields, "S3_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG"},
	emulator.FileSystemStore: {
		backupPath + "snapshot/fileSystemConfigs", `"storePath":"/mnt/store"`, "FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND",
		"BACKUP_CANNOT_REMOVE_FS_STORE_CONFIG",
	},
	emulator.OplogStore:   {oplogStores, mongoFields, "MONGO_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_OPLOG_STORE_CONFIG"},
	emulator.S3OplogStore: {s3OplogStores, s3Fields, "S3_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_OPLOG_STORE_CONFIG"},
	emulator.SyncStore:    {syncStores, mongoFields, "MONGO_SYNC_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_SYNC_STORE_CONFIG"},
}

func body(fields ...string) string { return "{" + strings.Join(fields, ",") + "}" }

func TestStoreOfEachKindIsCreatedReplacedUsedAndDeleted(t *testing.T) {
	t.Parallel()
	for kind, of := range kindsOfStores {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c := startVersion(t, "8.0.25")
			path := of.path + "/new"
			c.get(path).refused(t, 404, of.notFound)
			c.put(path, body(of.required)).refused(t, 404, of.notFound)
			if missing := c.delete(path); kind == emulator.S3OplogStore {
				equal(t, fmt.Sprint(missing.status, missing.body), "204")
			} else {
				missing.refused(t, 404, of.notFound)
			}
			created := c.post(of.path, body(`"id":"new"`, `"assignmentEnabled":true`, `"labels":["a","b"]`, of.required)).ok(t)
			equal(t, []any{created["id"], created["assignmentEnabled"], created["loadFactor"]}, []any{"new", true, 1.0})
			equal(t, created["labels"], []any{"b", "a"})
			equal(t, c.get(path).ok(t), created)
			if strings.Contains(of.path, "/s3") { // reported for these kinds only, while backups can be assigned to the store
				equal(t, c.delete(path).status, 409)
			}
			// PUT replaces: labels and assignmentEnabled get their defaults. MongoDB's Kubernetes operator sends back the load factor.
			replaced := c.put(path, body(`"id":"new"`, `"usedSize":3`, `"loadFactor":3`, of.required)).ok(t)
			equal(t, []any{replaced["assignmentEnabled"], replaced["loadFactor"], replaced["usedSize"]}, []any{false, 3.0, nil})
			equal(t, replaced["labels"], []any{})
			listed := func(query string) (ids []any) {
				for _, store := range c.get(of.path + query).results(t) {
					ids = append(ids, store["id"])
				}
				return ids
			}
			all := listed("?assignableOnly=false")
			equal(t, slices.Contains(all, any("new")), true)
			equal(t, len(all), len(emulator.DefaultSeed().BackupStores[kind])+1)
			equal(t, slices.Contains(listed(""), any("new")), false)
			for _, labels := range []string{`["a"]`, `[]`} { // POST replaces, too
				equal(t, fmt.Sprint(c.post(of.path, body(`"id":"new"`, of.required, `"labels":`+labels)).ok(t)["labels"]), strings.ReplaceAll(labels, `"`, ""))
			}
			c.service.UseBackupStore(kind, "new", "project Payments")
			refused := c.delete(path)
			refused.refused(t, 409, of.inUse)
			equal(t, strings.Contains(refused.body, "Please make sure no jobs are bound to config"), true)
			equal(t, strings.Contains(refused.body, "Payments"), false)
			for _, size := range []float64{1, 2} {
				equal(t, c.get(path).ok(t)["usedSize"], size)
			}
			c.service.UseBackupStore(kind, "new")
			equal(t, c.delete(path).status, 204)
			equal(t, len(c.service.BackupStore(kind, "new")), 0)
		})
	}
}

func TestStoreBodiesAreValidated(t *testing.T) {
	t.Parallel()
	const (
		mongo, s3, files = emulator.Blockstore, emulator.S3Blockstore, emulator.FileSystemStore

		id        = `"id":"x",`
		mongoBody = id + mongoFields + ","
		s3Body    = id + s3Fields + ","
	)
	without := func(field, other string) string { return id + strings.Replace(s3Fields, field, other, 1) }
	for _, test := range []struct {
		kind   emulator.StoreKind
		fields string
		status int
		code   string
	}{
		{mongo, `"id":"x"`, 400, "MISSING_ATTRIBUTE"},
		{mongo, mongoFields, 400, "MISSING_ATTRIBUTE"},
		{mongo, `"id":"",` + mongoFields, 400, "MISSING_ATTRIBUTE"},
		{mongo, `"id":"x","uri":""`, 400, "MISSING_ATTRIBUTE"},
		{mongo, `"id":"x","uri":"http://db.example.com"`, 400, "INVALID_ATTRIBUTE"},
		{mongo, `"id":7,` + mongoFields, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"unknown":1`, 400, "INVALID_ATTRIBUTE"},
		{mongo, mongoBody + `"storePath":"/x"`, 400, "INVALID_ATTRIBUTE"},
		{mongo, mongoBody + `"links":[]`, 400, "ATTRIBUTE_READ_ONLY"},
		{mongo, mongoBody + `"ssl":"true"`, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"labels":[1]`, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"loadFactor":0`, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"maxCapacityGB":1.5`, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"writeConcern":"ALL"`, 400, "INVALID_ENUM_VALUE"},
		{mongo, `"id":"x","uri":"mongodb://unreachable.example.com"`, 409, "BACKUP_MONGO_CONNECTION_FAILED"},
		{s3, s3Body + `"maxCapacityGB":1`, 400, "INVALID_ATTRIBUTE"},
		{s3, s3Body + `"s3AuthMethod":"GUESS"`, 400, "INVALID_ENUM_VALUE"},
		{s3, without(`"awsSecretKey":"secret-key"`, `"ssl":true`), 400, "MISSING_ATTRIBUTE"},
		{s3, without(`"acceptedTos":true`, `"acceptedTos":false`), 409, "BACKUP_S3_TOS_NOT_ACCEPTED"},
		{s3, without(`"bucket"`, `"buc/ket"`), 400, "INVALID_ATTRIBUTE"},
		{s3, without(`s3.example`, `unreachable`), 409, "BACKUP_S3_CONNECTION_FAILED"},
		{s3, s3Body + `"customCertificates":[{"filename":"ca.pem"}]`, 400, "MISSING_ATTRIBUTE"},
		{s3, s3Body + `"objectLockEnabled":true,"objectRetentionMode":"COMPLIANCE"`, 400, ""},
		{s3, s3Body + `"objectRetentionDays":7,"objectRetentionMode":"COMPLIANCE"`, 400, ""},
		{s3, s3Body + `"objectLockEnabled":true,"objectRetentionDays":7,"objectRetentionMode":"NEVER"`, 400, "INVALID_ENUM_VALUE"},
		{files, `"id":"x","storePath":"mnt"`, 400, "BACKUP_INVALID_FS_PATH"},
		{files, `"id":"x","storePath":"/mnt","ssl":true`, 400, "INVALID_ATTRIBUTE"},
		{mongo, mongoBody + `"oidc":{"enabled":true,"method":"callback","tokenUri":"https://t"}`, 400, "MISSING_ATTRIBUTE"},
		{mongo, mongoBody + `"oidc":{"enabled":true,"method":"magic"}`, 400, "INVALID_ENUM_VALUE"},
		{mongo, mongoBody + `"oidc":{"enabled":"yes"}`, 400, "INVALID_JSON_ATTRIBUTE"},
		{mongo, mongoBody + `"oidc":{"secret":"x"}`, 400, "INVALID_ATTRIBUTE"},
	} {
		t.Run(fmt.Sprintf("%s %s", test.kind, test.fields), func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.post(kindsOfStores[test.kind].path, body(test.fields)).refused(t, test.status, test.code)
			equal(t, len(c.service.BackupStore(test.kind, "x")), 0)
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
		sent := body(`"id":"x"`, kindsOfStores[test.kind].required, `"`+test.field+`":`+test.value)
		old := startVersion(t, test.before)
		old.post(kindsOfStores[test.kind].path, sent).refused(t, 400, "INVALID_ATTRIBUTE")
		old.service.SetBackupStore(test.kind, "held", object{test.field: true})
		if got := old.get(kindsOfStores[test.kind].path + "/held").ok(t); got[test.field] != nil {
			t.Errorf("%s returns %s", test.before, test.field)
		}
		c := startVersion(t, test.from)
		if got := c.post(kindsOfStores[test.kind].path, sent).ok(t); got[test.field] == nil {
			t.Errorf("%s does not return %s", test.from, test.field)
		}
	}
}

func TestSecretsOfStoresAreMaskedByNewerVersions(t *testing.T) {
	t.Parallel()
	const path = s3Stores
	sent := body(`"id":"x"`, s3Fields)
	secrets := func(c *client) string {
		got := c.get(path + "/x").ok(t)
		return fmt.Sprint(got["uri"], " ", got["awsAccessKey"], " ", got["awsSecretKey"])
	}
	old := startVersion(t, "8.0.25")
	old.post(path, sent).ok(t)
	equal(t, secrets(old), "mongodb://user:password@db.example.com:27017 AKIA0123456789WXYZ secret-key")
	masked := startVersion(t, "8.0.26")
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
	const path = syncStores
	const oidc = `"oidc":{"enabled":true,"method":"callback","tokenUri":"https://t","clientId":"c","clientSecret":"hush"}`
	for version, want := range map[string]string{"8.0.26": "hush", "8.0.27": "[REDACTED]"} {
		c := startVersion(t, version)
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
	masks := strings.NewReplacer(
		"user:password", "REDACTED:REDACTED", "AKIA0123456789WXYZ", "AKIA****WXYZ", "secret-key", "****************",
	).Replace(s3Fields)
	c := start(t)
	c.post(s3Stores, body(`"id":"x"`, s3Fields)).ok(t)
	c.put(path, body(masks)).ok(t)
	held := c.service.BackupStore(emulator.S3Blockstore, "x")
	if held["awsSecretKey"] != "****************" || !strings.Contains(fmt.Sprint(held["uri"]), "REDACTED") ||
		!strings.Contains(fmt.Sprint(held["awsAccessKey"]), "*") {
		t.Errorf("stored %v", held)
	}
}

func TestBucketAndObjectLockCannotBeChanged(t *testing.T) {
	t.Parallel()
	const path = s3Stores
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
		got := c.post(s3Stores, body(id, s3Fields, `"s3RegionOverride":`+override)).ok(t)
		if got["s3RegionOverride"] != want {
			t.Errorf("%s is returned as %v", override, got["s3RegionOverride"])
		}
	}
}

func TestPutOfAMissingStoreTestsItsBucket(t *testing.T) {
	t.Parallel()
	c := start(t)
	fields := strings.Replace(s3Fields, "https://", "https://"+emulator.Unreachable+".", 1)
	c.put(s3OplogStores+"/x", body(fields)).refused(t, 409, "BACKUP_S3_CONNECTION_FAILED")
}

func TestConnectionStringCanBeAListOfHosts(t *testing.T) {
	t.Parallel()
	const path = syncStores
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
	c.post(oplogStores, body(`"id":"x"`, mongoFields)).ok(t)
	c.service.SetBackupStore(emulator.OplogStore, "x", object{"ssl": true, "writeConcern": nil})
	if got := c.service.BackupStore(emulator.OplogStore, "x"); got["ssl"] != true || got["writeConcern"] != nil {
		t.Errorf("got %v", got)
	}
	c.service.RemoveBackupStore(emulator.OplogStore, "ny-oplog-1") // in use
	if c.service.BackupStore(emulator.OplogStore, "ny-oplog-1") != nil {
		t.Error("the store was not removed")
	}
	panics(t, "a store that does not exist", func() { c.service.UseBackupStore(emulator.OplogStore, "none", "project Payments") })
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
	equal(t, kinds, slices.Sorted(slices.Values(emulator.StoreKinds)))
}

func TestCertificatesMayBeRedacted(t *testing.T) {
	t.Parallel()
	const certificates = `"customCertificates":[{"filename":"ca.pem","certString":"PEM"}]`
	for redacts, want := range map[bool]string{false: "PEM", true: "[REDACTED]"} {
		c := startWith(t, emulator.Unknowns{RedactsCertificates: redacts})
		got := c.post(s3OplogStores, body(`"id":"x"`, s3Fields, certificates)).ok(t)
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
	const path = s3OplogStores
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
	c.post(syncStores, body(`"id":"x"`, mongoFields)).ok(t)
}
