package emulator_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	jobConfigsPath = backupPath + "groups"
	allFilters     = `"labelFilter":["east","production"],"daemonFilter":[{"machine":"om-ny.example.com"}],` +
		`"snapshotStoreFilter":[{"id":"ny-s3-1","type":"s3blockstore"}],` +
		`"oplogStoreFilter":[{"id":"ny-oplog-1","type":"oplogStore"}],"syncStoreFilter":["ny-sync-1"]`
)

func TestJobConfigIsCreatedByItsFirstPut(t *testing.T) {
	t.Parallel()
	c := startVersion(t, "7.0.0")
	path := jobConfigsPath + "/" + payments
	c.get(path).refused(t, 404, "GROUP_NOT_FOUND")
	c.put(path, body(allFilters, `"kmipClientCertPath":"/kmip"`, `"kmipClientCertPassword":"secret"`)).ok(t)
	got := c.get(path).ok(t)
	if got["id"] != payments || got["kmipClientCertPassword"] != "secret" || !reflect.DeepEqual(got["labelFilter"], []any{"production", "east"}) {
		t.Errorf("got %v", got)
	}
	c.put(path, body(`"syncStoreFilter":[]`)).ok(t)
	if got := c.get(path).ok(t); len(got) != 3 { // the ID, the links, and privateLinkEnabled
		t.Errorf("a replacement keeps %v", got)
	}
	if all, _ := c.get(jobConfigsPath).ok(t)["results"].([]any); len(all) != 2 {
		t.Errorf("listed %v", all)
	}
}

func TestInvalidJobConfigIsRejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, code string }{
		"a store of another type": {body(`"snapshotStoreFilter":[{"id":"x","type":"oplogStore"}]`), "INVALID_ENUM_VALUE"},
		"an oplog store":          {body(`"oplogStoreFilter":[{"id":"x","type":"s3blockstore"}]`), "INVALID_ENUM_VALUE"},
		"a text":                  {body(`"labelFilter":"east"`), "INVALID_JSON_ATTRIBUTE"},
		"a daemon without a name": {body(`"daemonFilter":[{"headRootDirectory":"/"}]`), "MISSING_ATTRIBUTE"},
		"an unknown field":        {body(`"x":1`), "INVALID_ATTRIBUTE"},
		"another ID":              {body(`"id":"` + nowhere + `"`), "ATTRIBUTE_READ_ONLY"},
		"no path":                 {body(`"kmipClientCertPassword":"x"`), "BACKUP_KMIP_CERTIFICATE_PATH_REQUIRED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t).do(http.MethodPut, jobConfigsPath+"/"+payments, test.body).refused(t, 400, test.code)
		})
	}
}

func TestStoreThatAJobConfigNamesIsNotDeletedByNewVersions(t *testing.T) {
	t.Parallel()
	for version, refused := range map[string]bool{"8.0.26": false, "8.0.27": true} {
		for kind, filter := range map[emulator.StoreKind]string{
			emulator.FileSystemStore: `"snapshotStoreFilter":[{"id":"au-nfs-1","type":"fileSystemStore"}]`,
			emulator.OplogStore:      `"oplogStoreFilter":[{"id":"au-oplog-1","type":"oplogStore"}]`,
			emulator.SyncStore:       `"syncStoreFilter":["ny-sync-1"]`,
		} {
			c := startVersion(t, version)
			c.put(jobConfigsPath+"/"+payments, body(filter)).ok(t)
			id := map[emulator.StoreKind]string{emulator.FileSystemStore: "au-nfs-1", emulator.OplogStore: "au-oplog-1", emulator.SyncStore: "ny-sync-1"}[kind]
			got := c.delete(kindsOfStores[kind].path + "/" + id)
			if (got.status == 409) != refused || refused && !strings.Contains(got.body, "Payments") {
				t.Errorf("%s %s: %d %s", version, kind, got.status, got.body)
			}
		}
	}
}

func TestBackupIsAssignedToWhatTheJobConfigSelects(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{TransitionReads: -1})
	path := inPayments + "/backupConfigs/" + reports
	begin := func() response {
		return c.patch(path, `{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY"}`)
	}
	for _, unsuitable := range []string{
		`"labelFilter":["nowhere"]`, `"daemonFilter":[{"machine":"om-eu.example.com"}]`,
		`"snapshotStoreFilter":[{"id":"eu-s3-1","type":"s3blockstore"}]`,
	} {
		c.put(jobConfigsPath+"/"+payments, body(unsuitable)).ok(t)
		begin().refused(t, 409, "")
	}
	c.put(jobConfigsPath+"/"+payments, body(`"daemonFilter":[{"machine":"om-au.example.com"}]`)).ok(t)
	begin().ok(t)
	daemon, store, oplogs := daemonsPath+"/om-au.example.com/%2Fdata%2Fbackup%2F", s3Stores+"/au-s3-1", oplogStores+"/au-oplog-1"
	for path, code := range map[string]string{
		daemon: "BACKUP_CANNOT_REMOVE_DAEMON_CONFIG", store: "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG",
		oplogs: "BACKUP_CANNOT_REMOVE_OPLOG_STORE_CONFIG",
	} {
		c.delete(path).refused(t, 409, code)
	}
	c.service.SetBackupStatus(payments, reports, "INACTIVE")
	for _, path := range []string{daemon, oplogs} {
		if got := c.delete(path); got.status != 204 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}
