# The ID of the store, without escaping.
terraform import opsmanager_sync_store.new_york ny-sync-1
