package opsmanager_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAClusterSnapshotIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answer(w, http.StatusOK, "application/json", `{"totalCount": 2, "results": [{
			"id": "650b3a10c4d6e8f0a2b4c6d8",
			"clusterName": "orders",
			"isPossiblyInconsistent": true,
			"missingShards": [`+aCluster+`],
			"parts": [{"replicaSetName": "orders-shard-0"}, {"typeName": "CONFIG_SERVER_REPLICA_SET"}]
		}, {}]}`)
	})
	got, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "", opsmanager.Page{})
	succeed(t, err)
	want := []opsmanager.ClusterSnapshot{{
		Snapshot: opsmanager.Snapshot{
			ID:          new("650b3a10c4d6e8f0a2b4c6d8"),
			ClusterName: new("orders"),
			Parts:       []opsmanager.SnapshotPart{{ReplicaSetName: new("orders-shard-0")}, {TypeName: new("CONFIG_SERVER_REPLICA_SET")}},
		},
		IsPossiblyInconsistent: new(true),
		MissingShards: []opsmanager.Cluster{{
			ID: new("650a2036b7d9f1e3a5c70925"), GroupID: new(payments), ClusterName: new("orders"), TypeName: new("REPLICA_SET"),
			ReplicaSetName: new("orders-0"), ShardName: new("orders-shard-0"), LastHeartbeat: new("2025-09-01T04:00:03Z"),
		}},
	}, {}}
	if !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots?itemsPerPage=500&pageNum=1")

	_, err = client.ListClusterSnapshots(t.Context(), payments, ledger, "all", opsmanager.Page{Size: 1})
	succeed(t, err)
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots?completed=all&itemsPerPage=1")
}

func TestClusterSnapshotsAreReadFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t, emulator.Options{})
	counts := []int{}
	for _, completed := range []string{"", "true", "false", "all"} {
		got, err := client.ListClusterSnapshots(t.Context(), payments, ledger, completed, opsmanager.Page{})
		succeed(t, err)
		counts = append(counts, len(got.Results))
	}
	if !slices.Equal(counts, []int{3, 3, 1, 4}) {
		t.Errorf("got %v", counts)
	}
	_, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "some", opsmanager.Page{})
	equal(t, "code", wantError(t, err).Code, "INVALID_QUERY_PARAMETER")
	_, err = client.ListClusterSnapshots(t.Context(), payments, nowhere, "", opsmanager.Page{})
	equal(t, "code", wantError(t, err).Code, "CLUSTER_NOT_FOUND")
}
