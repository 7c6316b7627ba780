# To get new links of one of them, change its request. The key in triggers tells downloads with equal arguments apart.
resource "opsmanager_restore_job" "download" {
  for_each = {
    ledger = { cluster_id = "650a1f3c2e4b6d8091a3b5c7", snapshot_id = "66b0c530c4d6e8f0a2b4c600", request = "2026-11" }
    orders = { cluster_id = "650a2035b7d9f1e3a5c70924", snapshot_id = "66d45311c4d6e8f0a2b4c703", request = "2026-11" }
  }

  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = each.value.cluster_id
  snapshot_id = each.value.snapshot_id
  triggers    = { (each.key) = each.value.request }

  max_downloads    = 1
  expiration_hours = 4

  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }
}

output "links" {
  description = "Download links by name and job. Anyone who has a link can download the data."
  value       = { for name, restore in opsmanager_restore_job.download : name => restore.download_urls }
  sensitive   = true
}
