# Terraform keeps ephemeral variables and write-only attributes out of the state. To send
# a new value, change the version, too.
variable "store_uri" {
  description = "Connection string of the database, with its credentials."
  type        = string
  ephemeral   = true
}

# A new blockstore.
resource "opsmanager_blockstore" "london" {
  id = "lon-blockstore-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  assignment_enabled = true
  labels             = ["london"]
}

# An existing store. Its other values stay as they are. To destroy it, first set
# deletion_protection = false and apply.
resource "opsmanager_blockstore" "australia" {
  id                  = "au-blockstore-1"
  adopt_existing      = true
  deletion_protection = true

  uri_wo         = var.store_uri
  uri_wo_version = 1
}
