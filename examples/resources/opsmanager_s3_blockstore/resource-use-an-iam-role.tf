variable "store_uri" {
  type      = string
  ephemeral = true
}

# The hosts of Ops Manager have a role that grants access to the bucket, so there are no keys.
resource "opsmanager_s3_blockstore" "london" {
  id             = "lon-s3-1"
  s3_auth_method = "IAM_ROLE"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  s3_bucket_name            = "snapshots-london"
  s3_bucket_endpoint        = "https://s3.eu-west-2.amazonaws.com"
  s3_max_connections        = 50
  path_style_access_enabled = false
  sse_enabled               = true
  accepted_tos              = true
}
