# The job configurations of all projects that have one. With -generate-config-out=projects.tf,
# terraform query writes a resource and an import block for each.
list "opsmanager_project_backup_job_config" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000 # the default is 100
}
