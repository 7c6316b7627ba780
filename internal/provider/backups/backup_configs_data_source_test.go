package backups_test

import (
	"fmt"
	"slices"
	"strings"
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
		at := "/groups/" + payments + "/backupConfigs"
		providertest.WantEqual(t, results[slices.Index(ids, cards)], values{
			"project_id": payments, "cluster_id": cards, "status_name": "NEW_STATUS", "storage_engine_name": "NEW_ENGINE",
			"encryption_enabled": nil, "ssl_enabled": true, "excluded_namespaces": []any{"b", "a.c"}, "included_namespaces": nil,
			"links": []any{values{"rel": "self", "href": s.URL + emulator.BasePath + at + "/" + cards}},
		})
		links, _ := data["links"].([]any)
		if len(links) != 1 || !strings.Contains(fmt.Sprint(links[0]), at) {
			t.Errorf("links %v", links)
		}
	})
}

func TestMissingFieldsOfBackupConfigsAreNull(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.Inject(emulator.Fault{Status: 200, Body: `{"results": [{}, {"clusterId": "c", "excludedNamespaces": [], "links": null, "newField": 1}]}`})
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigsType, values{"project_id": payments, "page_num": 1})
	empty := values{
		"project_id": nil, "cluster_id": nil, "status_name": nil, "storage_engine_name": nil, "encryption_enabled": nil, "ssl_enabled": nil,
		"excluded_namespaces": nil, "included_namespaces": nil, "links": nil,
	}
	listed := empty.With(values{"cluster_id": "c", "excluded_namespaces": []any{}})
	providertest.WantEqual(t, data["results"], []any{listed, empty})
	if data["total_count"] != nil || data["links"] != nil {
		t.Errorf("of the list: %v %v", data["total_count"], data["links"])
	}
}

func TestListsRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for says, invalid := range map[string]values{
		"[project_id] 24 hexadecimal digits": {"project_id": "g4f0c2a19b3d5e7f80a1b2c3"},
		"[page_num] at least 1":              {"page_num": 0},
		"[items_per_page] between 1 and 500": {"items_per_page": 501},
	} {
		_, diags := w.Read(providertest.BackupConfigsType, values{"project_id": payments}.With(invalid))
		attribute, words, _ := strings.Cut(says, " ")
		diags.WantError(t, attribute, words)
	}
	_, diags := w.Read(providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": ""})
	diags.WantError(t, "[host_id]", "at least 1")
	providertest.WantNoCalls(t, s)
}

func TestListErrorsExplainTheCause(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		w := providertest.NewWorkspace(t, s)
		_, diags := w.Read(providertest.BackupConfigsType, values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"})
		diags.WantError(t, "[project_id]", "Unable to List Backup Configurations", "GROUP_NOT_FOUND")
		config := values{"project_id": payments, "host_id": "nope"}
		_, diags = w.Read(providertest.ConfigServerSnapshotsType, config)
		diags.WantError(t, "[host_id]", "HOST_NOT_FOUND", "Check the host ID")
		s.Inject(emulator.Fault{Status: 401, Body: `{"error": 401, "errorCode": "NOT_IN_GROUP"}`})
		_, diags = w.Read(providertest.ConfigServerSnapshotsType, config)
		diags.WantError(t, "[project_id]", "Unable to List Config Server Snapshots", "no role in it")
	})
}
