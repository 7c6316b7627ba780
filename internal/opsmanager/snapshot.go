package opsmanager

// Snapshot is what snapshots of clusters and of mirrored config servers have in
// common. Nil means that the answer left it out; times are ISO 8601 in UTC, as
// they were sent.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-config-server/
type Snapshot struct {
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
	Parts                []SnapshotPart   `json:"parts"` // of a sharded cluster, one for each shard and one for the config servers; else one
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
