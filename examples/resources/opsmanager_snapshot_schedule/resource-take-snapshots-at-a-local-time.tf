# 01:30 in Berlin in winter. The offset does not follow daylight-saving time, so in summer
# this is 02:30 there. To keep 01:30, change the offset to "+02:00" for the summer.
resource "opsmanager_snapshot_schedule" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"

  reference_hour_of_day      = 1
  reference_minute_of_hour   = 30
  reference_time_zone_offset = "+01:00"
}
