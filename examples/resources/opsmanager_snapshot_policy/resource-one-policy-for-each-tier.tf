# The name of a cluster decides its tier. The time of day is in UTC, unless schedule
# sets reference_time_zone_offset, such as "+01:00".
resource "opsmanager_snapshot_policy" "gold" {
  project_ids        = ["64f0c2a19b3d5e7f80a1b2c3"]
  cluster_name_regex = "^(ledger|orders)$"

  schedule = {
    snapshot_interval_hours         = 6
    snapshot_retention_days         = 5
    daily_snapshot_retention_days   = 30
    weekly_snapshot_retention_weeks = 12
    reference_hour_of_day           = 1
    reference_minute_of_hour        = 30
  }
}

resource "opsmanager_snapshot_policy" "bronze" {
  project_ids        = ["64f0c2a19b3d5e7f80a1b2c3"]
  cluster_name_regex = "^(cards|fraud)"

  schedule = {
    snapshot_interval_hours         = 24
    daily_snapshot_retention_days   = 7
    weekly_snapshot_retention_weeks = 4
  }
}

# Clusters that had no schedule at the last apply.
output "without_a_schedule" {
  value = merge(opsmanager_snapshot_policy.gold.skipped, opsmanager_snapshot_policy.bronze.skipped)
}
