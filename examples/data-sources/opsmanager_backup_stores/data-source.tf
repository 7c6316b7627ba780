data "opsmanager_backup_stores" "all" {}

locals {
  # In the unit of used_size, which depends on your version of Ops Manager: compare it with the console first. A store
  # without a used_size is not checked.
  limit = 900000

  full = [
    for store in data.opsmanager_backup_stores.all.results :
    "${store.type} ${store.id}" if coalesce(store.used_size, 0) > local.limit
  ]
}

check "no_store_runs_full" {
  assert {
    condition     = length(local.full) == 0
    error_message = "These stores run full: ${join(", ", local.full)}."
  }
}
