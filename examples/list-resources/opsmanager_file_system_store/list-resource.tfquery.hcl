# All stores of this kind. With -generate-config-out=stores.tf, terraform query writes a
# resource and an import block for each.
list "opsmanager_file_system_store" "all" {
  provider         = opsmanager
  include_resource = true
}
