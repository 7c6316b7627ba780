data "opsmanager_backup_alerts" "all" {}

output "open_alerts" {
  value = sort(values(data.opsmanager_backup_alerts.all.problems))
}

output "unwatched_projects" {
  value = sort(values(data.opsmanager_backup_alerts.all.unwatched))
}

output "monitoring_down" {
  value = sort(values(data.opsmanager_backup_alerts.all.monitoring_down))
}
