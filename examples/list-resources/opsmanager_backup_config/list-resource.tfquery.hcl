list "opsmanager_backup_config" "payments" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000

  config {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
  }
}
