# Restores a snapshot of one cluster into a different one, and replaces all its data.
# Change triggers to restore again.
resource "opsmanager_restore_job" "drill" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a1f3c2e4b6d8091a3b5c7"
  snapshot_id = "66b0c530c4d6e8f0a2b4c600"

  target_project_id   = "64f0c2d57c1e4a6b92d3f4e5"
  target_cluster_id   = "650a22fad3b5a7c9e1f30817"
  target_cluster_name = "scratch" # must be the name of the target

  triggers = {
    drill = "2026-11"
  }

  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }
}
