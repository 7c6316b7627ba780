data "opsmanager_projects" "all" {}

data "opsmanager_clusters" "payments" {
  project_id = data.opsmanager_projects.all.ids_by_name["Payments"]
}

# Every cluster of every project, except one.
resource "opsmanager_snapshot_policy" "all" {
  project_ids          = values(data.opsmanager_projects.all.ids_by_name)
  excluded_cluster_ids = [data.opsmanager_clusters.payments.ids_by_name["invoices"]]

  schedule = {
    daily_snapshot_retention_days = 30
  }

  retention_protection = true
}
