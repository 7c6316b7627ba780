data "opsmanager_snapshot_schedule" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

# Keeps daily and weekly snapshots of a second cluster for the same time.
resource "opsmanager_snapshot_schedule" "cards" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f8b5d7092a4c6e8f013"

  daily_snapshot_retention_days   = data.opsmanager_snapshot_schedule.ledger.daily_snapshot_retention_days
  weekly_snapshot_retention_weeks = data.opsmanager_snapshot_schedule.ledger.weekly_snapshot_retention_weeks
}
