// Package snapshot is what the emulator and the provider that does nothing
// agree on: the snapshots of one config server.
package snapshot

import (
	"fmt"
	"time"
)

// The ids that they share.
const (
	Project = "64f0c2a19b3d5e7f80a1b2c3"
	Host    = "4b1d7f0a9c3e5826d4f0b1a7c9e83652"
	Cluster = "650a20d18c3e5f7092b4d6a8"
)

// Snapshot is what differs between them.
type Snapshot struct {
	ID, Date, Expires string
	Bytes             int64
}

// Number returns one of them; greater numbers are newer.
func Number(i int) Snapshot {
	taken := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
	return Snapshot{
		ID:      fmt.Sprintf("%024x", i+1),
		Date:    taken.Format(time.RFC3339),
		Expires: taken.AddDate(0, 0, 10).Format(time.RFC3339),
		Bytes:   8_796_093_022_208 + int64(i),
	}
}

// Document is a snapshot as the API shows it.
func (s Snapshot) Document() map[string]any {
	moment := map[string]any{"date": s.Date, "increment": 1}
	return map[string]any{
		"id": s.ID, "clusterId": Cluster, "clusterName": "invoices", "complete": true, "created": moment, "doNotDelete": false,
		"expires": s.Expires, "lastOplogAppliedTimestamp": moment,
		"namespaceFilterList": map[string]any{"filterList": []string{"local.startup_log"}, "filterType": "denylist"},
		"parts": []map[string]any{{
			"typeName": "CONFIG_SERVER", "clusterId": Cluster, "hostId": Host, "machineId": "cfg1.example.com:27019",
			"mongodVersion": "3.2.22", "fcv": "3.2", "replicaState": "PRIMARY", "compressionSetting": "GZIP", "completedTime": s.Date,
			"dataSizeBytes": s.Bytes, "fileSizeBytes": s.Bytes, "storageSizeBytes": s.Bytes, "encryptionEnabled": false,
		}},
	}
}
