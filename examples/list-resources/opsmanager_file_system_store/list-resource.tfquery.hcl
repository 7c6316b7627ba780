list "opsmanager_file_system_store" "all" {
  provider         = opsmanager
  include_resource = true
  limit            = 1000
}
