variable "release" {
  description = "Version of the application."
  type        = string
  default     = "2.4.0"
}

action "opsmanager_on_demand_snapshot" "orders" {
  config {
    project_id     = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id     = "650a2035b7d9f1e3a5c70924"
    retention_days = 7
  }
}

# A new release first invokes the action, and so does the first apply.
resource "terraform_data" "release" {
  input = var.release

  lifecycle {
    action_trigger {
      events  = [before_create, before_update]
      actions = [action.opsmanager_on_demand_snapshot.orders]
    }
  }
}
