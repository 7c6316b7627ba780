package opsmanager

import "context"

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
	return list(ctx, c, []string{"groups", projectID, "backupConfigs"}, page, func(b BackupConfig) string { return keyOf(b.ClusterID) })
}
