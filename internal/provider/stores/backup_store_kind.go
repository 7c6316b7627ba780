// Package stores implements the resources and the data source of backup stores.
package stores

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// storeKind describes the resource of a kind of stores.
type storeKind struct {
	api  opsmanager.StoreKind
	noun string // as in opsmanager_blockstore

	title       string // in messages, such as Blockstore
	description string // of what the stores are for
	deletion    string // what Ops Manager requires to delete a store

	fields  []storeField
	secrets []storeSecret
	oidc    bool // whether its database can be used with OpenID Connect
	s3      bool // whether its stores have a bucket

	// deletesWhenUnassignable reports that Ops Manager may refuse to delete a store
	// while backups can be assigned to it.
	deletesWhenUnassignable bool
}

// storeField is a field of a store that a configuration can set, and that is no secret.
type storeField struct {
	tfmodel.Field[opsmanager.BackupStore]

	required    bool // to create a store
	fixed       bool // whether Ops Manager can't change it
	lock        bool // whether it is a part of Object Lock
	optional    bool // whether a response lacks it if it is not set
	description string
	validators  []validator.String
}

// storeSecret is a field of a store that is a secret. The configuration has it in one of
// two attributes: attribute, or the write-only attribute_wo.
type storeSecret struct {
	attribute   string
	api         func(*opsmanager.BackupStore) **string
	required    bool // to create a store
	description string

	// inClear returns the part of the secret that distinguishes one text in clear from another. It is
	// empty if the text may be a mask. The function is nil if nothing tells them apart.
	inClear func(text string) string
}

var (
	assignmentEnabled = storeField{
		Field:       tfmodel.BoolField("assignment_enabled", func(s *opsmanager.BackupStore) **bool { return &s.AssignmentEnabled }),
		description: "Whether backups can be assigned to the store.",
	}
	labels = storeField{
		Field:       tfmodel.TextsField("labels", func(s *opsmanager.BackupStore) **[]string { return &s.Labels }),
		description: "Labels of the store. If there are labels, only projects with a matching label filter can use the store. If there are none, only projects without a label filter can. Set an empty list to remove all labels.",
	}
	loadFactor = storeField{
		Field:       tfmodel.NumberField("load_factor", func(s *opsmanager.BackupStore) **int64 { return &s.LoadFactor }),
		description: "Weight of the store when Ops Manager assigns backups, `1` or more. A store with a higher factor gets more of them. Ops Manager returns `1` for a new store.",
	}
	ssl = storeField{
		Field:       tfmodel.BoolField("ssl", func(s *opsmanager.BackupStore) **bool { return &s.SSL }),
		description: "Whether Ops Manager connects to the database over TLS.",
	}
	encryptedCredentials = storeField{
		Field:       tfmodel.BoolField("encrypted_credentials", func(s *opsmanager.BackupStore) **bool { return &s.EncryptedCredentials }),
		description: "Whether the credentials in the connection string were encrypted with the credentials tool of Ops Manager.",
	}
	writeConcern = storeField{
		Field:       tfmodel.TextField("write_concern", func(s *opsmanager.BackupStore) **string { return &s.WriteConcern }),
		optional:    true,
		description: "Write concern for the database: `ACKNOWLEDGED`, `W2`, `JOURNALED` or `MAJORITY`.",
	}
	maxCapacity = storeField{
		Field:       tfmodel.NumberField("max_capacity_gb", func(s *opsmanager.BackupStore) **int64 { return &s.MaxCapacityGB }),
		optional:    true,
		description: "Capacity of the store in GB, `1` or more. Ops Manager uses it for an alert, and does not enforce it.",
	}
	database = []storeField{ssl, encryptedCredentials, writeConcern}
	bucket   = []storeField{
		{
			Field: tfmodel.TextField("s3_bucket_name", func(s *opsmanager.BackupStore) **string { return &s.S3BucketName }), required: true, fixed: true,
			description: "Name of the bucket. Nothing else may use the bucket, and it must not have life-cycle rules.",
		},
		{
			Field: tfmodel.TextField("s3_bucket_endpoint", func(s *opsmanager.BackupStore) **string { return &s.S3BucketEndpoint }), required: true,
			description: "URL of the S3 service, such as `https://s3.us-east-1.amazonaws.com`.",
		},
		{
			Field: tfmodel.NumberField("s3_max_connections", func(s *opsmanager.BackupStore) **int64 { return &s.S3MaxConnections }), required: true,
			description: "Maximum number of connections to the bucket, `1` or more.",
		},
		{
			Field: tfmodel.BoolField("path_style_access_enabled", func(s *opsmanager.BackupStore) **bool { return &s.PathStyleAccessEnabled }), required: true,
			description: "Whether the bucket is part of the path of a URL, instead of the host.",
		},
		{
			Field: tfmodel.BoolField("sse_enabled", func(s *opsmanager.BackupStore) **bool { return &s.SSEEnabled }), required: true,
			description: "Whether the bucket encrypts objects on the server side.",
		},
		{
			Field: tfmodel.BoolField("accepted_tos", func(s *opsmanager.BackupStore) **bool { return &s.AcceptedTOS }), required: true,
			description: "Whether you accept the terms of service for using S3 stores. Must be `true`.",
		},
		{
			Field:       tfmodel.TextField("s3_auth_method", func(s *opsmanager.BackupStore) **string { return &s.S3AuthMethod }),
			validators:  []validator.String{stringvalidator.OneOf(authKeys, authRole)},
			description: "How Ops Manager authenticates to the bucket: `KEYS`, which requires both AWS keys, or `IAM_ROLE`. Ops Manager creates a store with `KEYS` by default.",
		},
		{
			Field:       tfmodel.TextField("s3_region_override", func(s *opsmanager.BackupStore) **string { return &s.S3RegionOverride }),
			optional:    true,
			description: "Region of an S3 service other than AWS.",
		},
		{
			Field:       tfmodel.BoolField("disable_proxy_s3", func(s *opsmanager.BackupStore) **bool { return &s.DisableProxyS3 }),
			description: "Whether Ops Manager connects to the bucket without its proxy.",
		},
	}
	directory = []storeField{
		{
			Field: tfmodel.TextField("store_path", func(s *opsmanager.BackupStore) **string { return &s.StorePath }), required: true,
			validators:  []validator.String{secrets.NoContent},
			description: "Absolute path of the directory for the snapshots, on the host of each backup daemon.",
		},
		{
			Field:       tfmodel.TextField("mmapv1_compression_setting", func(s *opsmanager.BackupStore) **string { return &s.MMAPV1CompressionSetting }),
			description: "Compression of snapshots of MMAPv1 databases: `NONE` or `GZIP`. Ops Manager creates a store with `NONE` by default, and ignores the value from feature compatibility version 4.2 on.",
		},
		{
			Field:       tfmodel.TextField("wt_compression_setting", func(s *opsmanager.BackupStore) **string { return &s.WTCompressionSetting }),
			description: "Compression of snapshots of WiredTiger databases: `GZIP` or `NONE`. Ops Manager creates a store with `GZIP` by default, and ignores the value from feature compatibility version 4.2 on.",
		},
	}
)

// objectLock returns the fields of Object Lock, with the versions that introduced it and
// its retention.
func objectLock(version, retentionVersion string) []storeField {
	return []storeField{
		{
			Field: tfmodel.BoolField("object_lock_enabled", func(s *opsmanager.BackupStore) **bool { return &s.ObjectLockEnabled }), fixed: true, lock: true,
			description: "Whether Ops Manager locks the objects in the bucket. The bucket must have versioning and Object Lock enabled. Requires Ops Manager " + version + " or later.",
		},
		{
			Field: tfmodel.TextField("object_retention_mode", func(s *opsmanager.BackupStore) **string { return &s.ObjectRetentionMode }), fixed: true, lock: true,
			validators:  []validator.String{stringvalidator.OneOf("GOVERNANCE", "COMPLIANCE")},
			description: "Mode of the retention of locked objects: `GOVERNANCE` or `COMPLIANCE`. Requires `object_lock_enabled`, `object_retention_days`, and Ops Manager " + retentionVersion + " or later.",
		},
		{
			Field: tfmodel.NumberField("object_retention_days", func(s *opsmanager.BackupStore) **int64 { return &s.ObjectRetentionDays }), fixed: true, lock: true,
			description: "Days to lock an object, `1` or more. Requires `object_retention_mode`.",
		},
	}
}

const (
	authKeys = "KEYS"
	authRole = "IAM_ROLE"
)

var (
	uri = storeSecret{
		attribute: "uri", api: func(s *opsmanager.BackupStore) **string { return &s.URI }, required: true,
		description: "MongoDB connection string of the database, with its credentials, such as `mongodb://user:password@db1.example.com:27017,db2.example.com:27017`, or a list of its hosts, such as `db1.example.com:27017,db2.example.com:27017`. Ops Manager may need a restart to use a changed connection string.",
		inClear:     hostsInClear,
	}
	keys = []storeSecret{
		{
			attribute: "aws_access_key", api: func(s *opsmanager.BackupStore) **string { return &s.AWSAccessKey },
			description: "Access key ID for the bucket. Required with `s3_auth_method = \"KEYS\"`.",
			inClear:     accessKeyInClear,
		},
		{
			attribute: "aws_secret_key", api: func(s *opsmanager.BackupStore) **string { return &s.AWSSecretKey },
			description: "Secret access key for the bucket. Required with `s3_auth_method = \"KEYS\"`.",
		},
	}
)

const (
	emptyStore   = "Ops Manager deletes the store only if no backup uses it and no snapshot is in it."
	unboundStore = "Ops Manager deletes the store only if no backup uses it."
)

var (
	blockstore = storeKind{
		api: opsmanager.Blockstore, noun: "blockstore", title: "Blockstore", description: "for snapshots, in a MongoDB database", deletion: emptyStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, loadFactor, maxCapacity}, database), secrets: []storeSecret{uri}, oidc: true,
	}
	s3Blockstore = storeKind{
		api: opsmanager.S3Blockstore, noun: "s3_blockstore", title: "S3 Blockstore", deletion: emptyStore,
		description: "for snapshots, in an S3 bucket with metadata in a MongoDB database",
		fields:      slices.Concat([]storeField{assignmentEnabled, labels, loadFactor}, database, bucket, objectLock("8.0.19", "8.0.27")),
		secrets:     append([]storeSecret{uri}, keys...), oidc: true, s3: true, deletesWhenUnassignable: true,
	}
	fileSystemStore = storeKind{
		api: opsmanager.FileSystemStore, noun: "file_system_store", title: "File System Store", description: "for snapshots, in a directory", deletion: emptyStore,
		fields: append([]storeField{assignmentEnabled, labels, loadFactor}, directory...),
	}
	oplogStore = storeKind{
		api: opsmanager.OplogStore, noun: "oplog_store", title: "Oplog Store", description: "for oplogs, in a MongoDB database", deletion: unboundStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, maxCapacity}, database), secrets: []storeSecret{uri}, oidc: true,
	}
	s3OplogStore = storeKind{
		api: opsmanager.S3OplogStore, noun: "s3_oplog_store", title: "S3 Oplog Store", deletion: unboundStore,
		description: "for oplogs, in an S3 bucket with metadata in a MongoDB database",
		fields:      slices.Concat([]storeField{assignmentEnabled, labels}, database, bucket, objectLock("8.0.28", "8.0.28")),
		secrets:     append([]storeSecret{uri}, keys...), oidc: true, s3: true, deletesWhenUnassignable: true,
	}
	syncStore = storeKind{
		api: opsmanager.SyncStore, noun: "sync_store", title: "Sync Store", description: "for initial syncs, in a MongoDB database", deletion: unboundStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, maxCapacity}, database), secrets: []storeSecret{uri}, oidc: true,
	}
	storeKinds = []*storeKind{&blockstore, &s3Blockstore, &fileSystemStore, &oplogStore, &s3OplogStore, &syncStore}
)

// convertible returns the fields of a store, to convert and compare them.
func (k *storeKind) convertible() tfmodel.Fields[opsmanager.BackupStore] {
	return k.fieldsWith(func(storeField) bool { return true })
}

// optional returns the fields that a response lacks if they are not set.
func (k *storeKind) optional() tfmodel.Fields[opsmanager.BackupStore] {
	return k.fieldsWith(func(f storeField) bool { return f.optional })
}

func (k *storeKind) fieldsWith(property func(storeField) bool) tfmodel.Fields[opsmanager.BackupStore] {
	var found tfmodel.Fields[opsmanager.BackupStore]
	for _, f := range k.fields {
		if property(f) {
			found = append(found, f.Field)
		}
	}
	return found
}

// schema returns the attribute of a field.
func (f storeField) schema() schema.Attribute {
	description := f.description
	if f.required {
		description += " Required to create a store."
	}
	description += attributes.Kept
	if f.optional {
		description += " It is null if the store has none."
	}
	if f.fixed {
		description += " Ops Manager can't change it: a store with a different value needs a new `id`."
	}
	switch f.Value(opsmanager.BackupStore{}).(type) {
	case types.Bool:
		return attributes.Bool(description)
	case types.Int64:
		return attributes.Number(description, int64validator.AtLeast(1))
	case types.Set:
		return attributes.Texts(description)
	}
	validators := f.validators
	if f.required {
		validators = append([]validator.String{stringvalidator.LengthAtLeast(1)}, validators...)
	}
	return attributes.Text(description, validators...)
}
