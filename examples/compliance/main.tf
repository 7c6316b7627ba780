# Checks the backups of all projects against rules, also those that Terraform does not
# manage, and that someone is notified in each project. It only reads. If a rule is broken,
# or if no cluster was checked, the plan warns, and 'terraform test -test-directory=gate'
# fails.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

variable "project_ids" {
  description = "IDs of the projects to check. By default, all projects of the API key."
  type        = set(string)
  default     = null
}

variable "excluded_cluster_ids" {
  description = "IDs of the clusters that need no backup."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "max_snapshot_age_hours" {
  description = "Maximum age of the newest complete snapshot of a cluster, in hours: the recovery point objective, plus the time that a snapshot takes."
  type        = number
  default     = 26
}

variable "recovery_point_hours" {
  description = "Maximum number of hours between two snapshots of a cluster."
  type        = number
  default     = 24
}

variable "retention_days" {
  description = "Minimum number of days to keep a snapshot of a cluster."
  type        = number
  default     = 180
}

variable "important_events" {
  description = "Events for which each project must have an enabled alert configuration."
  type        = set(string)
  default     = ["RESYNC_REQUIRED", "OPLOG_BEHIND", "BACKUP_AGENT_DOWN", "MONITORING_AGENT_DOWN"]
}

data "opsmanager_backup_status" "all" {
  project_ids            = var.project_ids
  excluded_cluster_ids   = var.excluded_cluster_ids
  max_snapshot_age_hours = var.max_snapshot_age_hours
  include_schedules      = true
}

data "opsmanager_backup_alerts" "all" {
  project_ids      = var.project_ids
  important_events = var.important_events
}

locals {
  unwatched = sort(values(data.opsmanager_backup_alerts.all.unwatched))

  problems = sort(values(data.opsmanager_backup_status.all.problems))

  # The started backups that could be read, without those that Ops Manager also lists for another product:
  # their schedules can't be read. An interval that Ops Manager does not return breaks the rule, and a value
  # of the retention counts as 0.
  schedules = {
    for id, cluster in data.opsmanager_backup_status.all.clusters : "${cluster.project_name}: ${cluster.name} (${id})" => {
      hours = try(coalesce(cluster.schedule.snapshot_interval_hours), null)
      days = max(
        try(coalesce(cluster.schedule.snapshot_retention_days), 0),
        try(coalesce(cluster.schedule.daily_snapshot_retention_days), 0),
        try(coalesce(cluster.schedule.weekly_snapshot_retention_weeks), 0) * 7,
        try(coalesce(cluster.schedule.monthly_snapshot_retention_months), 0) * 30,
      )
    } if cluster.status_name == "STARTED" && cluster.code != "UNREAD" && cluster.third_party_backup != true
  }

  too_seldom = [
    for name, schedule in local.schedules : schedule.hours == null ? "${name}: unknown interval" : "${name}: ${schedule.hours} hours"
    if try(schedule.hours > var.recovery_point_hours, true)
  ]
  too_short = [for name, schedule in local.schedules : "${name}: ${schedule.days} days" if schedule.days < var.retention_days]
}

check "every_cluster_can_be_restored" {
  assert {
    condition     = length(data.opsmanager_backup_status.all.clusters) > 0
    error_message = "No cluster was checked. Check the role of the API key, project_ids and excluded_cluster_ids."
  }

  assert {
    condition     = length(local.problems) == 0
    error_message = join("\n", local.problems)
  }
}

check "recovery_point" {
  assert {
    condition     = length(local.too_seldom) == 0
    error_message = "More than ${var.recovery_point_hours} hours between snapshots:\n${join("\n", local.too_seldom)}"
  }
}

check "retention" {
  assert {
    condition     = length(local.too_short) == 0
    error_message = "No snapshot is kept for ${var.retention_days} days:\n${join("\n", local.too_short)}"
  }
}

check "every_project_is_watched" {
  assert {
    condition     = length(local.unwatched) == 0
    error_message = join("\n", local.unwatched)
  }
}

output "checked" {
  description = "The clusters whose schedules were checked."
  value       = keys(local.schedules)
}

output "violations" {
  description = "Clusters that break each rule."
  value = {
    problems   = local.problems
    too_seldom = local.too_seldom
    too_short  = local.too_short
    unwatched  = local.unwatched
  }
}
