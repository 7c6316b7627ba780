data "opsmanager_project" "payments" {
  name = "Payments"
}

# The shards of a sharded cluster have its name, which stands for the whole cluster.
data "opsmanager_cluster" "orders" {
  project_id = data.opsmanager_project.payments.project_id
  name       = "orders"
}

# Only this field is managed. All others keep their current values.
resource "opsmanager_snapshot_schedule" "orders" {
  project_id = data.opsmanager_cluster.orders.project_id
  cluster_id = data.opsmanager_cluster.orders.cluster_id

  daily_snapshot_retention_days = 30
}
