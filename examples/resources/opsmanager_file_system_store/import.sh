# The ID of the store, without escaping.
terraform import opsmanager_file_system_store.australia au-nfs-1
