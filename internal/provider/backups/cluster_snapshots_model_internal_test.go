package backups

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// takenOn returns a snapshot of each date, which is its id too.
func takenOn(dates ...string) []opsmanager.ClusterSnapshot {
	var snapshots []opsmanager.ClusterSnapshot
	for _, date := range dates {
		snapshots = append(snapshots, opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: &date, Created: &opsmanager.Timestamp{Date: &date}}})
	}
	return snapshots
}

func TestTheNewestOfTheSnapshotsThatWereReadAreShown(t *testing.T) {
	t.Parallel()
	snapshots := takenOn("2025-08-30", "2025-09-02", "2025-08-31", "2025-09-01")
	for most, want := range map[int64]string{
		0: "2025-09-02 2025-09-01 2025-08-31 2025-08-30",
		1: "2025-09-02",
		3: "2025-09-02 2025-09-01 2025-08-31",
		9: "2025-09-02 2025-09-01 2025-08-31 2025-08-30",
	} {
		if got := idsOf(t, clusterSnapshotsFromAPI(snapshots, most), "id"); got != want {
			t.Errorf("%d: got %s, want %s", most, got, want)
		}
	}
	if *snapshots[0].ID != "2025-08-30" {
		t.Error("the answer itself was sorted")
	}
	for _, none := range []types.List{clusterSnapshotsFromAPI(nil, 0), clusterSnapshotsFromAPI(nil, 3)} {
		if none.IsNull() || len(none.Elements()) != 0 {
			t.Errorf("%v is not an empty list", none)
		}
	}
}

func TestNewerSnapshotsMayBeMissedOnlyWhereThereAreMoreInAnotherOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dates []string
		more  bool
		want  bool
	}{
		{[]string{"2025-09-02", "2025-09-01"}, true, false},
		{[]string{"2025-09-01", "2025-09-02"}, true, true},
		{[]string{"2025-09-01", "2025-09-02"}, false, false},
		{[]string{"none yet", "2025-09-02", "2025-09-01"}, true, false},
		{[]string{"2025-09-01", "none yet", "2025-09-02"}, true, true},
		{[]string{"none yet"}, true, false},
		{nil, false, false},
	} {
		list := &opsmanager.List[opsmanager.ClusterSnapshot]{Results: takenOn(test.dates...), More: test.more}
		if got := newerMayBeMissed(list); got != test.want {
			t.Errorf("%v, more %v: got %v", test.dates, test.more, got)
		}
	}
}

func TestMissingShardsAreNullWhereTheyAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shards []opsmanager.Cluster
		want   string
	}{
		{nil, "<null>"},
		{[]opsmanager.Cluster{}, "[]"},
		{[]opsmanager.Cluster{{ID: new("s1"), ClusterName: new("shop"), TypeName: new("REPLICA_SET"), ReplicaSetName: new("shop-0")}},
			`[{"cluster_id":"s1","group_id":<null>,"links":<null>,"name":"shop","replica_set_name":"shop-0","shard_name":<null>,"type_name":"REPLICA_SET"}]`},
	} {
		snapshot, ok := clusterSnapshotsFromAPI([]opsmanager.ClusterSnapshot{{MissingShards: test.shards}}, 0).Elements()[0].(types.Object)
		if !ok {
			t.Fatal("no object")
		}
		if got := snapshot.Attributes()["missing_shards"].String(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
