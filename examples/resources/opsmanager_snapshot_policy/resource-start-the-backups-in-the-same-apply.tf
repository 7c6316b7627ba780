# The policy refers to the backups, so Terraform starts them first.
resource "opsmanager_backup_config" "fleet" {
  for_each = {
    cards   = "650a1f8b5d7092a4c6e8f013"
    reports = "650a2177e1f3a5b7c9d00e42"
  }

  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = each.value
  status_name = "STARTED"
}

resource "opsmanager_snapshot_policy" "fleet" {
  project_ids = ["64f0c2a19b3d5e7f80a1b2c3"]
  cluster_ids = [for backup in opsmanager_backup_config.fleet : backup.cluster_id]

  schedule = { daily_snapshot_retention_days = 15 }
}
