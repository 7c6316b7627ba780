package opsmanager_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestComponentsAreNotWholeClusters(t *testing.T) {
	t.Parallel()
	cluster := func(name, typeName, shard string) opsmanager.Cluster {
		orNil := func(text string) *string {
			switch text {
			case "":
				return nil
			case "empty":
				return new("")
			}
			return &text
		}
		return opsmanager.Cluster{ClusterName: orNil(name), TypeName: orNil(typeName), ShardName: orNil(shard)}
	}
	for name, project := range map[string][]struct {
		opsmanager.Cluster
		whole bool
	}{
		"shards and config servers": {
			{cluster("shop", "SHARDED_REPLICA_SET", ""), true}, {cluster("shop", "REPLICA_SET", "shop-0"), false},
			{cluster("shop", "CONFIG_SERVER_REPLICA_SET", ""), false},
		},
		"a shard whose cluster is not listed": {{cluster("shop", "REPLICA_SET", "shop-0"), false}},
		"a replica set with the name of a sharded cluster": {
			{cluster("shop", "SHARDED_REPLICA_SET", ""), true}, {cluster("shop", "REPLICA_SET", "shop-0"), false},
			{cluster("shop", "REPLICA_SET", ""), true},
		},
		"a replica set with the name of a sharded cluster whose shards are not listed": {
			{cluster("shop", "SHARDED", ""), true}, {cluster("shop", "REPLICA_SET", ""), true},
		},
		"a shard of a new type":  {{cluster("shop", "SHARDED", ""), true}, {cluster("shop", "SOMETHING_NEW", "shop-0"), false}},
		"a shard without a type": {{cluster("shop", "SHARDED", ""), true}, {cluster("shop", "", "shop-0"), false}},
		"a shard of a new type whose cluster is not listed": {
			{cluster("shop", "SOMETHING_NEW", "shop-0"), true}, {cluster("", "SOMETHING_NEW", "shop-0"), true},
		},
		"a shard without a type whose cluster is not listed": {
			{cluster("shop", "", "shop-0"), true}, {cluster("other", "SHARDED", ""), true},
		},
		"replica sets whose shard is empty": {
			{cluster("ledger", "REPLICA_SET", "empty"), true}, {cluster("", "REPLICA_SET", "empty"), true},
		},
		"a replica set whose shard is empty and that has the name of a sharded cluster": {
			{cluster("shop", "SHARDED", "empty"), true}, {cluster("shop", "REPLICA_SET", "empty"), true},
		},
		"replica sets with the same name": {
			{cluster("twin", "REPLICA_SET", ""), true}, {cluster("twin", "REPLICA_SET", ""), true},
		},
		"a config shard":  {{cluster("shop", "CONFIG_SHARD_REPLICA_SET", ""), false}},
		"an unknown type": {{cluster("new", "SOMETHING_NEW", ""), true}},
		"missing fields": {
			{cluster("", "REPLICA_SET", ""), true}, {cluster("bare", "", ""), true}, {cluster("", "", ""), true},
		},
	} {
		var all []opsmanager.Cluster
		for _, c := range project {
			all = append(all, c.Cluster)
		}
		isWhole := opsmanager.WholeClusters(all)
		for i, c := range project {
			if isWhole(c.Cluster) != c.whole {
				t.Errorf("%s: cluster %d is whole: %t", name, i, !c.whole)
			}
		}
	}
}
