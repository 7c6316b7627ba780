data "opsmanager_restorable_time_ranges" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

output "latest_restorable_time" {
  description = "Latest point in time that the cluster can be restored to, or null if there is none"
  value       = try(reverse(data.opsmanager_restorable_time_ranges.ledger.results)[0].end.date, null)
}
