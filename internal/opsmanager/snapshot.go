package opsmanager

// Snapshot holds the fields that snapshots of clusters and of mirrored config servers
// share. A field is nil if the response leaves it out. Times are ISO 8601 in UTC, as
// returned by Ops Manager.
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
	Expires              *string          `json:"expires"` // absent if DoNotDelete is true
	LastOplogAppliedTime *Timestamp       `json:"lastOplogAppliedTimestamp"`
	NamespaceFilterList  *NamespaceFilter `json:"namespaceFilterList"`
	Parts                []SnapshotPart   `json:"parts"` // one per shard and one for the config servers, or one for a replica set
	Links                []Link           `json:"links"`
}

func (s Snapshot) ids() []string {
	return []string{stringValue(s.GroupID), stringValue(s.ClusterID), stringValue(s.ID)}
}

// Timestamp is a time and the ordinal of an operation within its second.
type Timestamp struct {
	Date      *string `json:"date"`
	Increment *int64  `json:"increment"`
	Time      *int64  `json:"time"` // seconds since 1970; undocumented
}

// NamespaceFilter lists the namespaces that a snapshot includes or excludes. The
// spelling of its type depends on the version: denyList, denylist, blacklist, and so on.
type NamespaceFilter struct {
	FilterList []string `json:"filterList"`
	FilterType *string  `json:"filterType"`
}

// SnapshotPart is the part of a snapshot that was taken from one process.
type SnapshotPart struct {
	ClusterID          *string `json:"clusterId"`
	CompletedTime      *string `json:"completedTime"`
	CompressionSetting *string `json:"compressionSetting"` // such as GZIP
	DataSizeBytes      *int64  `json:"dataSizeBytes"`
	FileSizeBytes      *int64  `json:"fileSizeBytes"`
	StorageSizeBytes   *int64  `json:"storageSizeBytes"`
	EncryptionEnabled  *bool   `json:"encryptionEnabled"`
	MasterKeyUUID      *string `json:"masterKeyUUID"` // if EncryptionEnabled is true
	FCV                *string `json:"fcv"`
	HostID             *string `json:"hostId"`
	MachineID          *string `json:"machineId"` // host name and port
	MongodVersion      *string `json:"mongodVersion"`
	ReplicaSetName     *string `json:"replicaSetName"`
	ReplicaState       *string `json:"replicaState"`
	TypeName           *string `json:"typeName"` // such as CONFIG_SERVER
}

func (SnapshotPart) ids() []string { return nil }
