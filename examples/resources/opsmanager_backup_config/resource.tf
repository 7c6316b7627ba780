# The backup of this replica set was never started. The apply starts it, waits until it
# runs, and then sets the schedule.
resource "opsmanager_backup_config" "reports" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"

  timeouts = {
    create = "45m"
  }
}

resource "opsmanager_snapshot_schedule" "reports" {
  project_id = opsmanager_backup_config.reports.project_id
  cluster_id = opsmanager_backup_config.reports.cluster_id

  daily_snapshot_retention_days = 30
  retention_protection          = true
}
