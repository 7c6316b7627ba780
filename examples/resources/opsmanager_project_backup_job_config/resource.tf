# Backups of the project can be assigned to daemons and stores that have both labels. Of
# these stores, only the listed ones are used.
resource "opsmanager_project_backup_job_config" "payments" {
  project_id   = "64f0c2a19b3d5e7f80a1b2c3"
  label_filter = ["east", "production"]

  snapshot_store_filter = [
    { id = "ny-s3-1", type = "s3blockstore" },
    { id = "ny-blockstore-1", type = "blockstore" },
  ]
  oplog_store_filter = [
    { id = "ny-oplog-1", type = "oplogStore" },
  ]
}
