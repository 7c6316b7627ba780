# The ID of the store, as it is: no escaping.
terraform import opsmanager_file_system_store.australia au-nfs-1
