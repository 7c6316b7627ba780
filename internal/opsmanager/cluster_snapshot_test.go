package opsmanager_test

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAClusterSnapshotIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, `{"totalCount": 2, "results": [{
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

	_, err = client.ListClusterSnapshots(t.Context(), payments, ledger, "all", opsmanager.Page{Size: 2})
	succeed(t, err)
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots?completed=all&itemsPerPage=2")
}

func TestClusterSnapshotsAreReadFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
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

const aSnapshot = "66d3f330c4d6e8f0a2b4c602" // of ledger

func TestSnapshotIsReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	service.SetSnapshot(payments, ledger, aSnapshot, map[string]any{"expires": "2099-01-01T00:00:00Z"})
	ctx := t.Context()

	read, err := client.ClusterSnapshot(ctx, payments, ledger, aSnapshot)
	succeed(t, err)
	equal(t, "id", *read.ID, aSnapshot)
	equal(t, "time", *read.Created.Time, 1756607405)

	changed, err := client.ChangeSnapshotExpiry(ctx, payments, ledger, aSnapshot, opsmanager.SnapshotExpiry{Expires: new("2098-12-01")})
	succeed(t, err)
	equal(t, "expires", *changed.Expires, "2098-12-01T00:00:00Z")
	held, err := client.ChangeSnapshotExpiry(ctx, payments, ledger, aSnapshot, opsmanager.SnapshotExpiry{DoNotDelete: new(true)})
	succeed(t, err)
	if held.Expires != nil || !*held.DoNotDelete {
		t.Errorf("got %+v", held)
	}
	_, err = client.ChangeSnapshotExpiry(ctx, payments, ledger, aSnapshot, opsmanager.SnapshotExpiry{DoNotDelete: new(true), Expires: new("2099-01-01")})
	equal(t, "code", wantError(t, err).Code, "CANNOT_MODIFY_SNAPSHOT")
	_, err = client.ChangeSnapshotExpiry(ctx, payments, ledger, aSnapshot, opsmanager.SnapshotExpiry{DoNotDelete: new(false), Expires: new("2099-01-01")})
	succeed(t, err)

	succeed(t, client.DeleteClusterSnapshot(ctx, payments, ledger, aSnapshot))
	if err := client.DeleteClusterSnapshot(ctx, payments, ledger, aSnapshot); !opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) {
		t.Errorf("want 'gone', got %v", err)
	}
	if _, err := client.ClusterSnapshot(ctx, payments, ledger, aSnapshot); !opsmanager.IsMissing(err, opsmanager.ObjectSnapshot) {
		t.Errorf("want 'gone', got %v", err)
	}
}

func TestSnapshotIsTakenOnDemand(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	service.RemoveSnapshot(payments, ledger, "66d544b0c4d6e8f0a2b4c603") // is being taken
	taken, err := client.TakeSnapshot(t.Context(), payments, ledger, 15)
	succeed(t, err)
	equal(t, "cluster", *taken.ClusterName, "ledger")
	if taken.Timestamp == nil || taken.Timestamp.Time == nil || taken.Timestamp.Date == nil {
		t.Errorf("no time: %+v", taken)
	}
	_, err = client.TakeSnapshot(t.Context(), payments, ledger, 15)
	equal(t, "code", wantError(t, err).Code, "UNFINISHED_ON_DEMAND_SNAPSHOT")
	running, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "false", opsmanager.Page{})
	succeed(t, err)
	equal(t, "snapshots in progress", len(running.Results), 1)
}

func TestSnapshotIsNeverRequestedAgain(t *testing.T) {
	t.Parallel()
	requests := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		equal(t, "request", r.Method+" "+r.RequestURI, "POST "+basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots/onDemandSnapshot?retentionDays=3")
		answer(w, http.StatusServiceUnavailable, "", "")
	})
	_, err := client.TakeSnapshot(t.Context(), payments, ledger, 3)
	if !opsmanager.MayHaveChanged(err) {
		t.Errorf("got %v", err)
	}
	equal(t, "requests", requests, 1)
}

func TestSnapshotOfAnotherIDIsAnError(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answerOK(w, `{"id": "650b3a10c4d6e8f0a2b4c6d8"}`)
	})
	if _, err := client.ClusterSnapshot(t.Context(), payments, ledger, aSnapshot); !errors.Is(err, opsmanager.ErrOtherObject) {
		t.Errorf("got %v", err)
	}
}
