# 0 turns a rule off: Ops Manager keeps daily snapshots, but no weekly and monthly ones. If
# you only remove a rule from the configuration, it keeps its current value.
resource "opsmanager_snapshot_schedule" "cards" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f8b5d7092a4c6e8f013"

  daily_snapshot_retention_days     = 30
  weekly_snapshot_retention_weeks   = 0
  monthly_snapshot_retention_months = 0
}
