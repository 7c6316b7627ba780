# All configured daemons of an Ops Manager. With -generate-config-out=daemons.tf, terraform
# query writes a resource and an import block for each.
list "opsmanager_backup_daemon" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000 # the default is 100
}
