data "opsmanager_backup_config" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

output "is_backed_up" {
  description = "Whether the backup of the cluster is started"
  value       = data.opsmanager_backup_config.ledger.status_name == "STARTED"
}
