# The process is running on that machine. The apply waits until it has registered, and then
# configures it.
resource "opsmanager_backup_daemon" "london" {
  machine             = "om-eu.example.com"
  head_root_directory = "/data/backup/"

  assignment_enabled             = true
  backup_jobs_enabled            = true
  garbage_collection_enabled     = true
  resource_usage_enabled         = true
  restore_queryable_jobs_enabled = true
  head_disk_type                 = "SSD"
  num_workers                    = 4
  labels                         = ["london"]

  timeouts = {
    create = "15m"
  }
}
