list "opsmanager_backup_module" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
