# The ID of the store, as it is: no escaping.
terraform import opsmanager_s3_oplog_store.australia au-s3-oplog-1
