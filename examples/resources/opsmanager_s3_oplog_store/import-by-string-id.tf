import {
  to = opsmanager_s3_oplog_store.australia
  id = "au-s3-oplog-1"
}
