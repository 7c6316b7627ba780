# All file system stores.
list "opsmanager_file_system_store" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
