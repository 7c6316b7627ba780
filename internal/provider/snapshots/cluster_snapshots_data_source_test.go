package snapshots_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// manySnapshots returns options with a seed that has hourly snapshots of one cluster,
// from the oldest to the newest.
func manySnapshots(count int) emulator.Options {
	cluster := emulator.Cluster{ID: ledger, Name: "ledger", TypeName: "REPLICA_SET"}
	for i := range count {
		cluster.Snapshots = append(cluster.Snapshots, object{
			"id": fmt.Sprintf("%024x", i), "complete": true, "created": object{
				"date": fmt.Sprintf("2025-%02d-%02dT%02d:00:00Z", 1+i/672, 1+i/24%28, i%24), "increment": 1,
			},
		})
	}
	return emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Payments", Clusters: []emulator.Cluster{cluster}}}}}
}

func TestClusterSnapshotsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_cluster_snapshots", ID: "id", Config: values{"project_id": payments, "cluster_id": orders}, Lacks: "3.6.18",
	})
}

func TestClusterSnapshotsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		data := providertest.NewWorkspace(t, s).MustRead(t, providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": orders})
		results, _ := data["results"].([]any)
		if got := providertest.ResultValues(t, data, "id"); !slices.Equal(got, []string{"66d45311c4d6e8f0a2b4c703", "66d3e2a1c4d6e8f0a2b4c702"}) ||
			data["total_count"] != 2 {
			t.Fatalf("%v snapshots: %v", data["total_count"], got)
		}
		got, _ := results[1].(values)
		if missing, _ := got["missing_shards"].([]any); len(missing) != 1 {
			t.Errorf("missing %v", missing)
		} else if shard, _ := missing[0].(values); shard["cluster_id"] != "650a2036b7d9f1e3a5c70926" || shard["shard_name"] != "orders-shard-1" {
			t.Errorf("missing %v", shard)
		}
		parts, _ := got["parts"].([]any)
		if len(parts) != 2 {
			t.Fatalf("parts %v", parts)
		}
		wantPart := values{
			"type_name": "CONFIG_SERVER_REPLICA_SET", "cluster_id": nil, "host_id": nil, "replica_set_name": "orders-config",
			"machine_id": "orders-config-1.payments.example.com:27019", "mongod_version": "6.0.16", "fcv": "6.0", "replica_state": "SECONDARY",
			"compression_setting": "GZIP", "completed_time": "2025-08-31T17:16:20Z",
			"data_size_bytes": 2147483648, "file_size_bytes": 2684354560, "storage_size_bytes": 2415919104,
			"encryption_enabled": false, "master_key_uuid": nil,
		}
		if !reflect.DeepEqual(parts[1], wantPart) {
			t.Errorf("got  %v\nwant %v", parts[1], wantPart)
		}
		delete(got, "missing_shards")
		delete(got, "parts")
		want := values{
			"id": "66d3e2a1c4d6e8f0a2b4c702", "project_id": payments, "cluster_id": orders, "cluster_name": "orders",
			"complete": true, "do_not_delete": false, "expires": "2025-09-04T17:15:02Z",
			"created":                      values{"date": "2025-08-31T17:15:02Z", "increment": 1},
			"last_oplog_applied_timestamp": values{"date": "2025-08-31T17:15:02Z", "increment": 2},
			"namespace_filter_list":        values{"filter_list": []any{}, "filter_type": "denyList"},
			"is_possibly_inconsistent":     true,
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
}

func TestCompletedSelectsSnapshotsAndIsNotSentByDefault(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for completed, want := range map[any]struct {
			items int
			query string
		}{
			nil:     {3, "itemsPerPage=500&pageNum=1"},
			"true":  {3, "completed=true&itemsPerPage=500&pageNum=1"},
			"false": {1, "completed=false&itemsPerPage=500&pageNum=1"},
			"all":   {4, "completed=all&itemsPerPage=500&pageNum=1"},
		} {
			s := providertest.ServiceInMemory()
			data := providertest.NewWorkspace(t, s).MustRead(
				t, providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": ledger, "completed": completed},
			)
			if got := providertest.ResultValues(t, data, "id"); len(got) != want.items || data["total_count"] != want.items {
				t.Errorf("%v: %v of %v", completed, got, data["total_count"])
			}
			if requests := s.Requests(); requests[len(requests)-1].Query != want.query {
				t.Errorf("%v: requested %s", completed, requests[len(requests)-1].Query)
			}
		}
	})
}

// A server of version 4.4 was observed to list incomplete snapshots without the parameter.
func TestSnapshotsOfAServerThatIgnoresCompletedAreFiltered(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			query := r.URL.Query()
			query.Set("completed", "all")
			r.URL.RawQuery = query.Encode() // Digest is about the request line, which stays
			service.ServeHTTP(w, r)
		})
		w := providertest.NewWorkspace(t, d.Service)
		for completed, want := range map[any]int{nil: 3, "true": 3, "false": 1, "all": 4} {
			data := w.MustRead(t, providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": ledger, "completed": completed})
			if got := providertest.ResultValues(t, data, "id"); len(got) != want || data["total_count"] != 4 {
				t.Errorf("%v: %v of %v, want %d", completed, got, data["total_count"], want)
			}
		}
		listed, leftOut := providertest.Listing(w.Query(providertest.OnDemandSnapshotType, values{"project_id": payments, "cluster_id": ledger}, false, 100))
		if len(listed) != 3 {
			t.Errorf("a query lists %d snapshots, want the 3 that are complete", len(listed))
		}
		providertest.WantOne(t, leftOut, "Not Listed", "It is not complete")
	})
}

func TestOnePageOfClusterSnapshotsIsSortedNewestFirst(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		options := manySnapshots(7)
		options.Unknowns.OldestSnapshotFirst = true
		s := providertest.ServiceInMemory(options)
		w := providertest.NewWorkspace(t, s)
		for _, test := range []struct {
			config values
			want   []int
		}{
			{values{"page_num": 2, "items_per_page": 3}, []int{5, 4, 3}},
			{values{"items_per_page": 2}, []int{1, 0}},
			{values{"page_num": 1}, []int{6, 5, 4, 3, 2, 1, 0}},
			{nil, []int{6, 5, 4, 3, 2, 1, 0}},
		} {
			config := values{"project_id": payments, "cluster_id": ledger}
			maps.Copy(config, test.config)
			data := w.MustRead(t, providertest.ClusterSnapshotsType, config)
			var want []string
			for _, i := range test.want {
				want = append(want, fmt.Sprintf("%024x", i))
			}
			if got := providertest.ResultValues(t, data, "id"); !slices.Equal(got, want) || data["total_count"] != 7 {
				t.Errorf("%v: got %v of %v, want %v", test.config, got, data["total_count"], want)
			}
		}
		for _, want := range []string{"itemsPerPage=3&pageNum=2", "itemsPerPage=2", "pageNum=1"} {
			if !slices.ContainsFunc(s.Requests(), func(r emulator.Request) bool { return r.Query == want }) {
				t.Errorf("no request with %s", want)
			}
		}
	})
}

func TestNewestCompleteSnapshotIsExported(t *testing.T) {
	t.Parallel()
	newest := values{"id": "66d3f330c4d6e8f0a2b4c602", "created": "2025-08-31T02:30:05Z", "expires": "2025-09-20T02:30:05Z"} // a newer one is in progress
	const reports, later = "650a2177e1f3a5b7c9d00e42", "66d544b0c4d6e8f0a2b4c604"
	type row struct {
		config values
		other  object // fields of another snapshot, if any
		want   any
	}
	providertest.EachInBubble(t, map[string]row{
		"by default":                          {nil, nil, newest},
		"of complete snapshots":               {values{"completed": "true"}, nil, newest},
		"of all snapshots":                    {values{"completed": "all"}, nil, newest},
		"of snapshots in progress":            {values{"completed": "false"}, nil, nil},
		"of a page":                           {values{"page_num": 1}, nil, nil},
		"of a page with a size":               {values{"items_per_page": 500}, nil, nil},
		"of a cluster without snapshots":      {values{"cluster_id": reports}, nil, nil},
		"a newer one without a time":          {nil, object{"complete": true}, newest},
		"the only one without a time":         {values{"cluster_id": reports}, object{"complete": true}, nil},
		"a newer one that may be in progress": {values{"completed": "all"}, object{"created": object{"date": "2025-09-01T09:00:00Z"}}, newest},
		"a newer one that lacks a shard": {nil,
			object{"complete": true, "created": object{"date": "2025-09-01T09:00:00Z"}, "missingShards": []any{object{"id": reports}}}, newest},
		"a newer one that may lack a shard": {nil, object{"complete": true, "created": object{"date": "2025-08-31T09:00:00Z"}, "parts": []any{}}, newest},
		"a newer one with an offset": {nil,
			object{"complete": true, "created": object{"date": "2025-08-31T09:00:00+0200"}},
			values{"id": later, "created": "2025-08-31T07:00:00Z", "expires": nil}},
	}, func(t *testing.T, test row) {
		s := providertest.ServiceInMemory()
		config := values{"project_id": payments, "cluster_id": ledger}
		maps.Copy(config, test.config)
		if test.other != nil {
			s.SetSnapshot(payments, fmt.Sprint(config["cluster_id"]), later, test.other)
		}
		data := providertest.NewWorkspace(t, s).MustRead(t, providertest.ClusterSnapshotsType, config)
		providertest.WantEqual(t, data["newest_complete"], test.want)
	})
}

// The newest snapshot is on the last page, and Ops Manager returns smaller pages than requested.
func TestNewestCompleteSnapshotMayBeOnAnyPage(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		options := manySnapshots(7)
		options.MaxItemsPerPage = 3
		s := providertest.ServiceInMemory(options)
		data := providertest.NewWorkspace(t, s).MustRead(t, providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": ledger})
		want := values{"id": fmt.Sprintf("%024x", 6), "created": "2025-01-01T06:00:00Z", "expires": nil}
		providertest.WantEqual(t, data["newest_complete"], want)
	})
}

func TestErrorsOfListingClusterSnapshotsNameTheAttribute(t *testing.T) {
	t.Parallel()
	const other = "0123456789abcdef01234567"
	for name, test := range map[string]struct {
		config values
		fault  string
		says   []string
	}{
		"no such cluster": {
			values{"cluster_id": other}, "", []string{"[cluster_id]", "Unable to List Cluster Snapshots", "CLUSTER_NOT_FOUND"},
		},
		"a version that rejects completed": {
			values{"completed": "all"},
			`{"error": 400, "errorCode": "INVALID_QUERY_PARAMETER", "detail": "Invalid query parameter completed.", "parameters": ["completed"]}`,
			[]string{"[completed]", "INVALID_QUERY_PARAMETER"},
		},
		"an invalid value":                 {values{"completed": "yes"}, "", []string{"[completed]", "true", "all"}},
		"a name instead of the cluster ID": {values{"cluster_id": "ledger"}, "", []string{"[cluster_id]", "24 hexadecimal digits"}},
		"a malformed project ID":           {values{"project_id": "1"}, "", []string{"[project_id]", "24 hexadecimal digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s := providertest.ServiceInMemory()
				if test.fault != "" {
					s.Inject(emulator.Fault{Status: 400, Body: test.fault})
				}
				config := values{"project_id": payments, "cluster_id": ledger}
				for name, value := range test.config {
					config[name] = value
				}
				_, diags := providertest.NewWorkspace(t, s).Read(providertest.ClusterSnapshotsType, config)
				diags.WantError(t, test.says...)
			})
		})
	}
}
