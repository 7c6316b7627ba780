package emulator_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestClustersOfAProject(t *testing.T) {
	t.Parallel()
	c := start(t)
	path := inPayments + "/clusters"
	types := map[any]int{}
	var found object
	for _, cluster := range c.get(path).results(t) {
		id, _ := cluster["id"].(string)
		if links := relations(cluster); len(links) != 1 || links["self"] != c.url+emulator.BasePath+path+"/"+id {
			t.Errorf("links of %s: %v", id, links)
		}
		if cluster["clusterName"] == "orders" {
			types[cluster["typeName"]]++
		}
		if id == shard {
			found = cluster
		}
	}
	equal(t, types, map[any]int{"SHARDED_REPLICA_SET": 1, "REPLICA_SET": 2, "CONFIG_SERVER_REPLICA_SET": 1})
	delete(found, "links")
	if want := (object{
		"id": shard, "groupId": payments, "clusterName": "orders", "typeName": "REPLICA_SET",
		"replicaSetName": "orders-shard-0", "shardName": "orders-shard-0", "lastHeartbeat": "2025-09-01T02:40:25Z",
	}); !reflect.DeepEqual(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
	if got := c.get(inAnalytics + "/clusters?itemsPerPage=1&pageNum=2").results(t); len(got) != 1 || got[0]["id"] != scratch {
		t.Errorf("got %v, want the second one, which is not monitored yet", got)
	}
}

func TestSingleCluster(t *testing.T) {
	t.Parallel()
	old := startVersion(t, "4.4.0")
	if got := relations(old.get(inPayments + "/clusters/" + orders).ok(t)); got["http://mms.mongodb.com/group"] == "" {
		t.Errorf("links %v", got)
	}
	c := start(t)
	got := c.get(inPayments + "/clusters/" + orders).ok(t)
	group := c.url + emulator.BasePath + inPayments
	equal(t, relations(got), map[string]string{"self": group + "/clusters/" + orders, "http://cloud.mongodb.com/group": group})
	delete(got, "links")
	if want := (object{
		"id": orders, "groupId": payments, "clusterName": "orders", "typeName": "SHARDED_REPLICA_SET", "shardName": "orders-shard-0",
		"lastHeartbeat": "2025-09-01T02:40:24Z",
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for path, code := range map[string]string{
		"/groups/" + nowhere + "/clusters":  "GROUP_NOT_FOUND",
		inPayments + "/clusters/orders":     "INVALID_CLUSTER_ID",
		inAnalytics + "/clusters/" + orders: "CLUSTER_NOT_FOUND",
	} {
		c.get(path).refused(t, 404, code)
	}
}
