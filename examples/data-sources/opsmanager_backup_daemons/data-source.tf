data "opsmanager_backup_daemons" "all" {}

output "assignable" {
  description = "Daemons that new backups can be assigned to"
  value = [
    for daemon in data.opsmanager_backup_daemons.all.results :
    "${daemon.machine} ${daemon.head_root_directory}" if daemon.configured && daemon.assignment_enabled
  ]
}
