# All projects of the API key.
data "opsmanager_backup_alerts" "all" {}

# What happens now.
output "open_alerts" {
  value = sort(values(data.opsmanager_backup_alerts.all.problems))
}

# Where nobody is notified of it.
output "unwatched_projects" {
  value = sort(values(data.opsmanager_backup_alerts.all.unwatched))
}

# Where other alerts are silent.
output "monitoring_down" {
  value = sort(values(data.opsmanager_backup_alerts.all.monitoring_down))
}
