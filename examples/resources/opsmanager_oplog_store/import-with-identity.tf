import {
  to = opsmanager_oplog_store.australia
  identity = {
    id = "au-oplog-1"
  }
}
