import {
  to = opsmanager_sync_store.new_york
  id = "ny-sync-1"
}
