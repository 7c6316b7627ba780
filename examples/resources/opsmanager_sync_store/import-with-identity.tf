import {
  to = opsmanager_sync_store.new_york
  identity = {
    id = "ny-sync-1"
  }
}
