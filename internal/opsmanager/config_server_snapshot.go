package opsmanager

import "context"

// ConfigServerSnapshot is a snapshot of a mirrored config server. Nil means
// that the answer left it out; times are ISO 8601 in UTC, as they were sent.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-config-server/
type ConfigServerSnapshot struct {
	ID          *string `json:"id"`
	GroupID     *string `json:"groupId"`
	ClusterID   *string `json:"clusterId"`
	ClusterName *string `json:"clusterName"`

	Complete             *bool            `json:"complete"` // false while the snapshot is being taken
	Created              *Timestamp       `json:"created"`
	DoNotDelete          *bool            `json:"doNotDelete"`
	Expires              *string          `json:"expires"` // absent where DoNotDelete is true
	LastOplogAppliedTime *Timestamp       `json:"lastOplogAppliedTimestamp"`
	NamespaceFilterList  *NamespaceFilter `json:"namespaceFilterList"`
	Parts                []SnapshotPart   `json:"parts"` // exactly one, by the documentation
	Links                []Link           `json:"links"`
}

// Timestamp is a moment and the order of operations within it.
type Timestamp struct {
	Date      *string `json:"date"`
	Increment *int64  `json:"increment"`
}

// NamespaceFilter says which namespaces a snapshot holds. Versions of the
// service name its types differently: denyList, denylist, blacklist, and so on.
type NamespaceFilter struct {
	FilterList []string `json:"filterList"`
	FilterType *string  `json:"filterType"`
}

// SnapshotPart is the part of a snapshot that one process holds.
type SnapshotPart struct {
	ClusterID          *string `json:"clusterId"`
	CompletedTime      *string `json:"completedTime"`
	CompressionSetting *string `json:"compressionSetting"` // such as GZIP
	DataSizeBytes      *int64  `json:"dataSizeBytes"`
	FileSizeBytes      *int64  `json:"fileSizeBytes"`
	StorageSizeBytes   *int64  `json:"storageSizeBytes"`
	EncryptionEnabled  *bool   `json:"encryptionEnabled"`
	MasterKeyUUID      *string `json:"masterKeyUUID"` // where EncryptionEnabled is true
	FCV                *string `json:"fcv"`
	HostID             *string `json:"hostId"`
	MachineID          *string `json:"machineId"` // host name and port
	MongodVersion      *string `json:"mongodVersion"`
	ReplicaSetName     *string `json:"replicaSetName"`
	ReplicaState       *string `json:"replicaState"`
	TypeName           *string `json:"typeName"` // such as CONFIG_SERVER
}

// ListConfigServerSnapshots lists the snapshots of a mirrored config server, in
// no documented order. Replica sets of config servers, the only ones since
// MongoDB 3.4, have none.
//
// It fails with NOT_CONFIG_SERVER or HOST_NOT_FOUND (404) for another host.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-config-server/
func (c *Client) ListConfigServerSnapshots(ctx context.Context, projectID, hostID string, page Page) (*List[ConfigServerSnapshot], error) {
	return list(ctx, c, []string{"groups", projectID, "hosts", hostID, "snapshots"}, page, func(s ConfigServerSnapshot) string { return keyOf(s.ID) })
}
