list "opsmanager_project_backup_job_config" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
