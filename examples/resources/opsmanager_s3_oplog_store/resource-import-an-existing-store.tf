variable "store_uri" {
  type      = string
  ephemeral = true
}

variable "store_access_key" {
  type      = string
  ephemeral = true
}

variable "store_secret_key" {
  type      = string
  ephemeral = true
}

import {
  to = opsmanager_s3_oplog_store.australia
  id = "au-s3-oplog-1"
}

# The store's other values stay as they are. Before you destroy it, set deletion_protection to false
# and apply.
resource "opsmanager_s3_oplog_store" "australia" {
  id                  = "au-s3-oplog-1"
  deletion_protection = true

  uri_wo         = var.store_uri
  uri_wo_version = 1

  aws_access_key_wo         = var.store_access_key
  aws_access_key_wo_version = 1
  aws_secret_key_wo         = var.store_secret_key
  aws_secret_key_wo_version = 1
}
