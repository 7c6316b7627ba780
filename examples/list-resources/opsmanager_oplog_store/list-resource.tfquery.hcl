list "opsmanager_oplog_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
