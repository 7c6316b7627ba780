package emulator_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSnapshotsOfACluster(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{})
	path := "/groups/" + payments + "/clusters/" + ledger + "/snapshots"
	for query, want := range map[string][]any{
		"":                           {true, true, true},
		"?completed=true":            {true, true, true},
		"?completed=false":           {false},
		"?completed=all":             {true, false, true, true},
		"?completed=all&pageNum=2":   {},
		"?itemsPerPage=2&pageNum=2":  {true},
		"?completed=all&pretty=true": {true, false, true, true},
	} {
		complete := []any{}
		for _, snapshot := range c.do(http.MethodGet, path+query, "").results(t) {
			complete = append(complete, snapshot["complete"])
			id, _ := snapshot["id"].(string)
			if self := relations(snapshot)["self"]; self != c.url+emulator.BasePath+path+"/"+id {
				t.Errorf("self link %q", self)
			}
			if snapshot["groupId"] != payments || snapshot["clusterId"] != ledger || snapshot["clusterName"] != "ledger" {
				t.Errorf("of another cluster: %v", snapshot)
			}
			if _, expires := snapshot["expires"]; expires == (snapshot["doNotDelete"] == true) {
				t.Errorf("doNotDelete %v, expires %v", snapshot["doNotDelete"], snapshot["expires"])
			}
		}
		if !slices.Equal(complete, want) {
			t.Errorf("%s: got %v, want %v", query, complete, want)
		}
	}
	c.do(http.MethodGet, path+"?completed=some", "").refused(t, 400, "INVALID_QUERY_PARAMETER")
	c.do(http.MethodGet, path+"?completed=", "").refused(t, 400, "INVALID_QUERY_PARAMETER")
	c.do(http.MethodGet, "/groups/"+payments+"/clusters/"+nowhere+"/snapshots", "").refused(t, 404, "CLUSTER_NOT_FOUND")
	if got := c.do(http.MethodGet, "/groups/"+analytics+"/clusters/"+scratch+"/snapshots", "").results(t); len(got) != 0 {
		t.Errorf("a cluster that is not backed up has %v", got)
	}
}

func TestSnapshotsOfAShardedClusterHaveAPartPerComponent(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{})
	types := map[any][]any{}
	for _, snapshot := range c.do(http.MethodGet, "/groups/"+payments+"/clusters/"+orders+"/snapshots", "").results(t) {
		missing, _ := snapshot["missingShards"].([]any)
		parts, _ := snapshot["parts"].([]any)
		if len(parts)+len(missing) != 3 || (snapshot["isPossiblyInconsistent"] == true) != (len(missing) > 0) {
			t.Errorf("got %v", snapshot)
		}
		for _, part := range parts {
			p, _ := part.(map[string]any)
			types[snapshot["id"]] = append(types[snapshot["id"]], p["typeName"])
		}
	}
	if want := (map[any][]any{
		"66d3e2a1c4d6e8f0a2b4c702": {"REPLICA_SET", "CONFIG_SERVER_REPLICA_SET"},
		"66d45311c4d6e8f0a2b4c703": {"REPLICA_SET", "REPLICA_SET", "CONFIG_SERVER_REPLICA_SET"},
	}); !reflect.DeepEqual(types, want) {
		t.Errorf("parts %v, want %v", types, want)
	}
}
