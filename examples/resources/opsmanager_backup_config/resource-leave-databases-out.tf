# Neither the database cache nor the collection audit.raw is backed up. To back one up
# again, Ops Manager has to resync, so the plan warns.
resource "opsmanager_backup_config" "reports" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"

  excluded_namespaces = ["cache", "audit.raw"]
}
