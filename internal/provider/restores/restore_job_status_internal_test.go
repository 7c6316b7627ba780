package restores

import (
	"maps"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// A shard whose name is missing must not make a restore of the other shards look complete.
func TestPartsWithoutANameMayBelongToEachCluster(t *testing.T) {
	t.Parallel()
	project := func(orders, shard string) []opsmanager.Cluster {
		return []opsmanager.Cluster{
			{ID: new("1"), ClusterName: &orders, TypeName: new("SHARDED_REPLICA_SET")},
			{ID: new("2"), ClusterName: &shard, ShardName: new("s0"), TypeName: new("REPLICA_SET")},
			{ID: new("3"), ClusterName: new("orders"), ShardName: new("s1"), TypeName: new("REPLICA_SET")},
			{ID: new("4"), ClusterName: new("others"), ShardName: new("s0"), TypeName: new("REPLICA_SET")},
		}
	}
	for name, test := range map[string]struct {
		orders, shard string
		want          map[string]bool
	}{
		"all named":         {"orders", "orders", map[string]bool{"2": true, "3": true}},
		"a nameless shard":  {"orders", "", map[string]bool{"2": true, "3": true}},
		"a nameless parent": {"", "orders", map[string]bool{"2": true, "3": true, "4": true}},
	} {
		if got := partsOf(project(test.orders, test.shard), "1"); !maps.Equal(got, test.want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
