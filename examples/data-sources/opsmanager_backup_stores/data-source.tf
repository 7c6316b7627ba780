data "opsmanager_backup_stores" "all" {}

output "unlabeled" {
  description = "Stores that only projects without a label filter can use"
  value = [
    for store in data.opsmanager_backup_stores.all.results :
    "${store.type} ${store.id}" if length(store.labels) == 0
  ]
}
