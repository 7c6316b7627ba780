package opsmanager_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAConfigServerSnapshotIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, `{"totalCount": 2, "results": [{
			"id": "650b3a10c4d6e8f0a2b4c6d8",
			"groupId": "64f0c2a19b3d5e7f80a1b2c3",
			"clusterId": "650a20d18c3e5f7092b4d6a8",
			"clusterName": "invoices",
			"complete": true,
			"created": {"date": "2025-08-30T04:00:07Z", "increment": 1},
			"doNotDelete": false,
			"expires": "2025-09-09T04:00:07Z",
			"lastOplogAppliedTimestamp": {"date": "2025-08-30T04:00:08Z", "increment": 3},
			"namespaceFilterList": {"filterList": ["local.startup_log"], "filterType": "denylist"},
			"links": [{"rel": "self", "href": "https://om.example.com/x"}],
			"parts": [{
				"clusterId": "650a20d18c3e5f7092b4d6a8",
				"completedTime": "2025-08-30T04:06:41Z",
				"compressionSetting": "GZIP",
				"dataSizeBytes": 8796093022208,
				"fileSizeBytes": 10995116277760,
				"storageSizeBytes": 9895604649984,
				"encryptionEnabled": true,
				"masterKeyUUID": "5f1a",
				"fcv": "3.2",
				"hostId": "4b1d",
				"machineId": "cfg1:27019",
				"mongodVersion": "3.2.22",
				"replicaSetName": "csrs",
				"replicaState": "PRIMARY",
				"typeName": "CONFIG_SERVER"
			}]
		}, {"id": "650b3a10c4d6e8f0a2b4c6d9"}]}`)
	})
	got, err := client.ListConfigServerSnapshots(t.Context(), payments, legacyHost, opsmanager.Page{})
	succeed(t, err)
	want := []opsmanager.Snapshot{{
		ID:                   new("650b3a10c4d6e8f0a2b4c6d8"),
		GroupID:              new(payments),
		ClusterID:            new("650a20d18c3e5f7092b4d6a8"),
		ClusterName:          new("invoices"),
		Complete:             new(true),
		Created:              &opsmanager.Timestamp{Date: new("2025-08-30T04:00:07Z"), Increment: new(int64(1))},
		DoNotDelete:          new(false),
		Expires:              new("2025-09-09T04:00:07Z"),
		LastOplogAppliedTime: &opsmanager.Timestamp{Date: new("2025-08-30T04:00:08Z"), Increment: new(int64(3))},
		NamespaceFilterList:  &opsmanager.NamespaceFilter{FilterList: []string{"local.startup_log"}, FilterType: new("denylist")},
		Links:                []opsmanager.Link{{Rel: "self", Href: "https://om.example.com/x"}},
		Parts: []opsmanager.SnapshotPart{{
			ClusterID:          new("650a20d18c3e5f7092b4d6a8"),
			CompletedTime:      new("2025-08-30T04:06:41Z"),
			CompressionSetting: new("GZIP"),
			DataSizeBytes:      new(int64(8796093022208)),
			FileSizeBytes:      new(int64(10995116277760)),
			StorageSizeBytes:   new(int64(9895604649984)),
			EncryptionEnabled:  new(true),
			MasterKeyUUID:      new("5f1a"),
			FCV:                new("3.2"),
			HostID:             new("4b1d"),
			MachineID:          new("cfg1:27019"),
			MongodVersion:      new("3.2.22"),
			ReplicaSetName:     new("csrs"),
			ReplicaState:       new("PRIMARY"),
			TypeName:           new("CONFIG_SERVER"),
		}},
	}, {ID: new("650b3a10c4d6e8f0a2b4c6d9")}}
	if !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/hosts/"+legacyHost+"/snapshots?itemsPerPage=500&pageNum=1")
}

func TestOnlyMirroredConfigServersHaveSnapshots(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	got, err := client.ListConfigServerSnapshots(t.Context(), payments, legacyHost, opsmanager.Page{})
	succeed(t, err)
	equal(t, "snapshots", len(got.Results), 4)
	_, err = client.ListConfigServerSnapshots(t.Context(), payments, "e07a5c1b3f9d2846a8c0e5d7b1f39624", opsmanager.Page{})
	equal(t, "code", wantError(t, err).Code, "NOT_CONFIG_SERVER")
}
