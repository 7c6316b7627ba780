# Takes a snapshot each time you run:
# terraform apply -invoke=action.opsmanager_on_demand_snapshot.orders
action "opsmanager_on_demand_snapshot" "orders" {
  config {
    project_id     = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id     = "650a2035b7d9f1e3a5c70924"
    retention_days = 7
  }
}
