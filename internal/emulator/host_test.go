package emulator_test

import (
	"reflect"
	"testing"
)

func TestHostsAreListedByName(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get(inPayments + "/hosts").ok(t)
	results, _ := got["results"].([]any)
	var names, types []any
	for _, item := range results {
		host, _ := item.(object)
		names, types = append(names, host["hostname"]), append(types, host["typeName"])
	}
	if want := []any{
		"cards-0.payments.example.com", "cards-1.payments.example.com", "cards-2.payments.example.com", "cfg1.payments.example.com",
		"ledger-0.payments.example.com", "ledger-1.payments.example.com", "ledger-2.payments.example.com", "orders-config-1.payments.example.com",
		"reports-0.payments.example.com", "reports-1.payments.example.com", "reports-2.payments.example.com",
	}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	equal(t, types[:2], []any{"REPLICA_PRIMARY", "REPLICA_SECONDARY"})
	host, _ := results[3].(object)
	delete(host, "links")
	if want := (object{
		"id": legacyHost, "groupId": payments, "clusterId": "650a20d18c3e5f7092b4d6a8", "hostname": "cfg1.payments.example.com", "port": 27019.0,
		"typeName": "SHARD_CONFIG", "hostEnabled": true, "hidden": false,
	}); !reflect.DeepEqual(host, want) {
		t.Errorf("got %v, want %v", host, want)
	}
	equal(t, c.get(inPayments + "/hosts?clusterId=" + ledger + "&itemsPerPage=2").ok(t)["totalCount"], 3.0)
	c.get("/groups/"+nowhere+"/hosts").refused(t, 404, "GROUP_NOT_FOUND")
}
