data "opsmanager_backup_configs" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

output "not_backed_up" {
  description = "Clusters of the project whose backup is not started"
  value = [
    for config in data.opsmanager_backup_configs.payments.results :
    config.cluster_id if config.status_name != "STARTED"
  ]
}
