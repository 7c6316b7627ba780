data "opsmanager_cluster_snapshots" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}

output "newest" {
  description = "ID of the newest complete snapshot and the time when it was taken, or null if there is none"
  value       = data.opsmanager_cluster_snapshots.ledger.newest_complete
}

output "held" {
  description = "IDs of the snapshots that are held. They are read before an apply holds or releases another one, so keep this in a folder of its own"
  value       = [for snapshot in data.opsmanager_cluster_snapshots.ledger.results : snapshot.id if snapshot.do_not_delete == true]
}

check "newest_snapshot" {
  assert {
    condition     = try(timecmp(timeadd(data.opsmanager_cluster_snapshots.ledger.newest_complete.created, "26h"), plantimestamp()) >= 0, false)
    error_message = "The newest complete snapshot is more than 26 hours old, or there is none."
  }
}
