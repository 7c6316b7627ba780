package provider_test

import (
	"fmt"
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
		"replica_set_name": "orders-shard-0", "shard_name": "orders-shard-0", "last_heartbeat": "2025-09-01T08:15:25Z", "whole": false,
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
