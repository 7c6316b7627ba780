package backups_test

import (
	"reflect"
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
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestMissingFieldsOfABackupConfigAreNull(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: `{"statusName": "SOMETHING_NEW", "links": null}`})
	got := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigType, values{"project_id": payments, "cluster_id": providertest.Orders})
	for name, value := range got {
		if want := (values{"project_id": payments, "cluster_id": providertest.Orders, "status_name": "SOMETHING_NEW"}[name]); value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
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
	ids := values{"project_id": payments, "cluster_id": cards}
	for _, fault := range []emulator.Fault{
		{Status: 404, Body: `{"error": 404, "detail": "No."}`}, {Status: 404, Body: `{"error": 404, "errorCode": "BACKUP_CONFIG_NOT_FOUND"}`},
		{
			Status: 404, Body: `{"error": 404, "errorCode": "RESOURCE_NOT_FOUND"}`,
		}, {Status: 405, Body: "No."}, {Status: 409, Body: `{"error": 409, "detail": "No."}`}, {Status: 501, Body: "No."},
	} {
		s := providertest.StartService(t)
		fault.Path = path
		s.Inject(fault)
		got := providertest.NewWorkspace(t, s).MustRead(t, providertest.BackupConfigType, ids)
		if got["available_members"] != nil || got["status_name"] != "STARTED" {
			t.Errorf("%v: got %v", fault, got)
		}
	}
	for _, fault := range []emulator.Fault{
		{Status: 403, Body: "No."}, {Status: 404, Body: "No."}, {Status: 404}, {Status: 404, Body: `{"message": "no route"}`}, {Status: 409, Body: "No."},
	} {
		s := providertest.StartService(t)
		fault.Path = path
		s.Inject(fault)
		_, diags := providertest.NewWorkspace(t, s).Read(providertest.BackupConfigType, ids)
		diags.WantError(t, "Unable to Read Backup Configuration", path)
	}
}
