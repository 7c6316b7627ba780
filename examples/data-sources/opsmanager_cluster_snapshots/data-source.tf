data "opsmanager_cluster_snapshots" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

output "newest" {
  description = "Newest complete snapshot and its expiry, or null if there is none"
  value = try({
    id      = data.opsmanager_cluster_snapshots.ledger.results[0].id
    created = data.opsmanager_cluster_snapshots.ledger.results[0].created.date
    expires = data.opsmanager_cluster_snapshots.ledger.results[0].expires
  }, null)
}
