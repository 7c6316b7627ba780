list "opsmanager_s3_oplog_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
