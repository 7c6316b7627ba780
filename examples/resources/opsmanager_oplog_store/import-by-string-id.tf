import {
  to = opsmanager_oplog_store.australia
  id = "au-oplog-1"
}
