# Automation does not manage this cluster, so the backup needs a user of it. To send a
# new password, change password_wo_version too.
variable "backup_password" {
  type      = string
  ephemeral = true
}

resource "opsmanager_backup_config" "fraud" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a1e4a0f2c3d5b7e9f1a2b"
  status_name = "STARTED"

  auth_mechanism_name = "MONGODB_CR"
  username            = "backup"
  password_wo         = var.backup_password
  password_wo_version = 1
}
