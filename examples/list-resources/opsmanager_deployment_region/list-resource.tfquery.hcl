# All deployment regions.
list "opsmanager_deployment_region" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
