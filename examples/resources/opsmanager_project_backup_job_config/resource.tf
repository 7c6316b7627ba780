# Backups of this project are assigned to daemons and stores that have both labels, and only
# to the stores that are listed here.
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

# An existing job configuration. Its other filters stay as they are.
resource "opsmanager_project_backup_job_config" "analytics" {
  project_id = "64f0c2d57c1e4a6b92d3f4e5"
  daemon_filter = [
    { machine = "om-ny.example.com", head_root_directory = "/data/backup/" },
  ]
}
