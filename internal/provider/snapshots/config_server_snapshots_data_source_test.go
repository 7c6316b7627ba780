package snapshots_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestConfigServerSnapshotsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_config_server_snapshots", ID: "id", Config: values{"project_id": payments, "host_id": providertest.MirroredHost},
	})
}

func TestConfigServerSnapshotsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		data, diags := providertest.NewWorkspace(t, s).Read(
			providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": providertest.MirroredHost},
		)
		diags.WantNoErrors(t)
		results, _ := data["results"].([]any)
		var dates []string
		for _, item := range results {
			created := item.(values)["created"].(values) //nolint:forcetypeassert // a panic fails too
			dates = append(dates, created["date"].(string))
		}
		slices.Reverse(dates)
		if len(dates) < 3 || !slices.IsSorted(dates) || data["total_count"] != len(dates) {
			t.Errorf("total_count is %v, from the oldest to the newest: %v", data["total_count"], dates)
		}
		const id = "650b3a10c4d6e8f0a2b4c6d9"
		i := slices.Index(providertest.ResultValues(t, data, "id"), id)
		if i < 0 {
			t.Fatalf("no snapshot %s among %v", id, providertest.ResultValues(t, data, "id"))
		}
		want := values{
			"id": id, "project_id": payments, "cluster_id": "650a20d18c3e5f7092b4d6a8", "cluster_name": "invoices",
			"complete": true, "do_not_delete": true, "expires": nil,
			"created":                      values{"date": "2025-08-31T04:00:05Z", "increment": 2},
			"last_oplog_applied_timestamp": values{"date": "2025-08-31T04:00:05Z", "increment": 4},
			"links": []any{values{
				"rel":  "self",
				"href": s.URL + emulator.BasePath + "/groups/" + payments + "/hosts/" + providertest.MirroredHost + "/snapshots/" + id,
			}},
			"namespace_filter_list": values{"filter_list": []any{}, "filter_type": "denyList"},
			"parts": []any{values{
				"type_name": "CONFIG_SERVER", "cluster_id": "650a20d18c3e5f7092b4d6a8", "host_id": providertest.MirroredHost,
				"machine_id": "cfg1.payments.example.com:27019", "mongod_version": "3.2.22", "fcv": "3.2", "replica_state": "PRIMARY",
				"replica_set_name": nil, "compression_setting": "GZIP", "completed_time": "2025-08-31T04:07:12Z",
				"data_size_bytes": 8796630941696, "file_size_bytes": 10995788677120, "storage_size_bytes": 9896209809408,
				"encryption_enabled": true, "master_key_uuid": "0c5f6a7e-2b91-4d38-9e64-5a1c7d8f0b23",
			}},
		}
		providertest.WantEqual(t, results[i], want)
	})
}

func TestNamespaceFilterWithoutAListHasAnEmptyOne(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.Inject(emulator.Fault{
		Status: 200,
		Body:   `{"results": [{"namespaceFilterList": {"filterType": "denylist"}}, {"namespaceFilterList": {}}, {"parts": []}]}`,
	})
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "h", "page_num": 1})
	results, _ := data["results"].([]any)
	var filters, parts []any
	for _, item := range results {
		filters = append(filters, item.(values)["namespace_filter_list"]) //nolint:forcetypeassert // a panic fails too
		parts = append(parts, item.(values)["parts"])                     //nolint:forcetypeassert // a panic fails too
	}
	if want := []any{
		values{"filter_list": []any{}, "filter_type": "denylist"},
		values{"filter_list": []any{}, "filter_type": nil}, nil,
	}; !reflect.DeepEqual(filters, want) {
		t.Errorf("got  %v\nwant %v", filters, want)
	}
	if want := []any{nil, nil, []any{}}; !reflect.DeepEqual(parts, want) {
		t.Errorf("parts %v", parts)
	}
}

func TestHostIDIsEscapedInThePath(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	_, diags := providertest.NewWorkspace(t, s).Read(providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "a/b ?"})
	diags.WantError(t, "HOST_NOT_FOUND")
	providertest.WantEqual(t, s.Calls(), []string{"GET /groups/" + payments + "/hosts/a%2Fb%20%3F/snapshots"})
}

func TestConfigServerSnapshotsAreDeprecated(t *testing.T) {
	t.Parallel()
	schemas := providertest.NewWorkspace(t, providertest.StartService(t)).Schema.DataSourceSchemas
	block := schemas[providertest.ConfigServerSnapshotsType].Block
	if !block.Deprecated || !strings.Contains(block.DeprecationMessage, "opsmanager_cluster_snapshots") {
		t.Errorf("deprecated %v: %s", block.Deprecated, block.DeprecationMessage)
	}
}
