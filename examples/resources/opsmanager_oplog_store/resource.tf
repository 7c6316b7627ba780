variable "store_uri" {
  description = "Connection string of the database, with its credentials."
  type        = string
  ephemeral   = true
}

resource "opsmanager_oplog_store" "london" {
  id = "lon-oplog-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  assignment_enabled = true
  labels             = ["london"]
}
