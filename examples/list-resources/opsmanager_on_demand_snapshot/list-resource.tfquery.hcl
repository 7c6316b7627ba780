list "opsmanager_on_demand_snapshot" "orders" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a2035b7d9f1e3a5c70924"
  }
}
