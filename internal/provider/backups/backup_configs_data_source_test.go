package backups_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestBackupConfigsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_backup_configs", Config: values{"project_id": payments},
		ID: "cluster_id", Lost: `{"statusName": "STARTED"}`, Warns: []string{
			"Backup Configurations Without an ID in Project " + payments, `lists 1 backup configuration without an ID: "STARTED"`,
		},
	})
}

func TestBackupConfigsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		s.SetBackupConfig(payments, cards, object{
			"statusName": "NEW_STATUS", "storageEngineName": "NEW_ENGINE", "excludedNamespaces": []string{"b", "a.c"}, "includedNamespaces": nil,
			"encryptionEnabled": nil,
		})
		data := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, values{"project_id": payments})
		ids := providertest.ResultValues(t, data, "cluster_id")
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
			"project_id": payments, "cluster_id": cards, "status_name": "NEW_STATUS", "storage_engine_name": "NEW_ENGINE",
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
	s := providertest.StartService(t, providertest.ManyClusters(1201))
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, values{"project_id": payments})
	ids := providertest.ResultValues(t, data, "cluster_id")
	if len(slices.Compact(ids)) != 1201 || !slices.IsSorted(ids) || data["total_count"] != 1201 {
		t.Errorf("%d items of %v", len(ids), data["total_count"])
	}
	if got := len(s.Calls("GET")); got != 3+2 { // two more requests check the other pages
		t.Errorf("%d requests", got)
	}
}

func TestListThatChangesWhileItIsReadIsCompleteAndSorted(t *testing.T) {
	t.Parallel()
	// The last clusters have no backup at first. After each of the first pages, one of them gets a
	// backup, and one of the first clusters is removed.
	const count, changes = 2_000, 25
	options := providertest.ManyClusters(count)
	clusters := options.Seed.Projects[0].Clusters
	for i := range changes {
		clusters[count-1-i].BackupConfig = nil
	}
	var (
		s     *providertest.Service
		pages atomic.Int64
		gone  = map[string]bool{}
	)
	for i := range changes {
		gone[clusters[i].ID] = true
	}
	options.OnRequest = func(r emulator.Request) {
		if i := int(pages.Add(1)) - 1; r.Authenticated && i < changes {
			s.RemoveCluster(payments, clusters[i].ID)
			s.SetBackupConfig(payments, clusters[count-1-i].ID, object{"statusName": "STARTED"})
		}
	}
	s = providertest.StartService(t, options)
	ids := providertest.ResultValues(
		t, providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, values{"project_id": payments}), "cluster_id",
	)
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("not sorted, or with duplicates")
	}
	for _, cluster := range clusters[changes : count-changes] {
		if _, found := slices.BinarySearch(ids, cluster.ID); !found {
			t.Errorf("%s always existed, but is not listed", cluster.ID)
		}
	}
}

func TestOnePageOfBackupConfigsIsRead(t *testing.T) {
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
			s := providertest.StartService(t, providertest.ManyClusters(130))
			test.config["project_id"] = payments
			data := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, test.config)
			if got := len(providertest.ResultValues(t, data, "cluster_id")); got != test.items || data["total_count"] != 130 {
				t.Errorf("%d items of %v, want %d of 130", got, data["total_count"], test.items)
			}
			var queries []string
			for _, r := range s.Requests() {
				if r.Authenticated {
					queries = append(queries, r.Query)
				}
			}
			if !slices.Equal(queries, []string{test.query}) {
				t.Errorf("requested %v", queries)
			}
		})
	}
}

func TestListWithoutATotalIsRead(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{OmitTotalCount: true})
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, values{"project_id": payments})
	if data["total_count"] != nil || len(providertest.ResultValues(t, data, "cluster_id")) == 0 {
		t.Errorf("total %v", data["total_count"])
	}
}

func TestMissingFieldsOfBackupConfigsAreNull(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for _, path := range []string{"/backupConfigs", "/snapshots"} {
		s.Inject(emulator.Fault{Path: path, Status: 200, Body: `{"results": [{}, {"clusterId": "c", "excludedNamespaces": [], "links": null, "newField": 1}]}`})
	}
	data := w.MustRead(t, providertest.BackupConfigsType, values{"project_id": payments, "page_num": 1})
	results, _ := data["results"].([]any)
	if want := (values{"project_id": nil, "cluster_id": nil, "status_name": nil, "storage_engine_name": nil, "encryption_enabled": nil, "ssl_enabled": nil,
		"excluded_namespaces": nil, "included_namespaces": nil, "links": nil}); !reflect.DeepEqual(results[1], want) {
		t.Errorf("the empty item is %v", results[1])
	}
	if got := results[0].(values)["excluded_namespaces"]; !reflect.DeepEqual(got, []any{}) { //nolint:forcetypeassert // a panic fails too
		t.Errorf("the empty list is %v", got)
	}
	if data["total_count"] != nil || data["links"] != nil {
		t.Errorf("of the list: %v %v", data["total_count"], data["links"])
	}
	data = w.MustRead(t, providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "h", "page_num": 1})
	providertest.WantEqual(t, len(providertest.ResultValues(t, data, "id")), 2)
}

func TestListsRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
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
		for _, typeName := range []string{providertest.BackupConfigsType, providertest.ConfigServerSnapshotsType} {
			config := values{"project_id": payments}
			if typeName == providertest.ConfigServerSnapshotsType {
				config["host_id"] = "h"
			}
			config[test.attribute] = test.value
			_, diags := w.Read(typeName, config)
			diags.WantError(t, "["+test.attribute+"]", test.says)
		}
	}
	_, diags := w.Read(providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": ""})
	diags.WantError(t, "[host_id]", "at least 1")
	providertest.WantNoCalls(t, s)
}

func TestListErrorsExplainTheCause(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName string
		config   values
		fault    emulator.Fault
		says     []string
	}{
		"It does not exist, or": {
			providertest.BackupConfigsType, values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}, emulator.Fault{},
			[]string{"[project_id]", "Unable to List Backup Configurations", "GROUP_NOT_FOUND"},
		},
		"a proxy's page": {
			providertest.BackupConfigsType, values{"project_id": payments}, emulator.Fault{Status: 404, Body: "<html>"},
			[]string{"Unable to List Backup Configurations", "a proxy or another server"},
		},
		"no project for the key": {
			providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "h"}, emulator.Fault{
				Status: 401, Body: `{"error": 401, "errorCode": "NOT_IN_GROUP"}`,
			},
			[]string{"[project_id]", "Unable to List Config Server Snapshots", "no role in it"},
		},
		"no such host": {
			providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "nope"}, emulator.Fault{},
			[]string{"[host_id]", "HOST_NOT_FOUND", "Check the host ID"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
				if test.fault.Status != 0 {
					s.Inject(test.fault)
				}
				_, diags := providertest.NewWorkspace(t, s).Read(test.typeName, test.config)
				diags.WantError(t, test.says...)
			})
		})
	}
}
