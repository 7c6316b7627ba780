# Only this field is changed. All others keep their current values.
resource "opsmanager_backup_daemon" "new_york" {
  machine             = "om-ny.example.com"
  head_root_directory = "/data/backup/"
  num_workers         = 8
}
