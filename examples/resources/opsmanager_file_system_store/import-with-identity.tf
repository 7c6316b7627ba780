import {
  to = opsmanager_file_system_store.australia
  identity = {
    id = "au-nfs-1"
  }
}
