# The ID of the store, as it is: no escaping.
terraform import opsmanager_oplog_store.australia au-oplog-1
