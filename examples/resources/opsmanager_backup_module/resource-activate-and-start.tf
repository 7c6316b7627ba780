# Terraform activates the modules first, and then starts the backup.
resource "opsmanager_backup_module" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  hostnames  = [for number in range(3) : "reports-${number}.payments.example.com"]
}

resource "opsmanager_backup_config" "reports" {
  project_id  = opsmanager_backup_module.payments.project_id
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"
}
