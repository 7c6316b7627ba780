import {
  to = opsmanager_backup_daemon.new_york
  identity = {
    machine             = "om-ny.example.com"
    head_root_directory = "/data/backup/"
  }
}
