# All stores of this kind. With -generate-config-out=stores.tf, terraform query writes a
# resource and an import block for each. The written
# blocks lack the secrets, so add them before you apply.
list "opsmanager_s3_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
}
