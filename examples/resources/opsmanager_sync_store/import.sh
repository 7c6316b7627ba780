# The ID of the store, as it is: no escaping.
terraform import opsmanager_sync_store.new_york ny-sync-1
