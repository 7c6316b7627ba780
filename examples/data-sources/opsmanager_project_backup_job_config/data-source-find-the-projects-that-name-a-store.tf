data "opsmanager_projects" "all" {}

data "opsmanager_project_backup_job_config" "all" {
  for_each = data.opsmanager_projects.all.ids_by_name

  project_id = each.value
}

output "projects_with_ny_s3_1" {
  description = "Projects whose job configuration names the store"
  value = [
    for name, config in data.opsmanager_project_backup_job_config.all : name
    if contains([for store in setunion(config.snapshot_store_filter, config.oplog_store_filter) : store.id], "ny-s3-1")
  ]
}
