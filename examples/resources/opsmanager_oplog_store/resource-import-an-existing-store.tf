variable "store_uri" {
  type      = string
  ephemeral = true
}

import {
  to = opsmanager_oplog_store.australia
  id = "au-oplog-1"
}

# The store's other values stay as they are. Before you destroy it, set deletion_protection to false
# and apply.
resource "opsmanager_oplog_store" "australia" {
  id                  = "au-oplog-1"
  deletion_protection = true

  uri_wo         = var.store_uri
  uri_wo_version = 1
}
