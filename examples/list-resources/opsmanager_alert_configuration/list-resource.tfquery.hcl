list "opsmanager_alert_configuration" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100

  config {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
  }
}
