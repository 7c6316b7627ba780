# The ID of the store, without escaping.
terraform import opsmanager_s3_oplog_store.australia au-s3-oplog-1
