# All clusters of a project, including those that are added later, have these retentions.
# A plan that shortens one fails.
resource "opsmanager_snapshot_policy" "payments" {
  project_ids = ["64f0c2a19b3d5e7f80a1b2c3"]

  schedule = {
    daily_snapshot_retention_days     = 90
    weekly_snapshot_retention_weeks   = 26
    monthly_snapshot_retention_months = 36
  }

  retention_protection = true
}
