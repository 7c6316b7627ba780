resource "opsmanager_restore_job" "download" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a1f3c2e4b6d8091a3b5c7"
  snapshot_id = "66b0c530c4d6e8f0a2b4c600"

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
  description = "Download link of each job. Anyone who has a link can download the data."
  value       = opsmanager_restore_job.download.download_urls
  sensitive   = true
}
