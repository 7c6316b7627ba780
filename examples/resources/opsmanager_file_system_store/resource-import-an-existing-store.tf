import {
  to = opsmanager_file_system_store.australia
  id = "au-nfs-1"
}

# The store's other values stay as they are. Before you destroy it, set deletion_protection to false
# and apply.
resource "opsmanager_file_system_store" "australia" {
  id                  = "au-nfs-1"
  deletion_protection = true
}
