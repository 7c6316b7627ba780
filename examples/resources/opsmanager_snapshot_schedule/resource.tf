# A complete schedule. A plan that would keep fewer backups fails instead of warning.
resource "opsmanager_snapshot_schedule" "cards" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f8b5d7092a4c6e8f013"

  snapshot_interval_hours           = 6
  snapshot_retention_days           = 3
  daily_snapshot_retention_days     = 15
  weekly_snapshot_retention_weeks   = 8
  monthly_snapshot_retention_months = 13
  point_in_time_window_hours        = 48

  # In UTC, because no offset is set.
  reference_hour_of_day        = 1
  reference_minute_of_hour     = 30
  full_incremental_day_of_week = "SATURDAY"

  retention_protection = true
}
