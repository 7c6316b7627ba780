# Refuses a plan that may leave fewer recovery points, end a backup or delete a store:
# opa eval --fail-defined --format=raw --data=backups.rego --input=plan.json 'data.backups.deny[_]'
package backups

# To approve a violation, add --data=approved.json with its line: {"approved": ["..."]}
deny contains message if {
	some message in violations
	not is_approved(message)
}

is_approved(message) if message in data.approved

deny contains "The plan has failed" if input.errored

# To require minimums, which no approval overrides, add --data=minimums.json: {"minimums": {"daily_snapshot_retention_days": 30}}
deny contains message if {
	some resource in managed
	schedule := schedule_after(resource)
	some retention, minimum in data.minimums
	not is_at_least(schedule, retention, minimum)
	message := sprintf("%s needs %s = %v or more", [resource.address, retention, minimum])
}

# A minimum that isn't a number, or that is for something else, refuses everything instead of nothing.
is_at_least(schedule, retention, minimum) if {
	retention in retentions
	is_number(minimum)
	schedule[retention] >= minimum
}

schedule_after(resource) := resource.change.after if {
	resource.type == "opsmanager_snapshot_schedule"
	resource.change.after != null
}

# A schedule that the plan does not know is not there.
schedule_after(resource) := object.get(resource.change.after, "schedule", {}) if {
	resource.type == "opsmanager_snapshot_policy"
	resource.change.after != null
}

managed contains resource if {
	some resource in input.resource_changes
	not resource.mode == "data"
}

changed contains resource if {
	some resource in managed
	resource.change.actions != ["no-op"]
}

retentions := {
	"snapshot_retention_days",
	"daily_snapshot_retention_days",
	"weekly_snapshot_retention_weeks",
	"monthly_snapshot_retention_months",
	"point_in_time_window_hours",
}

# A retention that the plan does not know may be shorter.
violations contains message if {
	some resource in changed
	resource.type == "opsmanager_snapshot_schedule"
	resource.change.actions == ["update"]
	some retention in retentions
	not keeps_retention(resource.change, retention)
	message := sprintf("%s may shorten %s", [resource.address, retention])
}

keeps_retention(change, retention) if change.after[retention] >= change.before[retention]

intervals := {"snapshot_interval_hours", "cluster_checkpoint_interval_min"}

# An interval that the plan does not know may be longer.
violations contains message if {
	some resource in changed
	resource.type == "opsmanager_snapshot_schedule"
	resource.change.actions == ["update"]
	some interval in intervals
	not keeps_interval(resource.change, interval)
	message := sprintf("%s may lengthen %s", [resource.address, interval])
}

keeps_interval(change, interval) if change.after[interval] <= change.before[interval]

keeps_interval(change, interval) if change.before[interval] == null

# The live values of these schedules are not in before. OPSMANAGER_RETENTION_PROTECTION is not in the plan.
violations contains message if {
	some resource in changed
	overwrites_unseen(resource)
	not resource.change.after.retention_protection == true
	message := sprintf("%s needs retention_protection = true: the plan lacks the live values", [resource.address])
}

violations contains message if {
	some resource in changed
	resource.change.before.retention_protection == true
	protects_less(resource.change)
	message := sprintf("%s ends retention_protection", [resource.address])
}

protects_less(change) if {
	change.after != null
	not change.after.retention_protection == true
}

overwrites_unseen(resource) if {
	resource.type == "opsmanager_snapshot_schedule"
	"create" in resource.change.actions
}

overwrites_unseen(resource) if {
	resource.type == "opsmanager_snapshot_policy"
	resource.change.after != null
}

violations contains message if {
	some resource in changed
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

violations contains message if {
	some resource in changed
	resource.type == "opsmanager_on_demand_snapshot"
	may_end_snapshot(resource.change)
	message := sprintf("%s may delete a snapshot, or let it expire earlier", [resource.address])
}

may_end_snapshot(change) if {
	"delete" in change.actions
	change.before.on_destroy == "delete"
}

may_end_snapshot(change) if {
	change.actions == ["update"]
	not keeps_snapshot(change)
}

keeps_snapshot(change) if change.after.do_not_delete == true

keeps_snapshot(change) if {
	change.before.do_not_delete == false
	change.after.expires == change.before.expires
}

keeps_snapshot(change) if {
	change.before.do_not_delete == false
	time.parse_rfc3339_ns(change.after.expires) >= time.parse_rfc3339_ns(change.before.expires)
}

# Destroys with the setting in the state, also where nothing checks the plan.
violations contains message if {
	some resource in changed
	resource.type in {"opsmanager_backup_config", "opsmanager_on_demand_snapshot"}
	setting := resource.change.after.on_destroy
	setting in {"stop", "terminate", "delete"}
	not resource.change.before.on_destroy == setting
	message := sprintf("%s sets on_destroy = \"%s\"", [resource.address, setting])
}

# Ops Manager refuses that while the store is in use.
violations contains message if {
	some resource in changed
	endswith(resource.type, "store")
	"delete" in resource.change.actions
	not resource.change.before.on_destroy == "keep"
	message := sprintf("%s deletes a store", [resource.address])
}
