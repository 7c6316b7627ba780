package backups_test

import (
	"maps"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestBackupConfigDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_backup_config", Config: values{"project_id": payments, "cluster_id": cards}, Lacks: "3.6.18",
	})
}

func TestDataSourceReadsEveryFieldOfABackupConfig(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetBackupConfig(payments, cards, object{
		"excludedNamespaces": []string{"b", "a.c"}, "includedNamespaces": nil, "multiRegionBackupEnabled": true,
		"multiRegionMisconfigured": false, "preferredMember": "cards-0.payments.example.com:27017", "provisioned": true,
	})
	got := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigType, values{"project_id": payments, "cluster_id": cards})
	want := values{
		"project_id": payments, "cluster_id": cards, "status_name": "STARTED", "storage_engine_name": "WIRED_TIGER",
		"encryption_enabled": false, "ssl_enabled": true, "excluded_namespaces": []any{"b", "a.c"}, "included_namespaces": nil,
		"auth_mechanism_name": "NONE", "preferred_member": "cards-0.payments.example.com:27017", "provisioned": true,
		"multi_region_backup_enabled": true, "multi_region_misconfigured": false,
		"available_members": []any{"cards-0.payments.example.com:27017", "cards-1.payments.example.com:27017", "cards-2.payments.example.com:27017"},
	}
	providertest.WantEqual(t, got, want)
}

func TestMissingFieldsOfABackupConfigAreNull(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: `{"statusName": "SOMETHING_NEW", "links": null}`})
	got := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigType, values{"project_id": payments, "cluster_id": providertest.Orders})
	maps.DeleteFunc(got, func(_ string, value any) bool { return value == nil })
	providertest.WantEqual(t, got, values{"project_id": payments, "cluster_id": providertest.Orders, "status_name": "SOMETHING_NEW"})
}

func TestErrorsOfReadingABackupConfigNameTheAttribute(t *testing.T) {
	t.Parallel()
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	for _, test := range []struct{ project, cluster, attribute, code string }{
		{"64f0c2d57c1e4a6b92d3f4e5", "650a22fad3b5a7c9e1f30817", "[cluster_id]", "BACKUP_CONFIG_NOT_FOUND"},
		{payments, "650a22fad3b5a7c9e1f30817", "[cluster_id]", "CLUSTER_NOT_FOUND"},
		{"0123456789abcdef01234567", providertest.Orders, "[project_id]", "GROUP_NOT_FOUND"},
	} {
		_, diags := w.Read(providertest.BackupConfigType, values{"project_id": test.project, "cluster_id": test.cluster})
		diags.WantError(t, test.attribute, test.code, "Unable to Read Backup Configuration")
	}
}

func TestABackupConfigIsReadWithoutMembersIfOpsManagerReturnsNone(t *testing.T) {
	t.Parallel()
	const path = "/availableMembers"
	read := func(status int, body string) (values, providertest.Diagnostics) {
		s := providertest.StartService(t)
		s.Inject(emulator.Fault{Path: path, Status: status, Body: body})
		return providertest.NewWorkspace(t, s).Read(providertest.BackupConfigType, values{"project_id": payments, "cluster_id": cards})
	}
	for body, status := range map[string]int{
		`{"error": 404, "detail": "No."}`: 404, `{"error": 404, "errorCode": "BACKUP_CONFIG_NOT_FOUND"}`: 404,
		`{"error": 404, "errorCode": "RESOURCE_NOT_FOUND"}`: 404, "No method.": 405, `{"error": 409, "detail": "No."}`: 409, "No.": 501,
	} {
		got, diags := read(status, body)
		diags.WantNoErrors(t)
		if got["available_members"] != nil || got["status_name"] != "STARTED" {
			t.Errorf("%d %s: got %v", status, body, got)
		}
	}
	for body, status := range map[string]int{"No role.": 403, "No.": 404, "": 404, `{"message": "no route"}`: 404, "Conflict.": 409} {
		_, diags := read(status, body)
		diags.WantError(t, "Unable to Read Backup Configuration", path)
	}
}
