package emulator_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestClusterIsListedAndRead(t *testing.T) {
	t.Parallel()
	const path = inPayments + "/clusters"
	c := start(t)
	for _, want := range []object{
		{
			"id": shard, "groupId": payments, "clusterName": "orders", "typeName": "REPLICA_SET",
			"replicaSetName": "orders-shard-0", "shardName": "orders-shard-0", "lastHeartbeat": "2025-09-01T02:40:25Z",
		},
		{
			"id": orders, "groupId": payments, "clusterName": "orders", "typeName": "SHARDED_REPLICA_SET",
			"shardName": "orders-shard-0", "lastHeartbeat": "2025-09-01T02:40:24Z",
		},
	} {
		self := fmt.Sprint(c.url, emulator.BasePath, path, "/", want["id"])
		for _, listed := range c.get(path).results(t) {
			if listed["id"] == want["id"] {
				equal(t, relations(listed), map[string]string{"self": self})
				delete(listed, "links")
				equal(t, listed, want)
			}
		}
		read := c.get(fmt.Sprint(path, "/", want["id"])).ok(t)
		equal(t, relations(read), map[string]string{"self": self, "http://cloud.mongodb.com/group": c.url + emulator.BasePath + inPayments})
		delete(read, "links")
		equal(t, read, want)
	}
	equal(t, c.get(inAnalytics + "/clusters?itemsPerPage=1&pageNum=2").results(t)[0]["id"], scratch)
	old := startVersion(t, "4.4.0")
	equal(t, len(relations(old.get(path + "/" + orders).ok(t))["http://mms.mongodb.com/group"]) > 0, true)
	for path, code := range map[string]string{
		"/groups/" + nowhere + "/clusters":  "GROUP_NOT_FOUND",
		inPayments + "/clusters/orders":     "INVALID_CLUSTER_ID",
		inAnalytics + "/clusters/" + orders: "CLUSTER_NOT_FOUND",
	} {
		c.get(path).refused(t, 404, code)
	}
}
