import {
  to = opsmanager_file_system_store.australia
  id = "au-nfs-1"
}
