# The job configurations of all projects that have one.
list "opsmanager_project_backup_job_config" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
