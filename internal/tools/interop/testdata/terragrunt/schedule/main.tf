variable "cluster_id" {
  type = string
}

resource "opsmanager_snapshot_schedule" "reports" {
  project_id                    = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id                    = var.cluster_id
  daily_snapshot_retention_days = 30
}
