package opsmanager_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestComponentsAreNotWholeClusters(t *testing.T) {
	t.Parallel()
	// Each cluster has a name, a type and a shard, and "part" if it is no whole cluster. A hyphen stands for a missing field.
	for name, project := range map[string][]string{
		"shards and config servers": {
			"shop SHARDED_REPLICA_SET -", "shop REPLICA_SET shop-0 part", "shop CONFIG_SERVER_REPLICA_SET - part",
		},
		"a shard whose cluster is not listed": {"shop REPLICA_SET shop-0 part"},
		"a replica set with the name of a sharded cluster": {
			"shop SHARDED_REPLICA_SET -", "shop REPLICA_SET shop-0 part", "shop REPLICA_SET -",
		},
		"a replica set with the name of a sharded cluster whose shards are not listed": {"shop SHARDED -", "shop REPLICA_SET -"},
		"a shard of a new type":                                                         {"shop SHARDED -", "shop SOMETHING_NEW shop-0 part"},
		"a shard without a type":                                                        {"shop SHARDED -", "shop - shop-0 part"},
		"a shard of a new type whose cluster is not listed":                             {"shop SOMETHING_NEW shop-0", "- SOMETHING_NEW shop-0"},
		"a shard without a type whose cluster is not listed":                            {"shop - shop-0", "other SHARDED -"},
		"replica sets whose shard is empty":                                             {"ledger REPLICA_SET empty", "- REPLICA_SET empty"},
		"a replica set whose shard is empty and that has the name of a sharded cluster": {"shop SHARDED empty", "shop REPLICA_SET empty"},
		"replica sets with the same name":                                               {"twin REPLICA_SET -", "twin REPLICA_SET -"},
		"a config shard":                                                                {"shop CONFIG_SHARD_REPLICA_SET - part"},
		"an unknown type":                                                               {"new SOMETHING_NEW -"},
		"missing fields":                                                                {"- REPLICA_SET -", "bare - -", "- - -"},
	} {
		var all []opsmanager.Cluster
		for _, cluster := range project {
			texts := map[string]*string{"-": nil, "empty": new("")}
			fields := strings.Fields(cluster)
			for _, text := range fields {
				if _, isSpecial := texts[text]; !isSpecial {
					texts[text] = &text
				}
			}
			all = append(all, opsmanager.Cluster{ClusterName: texts[fields[0]], TypeName: texts[fields[1]], ShardName: texts[fields[2]]})
		}
		isWhole := opsmanager.WholeClusters(all)
		for i, cluster := range project {
			if isWhole(all[i]) == strings.HasSuffix(cluster, " part") {
				t.Errorf("%s: %s is whole: %t", name, cluster, isWhole(all[i]))
			}
		}
	}
}

func TestHostIsNamedByItsAddress(t *testing.T) {
	t.Parallel()
	equal(t, "name", *opsmanager.Host{Hostname: new("a"), Port: new(int64(27018))}.Name(), "a:27018")
	for _, host := range []opsmanager.Host{{Hostname: new("a")}, {Port: new(int64(27018))}} {
		equal(t, "name", host.Name(), nil)
	}
}
