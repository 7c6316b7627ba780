// Package snapshot has the snapshots of a config server that the emulator and the
// idle provider return.
package snapshot

import (
	"fmt"
	"time"
)

// IDs of the objects that the snapshots belong to.
const (
	Project = "64f0c2a19b3d5e7f80a1b2c3"
	Host    = "4b1d7f0a9c3e5826d4f0b1a7c9e83652"
	cluster = "650a20d18c3e5f7092b4d6a8"
)

// Document returns a snapshot as the API shows it. Greater numbers are newer.
func Document(number int) map[string]any {
	taken := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(number) * time.Hour)
	date, bytes := taken.Format(time.RFC3339), 8_796_093_022_208+number
	moment := map[string]any{"date": date, "increment": 1}
	return map[string]any{
		"id": fmt.Sprintf("%024x", number+1), "clusterId": cluster, "clusterName": "invoices",
		"complete": true, "created": moment, "doNotDelete": false,
		"expires": taken.AddDate(0, 0, 10).Format(time.RFC3339), "lastOplogAppliedTimestamp": moment,
		"namespaceFilterList": map[string]any{"filterList": []any{"local.startup_log"}, "filterType": "denylist"},
		"parts": []any{map[string]any{
			"typeName": "CONFIG_SERVER", "clusterId": cluster, "hostId": Host, "machineId": "cfg1.example.com:27019",
			"mongodVersion": "3.2.22", "fcv": "3.2", "replicaState": "PRIMARY", "compressionSetting": "GZIP", "completedTime": date,
			"dataSizeBytes": bytes, "fileSizeBytes": bytes, "storageSizeBytes": bytes, "encryptionEnabled": false,
		}},
	}
}
