package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestHostsAreListedByName(t *testing.T) {
	t.Parallel()
	c := start(t)
	hosts := c.get(inPayments + "/hosts").results(t)
	equal(t, len(hosts), 11)
	equal(t, slices.IsSortedFunc(hosts, func(a, b object) int {
		return strings.Compare(fmt.Sprint(a["hostname"]), fmt.Sprint(b["hostname"]))
	}), true)
	equal(t, []any{hosts[0]["typeName"], hosts[1]["typeName"]}, []any{"REPLICA_PRIMARY", "REPLICA_SECONDARY"})
	delete(hosts[3], "links")
	equal(t, hosts[3], object{
		"id": legacyHost, "groupId": payments, "clusterId": invoices, "hostname": "cfg1.payments.example.com", "port": 27019.0,
		"typeName": "SHARD_CONFIG", "hostEnabled": true, "hidden": false,
	})
	equal(t, c.get(inPayments + "/hosts?clusterId=" + ledger + "&itemsPerPage=2").ok(t)["totalCount"], 3.0)
	c.get("/groups/"+nowhere+"/hosts").refused(t, 404, "GROUP_NOT_FOUND")
}
