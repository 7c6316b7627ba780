package opsmanager

import (
	"context"
)

// BackupConfig is the backup configuration of a replica set, of a whole sharded
// cluster, or of one of its shards. Nil means that the answer left it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
type BackupConfig struct {
	GroupID   *string `json:"groupId"`
	ClusterID *string `json:"clusterId"`

	StatusName        *string `json:"statusName"`        // such as STARTED, STOPPED, INACTIVE
	StorageEngineName *string `json:"storageEngineName"` // such as WIRED_TIGER
	EncryptionEnabled *bool   `json:"encryptionEnabled"`
	SSLEnabled        *bool   `json:"sslEnabled"` // towards the source of the backup

	ExcludedNamespaces []string `json:"excludedNamespaces"` // each a database or database.collection
	IncludedNamespaces []string `json:"includedNamespaces"`

	AuthMechanismName        *string `json:"authMechanismName"` // such as NONE, MONGODB_CR; of the source
	PreferredMember          *string `json:"preferredMember"`   // host:port; absent where none was chosen
	Provisioned              *bool   `json:"provisioned"`       // absent where the data is small
	MultiRegionBackupEnabled *bool   `json:"multiRegionBackupEnabled"`
	MultiRegionMisconfigured *bool   `json:"multiRegionMisconfigured"` // whether a shard has no region, so that no snapshots are taken

	Links []Link `json:"links"`
}

// ListBackupConfigs lists the backup configurations of a project, in no
// documented order.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) where there is no
// such project for the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
func (c *Client) ListBackupConfigs(ctx context.Context, projectID string, page Page) (*List[BackupConfig], error) {
	return list(ctx, c, get("groups", projectID, "backupConfigs"), page, func(b BackupConfig) string { return keyOf(b.ClusterID) })
}

// BackupConfig reads one backup configuration.
//
// It fails with CLUSTER_NOT_FOUND or BACKUP_CONFIG_NOT_FOUND (404) where there is
// none, with CANNOT_GET_BACKUP_CONFIG_INVALID_STATE (409) where the cluster is not
// monitored, and with ErrOtherObject if the answer is that of another cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-backup-config-by-cluster-id/
func (c *Client) BackupConfig(ctx context.Context, projectID, clusterID string) (*BackupConfig, error) {
	e := get("groups", projectID, "backupConfigs", clusterID)
	return call(ctx, c, e, nil, func(b *BackupConfig) []objectID {
		return []objectID{hexID("groupId", projectID, keyOf(b.GroupID)), hexID("clusterId", clusterID, keyOf(b.ClusterID))}
	})
}
