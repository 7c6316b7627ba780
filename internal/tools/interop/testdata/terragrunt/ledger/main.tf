resource "opsmanager_snapshot_schedule" "ledger" {
  project_id                    = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id                    = "650a1f3c2e4b6d8091a3b5c7"
  daily_snapshot_retention_days = 60
}
