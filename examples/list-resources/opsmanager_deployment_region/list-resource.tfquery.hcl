# All regions of an Ops Manager. With -generate-config-out=regions.tf, terraform
# query writes a resource and an import block for each.
list "opsmanager_deployment_region" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000 # the default is 100
}
