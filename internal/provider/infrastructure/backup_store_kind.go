// Package infrastructure implements the types of what an administrator of Ops Manager sets up for backups: stores, deployment
// regions, backup daemons, and the backup job configurations of projects. It looks for the stores that other resources name,
// because Ops Manager accepts a reference to a store that does not exist, and later starts no backup.
package infrastructure

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/putresource"
)

// backupStore is a store of any kind.
type backupStore = opsmanager.BackupStore

// storeKind describes the resource of a kind of stores.
type storeKind struct {
	api   opsmanager.StoreKind
	name  string // as in opsmanager_blockstore
	title string // in messages, such as Blockstore
	data  string // what its stores are for
	place place
	lock  []putresource.Field // of Object Lock

	putresource.Described[backupStore]
}

// place is where stores of a kind keep their data.
type place struct {
	name    string
	fields  []putresource.Field
	secrets []putresource.Secret[backupStore]
	isS3    bool // whether it is a bucket
}

var (
	inDatabase = place{
		name:    "in a MongoDB database",
		fields:  append([]putresource.Field{maxCapacity}, database...),
		secrets: databaseSecrets,
	}
	inBucket = place{
		name:    "in an S3 bucket with metadata in a MongoDB database",
		fields:  slices.Concat(database, bucket),
		secrets: slices.Concat(bucketSecrets, databaseSecrets),
		isS3:    true,
	}
	inDirectory = place{name: "in a directory", fields: directory}
)

const snapshots, oplogs = "snapshots", "oplogs"

var storeKinds = described([]*storeKind{
	{
		api:   opsmanager.Blockstore,
		name:  "blockstore",
		title: "Blockstore",
		data:  snapshots,
		place: inDatabase,
	},
	{
		api:   opsmanager.S3Blockstore,
		name:  "s3_blockstore",
		title: "S3 Blockstore",
		data:  snapshots,
		place: inBucket,
		lock:  objectLock("8.0.19", "8.0.27"),
	},
	{
		api:   opsmanager.FileSystemStore,
		name:  "file_system_store",
		title: "File System Store",
		data:  snapshots,
		place: inDirectory,
	},
	{
		api:   opsmanager.OplogStore,
		name:  "oplog_store",
		title: "Oplog Store",
		data:  oplogs,
		place: inDatabase,
	},
	{
		api:   opsmanager.S3OplogStore,
		name:  "s3_oplog_store",
		title: "S3 Oplog Store",
		data:  oplogs,
		place: inBucket,
		lock:  objectLock("8.0.28", "8.0.28"),
	},
	{
		api:   opsmanager.SyncStore,
		name:  "sync_store",
		title: "Sync Store",
		data:  "initial syncs",
		place: inDatabase,
	},
})

// described adds the fields of each kind.
func described(kinds []*storeKind) []*storeKind {
	for _, k := range kinds {
		common := []putresource.Field{assignmentEnabled, labels}
		if k.data == snapshots {
			common = append(common, loadFactor)
		}
		k.Described = putresource.Describe(&sample, slices.Concat(common, k.place.fields, k.lock), map[string]schema.Attribute{
			"id": putresource.NewID("ID of the store: any text that you choose. Forces replacement, which **deletes** this store."),
		})
		if k.place.isS3 {
			k.Fields = append(k.Fields, certificates)
			k.Attributes[customCertificates] = certificatesAttribute
		}
	}
	return kinds
}

// purpose says what the stores of a kind are for.
func (k *storeKind) purpose() string { return "for " + k.data + ", " + k.place.name }

// deletion says what Ops Manager requires to delete a store.
func (k *storeKind) deletion() string {
	if k.data == snapshots {
		return "Ops Manager deletes the store only if no backup uses it and no snapshot is in it."
	}
	return "Ops Manager deletes the store only if no backup uses it."
}
