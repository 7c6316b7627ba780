package snapshots_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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

// Their other columns are those of the snapshots of config servers.
func TestClusterSnapshotsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		w := providertest.NewWorkspace(t, providertest.ServiceInMemory())
		data := w.MustRead(t, providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": orders})
		providertest.WantEqual(t, providertest.ResultValues(t, data, "id"), []string{newest, "66d3e2a1c4d6e8f0a2b4c702"})
		providertest.WantEqual(t, data["total_count"], 2)
		results, _ := data["results"].([]any)
		got, _ := results[1].(values)
		providertest.WantEqual(t, got["expires"], "2025-09-04T17:15:02Z")
		providertest.WantEqual(t, got["is_possibly_inconsistent"], true)
		missing, _ := got["missing_shards"].([]any)
		if len(missing) != 1 {
			t.Fatalf("missing %v", missing)
		}
		shard, _ := missing[0].(values)
		providertest.WantEqual(t, shard["cluster_id"], "650a2036b7d9f1e3a5c70926")
		providertest.WantEqual(t, shard["shard_name"], "orders-shard-1")
		parts, _ := got["parts"].([]any)
		if len(parts) != 2 {
			t.Fatalf("parts %v", parts)
		}
		part, _ := parts[1].(values)
		providertest.WantEqual(t, part["replica_set_name"], "orders-config")
		providertest.WantEqual(t, part["encryption_enabled"], false)
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
		upper := values{"project_id": strings.ToUpper(payments), "cluster_id": ledger}
		listed, leftOut := providertest.Listing(w.Query(providertest.OnDemandSnapshotType, upper, false, 100))
		if names := providertest.Names(listed); len(names) != 3 || names[0] != "ledger 2025-08-31T02:30:05Z" {
			t.Errorf("a query lists %q, want the 3 that are complete, the newest first", names)
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
		of := values{"project_id": payments, "cluster_id": ledger}
		for query, test := range map[string]struct {
			page values
			want []int
		}{
			"itemsPerPage=3&pageNum=2":   {values{"page_num": 2, "items_per_page": 3}, []int{5, 4, 3}},
			"itemsPerPage=500&pageNum=1": {nil, []int{6, 5, 4, 3, 2, 1, 0}},
		} {
			data := w.MustRead(t, providertest.ClusterSnapshotsType, of.With(test.page))
			var want []string
			for _, i := range test.want {
				want = append(want, fmt.Sprintf("%024x", i))
			}
			if got := providertest.ResultValues(t, data, "id"); !slices.Equal(got, want) || data["total_count"] != 7 {
				t.Errorf("%v: got %v of %v, want %v", test.page, got, data["total_count"], want)
			}
			if !slices.ContainsFunc(s.Requests(), func(r emulator.Request) bool { return r.Query == query }) {
				t.Errorf("no request with %s", query)
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
	type row struct {
		config values
		fault  string
		says   []string
	}
	providertest.EachInBubble(t, map[string]row{
		"no such cluster": {
			values{"cluster_id": "0123456789abcdef01234567"}, "",
			[]string{"[cluster_id]", "Unable to List Cluster Snapshots", "CLUSTER_NOT_FOUND"},
		},
		"a version that rejects completed": {
			values{"completed": "all"},
			`{"error": 400, "errorCode": "INVALID_QUERY_PARAMETER", "detail": "Invalid query parameter completed.", "parameters": ["completed"]}`,
			[]string{"[completed]", "INVALID_QUERY_PARAMETER"},
		},
		"an invalid value": {values{"completed": "yes"}, "", []string{"[completed]", "true", "all"}},
	}, func(t *testing.T, test row) {
		s := providertest.ServiceInMemory()
		if test.fault != "" {
			s.Inject(emulator.Fault{Status: 400, Body: test.fault})
		}
		config := values{"project_id": payments, "cluster_id": ledger}.With(test.config)
		_, diags := providertest.NewWorkspace(t, s).Read(providertest.ClusterSnapshotsType, config)
		diags.WantError(t, test.says...)
	})
}
