resource "opsmanager_backup_config" "reports" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"
}

output "cluster_id" {
  value = opsmanager_backup_config.reports.cluster_id
}
