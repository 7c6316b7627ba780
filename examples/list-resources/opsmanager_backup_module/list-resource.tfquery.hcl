# The backup modules of all projects that have one.
list "opsmanager_backup_module" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
