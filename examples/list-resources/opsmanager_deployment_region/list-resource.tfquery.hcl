list "opsmanager_deployment_region" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
