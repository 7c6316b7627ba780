# A change of triggers takes a snapshot, and deletes the previous one once the new one is complete.
resource "opsmanager_on_demand_snapshot" "latest" {
  project_id     = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id     = "650a2035b7d9f1e3a5c70924"
  retention_days = 30
  on_destroy     = "delete"

  triggers = {
    week = "2026-W48"
  }

  lifecycle {
    create_before_destroy = true
  }
}
