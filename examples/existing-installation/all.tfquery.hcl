# Lists everything that backups need, in all projects that the API key can read. imports.jq writes
# an import block for each object.

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
  for_each = data.opsmanager_projects.all.ids_by_name

  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = each.value
  }
}

list "opsmanager_snapshot_schedule" "all" {
  for_each = data.opsmanager_projects.all.ids_by_name

  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = each.value
  }
}

list "opsmanager_alert_configuration" "all" {
  for_each = data.opsmanager_projects.all.ids_by_name

  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = each.value
  }
}
