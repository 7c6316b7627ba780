import {
  to = opsmanager_backup_daemon.new_york
  id = "om-ny.example.com|/data/backup/"
}
