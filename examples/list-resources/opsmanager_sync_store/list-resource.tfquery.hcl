# All sync stores.
list "opsmanager_sync_store" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
