# All stores of this kind. With -generate-config-out=stores.tf, terraform query writes a
# resource and an import block for each. Add the secrets before you apply.
list "opsmanager_blockstore" "all" {
  provider         = opsmanager
  include_resource = true
}
