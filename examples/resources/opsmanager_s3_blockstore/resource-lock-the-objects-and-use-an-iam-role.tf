variable "store_uri" {
  type      = string
  ephemeral = true
}

# For 30 days, only a user with a special permission can delete an object of this bucket. With
# COMPLIANCE, no user can. The bucket must have versioning and Object Lock enabled. None of these
# three values can be changed later. Requires Ops Manager 8.0.27 or later. The hosts of Ops Manager
# have a role that grants access to the bucket, so there are no keys.
resource "opsmanager_s3_blockstore" "locked" {
  id             = "lon-s3-locked"
  s3_auth_method = "IAM_ROLE"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  object_lock_enabled   = true
  object_retention_mode = "GOVERNANCE"
  object_retention_days = 30

  s3_bucket_name            = "snapshots-locked"
  s3_bucket_endpoint        = "https://s3.eu-west-2.amazonaws.com"
  s3_max_connections        = 50
  path_style_access_enabled = false
  sse_enabled               = true
  accepted_tos              = true
}
