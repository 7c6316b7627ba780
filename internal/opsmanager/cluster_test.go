package opsmanager_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

const aCluster = `{
	"id": "650a2036b7d9f1e3a5c70925",
	"groupId": "64f0c2a19b3d5e7f80a1b2c3",
	"clusterName": "orders",
	"typeName": "REPLICA_SET",
	"replicaSetName": "orders-0",
	"shardName": "orders-shard-0",
	"lastHeartbeat": "2025-09-01T04:00:03Z",
	"somethingNew": {"is": "unknown"}
}`

func TestEveryFieldOfAClusterIsRead(t *testing.T) {
	t.Parallel()
	want := opsmanager.Cluster{
		ID:             new("650a2036b7d9f1e3a5c70925"),
		GroupID:        new(payments),
		ClusterName:    new("orders"),
		TypeName:       new("REPLICA_SET"),
		ReplicaSetName: new("orders-0"),
		ShardName:      new("orders-shard-0"),
		LastHeartbeat:  new("2025-09-01T04:00:03Z"),
	}
	var requested string
	body := aCluster
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, body)
	})
	one, err := client.Cluster(t.Context(), payments, *want.ID)
	succeed(t, err)
	if !reflect.DeepEqual(*one, want) {
		t.Errorf("got %+v", one)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters/"+*want.ID)

	body = `{"totalCount": 2, "links": [], "results": [` + aCluster + `, {"id": "c"}]}`
	all, err := client.ListClusters(t.Context(), payments)
	succeed(t, err)
	if !reflect.DeepEqual(all.Results, []opsmanager.Cluster{want, {ID: new("c")}}) {
		t.Errorf("got %+v", all.Results)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/clusters?itemsPerPage=500&pageNum=1")
}

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

func TestClustersAreReadFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	all, err := client.ListClusters(t.Context(), payments)
	succeed(t, err)
	for _, listed := range all.Results {
		one, err := client.Cluster(t.Context(), payments, *listed.ID)
		succeed(t, err)
		if !reflect.DeepEqual(*one, listed) {
			t.Errorf("one %+v, listed %+v", one, listed)
		}
	}
	_, err = client.Cluster(t.Context(), payments, nowhere)
	equal(t, "code", wantError(t, err).Code, "CLUSTER_NOT_FOUND")
	_, err = client.ListClusters(t.Context(), nowhere)
	equal(t, "code", wantError(t, err).Code, "GROUP_NOT_FOUND")
}
