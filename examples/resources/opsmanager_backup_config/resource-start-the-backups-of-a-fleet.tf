data "opsmanager_clusters" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

resource "opsmanager_backup_config" "fleet" {
  for_each = toset(["cards", "ledger", "orders", "reports"])

  project_id  = data.opsmanager_clusters.payments.project_id
  cluster_id  = data.opsmanager_clusters.payments.ids_by_name[each.key]
  status_name = "STARTED"
}
