data "opsmanager_config_server_snapshots" "config1" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  host_id    = "4b1d7f0a9c3e5826d4f0b1a7c9e83652"
}

output "newest_complete" {
  description = "Newest complete snapshot and its time, or null if there is none"
  value = try([
    for snapshot in data.opsmanager_config_server_snapshots.config1.results :
    { id = snapshot.id, created = snapshot.created.date } if snapshot.complete
  ][0], null)
}
