# [] removes a filter: any store for oplogs can then be assigned. If you only remove the
# attribute from the configuration, the filter keeps its current value.
resource "opsmanager_project_backup_job_config" "payments" {
  project_id         = "64f0c2a19b3d5e7f80a1b2c3"
  oplog_store_filter = []
}
