# All blockstores.
list "opsmanager_blockstore" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
