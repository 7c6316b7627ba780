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

# A service other than AWS usually has a region of its own, and the bucket in the path.
resource "opsmanager_s3_blockstore" "on_premises" {
  id = "onprem-s3-1"

  uri_wo         = var.store_uri
  uri_wo_version = 1

  aws_access_key_wo         = var.store_access_key
  aws_access_key_wo_version = 1
  aws_secret_key_wo         = var.store_secret_key
  aws_secret_key_wo_version = 1

  s3_bucket_name            = "snapshots"
  s3_bucket_endpoint        = "https://s3.example.com:9000"
  s3_region_override        = "us-east-1"
  s3_max_connections        = 50
  path_style_access_enabled = true
  sse_enabled               = false
  accepted_tos              = true
}
