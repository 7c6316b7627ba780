package provider_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	clusterType  = "opsmanager_cluster"
	clustersType = "opsmanager_clusters"

	ordersShard = "650a2036b7d9f1e3a5c70925"
)

func TestClustersAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	data := openWorkspace(t, s, nil).mustRead(t, clustersType, values{"project_id": payments})
	names := idsIn(t, data, "name")
	if len(names) != 9 || !slices.IsSorted(names) {
		t.Errorf("clusters %v", names)
	}
	results, _ := data["results"].([]any)
	want := values{
		"group_id": payments, "cluster_id": ordersShard, "name": "orders", "type_name": "REPLICA_SET",
		"replica_set_name": "orders-shard-0", "shard_name": "orders-shard-0", "whole": false,
		"links": []any{values{"rel": "self", "href": s.URL + emulator.BasePath + "/groups/" + payments + "/clusters/" + ordersShard}},
	}
	if got := results[slices.Index(idsIn(t, data, "cluster_id"), ordersShard)]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	whole := map[string]string{}
	for _, item := range results {
		if c := item.(values); c["whole"] == true {
			whole[c["name"].(string)] = c["cluster_id"].(string)
		}
	}
	if len(whole) != 6 || whole["orders"] != orders || whole["ledger"] != ledger {
		t.Errorf("whole clusters %v", whole)
	}
}

func TestEveryPageOfClustersIsRead(t *testing.T) {
	t.Parallel()
	s := startService(t, manyClusters(1201))
	data := openWorkspace(t, s, nil).mustRead(t, clustersType, values{"project_id": payments, "name": "c"})
	if ids := idsIn(t, data, "cluster_id"); len(slices.Compact(ids)) != 1201 || !slices.IsSorted(ids) {
		t.Errorf("%d clusters", len(ids))
	}
	if got := len(s.calls("GET")); got != 3+2 { // and a look back at two of them
		t.Errorf("%d requests", got)
	}
}

func TestAClusterIsFoundByItsNameOrItsID(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	want := values{
		"project_id": payments, "cluster_id": orders, "name": "orders", "type_name": "SHARDED_REPLICA_SET",
		"replica_set_name": nil, "shard_name": nil, "last_heartbeat": "2025-09-01T08:15:24Z",
	}
	for _, config := range []values{
		{"project_id": payments, "name": "orders", "type_name": "SHARDED_REPLICA_SET"},
		{"project_id": payments, "cluster_id": orders},
	} {
		got := w.mustRead(t, clusterType, config)
		if links := fmt.Sprint(got["links"]); !strings.Contains(links, "/clusters/"+orders) {
			t.Errorf("links %s", links)
		}
		delete(got, "links")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	if got, want := s.calls(), []string{"GET /groups/" + payments + "/clusters", "GET /groups/" + payments + "/clusters/" + orders}; !slices.Equal(got, want) {
		t.Errorf("called %q", got)
	}
}

func TestAnAmbiguousNameOfAClusterSaysHowToChoose(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	_, told := openWorkspace(t, s, nil).read(clusterType, values{"project_id": payments, "name": "orders"})
	wantOne(t, told.errors(), "[name]", "Unable to Read Cluster", "4 clusters", orders+", SHARDED_REPLICA_SET: a whole cluster",
		ordersShard+", REPLICA_SET, replica set orders-shard-0\n", `set type_name = "SHARDED_REPLICA_SET"`)
}

func TestAClusterThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	const other = "64f0c2a19b3d5e7f80a1b2c4"
	for name, test := range map[string]struct {
		typeName string
		config   values
		says     []string
	}{
		"no such name":       {clusterType, values{"project_id": payments, "name": "Ledger"}, []string{"[name]", `no cluster called "Ledger"`, `"ledger"`}},
		"no such id":         {clusterType, values{"project_id": payments, "cluster_id": other}, []string{"[cluster_id]", "CLUSTER_NOT_FOUND"}},
		"no such project":    {clusterType, values{"project_id": other, "name": "x"}, []string{"[project_id]", "GROUP_NOT_FOUND"}},
		"a list without one": {clustersType, values{"project_id": other}, []string{"[project_id]", "Unable to List Clusters", "GROUP_NOT_FOUND"}},
		"neither":            {clusterType, values{"project_id": payments}, []string{"cluster_id", "name"}},
		"name and id":        {clusterType, values{"project_id": payments, "name": "x", "cluster_id": ledger}, []string{"cluster_id", "name"}},
		"id and type":        {clusterType, values{"project_id": payments, "cluster_id": ledger, "type_name": "x"}, []string{"cluster_id", "type_name"}},
		"a malformed id":     {clusterType, values{"project_id": payments, "cluster_id": "ledger"}, []string{"[cluster_id]", "24 hexadecimal digits"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, told := openWorkspace(t, startService(t, emulator.Options{}), nil).read(test.typeName, test.config)
			wantOne(t, told.errors(), test.says...)
		})
	}
}

// lookUps read what only newer versions of the service have.
var lookUps = map[string]values{
	clusterType:          {"project_id": payments, "cluster_id": ledger},
	backupConfigType:     {"project_id": payments, "cluster_id": ledger},
	clustersType:         {"project_id": payments},
	clusterSnapshotsType: {"project_id": payments, "cluster_id": ledger, "completed": "all"},
	regionsType:          nil,
	projectType:          {"name": "Payments"},
}

func TestALookUpThatTheServiceLacksTellsItsVersion(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{Profile: emulator.Documented, ServiceVersion: "3.6.18"})
	for typeName, config := range lookUps {
		_, told := openWorkspace(t, s, nil).read(typeName, config)
		wantOne(t, told.errors(), "RESOURCE_NOT_FOUND", "not known to this version of Ops Manager (3.6.18)")
	}
}

func TestALookUpWaitsForSettingsThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	w := openWorkspace(t, startService(t, emulator.Options{}), values{"private_key": unknown})
	for typeName, config := range lookUps {
		_, told := w.read(typeName, config)
		wantOne(t, told.errors(), "Unable to", "private_key", "depends_on")
	}
}

func TestTerraformManagesAScheduleByTheNamesOfProjectAndCluster(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	terraform(t, resource.TestStep{
		Config: s.config(`
data "opsmanager_project" "payments" {
  name = "Payments"
}

data "opsmanager_clusters" "payments" {
  project_id = data.opsmanager_project.payments.project_id
}

data "opsmanager_cluster" "orders" {
  project_id = data.opsmanager_project.payments.project_id
  name       = "orders"
  type_name  = "SHARDED_REPLICA_SET"
}

resource "opsmanager_snapshot_schedule" "orders" {
  project_id              = data.opsmanager_cluster.orders.project_id
  cluster_id              = data.opsmanager_cluster.orders.cluster_id
  snapshot_retention_days = 5
}

output "whole" {
  value = sort([for c in data.opsmanager_clusters.payments.results : c.name if c.whole])
}`),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("whole", knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("cards"), knownvalue.StringExact("fraud"), knownvalue.StringExact("invoices"),
				knownvalue.StringExact("ledger"), knownvalue.StringExact("orders"), knownvalue.StringExact("reports"),
			})),
		},
	})
	if got := s.Schedule(payments, orders)["snapshotRetentionDays"]; fmt.Sprint(got) != "5" {
		t.Errorf("kept for %v days", got)
	}
}

// decomposed is a name with its accents apart, composed the same as Terraform has
// it.
const (
	decomposed = "Cafe\u0301 Zu\u0308rich"
	composed   = "Caf\u00e9 Z\u00fcrich"
)

func TestANameIsFoundInEitherFormOfUnicode(t *testing.T) {
	t.Parallel()
	for _, held := range []string{decomposed, composed} {
		s := startService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{
			{ID: "64f0c2d57c1e4a6b92d3f4e5", Name: "Other"},
			{ID: payments, Name: held, Clusters: []emulator.Cluster{
				{ID: ledger, Name: held, TypeName: "REPLICA_SET", BackupConfig: map[string]any{"statusName": "STARTED"}},
			}},
		}}})
		w := openWorkspace(t, s, nil)
		for _, wanted := range []string{decomposed, composed} {
			if got := w.mustRead(t, projectType, values{"name": wanted}); got["project_id"] != payments || got["name"] != wanted {
				t.Errorf("project %+q by %+q: got %v", held, wanted, got)
			}
			if got := w.mustRead(t, clusterType, values{"project_id": payments, "name": wanted}); got["cluster_id"] != ledger || got["name"] != composed {
				t.Errorf("cluster %+q by %+q: got %v", held, wanted, got)
			}
			if got := idsIn(t, w.mustRead(t, clustersType, values{"project_id": payments, "name": wanted}), "name"); !slices.Equal(got, []string{composed}) {
				t.Errorf("clusters %+q by %+q: got %+q", held, wanted, got)
			}
		}
		if got := w.mustRead(t, projectType, values{"project_id": payments})["name"]; got != composed {
			t.Errorf("project %+q: got %+q", held, got)
		}
		if got := names(w.query(scheduleType, values{"project_id": payments}, false, 0)); !slices.Equal(got, []string{composed}) {
			t.Errorf("query %+q: got %+q", held, got)
		}
		_, told := w.read(projectType, values{"name": composed + "!"})
		wantOne(t, told.errors(), "[name]", "GROUP_NAME_NOT_FOUND")
	}
}

func TestListsTellOfItemsWithoutAnID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config            values
		id                string
		list, title, text string
	}{
		clustersType: {
			values{"project_id": payments}, "cluster_id", `{"clusterName": "lost"}`,
			"Clusters Without an ID in Project " + payments, `lists 1 cluster without an id: "lost". The cluster_id`,
		},
		backupConfigsType: {
			values{"project_id": payments}, "cluster_id", `{"statusName": "STARTED"}`,
			"Backup Configurations Without an ID in Project " + payments, `lists 1 backup configuration without an id: "STARTED"`,
		},
		regionsType: {
			nil, "deployment_id", `{"deploymentDescription": "Lost"}`,
			"Deployment Regions Without an ID", `lists 1 deployment region without an id: "Lost". The deployment_id`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			w := openWorkspace(t, s, nil)
			s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 1, "results": [` + c.list + `]}`, Header: http.Header{"Content-Type": {"application/json"}}})
			data, told := w.read(name, c.config)
			wantOne(t, told.warnings(), c.title, c.text)
			if got := idsIn(t, data, c.id); !slices.Contains(got, "<nil>") {
				t.Errorf("read %q", got)
			}
			if _, told := w.read(name, c.config); len(told) > 0 {
				t.Errorf("told %q", told.warnings())
			}
		})
	}
}

func TestClustersWithoutANameOrAnIDDoNotBreakTheOthers(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	const list = `{"totalCount": 6, "results": [
		{"id": "650a1f3c2e4b6d8091a3b5c7", "clusterName": "ledger", "typeName": "REPLICA_SET"},
		{"id": "650a1f8b5d7092a4c6e8f013", "typeName": "REPLICA_SET"},
		{"id": "650a2035b7d9f1e3a5c70924", "clusterName": "", "typeName": "REPLICA_SET", "replicaSetName": "rs"},
		{"clusterName": "lost", "typeName": "REPLICA_SET"},
		{"id": "", "typeName": "SHARDED_REPLICA_SET"},
		{}]}`
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: list, Header: http.Header{"Content-Type": {"application/json"}}})
	data, told := openWorkspace(t, s, nil).read(clustersType, values{"project_id": payments})
	wantOne(t, told.warnings(), "Clusters Without an ID in Project "+payments, `3 clusters without an id: "lost", "-", "-"`)
	var got []string
	for _, item := range data["results"].([]any) { //nolint:forcetypeassert // a panic fails too
		c := item.(values) //nolint:forcetypeassert // a panic fails too
		got = append(got, fmt.Sprint(c["name"], " ", c["cluster_id"], " ", c["whole"]))
	}
	want := []string{
		cards + " " + cards + " true", "ledger " + ledger + " true", "lost <nil> true", "rs " + orders + " true", "<nil> <nil> true", "<nil> <nil> true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestIDsInCapitalsAreRead(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	project, cluster := strings.ToUpper(payments), strings.ToUpper(cards)
	for typeName, config := range map[string]values{
		projectType:          {"project_id": project},
		clusterType:          {"project_id": project, "cluster_id": cluster},
		clustersType:         {"project_id": project},
		backupConfigType:     {"project_id": project, "cluster_id": cluster},
		backupConfigsType:    {"project_id": project},
		clusterSnapshotsType: {"project_id": project, "cluster_id": cluster},
		scheduleType:         {"project_id": project, "cluster_id": cluster},
	} {
		got := w.mustRead(t, typeName, config)
		for attribute, configured := range config {
			if got[attribute] != configured {
				t.Errorf("%s: %s is %v", typeName, attribute, got[attribute])
			}
		}
	}
}

func TestAnAnswerAboutAnotherClusterIsAnErrorThatNamesBoth(t *testing.T) {
	t.Parallel()
	for _, typeName := range []string{clusterType, backupConfigType, scheduleType} {
		s := startService(t, emulator.Options{})
		s.Inject(emulator.Fault{Status: 200, Body: `{"id": "` + cards + `", "clusterId": "` + cards + `"}`, Header: http.Header{"Content-Type": {"application/json"}}})
		_, told := openWorkspace(t, s, nil).read(typeName, values{"project_id": payments, "cluster_id": ledger})
		wantOne(t, told.errors(), "another object", `"`+ledger+`", got "`+cards+`"`, "A cache or a proxy")
	}
}
