# Destroying deletes the configuration of the daemon, which Ops Manager refuses while a backup
# is bound to it. Stop the process, too, or it registers again.
resource "opsmanager_backup_daemon" "london" {
  machine             = "om-eu.example.com"
  head_root_directory = "/data/backup/"
  on_destroy          = "delete"
}
