# A module to be tested: it gives each cluster of a project whose backup is started a schedule,
# and lists the clusters that are not backed up.

terraform {
  required_version = ">= 1.7"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

variable "project" {
  description = "Name of the project."
  type        = string
}

variable "daily_retention" {
  description = "Days to keep daily snapshots, by the name of a cluster. The default is 30."
  type        = map(number)
  default     = {}
}

data "opsmanager_project" "this" {
  name = var.project
}

data "opsmanager_clusters" "all" {
  project_id = data.opsmanager_project.this.project_id
}

data "opsmanager_backup_configs" "all" {
  project_id = data.opsmanager_project.this.project_id
}

locals {
  clusters = data.opsmanager_clusters.all.ids_by_name
  statuses = data.opsmanager_backup_configs.all.status_by_cluster_id
  started  = { for name, id in local.clusters : name => id if try(local.statuses[id], null) == "STARTED" }
}

resource "opsmanager_snapshot_schedule" "this" {
  for_each = local.started

  project_id = data.opsmanager_project.this.project_id
  cluster_id = each.value

  daily_snapshot_retention_days = lookup(var.daily_retention, each.key, 30)
}

output "not_backed_up" {
  value = setsubtract(keys(local.clusters), keys(local.started))
}
