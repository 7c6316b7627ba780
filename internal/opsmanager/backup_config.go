package opsmanager

import (
	"context"
	"net/http"
)

// Statuses of a backup configuration. A change can request StatusStarted from
// StatusInactive and StatusStopped, StatusStopped from StatusStarted, and
// StatusTerminating from StatusStopped. Ops Manager makes the other transitions:
// StatusInactive to StatusProvisioning to StatusStarted, and StatusTerminating to
// StatusInactive.
const (
	StatusInactive     = "INACTIVE"
	StatusProvisioning = "PROVISIONING"
	StatusStarted      = "STARTED"
	StatusStopped      = "STOPPED"
	StatusTerminating  = "TERMINATING"
)

// BackupConfig is the backup configuration of a replica set, a sharded cluster, or
// one shard. A field is nil if the response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
type BackupConfig struct {
	GroupID   *string `json:"groupId"`
	ClusterID *string `json:"clusterId"`

	StatusName        *string `json:"statusName"`        // one of the statuses above; the wanted one in the response to a change
	StorageEngineName *string `json:"storageEngineName"` // such as WIRED_TIGER
	EncryptionEnabled *bool   `json:"encryptionEnabled"`
	SSLEnabled        *bool   `json:"sslEnabled"` // for connections to the source of the backup

	ExcludedNamespaces []string `json:"excludedNamespaces"` // database or database.collection
	IncludedNamespaces []string `json:"includedNamespaces"`

	AuthMechanismName                 *string `json:"authMechanismName"` // such as NONE or MONGODB_CR, for the source
	Username                          *string `json:"username"`          // for the source; newer versions don't return it
	DisableCertificateRevocationCheck *bool   `json:"disableCertificateRevocationCheck"`

	PreferredMember *string        `json:"preferredMember"` // host:port; absent if none was chosen
	Provisioned     *bool          `json:"provisioned"`     // absent if there is little data
	SnapshotStore   *SnapshotStore `json:"snapshotStore"`   // only in the response to a change of it

	MultiRegionBackupEnabled *bool              `json:"multiRegionBackupEnabled"`
	MultiRegionMisconfigured *bool              `json:"multiRegionMisconfigured"` // a shard has no region, so no snapshots are taken
	DeploymentConfigs        []DeploymentConfig `json:"deploymentConfigs"`        // no documented version returns it

	Links []Link `json:"links"`
}

func (b BackupConfig) ids() []string {
	return []string{stringValue(b.GroupID), stringValue(b.ClusterID)}
}

// SnapshotStore is the store that new snapshots of a cluster are written to.
type SnapshotStore struct {
	Type string `json:"snapshotStoreType"` // s3blockstore
	ID   string `json:"snapshotStoreId"`
}

// DeploymentConfig assigns a shard to a deployment region.
type DeploymentConfig struct {
	RSID         string `json:"rsId"`         // name of the replica set
	DeploymentID string `json:"deploymentId"` // ID of the deployment region
}

func (DeploymentConfig) ids() []string { return nil }

// BackupConfigChange is a change of a backup configuration. Fields that are nil or
// empty are not sent. A pointer to an empty slice sends an empty list.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-backup-config/
type BackupConfigChange struct {
	// StatusStarted, StatusStopped or StatusTerminating, and not the present one.
	StatusName        *string `json:"statusName,omitempty"`
	StorageEngineName *string `json:"storageEngineName,omitempty"` // requires SyncSource
	SyncSource        *string `json:"syncSource,omitempty"`        // PRIMARY, SECONDARY or a host, to sync from
	EncryptionEnabled *bool   `json:"encryptionEnabled,omitempty"` // true requires SyncSource
	SSLEnabled        *bool   `json:"sslEnabled,omitempty"`

	// The whole new list. Removing an excluded namespace or adding an included one
	// requires SyncSource. Only one of the lists can have elements.
	ExcludedNamespaces *[]string `json:"excludedNamespaces,omitempty"`
	IncludedNamespaces *[]string `json:"includedNamespaces,omitempty"`

	// Credentials for clusters that Automation does not manage. A new Username requires
	// the Password.
	AuthMechanismName *string `json:"authMechanismName,omitempty"`
	Username          *string `json:"username,omitempty"`
	Password          string  `json:"password,omitempty"` // not in any error or log

	DisableCertificateRevocationCheck *bool `json:"disableCertificateRevocationCheck,omitempty"` // Ops Manager 8.0.27 and later

	PreferredMember *string        `json:"preferredMember,omitempty"` // host:port, one of AvailableMembers
	SnapshotStore   *SnapshotStore `json:"snapshotStore,omitempty"`   // Ops Manager 8.0.6 and later

	MultiRegionBackupEnabled *bool               `json:"multiRegionBackupEnabled,omitempty"` // Ops Manager 7.0.4 and later
	DeploymentConfigs        *[]DeploymentConfig `json:"deploymentConfigs,omitempty"`        // requires MultiRegionBackupEnabled
}

// ListBackupConfigs lists the backup configurations of a project. Their order is
// not documented.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) if the project does not
// exist or is not visible to the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-backup-configs-for-group/
func (c *Client) ListBackupConfigs(ctx context.Context, projectID string, page Page) (*List[BackupConfig], error) {
	return list[BackupConfig](ctx, c, inProject(projectID, "backupConfigs"), page)
}

// BackupConfig returns the backup configuration of a cluster.
//
// It fails with CLUSTER_NOT_FOUND or BACKUP_CONFIG_NOT_FOUND (404) if there is none,
// with CANNOT_GET_BACKUP_CONFIG_INVALID_STATE (409) if the cluster is not monitored,
// and with ErrOtherObject if the response is for another cluster.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-backup-config-by-cluster-id/
func (c *Client) BackupConfig(ctx context.Context, projectID, clusterID string) (*BackupConfig, error) {
	return call[BackupConfig](ctx, c, backupConfigEndpoint(projectID, clusterID), nil)
}

// UpdateBackupConfig sets the fields of a change and returns the backup configuration
// with the wanted values. A status is reached later, and BackupConfig may return old
// values for some time. A request with a status or a sync source is repeated only if it
// cannot have taken effect: the same status again would be rejected, and the same sync
// source would start another sync.
//
// It fails with these codes, among others:
//
//   - CANNOT_START_BACKUP_INVALID_STATE, CANNOT_STOP_BACKUP_INVALID_STATE or
//     CANNOT_TERMINATE_BACKUP_INVALID_STATE (409) if the status cannot follow the present
//     one, and UNSUPPORTED_SET_BACKUP_STATE (403) if no client can request it
//   - CANNOT_MODIFY_SHARD_BACKUP_CONFIG (409) if the cluster is a shard; the detail has
//     the ID of the whole cluster
//   - CANNOT_GET_BACKUP_CONFIG_INVALID_STATE (409) if the cluster is not monitored
//   - MISSING_SYNC_SOURCE (409) if the change requires SyncSource
//   - INVALID_FILTERLIST (400) for both included and excluded namespaces, and
//     UPGRADE_FOR_EXCLUDED_NAMESPACES or UPGRADE_FOR_INCLUDED_NAMESPACES (409) if the
//     agent does not support them
//   - INVALID_AUTH_MECHANISM, AUTH_MECHANISM_REQUIRES_SSL,
//     CANNOT_SET_CREDENTIALS_FOR_AUTH_MECHANISM, CANNOT_SET_PASSWORD_FOR_AUTH_MECHANISM,
//     MISSING_CREDENTIALS_FOR_AUTH_MECHANISM or MISSING_PASSWORD (400), and
//     CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER (409), for credentials
//   - INVALID_ATTRIBUTE (400) if this version of Ops Manager does not have a field
//   - UNEXPECTED_ERROR (500), or 409 without a code since 8.0, if backup cannot start, for
//     example because no store can be assigned
//
// If it fails with ErrOtherObject, the change may have been made.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-backup-config/
func (c *Client) UpdateBackupConfig(ctx context.Context, projectID, clusterID string, change BackupConfigChange) (*BackupConfig, error) {
	e := backupConfigEndpoint(projectID, clusterID).changing(http.MethodPatch, changes)
	e.secrets = []string{change.Password}
	if change.StatusName != nil || change.SyncSource != nil {
		e.effect = starts
	}
	return call[BackupConfig](ctx, c, e, change)
}

// BackupConfigWithMembers is a backup configuration with the members of the cluster that snapshots can
// be taken from, each as host:port.
type BackupConfigWithMembers struct {
	BackupConfig

	AvailableMembers []string `json:"availableMembers"`
}

// BackupConfigWithMembers returns a backup configuration with its available members. It fails like
// BackupConfig.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-backup-config-by-cluster-id/
func (c *Client) BackupConfigWithMembers(ctx context.Context, projectID, clusterID string) (*BackupConfigWithMembers, error) {
	return call[BackupConfigWithMembers](ctx, c, backupConfigEndpoint(projectID, clusterID, "availableMembers"), nil)
}

// backupConfigEndpoint returns the endpoint that reads a backup configuration, or a part of it.
func backupConfigEndpoint(projectID, clusterID string, part ...string) endpoint {
	return inProject(projectID, append([]string{"backupConfigs", clusterID}, part...)...).about(hexID("clusterId", clusterID))
}
