locals {
  # Days to keep daily snapshots of each cluster.
  daily_retention = {
    cards  = 30
    ledger = 90
    orders = 60
  }
}

data "opsmanager_clusters" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

resource "opsmanager_snapshot_schedule" "fleet" {
  for_each = local.daily_retention

  project_id = data.opsmanager_clusters.payments.project_id
  cluster_id = data.opsmanager_clusters.payments.ids_by_name[each.key]

  daily_snapshot_retention_days = each.value
  retention_protection          = true
}
