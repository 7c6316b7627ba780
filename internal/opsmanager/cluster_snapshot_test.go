package opsmanager_test

import (
	"errors"
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
	got, err := client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{})
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
			Links: []opsmanager.Link{{Rel: "self", Href: "https://om.example.com/x"}},
		}},
	}, {}}
	if !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots?itemsPerPage=500&pageNum=1")

	_, err = client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{Completed: "all", StopAfter: 1})
	succeed(t, err)
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+ledger+"/snapshots?completed=all&itemsPerPage=100&pageNum=1")
}

func TestReadingStopsAfterTheRequestedNumberOfItems(t *testing.T) {
	t.Parallel()
	uncounted := func(int, int) any { return nil }
	for name, test := range map[string]struct {
		server    *listServer
		stopAfter int64
		items     int
		more      bool
		pages     int
	}{
		"one of few":            {&listServer{items: sequentialIDs(7)}, 1, 7, false, 1},
		"as many as there are":  {&listServer{items: sequentialIDs(100)}, 100, 100, false, 1},
		"the usual page":        {&listServer{items: sequentialIDs(101)}, 1, 100, true, 1},
		"a larger page":         {&listServer{items: sequentialIDs(1000)}, 450, 450, true, 1},
		"several pages":         {&listServer{items: sequentialIDs(3000)}, 1200, 1500, true, 3},
		"exactly the last page": {&listServer{items: sequentialIDs(1000)}, 1000, 1000, false, 2},
		"more than there are":   {&listServer{items: sequentialIDs(1200)}, 5000, 1200, false, 3},
		"truncated pages":       {&listServer{items: sequentialIDs(1000), most: 100}, 250, 300, true, 3},
		"truncated first page":  {&listServer{items: sequentialIDs(90), most: 30}, 20, 30, true, 1},
		"few, not counted":      {&listServer{items: sequentialIDs(2), total: uncounted}, 1, 2, false, 1},
		"few, nothing said":     {&listServer{items: sequentialIDs(2), total: uncounted, noLinks: true}, 1, 2, false, 1},
		"not counted":           {&listServer{items: sequentialIDs(1000), total: uncounted}, 150, 150, true, 1},
		"nothing said, full":    {&listServer{items: sequentialIDs(1000), total: uncounted, noLinks: true}, 600, 1000, true, 2},
		"nothing said, the end": {&listServer{items: sequentialIDs(130), total: uncounted, noLinks: true}, 150, 130, false, 2},
		"none":                  {&listServer{}, 3, 0, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t, test.server.ServeHTTP).ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{StopAfter: test.stopAfter})
			succeed(t, err)
			equal(t, "items", len(got.Results), test.items)
			equal(t, "more", got.More, test.more)
			equal(t, "pages", len(test.server.requested), test.pages)
		})
	}
}

func TestClusterSnapshotsAreReadFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t, emulator.Options{})
	counts := []int{}
	for _, completed := range []string{"", "true", "false", "all"} {
		got, err := client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{Completed: completed})
		succeed(t, err)
		counts = append(counts, len(got.Results))
	}
	if !slices.Equal(counts, []int{3, 3, 1, 4}) {
		t.Errorf("got %v", counts)
	}
	_, err := client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{Completed: "some"})
	equal(t, "code", wantError(t, err).Code, "INVALID_QUERY_PARAMETER")
	_, err = client.ListClusterSnapshots(t.Context(), payments, nowhere, opsmanager.SnapshotFilter{})
	equal(t, "code", wantError(t, err).Code, "CLUSTER_NOT_FOUND")
}

func TestGatewayThatDropsTheQueryIsAnErrorIfSnapshotsAreMissing(t *testing.T) {
	t.Parallel()
	l := listServer{items: sequentialIDs(1200), ignoresPage: true}
	client := serve(t, l.ServeHTTP)
	got, err := client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{StopAfter: 700})
	if got != nil || !errors.Is(err, opsmanager.ErrIncompleteList) {
		t.Errorf("got %v, %v", got, err)
	}
	got, err = client.ListClusterSnapshots(t.Context(), payments, ledger, opsmanager.SnapshotFilter{StopAfter: 500})
	succeed(t, err)
	equal(t, "snapshots", len(got.Results), 500)
}
