package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Terraform starts a process for each provider alias, so a promise about a plan holds only for one of them. Each page with
// such a promise says so.
func TestPromisesAboutAPlanNameOtherProviderAliases(t *testing.T) {
	t.Parallel()
	promises := map[string]string{
		"index.md":                         "holds for the resources with the same alias",
		"guides/existing-clusters.md":      "for the resources with the same provider alias",
		"resources/backup_config.md":       "another provider alias still manages the backup",
		"resources/backup_module.md":       "a different provider alias",
		"resources/on_demand_snapshot.md":  "another provider alias that keeps the same snapshot",
		"resources/restore_job.md":         "two restores into one cluster with the same provider alias",
		"resources/snapshot_policy.md":     "unless they have different provider aliases",
		"resources/snapshot_schedule.md":   "a resource with another provider alias",
		"resources/blockstore.md":          deletionOfAnother,
		"resources/s3_blockstore.md":       deletionOfAnother,
		"resources/file_system_store.md":   deletionOfAnother,
		"resources/oplog_store.md":         deletionOfAnother,
		"resources/s3_oplog_store.md":      deletionOfAnother,
		"resources/sync_store.md":          deletionOfAnother,
		"resources/deployment_region.md":   deletionOfAnother,
		"resources/alert_configuration.md": deletionOfAnother,
	}
	for page, says := range promises {
		text, err := os.ReadFile(filepath.Join("../../../docs", page))
		if err != nil || !strings.Contains(string(text), says) {
			t.Errorf("docs/%s does not say %q (%v). If its description says it, run make generate.", page, says, err)
		}
	}
}

const deletionOfAnother = "a resource with another provider alias can delete"
