package opsmanager

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// StoreKind is a kind of backup store: the path of its stores after /admin/backup/.
type StoreKind string

// The kinds of backup stores. The pages of the documentation are named after their paths.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/
const (
	Blockstore      StoreKind = "snapshot/mongoConfigs"      // snapshots in a MongoDB database
	S3Blockstore    StoreKind = "snapshot/s3Configs"         // snapshots in an S3 bucket, with metadata in a MongoDB database
	FileSystemStore StoreKind = "snapshot/fileSystemConfigs" // snapshots in a directory that all daemons mount
	OplogStore      StoreKind = "oplog/mongoConfigs"         // oplogs in a MongoDB database
	S3OplogStore    StoreKind = "oplog/s3Configs"            // oplogs in an S3 bucket, with metadata in a MongoDB database
	SyncStore       StoreKind = "sync/mongoConfigs"          // initial syncs, in a MongoDB database
)

// isS3 reports whether stores of a kind have a bucket.
func (k StoreKind) isS3() bool { return k == S3Blockstore || k == S3OplogStore }

// BackupStore is a store for snapshots, oplogs or initial syncs. Each kind has some of
// the fields; a request with another one fails. A nil field is not sent in a request. In
// a response it was missing or null.
//
// Secrets are unredacted before Ops Manager 8.0.26, and masked since.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/create-one-blockstore-configuration/
type BackupStore struct {
	ID string `json:"id,omitempty"` // chosen by the administrator; cannot be changed

	// All kinds.
	AssignmentEnabled *bool             `json:"assignmentEnabled,omitempty"` // whether backups can be assigned to the store
	Labels            *Replaced[string] `json:"labels,omitempty"`            // restrict it to projects with a matching filter; in any order
	LoadFactor        *int64            `json:"loadFactor,omitempty"`        // above 0; in requests, only for stores of snapshots
	UsedSize          *float64          `json:"usedSize,omitempty"`          // only in responses; the documentation says MB

	// All kinds but file system stores.
	URI                  *string   `json:"uri,omitempty"` // secret; connection string of the database; required
	SSL                  *bool     `json:"ssl,omitempty"`
	EncryptedCredentials *bool     `json:"encryptedCredentials,omitempty"` // whether the credentials tool encrypted those in URI
	WriteConcern         *string   `json:"writeConcern,omitempty"`         // ACKNOWLEDGED, W2, JOURNALED or MAJORITY
	OIDC                 StoreOIDC `json:"oidc,omitzero"`                  // Ops Manager 8.0.26 and later; an update without it removes it
	MaxCapacityGB        *int64    `json:"maxCapacityGB,omitempty"`        // above 0, for an alert; not for S3 stores

	// S3 stores.
	S3BucketName           *string                `json:"s3BucketName,omitempty"`           // required; cannot be changed
	S3BucketEndpoint       *string                `json:"s3BucketEndpoint,omitempty"`       // required
	S3MaxConnections       *int64                 `json:"s3MaxConnections,omitempty"`       // above 0; required
	PathStyleAccessEnabled *bool                  `json:"pathStyleAccessEnabled,omitempty"` // required
	SSEEnabled             *bool                  `json:"sseEnabled,omitempty"`             // required
	AcceptedTOS            *bool                  `json:"acceptedTos,omitempty"`            // required; must be true
	S3AuthMethod           *string                `json:"s3AuthMethod,omitempty"`           // KEYS (default) or IAM_ROLE
	AWSAccessKey           *string                `json:"awsAccessKey,omitempty"`           // secret; required with KEYS
	AWSSecretKey           *string                `json:"awsSecretKey,omitempty"`           // secret; required with KEYS
	S3RegionOverride       *string                `json:"s3RegionOverride,omitempty"`       // returned only if set
	CustomCertificates     *Replaced[Certificate] `json:"customCertificates,omitempty"`     // Ops Manager 5.0 and later
	// Not a part of the API: where a caller keeps those of a response with masks.
	MaskedCertificates *Replaced[Certificate] `json:"-"`
	// Required in a creation: CreateBackupStore sends false if it is nil.
	DisableProxyS3 *bool `json:"disableProxyS3,omitempty"`

	// S3 stores with Object Lock: Ops Manager 8.0.19 and later for blockstores, 8.0.28 and
	// later for oplog stores. They can be set only when the store is created.
	ObjectLockEnabled   *bool   `json:"objectLockEnabled,omitempty"`
	ObjectRetentionMode *string `json:"objectRetentionMode,omitempty"` // GOVERNANCE or COMPLIANCE; Ops Manager 8.0.27 and later
	ObjectRetentionDays *int64  `json:"objectRetentionDays,omitempty"` // with ObjectRetentionMode
	ObjectLockEnabledAt *string `json:"objectLockEnabledAt,omitempty"` // only in responses

	// File system stores.
	StorePath                *string `json:"storePath,omitempty"`                // directory on the host of each daemon; required
	MMAPV1CompressionSetting *string `json:"mmapv1CompressionSetting,omitempty"` // NONE (default) or GZIP
	WTCompressionSetting     *string `json:"wtCompressionSetting,omitempty"`     // GZIP (default) or NONE

	Links   []Link        `json:"links,omitempty"` // not sent
	Unknown UnknownFields `json:",embed"`
}

// StoreOIDC is how Ops Manager authenticates to the database of a store with OpenID
// Connect. If it is enabled, credentials in the connection string are ignored.
type StoreOIDC struct {
	Enabled       *bool   `json:"enabled,omitempty"`
	Method        *string `json:"method,omitempty"` // callback, azure, gcp or k8s
	TokenURI      *string `json:"tokenUri,omitempty"`
	ClientID      *string `json:"clientId,omitempty"`
	ClientSecret  *string `json:"clientSecret,omitempty"` // secret; an update without it keeps it
	Scope         *string `json:"scope,omitempty"`
	TokenResource *string `json:"tokenResource,omitempty"`

	Unknown UnknownFields `json:",embed"`
}

// Certificate is a certificate of an authority that Ops Manager trusts.
type Certificate struct {
	Filename   string `json:"filename,omitempty"`
	CertString string `json:"certString,omitempty"` // in PEM; a response may have a mask

	Unknown UnknownFields `json:",embed"`
}

func (Certificate) ids() []string { return nil }

func (s BackupStore) ids() []string { return []string{s.ID} }

// secrets returns the secrets of a store.
func (s BackupStore) secrets() []string {
	return []string{stringValue(s.URI), stringValue(s.AWSAccessKey), stringValue(s.AWSSecretKey), stringValue(s.OIDC.ClientSecret)}
}

// storeEndpoint returns an endpoint for all stores of a kind, or for the one with an ID.
func storeEndpoint(kind StoreKind, method string, effect effect, id ...string) endpoint {
	return administration(method, effect, append(strings.Split(string(kind), "/"), id...)...)
}

// storeWrite returns the endpoint for a write of a store. Ops Manager tests the bucket of
// an S3 store with each write, and changes nothing if that fails. Such failures are often
// temporary. Both spellings of their code have been observed.
func storeWrite(kind StoreKind, method string, effect effect, store BackupStore, id ...string) endpoint {
	e := storeEndpoint(kind, method, effect, id...)
	e.secrets = store.secrets()
	if kind.isS3() {
		e.retryCodes = []string{"BACKUP_S3_VALIDATION_FAILED", "BACKUP-S3-VALIDATION_FAILED"}
	}
	return e
}

// store calls an endpoint whose response is the store with an ID, which is case-sensitive.
func (c *Client) store(ctx context.Context, e endpoint, id string, in any) (*BackupStore, error) {
	return call[BackupStore](ctx, c, e.about(objectID{"store", id, true}), in)
}

// ListBackupStores lists all stores of a kind. Their order is not documented. By default, Ops
// Manager leaves out the stores that no backup can be assigned to.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/get-all-blockstore-configurations/
func (c *Client) ListBackupStores(ctx context.Context, kind StoreKind) (*List[BackupStore], error) {
	e := storeEndpoint(kind, http.MethodGet, readOnly)
	e.query = url.Values{"assignableOnly": {"false"}}
	return list[BackupStore](ctx, c, e, Page{})
}

// BackupStore returns a store by its kind and ID. It fails with a code like
// MONGO_SNAPSHOT_CONFIG_NOT_FOUND (404) if there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/get-one-blockstore-configuration-by-id/
func (c *Client) BackupStore(ctx context.Context, kind StoreKind, id string) (*BackupStore, error) {
	return c.store(ctx, storeEndpoint(kind, http.MethodGet, readOnly, id), id, nil)
}

// CreateBackupStore creates a store with the ID in it. The effect of an ID that is in use
// is not documented, and the store may be overwritten. Change repeats the request only if the
// first attempt cannot have taken effect. Ops Manager requires DisableProxyS3 of an S3 store,
// so false is sent if it is nil.
//
// It fails with these codes, among others:
//
//   - BACKUP_MONGO_CONNECTION_FAILED (409) if Ops Manager cannot connect to the database
//   - BACKUP_S3_CONNECTION_FAILED or BACKUP_S3_VALIDATION_FAILED (409) if it cannot use
//     the bucket, and BACKUP_S3_TOS_NOT_ACCEPTED (409) without AcceptedTOS
//   - BACKUP_INVALID_FS_PATH (400) for the path of a file system store
//   - INVALID_ATTRIBUTE (400) if this version of Ops Manager does not have a field
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/create-one-blockstore-configuration/
func (c *Client) CreateBackupStore(ctx context.Context, kind StoreKind, store BackupStore) (*BackupStore, error) {
	if kind.isS3() && store.DisableProxyS3 == nil {
		store.DisableProxyS3 = new(false)
	}
	return c.store(ctx, storeWrite(kind, http.MethodPost, starts, store), store.ID, store)
}

// UpdateBackupStore replaces a store. Nil fields get their defaults, except for the client
// secret. A secret that was read may be a mask, which Ops Manager may store. It fails like
// BackupStore and CreateBackupStore.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/update-one-blockstore-configuration/
func (c *Client) UpdateBackupStore(ctx context.Context, kind StoreKind, store BackupStore) (*BackupStore, error) {
	store.Links = nil
	return c.store(ctx, storeWrite(kind, http.MethodPut, changes, store, store.ID), store.ID, store)
}

// DeleteBackupStore deletes a store. It fails like BackupStore if there is none, and with a
// code like BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG (409) while the store is in use. S3
// blockstores may not be deleted while AssignmentEnabled is true. The objects in a bucket
// are not deleted.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/snapshot/mongoConfigs/delete-one-blockstore-configuration/
func (c *Client) DeleteBackupStore(ctx context.Context, kind StoreKind, id string) error {
	return c.do(ctx, storeEndpoint(kind, http.MethodDelete, changes, id), nil, nil)
}
