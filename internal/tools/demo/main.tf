terraform {
  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

# The address and the API key come from the environment.
provider "opsmanager" {}

locals {
  payments = "64f0c2a19b3d5e7f80a1b2c3"
  ledger   = "650a1f3c2e4b6d8091a3b5c7"
}

variable "daily_retention" {
  description = "Days to keep daily snapshots."
  type        = number
  default     = 60
}

# Turns the backup of the cluster reports on.
resource "opsmanager_backup_config" "reports" {
  project_id  = local.payments
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"
}

# Says when snapshots of the cluster ledger are taken, and how long they are kept.
import {
  to = opsmanager_snapshot_schedule.ledger
  id = "64f0c2a19b3d5e7f80a1b2c3/650a1f3c2e4b6d8091a3b5c7"
}

resource "opsmanager_snapshot_schedule" "ledger" {
  project_id = local.payments
  cluster_id = local.ledger

  daily_snapshot_retention_days = var.daily_retention

  reference_hour_of_day      = 23
  reference_minute_of_hour   = 30
  reference_time_zone_offset = "+02:00"

  # A plan that would leave fewer recovery points fails.
  retention_protection = true
}

# Restores its newest snapshot into the cluster scratch, to prove that it can be restored.
data "opsmanager_cluster_snapshots" "ledger" {
  project_id = local.payments
  cluster_id = local.ledger
}

resource "opsmanager_restore_job" "drill" {
  project_id  = local.payments
  cluster_id  = local.ledger
  snapshot_id = data.opsmanager_cluster_snapshots.ledger.newest_complete.id

  target_project_id   = "64f0c2d57c1e4a6b92d3f4e5"
  target_cluster_id   = "650a22fad3b5a7c9e1f30817"
  target_cluster_name = "scratch"

  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore ended as ${self.status_name}."
    }
  }
}
