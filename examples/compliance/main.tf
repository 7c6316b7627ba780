# Checks the backups of a project against rules, also those that Terraform does not
# manage. It only reads. If a rule is broken, the plan warns and names the clusters, and
# 'terraform test -test-directory=gate' fails.
#
# If a cluster is removed while this runs, the run fails. Run it again.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1"
    }
  }
}

variable "project_id" {
  description = "ID of the project: 24 hexadecimal digits."
  type        = string
  default     = "64f0c2a19b3d5e7f80a1b2c3"
}

variable "recovery_point_hours" {
  description = "Maximum number of hours between two snapshots of a cluster."
  type        = number
  default     = 24
}

variable "max_snapshot_age_hours" {
  description = "Maximum age of the newest complete snapshot of a cluster, in hours: the recovery point objective, plus the time that a snapshot takes."
  type        = number
  default     = 26
}

variable "retention_days" {
  description = "Minimum number of days to keep a snapshot of a cluster."
  type        = number
  default     = 180
}

variable "exempt" {
  description = "Names of the clusters that need no backup."
  type        = set(string)
  default     = []
}

data "opsmanager_clusters" "all" {
  project_id = var.project_id
}

data "opsmanager_backup_configs" "all" {
  project_id = var.project_id
}

locals {
  started = [for config in data.opsmanager_backup_configs.all.results : config.cluster_id if config.status_name == "STARTED"]

  # Without shards and config servers, which have no schedule of their own. A cluster
  # without a name is called by its ID.
  whole = [
    for cluster in data.opsmanager_clusters.all.results :
    { id = cluster.cluster_id, name = coalesce(cluster.name, cluster.cluster_id, "a cluster without a name") } if cluster.whole
  ]
  required = [for cluster in local.whole : cluster if !contains(var.exempt, cluster.name)]

  # Names of the clusters by ID.
  clusters  = { for cluster in local.required : cluster.id => cluster.name if cluster.id != null }
  backed_up = { for id, name in local.clusters : id => name if contains(local.started, id) }

  # A value that Ops Manager does not return counts as no retention.
  schedules = {
    for id, schedule in data.opsmanager_snapshot_schedule.all : id => {
      hours = coalesce(schedule.snapshot_interval_hours, 1000000)
      days = max(
        coalesce(schedule.snapshot_retention_days, 0),
        coalesce(schedule.daily_snapshot_retention_days, 0),
        coalesce(schedule.weekly_snapshot_retention_weeks, 0) * 7,
        coalesce(schedule.monthly_snapshot_retention_months, 0) * 30,
      )
    }
  }

  without_id    = sort([for cluster in local.required : cluster.name if cluster.id == null])
  not_backed_up = sort([for id, name in local.clusters : name if !contains(local.started, id)])
  too_seldom    = sort([for id, schedule in local.schedules : "${local.clusters[id]} (${schedule.hours} hours)" if schedule.hours > var.recovery_point_hours])
  too_old       = sort([for id, snapshots in data.opsmanager_cluster_snapshots.all : "${local.clusters[id]} (${try(snapshots.newest_complete.created, "no snapshot")})" if !try(timecmp(timeadd(snapshots.newest_complete.created, "${var.max_snapshot_age_hours}h"), plantimestamp()) >= 0 && timecmp(snapshots.newest_complete.created, timeadd(plantimestamp(), "1h")) <= 0, false)])
  too_short     = sort([for id, schedule in local.schedules : "${local.clusters[id]} (${schedule.days} days)" if schedule.days < var.retention_days])
}

data "opsmanager_snapshot_schedule" "all" {
  for_each = local.backed_up

  project_id = var.project_id
  cluster_id = each.key
}

data "opsmanager_cluster_snapshots" "all" {
  for_each = local.backed_up

  project_id = var.project_id
  cluster_id = each.key
}

check "every_cluster_has_an_id" {
  assert {
    condition     = length(local.without_id) == 0
    error_message = "Not checked, because Ops Manager returns no ID: ${join(", ", local.without_id)}."
  }
}

check "every_cluster_is_backed_up" {
  assert {
    condition     = length(local.not_backed_up) == 0
    error_message = "Not backed up: ${join(", ", local.not_backed_up)}."
  }
}

check "recovery_point" {
  assert {
    condition     = length(local.too_seldom) == 0
    error_message = "More than ${var.recovery_point_hours} hours between snapshots: ${join(", ", local.too_seldom)}."
  }
}

check "newest_snapshot" {
  assert {
    condition     = length(local.too_old) == 0
    error_message = "The newest complete snapshot is older than ${var.max_snapshot_age_hours} hours, from the future, or missing: ${join(", ", local.too_old)}."
  }
}

check "retention" {
  assert {
    condition     = length(local.too_short) == 0
    error_message = "No snapshot is kept for ${var.retention_days} days: ${join(", ", local.too_short)}."
  }
}

output "checked" {
  description = "Names of the clusters whose schedules were checked."
  value       = sort(values(local.backed_up))
}

output "violations" {
  description = "Clusters that break each rule."
  value = {
    without_id    = local.without_id
    not_backed_up = local.not_backed_up
    too_seldom    = local.too_seldom
    too_old       = local.too_old
    too_short     = local.too_short
  }
}
