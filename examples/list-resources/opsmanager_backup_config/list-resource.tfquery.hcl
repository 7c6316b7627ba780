# The backup configurations of a project that you can manage. With
# -generate-config-out=backups.tf, terraform query writes a resource and an import
# block for each.
list "opsmanager_backup_config" "payments" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000 # the default is 100

  config {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
  }
}
