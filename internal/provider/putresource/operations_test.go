package putresource_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// These tests are about failed requests. An S3 blockstore stands for all types: it has secrets, and timeouts of its own.

const storesPath = "/admin/backup/snapshot/s3Configs"

func TestOperationsOfAnS3BlockstoreSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "creating a store, its read", OwnTimeout: true, Sends: []string{"GET", "POST", "GET"}, Hits: 0,
			Fails: []string{"Unable to Create S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: createStore},
		providertest.Operation{Name: "creating a store", Creates: true, OwnTimeout: true, Sends: []string{"GET", "POST", "GET"}, Hits: 1,
			Fails: []string{"Unable to Create S3 Blockstore", "POST " + storesPath}, Prepare: createStore},
		providertest.Operation{Name: "refreshing a store", Sends: []string{"GET"},
			Fails: []string{"Unable to Read S3 Blockstore", "GET " + storesPath + "/new"}, Prepare: refreshStore},
		providertest.Operation{Name: "updating a store", OwnTimeout: true, Sends: []string{"GET", "PUT", "GET"}, Hits: 1,
			Fails: []string{"Unable to Update S3 Blockstore", "PUT " + storesPath + "/new"}, Prepare: updateStore},
		providertest.Operation{Name: "deleting a store", Sends: []string{"GET", "DELETE"}, Hits: 1,
			Fails: []string{"Unable to Delete S3 Blockstore", "DELETE " + storesPath + "/new"}, Prepare: deleteStore},
	)
}

func TestStoreThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t, updatedStore, deletedStore)
}

// updatedStore and deletedStore are operations while another client changes the store.
var updatedStore = providertest.Contested{
	Name: "store", Prepare: updateStore, Method: "PUT", Attribute: "load_factor", Field: "loadFactor", Third: 9.0, Code: "BACKUP_S3_VALIDATION_FAILED",
	Other: "newSetting", Theirs: "theirs", Object: "S3 Blockstore new", Set: setStore, Get: getStore,
}

var deletedStore = providertest.Contested{
	Name: "deleted store", Prepare: deleteStore, Method: "DELETE", Attribute: "s3_bucket_name", Field: "s3BucketName", Third: "theirs",
	Code:   "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG",
	Object: "S3 Blockstore new", Set: setStore, Get: getStore, Remove: func(d *providertest.FaultProxy) { d.RemoveBackupStore(emulator.S3Blockstore, "new") },
}

// What Ops Manager shows of a secret shows that another client has changed it.
func TestWriteIsNotRepeatedOverTheSecretOfAnotherClient(t *testing.T) {
	t.Parallel()
	change := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
		setStore(d, object{"uri": "mongodb://theirs.example.com"})
	}
	updatedStore.Run(t, "503", change, func(t *testing.T, _ *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
		diags.WantError(t, "changed since the plan: uri is another secret")
		if strings.Contains(strings.Join(diags.Errors(), ""), "theirs") {
			t.Errorf("the error has the secret: %q", diags.Errors())
		}
		providertest.WantRequests(t, seen, "PUT", "GET")
	})
}

// store returns the configuration of an S3 blockstore that can be deleted at once. Over a network, its
// timeouts are longer than a busy machine needs.
func store(d *providertest.FaultProxy, factor int) values {
	timeout := providertest.Timeout
	if !d.IsInMemory() {
		timeout *= 5
	}
	return s3Config(values{
		"timeouts": values{"create": timeout.String(), "update": timeout.String()}, "uri": "mongodb://db.example.com",
		"aws_access_key": nil, "aws_secret_key": nil, "s3_auth_method": "IAM_ROLE", "assignment_enabled": false, "load_factor": factor,
	})
}

func factorHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.BackupStore(emulator.S3Blockstore, "new")["loadFactor"] }
}

func createStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	a := providertest.Applying(t, m, store(d, 2)).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 2.0, 2)
	again := a.Again
	a.Again = func() providertest.Diagnostics { // a store that exists is imported
		if m.State.IsNull() && a.Held() != nil {
			m.Configure()
			if diags := m.ImportID("new"); len(diags.Errors()) > 0 {
				return diags
			}
		}
		return again()
	}
	return a
}

func refreshStore(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	d.SetBackupStore(emulator.S3Blockstore, "new", object{"loadFactor": 3})
	return providertest.Refreshing(m).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 3.0, 3)
}

func updateStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return providertest.Applying(t, m, store(d, 3)).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), 3.0, 3)
}

func deleteStore(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.S3BlockstoreType)
	m.Create(store(d, 2))
	return providertest.Destroying(t, m).Watching(factorHeld(d), providertest.Stored(m, "load_factor"), nil, nil)
}

func setStore(d *providertest.FaultProxy, fields object) {
	d.SetBackupStore(emulator.S3Blockstore, "new", fields)
}

func getStore(d *providertest.FaultProxy) object {
	return d.BackupStore(emulator.S3Blockstore, "new")
}
