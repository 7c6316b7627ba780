package provider_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	backupConfigsType = "opsmanager_backup_configs"
	snapshotsType     = "opsmanager_config_server_snapshots"
)

// idsIn returns an attribute of each item of what a data source read.
func idsIn(t *testing.T, data values, attribute string) []string {
	t.Helper()
	results, ok := data["results"].([]any)
	if !ok {
		t.Fatalf("results are %v", data["results"])
	}
	ids := []string{}
	for _, item := range results {
		if fields, ok := item.(values); ok {
			ids = append(ids, fmt.Sprint(fields[attribute]))
		}
	}
	return ids
}

// mustRead reads a data source without a word.
func (w *workspace) mustRead(t *testing.T, typeName string, config values) values {
	t.Helper()
	data, told := w.read(typeName, config)
	if len(told.errors()) > 0 {
		t.Fatal(told.errors())
	}
	return data
}

// manyClusters is a service with so many clusters in one project, in no order.
func manyClusters(count int) emulator.Options {
	project := emulator.Project{ID: payments, Name: "Many"}
	for i := range count {
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID: fmt.Sprintf("%024x", (i*7919)%count), Name: "c", TypeName: "REPLICA_SET",
			BackupConfig: map[string]any{"statusName": "STARTED"},
		})
	}
	return emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}}
}

func TestBackupConfigsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		s.SetBackupConfig(payments, cards, map[string]any{
			"statusName": "NEW_STATUS", "storageEngineName": "NEW_ENGINE", "excludedNamespaces": []string{"b", "a.c"}, "includedNamespaces": nil,
			"encryptionEnabled": nil,
		})
		data := openWorkspace(t, s, nil).mustRead(t, backupConfigsType, values{"project_id": payments})
		ids := idsIn(t, data, "cluster_id")
		if len(ids) < 5 || !slices.IsSorted(ids) {
			t.Errorf("clusters %v", ids)
		}
		if data["total_count"] != len(ids) {
			t.Errorf("%v of %d", data["total_count"], len(ids))
		}
		results, _ := data["results"].([]any)
		got := results[slices.Index(ids, cards)]
		at := "/groups/" + payments + "/backupConfigs"
		want := values{
			"group_id": payments, "cluster_id": cards, "status_name": "NEW_STATUS", "storage_engine_name": "NEW_ENGINE",
			"encryption_enabled": nil, "ssl_enabled": true, "excluded_namespaces": []any{"b", "a.c"}, "included_namespaces": nil,
			"links": []any{values{"rel": "self", "href": s.URL + emulator.BasePath + at + "/" + cards}},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		links, _ := data["links"].([]any)
		if len(links) != 1 || !strings.Contains(fmt.Sprint(links[0]), at) {
			t.Errorf("links %v", links)
		}
	})
}

func TestEveryPageOfBackupConfigsIsRead(t *testing.T) {
	t.Parallel()
	s := startService(t, manyClusters(1201))
	data := openWorkspace(t, s, nil).mustRead(t, backupConfigsType, values{"project_id": payments})
	ids := idsIn(t, data, "cluster_id")
	if len(slices.Compact(ids)) != 1201 || !slices.IsSorted(ids) || data["total_count"] != 1201 {
		t.Errorf("%d items of %v", len(ids), data["total_count"])
	}
	if got := len(s.calls("GET")); got != 3+2 { // and a look back at two of them
		t.Errorf("%d requests", got)
	}
}

func TestAListThatChangesWhileItIsReadIsWholeAndSorted(t *testing.T) {
	t.Parallel()
	// The last fifty of the clusters have no backup at first. After each of the
	// first fifty pages one gets it, and one of the first fifty goes.
	const count, changes = 4_000, 50
	options := manyClusters(count)
	clusters := options.Seed.Projects[0].Clusters
	for i := range changes {
		clusters[count-1-i].BackupConfig = nil
	}
	var (
		s     *testService
		pages atomic.Int64
		gone  = map[string]bool{}
	)
	for i := range changes {
		gone[clusters[i].ID] = true
	}
	options.OnRequest = func(r emulator.Request) {
		if i := int(pages.Add(1)) - 1; r.Authenticated && i < changes {
			s.RemoveCluster(payments, clusters[i].ID)
			s.SetBackupConfig(payments, clusters[count-1-i].ID, map[string]any{"statusName": "STARTED"})
		}
	}
	s = startService(t, options)
	ids := idsIn(t, openWorkspace(t, s, nil).mustRead(t, backupConfigsType, values{"project_id": payments}), "cluster_id")
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("not sorted, or not each of them once")
	}
	for _, cluster := range clusters[changes : count-changes] {
		if _, found := slices.BinarySearch(ids, cluster.ID); !found {
			t.Errorf("%s was there all the time, and is not listed", cluster.ID)
		}
	}
}

func TestOnePageOfBackupConfigsIsReadWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config values
		query  string
		items  int
	}{
		{values{"page_num": 2, "items_per_page": 50}, "itemsPerPage=50&pageNum=2", 50},
		{values{"items_per_page": 1}, "itemsPerPage=1", 1},
		{values{"page_num": 2}, "pageNum=2", 30},
		{values{"page_num": 99}, "pageNum=99", 0},
		{values{"items_per_page": 500}, "itemsPerPage=500", 130},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			s := startService(t, manyClusters(130))
			test.config["project_id"] = payments
			data := openWorkspace(t, s, nil).mustRead(t, backupConfigsType, test.config)
			if got := len(idsIn(t, data, "cluster_id")); got != test.items || data["total_count"] != 130 {
				t.Errorf("%d items of %v, want %d of 130", got, data["total_count"], test.items)
			}
			var queries []string
			for _, r := range s.Requests() {
				if r.Authenticated {
					queries = append(queries, r.Query)
				}
			}
			if !slices.Equal(queries, []string{test.query}) {
				t.Errorf("asked for %v", queries)
			}
		})
	}
}

func TestAServiceThatDoesNotCountIsRead(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{OmitTotalCount: true})
	data := openWorkspace(t, s, nil).mustRead(t, backupConfigsType, values{"project_id": payments})
	if data["total_count"] != nil || len(idsIn(t, data, "cluster_id")) == 0 {
		t.Errorf("total %v", data["total_count"])
	}
}

func TestWhatAListLeavesOutIsNull(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: `{"results": [{}, {"clusterId": "c", "excludedNamespaces": [], "links": null, "newField": 1}]}`})
	data := w.mustRead(t, backupConfigsType, values{"project_id": payments, "page_num": 1})
	results, _ := data["results"].([]any)
	if want := (values{"group_id": nil, "cluster_id": nil, "status_name": nil, "storage_engine_name": nil, "encryption_enabled": nil, "ssl_enabled": nil,
		"excluded_namespaces": nil, "included_namespaces": nil, "links": nil}); !reflect.DeepEqual(results[1], want) {
		t.Errorf("an empty item is %v", results[1])
	}
	if got := results[0].(values)["excluded_namespaces"]; !reflect.DeepEqual(got, []any{}) { //nolint:forcetypeassert // a panic fails too
		t.Errorf("an empty list is %v", got)
	}
	if data["total_count"] != nil || data["links"] != nil {
		t.Errorf("of the list: %v %v", data["total_count"], data["links"])
	}
	data = w.mustRead(t, snapshotsType, values{"project_id": payments, "host_id": "h", "page_num": 1})
	if got := len(idsIn(t, data, "id")); got != 2 {
		t.Errorf("%d snapshots", got)
	}
}

// A list that lacks an item would have for_each plan to destroy what it lacks.
func TestAListThatMayLackItemsIsAnErrorEverywhere(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	w := openWorkspace(t, s, nil)
	says := []string{"Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage"}
	for typeName, config := range map[string]values{
		backupConfigsType:               {"project_id": payments},
		clustersType:                    {"project_id": payments},
		snapshotsType:                   {"project_id": payments, "host_id": mirroredHost},
		clusterSnapshotsType:            {"project_id": payments, "cluster_id": cards},
		"opsmanager_deployment_regions": {},
	} {
		_, told := w.read(typeName, config)
		wantOne(t, told.errors(), says...)
	}
	for typeName, config := range map[string]values{scheduleType: {"project_id": payments}, regionType: {}} {
		wantOne(t, w.query(typeName, config, false, 0)[0].errors(), says...)
	}
	w.mustRead(t, backupConfigsType, values{"project_id": payments, "page_num": 1})
	w.mustRead(t, clusterSnapshotsType, values{"project_id": payments, "cluster_id": cards, "max_results": 1})
}

func TestListsRejectWhatNoServiceTakes(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	for _, test := range []struct {
		attribute string
		value     any
		says      string
	}{
		{"project_id", "123", "24 hexadecimal digits"},
		{"project_id", payments + "0", "24 hexadecimal digits"},
		{"project_id", "g4f0c2a19b3d5e7f80a1b2c3", "24 hexadecimal digits"},
		{"page_num", 0, "at least 1"},
		{"items_per_page", 0, "between 1 and 500"},
		{"items_per_page", 501, "between 1 and 500"},
	} {
		for _, typeName := range []string{backupConfigsType, snapshotsType} {
			config := values{"project_id": payments}
			if typeName == snapshotsType {
				config["host_id"] = "h"
			}
			config[test.attribute] = test.value
			_, told := w.read(typeName, config)
			wantOne(t, told.errors(), "["+test.attribute+"]", test.says)
		}
	}
	_, told := w.read(snapshotsType, values{"project_id": payments, "host_id": ""})
	wantOne(t, told.errors(), "[host_id]", "at least 1")
	if got := s.calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
}

func TestAListSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName string
		config   values
		fault    emulator.Fault
		says     []string
	}{
		"no such project": {
			backupConfigsType, values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}, emulator.Fault{},
			[]string{"[project_id]", "Unable to List Backup Configurations", "GROUP_NOT_FOUND"},
		},
		"a proxy's page": {
			backupConfigsType, values{"project_id": payments}, emulator.Fault{Status: 404, Body: "<html>"},
			[]string{"Unable to List Backup Configurations", "a proxy or another server"},
		},
		"no project for the key": {
			snapshotsType, values{"project_id": payments, "host_id": "h"}, emulator.Fault{Status: 401, Body: `{"error": 401, "errorCode": "NOT_IN_GROUP"}`},
			[]string{"[project_id]", "Unable to List Config Server Snapshots", "no role in it"},
		},
		"no such host": {
			snapshotsType, values{"project_id": payments, "host_id": "nope"}, emulator.Fault{},
			[]string{"[host_id]", "HOST_NOT_FOUND", "Check the host id"},
		},
		"a modern config server": {
			snapshotsType, values{"project_id": payments, "host_id": modernHost}, emulator.Fault{},
			[]string{"[host_id]", "NOT_CONFIG_SERVER", "mirrored config servers only", "opsmanager_cluster_snapshots"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachProfile(t, func(t *testing.T, s *testService) {
				if test.fault.Status != 0 {
					s.Inject(test.fault)
				}
				_, told := openWorkspace(t, s, nil).read(test.typeName, test.config)
				wantOne(t, told.errors(), test.says...)
			})
		})
	}
}

func TestListsWaitForSettingsThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, values{"public_key": unknown})
	for typeName, config := range map[string]values{
		backupConfigsType: {"project_id": payments},
		snapshotsType:     {"project_id": payments, "host_id": "h"},
	} {
		_, told := w.read(typeName, config)
		wantOne(t, told.errors(), "Unable to List", "public_key", "depends_on")
	}
}
