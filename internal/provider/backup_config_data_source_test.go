package provider_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const backupConfigType = "opsmanager_backup_config"

func TestABackupConfigIsShownWithEveryField(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.SetBackupConfig(payments, orders, map[string]any{
		"excludedNamespaces": []string{"b", "a.c"}, "includedNamespaces": nil, "preferredMember": "orders-0.example.com:27017", "provisioned": true,
	})
	got := openWorkspace(t, s, nil).mustRead(t, backupConfigType, values{"project_id": payments, "cluster_id": orders})
	if links, _ := got["links"].([]any); len(links) != 4 {
		t.Errorf("links %v", links)
	}
	delete(got, "links")
	want := values{
		"project_id": payments, "cluster_id": orders, "status_name": "STARTED", "storage_engine_name": "WIRED_TIGER",
		"encryption_enabled": false, "ssl_enabled": true, "excluded_namespaces": []any{"b", "a.c"}, "included_namespaces": nil,
		"auth_mechanism_name": "NONE", "preferred_member": "orders-0.example.com:27017", "provisioned": true,
		"multi_region_backup_enabled": true, "multi_region_misconfigured": false,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestWhatABackupConfigLeavesOutIsNull(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.Inject(emulator.Fault{Status: 200, Body: `{"statusName": "SOMETHING_NEW", "links": null}`})
	got := openWorkspace(t, s, nil).mustRead(t, backupConfigType, values{"project_id": payments, "cluster_id": orders})
	for name, value := range got {
		if want := (values{"project_id": payments, "cluster_id": orders, "status_name": "SOMETHING_NEW"}[name]); value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
}

func TestABackupConfigThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	w := openWorkspace(t, startService(t, emulator.Options{}), nil)
	for _, test := range []struct{ project, cluster, attribute, code string }{
		{"64f0c2d57c1e4a6b92d3f4e5", "650a22fad3b5a7c9e1f30817", "[cluster_id]", "BACKUP_CONFIG_NOT_FOUND"},
		{payments, "650a22fad3b5a7c9e1f30817", "[cluster_id]", "CLUSTER_NOT_FOUND"},
		{"0123456789abcdef01234567", orders, "[project_id]", "GROUP_NOT_FOUND"},
	} {
		_, told := w.read(backupConfigType, values{"project_id": test.project, "cluster_id": test.cluster})
		wantOne(t, told.errors(), test.attribute, test.code, "Unable to Read Backup Configuration")
	}
}
