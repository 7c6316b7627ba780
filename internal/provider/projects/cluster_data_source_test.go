package projects_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestClusterDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_cluster", Config: values{"project_id": payments, "cluster_id": cards}, Lacks: "3.6.18",
	})
}

func TestClustersDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_clusters", Config: values{"project_id": payments}, Lacks: "3.6.18",
		ID: "cluster_id", Lost: `{"clusterName": "lost"}`, Warns: []string{
			"Clusters Without an ID in Project " + payments, `lists 1 cluster without an ID: "lost"`,
		},
	})
}

func TestClustersAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	_, w := start(t)
	data := w.MustRead(t, providertest.ClustersType, values{"project_id": payments})
	names := providertest.ResultValues(t, data, "name")
	if len(names) != 9 || !slices.IsSorted(names) {
		t.Errorf("clusters %v", names)
	}
	results, _ := data["results"].([]any)
	want := values{
		"project_id": payments, "cluster_id": providertest.OrdersShard, "name": "orders", "type_name": "REPLICA_SET",
		"replica_set_name": "orders-shard-0", "shard_name": "orders-shard-0", "has_schedule": false, "third_party_backup": nil,
	}
	providertest.WantEqual(t, results[slices.Index(providertest.ResultValues(t, data, "cluster_id"), providertest.OrdersShard)], want)
	whole := map[string]string{}
	for _, item := range results {
		if c := item.(values); c["has_schedule"] == true {
			whole[c["name"].(string)] = c["cluster_id"].(string)
		}
	}
	if len(whole) != 6 || whole["orders"] != orders || whole["ledger"] != ledger {
		t.Errorf("whole clusters %v", whole)
	}
	if got := fmt.Sprint(data["ids_by_name"]); got != fmt.Sprint(whole) {
		t.Errorf("got IDs by name %s, want %v", got, whole)
	}
}

func TestIDsByNameHasTheWholeClustersAmongTheResults(t *testing.T) {
	t.Parallel()
	const another = "650a1f8b5d7092a4c6e8f0ff"
	cluster := func(id, name, typeName, shard string) emulator.Cluster {
		return emulator.Cluster{ID: id, Name: name, TypeName: typeName, ShardName: shard}
	}
	_, w := start(t, withClusters(
		cluster(orders, "orders", "SHARDED_REPLICA_SET", ""), cluster(providertest.OrdersShard, "orders", "REPLICA_SET", "orders-0"),
		cluster(ledger, "ledger", "REPLICA_SET", "ledger-0"), cluster(another, "ledger", "SHARDED", ""), cluster(cards, "cards", "REPLICA_SET", ""),
	))
	for typeName, want := range map[any]object{
		// Whether a cluster is whole depends on all clusters, including those of other types.
		nil:                   {"orders": orders, "cards": cards, "ledger": another},
		"REPLICA_SET":         {"cards": cards},
		"SHARDED_REPLICA_SET": {"orders": orders},
		"NEW":                 {},
	} {
		got := w.MustRead(t, providertest.ClustersType, values{"project_id": payments, "type_name": typeName})["ids_by_name"]
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: got %v, want %v", typeName, got, want)
		}
	}
}

func TestClusterNameWithSeveralIDsIsLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	_, w := start(t, withClusters(
		emulator.Cluster{ID: ledger, Name: "ledger", TypeName: "REPLICA_SET"}, emulator.Cluster{ID: cards, Name: "ledger", TypeName: "REPLICA_SET"},
		emulator.Cluster{ID: orders, Name: "orders", TypeName: "REPLICA_SET"},
	))
	data, diags := w.Read(providertest.ClustersType, values{"project_id": payments})
	providertest.WantEqual(t, data["ids_by_name"], values{"orders": orders})
	diags.WantWarning(t, "Clusters With the Same Name in Project Payments ("+payments, `"ledger": `+ledger+", "+cards)
}

func TestClusterIsFoundByNameOrID(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	want := values{
		"project_id": payments, "cluster_id": orders, "name": "orders", "type_name": "SHARDED_REPLICA_SET",
		"replica_set_name": nil, "shard_name": "orders-shard-0", "last_heartbeat": "2025-09-01T02:40:24Z",
	}
	for _, config := range []values{
		{"project_id": payments, "name": "orders", "type_name": "SHARDED_REPLICA_SET"},
		{"project_id": payments, "name": "orders"},
		{"project_id": payments, "cluster_id": orders},
	} {
		got := w.MustRead(t, providertest.ClusterType, config)
		providertest.WantEqual(t, got, want)
	}
	providertest.WantEqual(t, s.Calls(), []string{
		"GET /groups/" + payments + "/clusters", "GET /groups/" + payments + "/clusters",
		"GET /groups/" + payments + "/clusters/" + orders,
	})
}

func TestErrorsOfReadingAClusterNameTheAttribute(t *testing.T) {
	t.Parallel()
	const other = "64f0c2a19b3d5e7f80a1b2c4"
	for name, test := range map[string]struct {
		typeName string
		config   values
		says     []string
	}{
		"no such name": {
			providertest.ClusterType, values{"project_id": payments, "name": "Ledger"},
			[]string{"[name]", `no cluster called "Ledger"`, `"ledger"`},
		},
		"a name that is not unique": {
			providertest.ClusterType, values{"project_id": payments, "name": "orders", "type_name": "REPLICA_SET"},
			[]string{
				"[name]", "Unable to Read Cluster", "2 clusters of type REPLICA_SET",
				providertest.OrdersShard + ", REPLICA_SET, replica set orders-shard-0\n", "set cluster_id instead of name",
			},
		},
		"no such ID": {
			providertest.ClusterType, values{"project_id": payments, "cluster_id": other},
			[]string{"[cluster_id]", "CLUSTER_NOT_FOUND"},
		},
		"no such project": {providertest.ClusterType, values{"project_id": other, "name": "x"}, []string{"[project_id]", "GROUP_NOT_FOUND"}},
		"no such project, a list": {
			providertest.ClustersType, values{"project_id": other},
			[]string{"[project_id]", "Unable to List Clusters", "GROUP_NOT_FOUND"},
		},
		"neither": {providertest.ClusterType, values{"project_id": payments}, []string{"cluster_id", "name"}},
		"name and ID": {
			providertest.ClusterType, values{"project_id": payments, "name": "x", "cluster_id": ledger}, []string{"cluster_id", "name"},
		},
		"ID and type": {
			providertest.ClusterType, values{"project_id": payments, "cluster_id": ledger, "type_name": "x"},
			[]string{"cluster_id", "type_name"},
		},
		"a malformed ID": {
			providertest.ClusterType, values{"project_id": payments, "cluster_id": "ledger"},
			[]string{"[cluster_id]", "24 hexadecimal digits"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, w := start(t)
			_, diags := w.Read(test.typeName, test.config)
			diags.WantError(t, test.says...)
		})
	}
}

// A name with separate accents, and its composed form, to which Terraform converts it.
const (
	decomposed = "Cafe\u0301 Zu\u0308rich"
	composed   = "Caf\u00e9 Z\u00fcrich"
)

func TestNameIsFoundInEitherFormOfUnicode(t *testing.T) {
	t.Parallel()
	for _, held := range []string{decomposed, composed} {
		s := providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{
			{ID: "64f0c2d57c1e4a6b92d3f4e5", Name: "Other"},
			{ID: payments, Name: held, Clusters: []emulator.Cluster{
				{ID: ledger, Name: held, TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}},
			}},
		}}})
		w := providertest.NewWorkspace(t, s)
		for _, wanted := range []string{decomposed, composed} {
			if got := w.MustRead(t, providertest.ProjectType, values{"name": wanted}); got["project_id"] != payments || got["name"] != wanted {
				t.Errorf("project %+q by %+q: got %v", held, wanted, got)
			}
			if got := w.MustRead(t, providertest.ClusterType, values{"project_id": payments, "name": wanted}); got["cluster_id"] != ledger ||
				got["name"] != wanted {
				t.Errorf("cluster %+q by %+q: got %v", held, wanted, got)
			}
			if got := providertest.ResultValues(
				t, w.MustRead(t, providertest.ClustersType, values{"project_id": payments, "name": wanted}), "name",
			); !slices.Equal(got, []string{composed}) {
				t.Errorf("clusters %+q by %+q: got %+q", held, wanted, got)
			}
		}
		if got := w.MustRead(t, providertest.ProjectType, values{"project_id": payments})["name"]; got != composed {
			t.Errorf("project %+q: got %+q", held, got)
		}
		if got := providertest.Names(w.Query(providertest.ScheduleType, values{"project_id": payments}, false, 0)); !slices.Equal(got, []string{composed}) {
			t.Errorf("query %+q: got %+q", held, got)
		}
		_, diags := w.Read(providertest.ProjectType, values{"name": composed + "!"})
		diags.WantError(t, "[name]", "GROUP_NAME_NOT_FOUND")
	}
}

func TestNameIsReportedAsUnknownIfProjectsCannotBeListed(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	s.Inject(emulator.Fault{Status: 404, Body: `{"error": 404, "errorCode": "GROUP_NAME_NOT_FOUND", "detail": "No such group."}`})
	s.Inject(emulator.Fault{Status: 403, Body: `{"error": 403, "errorCode": "USER_UNAUTHORIZED", "detail": "Not permitted."}`})
	_, diags := w.Read(providertest.ProjectType, values{"name": composed})
	diags.WantError(t, "[name]", "GROUP_NAME_NOT_FOUND")
}

func TestClustersWithoutANameOrAnIDAreListed(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	const list = `{"totalCount": 6, "results": [
		{"id": "650a1f3c2e4b6d8091a3b5c7", "clusterName": "ledger", "typeName": "REPLICA_SET"},
		{"id": "650a1f8b5d7092a4c6e8f013", "typeName": "REPLICA_SET"},
		{"id": "650a2035b7d9f1e3a5c70924", "clusterName": "", "typeName": "REPLICA_SET", "replicaSetName": "rs"},
		{"clusterName": "lost", "typeName": "REPLICA_SET"},
		{"id": "", "typeName": "SHARDED_REPLICA_SET"},
		{}]}`
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: list})
	data, diags := w.Read(providertest.ClustersType, values{"project_id": payments})
	providertest.WantEach(t, diags.Warnings(),
		[]string{"Clusters Without an ID in Project Payments (" + payments, `3 clusters without an ID: "lost", "-", "-"`},
		[]string{"Clusters Without a Name", "ids_by_name leaves them out: 650a1f8b5d7092a4c6e8f013."})
	var got []string
	for _, item := range data["results"].([]any) { //nolint:forcetypeassert // a panic fails too
		c := item.(values) //nolint:forcetypeassert // a panic fails too
		got = append(got, fmt.Sprint(c["name"], " ", c["cluster_id"], " ", c["has_schedule"]))
	}
	want := []string{
		cards + " " + cards + " true", "ledger " + ledger + " true", "lost <nil> true", "rs " + orders + " true", "<nil> <nil> true", "<nil> <nil> true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestClustersSayWhichOnesAnotherProductBacksUp(t *testing.T) {
	t.Parallel()
	s, w := start(t, emulator.Options{ThirdPartyBackup: true})
	s.SetThirdPartyBackup(payments, cards, "ACTIVE")
	s.SetThirdPartyBackup(payments, ledger, "DISCOVERING")
	config := values{"project_id": payments}
	read := func(attribute string) object {
		found := object{}
		results, _ := w.MustRead(t, providertest.ClustersType, config)["results"].([]any)
		for _, item := range results {
			c, _ := item.(values)
			found[fmt.Sprint(c["cluster_id"])] = c[attribute]
		}
		return found
	}
	want := object{cards: true, orders: false, ledger: nil, providertest.OrdersShard: nil}
	found := read("third_party_backup")
	if schedules := read("has_schedule"); schedules[cards] != false || schedules[orders] != true || schedules[ledger] != true {
		t.Errorf("got %v", schedules)
	}
	for id, is := range want {
		if found[id] != is {
			t.Errorf("%s: got %v, want %v", id, found[id], is)
		}
	}
	ids, _ := w.MustRead(t, providertest.ClustersType, config)["ids_by_name"].(values)
	if ids["cards"] != nil || ids["orders"] != orders {
		t.Errorf("got IDs %v", ids)
	}
	s.Inject(emulator.Fault{Path: "/backup/third_party/group/" + payments + "/clusters", Status: 500})
	if found := read("third_party_backup"); found[cards] != nil || found[orders] != nil {
		t.Errorf("got %v", found)
	}
}
