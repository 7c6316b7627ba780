resource "opsmanager_backup_config" "reports" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"
}

# A cluster has no schedule before its backup has been started.
resource "opsmanager_snapshot_schedule" "reports" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a2177e1f3a5b7c9d00e42"

  daily_snapshot_retention_days = 30

  depends_on = [opsmanager_backup_config.reports]
}
