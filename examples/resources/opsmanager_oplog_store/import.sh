# The ID of the store, without escaping.
terraform import opsmanager_oplog_store.australia au-oplog-1
