resource "opsmanager_file_system_store" "london" {
  id = "lon-nfs-1"

  store_path         = "/mnt/backup/london"
  assignment_enabled = true
  labels             = ["london"]
}
