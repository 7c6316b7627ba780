variable "store_uri" {
  description = "Connection string of the database, with its credentials."
  type        = string
  ephemeral   = true
}

variable "store_access_key" {
  type      = string
  ephemeral = true
}

variable "store_secret_key" {
  type      = string
  ephemeral = true
}

resource "opsmanager_s3_oplog_store" "london" {
  id = "lon-s3-oplog-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  aws_access_key_wo         = var.store_access_key
  aws_access_key_wo_version = 1
  aws_secret_key_wo         = var.store_secret_key
  aws_secret_key_wo_version = 1

  s3_bucket_name            = "oplogs-london"
  s3_bucket_endpoint        = "https://s3.eu-west-2.amazonaws.com"
  s3_max_connections        = 50
  path_style_access_enabled = false
  sse_enabled               = true
  accepted_tos              = true
  assignment_enabled        = true
  labels                    = ["london"]
}
