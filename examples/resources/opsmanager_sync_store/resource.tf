# Terraform keeps ephemeral variables and write-only attributes out of the state. To send
# a new value, change the version, too.
variable "store_uri" {
  description = "Connection string of the database, with its credentials."
  type        = string
  ephemeral   = true
}

# A new sync store.
resource "opsmanager_sync_store" "london" {
  id = "lon-sync-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  assignment_enabled = true
  labels             = ["london"]
}

# A store that is there already. Its other values stay as they are. It can't be destroyed
# before the protection is taken away by an apply of its own.
resource "opsmanager_sync_store" "new_york" {
  id                  = "ny-sync-1"
  adopt_existing      = true
  deletion_protection = true

  uri_wo         = var.store_uri
  uri_wo_version = 1
}
