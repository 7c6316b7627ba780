# A new file system store.
resource "opsmanager_file_system_store" "london" {
  id = "lon-nfs-1"

  store_path         = "/mnt/backup/london"
  assignment_enabled = true
  labels             = ["london"]
}

# An existing store. Its other values stay as they are. To destroy it, first set
# deletion_protection = false and apply.
resource "opsmanager_file_system_store" "australia" {
  id                  = "au-nfs-1"
  adopt_existing      = true
  deletion_protection = true
}
