data "opsmanager_restore_jobs" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

output "last_finished_restore" {
  description = "Time when the last restore that finished was requested, or null if there is none"
  value       = try([for job in data.opsmanager_restore_jobs.ledger.results : job.created if job.status_name == "FINISHED"][0], null)
}
