# Manages the snapshot schedules of a project in tiers. A map assigns clusters to tiers.
#
#   module "payments" {
#     source     = "./modules/fleet-policy"
#     project_id = "64f0c2a19b3d5e7f80a1b2c3"
#     clusters   = { cards = "gold", fraud = "silver", orders = "gold" }
#   }
#
# If you remove a cluster from the map, Ops Manager keeps its schedule.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = ">= 0.1.0"
    }
  }
}

data "opsmanager_clusters" "all" {
  project_id = var.project_id
}

data "opsmanager_backup_configs" "all" {
  project_id = var.project_id
}

locals {
  # Shards and config servers have the name of their cluster, and no schedule.
  whole = [for cluster in data.opsmanager_clusters.all.results : cluster if cluster.has_schedule && cluster.cluster_id != null]

  # IDs of the clusters by name and by ID, because a name may be missing or ambiguous.
  ids     = merge({ for cluster in local.whole : cluster.cluster_id => cluster.cluster_id }, data.opsmanager_clusters.all.ids_by_name)
  started = [for config in data.opsmanager_backup_configs.all.results : config.cluster_id if config.status_name == "STARTED"]
  sharded = [for cluster in local.whole : cluster.cluster_id if startswith(coalesce(cluster.type_name, "-"), "SHARDED")]

  # A minute within the hours of the tier. It depends only on the cluster and the hours, so
  # that adding a cluster moves no other one.
  minutes = {
    for cluster, tier in var.clusters : cluster =>
    try(parseint(substr(sha256(cluster), 0, 8), 16) % (60 * length(var.tiers[tier].snapshot_hours)), null)
  }
}

resource "opsmanager_snapshot_schedule" "cluster" {
  for_each = var.clusters

  project_id = var.project_id
  cluster_id = local.ids[each.key]

  snapshot_interval_hours           = var.tiers[each.value].snapshot_interval_hours
  snapshot_retention_days           = var.tiers[each.value].snapshot_retention_days
  daily_snapshot_retention_days     = var.tiers[each.value].daily_snapshot_retention_days
  weekly_snapshot_retention_weeks   = var.tiers[each.value].weekly_snapshot_retention_weeks
  monthly_snapshot_retention_months = var.tiers[each.value].monthly_snapshot_retention_months
  point_in_time_window_hours        = var.tiers[each.value].point_in_time_window_hours
  full_incremental_day_of_week      = var.tiers[each.value].full_incremental_day_of_week
  reference_hour_of_day             = try(var.tiers[each.value].snapshot_hours[floor(local.minutes[each.key] / 60)], null)
  reference_minute_of_hour          = try(local.minutes[each.key] % 60, null)
  cluster_checkpoint_interval_min   = contains(local.sharded, local.ids[each.key]) ? var.tiers[each.value].cluster_checkpoint_interval_min : null

  retention_protection = !var.allow_fewer_recovery_points

  lifecycle {
    precondition {
      condition     = contains(keys(var.tiers), each.value)
      error_message = "There is no tier ${each.value} for cluster ${each.key}. The tiers are ${join(", ", keys(var.tiers))}."
    }
    precondition {
      condition     = contains(keys(local.ids), each.key)
      error_message = "The project has no cluster ${each.key} that can have a schedule, or several of this name. If there are several, use the ID instead."
    }
  }
}
