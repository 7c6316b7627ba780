list "opsmanager_sync_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
