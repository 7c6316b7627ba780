list "opsmanager_backup_daemon" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
