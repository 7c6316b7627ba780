package backups_test

import data.backups

schedule(change) := {"resource_changes": [{"address": "s", "type": "opsmanager_snapshot_schedule", "change": change}]}

backup(change) := {"resource_changes": [{"address": "b", "type": "opsmanager_backup_config", "change": change}]}

values := {
	"snapshot_retention_days": 2,
	"daily_snapshot_retention_days": 30,
	"weekly_snapshot_retention_weeks": 8,
	"monthly_snapshot_retention_months": 12,
	"point_in_time_window_hours": 24,
	"snapshot_interval_hours": 24,
	"cluster_checkpoint_interval_min": null,
}

test_longer_retention_passes if {
	count(backups.deny) == 0 with input as schedule({
		"actions": ["update"], "before": values,
		"after": object.union(values, {"daily_snapshot_retention_days": 60, "cluster_checkpoint_interval_min": null}),
	})
}

test_shorter_retention_is_denied if {
	backups.deny == {"s may shorten daily_snapshot_retention_days"} with input as schedule({
		"actions": ["update"], "before": values,
		"after": object.union(values, {"daily_snapshot_retention_days": 7}),
	})
}

test_unknown_retention_is_denied if {
	backups.deny == {"s may shorten snapshot_retention_days"} with input as schedule({
		"actions": ["update"], "before": values,
		"after": object.remove(values, {"snapshot_retention_days"}),
	})
}

test_longer_interval_is_denied if {
	backups.deny == {"s may lengthen snapshot_interval_hours"} with input as schedule({
		"actions": ["update"], "before": values,
		"after": object.union(values, {"snapshot_interval_hours": 48}),
	})
}

test_creation_needs_protection if {
	backups.deny == {"s needs retention_protection: the plan lacks the live values"} with input as schedule({
		"actions": ["create"], "before": null, "after": {"daily_snapshot_retention_days": 7},
	})
}

test_protected_creation_passes if {
	count(backups.deny) == 0 with input as schedule({
		"actions": ["create"], "before": null, "after": {"retention_protection": true},
	})
}

test_policy_needs_protection if {
	backups.deny == {"p needs retention_protection: the plan lacks the live values"} with input as {"resource_changes": [{
		"address": "p", "type": "opsmanager_snapshot_policy",
		"change": {"actions": ["create"], "before": null, "after": {"schedule": {}}},
	}]}
}

test_stop_is_denied if {
	backups.deny == {"b may end a backup"} with input as backup({
		"actions": ["update"], "before": {"status_name": "STARTED"}, "after": {"status_name": "STOPPED"},
	})
}

test_termination_is_denied if {
	backups.deny == {"b may end a backup"} with input as backup({
		"actions": ["delete"], "before": {"status_name": "STARTED", "on_destroy": "terminate"}, "after": null,
	})
}

test_forgetting_passes if {
	count(backups.deny) == 0 with input as backup({
		"actions": ["delete"], "before": {"status_name": "STARTED", "on_destroy": "keep"}, "after": null,
	})
}
