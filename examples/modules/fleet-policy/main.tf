# A policy for the backups of one project: tiers of retention, and one map that
# says which cluster is in which tier.
#
#   module "payments" {
#     source     = "./modules/fleet-policy"
#     project_id = "64f0c2a19b3d5e7f80a1b2c3"
#     clusters   = { ledger = "gold", cards = "silver", orders = "gold" }
#   }
#
# A cluster that is taken out of the map keeps the schedule that it has: nothing
# is called, and no backup is lost.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source = "terraform.local/local/opsmanager"
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
  # Ids of the whole clusters by their names; a cluster without a name goes by its
  # id. Shards and config servers carry the name of their cluster, and have no
  # schedule.
  ids = {
    for cluster in data.opsmanager_clusters.all.results :
    coalesce(cluster.name, cluster.cluster_id) => cluster.cluster_id... if cluster.whole && cluster.cluster_id != null
  }
  started = [for config in data.opsmanager_backup_configs.all.results : config.cluster_id if config.status_name == "STARTED"]
}

resource "opsmanager_snapshot_schedule" "cluster" {
  for_each = var.clusters

  project_id = var.project_id
  cluster_id = one(local.ids[each.key])

  snapshot_interval_hours           = var.tiers[each.value].snapshot_interval_hours
  snapshot_retention_days           = var.tiers[each.value].snapshot_retention_days
  daily_snapshot_retention_days     = var.tiers[each.value].daily_snapshot_retention_days
  weekly_snapshot_retention_weeks   = var.tiers[each.value].weekly_snapshot_retention_weeks
  monthly_snapshot_retention_months = var.tiers[each.value].monthly_snapshot_retention_months
  point_in_time_window_hours        = var.tiers[each.value].point_in_time_window_hours

  prevent_retention_decrease = !var.allow_retention_decrease

  lifecycle {
    precondition {
      condition     = contains(keys(var.tiers), each.value)
      error_message = "The cluster ${each.key} is in the tier ${each.value}, which is none of ${join(", ", keys(var.tiers))}."
    }
    precondition {
      condition     = length(try(local.ids[each.key], [])) == 1
      error_message = "The project has ${length(try(local.ids[each.key], []))} whole clusters of the name ${each.key}, where there has to be one."
    }
  }
}
