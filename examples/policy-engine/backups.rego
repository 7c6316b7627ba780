# Refuses a plan that may leave fewer recovery points or end a backup:
# opa eval --fail-defined --format=raw --data=backups.rego --input=plan.json 'data.backups.deny[_]'
package backups

retentions := {
	"snapshot_retention_days",
	"daily_snapshot_retention_days",
	"weekly_snapshot_retention_weeks",
	"monthly_snapshot_retention_months",
	"point_in_time_window_hours",
}

# A retention that the plan does not know may be shorter.
deny contains message if {
	some resource in input.resource_changes
	resource.type == "opsmanager_snapshot_schedule"
	resource.change.actions == ["update"]
	some retention in retentions
	not keeps_retention(resource.change, retention)
	message := sprintf("%s may shorten %s", [resource.address, retention])
}

keeps_retention(change, retention) if change.after[retention] >= change.before[retention]

intervals := {"snapshot_interval_hours", "cluster_checkpoint_interval_min"}

# An interval that the plan does not know may be longer.
deny contains message if {
	some resource in input.resource_changes
	resource.type == "opsmanager_snapshot_schedule"
	resource.change.actions == ["update"]
	some interval in intervals
	not keeps_interval(resource.change, interval)
	message := sprintf("%s may lengthen %s", [resource.address, interval])
}

keeps_interval(change, interval) if change.after[interval] <= change.before[interval]

keeps_interval(change, interval) if change.before[interval] == null

# The live values of these schedules are not in before.
deny contains message if {
	some resource in input.resource_changes
	overwrites_unseen(resource)
	not resource.change.after.retention_protection == true
	message := sprintf("%s needs retention_protection: the plan lacks the live values", [resource.address])
}

overwrites_unseen(resource) if {
	resource.type == "opsmanager_snapshot_schedule"
	"create" in resource.change.actions
}

overwrites_unseen(resource) if {
	resource.type == "opsmanager_snapshot_policy"
	resource.change.after != null
}

deny contains message if {
	some resource in input.resource_changes
	resource.type == "opsmanager_backup_config"
	may_end_backup(resource.change)
	message := sprintf("%s may end a backup", [resource.address])
}

may_end_backup(change) if {
	change.after != null
	not keeps_status(change)
}

may_end_backup(change) if {
	"delete" in change.actions
	change.before.on_destroy in {"stop", "terminate"}
}

keeps_status(change) if change.after.status_name == "STARTED"

keeps_status(change) if change.after.status_name == change.before.status_name
