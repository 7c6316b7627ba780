# Ops Manager takes no snapshots while the backup is stopped, and keeps existing ones. After a
# restart, the first complete snapshot deletes those that have expired. After a longer pause, the
# restart may sync all data again.
resource "opsmanager_backup_config" "fraud" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a1e4a0f2c3d5b7e9f1a2b"
  status_name = "STOPPED"
}
