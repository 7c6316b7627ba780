package backups_test

import data.backups

schedule(change) := {"resource_changes": [{"address": "s", "type": "opsmanager_snapshot_schedule", "change": change}]}

snapshot(change) := {"resource_changes": [{"address": "o", "type": "opsmanager_on_demand_snapshot", "change": change}]}

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
	backups.deny == {"s needs retention_protection = true: the plan lacks the live values"} with input as schedule({
		"actions": ["create"], "before": null, "after": {"daily_snapshot_retention_days": 7},
	})
}

test_protected_creation_passes if {
	count(backups.deny) == 0 with input as schedule({
		"actions": ["create"], "before": null, "after": {"retention_protection": true},
	})
}

test_policy_needs_protection if {
	backups.deny == {"p needs retention_protection = true: the plan lacks the live values"} with input as {"resource_changes": [{
		"address": "p", "type": "opsmanager_snapshot_policy",
		"change": {"actions": ["create"], "before": null, "after": {"schedule": {}}},
	}]}
}

test_unchanged_policy_passes if {
	count(backups.deny) == 0 with input as {"resource_changes": [{
		"address": "p", "type": "opsmanager_snapshot_policy",
		"change": {"actions": ["no-op"], "before": {"schedule": {}}, "after": {"schedule": {}}},
	}]}
}

test_failed_plan_is_denied if {
	backups.deny == {"The plan has failed"} with input as {"errored": true, "resource_changes": []}
	count(backups.deny) == 0 with input as {"errored": false, "resource_changes": []}
}

test_end_of_protection_is_denied if {
	protected := object.union(values, {"retention_protection": true})
	backups.deny == {"s ends retention_protection"} with input as schedule({
		"actions": ["update"], "before": protected, "after": object.union(values, {"retention_protection": null}),
	})
	count(backups.deny) == 0 with input as schedule({"actions": ["delete"], "before": protected, "after": null})
}

policy(after) := {"resource_changes": [{
	"address": "p", "type": "opsmanager_snapshot_policy",
	"change": {"actions": ["no-op"], "before": null, "after": after},
}]}

below := {"s needs daily_snapshot_retention_days = 31 or more"}

test_retention_below_a_minimum_is_denied if {
	unchanged := schedule({"actions": ["no-op"], "before": values, "after": values})
	backups.deny == below with data.minimums as {"daily_snapshot_retention_days": 31} with data.approved as below with input as unchanged
	count(backups.deny) == 0 with data.minimums as {"daily_snapshot_retention_days": 30} with input as unchanged
	count(backups.deny) == 1 with data.minimums as {"daily_snapshot_retention_days": null} with input as unchanged
	count(backups.deny) == 1 with data.minimums as {"snapshot_interval_hours": 1} with input as unchanged
}

test_destroyed_schedule_has_no_minimum if {
	count(backups.deny) == 0 with data.minimums as {"daily_snapshot_retention_days": 31}
		with input as schedule({"actions": ["delete"], "before": values, "after": null})
	count(backups.deny) == 0 with data.minimums as {"daily_snapshot_retention_days": 31} with input as policy(null)
}

test_policy_has_to_set_a_minimum if {
	denied := {after |
		some after in [{}, {"schedule": {}}, {"schedule": {"daily_snapshot_retention_days": null}}, {"schedule": values}]
		count(backups.deny) > 0 with data.minimums as {"daily_snapshot_retention_days": 30} with input as policy(after)
	}
	denied == {{}, {"schedule": {}}, {"schedule": {"daily_snapshot_retention_days": null}}}
}

test_data_source_passes if {
	change := {"actions": ["read"], "before": null, "after": {}}
	read := [object.union(resource, {"mode": "data"}) |
		some document in [schedule(change), backup(change)]
		some resource in document.resource_changes
	]
	count(backups.deny) == 0 with data.minimums as {"daily_snapshot_retention_days": 30} with input as {"resource_changes": read}
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

test_setting_of_a_termination_is_denied if {
	backups.deny == {"b sets on_destroy = \"terminate\""} with input as backup({
		"actions": ["update"], "before": {"status_name": "STARTED", "on_destroy": null},
		"after": {"status_name": "STARTED", "on_destroy": "terminate"},
	})
}

test_approved_line_passes if {
	stop := backup({"actions": ["update"], "before": {"status_name": "STARTED"}, "after": {"status_name": "STOPPED"}})
	count(backups.deny) == 0 with input as stop with data.approved as ["b may end a backup"]
	count(backups.deny) == 1 with input as stop with data.approved as ["s may end a backup"]
}

kept := {"do_not_delete": false, "expires": "2026-12-24T00:00:00Z", "on_destroy": null}

test_deletion_of_a_snapshot_is_denied if {
	backups.deny == {"o may delete a snapshot, or let it expire earlier"} with input as snapshot({
		"actions": ["delete"], "before": object.union(kept, {"on_destroy": "delete"}), "after": null,
	})
}

test_forgotten_snapshot_passes if {
	count(backups.deny) == 0 with input as snapshot({"actions": ["delete"], "before": kept, "after": null})
}

test_only_an_earlier_expiry_is_denied if {
	denied := {expires |
		some expires in ["2026-12-23T00:00:00Z", "2026-12-24T00:30:00+01:00", "2026-12-24T00:00:00Z", "2026-12-25T00:00:00+01:00", null]
		change := {"actions": ["update"], "before": kept, "after": object.union(kept, {"expires": expires})}
		count(backups.deny) > 0 with input as snapshot(change)
	}
	denied == {"2026-12-23T00:00:00Z", "2026-12-24T00:30:00+01:00", null}
}

test_only_the_end_of_a_hold_is_denied if {
	held := {"do_not_delete": true, "expires": null, "on_destroy": null}
	count(backups.deny) == 1 with input as snapshot({"actions": ["update"], "before": held, "after": kept})
	count(backups.deny) == 0 with input as snapshot({"actions": ["update"], "before": kept, "after": held})
}

store(on_destroy) := {"resource_changes": [{
	"address": "t", "type": "opsmanager_s3_blockstore",
	"change": {"actions": ["delete"], "before": {"on_destroy": on_destroy}, "after": null},
}]}

test_only_the_deletion_of_a_store_is_denied if {
	backups.deny == {"t deletes a store"} with input as store(null)
	count(backups.deny) == 0 with input as store("keep")
}
