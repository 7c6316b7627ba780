data "opsmanager_cluster" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  name       = "ledger"
}

# The shards of a sharded cluster have its name, which stands for the whole cluster.
data "opsmanager_cluster" "orders" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  name       = "orders"
}

resource "opsmanager_snapshot_schedule" "orders" {
  project_id = data.opsmanager_cluster.orders.project_id
  cluster_id = data.opsmanager_cluster.orders.cluster_id

  weekly_snapshot_retention_weeks = 6
}
