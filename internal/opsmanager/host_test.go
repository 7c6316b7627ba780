package opsmanager_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAHostIsRead(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answerOK(w, `{"totalCount": 1, "results": [{
			"id": "4b1d7f0a9c3e5826d4f0b1a7c9e83652", "groupId": "`+payments+`", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
			"hostname": "shard-0.example.com", "port": 27018, "typeName": "SHARD_SECONDARY", "replicaSetName": "shard-0-rs", "shardName": "shard-0",
			"version": "7.0.14", "replicaStateName": "SECONDARY", "lastPing": "2026-05-01T00:00:00Z", "aliases": ["10.0.0.1:27018"], "hidden": false
		}]}`)
	})
	got, err := client.ListHosts(t.Context(), payments)
	succeed(t, err)
	want := []opsmanager.Host{{
		ID: new("4b1d7f0a9c3e5826d4f0b1a7c9e83652"), GroupID: new(payments), ClusterID: new("650a1f3c2e4b6d8091a3b5c7"),
		Hostname: new("shard-0.example.com"), Port: new(int64(27018)), TypeName: new("SHARD_SECONDARY"),
		ReplicaSetName: new("shard-0-rs"), ShardName: new("shard-0"), Version: new("7.0.14"),
		Aliases: []string{"10.0.0.1:27018"},
	}}
	if !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "name", *got.Results[0].Name(), "shard-0.example.com:27018")
	if name := (opsmanager.Host{Hostname: new("a")}).Name(); name != nil {
		t.Errorf("got %q", *name)
	}
}

func TestHostsAreListedFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	hosts, err := client.ListHosts(t.Context(), payments)
	succeed(t, err)
	equal(t, "hosts", len(hosts.Results), 11)
	_, err = client.ListHosts(t.Context(), nowhere)
	equal(t, "code", wantError(t, err).Code, "GROUP_NOT_FOUND")
}
