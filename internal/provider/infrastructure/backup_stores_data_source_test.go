package infrastructure_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestBackupStoresDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_backup_stores", Hits: []int{0, 5},
		ID: "id", Lost: `{"ssl": true}`, Warns: []string{"Backup Stores Without an ID", `lists 1 backup store without an ID`},
	})
}

func TestStoresOfEveryKindAreListed(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{ServiceVersion: "8.0.25"})
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.StoresType, nil)
	want := []string{
		"au-blockstore-1", "ny-blockstore-1", "au-nfs-1", "ny-nfs-1", "au-oplog-1", "ny-oplog-1",
		"au-s3-1", "eu-s3-1", "ny-s3-1", "au-s3-oplog-1", "ny-sync-1",
	}
	providertest.WantEqual(t, providertest.ResultValues(t, data, "id"), want)
	results, _ := data["results"].([]any)
	first := values{
		"id": "ny-blockstore-1", "type": "blockstore", "assignment_enabled": true, "labels": []any{"east", "production"}, "load_factor": 2,
		"max_capacity_gb": 4096, "used_size": 812346,
	}
	providertest.WantEqual(t, results[1], first)
	if unlabeled, ok := results[7].(values)["labels"].([]any); !ok || len(unlabeled) != 0 {
		t.Errorf("without labels, labels is %v", results[7])
	}
	if text := fmt.Sprint(data); strings.Contains(text, "password") || strings.Contains(text, "AKIA") {
		t.Errorf("a secret is in %s", text)
	}
}
