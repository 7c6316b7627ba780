# A new file system store.
resource "opsmanager_file_system_store" "london" {
  id = "lon-nfs-1"

  store_path         = "/mnt/backup/london"
  assignment_enabled = true
  labels             = ["london"]
}

# A store that is there already. Its other values stay as they are. It can't be destroyed
# before the protection is taken away by an apply of its own.
resource "opsmanager_file_system_store" "australia" {
  id                  = "au-nfs-1"
  adopt_existing      = true
  deletion_protection = true
}
