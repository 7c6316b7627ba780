# The same triggers for both: changing them takes a new snapshot and restores it.
locals {
  release = { version = "2026-11" }
}

resource "opsmanager_on_demand_snapshot" "orders" {
  project_id     = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id     = "650a2035b7d9f1e3a5c70924"
  retention_days = 1
  triggers       = local.release

  lifecycle {
    postcondition {
      condition     = self.complete
      error_message = "The snapshot is not complete."
    }
  }
}

# Restores to a download link that can be used once. A restore into a cluster works the same way.
resource "opsmanager_restore_job" "orders" {
  project_id  = opsmanager_on_demand_snapshot.orders.project_id
  cluster_id  = opsmanager_on_demand_snapshot.orders.cluster_id
  snapshot_id = opsmanager_on_demand_snapshot.orders.id
  triggers    = local.release

  max_downloads    = 1
  expiration_hours = 4

  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }
}
