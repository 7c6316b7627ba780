# All S3 blockstores.
list "opsmanager_s3_blockstore" "all" {
  provider         = opsmanager
  include_resource = true # reads all attributes, not only the identity
  limit            = 1000 # the default is 100
}
