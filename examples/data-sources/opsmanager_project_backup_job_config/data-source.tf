data "opsmanager_project_backup_job_config" "analytics" {
  project_id = "64f0c2d57c1e4a6b92d3f4e5"
}

output "labels" {
  description = "Labels of the daemons and stores that the backups of the project use"
  value       = data.opsmanager_project_backup_job_config.analytics.label_filter
}
