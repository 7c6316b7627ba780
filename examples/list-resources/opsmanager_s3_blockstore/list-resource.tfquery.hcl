list "opsmanager_s3_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
