variable "release" {
  description = "Version of the application."
  type        = string
  default     = "2.4.0"
}

resource "opsmanager_on_demand_snapshot" "before_release" {
  project_id     = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id     = "650a2035b7d9f1e3a5c70924"
  retention_days = 8

  triggers = {
    release = var.release
  }
}

# Stands for whatever changes the cluster. It waits until the snapshot is complete, and does not start
# if there is none.
resource "terraform_data" "release" {
  input = var.release

  depends_on = [opsmanager_on_demand_snapshot.before_release]
}
