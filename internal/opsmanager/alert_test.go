package opsmanager_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEventsAboutBackupsAndAgents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"BACKUP_AGENT_DOWN": true, "MONITORING_AGENT_DOWN": true, "AUTOMATION_AGENT_UP": true, "NEW_AGENT": true, "OPLOG_BEHIND": true,
		"RESYNC_REQUIRED": true, "BAD_CLUSTERSHOTS": true,
		"GOOD_CLUSTERSHOT": true, "INCONSISTENT_BACKUP_CONFIGURATION": true, "RS_STATE_CHANGED_AUDIT": true,
		"CLUSTER_SNAPSHOT_SCHEDULE_UPDATED_AUDIT": true, "SNAPSHOT_DELETED_AUDIT": true,
		"RESTORE_REQUESTED_AUDIT": true, "SYNC_REQUIRED_AUDIT": true, "INITIAL_SYNC_STARTED_AUDIT": true,
		"RS_ROTATE_MASTER_KEY_AUDIT": true, "CLUSTER_CHECKPOINT_UPDATED_AUDIT": true,
		"RS_BIND_ERROR": true, "LATE_SNAPSHOT": true, "SYNC_SLICE_HAS_NOT_PROGRESSED": true,

		"HOST_DOWN": false, "OUTSIDE_METRIC_THRESHOLD": false, "REPLICATION_OPLOG_WINDOW_RUNNING_OUT": false, "JOINED_GROUP": false,
		"CLUSTER_MONGOS_IS_MISSING": false, "NO_PRIMARY": false,
		"HOST_SSL_CERTIFICATE_STALE": false, "TOO_FEW_HEALTHY_MEMBERS": false, "USERS_WITHOUT_MULTIFACTOR_AUTH": false, "oplog_behind": false, "": false,
	} {
		if got := opsmanager.IsBackupEvent(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
