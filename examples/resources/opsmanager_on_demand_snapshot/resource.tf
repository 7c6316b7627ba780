# A snapshot before an upgrade. A new version in triggers takes a new snapshot.
resource "opsmanager_on_demand_snapshot" "before_upgrade" {
  project_id     = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id     = "650a2035b7d9f1e3a5c70924"
  retention_days = 7

  triggers = {
    version = "2.4.0"
  }
}
