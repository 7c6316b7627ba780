# Lists everything that backups need. With -generate-config-out=existing.tf, terraform query
# writes a resource and an import block for each object.

variable "project_id" {
  description = "ID of the project whose backups and schedules are listed too."
  type        = string
  default     = "64f0c2a19b3d5e7f80a1b2c3"
}

list "opsmanager_deployment_region" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_s3_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_file_system_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_oplog_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_s3_oplog_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_sync_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_backup_daemon" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_project_backup_job_config" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

# The backup modules of all projects that have one. Delete this block if the API key lacks
# the role Project Automation Admin.
list "opsmanager_backup_module" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}

list "opsmanager_backup_config" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = var.project_id
  }
}

list "opsmanager_snapshot_schedule" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = var.project_id
  }
}
