variable "store_uri" {
  description = "Connection string of the database, with its credentials."
  type        = string
  ephemeral   = true
}

resource "opsmanager_sync_store" "london" {
  id = "lon-sync-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  assignment_enabled = true
  labels             = ["london"]
}
