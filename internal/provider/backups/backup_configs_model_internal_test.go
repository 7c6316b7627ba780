package backups

import (
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestBackupConfigsAreSortedByClusterID(t *testing.T) {
	t.Parallel()
	configs := []opsmanager.BackupConfig{{}, {ClusterID: new("b")}, {ClusterID: new("a"), GroupID: new("1")}, {ClusterID: new("a"), GroupID: new("2")}}
	if got := idsOf(t, backupConfigsFromAPI(configs), "cluster_id"); got != "a a b -" {
		t.Error(got)
	}
	if got := idsOf(t, backupConfigsFromAPI(configs), "group_id"); got != "1 2 - -" {
		t.Error(got)
	}
	if configs[0].ClusterID != nil {
		t.Error("the answer itself was sorted")
	}
}
