import {
  to = opsmanager_s3_oplog_store.australia
  identity = {
    id = "au-s3-oplog-1"
  }
}
