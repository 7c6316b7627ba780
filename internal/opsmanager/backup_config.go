package opsmanager

import (
	"context"
)

// BackupConfig is the backup configuration of a replica set, a sharded cluster, or
// one shard. A field is nil if the response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
type BackupConfig struct {
	GroupID   *string `json:"groupId"`
	ClusterID *string `json:"clusterId"`

	StatusName        *string `json:"statusName"`        // such as STARTED, STOPPED, INACTIVE
	StorageEngineName *string `json:"storageEngineName"` // such as WIRED_TIGER
	EncryptionEnabled *bool   `json:"encryptionEnabled"`
	SSLEnabled        *bool   `json:"sslEnabled"` // for connections to the source of the backup

	ExcludedNamespaces []string `json:"excludedNamespaces"` // database or database.collection
	IncludedNamespaces []string `json:"includedNamespaces"`

	AuthMechanismName        *string `json:"authMechanismName"` // such as NONE or MONGODB_CR, for the source
	PreferredMember          *string `json:"preferredMember"`   // host:port; absent if none was chosen
	Provisioned              *bool   `json:"provisioned"`       // absent if there is little data
	MultiRegionBackupEnabled *bool   `json:"multiRegionBackupEnabled"`
	MultiRegionMisconfigured *bool   `json:"multiRegionMisconfigured"` // a shard has no region, so no snapshots are taken

	Links []Link `json:"links"`
}

// ListBackupConfigs lists the backup configurations of a project. Their order is
// not documented.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) if the project does not
// exist or is not visible to the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
func (c *Client) ListBackupConfigs(ctx context.Context, projectID string, page Page) (*List[BackupConfig], error) {
	return list(ctx, c, get("groups", projectID, "backupConfigs"), page, func(b BackupConfig) string { return stringValue(b.ClusterID) }, func(b BackupConfig) *string { return b.GroupID })
}

// BackupConfig returns the backup configuration of a cluster.
//
// It fails with CLUSTER_NOT_FOUND or BACKUP_CONFIG_NOT_FOUND (404) if there is none,
// with CANNOT_GET_BACKUP_CONFIG_INVALID_STATE (409) if the cluster is not monitored,
// and with ErrOtherObject if the response is for another cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-backup-config-by-cluster-id/
func (c *Client) BackupConfig(ctx context.Context, projectID, clusterID string) (*BackupConfig, error) {
	e := get("groups", projectID, "backupConfigs", clusterID)
	return call(ctx, c, e, nil, func(b *BackupConfig) []objectID {
		return []objectID{hexID("groupId", projectID, stringValue(b.GroupID)), hexID("clusterId", clusterID, stringValue(b.ClusterID))}
	})
}
