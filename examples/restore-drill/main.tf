# A restore drill: restores the newest complete snapshot of a cluster into a scratch
# cluster, and checks the restored data with a command of yours. It fails if that snapshot
# is too old, if the target is its own source, if the restore does not finish, or if the
# check fails.
#
# terraform test runs the drill and keeps no state. Its teardown only removes the restore
# job from the state: the target keeps the restored data.

terraform {
  required_version = ">= 1.6"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

variable "project_id" {
  description = "ID of the project of the cluster whose backup is restored."
  type        = string
}

variable "cluster_id" {
  description = "ID of the cluster whose backup is restored."
  type        = string
}

variable "target_project_id" {
  description = "ID of the project of the cluster to restore into. Defaults to project_id."
  type        = string
  default     = null
}

variable "target_cluster_id" {
  description = "ID of the cluster to restore into. The drill replaces all its data."
  type        = string
}

variable "target_cluster_name" {
  description = "Name of the cluster to restore into, which confirms that its data may be replaced."
  type        = string
}

variable "max_snapshot_age_hours" {
  description = "Maximum age of the newest complete snapshot, in hours: the recovery point objective, plus the time that a snapshot takes."
  type        = number
  default     = 26
}

variable "timeout" {
  description = "How long to wait until the restore has ended."
  type        = string
  default     = "6h"
}

variable "run_id" {
  description = "ID of the run of the pipeline. If you keep a state, only a new ID restores again."
  type        = string
  default     = ""
}

variable "check_command" {
  description = "Command that checks the restored data, such as \"sh count-documents.sh\". The drill fails if it fails. Without one, the drill shows only that Ops Manager delivered the files."
  type        = string
  default     = null
}

data "opsmanager_cluster_snapshots" "source" {
  project_id = var.project_id
  cluster_id = var.cluster_id

  lifecycle {
    postcondition {
      condition     = self.newest_complete != null
      error_message = "Cluster ${var.cluster_id} has no complete snapshot."
    }
    postcondition {
      condition     = self.newest_complete == null ? true : timecmp(timeadd(self.newest_complete.created, "${var.max_snapshot_age_hours}h"), plantimestamp()) >= 0
      error_message = "The newest complete snapshot of cluster ${var.cluster_id} was taken at ${try(self.newest_complete.created, "")}. Maximum age in hours: ${var.max_snapshot_age_hours}."
    }
    postcondition {
      condition     = self.newest_complete == null ? true : timecmp(self.newest_complete.created, timeadd(plantimestamp(), "1h")) <= 0
      error_message = "The newest complete snapshot of cluster ${var.cluster_id} was taken at ${try(self.newest_complete.created, "")}, which is in the future. Check the clocks."
    }
  }
}

resource "opsmanager_restore_job" "drill" {
  project_id  = var.project_id
  cluster_id  = var.cluster_id
  snapshot_id = data.opsmanager_cluster_snapshots.source.newest_complete.id

  target_project_id   = coalesce(var.target_project_id, var.project_id)
  target_cluster_id   = var.target_cluster_id
  target_cluster_name = var.target_cluster_name

  triggers = {
    run_id = var.run_id
  }
  timeouts = {
    create = var.timeout
    update = var.timeout
  }

  lifecycle {
    precondition {
      condition     = lower(var.target_cluster_id) != lower(var.cluster_id)
      error_message = "Cluster ${var.cluster_id} is the source of the drill. Restore into a scratch cluster."
    }
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }
}

# Runs in the shell of this machine, with its environment, after the restore has finished.
resource "terraform_data" "check" {
  count            = var.check_command == null ? 0 : 1
  triggers_replace = [opsmanager_restore_job.drill.id]

  provisioner "local-exec" {
    command = var.check_command
    environment = {
      RESTORED_SNAPSHOT_ID = opsmanager_restore_job.drill.snapshot_id
      TARGET_CLUSTER_NAME  = var.target_cluster_name
    }
  }
}

output "restored" {
  description = "The snapshot that was restored, the ID of the restore, and whether its data was checked."
  value = {
    snapshot_id = opsmanager_restore_job.drill.snapshot_id
    restore_id  = opsmanager_restore_job.drill.id
    checked     = length(terraform_data.check) > 0
  }
}
