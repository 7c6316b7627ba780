list "opsmanager_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
