package backups

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

func TestBackupConfigsAreSortedByClusterID(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range sortedBackupConfigs([]opsmanager.BackupConfig{
		{}, {ClusterID: new("b")}, {ClusterID: new("a"), GroupID: new("1")}, {ClusterID: new("a"), GroupID: new("2")},
	}) {
		got = append(got, tf.OrDash(c.ClusterID)+tf.OrDash(c.GroupID))
	}
	if want := []string{"a1", "a2", "b-", "--"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
