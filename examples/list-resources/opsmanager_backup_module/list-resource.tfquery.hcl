# The backup modules of all projects that have one.
list "opsmanager_backup_module" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
